//! Since when the rows of a table sink.

use base::ids::Lsn;

use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Release};

/// Since when the rows of a table sink. Shared with what must know it of tables that are gone.
#[derive(Clone, Debug)]
pub(crate) struct SinksSince(Arc<AtomicU64>);

impl Default for SinksSince {
    fn default() -> SinksSince {
        SinksSince(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl SinksSince {
    /// Commits from this position on leave what they wrote to the sink; none if the table does not
    /// sink.
    pub fn get(&self) -> Option<Lsn> {
        let since = self.0.load(Acquire); // pairs with set
        (since != u64::MAX).then_some(Lsn(since))
    }

    pub fn set(&self, since: Lsn) {
        self.0.store(since.0, Release); // pairs with get
    }

    /// The table was sinking at this position, and may have been before.
    pub fn include(&self, stamp: Lsn) {
        self.0.fetch_min(stamp.0, AcqRel); // pairs with get
    }
}
