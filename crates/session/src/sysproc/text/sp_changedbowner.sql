CREATE PROCEDURE sys.sp_changedbowner (@loginame sysname, @map varchar(5) = NULL) AS
SET NOCOUNT ON
IF DB_NAME() IN ('master', 'model', 'tempdb')
BEGIN
  RAISERROR (15109, -1, -1)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER AUTHORIZATION ON DATABASE::' + QUOTENAME(DB_NAME()) + N' TO '
  + QUOTENAME(@loginame)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
