CREATE PROCEDURE sys.sp_databases AS
SET NOCOUNT ON
SELECT d.name AS DATABASE_NAME,
  CONVERT(int, (SELECT SUM(CONVERT(bigint, f.size)) * 8 FROM sys.master_files AS f
    WHERE f.database_id = d.database_id)) AS DATABASE_SIZE,
  CONVERT(varchar(254), NULL) AS REMARKS
FROM sys.databases AS d WHERE HAS_DBACCESS(d.name) = 1 ORDER BY 1
