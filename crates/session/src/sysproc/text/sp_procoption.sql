CREATE PROCEDURE sys.sp_procoption (
  @ProcName nvarchar(776), @OptionName varchar(35), @OptionValue varchar(12)
) AS
SET NOCOUNT ON
-- No procedure runs by itself when the server starts.
IF OBJECT_ID(@ProcName) IS NULL
BEGIN
  RAISERROR (15165, -1, -1, @ProcName)
  RETURN 1
END
RAISERROR (15600, -1, -1, 'sys.sp_procoption')
RETURN 1
