//! Errors of trees.

use std::fmt;

use crate::cold::ColdError;
use crate::cold::PageNumber;

/// Why a tree could not be read or changed. After an error of a change the caller drops the batch.
#[derive(Clone, Debug)]
pub enum TreeError {
    /// A page cannot be read or allocated.
    Page(ColdError),
    /// A page's bytes are inconsistent, though its checksum is right. SQL Server's message 824.
    Damaged {
        /// The page.
        page: PageNumber,
        /// What is wrong.
        what: &'static str,
    },
    /// The key is longer than a page can take. SQL Server's message 1946.
    KeyTooLong {
        /// Its length.
        len: usize,
        /// The greatest length.
        max: usize,
    },
    /// The value is longer than a tree takes.
    ValueTooLong {
        /// Its length.
        len: usize,
    },
}

/// What is wrong with a page's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Damage(pub &'static str);

impl Damage {
    /// The error, for the page that holds the bytes.
    #[cold]
    pub(super) fn at(self, page: PageNumber) -> TreeError {
        TreeError::Damaged { page, what: self.0 }
    }
}

impl From<ColdError> for TreeError {
    fn from(error: ColdError) -> TreeError {
        TreeError::Page(error)
    }
}

impl TreeError {
    /// Whether a page is damaged, or the device cannot read it.
    pub fn is_damage(&self) -> bool {
        use ColdError::{Checksum, Read};
        matches!(self, TreeError::Damaged { .. } | TreeError::Page(Checksum { .. } | Read(_)))
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::Page(error) => error.fmt(f),
            TreeError::Damaged { page, what } => write!(f, "page {} is damaged: {what}", page.0),
            TreeError::KeyTooLong { len, max } => {
                write!(f, "a key of {len} bytes is longer than {max}")
            }
            TreeError::ValueTooLong { len } => write!(f, "a value of {len} bytes is too long"),
        }
    }
}

impl std::error::Error for TreeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TreeError::Page(error) => Some(error),
            _ => None,
        }
    }
}
