//! From a table's definition to what the engine makes the table from.

use crate::hot::filter::{self, FilterOp, RowFilter};
use crate::hot::identity::block_of;
use crate::hot::key::KeyColumn as EngineKeyColumn;
use crate::hot::table::{
    ConflictPolicy, IdentitySpec, IndexKind as EngineIndexKind, IndexSpec, TableSpec,
};

use super::def::*;

/// What the table of a definition is made from. Its indexes are in the order of
/// [`TableDef::indexes`], so that places there are ordinals in the engine, and its columns are
/// [`TableDef::stored_columns`].
///
/// # Panics
/// If an index names a column that the table does not have or does not store.
pub fn table_spec(table: &TableDef, logged_database: bool) -> TableSpec {
    TableSpec {
        storage: table.storage,
        columns: table.stored_columns().map(|c| c.ty).collect(),
        // Another layout is another storage, so that one number will do.
        layout_number: 1,
        indexes: table.indexes.iter().map(|index| index_spec(table, index)).collect(),
        logged: logged_database && table.kind != TableKind::MemorySchemaOnly,
        catalog: false,
        conflicts: match table.kind.is_memory_optimized() {
            true => ConflictPolicy::FirstWriterWins,
            false => ConflictPolicy::Wait,
        },
        identity: table
            .identity_column()
            .and_then(|(_, c)| Some((c.identity?, block_of(c.ty.kind))))
            .map(|(IdentityDef { seed, increment, .. }, block)| IdentitySpec {
                seed,
                increment,
                block,
            }),
        caches_rows: table.row_cached,
    }
}

/// The index by whose key rows are named in the log, and in whose order the tree with a table's
/// sunk rows is: the place that [`TableSpec::log_index`] gives. Nothing where a hidden row number
/// names rows.
pub fn naming_index(table: &TableDef) -> Option<usize> {
    let whole = |index: &&IndexDef| index.unique && !index.disabled && index.filter.is_none();
    let indexes = table.indexes.iter().enumerate().filter(|(_, index)| whole(index));
    indexes.min_by_key(|(_, index)| index.key.len()).map(|(place, _)| place)
}

/// Whether rows of one definition can stay where they are under the other: same columns, same
/// indexes, kept in the same way.
pub fn rows_stay(old: &TableDef, new: &TableDef) -> bool {
    let spec =
        |table| TableSpec { storage: NO_STORAGE, caches_rows: false, ..table_spec(table, true) };
    old.kind == new.kind && spec(old) == spec(new)
}

fn index_spec(table: &TableDef, index: &IndexDef) -> IndexSpec {
    IndexSpec {
        kind: match index.kind {
            IndexKind::Hash => {
                EngineIndexKind::Hash { bucket_count: index.bucket_count.unwrap_or(1).into() }
            }
            IndexKind::Clustered | IndexKind::NonClustered => EngineIndexKind::Range,
        },
        columns: index.key.iter().map(|column| key_column(table, column)).collect(),
        // A disabled index is kept up, so that places do not shift, but it does not forbid
        // anything.
        unique: index.unique && !index.disabled,
        filter: index.filter.as_ref().map(|filter| RowFilter {
            terms: filter.terms.iter().map(|term| filter_term(table, term)).collect(),
        }),
    }
}

/// The place of a column in the row layout.
fn layout_place(table: &TableDef, column: ColumnId) -> usize {
    let ordinal = table.column_ordinal(column).expect("an index is on columns of its table");
    table.layout_position(ordinal).expect("what an index is on is stored")
}

fn key_column(table: &TableDef, key: &KeyColumn) -> EngineKeyColumn {
    let nullable = table.column(key.column).is_some_and(|c| c.nullable);
    EngineKeyColumn {
        column: layout_place(table, key.column),
        descending: key.descending,
        nullable,
    }
}

fn filter_term(table: &TableDef, term: &FilterTerm) -> filter::FilterTerm {
    let test = match &term.test {
        FilterTest::IsNull => filter::FilterTest::IsNull,
        FilterTest::IsNotNull => filter::FilterTest::IsNotNull,
        FilterTest::Compare(comparison, value) => {
            filter::FilterTest::Compare(filter_op(*comparison), value.clone())
        }
        FilterTest::In(values) => filter::FilterTest::In(values.clone().into()),
    };
    filter::FilterTerm { column: layout_place(table, term.column), test }
}

fn filter_op(comparison: Comparison) -> FilterOp {
    match comparison {
        Comparison::Equal => FilterOp::Equal,
        Comparison::NotEqual => FilterOp::NotEqual,
        Comparison::Less => FilterOp::Less,
        Comparison::LessOrEqual => FilterOp::LessOrEqual,
        Comparison::Greater => FilterOp::Greater,
        Comparison::GreaterOrEqual => FilterOp::GreaterOrEqual,
    }
}

#[cfg(test)]
mod tests;
