CREATE PROCEDURE sys.sp_helpfile (@filename sysname = NULL) AS
SET NOCOUNT ON
IF @filename IS NOT NULL AND FILE_ID(@filename) IS NULL
BEGIN
  RAISERROR (15325, -1, -1, @filename)
  RETURN 1
END
SELECT f.name, CONVERT(smallint, f.file_id) AS fileid, f.physical_name AS filename,
  FILEGROUP_NAME(f.data_space_id) AS filegroup,
  CONVERT(nvarchar(15), CONVERT(bigint, f.size) * 8) + N' KB' AS size,
  CASE f.max_size WHEN -1 THEN N'Unlimited'
    ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.max_size) * 8) + N' KB' END AS maxsize,
  CASE f.is_percent_growth WHEN 1 THEN CONVERT(nvarchar(15), f.growth) + N'%'
    ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.growth) * 8) + N' KB' END AS growth,
  CASE f.type WHEN 1 THEN 'log only' ELSE 'data only' END AS usage
FROM sys.database_files AS f WHERE @filename IS NULL OR f.name = @filename ORDER BY f.file_id
