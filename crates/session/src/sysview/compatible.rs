//! The views from before the schema `sys`: found without a schema, in `dbo` and in `sys`.

use compile::bind::context::SystemView;

const fn old(name: &'static str, query: &'static str) -> SystemView {
    SystemView { schema: "sys", name, query }
}

/// The views, and one that SAP ASE's administrators read.
pub const QUERIES: &[SystemView] = &[
    old(
        "sysobjects",
        "SELECT name, object_id AS id, type AS xtype, CAST(schema_id AS smallint) AS uid, \
         CAST(0 AS smallint) AS info, 0 AS status, 0 AS base_schema_ver, 0 AS replinfo, \
         parent_object_id AS parent_obj, create_date AS crdate, CAST(0 AS smallint) AS ftcatid, \
         0 AS schema_ver, 0 AS stats_schema_ver, \
         CAST(CASE type WHEN 'PK' THEN 'K' WHEN 'UQ' THEN 'K' ELSE RTRIM(type) END AS char(2)) AS type, \
         CAST(0 AS smallint) AS userstat, CAST(0 AS smallint) AS sysstat, CAST(0 AS smallint) AS indexdel, \
         modify_date AS refdate, 0 AS version, 0 AS deltrig, 0 AS instrig, 0 AS updtrig, 0 AS seltrig, \
         0 AS category, CAST(0 AS smallint) AS cache \
         FROM sys.all_objects",
    ),
    old(
        "syscolumns",
        "SELECT c.name, c.object_id AS id, CAST(c.system_type_id AS tinyint) AS xtype, \
         CAST(0 AS tinyint) AS typestat, CAST(c.user_type_id AS smallint) AS xusertype, \
         c.max_length AS length, CAST(0 AS tinyint) AS xprec, CAST(0 AS tinyint) AS xscale, \
         CAST(c.column_id AS smallint) AS colid, CAST(0 AS smallint) AS xoffset, CAST(0 AS tinyint) AS bitpos, \
         CAST(0 AS tinyint) AS reserved, CAST(0 AS smallint) AS colstat, c.default_object_id AS cdefault, \
         c.rule_object_id AS domain, CAST(0 AS smallint) AS number, CAST(c.column_id AS smallint) AS colorder, \
         CAST(NULL AS varbinary(8000)) AS autoval, CAST(c.column_id AS smallint) AS offset, \
         CAST(NULL AS int) AS collationid, \
         CAST(c.is_nullable * 8 + c.is_identity * 128 AS tinyint) AS status, \
         CAST(c.system_type_id AS tinyint) AS type, CAST(c.user_type_id AS smallint) AS usertype, \
         CAST(NULL AS varchar(255)) AS printfmt, CAST(c.precision AS smallint) AS prec, \
         CAST(c.scale AS int) AS scale, CAST(c.is_computed AS int) AS iscomputed, CAST(0 AS int) AS isoutparam, \
         CAST(c.is_nullable AS int) AS isnullable, c.collation_name AS collation \
         FROM sys.columns AS c",
    ),
    old(
        "systypes",
        "SELECT name, CAST(system_type_id AS tinyint) AS xtype, CAST(0 AS tinyint) AS status, \
         CAST(user_type_id AS smallint) AS xusertype, max_length AS length, precision AS xprec, scale AS xscale, \
         default_object_id AS tdefault, rule_object_id AS domain, CAST(schema_id AS smallint) AS uid, \
         CAST(0 AS smallint) AS reserved, CAST(NULL AS int) AS collationid, \
         CAST(user_type_id AS smallint) AS usertype, CAST(0 AS bit) AS variable, \
         is_nullable AS allownulls, CAST(system_type_id AS tinyint) AS type, \
         CAST(NULL AS varchar(255)) AS printfmt, CAST(precision AS smallint) AS prec, scale, \
         collation_name AS collation FROM sys.types",
    ),
    old(
        "sysusers",
        "SELECT CAST(principal_id AS smallint) AS uid, CAST(0 AS smallint) AS status, name, sid, \
         CAST(NULL AS varbinary(2048)) AS roles, create_date AS createdate, modify_date AS updatedate, \
         CAST(0 AS smallint) AS altuid, CAST(NULL AS varbinary(256)) AS password, \
         CAST(0 AS smallint) AS gid, CAST(NULL AS varchar(85)) AS environ, \
         CAST(CASE WHEN type = 'R' THEN 0 ELSE 1 END AS int) AS hasdbaccess, \
         CAST(CASE WHEN type = 'R' THEN 0 ELSE 1 END AS int) AS islogin, 0 AS isntname, 0 AS isntgroup, \
         0 AS isntuser, CAST(CASE WHEN type = 'S' THEN 1 ELSE 0 END AS int) AS issqluser, 0 AS isaliased, \
         CAST(CASE WHEN type = 'R' THEN 1 ELSE 0 END AS int) AS issqlrole, \
         CAST(CASE WHEN type = 'A' THEN 1 ELSE 0 END AS int) AS isapprole \
         FROM sys.database_principals",
    ),
    old(
        "sysindexes",
        "SELECT i.object_id AS id, 0 AS status, CAST(NULL AS binary(6)) AS first, CAST(i.index_id AS smallint) AS indid, \
         CAST(NULL AS binary(6)) AS root, CAST(0 AS smallint) AS minlen, CAST(0 AS smallint) AS keycnt, \
         CAST(i.data_space_id AS smallint) AS groupid, CAST(ISNULL(a.data_pages, 0) AS int) AS dpages, \
         CAST(ISNULL(a.total_pages, 0) AS int) AS reserved, CAST(ISNULL(a.used_pages, 0) AS int) AS used, \
         ISNULL(p.rows, 0) AS rowcnt, 0 AS rowmodctr, CAST(0 AS tinyint) AS reserved3, CAST(0 AS tinyint) AS reserved4, \
         CAST(0 AS smallint) AS xmaxlen, CAST(0 AS smallint) AS maxirow, i.fill_factor AS OrigFillFactor, \
         CAST(0 AS tinyint) AS StatVersion, 0 AS reserved2, CAST(NULL AS binary(6)) AS FirstIAM, \
         CAST(0 AS smallint) AS impid, CAST(0 AS smallint) AS lockflags, 0 AS pgmodctr, \
         CAST(NULL AS varbinary(1088)) AS keys, i.name, CAST(NULL AS image) AS statblob, 0 AS maxlen, \
         CAST(ISNULL(p.rows, 0) AS int) AS rows \
         FROM sys.indexes AS i LEFT JOIN sys.partitions AS p \
         ON p.object_id = i.object_id AND p.index_id = i.index_id \
         LEFT JOIN sys.allocation_units AS a ON a.container_id = p.hobt_id",
    ),
    old(
        "syscomments",
        "SELECT m.object_id AS id, CAST(0 AS smallint) AS number, CAST(s.value AS smallint) AS colid, \
         CAST(0 AS smallint) AS status, CAST(NULL AS varbinary(8000)) AS ctext, CAST(2 AS smallint) AS texttype, \
         CAST(0 AS smallint) AS language, CAST(CASE WHEN m.definition IS NULL THEN 1 ELSE 0 END AS bit) AS encrypted, \
         CAST(0 AS bit) AS compressed, CAST(SUBSTRING(m.definition, s.value * 4000 - 3999, 4000) AS nvarchar(4000)) AS text \
         FROM (SELECT object_id, definition FROM sys.sql_modules \
         UNION ALL SELECT object_id, definition FROM sys.check_constraints \
         UNION ALL SELECT object_id, definition FROM sys.default_constraints) AS m \
         CROSS APPLY GENERATE_SERIES(1, CAST(ISNULL((DATALENGTH(m.definition) / 2 + 3999) / 4000, 1) AS int)) AS s",
    ),
    old(
        "sysdatabases",
        "SELECT name, CAST(database_id AS smallint) AS dbid, owner_sid AS sid, CAST(0 AS smallint) AS mode, \
         0 AS status, 0 AS status2, create_date AS crdate, CAST('1900-01-01' AS datetime) AS reserved, \
         0 AS category, compatibility_level AS cmptlevel, \
         (SELECT f.physical_name FROM sys.master_files AS f WHERE f.database_id = d.database_id AND f.file_id = 1) \
         AS filename, CAST(NULL AS smallint) AS version FROM sys.databases AS d",
    ),
    old(
        "sysfiles",
        "SELECT CAST(file_id AS smallint) AS fileid, CAST(data_space_id AS smallint) AS groupid, size, \
         max_size AS maxsize, growth, 0 AS status, 0 AS perf, name, physical_name AS filename \
         FROM sys.database_files",
    ),
    old("spt_values", include_str!("spt_values.sql")),
    old(
        "syslogins",
        "SELECT sid, CAST(0 AS smallint) AS status, create_date AS createdate, modify_date AS updatedate, \
         create_date AS accdate, 0 AS totcpu, 0 AS totio, 0 AS spacelimit, 0 AS timelimit, 0 AS resultlimit, \
         name, default_database_name AS dbname, CAST(NULL AS nvarchar(128)) AS password, \
         default_language_name AS language, 0 AS denylogin, 1 AS hasaccess, 0 AS isntname, 0 AS isntgroup, \
         0 AS isntuser, ISNULL(IS_SRVROLEMEMBER('sysadmin', name), 0) AS sysadmin, \
         ISNULL(IS_SRVROLEMEMBER('securityadmin', name), 0) AS securityadmin, \
         ISNULL(IS_SRVROLEMEMBER('serveradmin', name), 0) AS serveradmin, \
         ISNULL(IS_SRVROLEMEMBER('setupadmin', name), 0) AS setupadmin, \
         ISNULL(IS_SRVROLEMEMBER('processadmin', name), 0) AS processadmin, \
         ISNULL(IS_SRVROLEMEMBER('diskadmin', name), 0) AS diskadmin, \
         ISNULL(IS_SRVROLEMEMBER('dbcreator', name), 0) AS dbcreator, \
         ISNULL(IS_SRVROLEMEMBER('bulkadmin', name), 0) AS bulkadmin, \
         name AS loginname FROM sys.server_principals WHERE type <> 'R'",
    ),
    old(
        "sysprocesses",
        "SELECT s.session_id AS spid, CAST(0 AS smallint) AS kpid, \
         CAST(ISNULL(r.blocking_session_id, 0) AS smallint) AS blocked, CAST(0 AS binary(2)) AS waittype, \
         CAST(ISNULL(r.wait_time, 0) AS bigint) AS waittime, CAST(ISNULL(r.last_wait_type, '') AS nchar(32)) AS lastwaittype, \
         CAST(ISNULL(r.wait_resource, '') AS nchar(256)) AS waitresource, s.database_id AS dbid, \
         CAST(1 AS smallint) AS uid, s.cpu_time AS cpu, CAST(0 AS bigint) AS physical_io, s.memory_usage AS memusage, \
         s.login_time, s.last_request_start_time AS last_batch, CAST(0 AS smallint) AS ecid, \
         CAST(s.open_transaction_count AS smallint) AS open_tran, CAST(ISNULL(r.status, s.status) AS nchar(30)) AS status, \
         CAST(s.security_id AS binary(86)) AS sid, CAST(ISNULL(s.host_name, '') AS nchar(128)) AS hostname, \
         CAST(ISNULL(s.program_name, '') AS nchar(128)) AS program_name, \
         CAST(ISNULL(CAST(s.host_process_id AS nvarchar(10)), '') AS nchar(10)) AS hostprocess, \
         CAST(ISNULL(r.command, 'AWAITING COMMAND') AS nchar(26)) AS cmd, CAST('' AS nchar(128)) AS nt_domain, \
         CAST('' AS nchar(128)) AS nt_username, CAST('' AS nchar(12)) AS net_address, \
         CAST('TCP/IP' AS nchar(12)) AS net_library, CAST(s.login_name AS nchar(128)) AS loginame, \
         CAST(ISNULL(s.context_info, 0x) AS binary(128)) AS context_info, \
         CAST(ISNULL(r.sql_handle, 0x) AS binary(20)) AS sql_handle, \
         ISNULL(r.statement_start_offset, 0) AS stmt_start, ISNULL(r.statement_end_offset, -1) AS stmt_end, \
         ISNULL(r.request_id, 0) AS request_id, CAST(NULL AS binary(8)) AS page_resource \
         FROM sys.dm_exec_sessions AS s LEFT JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id",
    ),
    old(
        "monIMRSCache",
        "SELECT cache_id AS CacheID, name AS CacheName, database_id AS DBID, database_name AS DBName, \
         size_kb AS TotalSizeKB, used_kb AS UsedSizeKB, used_max_kb AS HighWaterMarkKB, \
         CAST(CASE is_active WHEN 1 THEN 'Active' ELSE 'Not used' END AS varchar(30)) AS Status \
         FROM sys.dm_os_row_caches",
    ),
];
