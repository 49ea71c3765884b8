CREATE PROCEDURE sys.sp_updatestats (@resample char(8) = 'NO') AS
SET NOCOUNT ON
IF UPPER(@resample) NOT IN ('NO', 'RESAMPLE')
BEGIN
  RAISERROR (15600, -1, -1, 'sys.sp_updatestats')
  RETURN 1
END
DECLARE @name nvarchar(520), @text nvarchar(max)
DECLARE each CURSOR LOCAL STATIC READ_ONLY FOR
  SELECT QUOTENAME(SCHEMA_NAME(t.schema_id)) + N'.' + QUOTENAME(t.name) FROM sys.tables AS t ORDER BY 1
OPEN each
FETCH NEXT FROM each INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
  PRINT N'Updating ' + @name
  SET @text = N'UPDATE STATISTICS ' + @name
  EXEC (@text)
  FETCH NEXT FROM each INTO @name
END
CLOSE each
PRINT N' '
PRINT N'Statistics for all tables have been updated.'
