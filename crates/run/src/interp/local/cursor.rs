//! Cursors over local tables.

use base::ValueRef;
use engine::hot::key::{KeyBuf, KeyRange};
use ir::object::NextColumn;

use crate::interp::key::key_range;
use crate::interp::local::table::{LocalTable, RowId};

/// How rows are found.
#[derive(Clone, Debug)]
pub enum LocalAccess<'a> {
    /// All rows.
    Full,
    /// By the whole key of an index, or by leading columns of an ordered one.
    Seek {
        /// The index.
        index: usize,
        /// Leading key columns.
        key: &'a [ValueRef<'a>],
    },
    /// A range of an ordered index.
    Range {
        /// The index.
        index: usize,
        /// Leading key columns.
        prefix: &'a [ValueRef<'a>],
        /// The column after them.
        next: NextColumn,
        /// The lower bound on the next one; whether it belongs to the range.
        lower: Option<(ValueRef<'a>, bool)>,
        /// The upper bound on the next one; whether it belongs to the range.
        upper: Option<(ValueRef<'a>, bool)>,
        /// From the end to the start.
        backward: bool,
    },
}

/// Goes through rows of a local table.
#[derive(Debug, Default)]
pub struct LocalCursor {
    /// The rows to come, if not simply all slots below `end`.
    found: Option<Vec<RowId>>,
    /// Memory for `found`.
    spare: Vec<RowId>,
    at: u32,
    end: u32,
}

impl LocalCursor {
    /// Positions it before the first row.
    pub fn open(&mut self, table: &LocalTable, access: &LocalAccess<'_>) {
        if let Some(found) = self.found.take() {
            self.spare = found;
        }
        self.at = 0;
        let mut found = std::mem::take(&mut self.spare);
        found.clear();
        match access {
            LocalAccess::Full => {
                self.spare = found;
                self.end = table.slots();
                return;
            }
            LocalAccess::Seek { index, key } => {
                let spec = table.shape().key(*index);
                let mut encoded = KeyBuf::new();
                spec.encode_values(key, &mut encoded);
                if key.len() == spec.columns() {
                    found.extend_from_slice(table.index_at(*index).get(&encoded));
                } else {
                    table.index_at(*index).range(&KeyRange::prefix(&encoded), false, &mut found);
                }
            }
            LocalAccess::Range { index, prefix, next, lower, upper, backward } => {
                let spec = table.shape().key(*index);
                let range = key_range(spec, *next, prefix, *lower, *upper);
                table.index_at(*index).range(&range, *backward, &mut found);
            }
        }
        self.end = found.len() as u32;
        self.found = Some(found);
    }

    /// The next row.
    #[inline]
    pub fn next<'t>(&mut self, table: &'t LocalTable) -> Option<(RowId, &'t [u8])> {
        while self.at < self.end {
            let id = match &self.found {
                Some(found) => found[self.at as usize],
                None => RowId(self.at),
            };
            self.at += 1;
            if let Some(row) = table.visible(id) {
                return Some((id, row));
            }
        }
        None
    }
}
