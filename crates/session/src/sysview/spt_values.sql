-- The numbers that scripts count by, and the names of old codes.
SELECT CAST(NULL AS nvarchar(35)) AS name, value AS number, CAST('P' AS nchar(3)) AS type, value / 8 + 1 AS low,
    POWER(2, value % 8) AS high, 0 AS status
  FROM GENERATE_SERIES(0, 2047)
-- servers: sysservers.srvstatus
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('A' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('rpc', 1), ('pub', 2), ('sub', 4), ('dist', 8), ('dpub', 16), ('rpc out', 64), ('data access', 128),
    ('collation compatible', 256), ('system', 512), ('use remote collation', 1024), ('lazy schema validation', 2048)
  ) AS v (name, number)
-- yes and no
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('B' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('YES OR NO', -1), ('no', 0), ('yes', 1), ('none', 2)
  ) AS v (name, number)
-- sysdatabases.status
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('D' AS nchar(3)), low, high, 0 FROM (VALUES
    ('DATABASE STATUS', 0, CAST(NULL AS int), CAST(NULL AS int)), ('autoclose', 1, NULL, NULL),
    ('select into/bulkcopy', 4, NULL, NULL), ('trunc. log on chkpt.', 8, NULL, NULL),
    ('torn page detection', 16, NULL, NULL), ('loading', 32, NULL, NULL), ('pre recovery', 64, NULL, NULL),
    ('recovering', 128, NULL, NULL), ('not recovered', 256, NULL, NULL), ('offline', 512, 0, 1),
    ('read only', 1024, NULL, NULL), ('dbo use only', 2048, NULL, NULL), ('single user', 4096, NULL, NULL),
    ('emergency mode', 32768, NULL, NULL), ('missing files', 262144, NULL, NULL),
    ('autoshrink', 4194304, NULL, NULL), ('cleanly shutdown', 1073741824, NULL, NULL),
    ('ALL SETTABLE OPTIONS', 4202013, NULL, NULL)
  ) AS v (name, number, low, high)
-- sysdatabases.status2
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('D2' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('DATABASE OPTIONS', 0), ('db chaining', 1024), ('numeric roundabort', 2048), ('arithabort', 4096),
    ('ANSI padding', 8192), ('ANSI null default', 16384), ('concat null yields null', 65536),
    ('recursive triggers', 131072), ('default to local cursor', 1048576), ('quoted identifier', 8388608),
    ('auto create statistics', 16777216), ('cursor close on commit', 33554432), ('ANSI nulls', 67108864),
    ('ANSI warnings', 268435456), ('full text enabled', 536870912), ('auto update statistics', 1073741824),
    ('ALL SETTABLE OPTIONS', 1469283328)
  ) AS v (name, number)
-- sysdatabases.category
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('DC' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('DATABASE CATEGORY', 0), ('published', 1), ('subscribed', 2), ('merge publish', 4), ('Distributed', 16),
    ('ALL SETTABLE OPTIONS', 7)
  ) AS v (name, number)
-- the machine: bytes of a page, the high bit of an int and the place of its high byte
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('E' AS nchar(3)), low, high, 0 FROM (VALUES
    ('SQLSERVER HOST TYPE', 0, 0, CAST(NULL AS int)), ('WINDOWS/NT', 1, 8192, NULL),
    ('int high bit', 2, -2147483648, NULL), ('int4 high byte', 3, 1, NULL)
  ) AS v (name, number, low, high)
-- sysindexes.status
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('I' AS nchar(3)), low, high, 0 FROM (VALUES
    ('INDEX TYPES', 0, CAST(NULL AS int), CAST(NULL AS int)), ('nonclustered', 0, NULL, NULL),
    ('ignore duplicate keys', 1, NULL, NULL), ('unique', 2, NULL, NULL), ('ignore duplicate rows', 4, NULL, NULL),
    ('clustered', 16, NULL, NULL), ('hypothetical', 32, NULL, NULL), ('statistics', 64, NULL, NULL),
    ('primary key', 2048, 0, 1), ('unique key', 4096, 0, 1), ('auto create', 8388608, NULL, NULL),
    ('stats no recompute', 16777216, NULL, NULL)
  ) AS v (name, number, low, high)
-- syslockinfo.req_mode, plus one
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('L' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('LOCK TYPES', 0), ('NULL', 1), ('Sch-S', 2), ('Sch-M', 3), ('S', 4), ('U', 5), ('X', 6), ('IS', 7), ('IU', 8),
    ('IX', 9), ('SIU', 10), ('SIX', 11), ('UIX', 12), ('BU', 13), ('RangeS-S', 14), ('RangeS-U', 15),
    ('RangeIn-Null', 16), ('RangeIn-S', 17), ('RangeIn-U', 18), ('RangeIn-X', 19), ('RangeX-S', 20),
    ('RangeX-U', 21), ('RangeX-X', 22)
  ) AS v (name, number)
-- syslockinfo.req_ownertype
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('LO' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('LOCK OWNER', 0), ('Xact', 1), ('Crsr', 2), ('Sess', 3), ('STWS', 4), ('XTWS', 5), ('WFR', 6)
  ) AS v (name, number)
-- syslockinfo.rsc_type
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('LR' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('LOCK RESOURCES', 0), ('NUL', 1), ('DB', 2), ('FIL', 3), ('TAB', 5), ('PAG', 6), ('KEY', 7), ('EXT', 8),
    ('RID', 9), ('APP', 10), ('MD', 11), ('HBT', 12), ('AU', 13)
  ) AS v (name, number)
-- syslockinfo.req_status
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('LS' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('LOCK REQ STATUS', 0), ('GRANT', 1), ('CNVT', 2), ('WAIT', 3), ('RELN', 4), ('BLCKN', 5)
  ) AS v (name, number)
-- sysobjects.type
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('O9T' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('sysobjects.type, reports', 0), ('AF: aggregate function', -1), ('AP: application', -1), ('C : check cns', -1),
    ('D : default (maybe cns)', -1), ('EN: event notification', -1), ('F : foreign key cns', -1),
    ('FN: scalar function', -1), ('FS: assembly scalar function', -1), ('FT: assembly table function', -1),
    ('IF: inline function', -1), ('IS: inline scalar function', -1), ('IT: internal table', -1), ('L : log', -1),
    ('P : stored procedure', -1), ('PC : assembly stored procedure', -1), ('PK: primary key cns', -1),
    ('R : rule', -1), ('RF: replication filter proc', -1), ('S : system table', -1), ('SN: synonym', -1),
    ('SQ: queue', -1), ('TA: assembly trigger', -1), ('TF: table function', -1), ('TR: trigger', -1),
    ('U : user table', -1), ('UQ: unique key cns', -1), ('V : view', -1), ('X : extended stored proc', -1)
  ) AS v (name, number)
-- @@OPTIONS; status 1 is what 'user options' takes
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('SOP' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), SIGN(number) FROM (VALUES
    ('@@OPTIONS', 0), ('disable_def_cnst_check', 1), ('implicit_transactions', 2), ('cursor_close_on_commit', 4),
    ('ansi_warnings', 8), ('ansi_padding', 16), ('ansi_nulls', 32), ('arithabort', 64), ('arithignore', 128),
    ('quoted_identifier', 256), ('nocount', 512), ('ansi_null_dflt_on', 1024), ('ansi_null_dflt_off', 2048),
    ('concat_null_yields_null', 4096), ('numeric_roundabort', 8192), ('xact_abort', 16384)
  ) AS v (name, number)
-- fixed roles of the server
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('SRV' AS nchar(3)), low, high, 0 FROM (VALUES
    ('sysadmin', 16, 0, CAST(NULL AS int)), ('securityadmin', 32, 0, NULL), ('serveradmin', 64, 0, NULL),
    ('setupadmin', 128, 0, NULL), ('processadmin', 256, 0, NULL), ('diskadmin', 512, 0, NULL),
    ('dbcreator', 1024, 0, NULL), ('bulkadmin', 4096, 0, NULL), ('System Administrators', 16, -1, NULL),
    ('Security Administrators', 32, -1, NULL), ('Server Administrators', 64, -1, NULL),
    ('Setup Administrators', 128, -1, NULL), ('Process Administrators', 256, -1, NULL),
    ('Disk Administrators', 512, -1, NULL), ('Database Creators', 1024, -1, NULL),
    ('Bulk Insert Administrators', 4096, -1, NULL)
  ) AS v (name, number, low, high)
-- fixed roles of a database
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('DBR' AS nchar(3)), low, high, 0 FROM (VALUES
    ('DB Owners', 16384, -1, CAST(NULL AS int)), ('DB Access Administrators', 16385, -1, NULL),
    ('DB Security Administrators', 16386, -1, NULL), ('DB DDL Administrators', 16387, -1, NULL),
    ('DB Backup Operator', 16389, -1, NULL), ('DB Data Reader', 16390, -1, NULL),
    ('DB Data Writer', 16391, -1, NULL), ('DB Deny Data Reader', 16392, -1, NULL),
    ('DB Deny Data Writer', 16393, -1, NULL)
  ) AS v (name, number, low, high)
-- sysprotects.action and protecttype
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('T' AS nchar(3)), CAST(NULL AS int), CAST(NULL AS int), 0 FROM (VALUES
    ('SYSPROTECTS.ACTION', 0), ('References', 26), ('Create Function', 178), ('Select', 193), ('Insert', 195),
    ('Delete', 196), ('Update', 197), ('Create Table', 198), ('Create Database', 203), ('Grant_WGO', 204),
    ('Grant', 205), ('Deny', 206), ('Create View', 207), ('Create Procedure', 222), ('Execute', 224),
    ('Backup Database', 228), ('Create Default', 233), ('Backup Transaction', 235), ('Create Rule', 236)
  ) AS v (name, number)
-- sysdevices.status
UNION ALL
SELECT CAST(name AS nvarchar(35)), number, CAST('V' AS nchar(3)), low, high, 0 FROM (VALUES
    ('SYSDEVICES STATUS', 0, CAST(NULL AS int), CAST(NULL AS int)), ('default disk', 1, NULL, NULL),
    ('physical disk', 2, NULL, NULL), ('logical disk', 4, NULL, NULL), ('backup device', 16, NULL, NULL),
    ('serial writes', 32, NULL, NULL), ('read only', 4096, 0, 1), ('deferred', 8192, 0, 1)
  ) AS v (name, number, low, high)
