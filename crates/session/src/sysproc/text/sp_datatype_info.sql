CREATE PROCEDURE sys.$name$ (@data_type int = 0, @ODBCVer tinyint = 2) AS
SET NOCOUNT ON
SELECT
  CONVERT(sysname, t.name) AS TYPE_NAME,
  CONVERT(smallint, x.data_type) AS DATA_TYPE,
  CONVERT(int, CASE WHEN @ODBCVer >= 3 THEN t.precision3 ELSE t.precision2 END) AS [PRECISION],
  CONVERT(varchar(32), t.prefix) AS LITERAL_PREFIX,
  CONVERT(varchar(32), t.suffix) AS LITERAL_SUFFIX,
  CONVERT(varchar(32), t.params) AS CREATE_PARAMS,
  CONVERT(smallint, t.nullable) AS NULLABLE,
  CONVERT(smallint, CASE WHEN t.is_text = 0 THEN 0
    WHEN CONVERT(sysname, SERVERPROPERTY('Collation')) LIKE '%[_]CI[_]%' THEN 0 ELSE 1 END)
    AS CASE_SENSITIVE,
  CONVERT(smallint, t.searchable) AS SEARCHABLE,
  CONVERT(smallint, t.is_unsigned) AS UNSIGNED_ATTRIBUTE,
  CONVERT(smallint, t.is_money) AS MONEY,
  CONVERT(smallint, t.is_identity) AS AUTO_INCREMENT,
  CONVERT(sysname, t.name) AS LOCAL_TYPE_NAME,
  CONVERT(smallint, t.scale_min) AS MINIMUM_SCALE,
  CONVERT(smallint, t.scale_max) AS MAXIMUM_SCALE,
  CONVERT(smallint, CASE WHEN x.data_type = -9 THEN -9 ELSE d.sql_type END) AS SQL_DATA_TYPE,
  CONVERT(smallint, CASE WHEN x.data_type = -9 THEN NULL ELSE d.subcode END) AS SQL_DATETIME_SUB,
  CONVERT(int, CASE WHEN @ODBCVer >= 3 THEN d.radix3 ELSE d.radix2 END) AS NUM_PREC_RADIX,
  CONVERT(smallint, NULL) AS INTERVAL_PRECISION,
  CONVERT(smallint, t.usertype) AS USERTYPE
FROM (VALUES
  ('sql_variant', 98, 8000, 8000, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, 0),
  ('uniqueidentifier', 36, 36, 36, '''', '''', NULL, 1, 0, 2, NULL, 0, NULL, NULL, NULL, 0),
  ('ntext', 99, 1073741823, 1073741823, 'N''', '''', NULL, 1, 1, 1, NULL, 0, NULL, NULL, NULL, 0),
  ('xml', 241, 0, 0, 'N''', '''', NULL, 1, 1, 0, NULL, 0, NULL, NULL, NULL, 0),
  ('nvarchar', 231, 4000, 4000, 'N''', '''', 'max length', 1, 1, 3, NULL, 0, NULL, NULL, NULL, 0),
  ('sysname', 231, 128, 128, 'N''', '''', NULL, 0, 1, 3, NULL, 0, NULL, NULL, NULL, 18),
  ('nchar', 239, 4000, 4000, 'N''', '''', 'length', 1, 1, 3, NULL, 0, NULL, NULL, NULL, 0),
  ('bit', 104, 1, 1, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, 16),
  ('tinyint', 48, 3, 3, NULL, NULL, NULL, 1, 0, 2, 1, 0, 0, 0, 0, 5),
  ('tinyint identity', 48, 3, 3, NULL, NULL, NULL, 0, 0, 2, 1, 0, 1, 0, 0, 5),
  ('bigint', 127, 19, 19, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 0),
  ('bigint identity', 127, 19, 19, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 0),
  ('image', 34, 2147483647, 2147483647, '0x', NULL, NULL, 1, 0, 0, NULL, 0, NULL, NULL, NULL, 20),
  ('varbinary', 165, 8000, 8000, '0x', NULL, 'max length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, 4),
  ('binary', 173, 8000, 8000, '0x', NULL, 'length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, 3),
  ('timestamp', 189, 8, 8, '0x', NULL, NULL, 0, 0, 2, NULL, 0, NULL, NULL, NULL, 80),
  ('text', 35, 2147483647, 2147483647, '''', '''', NULL, 1, 1, 1, NULL, 0, NULL, NULL, NULL, 19),
  ('char', 175, 8000, 8000, '''', '''', 'length', 1, 1, 3, NULL, 0, NULL, NULL, NULL, 1),
  ('numeric', 108, 38, 38, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 10),
  ('numeric() identity', 108, 38, 38, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 10),
  ('decimal', 106, 38, 38, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 24),
  ('decimal() identity', 106, 38, 38, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 24),
  ('money', 60, 19, 19, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 11),
  ('smallmoney', 122, 10, 10, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 21),
  ('int', 56, 10, 10, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 7),
  ('int identity', 56, 10, 10, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 7),
  ('smallint', 52, 5, 5, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 6),
  ('smallint identity', 52, 5, 5, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 6),
  ('float', 62, 53, 15, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 8),
  ('real', 59, 24, 7, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 23),
  ('varchar', 167, 8000, 8000, '''', '''', 'max length', 1, 1, 3, NULL, 0, NULL, NULL, NULL, 2),
  ('date', 40, 10, 10, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, NULL, 0, 0),
  ('time', 41, 16, 16, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  ('datetimeoffset', 43, 34, 34, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  ('datetime2', 42, 27, 27, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  ('datetime', 61, 23, 23, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 3, 3, 12),
  ('smalldatetime', 58, 16, 16, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 0, 0, 22)
) AS t (name, system_type_id, precision3, precision2, prefix, suffix, params, nullable, is_text,
        searchable, is_unsigned, is_money, is_identity, scale_min, scale_max, usertype)
JOIN $types$ ON d.system_type_id = t.system_type_id
CROSS APPLY (SELECT CASE
  WHEN '$legacy$' = '1' AND t.system_type_id IN (40, 41, 42, 43) THEN d.legacy
  WHEN @ODBCVer >= 3 THEN d.odbc3 ELSE d.odbc2 END AS data_type) AS x
WHERE @data_type = 0 OR x.data_type = @data_type
ORDER BY 2, 12, 11, 20
