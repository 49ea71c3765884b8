//! What readers of disk tables lock, from isolation level, database options and hints.

use base::{SqlError, SqlResult, message};
use engine::catalog::def::LockEscalation;
use engine::txn::locks::{Lifetime, LockMode, Locking, Reach, Reading};
use ir::object::ReadPurpose;
use ir::read::{Isolation, ReadOptions};

/// How a statement reads disk tables that have no hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskLevel {
    /// The session's level.
    pub session: Isolation,
    /// `READ_COMMITTED_SNAPSHOT`: READ COMMITTED reads versions.
    pub versions: bool,
}

impl DiskLevel {
    /// Without locks, as memory-optimized tables are always read.
    pub const UNLOCKED: DiskLevel = DiskLevel { session: Isolation::ReadCommitted, versions: true };

    /// Whether tables without hints are read from versions.
    #[inline]
    pub fn reads_versions(self) -> bool {
        match self.session {
            Isolation::ReadCommitted => self.versions,
            Isolation::Snapshot => true,
            _ => false,
        }
    }
}

/// How foreign keys look for the rows that refer to one.
pub const NEWEST: Locking = Locking {
    mode: LockMode::SHARED,
    reach: Reach::Instant,
    table: None,
    skip: false,
    no_wait: false,
    escalate: false,
};

/// How the target of a change is read where nothing else is asked for: as it is now, after waiting
/// for those that are changing it.
pub const CHANGED: Locking = Locking { mode: LockMode::UPDATE, ..NEWEST };

/// How a disk table is read. Error 650.
pub fn reading(
    level: DiskLevel,
    options: &ReadOptions,
    purpose: ReadPurpose,
    escalation: LockEscalation,
) -> SqlResult<Reading> {
    if options.newest {
        return Ok(Reading::Locked(NEWEST));
    }
    if matches!(purpose, ReadPurpose::MustStay | ReadPurpose::MustBeAbsent) {
        return Ok(Reading::Versions);
    }
    let asked = options.update_lock || options.exclusive_lock;
    let merges = purpose == ReadPurpose::Merge;
    let change = merges || purpose == ReadPurpose::Change;
    let isolation = options.isolation.unwrap_or(level.session);
    check_read_past(isolation, options, asked)?;
    let versions = match isolation {
        Isolation::ReadCommitted => level.versions && !options.committed_lock,
        Isolation::Snapshot => true,
        _ => false,
    };
    let reach = match isolation {
        Isolation::Serializable => Reach::Range,
        Isolation::RepeatableRead => Reach::Rows,
        _ if asked => Reach::Rows,
        _ if change && (options.read_past || options.no_wait || options.table_lock) => Reach::Rows,
        // What is not there now gets a row.
        Isolation::ReadCommitted | Isolation::ReadUncommitted if merges => Reach::Instant,
        // Writers find out for themselves which transaction has a row.
        Isolation::Snapshot if change => return Ok(Reading::Versions),
        // A row that has come to match since the statement began is to be changed, too.
        Isolation::ReadCommitted | Isolation::ReadUncommitted if change => {
            return Ok(Reading::Locked(CHANGED));
        }
        Isolation::ReadUncommitted => return Ok(Reading::Uncommitted),
        _ if options.read_past || options.table_lock => Reach::Instant,
        _ if versions => return Ok(Reading::Versions),
        _ => Reach::Instant,
    };
    let mode = match (options.exclusive_lock, options.update_lock || change) {
        (true, _) => LockMode::EXCLUSIVE,
        (false, true) => LockMode::UPDATE,
        (false, false) => LockMode::SHARED,
    };
    let lasts = (change && !merges) || reach != Reach::Instant;
    let table_lock = options.table_lock.then_some(match (mode, lasts) {
        (_, false) => (LockMode::SHARED, Lifetime::Statement),
        (LockMode::SHARED, true) => (LockMode::SHARED, Lifetime::Transaction),
        (_, true) => (LockMode::EXCLUSIVE, Lifetime::Transaction),
    });
    Ok(Reading::Locked(Locking {
        mode,
        reach,
        table: table_lock,
        skip: options.read_past,
        no_wait: options.no_wait,
        escalate: escalation != LockEscalation::Disable,
    }))
}

/// Error 650: rows can be left out where it does not matter that they are.
fn check_read_past(isolation: Isolation, options: &ReadOptions, asked: bool) -> SqlResult<()> {
    let allowed = match isolation {
        Isolation::ReadCommitted | Isolation::RepeatableRead => true,
        Isolation::Snapshot => asked,
        Isolation::ReadUncommitted | Isolation::Serializable => false,
    };
    match options.read_past && !allowed {
        true => Err(SqlError::new(&message::READPAST_LEVEL, &[])),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
