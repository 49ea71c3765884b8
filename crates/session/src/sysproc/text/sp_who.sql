CREATE PROCEDURE sys.sp_who (@loginame sysname = NULL) AS
SET NOCOUNT ON
SELECT CONVERT(smallint, s.session_id) AS spid, CONVERT(smallint, 0) AS ecid,
  CONVERT(nchar(30), ISNULL(r.status, s.status)) AS status, s.login_name AS loginame,
  CONVERT(nchar(128), s.host_name) AS hostname,
  CONVERT(char(5), ISNULL(r.blocking_session_id, 0)) AS blk, DB_NAME(s.database_id) AS dbname,
  CONVERT(nchar(26), ISNULL(r.command, 'AWAITING COMMAND')) AS cmd, CONVERT(int, 0) AS request_id
FROM sys.dm_exec_sessions AS s
LEFT JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id
WHERE @loginame IS NULL OR s.login_name = @loginame
  OR CONVERT(nvarchar(11), s.session_id) = @loginame
  OR @loginame = 'active' AND r.session_id IS NOT NULL
ORDER BY 1
