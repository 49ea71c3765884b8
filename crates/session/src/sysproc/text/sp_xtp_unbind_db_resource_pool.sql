CREATE PROCEDURE sys.$name$
  @database_name sysname
AS
RETURN 0
