//! The procedures by which the server describes and administers itself: `sp_tables`, `sp_help`,
//! `sp_getapplock` and their like.
//!
//! Every procedure has a text, a `CREATE PROCEDURE` statement, which is parsed and kept as a user's
//! would be; calls bind arguments and return status and output parameters the same way. What T-SQL
//! can express is written there (`text/`). Where it cannot, the procedure has a [`Builtin`] body
//! instead, which runs in the place of its steps; the text then only declares the parameters.
//!
//! A text runs in the database that it is called in, with the caller's permissions.

mod administration;
mod catalog;
mod registry;
mod special;

use std::sync::Arc;

use base::ids::ObjectId;
use engine::catalog::def::Permission;

pub use registry::{all, find, find_by_id};
pub(crate) use special::{CursorProcedure, TextProcedure, XmlProcedure};

/// A body that no text could say (`crate::builtin`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the registry names the procedure of each")]
pub enum Builtin {
    DetachDatabase,
    Recompile,
    RefreshView,
    RefreshModule,
    Rename,
    BindDefault,
    BindRule,
    UnbindDefault,
    UnbindRule,
    AddProperty,
    UpdateProperty,
    DropProperty,
    SetTriggerOrder,
    AddMessage,
    DropMessage,
    AcquireAppLock,
    ReleaseAppLock,
    SetApplicationRole,
    UnsetApplicationRole,
    MigrateUser,
    SetSessionContext,
    Configure,
    CollectModuleStatistics,
    CollectStatementStatistics,
    MergeCheckpointFiles,
    CollectCheckpointGarbage,
    BindResourcePool,
    UnbindResourcePool,
    ConfigureRowCaches,
    ShowRowsInMemory,
    SetDatabaseOption,
    ReadErrorLog,
    ReadErrorLogAsAdministrator,
    ListErrorLogs,
    ListErrorLogsAsAdministrator,
    CreateDirectory,
    DescribeFirstResultSet,
    DescribeUndeclaredParameters,
    DescribeParameterEncryption,
    GetSequenceRange,
    PrewarmRowCache,
    CleanUpHistory,
    CleanUpChanges,
}

/// What a caller needs to call a procedure, whatever its arguments: error 15247 without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing. What it does to an object, and what it shows of the catalog, takes what the
    /// statements in its text or their native counterpart take.
    Nothing,
    /// To be an administrator of the server.
    Administrator,
    /// A permission on the server.
    Server(Permission),
    /// A permission on the database that it is called in.
    Database(Permission),
}

/// A procedure that the server provides in every database.
#[derive(Debug)]
pub struct SystemProcedure {
    /// Its id, which is negative.
    pub id: ObjectId,
    /// Its name; its schema is `sys`.
    pub name: &'static str,
    /// A `CREATE PROCEDURE` statement.
    pub definition: Arc<str>,
    /// What its caller needs.
    pub needs: Needs,
    /// What runs in the place of the text's steps.
    pub builtin: Option<Builtin>,
    /// It is for other procedures of this module to call; a name elsewhere does not find it.
    pub internal: bool,
}

#[cfg(test)]
mod tests;
