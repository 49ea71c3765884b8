CREATE PROCEDURE sys.sp_tableoption (
  @TableNamePattern nvarchar(776), @OptionName varchar(35), @OptionValue varchar(12)
) AS
SET NOCOUNT ON
IF OBJECT_ID(@TableNamePattern) IS NULL
BEGIN
  RAISERROR (15388, -1, -1, @TableNamePattern)
  RETURN 1
END
-- Each of these is about how pages are laid out.
IF LOWER(@OptionName) NOT IN ('table lock on bulk load', 'insert row lock', 'text in row',
  'large value types out of row', 'vardecimal storage format')
BEGIN
  RAISERROR (15600, -1, -1, 'sys.sp_tableoption')
  RETURN 1
END
