CREATE PROCEDURE sys.sp_helptext (@objname nvarchar(776), @columnname sysname = NULL) AS
SET NOCOUNT ON
DECLARE @database sysname = PARSENAME(@objname, 3)
IF @database IS NOT NULL AND @database <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SET @database = DB_NAME()
-- Triggers on the database are no objects of a schema.
DECLARE @object int = ISNULL(OBJECT_ID(@objname), (SELECT object_id FROM sys.triggers
  WHERE parent_class = 0 AND name = PARSENAME(@objname, 1) AND PARSENAME(@objname, 2) IS NULL))
IF @object IS NULL
BEGIN
  RAISERROR (15009, -1, -1, @objname, @database)
  RETURN 1
END
DECLARE @text nvarchar(max) = CASE WHEN @columnname IS NULL THEN OBJECT_DEFINITION(@object)
  ELSE (SELECT definition FROM sys.computed_columns
    WHERE object_id = @object AND name = @columnname) END
IF @text IS NULL
BEGIN
  RAISERROR (15197, -1, -1, @objname)
  RETURN 1
END
-- What has the procedure's name and a number follows without a break.
IF @columnname IS NULL
  SET @text = @text + ISNULL((SELECT STRING_AGG(definition, '') WITHIN GROUP (ORDER BY procedure_number)
    FROM sys.numbered_procedures WHERE object_id = @object), '')
-- A row per line, with its end; long lines are cut into rows of 255 characters.
DECLARE @lines TABLE (line int IDENTITY(1, 1), text nvarchar(255))
DECLARE @at int = 1, @end int, @length int = DATALENGTH(@text) / 2
WHILE @at <= @length
BEGIN
  SET @end = CHARINDEX(NCHAR(10), @text, @at)
  IF @end = 0 SET @end = @length
  WHILE @end - @at + 1 > 255
  BEGIN
    INSERT INTO @lines (text) VALUES (SUBSTRING(@text, @at, 255))
    SET @at = @at + 255
  END
  INSERT INTO @lines (text) VALUES (SUBSTRING(@text, @at, @end - @at + 1))
  SET @at = @end + 1
END
SELECT text AS [Text] FROM @lines ORDER BY line
