CREATE PROCEDURE sys.$name$ (@object nvarchar(4000)) AS
SET NOCOUNT ON
SELECT c.column_id AS colid, c.name AS name,
  CONVERT(binary(5), COLLATIONPROPERTY(c.collation_name, 'TDSCollation')) AS tds_collation,
  c.collation_name AS collation
FROM sys.all_columns AS c
WHERE c.object_id = OBJECT_ID(@object) AND c.is_computed = 0
ORDER BY c.column_id
