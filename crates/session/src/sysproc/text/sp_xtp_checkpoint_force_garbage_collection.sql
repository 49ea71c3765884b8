CREATE PROCEDURE sys.$name$
  @dbname sysname = NULL
AS
RETURN 0
