//! How long the keys of indexes may be.

use base::TypeKind;
use engine::catalog::def::{ColumnDef, IndexDef, IndexKind, TableDef};

/// The widest keys, in bytes: of a clustered index, of any other, of one in memory.
const CLUSTERED_KEY_MAX: usize = 900;
const NONCLUSTERED_KEY_MAX: usize = 1700;
const MEMORY_KEY_MAX: usize = 2500;

/// How long the entries of an index may be.
#[derive(Clone, Copy, Debug)]
pub struct KeyLimit {
    /// Bytes of the key.
    pub bytes: usize,
    /// What messages call the index.
    pub kind: &'static str,
}

impl KeyLimit {
    /// The limit of an index; hash indexes have none.
    pub fn of(table: &TableDef, index: &IndexDef) -> Option<KeyLimit> {
        let (bytes, kind) = match index.kind {
            IndexKind::Hash => return None,
            _ if table.kind.is_memory_optimized() => (MEMORY_KEY_MAX, "nonclustered"),
            IndexKind::Clustered => (CLUSTERED_KEY_MAX, "clustered"),
            IndexKind::NonClustered => (NONCLUSTERED_KEY_MAX, "nonclustered"),
        };
        Some(KeyLimit { bytes, kind })
    }

    /// Whether the columns of the key are never longer.
    pub fn holds(&self, table: &TableDef, index: &IndexDef) -> bool {
        let columns = index.key.iter().filter_map(|key| table.column(key.column));
        columns.map(|column| column.ty.byte_limit()).fold(0, usize::saturating_add) <= self.bytes
    }
}

/// Whether values of a column's type take as many bytes as they have.
pub fn is_variable(column: &ColumnDef) -> bool {
    use TypeKind::*;
    matches!(column.ty.kind, VarChar | NVarChar | VarBinary | SqlVariant | HierarchyId)
}
