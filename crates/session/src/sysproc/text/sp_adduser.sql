CREATE PROCEDURE sys.sp_adduser (
  @loginame sysname, @name_in_db sysname = NULL, @grpname sysname = NULL
) AS
SET NOCOUNT ON
SET @name_in_db = ISNULL(@name_in_db, @loginame)
DECLARE @text nvarchar(max) = N'CREATE SCHEMA ' + QUOTENAME(@name_in_db)
EXEC sys.sp_grantdbaccess @loginame, @name_in_db
IF @@ERROR <> 0 RETURN 1
IF SCHEMA_ID(@name_in_db) IS NULL
BEGIN
  SET @text = N'CREATE SCHEMA ' + QUOTENAME(@name_in_db) + N' AUTHORIZATION ' + QUOTENAME(@name_in_db)
  EXEC (@text)
  SET @text = N'ALTER USER ' + QUOTENAME(@name_in_db) + N' WITH DEFAULT_SCHEMA = '
    + QUOTENAME(@name_in_db)
  EXEC (@text)
END
IF @grpname IS NOT NULL EXEC sys.sp_addrolemember @grpname, @name_in_db
