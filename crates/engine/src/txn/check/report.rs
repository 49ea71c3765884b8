//! What a check of a table reports.

/// Faults kept at most; the others are only counted.
const FAULTS_MAX: usize = 100;

/// The result of a check.
#[derive(Debug, Default)]
pub struct TableCheck {
    /// Rows that the snapshot sees.
    pub rows: u64,
    /// Bytes of these rows.
    pub row_bytes: u64,
    /// The first faults.
    pub faults: Vec<TableFault>,
    /// How many there were.
    pub fault_count: u64,
    /// Pages of its trees that cannot be read. Rows on them are not among those above.
    pub lost: Vec<LostPage>,
}

/// Something that is wrong with a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFault {
    /// A row's variable-length columns do not follow each other; this is the first that does not.
    Offsets {
        /// Ordinal of the column.
        column: usize,
    },
    /// A value that its column's type does not have.
    Value {
        /// Ordinal of the column.
        column: usize,
    },
    /// An index does not lead to a row.
    Missing {
        /// Ordinal of the index.
        index: usize,
    },
    /// An index leads to something that is not one of its rows.
    Extra {
        /// Ordinal of the index.
        index: usize,
    },
    /// A range index is out of order.
    Order {
        /// Ordinal of the index.
        index: usize,
    },
    /// An index has a row twice, or a unique one two rows with the same key.
    Duplicate {
        /// Ordinal of the index.
        index: usize,
    },
}

impl TableCheck {
    /// Adds a fault that was found `count` times.
    pub(super) fn add(&mut self, fault: TableFault, count: u64) {
        self.fault_count += count;
        let room = (FAULTS_MAX - self.faults.len()) as u64;
        self.faults.extend((0..count.min(room)).map(|_| fault));
    }
}

/// A page that cannot be read, or whose contents make no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostPage {
    /// Ordinal of the index.
    pub index: usize,
    /// The file's number; 0 if it is not known.
    pub file: u16,
    /// The page's number.
    pub page: u64,
    /// Why.
    pub what: &'static str,
    /// Whether the system refused to read it.
    pub is_refused: bool,
    /// Whether it holds part of a long value.
    pub is_overflow: bool,
}
