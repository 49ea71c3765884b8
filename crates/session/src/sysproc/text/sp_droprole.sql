CREATE PROCEDURE sys.sp_droprole (@rolename sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'DROP ROLE ' + QUOTENAME(@rolename)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
