//! The keys of rows, and the names by which rows are locked.

use base::collation::compare::hash_bytes;

use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr, RowAt};
use crate::hot::key::KeyBuf;
use crate::hot::table::Table;

/// The keys that a row has in the indexes of its table.
pub trait RowKeys {
    /// How many indexes there are.
    fn count(&self) -> usize;

    /// The key in one index, if that index holds the row.
    fn key(&self, index: usize) -> Option<KeyBuf>;
}

/// The keys of what is not a row: none.
pub struct NoKeys;

impl RowKeys for NoKeys {
    fn count(&self) -> usize {
        0
    }

    fn key(&self, _: usize) -> Option<KeyBuf> {
        None
    }
}

impl RowKeys for Box<[Option<KeyBuf>]> {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, index: usize) -> Option<KeyBuf> {
        self.get(index).cloned().flatten()
    }
}

/// The keys of a row of a table.
pub(crate) struct KeysOf<'a> {
    pub table: &'a Table,
    pub row: &'a [u8],
}

impl<'a> KeysOf<'a> {
    /// The keys of the row behind an anchor.
    ///
    /// # Safety
    /// The anchor is the table's, and protected for `'a`.
    pub unsafe fn anchor(table: &'a Table, anchor: AnchorPtr) -> KeysOf<'a> {
        // SAFETY: the anchor is the table's and protected, as the caller has promised; the inline
        // version always holds the keys (H3).
        KeysOf { table, row: unsafe { table.row(anchor.inline(table.links())) } }
    }
}

impl<'a> KeysOf<'a> {
    /// The keys of a row that was found.
    ///
    /// # Safety
    /// The row is the table's, and protected for `'a`.
    pub unsafe fn row(table: &'a Table, row: RowAt) -> KeysOf<'a> {
        // SAFETY: the row is the table's and protected, as the caller has promised. A version that
        // was found in memory may be a tombstone, which has no bytes; the anchor always has the
        // keys.
        unsafe {
            match row.anchor.is_cold() {
                true => KeysOf { table, row: table.row(row.version) },
                false => KeysOf::anchor(table, row.anchor),
            }
        }
    }

    /// The name by which the row behind this anchor is locked: the anchor's address or, where rows
    /// sink and come back with another anchor, a hash of its identity key.
    pub fn name(&self, anchor: AnchorPtr) -> u64 {
        if !self.table.is_sinkable() {
            return anchor.address();
        }
        let mut key = KeyBuf::new();
        self.table.log_key(self.row, &mut key);
        name_of(&key)
    }
}

/// The name by which a row with this identity key is locked, in a table whose rows sink.
pub(super) fn name_of(p: &[u8]) -> u64 {
    hash_bytes(p) & ADDRESS_MASK
}

impl RowKeys for KeysOf<'_> {
    fn count(&self) -> usize {
        self.table.links()
    }

    fn key(&self, index: usize) -> Option<KeyBuf> {
        if !self.table.index_holds(index, self.row) {
            return None;
        }
        let mut key = KeyBuf::new();
        self.table.key_spec(index).encode_row(self.table.layout(), self.row, &mut key);
        Some(key)
    }
}
