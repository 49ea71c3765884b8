CREATE PROCEDURE sys.$name$ (
  @name sysname, $value$
  @level0type varchar(128) = NULL, @level0name sysname = NULL,
  @level1type varchar(128) = NULL, @level1name sysname = NULL,
  @level2type varchar(128) = NULL, @level2name sysname = NULL
) AS RETURN 0
