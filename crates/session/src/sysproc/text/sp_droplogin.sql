CREATE PROCEDURE sys.sp_droplogin (@loginame sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'DROP LOGIN ' + QUOTENAME(@loginame)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
