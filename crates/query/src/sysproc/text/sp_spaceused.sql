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
  IF OBJECTPROPERTY(@object, 'IsTable') = 0
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
SELECT DB_NAME() AS database_name, LTRIM(STR(CONVERT(decimal(15, 2), @pages) * 8 / 1024, 15, 2) + ' MB')
    AS database_size,
  LTRIM(STR(CASE WHEN @data_pages > @reserved
    THEN (CONVERT(decimal(15, 2), @data_pages) - CONVERT(decimal(15, 2), @reserved)) * 8 / 1024
    ELSE 0 END, 15, 2) + ' MB') AS [unallocated space]
SELECT LTRIM(STR(ISNULL(@reserved, 0) * 8, 15, 0) + ' KB') AS reserved,
  LTRIM(STR(ISNULL(@data, 0) * 8, 15, 0) + ' KB') AS data,
  LTRIM(STR(ISNULL(@index - @data, 0) * 8, 15, 0) + ' KB') AS index_size,
  LTRIM(STR(ISNULL(@reserved - @index, 0) * 8, 15, 0) + ' KB') AS unused
