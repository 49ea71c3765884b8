CREATE PROCEDURE sys.sp_dboption (
  @dbname sysname = NULL, @optname varchar(60) = NULL, @optvalue varchar(10) = NULL
) AS RETURN 0
