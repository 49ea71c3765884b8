CREATE PROCEDURE sys.sp_addsrvrolemember (@loginame sysname, @rolename sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' ADD MEMBER '
  + QUOTENAME(@loginame)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
