-- SET and other statements about the session and the server; what clients send.
--> SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption
SET ARITHABORT ON;SET CONCAT_NULL_YIELDS_NULL ON;SET ANSI_NULLS ON;SET ANSI_NULL_DFLT_ON ON;SET ANSI_PADDING ON;SET ANSI_WARNINGS ON;SET CURSOR_CLOSE_ON_COMMIT ON;SET QUOTED_IDENTIFIER ON;SET TEXTSIZE 2147483647
GO
--> SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption
set ansi_nulls on
set ansi_null_dflt_on on
set ansi_padding on
set ansi_warnings on
set arithabort on
set concat_null_yields_null on
set cursor_close_on_commit off
set datefirst 7
set dateformat mdy
set implicit_transactions off
set language us_english
set numeric_roundabort off
set quoted_identifier on
set textsize 2147483647
set transaction isolation level read committed
GO
--> SetOption SetOption SetOption
set LOCK_TIMEOUT 10000 SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER ON set xact_abort on
GO
--> SetOption Select SetOption
SET FMTONLY ON select * from t SET FMTONLY OFF
GO
--> SetOption SetOption Execute SetOption Delete SetOption
SET NOCOUNT ON
SET STATISTICS TIME ON
EXEC dbo.usp_InsertSampleOrders  @InsertTotalCount = 100000
SET STATISTICS TIME OFF
DELETE FROM dbo.Orders
SET STATISTICS IO, TIME, XML ON
GO
--> SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption SetOption
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
SET IDENTITY_INSERT dbo.t ON
SET DEADLOCK_PRIORITY LOW
SET DEADLOCK_PRIORITY -5
SET DEADLOCK_PRIORITY @p
SET LOCK_TIMEOUT -1
SET ROWCOUNT 0
SET ROWCOUNT @n
SET CONTEXT_INFO 0x0102
SET DATEFORMAT 'ymd'
SET LANGUAGE N'British'
SET QUERY_GOVERNOR_COST_LIMIT 10
SET FIPS_FLAGGER OFF
SET OFFSETS SELECT, FROM ON
SET SHOWPLAN_TEXT OFF
GO
--> Declare SetVariable If
declare @v nvarchar(128) set @v = CAST(SERVERPROPERTY('ProductVersion') AS nvarchar) if charindex('.', reverse(@v)) > 0 select @v
GO
--> Select
SELECT OSVersion = RIGHT(@@version, LEN(@@version) - 3 - charindex (' on ', lower(@@version)))
GO
--> Use
USE [AdventureWorks2008R2]
GO
--> Checkpoint Checkpoint Reconfigure Reconfigure Kill Kill Kill
CHECKPOINT
CHECKPOINT 10
RECONFIGURE
RECONFIGURE WITH OVERRIDE
KILL 53
KILL 53 WITH STATUSONLY
KILL 'D5499C66-E398-45CA-BF7E-DC9C194B48CF'
GO
--> Shutdown
SHUTDOWN WITH NOWAIT
GO
--> Dbcc Dbcc Dbcc Dbcc Dbcc Dbcc Dbcc
DBCC DROPCLEANBUFFERS
DBCC FREEPROCCACHE WITH NO_INFOMSGS
DBCC CHECKIDENT ('dbo.t', RESEED, 0)
DBCC CHECKDB (N'db', NOINDEX) WITH ALL_ERRORMSGS, NO_INFOMSGS, MAXDOP = 2
DBCC TRACEON (1222, -1)
DBCC SHRINKFILE (logname, 1, TRUNCATEONLY)
DBCC SHOW_STATISTICS ("dbo.t", ix) WITH HISTOGRAM
GO
--> ExecuteAs ExecuteAs ExecuteAs Revert Revert
EXECUTE AS LOGIN = 'l'
EXEC AS USER = N'u' WITH NO REVERT
EXECUTE AS CALLER WITH COOKIE INTO @c
REVERT
REVERT WITH COOKIE = @c
GO
--> Backup Backup Backup Backup Backup
BACKUP DATABASE [x] TO DISK = N'/x/y.bak' WITH INIT, COMPRESSION, STATS = 10, NAME = N'full', COPY_ONLY, CHECKSUM
BACKUP LOG @db TO DISK = @path, DISK = 'b' WITH NORECOVERY
RESTORE DATABASE [AdventureWorks2014] 
  FROM DISK = N'C:\temp\AdventureWorks2014.bak' 
    WITH FILE = 1,  
  MOVE N'AdventureWorks2014_Data' TO N'h:\DATA\AdventureWorks2014_Data.mdf',  
  MOVE N'AdventureWorks2014_Log' TO N'i:\DATA\AdventureWorks2014_log.ldf', REPLACE, STOPATMARK = 'm' AFTER '2020-01-01'
RESTORE FILELISTONLY FROM device
RESTORE LOG x WITH RECOVERY
GO
--> Select Select Select Select
SELECT @@TRANCOUNT; SELECT SYSDATETIME() SELECT SCHEMA_NAME() SELECT 1
