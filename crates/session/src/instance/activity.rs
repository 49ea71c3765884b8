//! What kind of statement a session runs: `command` of `sys.dm_exec_requests`.
//!
//! It changes with every statement, so it is kept beside the status that takes a lock.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use tsql::ast::{BackupAction, Module, StatementKind};

use crate::program::StepKind;

/// A kind of statement that is told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Activity(u8);

macro_rules! activities {
    ($($name:ident = $shown:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        enum Number { $($name),* }

        const SHOWN: &[&str] = &[$($shown),*];

        impl Activity {
            $(#[doc = concat!("`", $shown, "`")]
            pub const $name: Activity = Activity(Number::$name as u8);)*
        }
    };
}

activities! {
    SELECT = "SELECT",
    SELECT_INTO = "SELECT INTO",
    INSERT = "INSERT",
    UPDATE = "UPDATE",
    DELETE = "DELETE",
    MERGE = "MERGE",
    TRUNCATE = "TRUNCATE TABLE",
    BULK_INSERT = "BULK INSERT",
    ASSIGNMENT = "ASSIGNMENT",
    CONDITIONAL = "CONDITIONAL",
    RETURN = "RETURN",
    THROW = "THROW",
    RAISERROR = "RAISERROR",
    PRINT = "PRINT",
    WAITFOR = "WAITFOR",
    EXECUTE = "EXECUTE",
    DECLARE_CURSOR = "DECLARE CURSOR",
    OPEN_CURSOR = "OPEN CURSOR",
    FETCH_CURSOR = "FETCH CURSOR",
    CLOSE_CURSOR = "CLOSE CURSOR",
    DEALLOCATE_CURSOR = "DEALLOCATE CURSOR",
    BEGIN_TRANSACTION = "BEGIN TRANSACTION",
    COMMIT_TRANSACTION = "COMMIT TRANSACTION",
    ROLLBACK_TRANSACTION = "ROLLBACK TRANSACTION",
    SAVE_TRANSACTION = "SAVE TRANSACTION",
    SET_OPTION = "SET OPTION",
    USE_DATABASE = "USE DATABASE",
    CREATE_TABLE = "CREATE TABLE",
    ALTER_TABLE = "ALTER TABLE",
    CREATE_INDEX = "CREATE INDEX",
    ALTER_INDEX = "ALTER INDEX",
    DROP_INDEX = "DROP INDEX",
    CREATE_STATISTICS = "CREATE STATISTICS",
    UPDATE_STATISTICS = "UPDATE STATISTICS",
    CREATE_PROCEDURE = "CREATE PROCEDURE",
    CREATE_FUNCTION = "CREATE FUNCTION",
    CREATE_VIEW = "CREATE VIEW",
    CREATE_TRIGGER = "CREATE TRIGGER",
    CREATE_SCHEMA = "CREATE SCHEMA",
    CREATE_TYPE = "CREATE TYPE",
    CREATE_SEQUENCE = "CREATE SEQUENCE",
    CREATE_SYNONYM = "CREATE SYNONYM",
    DROP_OBJECT = "DROP OBJECT",
    CREATE_DATABASE = "CREATE DATABASE",
    ALTER_DATABASE = "ALTER DATABASE",
    CREATE_LOGIN = "CREATE LOGIN",
    CREATE_USER = "CREATE USER",
    CREATE_ROLE = "CREATE ROLE",
    GRANT = "GRANT",
    BACKUP = "BACKUP DATABASE",
    BACKUP_LOG = "BACKUP LOG",
    RESTORE = "RESTORE DATABASE",
    RESTORE_LOG = "RESTORE LOG",
    RESTORE_HEADERS = "RESTORE HEADERONLY",
    VERIFY = "RESTORE VERIFYONLY",
    DBCC = "DBCC",
    KILL = "KILL",
    CHECKPOINT = "CHECKPOINT",
    RECONFIGURE = "RECONFIGURE",
    SHUTDOWN = "SHUTDOWN",
    ALTER_OBJECT = "ALTER OBJECT",
}

impl Activity {
    /// What a step does; none for steps that are nothing of their own.
    pub(crate) fn of(step: &StepKind) -> Option<Activity> {
        use StepKind as K;
        Some(match step {
            K::Nothing | K::Jump(_) => return None,
            K::Data(statement) | K::Definition(statement) => {
                Activity::of_statement(&statement.kind)
            }
            K::SelectInto(_) => Activity::SELECT_INTO,
            K::InsertExecute(_) => Activity::INSERT,
            K::Assign { .. } | K::SetCursor(_) | K::AssignCursor(..) => Activity::ASSIGNMENT,
            K::JumpUnless(..) => Activity::CONDITIONAL,
            K::Return(_) => Activity::RETURN,
            K::Throw(_) => Activity::THROW,
            K::RaiseError(_) => Activity::RAISERROR,
            K::Print(_) => Activity::PRINT,
            K::WaitFor(_) => Activity::WAITFOR,
            K::Execute(_) => Activity::EXECUTE,
            K::DeclareCursor(_) => Activity::DECLARE_CURSOR,
            K::OpenCursor(_) => Activity::OPEN_CURSOR,
            K::Fetch(_) => Activity::FETCH_CURSOR,
            K::CloseCursor(_) => Activity::CLOSE_CURSOR,
            K::DeallocateCursor(_) => Activity::DEALLOCATE_CURSOR,
            K::BeginTransaction(_) => Activity::BEGIN_TRANSACTION,
            K::Commit(_) => Activity::COMMIT_TRANSACTION,
            K::Rollback(_) => Activity::ROLLBACK_TRANSACTION,
            K::SaveTransaction(_) => Activity::SAVE_TRANSACTION,
            K::SetOption(_) => Activity::SET_OPTION,
            K::Use(_) => Activity::USE_DATABASE,
        })
    }

    fn of_statement(kind: &StatementKind) -> Activity {
        use StatementKind as S;
        match kind {
            S::Select(_) => Activity::SELECT,
            S::Insert(_) => Activity::INSERT,
            S::Update(_) => Activity::UPDATE,
            S::Delete(_) => Activity::DELETE,
            S::Merge(_) => Activity::MERGE,
            S::TruncateTable(_) => Activity::TRUNCATE,
            S::BulkInsert(_) | S::InsertBulk(_) => Activity::BULK_INSERT,
            S::CreateTable(_) => Activity::CREATE_TABLE,
            S::AlterTable(_) | S::ToggleTrigger(_) => Activity::ALTER_TABLE,
            S::CreateIndex(_) | S::CreateXmlIndex(_) | S::CreateSpatialIndex(_) => {
                Activity::CREATE_INDEX
            }
            S::AlterIndex(_) => Activity::ALTER_INDEX,
            S::DropIndex(_) => Activity::DROP_INDEX,
            S::CreateStatistics(_) => Activity::CREATE_STATISTICS,
            S::UpdateStatistics(_) => Activity::UPDATE_STATISTICS,
            S::Module(module) => match &module.module {
                Module::Procedure(_) => Activity::CREATE_PROCEDURE,
                Module::Function(_) => Activity::CREATE_FUNCTION,
                Module::View(_) => Activity::CREATE_VIEW,
                Module::Trigger(_) => Activity::CREATE_TRIGGER,
            },
            S::CreateSchema(_) => Activity::CREATE_SCHEMA,
            S::CreateType(_) => Activity::CREATE_TYPE,
            S::Sequence(_) => Activity::CREATE_SEQUENCE,
            S::CreateSynonym(_) => Activity::CREATE_SYNONYM,
            S::Drop(_) | S::DropTrigger(_) | S::DropStatistics(_) => Activity::DROP_OBJECT,
            S::CreateDatabase(_) => Activity::CREATE_DATABASE,
            S::AlterDatabase(_) | S::ScopedConfiguration(_) | S::DiskInit { .. } => {
                Activity::ALTER_DATABASE
            }
            S::Login(_) => Activity::CREATE_LOGIN,
            S::User(_) => Activity::CREATE_USER,
            S::Role(_) => Activity::CREATE_ROLE,
            S::Permission(_) => Activity::GRANT,
            S::Backup(backup) => match backup.action {
                BackupAction::BackupDatabase => Activity::BACKUP,
                BackupAction::BackupLog => Activity::BACKUP_LOG,
                BackupAction::RestoreDatabase => Activity::RESTORE,
                BackupAction::RestoreLog => Activity::RESTORE_LOG,
                BackupAction::RestoreVerifyOnly => Activity::VERIFY,
                _ => Activity::RESTORE_HEADERS,
            },
            S::Dbcc(_) => Activity::DBCC,
            S::Kill(_) => Activity::KILL,
            S::Checkpoint(_) => Activity::CHECKPOINT,
            S::Reconfigure { .. } => Activity::RECONFIGURE,
            S::Shutdown { .. } => Activity::SHUTDOWN,
            _ => Activity::ALTER_OBJECT,
        }
    }

    /// As views show it.
    pub fn name(self) -> &'static str {
        SHOWN[usize::from(self.0)]
    }
}

/// The activity of a session, and its progress with that if it takes long. The session writes it,
/// any thread reads it; nothing else is ordered by it.
pub struct CurrentActivity {
    activity: AtomicU8,
    percent: AtomicU8,
}

impl Default for CurrentActivity {
    fn default() -> CurrentActivity {
        let activity = AtomicU8::new(Activity::SELECT.0);
        CurrentActivity { activity, percent: AtomicU8::new(0) }
    }
}

impl CurrentActivity {
    /// Says what the session does now.
    #[inline]
    pub fn set(&self, activity: Activity) {
        self.activity.store(activity.0, Relaxed);
    }

    /// Says how much of a backup or restore is done; 0 for all else.
    pub fn set_percent(&self, percent: u8) {
        self.percent.store(percent, Relaxed);
    }

    /// How much is done, per cent.
    pub fn percent(&self) -> u8 {
        self.percent.load(Relaxed)
    }

    /// What the session does, or did last.
    pub fn get(&self) -> Activity {
        Activity(self.activity.load(Relaxed))
    }
}
