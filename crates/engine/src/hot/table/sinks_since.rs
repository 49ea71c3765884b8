//! The log position since which the rows of a table sink.

use base::ids::Lsn;

use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Release};

/// The log position since which the rows of a table sink. Shared with the log keys of tables, which
/// outlive them.
#[derive(Clone, Debug)]
pub(crate) struct SinksSince(Arc<AtomicU64>);

impl Default for SinksSince {
    fn default() -> SinksSince {
        SinksSince(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl SinksSince {
    /// Commits from this position on queue what they write for the sink; `None` if the table does
    /// not sink.
    pub fn get(&self) -> Option<Lsn> {
        let since = self.0.load(Acquire); // pairs with set
        (since != u64::MAX).then_some(Lsn(since))
    }

    pub fn set(&self, since: Lsn) {
        self.0.store(since.0, Release); // pairs with get
    }

    /// Lowers the position to this one, at which the table was sinking already.
    pub fn include(&self, stamp: Lsn) {
        self.0.fetch_min(stamp.0, AcqRel); // pairs with get
    }
}
