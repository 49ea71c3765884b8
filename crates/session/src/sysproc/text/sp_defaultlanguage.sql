CREATE PROCEDURE sys.sp_defaultlanguage (@loginame sysname, @language sysname = NULL) AS
SET NOCOUNT ON
-- Without a language, the one that new logins get.
IF @language IS NULL
  SELECT @language = l.name FROM sys.syslanguages AS l JOIN sys.configurations AS c ON c.value_in_use = l.langid
  WHERE c.name = 'default language'
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame)
  + N' WITH DEFAULT_LANGUAGE = ' + QUOTENAME(@language)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
