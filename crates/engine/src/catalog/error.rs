//! What can go wrong in the catalog.

use std::fmt;

use base::SqlError;
use base::message::{self, Message};

use super::def::Name;
use crate::txn::TxnError;

/// What most functions of the catalog return.
pub type CatalogResult<T> = Result<T, CatalogError>;

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
    /// A foreign key of another table refers to the table that is to be dropped.
    ReferencedByKey {
        /// The table.
        name: Name,
    },
    /// Something else is bound to the object that is to be dropped.
    ReferencedBy {
        /// The object.
        name: Name,
        /// What is bound to it.
        user: Name,
    },
    /// Another transaction has changed what the statement has found in the schema: undo the
    /// statement and begin it once more.
    Stale,
    /// A row of a system table makes no sense: the database is suspect.
    Damaged {
        /// The system table.
        table: &'static str,
        /// The row's key.
        key: Vec<i32>,
        /// What is wrong with it.
        reason: String,
    },
    /// The transaction cannot go on; undo the statement, or all of it.
    Transaction(TxnError),
}

/// The sets within which names are unique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameSpace {
    /// Objects and constraints of a schema.
    Object,
    /// Types of a schema.
    Type,
    /// XML schema collections of a schema.
    XmlCollection,
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

impl NameSpace {
    fn message(self) -> &'static Message {
        match self {
            NameSpace::Object | NameSpace::Schema => &message::OBJECT_EXISTS,
            NameSpace::Type => &message::TYPE_EXISTS,
            NameSpace::XmlCollection => &message::COLLECTION_EXISTS,
            NameSpace::Principal => &message::USER_EXISTS,
            NameSpace::FileGroup => &message::FILEGROUP_EXISTS,
            NameSpace::File => &message::DATABASE_FILE_NAME_REPEATED,
            NameSpace::Database => &message::DATABASE_EXISTS,
            NameSpace::Login => &message::LOGIN_EXISTS,
        }
    }
}

impl CatalogError {
    /// The message for the client; errors of the transaction are given back, since their texts
    /// speak of tables and keys.
    pub fn into_sql(self) -> Result<SqlError, TxnError> {
        Ok(match &self {
            CatalogError::NameInUse { space, name } => SqlError::new(space.message(), &[name]),
            CatalogError::ReferencedByKey { name } => {
                SqlError::new(&message::DROP_REFERENCED_BY_FOREIGN_KEY, &[name])
            }
            CatalogError::ReferencedBy { name, user } => {
                SqlError::new(&message::OBJECT_IS_REFERENCED, &[&"DROP", name, user])
            }
            CatalogError::Stale => SqlError::new(&message::DEFINITION_CHANGED, &[&""]),
            CatalogError::Damaged { .. } => {
                SqlError::custom(211, 23, 1, format!("Possible schema corruption: {self}."))
            }
            CatalogError::Transaction(error) => return Err(error.clone()),
        })
    }
}

impl From<TxnError> for CatalogError {
    fn from(error: TxnError) -> CatalogError {
        CatalogError::Transaction(error)
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogError::NameInUse { space, name } => {
                write!(f, "the name '{name}' is in use ({space:?})")
            }
            CatalogError::ReferencedByKey { name } => {
                write!(f, "a foreign key refers to '{name}'")
            }
            CatalogError::ReferencedBy { name, user } => {
                write!(f, "'{user}' is bound to '{name}'")
            }
            CatalogError::Stale => f.write_str("another transaction has changed the definition"),
            CatalogError::Damaged { table, key, reason } => {
                write!(f, "{table}, row {key:?}: {reason}")
            }
            CatalogError::Transaction(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CatalogError {}
