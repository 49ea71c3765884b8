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
IF LOWER(@OptionName) = 'text in row' AND LOWER(@OptionValue) NOT IN ('on', 'off', '0', '1')
  AND ISNULL(TRY_CONVERT(int, @OptionValue), 0) NOT BETWEEN 24 AND 7000
BEGIN
  RAISERROR (15112, -1, -1)
  RETURN 1
END
