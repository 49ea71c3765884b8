//! The catalog: system tables as ordinary rows, and the schema on top of them.
//!
//! Every named thing of a database has a definition ([`def`]). Definitions are stored as rows of
//! the system tables, which live in the hot store and are logged and versioned like all rows. On
//! top of them stands the [`Schema`], an immutable copy of everything with ways to look things up,
//! which binder and executor use; only recovery and tests read the rows.

pub mod builtin;
mod cow_map;
pub mod def;
mod definition;
mod descriptor;
mod edit;
mod error;
mod event_kinds;
mod name;
mod permissions;
mod replay;
#[cfg(test)]
pub(crate) mod rng;
mod schema;
mod sequences;
mod spec;
mod store;
mod system_tables;

pub use definition::{Definition, DefinitionKey, ObjectDef};
pub use edit::{Rows, SchemaEdit, TableRebuild};
pub use error::{CatalogError, CatalogResult, NameSpace};
pub use event_kinds::{EVENT_KINDS, EventKind, LOGON, event_kind, event_kind_by_id};
pub use name::{NameKey, temporary_name, without_number};
pub use permissions::SecurableKind;
pub use replay::CatalogReplay;
pub(crate) use replay::sequence_of;
pub use schema::{Named, NamedMap, Object, Schema, ServerSchema, User};
pub use sequences::{SequenceError, SequenceRange, SequenceState, Sequences};
pub use spec::{naming_index, rows_stay, table_spec};
pub use store::{Catalog, create_system_tables};
pub use system_tables::{FIRST_USER_STORAGE, SystemRow, SystemTable};
