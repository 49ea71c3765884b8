//! Natively compiled modules that run.

use base::ids::DbId;
use run::interp::lent::Bracket;

use super::transaction::{Mark, OpenAs};

/// A natively compiled module that runs.
#[derive(Debug)]
pub(crate) struct NativeRun {
    /// How its statements are opened.
    pub(crate) how: OpenAs,
    pub(crate) database: DbId,
    /// Where its atomic blocks began, the outermost first.
    pub(crate) blocks: Vec<Mark>,
    /// The progress of the session's newest statement; `None` if there is none.
    pub(crate) bracket: Option<Bracket>,
    /// Whether runs of its statements are counted, and when the one that is open began.
    pub(crate) counted: bool,
    pub(crate) began_ns: u64,
}
