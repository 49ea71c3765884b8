//! What can go wrong in the catalog.

use std::fmt;

use super::def::Name;

/// An error of the catalog.
#[derive(Debug)]
pub enum CatalogError {
    /// Another definition has that name: choose another one.
    NameInUse {
        /// In which set of names.
        space: NameSpace,
        /// The name.
        name: Name,
    },
    /// A row of a system table makes no sense: the database is suspect.
    Damaged {
        /// The system table.
        table: &'static str,
        /// The row's key.
        key: Vec<i32>,
        /// What is wrong with it.
        reason: String,
    },
}

/// The sets within which names are unique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameSpace {
    /// Objects and constraints of a schema.
    Object,
    /// Types of a schema.
    Type,
    /// Schemas of a database.
    Schema,
    /// Users and roles of a database.
    Principal,
    /// Filegroups of a database.
    FileGroup,
    /// Files of a database.
    File,
    /// Databases of the server.
    Database,
    /// Logins and server roles.
    Login,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogError::NameInUse { space, name } => {
                write!(f, "the name '{name}' is in use ({space:?})")
            }
            CatalogError::Damaged { table, key, reason } => {
                write!(f, "system table {table}, row {key:?}: {reason}")
            }
        }
    }
}

impl std::error::Error for CatalogError {}
