CREATE PROCEDURE sys.sp_configure_ase (@name varchar(35), @string varchar(30)) AS
-- Options of SAP ASE steer nothing here: each is answered with what does. They are not in
-- sys.configurations, whose readers know SQL Server's alone. Returns how many begin with
-- the name; one may be given so.
SET NOCOUNT ON
DECLARE @full varchar(40), @applies nvarchar(200), @count int
SELECT @count = COUNT(*), @full = MIN(name), @applies = MIN(applies) FROM (VALUES
  ('enable functionality group', 'No function has to be enabled.'),
  ('lock scheme', 'Tables have row locks (datarows).'),
  ('enable mem scale', 'Row caching needs no option of the server: ROW_CACHING of a table switches it on.'),
  ('enable in-memory row storage', 'Row caching needs no option of the server: ROW_CACHING of a table switches it on.'),
  ('enable HCB index', 'INDEX_HASH_CACHING of an index says whether its keys lead to cached rows.'),
  ('enable LFB index', 'All indexes are free of latches.'),
  ('number of pack tasks per db', 'Each database has a task that takes rows from memory to pages.'),
  ('number of imrs gc tasks per db', 'The server decides which tasks free old versions.'),
  ('number of lob gc tasks per db', 'The server decides which tasks free old versions.'),
  ('number of hcb gc tasks per db', 'Keys that lead to cached rows need no task that frees them.'),
  ('HCB index memory pool size', 'Keys that lead to cached rows take their memory from the row cache.'),
  ('HCB index auto tuning', 'INDEX_HASH_CACHING = DEFAULT of an index lets the server decide.'),
  ('HCB index tuning interval (minutes)', 'INDEX_HASH_CACHING = DEFAULT of an index lets the server decide.'),
  ('hash table hit rate threshold (%)', 'INDEX_HASH_CACHING = DEFAULT of an index lets the server decide.'),
  ('point query rate threshold (%)', 'INDEX_HASH_CACHING = DEFAULT of an index lets the server decide.'),
  ('LFB memory size', 'Indexes take no memory of their own for being free of latches.'),
  ('imrs cache utilization (%)', 'Rows are evicted from a row cache that is nearly full.'),
  ('snapshot isolation timeout', 'Snapshots do not time out.'),
  ('number of reexecutions', 'Statements are not executed again: error 3960 tells the client of a conflict.'),
  ('sysimrslogs prealloc size', 'A database has one log, which grows as it needs.'),
  ('sysimrslogs prealloc percent', 'A database has one log, which grows as it needs.')
) AS o (name, applies) WHERE LEFT(name, LEN(@name)) = @name AND LEN(@name) > 0
IF @count <> 1 RETURN @count
IF @full = 'lock scheme' AND LOWER(@string) <> 'datarows'
  PRINT 'The locking scheme ''' + LOWER(@string) + ''' is not available: tables have row locks (datarows).'
ELSE
  PRINT 'The option ''' + @full + ''' has no effect. ' + @applies
RETURN 1
