//! Rows that a statement has read or written.

use std::fmt;

use base::Arena;

use crate::hot::anchor::{AnchorPtr, RowAt, VersionPtr};
use crate::hot::copies;
use crate::hot::table::Table;
use crate::txn::transaction::Transaction;

/// A version of a row of a table. Its bytes stay where they are for `'s`: as long as the statement
/// is in progress that has read it; those of a copy, which stands for a row that is not in memory,
/// as long as its cursor or arena keeps it.
#[derive(Clone, Copy)]
pub struct RowRef<'s> {
    table: &'s Table,
    at: RowAt,
}

impl<'s> RowRef<'s> {
    /// The row at an address.
    ///
    /// # Safety
    /// The version is a row of the table, or a copy of one, and is protected for `'s` (H2).
    #[inline]
    pub(crate) unsafe fn new(table: &'s Table, at: RowAt) -> RowRef<'s> {
        RowRef { table, at }
    }

    /// The row for which [`RowRef::to_words`] has given these words.
    ///
    /// # Safety
    /// The row is of this table, and still protected for `'s` (H2).
    ///
    /// # Panics
    /// If one of the words is 0.
    #[inline]
    pub unsafe fn from_words(table: &'s Table, bytes: *const u8, name: u64) -> RowRef<'s> {
        let anchor = AnchorPtr::from_address(name).expect("a row has an anchor");
        let version = VersionPtr::of_row(bytes).expect("a row has a version");
        RowRef { table, at: RowAt { anchor, version } }
    }

    /// The row as two words: where its bytes are, and what names it in its table.
    #[inline]
    pub fn to_words(self) -> (*const u8, u64) {
        (self.at.version.row().as_ptr(), self.at.anchor.address())
    }

    /// The table.
    #[inline]
    pub fn table(self) -> &'s Table {
        self.table
    }

    #[inline]
    pub(crate) fn at(self) -> RowAt {
        self.at
    }

    /// Whether it is a copy of a row that is not in memory.
    #[inline]
    pub fn is_copy(self) -> bool {
        self.at.anchor.is_cold()
    }

    /// The same row, copied to the arena if this is a copy, so that it lasts until the arena is
    /// reset.
    #[inline]
    pub fn kept_in(self, arena: &'s Arena) -> RowRef<'s> {
        match self.is_copy() {
            true => RowRef { at: copies::copy_to(arena, self.bytes()), ..self },
            false => self,
        }
    }

    #[inline]
    pub(super) fn bytes(self) -> &'s [u8] {
        // SAFETY: the version is one of the table's, and protected for `'s`.
        unsafe { self.table.row(self.at.version) }
    }
}

/// The words ([`RowRef::to_words`]) of the same row, copied to the arena if they name a copy.
///
/// # Safety
/// They are the words of a row that is still protected (H2).
pub unsafe fn keep_row(bytes: *const u8, name: u64, arena: &Arena) -> (*const u8, u64) {
    if name != AnchorPtr::COLD.address() {
        return (bytes, name);
    }
    let version = VersionPtr::of_row(bytes).expect("a row has a version");
    // SAFETY: a row that is not in memory is a copy, and this one is still there.
    let copy = copies::copy_to(arena, unsafe { copies::bytes_of(version) });
    (copy.version.row().as_ptr(), name)
}

impl fmt::Debug for RowRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.fmt(f)
    }
}

impl Transaction {
    /// The bytes of a row that was read in this transaction.
    #[inline]
    pub fn row<'s>(&'s self, row: RowRef<'s>) -> &'s [u8] {
        row.bytes()
    }
}
