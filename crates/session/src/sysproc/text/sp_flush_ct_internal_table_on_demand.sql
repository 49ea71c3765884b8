CREATE PROCEDURE sys.sp_flush_CT_internal_table_on_demand (
  @TableToClean sysname = NULL, @DeletedRowCount bigint = NULL OUTPUT
) AS RETURN 0
