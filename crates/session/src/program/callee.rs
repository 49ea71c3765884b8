//! What names of procedures meant when they were looked up last.

use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::def::{ModuleDef, SchemaId};

/// What the name that an `EXEC` has meant when it ran last, and what that depends on.
#[derive(Debug)]
pub(crate) struct KnownCallee {
    pub(crate) place: Place,
    pub(crate) module: Arc<ModuleDef>,
}

/// Where a name without a database is resolved: while this is the same, the name means the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) database: DbId,
    /// The version of the database's schema.
    pub(crate) version: u64,
    pub(crate) default: SchemaId,
}
