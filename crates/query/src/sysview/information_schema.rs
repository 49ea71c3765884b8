//! `INFORMATION_SCHEMA`: the standard's views, over those of `sys`.

use crate::bind::context::SystemView;

const fn standard(name: &'static str, query: &'static str) -> SystemView {
    SystemView { schema: "INFORMATION_SCHEMA", name, query }
}

/// The views.
pub const QUERIES: &[SystemView] = &[
    standard(
        "TABLES",
        "SELECT DB_NAME() AS TABLE_CATALOG, s.name AS TABLE_SCHEMA, o.name AS TABLE_NAME, \
         CAST(CASE o.type WHEN 'U' THEN 'BASE TABLE' ELSE 'VIEW' END AS varchar(10)) AS TABLE_TYPE \
         FROM sys.objects AS o INNER JOIN sys.schemas AS s ON s.schema_id = o.schema_id \
         WHERE o.type IN ('U', 'V')",
    ),
    standard(
        "VIEWS",
        "SELECT DB_NAME() AS TABLE_CATALOG, s.name AS TABLE_SCHEMA, v.name AS TABLE_NAME, \
         CAST(m.definition AS nvarchar(4000)) AS VIEW_DEFINITION, \
         CAST(CASE v.with_check_option WHEN 1 THEN 'CASCADE' ELSE 'NONE' END AS varchar(7)) AS CHECK_OPTION, \
         CAST('NO' AS varchar(2)) AS IS_UPDATABLE \
         FROM sys.views AS v INNER JOIN sys.schemas AS s ON s.schema_id = v.schema_id \
         INNER JOIN sys.sql_modules AS m ON m.object_id = v.object_id",
    ),
    standard(
        "COLUMNS",
        "SELECT DB_NAME() AS TABLE_CATALOG, s.name AS TABLE_SCHEMA, o.name AS TABLE_NAME, c.name AS COLUMN_NAME, \
         COLUMNPROPERTY(c.object_id, c.name, 'ordinal') AS ORDINAL_POSITION, \
         CAST(d.definition AS nvarchar(4000)) AS COLUMN_DEFAULT, \
         CAST(CASE c.is_nullable WHEN 1 THEN 'YES' ELSE 'NO' END AS varchar(3)) AS IS_NULLABLE, \
         CAST(TYPE_NAME(c.system_type_id) AS nvarchar(128)) AS DATA_TYPE, \
         COLUMNPROPERTY(c.object_id, c.name, 'charmaxlen') AS CHARACTER_MAXIMUM_LENGTH, \
         COLUMNPROPERTY(c.object_id, c.name, 'octetmaxlen') AS CHARACTER_OCTET_LENGTH, \
         CAST(CASE WHEN c.system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127) THEN c.precision END AS tinyint) AS NUMERIC_PRECISION, \
         CAST(CASE WHEN c.system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN 10 \
                   WHEN c.system_type_id IN (59, 62) THEN 2 END AS smallint) AS NUMERIC_PRECISION_RADIX, \
         CAST(CASE WHEN c.system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN c.scale END AS int) AS NUMERIC_SCALE, \
         CAST(CASE WHEN c.system_type_id IN (40, 41, 42, 43, 58, 61) THEN c.scale END AS smallint) AS DATETIME_PRECISION, \
         CAST(NULL AS sysname) AS CHARACTER_SET_CATALOG, CAST(NULL AS sysname) AS CHARACTER_SET_SCHEMA, \
         CAST(CASE WHEN c.system_type_id IN (35, 167, 175) THEN 'iso_1' \
                   WHEN c.system_type_id IN (99, 231, 239) THEN 'UNICODE' END AS sysname) AS CHARACTER_SET_NAME, \
         CAST(NULL AS sysname) AS COLLATION_CATALOG, CAST(NULL AS sysname) AS COLLATION_SCHEMA, \
         c.collation_name AS COLLATION_NAME, \
         CAST(CASE WHEN c.user_type_id > 256 THEN DB_NAME() END AS sysname) AS DOMAIN_CATALOG, \
         CAST(CASE WHEN c.user_type_id > 256 THEN SCHEMA_NAME(t.schema_id) END AS sysname) AS DOMAIN_SCHEMA, \
         CAST(CASE WHEN c.user_type_id > 256 THEN t.name END AS sysname) AS DOMAIN_NAME \
         FROM sys.objects AS o INNER JOIN sys.schemas AS s ON s.schema_id = o.schema_id \
         INNER JOIN sys.columns AS c ON c.object_id = o.object_id \
         LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id \
         LEFT JOIN sys.types AS t ON t.user_type_id = c.user_type_id \
         WHERE o.type IN ('U', 'V')",
    ),
    standard(
        "SCHEMATA",
        "SELECT DB_NAME() AS CATALOG_NAME, s.name AS SCHEMA_NAME, USER_NAME(s.principal_id) AS SCHEMA_OWNER, \
         CAST(NULL AS sysname) AS DEFAULT_CHARACTER_SET_CATALOG, CAST(NULL AS varchar(3)) AS DEFAULT_CHARACTER_SET_SCHEMA, \
         CAST('iso_1' AS sysname) AS DEFAULT_CHARACTER_SET_NAME FROM sys.schemas AS s",
    ),
    standard(
        "TABLE_CONSTRAINTS",
        "SELECT DB_NAME() AS CONSTRAINT_CATALOG, SCHEMA_NAME(c.schema_id) AS CONSTRAINT_SCHEMA, c.name AS CONSTRAINT_NAME, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(t.schema_id) AS TABLE_SCHEMA, t.name AS TABLE_NAME, \
         CAST(CASE c.type WHEN 'C' THEN 'CHECK' WHEN 'UQ' THEN 'UNIQUE' WHEN 'PK' THEN 'PRIMARY KEY' \
              ELSE 'FOREIGN KEY' END AS varchar(11)) AS CONSTRAINT_TYPE, \
         CAST('NO' AS varchar(2)) AS IS_DEFERRABLE, CAST('NO' AS varchar(2)) AS INITIALLY_DEFERRED \
         FROM sys.objects AS c INNER JOIN sys.tables AS t ON t.object_id = c.parent_object_id \
         WHERE c.type IN ('C', 'UQ', 'PK', 'F')",
    ),
    standard(
        "KEY_COLUMN_USAGE",
        "SELECT DB_NAME() AS CONSTRAINT_CATALOG, SCHEMA_NAME(k.schema_id) AS CONSTRAINT_SCHEMA, k.name AS CONSTRAINT_NAME, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(t.schema_id) AS TABLE_SCHEMA, t.name AS TABLE_NAME, \
         c.name AS COLUMN_NAME, CAST(i.key_ordinal AS int) AS ORDINAL_POSITION \
         FROM sys.key_constraints AS k INNER JOIN sys.tables AS t ON t.object_id = k.parent_object_id \
         INNER JOIN sys.index_columns AS i ON i.object_id = k.parent_object_id AND i.index_id = k.unique_index_id \
         AND i.key_ordinal > 0 \
         INNER JOIN sys.columns AS c ON c.object_id = i.object_id AND c.column_id = i.column_id \
         UNION ALL \
         SELECT DB_NAME(), SCHEMA_NAME(f.schema_id), f.name, DB_NAME(), SCHEMA_NAME(t.schema_id), t.name, c.name, \
         fc.constraint_column_id \
         FROM sys.foreign_keys AS f INNER JOIN sys.tables AS t ON t.object_id = f.parent_object_id \
         INNER JOIN sys.foreign_key_columns AS fc ON fc.constraint_object_id = f.object_id \
         INNER JOIN sys.columns AS c ON c.object_id = fc.parent_object_id AND c.column_id = fc.parent_column_id",
    ),
    standard(
        "REFERENTIAL_CONSTRAINTS",
        "SELECT DB_NAME() AS CONSTRAINT_CATALOG, SCHEMA_NAME(f.schema_id) AS CONSTRAINT_SCHEMA, f.name AS CONSTRAINT_NAME, \
         DB_NAME() AS UNIQUE_CONSTRAINT_CATALOG, SCHEMA_NAME(t.schema_id) AS UNIQUE_CONSTRAINT_SCHEMA, \
         i.name AS UNIQUE_CONSTRAINT_NAME, CAST('SIMPLE' AS varchar(7)) AS MATCH_OPTION, \
         CAST(REPLACE(f.update_referential_action_desc, '_', ' ') AS varchar(11)) AS UPDATE_RULE, \
         CAST(REPLACE(f.delete_referential_action_desc, '_', ' ') AS varchar(11)) AS DELETE_RULE \
         FROM sys.foreign_keys AS f INNER JOIN sys.tables AS t ON t.object_id = f.referenced_object_id \
         LEFT JOIN sys.indexes AS i ON i.object_id = f.referenced_object_id AND i.index_id = f.key_index_id",
    ),
    standard(
        "CHECK_CONSTRAINTS",
        "SELECT DB_NAME() AS CONSTRAINT_CATALOG, SCHEMA_NAME(schema_id) AS CONSTRAINT_SCHEMA, name AS CONSTRAINT_NAME, \
         CAST(definition AS nvarchar(4000)) AS CHECK_CLAUSE FROM sys.check_constraints",
    ),
    standard(
        "CONSTRAINT_TABLE_USAGE",
        "SELECT DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(t.schema_id) AS TABLE_SCHEMA, t.name AS TABLE_NAME, \
         DB_NAME() AS CONSTRAINT_CATALOG, SCHEMA_NAME(c.schema_id) AS CONSTRAINT_SCHEMA, c.name AS CONSTRAINT_NAME \
         FROM sys.objects AS c INNER JOIN sys.tables AS t ON t.object_id = c.parent_object_id \
         WHERE c.type IN ('C', 'UQ', 'PK', 'F')",
    ),
    standard(
        "CONSTRAINT_COLUMN_USAGE",
        "SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CONSTRAINT_CATALOG, CONSTRAINT_SCHEMA, \
         CONSTRAINT_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE \
         UNION ALL \
         SELECT DB_NAME(), SCHEMA_NAME(t.schema_id), t.name, c.name, DB_NAME(), SCHEMA_NAME(k.schema_id), k.name \
         FROM sys.check_constraints AS k INNER JOIN sys.tables AS t ON t.object_id = k.parent_object_id \
         INNER JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id",
    ),
    standard(
        "ROUTINES",
        "SELECT DB_NAME() AS SPECIFIC_CATALOG, SCHEMA_NAME(o.schema_id) AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, \
         DB_NAME() AS ROUTINE_CATALOG, SCHEMA_NAME(o.schema_id) AS ROUTINE_SCHEMA, o.name AS ROUTINE_NAME, \
         CAST(CASE o.type WHEN 'P' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS nvarchar(20)) AS ROUTINE_TYPE, \
         CAST(CASE WHEN o.type IN ('IF', 'TF') THEN 'TABLE' ELSE TYPE_NAME(p.system_type_id) END AS sysname) AS DATA_TYPE, \
         CAST('SQL' AS nvarchar(30)) AS ROUTINE_BODY, CAST(m.definition AS nvarchar(4000)) AS ROUTINE_DEFINITION, \
         CAST('SQL' AS nvarchar(30)) AS EXTERNAL_LANGUAGE, \
         CAST(CASE o.type WHEN 'P' THEN 'MODIFIES' ELSE 'READS' END AS nvarchar(30)) AS SQL_DATA_ACCESS, \
         CAST('NO' AS nvarchar(10)) AS IS_DETERMINISTIC, o.create_date AS CREATED, o.modify_date AS LAST_ALTERED \
         FROM sys.objects AS o LEFT JOIN sys.sql_modules AS m ON m.object_id = o.object_id \
         LEFT JOIN sys.parameters AS p ON p.object_id = o.object_id AND p.parameter_id = 0 \
         WHERE o.type IN ('P', 'FN', 'IF', 'TF')",
    ),
    standard(
        "PARAMETERS",
        "SELECT DB_NAME() AS SPECIFIC_CATALOG, SCHEMA_NAME(o.schema_id) AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, \
         p.parameter_id AS ORDINAL_POSITION, \
         CAST(CASE WHEN p.parameter_id = 0 THEN 'OUT' WHEN p.is_output = 1 THEN 'INOUT' ELSE 'IN' END AS nvarchar(10)) AS PARAMETER_MODE, \
         CAST(CASE WHEN p.parameter_id = 0 THEN 'YES' ELSE 'NO' END AS nvarchar(10)) AS IS_RESULT, \
         CAST('NO' AS nvarchar(10)) AS AS_LOCATOR, p.name AS PARAMETER_NAME, \
         CAST(TYPE_NAME(p.system_type_id) AS nvarchar(128)) AS DATA_TYPE, \
         CAST(CASE WHEN p.system_type_id IN (231, 239) THEN NULLIF(p.max_length, -1) / 2 \
                   WHEN p.system_type_id IN (165, 167, 173, 175) THEN p.max_length END AS int) AS CHARACTER_MAXIMUM_LENGTH, \
         CAST(CASE WHEN p.system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN p.precision END AS tinyint) AS NUMERIC_PRECISION, \
         CAST(CASE WHEN p.system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN p.scale END AS int) AS NUMERIC_SCALE \
         FROM sys.parameters AS p INNER JOIN sys.objects AS o ON o.object_id = p.object_id",
    ),
    standard(
        "DOMAINS",
        "SELECT DB_NAME() AS DOMAIN_CATALOG, SCHEMA_NAME(t.schema_id) AS DOMAIN_SCHEMA, t.name AS DOMAIN_NAME, \
         CAST(TYPE_NAME(t.system_type_id) AS sysname) AS DATA_TYPE, t.collation_name AS COLLATION_NAME \
         FROM sys.types AS t WHERE t.user_type_id > 256 AND t.is_table_type = 0",
    ),
    standard(
        "SEQUENCES",
        "SELECT DB_NAME() AS SEQUENCE_CATALOG, SCHEMA_NAME(schema_id) AS SEQUENCE_SCHEMA, name AS SEQUENCE_NAME, \
         CAST(TYPE_NAME(system_type_id) AS sysname) AS DATA_TYPE, precision AS NUMERIC_PRECISION, \
         CAST(10 AS smallint) AS NUMERIC_PRECISION_RADIX, CAST(scale AS int) AS NUMERIC_SCALE, \
         start_value AS START_VALUE, minimum_value AS MINIMUM_VALUE, maximum_value AS MAXIMUM_VALUE, \
         increment AS INCREMENT, is_cycling AS CYCLE_OPTION FROM sys.sequences",
    ),
];
