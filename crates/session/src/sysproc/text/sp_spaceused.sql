CREATE PROCEDURE sys.sp_spaceused (
  @objname nvarchar(776) = NULL, @updateusage varchar(5) = 'false', @mode varchar(11) = 'ALL',
  @oneresultset bit = 0, @include_total_xtp_storage bit = 0
) AS
SET NOCOUNT ON
IF LOWER(@updateusage) NOT IN ('true', 'false')
BEGIN
  RAISERROR (15143, -1, -1, @updateusage)
  RETURN 1
END
DECLARE @reserved bigint, @data bigint, @index bigint, @rows bigint
IF @objname IS NOT NULL
BEGIN
  DECLARE @object int = OBJECT_ID(@objname), @database sysname = DB_NAME()
  IF @object IS NULL
  BEGIN
    RAISERROR (15009, -1, -1, @objname, @database)
    RETURN 1
  END
  IF OBJECTPROPERTY(@object, 'IsTable') = 0 AND ISNULL(OBJECTPROPERTY(@object, 'IsIndexed'), 0) = 0
  BEGIN
    RAISERROR (15234, -1, -1)
    RETURN 1
  END
  SELECT @reserved = SUM(ISNULL(a.total_pages, 0)),
    @data = SUM(CASE WHEN p.index_id < 2 THEN ISNULL(a.data_pages, 0) ELSE 0 END),
    @index = SUM(ISNULL(a.used_pages, 0)), @rows = MAX(ISNULL(p.rows, 0))
  FROM sys.partitions AS p LEFT JOIN sys.allocation_units AS a ON a.container_id = p.hobt_id
  WHERE p.object_id = @object
  SELECT OBJECT_NAME(@object) AS name, CONVERT(char(20), ISNULL(@rows, 0)) AS rows,
    LTRIM(STR(ISNULL(@reserved, 0) * 8, 15, 0)) + ' KB' AS reserved,
    LTRIM(STR(ISNULL(@data, 0) * 8, 15, 0)) + ' KB' AS data,
    LTRIM(STR(CASE WHEN @index > @data THEN (@index - @data) * 8 ELSE 0 END, 15, 0)) + ' KB' AS index_size,
    LTRIM(STR(CASE WHEN @reserved > @index THEN (@reserved - @index) * 8 ELSE 0 END, 15, 0)) + ' KB'
      AS unused
  RETURN 0
END
SELECT @reserved = SUM(ISNULL(a.total_pages, 0)),
  @data = SUM(CASE WHEN p.index_id < 2 THEN ISNULL(a.data_pages, 0) ELSE 0 END),
  @index = SUM(ISNULL(a.used_pages, 0))
FROM sys.partitions AS p LEFT JOIN sys.allocation_units AS a ON a.container_id = p.hobt_id
DECLARE @pages bigint = (SELECT SUM(CONVERT(bigint, size)) FROM sys.database_files)
DECLARE @data_pages bigint = (SELECT SUM(CONVERT(bigint, size)) FROM sys.database_files WHERE type = 0)
-- Pages that no checkpoint has written have no place in the files yet.
IF @reserved > @data_pages SET @pages += @reserved - @data_pages
DECLARE @in_all varchar(18) = LTRIM(STR(CONVERT(decimal(15, 2), @pages) * 8 / 1024, 15, 2) + ' MB'),
  @free varchar(18) = LTRIM(STR(CASE WHEN @data_pages > @reserved
    THEN (CONVERT(decimal(15, 2), @data_pages) - CONVERT(decimal(15, 2), @reserved)) * 8 / 1024
    ELSE 0 END, 15, 2) + ' MB'),
  @reserved_kb varchar(18) = LTRIM(STR(ISNULL(@reserved, 0) * 8, 15, 0) + ' KB'),
  @data_kb varchar(18) = LTRIM(STR(ISNULL(@data, 0) * 8, 15, 0) + ' KB'),
  @index_kb varchar(18) = LTRIM(STR(ISNULL(@index - @data, 0) * 8, 15, 0) + ' KB'),
  @unused_kb varchar(18) = LTRIM(STR(ISNULL(@reserved - @index, 0) * 8, 15, 0) + ' KB')
-- Checkpoint files; nothing without a container for them, or for who may not see them.
DECLARE @precreated_kb varchar(18), @used_kb varchar(18), @pending_kb varchar(18)
IF EXISTS (SELECT * FROM sys.filegroups AS g JOIN sys.database_files AS f ON f.data_space_id = g.data_space_id
    WHERE g.type = 'FX') AND HAS_PERMS_BY_NAME(NULL, 'DATABASE', 'VIEW DATABASE STATE') = 1
  SELECT @precreated_kb = LTRIM(STR(ISNULL(SUM(CASE state WHEN 0 THEN kb ELSE 0 END), 0), 15, 0) + ' KB'),
    @used_kb = LTRIM(STR(ISNULL(SUM(CASE WHEN state IN (1, 2, 3) THEN kb ELSE 0 END), 0), 15, 0) + ' KB'),
    @pending_kb = LTRIM(STR(ISNULL(SUM(CASE state WHEN 8 THEN kb ELSE 0 END), 0), 15, 0) + ' KB')
  FROM (SELECT state, file_size_in_bytes / 1024 AS kb FROM sys.dm_db_xtp_checkpoint_files) AS f
IF @oneresultset = 1 AND @include_total_xtp_storage = 1
  SELECT DB_NAME() AS database_name, @in_all AS database_size, @free AS [unallocated space],
    @reserved_kb AS reserved, @data_kb AS data, @index_kb AS index_size, @unused_kb AS unused,
    @precreated_kb AS xtp_precreated, @used_kb AS xtp_used, @pending_kb AS xtp_pending_truncation
ELSE IF @oneresultset = 1
  SELECT DB_NAME() AS database_name, @in_all AS database_size, @free AS [unallocated space],
    @reserved_kb AS reserved, @data_kb AS data, @index_kb AS index_size, @unused_kb AS unused
ELSE
BEGIN
  SELECT DB_NAME() AS database_name, @in_all AS database_size, @free AS [unallocated space]
  SELECT @reserved_kb AS reserved, @data_kb AS data, @index_kb AS index_size, @unused_kb AS unused
  IF @used_kb IS NOT NULL
    SELECT @precreated_kb AS xtp_precreated, @used_kb AS xtp_used, @pending_kb AS xtp_pending_truncation
END
