CREATE PROCEDURE sys.$name$
  @table_name nvarchar(776)
AS
RETURN 0
