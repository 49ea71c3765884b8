CREATE PROCEDURE sys.sp_dbcmptlevel (@dbname sysname = NULL, @new_cmptlevel tinyint = NULL OUTPUT) AS
SET NOCOUNT ON
IF @dbname IS NULL
BEGIN
  RAISERROR (15048, -1, -1, '100, 110, 120, 130, 140, 150, or 160')
  RETURN 0
END
IF DB_ID(@dbname) IS NULL
BEGIN
  RAISERROR (15010, -1, -1, @dbname)
  RETURN 1
END
IF @new_cmptlevel IS NULL
BEGIN
  SET @new_cmptlevel = (SELECT compatibility_level FROM sys.databases WHERE name = @dbname)
  RETURN 0
END
DECLARE @text nvarchar(max) = N'ALTER DATABASE ' + QUOTENAME(@dbname)
  + N' SET COMPATIBILITY_LEVEL = ' + CONVERT(nvarchar(3), @new_cmptlevel)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
