CREATE PROCEDURE sys.sp_MSforeachdb (
  @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
) AS
DECLARE @name sysname, @text nvarchar(max)
IF @precommand IS NOT NULL EXEC (@precommand)
DECLARE each CURSOR LOCAL STATIC READ_ONLY FOR
  SELECT name FROM sys.databases WHERE HAS_DBACCESS(name) = 1 ORDER BY database_id
OPEN each
FETCH NEXT FROM each INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
  SET @text = REPLACE(@command1, @replacechar, @name)
  EXEC (@text)
  SET @text = REPLACE(@command2, @replacechar, @name)
  IF @text IS NOT NULL EXEC (@text)
  SET @text = REPLACE(@command3, @replacechar, @name)
  IF @text IS NOT NULL EXEC (@text)
  FETCH NEXT FROM each INTO @name
END
CLOSE each
DEALLOCATE each
IF @postcommand IS NOT NULL EXEC (@postcommand)
