CREATE PROCEDURE sys.$name$ (@name_in_db sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max)
-- The schema that sp_adduser has made goes with the user.
IF SCHEMA_ID(@name_in_db) IS NOT NULL AND NOT EXISTS (
  SELECT * FROM sys.objects WHERE schema_id = SCHEMA_ID(@name_in_db))
BEGIN
  SET @text = N'DROP SCHEMA ' + QUOTENAME(@name_in_db)
  EXEC (@text)
END
SET @text = N'DROP USER ' + QUOTENAME(@name_in_db)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
