//! Reasons, besides its rows, for which a database's log is still needed: decisions that other
//! databases may ask for, and abandoned streams of chunks that no record ends.

use std::collections::HashMap;

use base::ids::Lsn;

use crate::log::GlobalTransaction;
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::sync::{Mutex, MutexGuard};

/// Tells whether the ends of a transaction are durable in all the databases that took part in it.
type AreDurable = Box<dyn Fn() -> bool + Send>;

/// See the module's header.
#[derive(Default)]
pub(crate) struct LogNeeds {
    /// The transactions over several databases that this one decides: none while in progress, and
    /// then a test whether their ends are durable in all these databases.
    decisions: Mutex<HashMap<GlobalTransaction, Option<AreDurable>>>,
    /// Whether no database needs decisions from before the last start any more. Set once, after all
    /// databases have been opened; read by checkpoints.
    earlier_settled: AtomicBool,
    abandoned: Mutex<Vec<Lsn>>,
}

impl LogNeeds {
    /// Notes a transaction that is about to be decided.
    pub fn begin(&self, global: GlobalTransaction) {
        lock(&self.decisions).insert(global, None);
    }

    /// Forgets a transaction that was not decided after all.
    pub fn cancel(&self, global: &GlobalTransaction) {
        lock(&self.decisions).remove(global);
    }

    /// Notes that a transaction was decided, and has ended in the databases that took part in it.
    pub fn settle(&self, global: GlobalTransaction, ends_are_durable: AreDurable) {
        let mut decisions = lock(&self.decisions);
        decisions.insert(global, Some(ends_are_durable));
        decisions.retain(|_, are_durable| !are_durable.as_ref().is_some_and(|ends| ends()));
    }

    /// Whether another database may still ask what was decided of a transaction; `earlier` if it
    /// was decided before the last start.
    pub fn is_needed(&self, global: &GlobalTransaction, earlier: bool) -> bool {
        if earlier {
            return !self.earlier_settled.load(Acquire); // pairs with settle_earlier()
        }
        match lock(&self.decisions).get(global) {
            None => false,
            Some(None) => true,
            Some(Some(are_durable)) => !are_durable(),
        }
    }

    /// Notes that all databases are open, and what was in doubt in them is resolved, durably.
    pub fn settle_earlier(&self) {
        self.earlier_settled.store(true, Release);
    }

    /// Notes an abandoned stream of chunks, or a prepare record, of which the log took no record
    /// that ends it.
    pub fn note_abandoned(&self, stream: Lsn) {
        lock(&self.abandoned).push(stream);
    }

    /// The streams that no record will end.
    pub fn abandoned(&self) -> Vec<Lsn> {
        lock(&self.abandoned).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic under these locks")
}
