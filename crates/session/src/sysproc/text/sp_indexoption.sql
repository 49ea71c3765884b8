CREATE PROCEDURE sys.sp_indexoption (
  @IndexNamePattern nvarchar(1035), @OptionName varchar(35), @OptionValue varchar(12)
) AS
SET NOCOUNT ON
-- Each of these is about which locks are taken, and rows are not locked by rows or pages.
IF LOWER(@OptionName) NOT IN ('allowrowlocks', 'allowpagelocks', 'disallowrowlocks',
  'disallowpagelocks')
BEGIN
  RAISERROR (15600, -1, -1, 'sys.sp_indexoption')
  RETURN 1
END
