//! The procedures by which drivers ask what there is: the catalog functions of ODBC and JDBC.

use super::registry::Entry;

/// Columns that `sp_columns_90` has beside those of `sp_columns`.
const COLUMNS_90: &str = "
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN DB_NAME() END) AS SS_UDT_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN SCHEMA_NAME(t.schema_id) END)
    AS SS_UDT_SCHEMA_NAME,
  (SELECT a.assembly_qualified_name FROM sys.assembly_types AS a
    WHERE a.user_type_id = c.user_type_id) AS SS_UDT_ASSEMBLY_TYPE_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_NAME,";

/// Columns that `sp_columns_100` has beside those of `sp_columns_90`.
const COLUMNS_100: &str = "
  CONVERT(smallint, c.is_sparse) AS SS_IS_SPARSE,
  CONVERT(smallint, c.is_column_set) AS SS_IS_COLUMN_SET,
  CONVERT(smallint, c.is_computed) AS SS_IS_COMPUTED,
  CONVERT(smallint, c.is_identity) AS SS_IS_IDENTITY,
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN DB_NAME() END) AS SS_UDT_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN SCHEMA_NAME(t.schema_id) END)
    AS SS_UDT_SCHEMA_NAME,
  (SELECT a.assembly_qualified_name FROM sys.assembly_types AS a
    WHERE a.user_type_id = c.user_type_id) AS SS_UDT_ASSEMBLY_TYPE_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_NAME,";

/// What `sp_sproc_columns_100` has in that place.
const PARAMETERS_100: &str = "
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN DB_NAME() END) AS SS_UDT_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN c.system_type_id = 240 THEN SCHEMA_NAME(t.schema_id) END)
    AS SS_UDT_SCHEMA_NAME,
  (SELECT a.assembly_qualified_name FROM sys.assembly_types AS a
    WHERE a.user_type_id = c.user_type_id) AS SS_UDT_ASSEMBLY_TYPE_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  CONVERT(sysname, NULL) AS SS_XML_SCHEMACOLLECTION_NAME,
  CONVERT(sysname, CASE WHEN c.system_type_id = 243 THEN DB_NAME() END) AS SS_TYPE_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN c.system_type_id = 243 THEN SCHEMA_NAME(t.schema_id) END)
    AS SS_TYPE_SCHEMA_NAME,";

/// A parameter that only later versions of `sp_columns` have.
const NAME_SCOPE: &str = "@NameScope int = 0,";

const OLD: (&str, &str) = ("$legacy$", "1");
const NEW: (&str, &str) = ("$legacy$", "0");

const DATATYPE_INFO: &str = include_str!("text/sp_datatype_info.sql");
const COLUMNS: &str = include_str!("text/sp_columns.sql");
const STATISTICS: &str = include_str!("text/sp_statistics.sql");
const SPECIAL_COLUMNS: &str = include_str!("text/sp_special_columns.sql");
const SPROC_COLUMNS: &str = include_str!("text/sp_sproc_columns.sql");
const TABLES: &str = include_str!("text/sp_tables.sql");
const COLLATIONS: &str = include_str!("text/sp_tablecollations_100.sql");

pub(super) const ENTRIES: &[Entry] = &[
    Entry::variant("sp_datatype_info", DATATYPE_INFO, &[OLD]),
    Entry::variant("sp_datatype_info_90", DATATYPE_INFO, &[OLD]),
    Entry::variant("sp_datatype_info_100", DATATYPE_INFO, &[NEW]),
    Entry::variant("sp_datatype_info_170", DATATYPE_INFO, &[NEW]),
    Entry::text("sp_tables", TABLES),
    Entry::variant("sp_columns", COLUMNS, &[OLD, ("$scope$", ""), ("$extra$", "")]),
    Entry::variant("sp_columns_90", COLUMNS, &[OLD, ("$scope$", ""), ("$extra$", COLUMNS_90)]),
    Entry::variant(
        "sp_columns_100",
        COLUMNS,
        &[NEW, ("$scope$", NAME_SCOPE), ("$extra$", COLUMNS_100)],
    ),
    Entry::variant(
        "sp_columns_170",
        COLUMNS,
        &[NEW, ("$scope$", NAME_SCOPE), ("$extra$", COLUMNS_100)],
    ),
    Entry::text("sp_pkeys", include_str!("text/sp_pkeys.sql")),
    Entry::text("sp_fkeys", include_str!("text/sp_fkeys.sql")),
    Entry::text("sp_statistics", STATISTICS),
    Entry::text("sp_statistics_100", STATISTICS),
    Entry::variant("sp_special_columns", SPECIAL_COLUMNS, &[OLD]),
    Entry::variant("sp_special_columns_90", SPECIAL_COLUMNS, &[OLD]),
    Entry::variant("sp_special_columns_100", SPECIAL_COLUMNS, &[NEW]),
    Entry::variant("sp_special_columns_170", SPECIAL_COLUMNS, &[NEW]),
    Entry::text("sp_stored_procedures", include_str!("text/sp_stored_procedures.sql")),
    Entry::variant("sp_sproc_columns", SPROC_COLUMNS, &[OLD, ("$extra$", "")]),
    Entry::variant("sp_sproc_columns_90", SPROC_COLUMNS, &[OLD, ("$extra$", COLUMNS_90)]),
    Entry::variant("sp_sproc_columns_100", SPROC_COLUMNS, &[NEW, ("$extra$", PARAMETERS_100)]),
    Entry::variant("sp_sproc_columns_170", SPROC_COLUMNS, &[NEW, ("$extra$", PARAMETERS_100)]),
    Entry::text("sp_table_privileges", include_str!("text/sp_table_privileges.sql")),
    Entry::text("sp_column_privileges", include_str!("text/sp_column_privileges.sql")),
    Entry::text("sp_databases", include_str!("text/sp_databases.sql")),
    Entry::text("sp_server_info", include_str!("text/sp_server_info.sql")),
    Entry::text("sp_tablecollations", COLLATIONS),
    Entry::text("sp_tablecollations_90", COLLATIONS),
    Entry::text("sp_tablecollations_100", COLLATIONS),
];
