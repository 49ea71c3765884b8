CREATE PROCEDURE sys.sp_recompile (@objname nvarchar(776)) AS
SET NOCOUNT ON
DECLARE @database sysname = PARSENAME(@objname, 3)
IF @database IS NOT NULL AND @database <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  RAISERROR (15165, -1, -1, @objname)
  RETURN 1
END
DECLARE @done bit
EXEC sys.sp_recompile_object @object, @done OUTPUT
IF @done = 0
BEGIN
  RAISERROR (15165, -1, -1, @objname)
  RETURN 1
END
RAISERROR (15070, -1, -1, @objname)
