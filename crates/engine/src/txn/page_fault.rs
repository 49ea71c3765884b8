//! What a statement is told when a page of the cold store cannot be had.

use crate::cold::tree::TreeError;
use crate::cold::{ColdError, Mismatch};
use crate::txn::error::{TxnError, Unavailable};

/// Why a page cannot be had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageFault {
    /// What was read is not what was written there: message 824.
    Damaged {
        /// What does not fit, in the words of the message.
        what: &'static str,
        /// The page.
        page: u64,
        /// The file's number, and where in it the page is, in bytes; unknown if the page was whole
        /// but its contents make no sense.
        place: Option<(u16, u64)>,
        /// The file.
        file: Box<str>,
    },
    /// The system refused to read: message 823.
    Read {
        /// The system's words.
        why: Box<str>,
        /// The file.
        file: Box<str>,
    },
    /// There is no room for another page: message 1105.
    Full {
        /// The file.
        file: Box<str>,
    },
    /// There is no memory for another page: message 802.
    NoMemory,
}

impl PageFault {
    /// The message's number.
    pub fn number(&self) -> i32 {
        match self {
            PageFault::Damaged { .. } => 824,
            PageFault::Read { .. } => 823,
            PageFault::Full { .. } => 1105,
            PageFault::NoMemory => 802,
        }
    }

    /// The message's severity.
    pub fn severity(&self) -> u8 {
        match self {
            PageFault::Damaged { .. } | PageFault::Read { .. } => 24,
            PageFault::Full { .. } | PageFault::NoMemory => 17,
        }
    }
}

impl From<TreeError> for TxnError {
    fn from(error: TreeError) -> TxnError {
        let nonsense = |page| {
            let (what, file) = ("inconsistent page contents", "".into());
            PageFault::Damaged { what, page, place: None, file }
        };
        TxnError::Page(match error {
            TreeError::Page(error) => return error.into(),
            TreeError::Damaged { page, .. } => nonsense(page.0),
            // Only writers of trees get these.
            TreeError::KeyTooLong { .. } | TreeError::ValueTooLong { .. } => nonsense(0),
        })
    }
}

impl From<ColdError> for TxnError {
    fn from(error: ColdError) -> TxnError {
        let shown = |path: &std::path::Path| path.display().to_string().into_boxed_str();
        TxnError::Page(match error {
            ColdError::Interrupted(_) => return TxnError::Interrupted,
            ColdError::Closed => return TxnError::Unavailable(Unavailable::Offline),
            ColdError::Checksum { file, place, page, what } => PageFault::Damaged {
                what: match what {
                    Mismatch::Checksum => "incorrect checksum",
                    Mismatch::Identity => "incorrect pageid",
                    Mismatch::Stamp => "stale page (a page read returned an older version)",
                },
                page: page.0,
                place: Some((u16::from(place.file), place.offset())),
                file: shown(&file),
            },
            ColdError::Freed(page) => PageFault::Damaged {
                what: "unallocated page",
                page: page.0,
                place: None,
                file: "".into(),
            },
            ColdError::Read(error) | ColdError::File(error) => {
                PageFault::Read { why: error.to_string().into(), file: shown(error.path()) }
            }
            ColdError::Full(path) => PageFault::Full { file: shown(&path) },
            ColdError::NoFrames => PageFault::NoMemory,
            // Of files that are about to be opened.
            ColdError::Missing { ref path }
            | ColdError::Foreign { ref path }
            | ColdError::UnknownVersion { ref path, .. }
            | ColdError::NoRoot { ref path }
            | ColdError::Damaged { ref path, .. } => {
                PageFault::Read { why: error.to_string().into(), file: shown(path) }
            }
        })
    }
}
