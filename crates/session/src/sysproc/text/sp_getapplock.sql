CREATE PROCEDURE sys.sp_getapplock (
  @Resource nvarchar(255), @LockMode varchar(32), @LockOwner varchar(32) = 'Transaction',
  @LockTimeout int = NULL, @DbPrincipal sysname = 'public'
) AS RETURN 0
