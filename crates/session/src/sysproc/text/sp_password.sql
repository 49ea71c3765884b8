CREATE PROCEDURE sys.sp_password (
  @old sysname = NULL, @new sysname, @loginame sysname = NULL
) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(ISNULL(@loginame, SUSER_SNAME()))
  + N' WITH PASSWORD = N''' + REPLACE(ISNULL(@new, ''), '''', '''''') + N''''
IF @old IS NOT NULL
  SET @text = @text + N' OLD_PASSWORD = N''' + REPLACE(@old, '''', '''''') + N''''
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
