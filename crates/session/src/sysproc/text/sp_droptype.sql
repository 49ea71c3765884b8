CREATE PROCEDURE sys.sp_droptype (@typename sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'DROP TYPE ' + QUOTENAME(@typename)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
