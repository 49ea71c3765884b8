CREATE PROCEDURE sys.sp_attach_db
  @dbname sysname,
  @filename1 nvarchar(260),
  @filename2 nvarchar(260) = NULL,
  @filename3 nvarchar(260) = NULL,
  @filename4 nvarchar(260) = NULL,
  @filename5 nvarchar(260) = NULL,
  @filename6 nvarchar(260) = NULL,
  @filename7 nvarchar(260) = NULL,
  @filename8 nvarchar(260) = NULL,
  @filename9 nvarchar(260) = NULL,
  @filename10 nvarchar(260) = NULL,
  @filename11 nvarchar(260) = NULL,
  @filename12 nvarchar(260) = NULL,
  @filename13 nvarchar(260) = NULL,
  @filename14 nvarchar(260) = NULL,
  @filename15 nvarchar(260) = NULL,
  @filename16 nvarchar(260) = NULL
AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE DATABASE ' + QUOTENAME(@dbname)
  + N' ON (FILENAME = N''' + REPLACE(@filename1, '''', '''''') + N''')'
IF @filename2 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename2, '''', '''''') + N''')'
IF @filename3 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename3, '''', '''''') + N''')'
IF @filename4 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename4, '''', '''''') + N''')'
IF @filename5 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename5, '''', '''''') + N''')'
IF @filename6 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename6, '''', '''''') + N''')'
IF @filename7 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename7, '''', '''''') + N''')'
IF @filename8 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename8, '''', '''''') + N''')'
IF @filename9 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename9, '''', '''''') + N''')'
IF @filename10 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename10, '''', '''''') + N''')'
IF @filename11 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename11, '''', '''''') + N''')'
IF @filename12 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename12, '''', '''''') + N''')'
IF @filename13 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename13, '''', '''''') + N''')'
IF @filename14 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename14, '''', '''''') + N''')'
IF @filename15 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename15, '''', '''''') + N''')'
IF @filename16 IS NOT NULL SET @text += N', (FILENAME = N''' + REPLACE(@filename16, '''', '''''') + N''')'
SET @text += N' FOR ATTACH'
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
