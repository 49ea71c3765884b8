//! Notes the rows that commits change, for a rebuild that copies the table while other transactions
//! write to it.
//!
//! # Invariants
//!
//! * N1: a snapshot that is taken after [`Table::begin_noting`] has returned sees all commits that
//!   have not noted what they changed. Later commits note it before any snapshot sees them.

use base::ids::Lsn;

use crate::hot::table::Table;
use crate::log::record::RECORD_HEADER;
use crate::log::{Log, LogError};
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::wait::Task;

/// See the module's header.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    is_noting: AtomicBool,
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    is_wanted: bool,
    rows: Vec<ChangedRow>,
    /// Bytes that the keys take.
    bytes: u64,
}

/// A row that a commit has changed.
#[derive(Debug)]
pub(crate) struct ChangedRow {
    /// The stamp of the commit.
    pub stamp: Lsn,
    /// The key by which the log names the row.
    pub key: Box<[u8]>,
}

/// Bytes that a noted key takes beside its own: a place in the list and allocation overhead.
const KEY_BYTES: u64 = 48;

impl Changes {
    /// Whether commits must note what they change. A commit asks this after it has reserved its
    /// place in the log.
    #[inline]
    pub fn is_noting(&self) -> bool {
        self.is_noting.load(Acquire) // pairs with begin_noting
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().expect("no panic while keys are noted")
    }
}

impl Table {
    /// The rows that commits have noted as changed.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Makes commits note what they change from now on (N1). One rebuild at a time calls this: it
    /// has locked the table's definition.
    pub(crate) fn begin_noting(
        self: &Arc<Table>,
        task: &Task,
        log: &Log,
    ) -> Result<Noting, LogError> {
        self.changes.lock().is_wanted = true;
        self.changes.is_noting.store(true, Release);
        let noting = Noting { table: self.clone(), taken_bytes: 0 };
        // A store before a reservation is visible after every later one, so a commit that does not
        // see `is_noting` has an earlier place than this filler.
        let place = log.reserve_waiting(task, RECORD_HEADER)?;
        let end = place.publish_filler();
        log.wait_committed(task, end);
        Ok(noting)
    }

    /// Notes the rows that a commit changes.
    pub(crate) fn note_changes(&self, rows: Vec<ChangedRow>) {
        let bytes = bytes_of(&rows);
        let mut noted = self.changes.lock();
        if noted.is_wanted {
            noted.rows.extend(rows);
            noted.bytes += bytes;
            self.charge_keys(bytes as i64);
        }
    }
}

fn bytes_of(rows: &[ChangedRow]) -> u64 {
    rows.iter().map(|row| KEY_BYTES + row.key.len() as u64).sum()
}

/// Makes commits note their changes of a table as long as it lives.
pub(crate) struct Noting {
    table: Arc<Table>,
    /// Bytes of the keys that [`Noting::take_below`] returned last.
    taken_bytes: u64,
}

impl Noting {
    /// How many keys are noted, and how many bytes they take together with those that
    /// [`Noting::take_below`] returned last.
    pub fn size(&self) -> (u64, u64) {
        let noted = self.table.changes.lock();
        (noted.rows.len() as u64, noted.bytes + self.taken_bytes)
    }

    /// Takes the keys of the rows whose changes a snapshot at `bound` sees, each once, in order.
    /// The caller must not need those of the call before any more.
    pub fn take_below(&mut self, bound: Lsn) -> Vec<Box<[u8]>> {
        let noted = std::mem::take(&mut self.table.changes.lock().rows);
        let (seen, later): (Vec<_>, Vec<_>) = noted.into_iter().partition(|row| row.stamp < bound);
        let bytes = bytes_of(&seen);
        {
            let mut noted = self.table.changes.lock();
            noted.rows.extend(later);
            noted.bytes -= bytes;
        }
        self.table.charge_keys(-(self.taken_bytes as i64));
        self.taken_bytes = bytes;
        let mut keys: Vec<Box<[u8]>> = seen.into_iter().map(|row| row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.table.changes.is_noting.store(false, Release);
        let noted = std::mem::take(&mut *self.table.changes.lock());
        self.table.charge_keys(-((noted.bytes + self.taken_bytes) as i64));
    }
}
