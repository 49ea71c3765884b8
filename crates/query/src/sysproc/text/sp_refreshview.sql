CREATE PROCEDURE sys.$name$ (@$parameter$ nvarchar(776)) AS
SET NOCOUNT ON
-- What a module depends on is looked up anew whenever it is used.
IF OBJECT_ID(@$parameter$) IS NULL
BEGIN
  RAISERROR (15165, -1, -1, @$parameter$)
  RETURN 1
END
