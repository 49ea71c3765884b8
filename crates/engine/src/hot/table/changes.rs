//! Which rows of a table commits have changed, for who copies the table while others write to it.
//!
//! # Invariants
//!
//! * N1: when [`Table::begin_noting`] returns, a snapshot sees all commits that have not noted what they changed. Later
//!   ones note it before any snapshot sees them.

use base::ids::Lsn;

use crate::hot::key::KeyBuf;
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
    /// Stamps of commits, and the keys by which the log names the rows.
    keys: Vec<(Lsn, Box<[u8]>)>,
    /// What they take.
    bytes: u64,
}

/// What a noted key takes beside its bytes: its place in the list, and what an allocation costs.
const KEY_BYTES: u64 = 48;

impl Changes {
    /// Whether commits are to note what they change. Asked behind the reservation of the commit's place in the log.
    #[inline]
    pub fn is_noting(&self) -> bool {
        self.is_noting.load(Acquire) // pairs with begin_noting
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().expect("nobody panics while keys are noted")
    }
}

impl Table {
    /// What commits have changed.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// From now on commits note what they change; see N1. One at a time does this: it has the database's DDL lock.
    pub(crate) fn begin_noting(
        self: &Arc<Table>,
        task: &Task,
        log: &Log,
    ) -> Result<Noting, LogError> {
        self.changes.is_noting.store(true, Release);
        let noting = Noting { table: self.clone() };
        // What was done before a reservation is visible after a later one: who does not know yet that
        // changes are noted has an earlier place than this.
        let place = log.reserve_waiting(task, RECORD_HEADER)?;
        let end = place.publish_filler();
        log.wait_committed(task, end);
        Ok(noting)
    }

    /// A commit with this stamp changes rows with these keys.
    pub(crate) fn note_changes(&self, stamp: Lsn, keys: impl Iterator<Item = KeyBuf>) {
        let mut noted = self.changes.lock();
        let before = noted.bytes;
        for key in keys {
            noted.bytes += KEY_BYTES + key.len() as u64;
            noted.keys.push((stamp, (&key[..]).into()));
        }
        self.charge_keys(noted.bytes as i64 - before as i64);
    }
}

/// Changes of a table are noted as long as it is there.
pub(crate) struct Noting {
    table: Arc<Table>,
}

impl Noting {
    /// What noted keys take in memory.
    pub fn bytes(&self) -> u64 {
        self.table.changes.lock().bytes
    }

    /// How many keys are noted.
    pub fn len(&self) -> usize {
        self.table.changes.lock().keys.len()
    }

    /// Takes the keys of what a snapshot at this position sees changed, each once, in order.
    pub fn take_below(&self, bound: Lsn) -> Vec<Box<[u8]>> {
        let mut noted = self.table.changes.lock();
        let (seen, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut noted.keys).into_iter().partition(|(stamp, _)| *stamp < bound);
        noted.keys = later;
        let bytes = seen.iter().map(|(_, key)| KEY_BYTES + key.len() as u64).sum::<u64>();
        noted.bytes -= bytes;
        drop(noted);
        self.table.charge_keys(-(bytes as i64));
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
        self.table.charge_keys(-(noted.bytes as i64));
    }
}
