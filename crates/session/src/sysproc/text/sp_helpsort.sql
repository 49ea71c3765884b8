CREATE PROCEDURE sys.sp_helpsort AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(1000), description) AS [Server default collation]
FROM sys.fn_helpcollations() WHERE name = CONVERT(sysname, SERVERPROPERTY('Collation'))
