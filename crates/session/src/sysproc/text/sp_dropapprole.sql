CREATE PROCEDURE sys.sp_dropapprole (@rolename sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'DROP APPLICATION ROLE ' + QUOTENAME(@rolename)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
