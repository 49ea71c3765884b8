CREATE PROCEDURE sys.sp_defaultdb (@loginame sysname, @defdb sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame)
  + N' WITH DEFAULT_DATABASE = ' + QUOTENAME(@defdb)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
