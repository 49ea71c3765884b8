//! The specification of an index, and other types of its interface.

use crate::hot::account::Account;
use crate::hot::key::KeySpec;
use crate::hot::row::RowLayout;
use crate::sync::Arc;

/// What the caller of [`Index::insert`](super::Index::insert) says about another anchor with the
/// same key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertCheck {
    /// It does not prevent the insert.
    Allow,
    /// The insert must not happen.
    Refuse,
}

/// The specification of an index.
#[derive(Clone, Debug)]
pub struct IndexShape {
    /// The layout of the rows.
    pub layout: Arc<RowLayout>,
    /// The key.
    pub key: Arc<KeySpec>,
    /// Which of an anchor's link words is this index's.
    pub ordinal: usize,
    /// How many link words an anchor has.
    pub links: usize,
    /// Whether at most one live row has a key.
    pub unique: bool,
    /// Charged for the index's own memory, and for nothing else.
    pub account: Arc<Account>,
}

/// Memory of an index, without the rows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IndexMemory {
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Bytes of these that are used.
    pub used_bytes: u64,
}
