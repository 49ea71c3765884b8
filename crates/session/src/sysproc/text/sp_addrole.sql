CREATE PROCEDURE sys.sp_addrole (@rolename sysname, @ownername sysname = NULL) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE ROLE ' + QUOTENAME(@rolename)
  + ISNULL(N' AUTHORIZATION ' + QUOTENAME(@ownername), N'')
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
