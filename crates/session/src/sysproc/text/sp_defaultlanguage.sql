CREATE PROCEDURE sys.sp_defaultlanguage (@loginame sysname, @language sysname = NULL) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame)
  + N' WITH DEFAULT_LANGUAGE = ' + QUOTENAME(ISNULL(@language, 'us_english'))
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
