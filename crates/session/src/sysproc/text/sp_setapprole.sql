CREATE PROCEDURE sys.sp_setapprole (
  @rolename sysname, @password sysname, @encrypt varchar(10) = 'none', @fCreateCookie bit = 0,
  @cookie varbinary(8000) = NULL OUTPUT
) AS RETURN 0
