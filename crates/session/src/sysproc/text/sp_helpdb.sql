CREATE PROCEDURE sys.sp_helpdb (@dbname sysname = NULL) AS
SET NOCOUNT ON
IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
BEGIN
  RAISERROR (15010, -1, -1, @dbname)
  RETURN 1
END
SELECT d.name, STR(CONVERT(float, (SELECT SUM(CONVERT(bigint, f.size)) FROM sys.master_files AS f
    WHERE f.database_id = d.database_id)) / 128, 10, 2) + ' MB' AS db_size,
  SUSER_SNAME(d.owner_sid) AS owner, CONVERT(smallint, d.database_id) AS dbid,
  CONVERT(nvarchar(11), d.create_date) AS created,
  CONVERT(nvarchar(600), 'Status=' + d.state_desc
    + ', Updateability=' + CASE d.is_read_only WHEN 1 THEN 'READ_ONLY' ELSE 'READ_WRITE' END
    + ', UserAccess=' + d.user_access_desc + ', Recovery=' + d.recovery_model_desc
    + ', Collation=' + ISNULL(d.collation_name, '')
    + CASE d.is_row_caching_on WHEN 1 THEN ', IsRowCachingOn' ELSE '' END) AS status,
  d.compatibility_level
FROM sys.databases AS d WHERE @dbname IS NULL OR d.name = @dbname ORDER BY d.name
IF @dbname IS NULL OR HAS_DBACCESS(@dbname) <> 1
  RETURN 0
DECLARE @files nvarchar(max) = N'
  SELECT f.name, CONVERT(smallint, f.file_id) AS fileid, f.physical_name AS filename, s.name AS filegroup,
    CONVERT(nvarchar(15), CONVERT(bigint, f.size) * 8) + N'' KB'' AS size,
    CASE f.max_size WHEN -1 THEN N''Unlimited''
      ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.max_size) * 8) + N'' KB'' END AS maxsize,
    CASE f.is_percent_growth WHEN 1 THEN CONVERT(nvarchar(15), f.growth) + N''%''
      ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.growth) * 8) + N'' KB'' END AS growth,
    CASE f.type WHEN 1 THEN ''log only'' ELSE ''data only'' END AS usage
  FROM ' + QUOTENAME(@dbname) + N'.sys.database_files AS f LEFT JOIN ' + QUOTENAME(@dbname)
  + N'.sys.data_spaces AS s ON s.data_space_id = f.data_space_id ORDER BY f.file_id'
EXEC (@files)
