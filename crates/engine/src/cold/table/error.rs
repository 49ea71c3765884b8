//! Errors of accesses to the trees of a table.

use crate::cold::tree::{Tree, TreeError};

/// The result of an access. Its error is one of pages, or a tree that is damaged.
pub type ColdResult<T> = Result<T, TreeError>;

/// The error of a tree whose record or entry is malformed.
pub(super) fn damaged(tree: Tree, what: &'static str) -> TreeError {
    TreeError::Damaged { page: tree.root(), what }
}
