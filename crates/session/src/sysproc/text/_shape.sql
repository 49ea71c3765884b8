-- Precision, length and scale of c, a row with system_type_id, max_length, precision and scale, as
-- ODBC counts them.
CROSS APPLY (SELECT
  CASE
    WHEN d.fixed_precision IS NOT NULL THEN d.fixed_precision
    WHEN c.system_type_id IN (106, 108) THEN c.precision
    WHEN c.system_type_id IN (41, 42, 43) THEN c.precision
    WHEN c.system_type_id = 59 THEN CASE WHEN @ODBCVer >= 3 THEN 24 ELSE 7 END
    WHEN c.system_type_id = 62 THEN CASE WHEN @ODBCVer >= 3 THEN 53 ELSE 15 END
    WHEN c.max_length = -1 THEN 0
    WHEN c.system_type_id IN (231, 239) THEN c.max_length / 2
    ELSE c.max_length
  END AS precision,
  CASE
    WHEN d.fixed_length IS NOT NULL THEN d.fixed_length
    WHEN c.system_type_id IN (106, 108) THEN c.precision + 2
    WHEN c.max_length = -1 THEN 0
    ELSE c.max_length
  END AS length,
  CASE
    WHEN c.system_type_id IN (48, 52, 56, 127, 58) THEN 0
    WHEN c.system_type_id IN (60, 122) THEN 4
    WHEN c.system_type_id = 61 THEN 3
    WHEN c.system_type_id IN (41, 42, 43, 106, 108) THEN c.scale
  END AS scale,
  CASE
    WHEN c.system_type_id NOT IN (34, 35, 99, 165, 167, 173, 175, 189, 231, 239) THEN NULL
    WHEN d.fixed_length IS NOT NULL THEN d.fixed_length
    WHEN c.max_length = -1 THEN 0
    ELSE c.max_length
  END AS octets,
  CASE WHEN @ODBCVer >= 3 THEN d.radix3 ELSE d.radix2 END AS radix
) AS s
