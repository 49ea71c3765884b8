CREATE PROCEDURE sys.sp_addlogin (
  @loginame sysname, @passwd sysname = NULL, @defdb sysname = 'master', @deflanguage sysname = NULL,
  @sid varbinary(16) = NULL, @encryptopt varchar(20) = NULL
) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE LOGIN ' + QUOTENAME(@loginame) + N' WITH PASSWORD = '
  + N'N''' + REPLACE(ISNULL(@passwd, ''), '''', '''''') + N''''
  + N', DEFAULT_DATABASE = ' + QUOTENAME(@defdb) + N', CHECK_POLICY = OFF'
IF @deflanguage IS NOT NULL SET @text = @text + N', DEFAULT_LANGUAGE = ' + QUOTENAME(@deflanguage)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
