CREATE PROCEDURE sys.sp_migrate_user_to_contained (
  @username sysname, @rename nvarchar(15), @disablelogin nvarchar(20)
) AS RETURN 0
