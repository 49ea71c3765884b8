//! Which rows of a table commits have changed, for a rebuild that copies the table while other
//! transactions write to it.
//!
//! # Invariants
//!
//! * N1: when [`Table::begin_noting`] returns, a snapshot sees all commits that have not noted what
//!   they changed. Later ones note it before any snapshot sees them.

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
    /// Stamps of commits, and the keys by which the log names the rows.
    keys: Vec<(Lsn, Box<[u8]>)>,
    /// What they take.
    bytes: u64,
}

/// What a noted key takes beside its bytes: its place in the list, and what an allocation costs.
const KEY_BYTES: u64 = 48;

impl Changes {
    /// Whether commits are to note what they change. Asked behind the reservation of the commit's
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
    /// What commits have changed.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// From now on commits note what they change; see N1. One rebuild at a time does this: it has
    /// locked the table's definition.
    pub(crate) fn begin_noting(
        self: &Arc<Table>,
        task: &Task,
        log: &Log,
    ) -> Result<Noting, LogError> {
        self.changes.lock().is_wanted = true;
        self.changes.is_noting.store(true, Release);
        let noting = Noting { table: self.clone(), taken_bytes: 0 };
        // What was done before a reservation is visible after a later one: a commit that does not
        // know yet that changes are noted has an earlier place than this.
        let place = log.reserve_waiting(task, RECORD_HEADER)?;
        let end = place.publish_filler();
        log.wait_committed(task, end);
        Ok(noting)
    }

    /// A commit with this stamp changes rows with these keys.
    pub(crate) fn note_changes(&self, keys: Vec<(Lsn, Box<[u8]>)>) {
        let bytes = bytes_of(&keys);
        let mut noted = self.changes.lock();
        if noted.is_wanted {
            noted.keys.extend(keys);
            noted.bytes += bytes;
            self.charge_keys(bytes as i64);
        }
    }
}

fn bytes_of(keys: &[(Lsn, Box<[u8]>)]) -> u64 {
    keys.iter().map(|(_, key)| KEY_BYTES + key.len() as u64).sum()
}

/// Changes of a table are noted as long as it is there.
pub(crate) struct Noting {
    table: Arc<Table>,
    /// What keys take that were taken last.
    taken_bytes: u64,
}

impl Noting {
    /// How many keys are noted, and what they take in memory with those that were taken last.
    pub fn size(&self) -> (u64, u64) {
        let noted = self.table.changes.lock();
        (noted.keys.len() as u64, noted.bytes + self.taken_bytes)
    }

    /// Takes the keys of what a snapshot at this position sees changed, each once, in order. Those
    /// that were taken before are not needed any more.
    pub fn take_below(&mut self, bound: Lsn) -> Vec<Box<[u8]>> {
        let noted = std::mem::take(&mut self.table.changes.lock().keys);
        let (seen, later): (Vec<_>, Vec<_>) =
            noted.into_iter().partition(|(stamp, _)| *stamp < bound);
        let bytes = bytes_of(&seen);
        {
            let mut noted = self.table.changes.lock();
            noted.keys.extend(later);
            noted.bytes -= bytes;
        }
        self.table.charge_keys(-(self.taken_bytes as i64));
        self.taken_bytes = bytes;
        let mut keys: Vec<Box<[u8]>> = seen.into_iter().map(|(_, key)| key).collect();
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
