CREATE PROCEDURE sys.sp_who2 (@loginame sysname = NULL) AS
SET NOCOUNT ON
SELECT CONVERT(char(5), s.session_id) AS SPID, 
  CASE ISNULL(r.status, s.status) WHEN 'sleeping' THEN 'sleeping' ELSE UPPER(ISNULL(r.status, s.status)) END
    AS Status, s.login_name AS Login, ISNULL(s.host_name, '  .') AS HostName,
  CASE ISNULL(r.blocking_session_id, 0) WHEN 0 THEN '  .'
    ELSE CONVERT(char(5), r.blocking_session_id) END AS BlkBy,
  DB_NAME(s.database_id) AS DBName, ISNULL(r.command, 'AWAITING COMMAND') AS Command,
  CONVERT(varchar(20), s.cpu_time) AS CPUTime, CONVERT(varchar(20), s.reads + s.writes) AS DiskIO,
  SUBSTRING(CONVERT(varchar(10), s.last_request_start_time, 111), 6, 5) + ' '
    + CONVERT(varchar(8), s.last_request_start_time, 108) AS LastBatch,
  ISNULL(s.program_name, '') AS ProgramName, CONVERT(char(5), s.session_id) AS SPID,
  CONVERT(char(5), 0) AS REQUESTID
FROM sys.dm_exec_sessions AS s
LEFT JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id
WHERE @loginame IS NULL OR s.login_name = @loginame
  OR CONVERT(nvarchar(11), s.session_id) = @loginame
  OR @loginame = 'active' AND r.session_id IS NOT NULL
ORDER BY s.session_id
