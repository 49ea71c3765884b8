CREATE PROCEDURE sys.sp_releaseapplock (
  @Resource nvarchar(255), @LockOwner varchar(32) = 'Transaction', @DbPrincipal sysname = 'public'
) AS RETURN 0
