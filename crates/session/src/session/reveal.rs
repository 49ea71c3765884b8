//! What must be durable before a client sees an answer.

use std::sync::Arc;

use base::SqlResult;
use engine::sync::plain::{Mutex, MutexGuard};
use engine::txn::DatabaseSession;
use engine::wait::Task;

/// The places of a session in the databases that it has used. The writer to the client waits with
/// it at every flush.
#[derive(Clone, Default)]
pub struct Reveal(Arc<Mutex<Vec<Arc<DatabaseSession>>>>);

impl Reveal {
    /// Waits until everything that the client may have been shown is durable. Does not wait, and
    /// writes no memory that other sessions use, if it is. Never interrupted. Error 9001 if a log
    /// has failed.
    pub fn wait(&self, task: &Task) -> SqlResult<()> {
        let mut at = 0;
        loop {
            // The lock is not held while waiting.
            let Some(place) = self.places().get(at).cloned() else { return Ok(()) };
            let waited = place.wait_shown(task);
            waited.map_err(|error| run::interp::errors::from_message(&error, &[]))?;
            at += 1;
        }
    }

    pub(super) fn add(&self, place: &Arc<DatabaseSession>) {
        self.places().push(place.clone());
    }

    /// Forgets the places where there is nothing to wait for: they keep databases in memory that
    /// may be gone.
    pub(super) fn forget_durable(&self) {
        self.places().retain(|place| !place.shows_durable());
    }

    fn places(&self) -> MutexGuard<'_, Vec<Arc<DatabaseSession>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
