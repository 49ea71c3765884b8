CREATE PROCEDURE sys.sp_helpindex (@objname nvarchar(776)) AS
SET NOCOUNT ON
DECLARE @database sysname = PARSENAME(@objname, 3)
IF @database IS NOT NULL AND @database <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SET @database = DB_NAME()
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  RAISERROR (15009, -1, -1, @objname, @database)
  RETURN 1
END
IF NOT EXISTS (SELECT * FROM sys.indexes WHERE object_id = @object AND index_id > 0)
BEGIN
  RAISERROR (15472, -1, -1, @objname)
  RETURN 0
END
SELECT i.name AS index_name,
  CONVERT(varchar(210), CASE i.type WHEN 1 THEN 'clustered' WHEN 7 THEN 'nonclustered hash'
    ELSE 'nonclustered' END
    + CASE i.ignore_dup_key WHEN 1 THEN ', ignore duplicate keys' ELSE '' END
    + CASE i.is_unique WHEN 1 THEN ', unique' ELSE '' END
    + CASE i.is_primary_key WHEN 1 THEN ', primary key' ELSE '' END
    + CASE i.is_unique_constraint WHEN 1 THEN ', unique key' ELSE '' END
    + CASE i.index_hash_caching WHEN 1 THEN ', hash caching = on' WHEN 2 THEN ', hash caching = off'
      ELSE '' END
    + ' located on ' + ISNULL(FILEGROUP_NAME(i.data_space_id), 'PRIMARY')) AS index_description,
  CONVERT(nvarchar(2126), (
    SELECT STRING_AGG(CONVERT(nvarchar(max), c.name)
      + CASE k.is_descending_key WHEN 1 THEN '(-)' ELSE '' END, ', ')
      WITHIN GROUP (ORDER BY k.key_ordinal)
    FROM sys.index_columns AS k
    JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
    WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND k.is_included_column = 0))
    AS index_keys
FROM sys.indexes AS i WHERE i.object_id = @object AND i.index_id > 0 ORDER BY 1
