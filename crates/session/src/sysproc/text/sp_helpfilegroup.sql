CREATE PROCEDURE sys.sp_helpfilegroup (@filegroupname sysname = NULL) AS
SET NOCOUNT ON
SELECT g.name AS groupname, CONVERT(smallint, g.data_space_id) AS groupid,
  (SELECT COUNT(*) FROM sys.database_files AS f WHERE f.data_space_id = g.data_space_id) AS filecount
FROM sys.filegroups AS g WHERE @filegroupname IS NULL OR g.name = @filegroupname ORDER BY 1
