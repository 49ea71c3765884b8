CREATE PROCEDURE sys.sp_MSforeachtable (
  @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @whereand nvarchar(2000) = NULL,
  @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
) AS
DECLARE @name nvarchar(520), @text nvarchar(max)
IF @precommand IS NOT NULL EXEC (@precommand)
CREATE TABLE #each (name nvarchar(520) NOT NULL)
SET @text = N'SET NOCOUNT ON INSERT INTO #each SELECT ''['' + REPLACE(SCHEMA_NAME(o.schema_id), '']'', '']]'')'
  + N' + ''].['' + REPLACE(o.name, '']'', '']]'') + '']'' FROM sys.objects AS o'
  + N' WHERE o.type = ''U'' ' + ISNULL(@whereand, N'')
EXEC (@text)
DECLARE each CURSOR LOCAL STATIC READ_ONLY FOR SELECT name FROM #each ORDER BY 1
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
