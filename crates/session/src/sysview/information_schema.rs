//! `INFORMATION_SCHEMA`: the standard's views, over those of `sys`.

use compile::bind::context::SystemView;

const fn standard(name: &'static str, query: &'static str) -> SystemView {
    SystemView { schema: "INFORMATION_SCHEMA", name, query }
}

/// The numbers and sets of characters of a type, as columns, parameters and domains show them; `$t`
/// is what has `system_type_id`, `max_length`, `precision`, `scale` and `collation_name`.
macro_rules! precision {
    ($t:literal) => {
        concat!(
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127) THEN ",
            $t,
            ".precision END AS tinyint) AS NUMERIC_PRECISION, ",
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN 10 ",
            "WHEN ",
            $t,
            ".system_type_id IN (59, 62) THEN 2 END AS smallint) AS NUMERIC_PRECISION_RADIX, ",
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127) THEN ",
            $t,
            ".scale END AS int) AS NUMERIC_SCALE, ",
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (40, 41, 42, 43, 58, 61) THEN ",
            $t,
            ".scale END AS smallint) AS DATETIME_PRECISION"
        )
    };
}

/// How long strings may be, in characters and in bytes.
macro_rules! length {
    ($t:literal) => {
        concat!(
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (231, 239) ",
            "THEN CASE ",
            $t,
            ".max_length WHEN -1 THEN -1 ELSE ",
            $t,
            ".max_length / 2 END ",
            "WHEN ",
            $t,
            ".system_type_id IN (165, 167, 173, 175, 240, 244) THEN ",
            $t,
            ".max_length ",
            "WHEN ",
            $t,
            ".system_type_id = 99 THEN 1073741823 ",
            "WHEN ",
            $t,
            ".system_type_id IN (34, 35) THEN 2147483647 END AS int) AS CHARACTER_MAXIMUM_LENGTH, ",
            "CAST(CASE WHEN ",
            $t,
            ".system_type_id IN (165, 167, 173, 175, 231, 239, 240, 244) THEN ",
            $t,
            ".max_length ",
            "WHEN ",
            $t,
            ".system_type_id = 99 THEN 2147483646 ",
            "WHEN ",
            $t,
            ".system_type_id IN (34, 35) THEN 2147483647 END AS int) AS CHARACTER_OCTET_LENGTH"
        )
    };
}

macro_rules! character_set {
    ($t:literal) => {
        concat!(
            "CAST(NULL AS sysname) AS CHARACTER_SET_CATALOG, CAST(NULL AS sysname) AS CHARACTER_SET_SCHEMA, ",
            "CAST(CASE WHEN ", $t, ".system_type_id IN (35, 167, 175) THEN 'iso_1' ",
            "WHEN ", $t, ".system_type_id IN (99, 231, 239) THEN 'UNICODE' END AS sysname) AS CHARACTER_SET_NAME"
        )
    };
}

macro_rules! collation {
    ($t:literal) => {
        concat!(
            "CAST(NULL AS sysname) AS COLLATION_CATALOG, CAST(NULL AS sysname) AS COLLATION_SCHEMA, ",
            $t, ".collation_name AS COLLATION_NAME"
        )
    };
}

/// The collation of a parameter's strings is the database's.
macro_rules! collation_of_database {
    () => {
        concat!(
            "CAST(NULL AS sysname) AS COLLATION_CATALOG, CAST(NULL AS sysname) AS COLLATION_SCHEMA, ",
            "CAST(CASE WHEN p.system_type_id IN (35, 99, 167, 175, 231, 239) ",
            "THEN DATABASEPROPERTYEX(DB_NAME(), 'Collation') END AS sysname) AS COLLATION_NAME"
        )
    };
}

/// Intervals, user-defined types and scopes, which routines and parameters do not have.
macro_rules! nothing {
    ($($name:literal $ty:literal),+) => {
        concat!($("CAST(NULL AS ", $ty, ") AS ", $name, ", "),+)
    };
}

/// The columns of tables and views, or of functions.
macro_rules! columns {
    ($types:literal) => {
        concat!(
            "SELECT DB_NAME() AS TABLE_CATALOG, s.name AS TABLE_SCHEMA, o.name AS TABLE_NAME, ",
            "c.name AS COLUMN_NAME, COLUMNPROPERTY(c.object_id, c.name, 'ordinal') AS ORDINAL_POSITION, ",
            "CAST(OBJECT_DEFINITION(NULLIF(c.default_object_id, 0)) AS nvarchar(4000)) AS COLUMN_DEFAULT, ",
            "CAST(CASE c.is_nullable WHEN 1 THEN 'YES' ELSE 'NO' END AS varchar(3)) AS IS_NULLABLE, ",
            "CAST(ISNULL(TYPE_NAME(c.system_type_id), t.name) AS nvarchar(128)) AS DATA_TYPE, ",
            length!("c"), ", ", precision!("c"), ", ", character_set!("c"), ", ", collation!("c"), ", ",
            "CAST(CASE WHEN c.user_type_id > 256 THEN DB_NAME() END AS sysname) AS DOMAIN_CATALOG, ",
            "CAST(CASE WHEN c.user_type_id > 256 THEN SCHEMA_NAME(t.schema_id) END AS sysname) AS DOMAIN_SCHEMA, ",
            "CAST(CASE WHEN c.user_type_id > 256 THEN t.name END AS sysname) AS DOMAIN_NAME ",
            "FROM sys.objects AS o INNER JOIN sys.schemas AS s ON s.schema_id = o.schema_id ",
            "INNER JOIN sys.columns AS c ON c.object_id = o.object_id ",
            "LEFT JOIN sys.types AS t ON t.user_type_id = c.user_type_id WHERE o.type IN ", $types
        )
    };
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
    standard("COLUMNS", columns!("('U', 'V')")),
    standard("ROUTINE_COLUMNS", columns!("('IF', 'TF')")),
    standard(
        "SCHEMATA",
        "SELECT DB_NAME() AS CATALOG_NAME, s.name AS SCHEMA_NAME, USER_NAME(s.principal_id) AS SCHEMA_OWNER, \
         CAST(NULL AS varchar(6)) AS DEFAULT_CHARACTER_SET_CATALOG, CAST(NULL AS varchar(3)) AS DEFAULT_CHARACTER_SET_SCHEMA, \
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
         INNER JOIN sys.sql_expression_dependencies AS d \
         ON d.referencing_id = k.object_id AND d.referenced_id = t.object_id \
         INNER JOIN sys.columns AS c ON c.object_id = t.object_id AND c.column_id = d.referenced_minor_id",
    ),
    standard(
        "ROUTINES",
        concat!(
            "SELECT DB_NAME() AS SPECIFIC_CATALOG, SCHEMA_NAME(o.schema_id) AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, ",
            "DB_NAME() AS ROUTINE_CATALOG, SCHEMA_NAME(o.schema_id) AS ROUTINE_SCHEMA, o.name AS ROUTINE_NAME, ",
            "CAST(CASE o.type WHEN 'P' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS nvarchar(20)) AS ROUTINE_TYPE, ",
            nothing!("MODULE_CATALOG" "sysname", "MODULE_SCHEMA" "sysname", "MODULE_NAME" "sysname",
                "UDT_CATALOG" "sysname", "UDT_SCHEMA" "sysname", "UDT_NAME" "sysname"),
            "CAST(CASE WHEN o.type IN ('IF', 'TF') THEN 'TABLE' ELSE ISNULL(TYPE_NAME(p.system_type_id), TYPE_NAME(p.user_type_id)) END AS sysname) AS DATA_TYPE, ",
            length!("p"),
            ", ",
            collation_of_database!(),
            ", ",
            character_set!("p"),
            ", ",
            precision!("p"),
            ", ",
            nothing!("INTERVAL_TYPE" "nvarchar(30)", "INTERVAL_PRECISION" "smallint",
                "TYPE_UDT_CATALOG" "sysname", "TYPE_UDT_SCHEMA" "sysname", "TYPE_UDT_NAME" "sysname",
                "SCOPE_CATALOG" "sysname", "SCOPE_SCHEMA" "sysname", "SCOPE_NAME" "sysname",
                "MAXIMUM_CARDINALITY" "bigint", "DTD_IDENTIFIER" "sysname"),
            "CAST('SQL' AS nvarchar(30)) AS ROUTINE_BODY, CAST(m.definition AS nvarchar(4000)) AS ROUTINE_DEFINITION, ",
            nothing!("EXTERNAL_NAME" "sysname", "EXTERNAL_LANGUAGE" "nvarchar(30)", "PARAMETER_STYLE" "nvarchar(30)"),
            "CAST(CASE OBJECTPROPERTY(o.object_id, 'IsDeterministic') WHEN 1 THEN 'YES' ELSE 'NO' END AS nvarchar(10)) AS IS_DETERMINISTIC, ",
            "CAST(CASE o.type WHEN 'P' THEN 'MODIFIES' ELSE 'READS' END AS nvarchar(30)) AS SQL_DATA_ACCESS, ",
            "CAST(CASE WHEN o.type <> 'P' THEN CASE m.null_on_null_input WHEN 1 THEN 'YES' ELSE 'NO' END END AS nvarchar(10)) AS IS_NULL_CALL, ",
            "CAST(NULL AS sysname) AS SQL_PATH, CAST('YES' AS nvarchar(10)) AS SCHEMA_LEVEL_ROUTINE, ",
            "CAST(CASE o.type WHEN 'P' THEN -1 ELSE 0 END AS smallint) AS MAX_DYNAMIC_RESULT_SETS, ",
            "CAST('NO' AS nvarchar(10)) AS IS_USER_DEFINED_CAST, CAST('NO' AS nvarchar(10)) AS IS_IMPLICITLY_INVOCABLE, ",
            "o.create_date AS CREATED, o.modify_date AS LAST_ALTERED ",
            "FROM sys.objects AS o LEFT JOIN sys.sql_modules AS m ON m.object_id = o.object_id ",
            "LEFT JOIN sys.parameters AS p ON p.object_id = o.object_id AND p.parameter_id = 0 ",
            "WHERE o.type IN ('P', 'FN', 'IF', 'TF')"
        ),
    ),
    standard(
        "PARAMETERS",
        concat!(
            "SELECT DB_NAME() AS SPECIFIC_CATALOG, SCHEMA_NAME(o.schema_id) AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, ",
            "p.parameter_id AS ORDINAL_POSITION, ",
            "CAST(CASE WHEN p.parameter_id = 0 THEN 'OUT' WHEN p.is_output = 1 THEN 'INOUT' ELSE 'IN' END AS nvarchar(10)) AS PARAMETER_MODE, ",
            "CAST(CASE WHEN p.parameter_id = 0 THEN 'YES' ELSE 'NO' END AS nvarchar(10)) AS IS_RESULT, ",
            "CAST('NO' AS nvarchar(10)) AS AS_LOCATOR, p.name AS PARAMETER_NAME, ",
            "CAST(ISNULL(TYPE_NAME(p.system_type_id), t.name) AS nvarchar(128)) AS DATA_TYPE, ",
            length!("p"),
            ", ",
            collation_of_database!(),
            ", ",
            character_set!("p"),
            ", ",
            precision!("p"),
            ", ",
            nothing!("INTERVAL_TYPE" "nvarchar(30)", "INTERVAL_PRECISION" "smallint"),
            "CAST(CASE WHEN p.user_type_id > 256 THEN DB_NAME() END AS sysname) AS USER_DEFINED_TYPE_CATALOG, ",
            "CAST(CASE WHEN p.user_type_id > 256 THEN SCHEMA_NAME(t.schema_id) END AS sysname) AS USER_DEFINED_TYPE_SCHEMA, ",
            "CAST(CASE WHEN p.user_type_id > 256 THEN t.name END AS sysname) AS USER_DEFINED_TYPE_NAME, ",
            "CAST(NULL AS sysname) AS SCOPE_CATALOG, CAST(NULL AS sysname) AS SCOPE_SCHEMA, CAST(NULL AS sysname) AS SCOPE_NAME ",
            "FROM sys.parameters AS p INNER JOIN sys.objects AS o ON o.object_id = p.object_id ",
            "LEFT JOIN sys.types AS t ON t.user_type_id = p.user_type_id"
        ),
    ),
    standard(
        "DOMAINS",
        concat!(
            "SELECT DB_NAME() AS DOMAIN_CATALOG, SCHEMA_NAME(t.schema_id) AS DOMAIN_SCHEMA, t.name AS DOMAIN_NAME, ",
            "CAST(TYPE_NAME(t.system_type_id) AS sysname) AS DATA_TYPE, ",
            length!("t"),
            ", ",
            collation!("t"),
            ", ",
            character_set!("t"),
            ", ",
            precision!("t"),
            ", ",
            "CAST(OBJECT_DEFINITION(NULLIF(t.default_object_id, 0)) AS nvarchar(4000)) AS DOMAIN_DEFAULT ",
            "FROM sys.types AS t WHERE t.user_type_id > 256 AND t.is_table_type = 0"
        ),
    ),
    standard(
        "COLUMN_DOMAIN_USAGE",
        "SELECT DB_NAME() AS DOMAIN_CATALOG, SCHEMA_NAME(t.schema_id) AS DOMAIN_SCHEMA, t.name AS DOMAIN_NAME, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(o.schema_id) AS TABLE_SCHEMA, o.name AS TABLE_NAME, \
         c.name AS COLUMN_NAME \
         FROM sys.columns AS c INNER JOIN sys.objects AS o ON o.object_id = c.object_id \
         INNER JOIN sys.types AS t ON t.user_type_id = c.user_type_id \
         WHERE c.user_type_id > 256 AND o.type IN ('U', 'V')",
    ),
    standard(
        "VIEW_TABLE_USAGE",
        "SELECT DISTINCT DB_NAME() AS VIEW_CATALOG, SCHEMA_NAME(v.schema_id) AS VIEW_SCHEMA, v.name AS VIEW_NAME, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(o.schema_id) AS TABLE_SCHEMA, o.name AS TABLE_NAME \
         FROM sys.views AS v INNER JOIN sys.sql_expression_dependencies AS d ON d.referencing_id = v.object_id \
         INNER JOIN sys.objects AS o ON o.object_id = d.referenced_id \
         WHERE d.referenced_class = 1 AND d.referenced_database_name IS NULL AND o.type IN ('U', 'V')",
    ),
    standard(
        "TABLE_PRIVILEGES",
        "SELECT USER_NAME(p.grantor_principal_id) AS GRANTOR, USER_NAME(p.grantee_principal_id) AS GRANTEE, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(o.schema_id) AS TABLE_SCHEMA, o.name AS TABLE_NAME, \
         CAST(p.permission_name AS varchar(10)) AS PRIVILEGE_TYPE, \
         CAST(CASE p.state WHEN 'W' THEN 'YES' ELSE 'NO' END AS varchar(3)) AS IS_GRANTABLE \
         FROM sys.database_permissions AS p INNER JOIN sys.objects AS o ON o.object_id = p.major_id \
         WHERE p.class = 1 AND p.minor_id = 0 AND p.state IN ('G', 'W') AND o.type IN ('U', 'V') \
         AND p.type IN ('SL', 'IN', 'UP', 'DL', 'RF')",
    ),
    standard(
        "COLUMN_PRIVILEGES",
        "SELECT USER_NAME(p.grantor_principal_id) AS GRANTOR, USER_NAME(p.grantee_principal_id) AS GRANTEE, \
         DB_NAME() AS TABLE_CATALOG, SCHEMA_NAME(o.schema_id) AS TABLE_SCHEMA, o.name AS TABLE_NAME, \
         c.name AS COLUMN_NAME, CAST(p.permission_name AS varchar(10)) AS PRIVILEGE_TYPE, \
         CAST(CASE p.state WHEN 'W' THEN 'YES' ELSE 'NO' END AS varchar(3)) AS IS_GRANTABLE \
         FROM sys.database_permissions AS p INNER JOIN sys.objects AS o ON o.object_id = p.major_id \
         INNER JOIN sys.columns AS c ON c.object_id = o.object_id AND (p.minor_id = 0 OR p.minor_id = c.column_id) \
         WHERE p.class = 1 AND p.state IN ('G', 'W') AND o.type IN ('U', 'V') \
         AND p.type IN ('SL', 'IN', 'UP', 'RF')",
    ),
    standard(
        "SEQUENCES",
        "SELECT DB_NAME() AS SEQUENCE_CATALOG, SCHEMA_NAME(schema_id) AS SEQUENCE_SCHEMA, name AS SEQUENCE_NAME, \
         CAST(TYPE_NAME(system_type_id) AS sysname) AS DATA_TYPE, precision AS NUMERIC_PRECISION, \
         CAST(10 AS smallint) AS NUMERIC_PRECISION_RADIX, CAST(scale AS int) AS NUMERIC_SCALE, \
         start_value AS START_VALUE, minimum_value AS MINIMUM_VALUE, maximum_value AS MAXIMUM_VALUE, \
         increment AS INCREMENT, is_cycling AS CYCLE_OPTION, CAST(NULL AS sysname) AS DECLARED_DATA_TYPE, \
         CAST(NULL AS tinyint) AS DECLARED_NUMERIC_PRECISION, CAST(NULL AS smallint) AS DECLARED_NUMERIC_SCALE \
         FROM sys.sequences",
    ),
];
