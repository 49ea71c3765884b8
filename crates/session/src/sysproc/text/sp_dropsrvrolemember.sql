CREATE PROCEDURE sys.sp_dropsrvrolemember (@loginame sysname, @rolename sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER '
  + QUOTENAME(@loginame)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
