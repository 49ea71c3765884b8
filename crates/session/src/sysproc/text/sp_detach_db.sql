CREATE PROCEDURE sys.$name$
  @dbname sysname = NULL,
  @skipchecks nvarchar(10) = NULL,
  @keepfulltextindexfile nvarchar(10) = NULL
AS
RETURN 0
