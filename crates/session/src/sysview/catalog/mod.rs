//! Views of what is in a database.

mod classifications;
mod columns;
mod constraints;
mod containment;
mod indexes;
mod modules;
mod objects;
mod policies;
pub mod security;
pub(crate) mod space;
pub mod storage;
mod tracking;
mod xml_collections;

use compile::bind::context::SystemView;

use super::FilledView;

/// The views whose rows are made.
pub const VIEWS: &[&FilledView] = &[
    &objects::OBJECTS,
    &objects::ALL_OBJECTS,
    &objects::TABLES,
    &objects::PERIODS,
    &objects::INTERNAL_TABLES,
    &objects::SCHEMAS,
    &objects::SEQUENCES,
    &objects::SYNONYMS,
    &objects::EXTENDED_PROPERTIES,
    &tracking::CHANGE_TRACKING_TABLES,
    &tracking::CHANGE_TRACKING_DATABASES,
    &tracking::DM_TRAN_COMMIT_TABLE,
    &columns::COLUMNS,
    &columns::SYSTEM_COLUMNS,
    &columns::COMPUTED_COLUMNS,
    &columns::IDENTITY_COLUMNS,
    &columns::MASKED_COLUMNS,
    &columns::TYPES,
    &columns::TABLE_TYPES,
    &columns::ASSEMBLY_TYPES,
    &constraints::KEY_CONSTRAINTS,
    &constraints::CHECK_CONSTRAINTS,
    &constraints::DEFAULT_CONSTRAINTS,
    &constraints::FOREIGN_KEYS,
    &constraints::FOREIGN_KEY_COLUMNS,
    &indexes::INDEXES,
    &indexes::HASH_INDEXES,
    &indexes::XML_INDEXES,
    &indexes::SELECTIVE_XML_INDEX_PATHS,
    &indexes::SELECTIVE_XML_INDEX_NAMESPACES,
    &indexes::SPATIAL_INDEXES,
    &indexes::SPATIAL_INDEX_TESSELLATIONS,
    &indexes::SPATIAL_REFERENCE_SYSTEMS,
    &indexes::INDEX_COLUMNS,
    &indexes::STATS,
    &indexes::STATS_COLUMNS,
    &space::PARTITIONS,
    &space::DM_DB_PARTITION_STATS,
    &space::ALLOCATION_UNITS,
    &modules::VIEWS,
    &modules::SYSTEM_VIEWS,
    &modules::PROCEDURES,
    &modules::TRIGGERS,
    &modules::TRIGGER_EVENTS,
    &modules::TRIGGER_EVENT_TYPES,
    &modules::SERVER_TRIGGERS,
    &modules::SERVER_TRIGGER_EVENTS,
    &modules::SQL_MODULES,
    &modules::SERVER_SQL_MODULES,
    &modules::SYSTEM_SQL_MODULES,
    &modules::PARAMETERS,
    &modules::NUMBERED_PROCEDURES,
    &modules::NUMBERED_PROCEDURE_PARAMETERS,
    &modules::SQL_EXPRESSION_DEPENDENCIES,
    &modules::ASSEMBLIES,
    &policies::SECURITY_POLICIES,
    &policies::SECURITY_PREDICATES,
    &containment::DM_DB_UNCONTAINED_ENTITIES,
    &classifications::SENSITIVITY_CLASSIFICATIONS,
    &security::DATABASE_PRINCIPALS,
    &security::DATABASE_ROLE_MEMBERS,
    &security::DATABASE_PERMISSIONS,
    &xml_collections::XML_SCHEMA_COLLECTIONS,
    &xml_collections::XML_SCHEMA_NAMESPACES,
    &xml_collections::XML_SCHEMA_COMPONENTS,
    &xml_collections::XML_SCHEMA_TYPES,
    &xml_collections::XML_SCHEMA_ELEMENTS,
    &xml_collections::XML_SCHEMA_ATTRIBUTES,
    &xml_collections::XML_SCHEMA_WILDCARDS,
    &xml_collections::COLUMN_XML_SCHEMA_COLLECTION_USAGES,
    &xml_collections::PARAMETER_XML_SCHEMA_COLLECTION_USAGES,
    &storage::DATA_SPACES,
    &storage::FILEGROUPS,
    &storage::DATABASE_FILES,
];

/// A view that shows the same as another.
const fn same(name: &'static str, query: &'static str) -> SystemView {
    SystemView { schema: "sys", name, query }
}

/// The views that are queries. Those whose names begin with `all_` show what databases hold and
/// what the server provides.
pub const QUERIES: &[SystemView] = &[
    same("all_columns", "SELECT * FROM sys.columns UNION ALL SELECT * FROM sys.system_columns"),
    same("all_parameters", "SELECT * FROM sys.parameters"),
    same(
        "all_sql_modules",
        "SELECT * FROM sys.sql_modules UNION ALL SELECT * FROM sys.system_sql_modules",
    ),
    same("all_views", "SELECT * FROM sys.views UNION ALL SELECT * FROM sys.system_views"),
    same("system_objects", "SELECT * FROM sys.all_objects WHERE object_id < 0"),
];
