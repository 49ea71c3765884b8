//! Errors of a statement that needs a page of the cold store and cannot get it.

use crate::cold::Place;

/// Why a statement cannot get a page of the cold store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageFault {
    /// The bytes that were read are not those that were written: message 824.
    Damaged {
        /// The mismatch, in the words of the message.
        what: &'static str,
        /// The page.
        page: u64,
        /// Where it is; unknown if the page was whole but its contents make no sense.
        place: Option<Place>,
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
