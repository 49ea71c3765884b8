CREATE PROCEDURE sys.sp_rename (
  @objname nvarchar(1035), @newname sysname, @objtype varchar(13) = NULL
) AS RETURN 0
