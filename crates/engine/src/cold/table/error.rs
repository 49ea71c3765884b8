//! How an access to the trees of a table fails.

use crate::cold::tree::{Tree, TreeError};

/// What a failed access is: an error of pages, or a tree that makes no sense.
pub type ColdResult<T> = Result<T, TreeError>;

/// What a tree's record or entry says makes no sense.
pub(super) fn damaged(tree: Tree, what: &'static str) -> TreeError {
    TreeError::Damaged { page: tree.root(), what }
}
