CREATE PROCEDURE sys.sp_cleanup_temporal_history (
  @schema_name sysname, @table_name sysname, @rowcount int = NULL OUTPUT, @rows_max bigint = NULL
) AS RETURN 0
