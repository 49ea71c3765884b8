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
    let spec = |table| TableSpec { storage: NO_STORAGE, ..table_spec(table, true) };
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
mod tests {
    use base::ids::{ObjectId, StorageId};
    use base::{SqlType, Value};

    use super::*;

    fn table() -> TableDef {
        let header = ObjectHeader {
            id: ObjectId(1),
            schema: SchemaId::DBO,
            name: "t".into(),
            owner: None,
            created: DateTime { days: 0, ticks: 0 },
            modified: DateTime { days: 0, ticks: 0 },
            ms_shipped: false,
        };
        let mut table = TableDef::new(header, TableKind::MemoryDurable, TableRole::Table);
        table.storage = StorageId(2000);
        let columns = [("id", SqlType::int()), ("twice", SqlType::int()), ("n", SqlType::bigint())];
        for (place, (name, ty)) in columns.into_iter().enumerate() {
            // Ids have gaps once a column was dropped.
            let id = ColumnId(2 * place as i32 + 1);
            table.columns.push(ColumnDef::new(id, name.into(), ty, UserTypeId(56)));
        }
        table.columns[0].nullable = false;
        table.columns[0].identity =
            Some(IdentityDef { seed: 10, increment: 5, not_for_replication: false });
        table.columns[1].computed = Some(ComputedDef {
            definition: "([id]*(2))".into(),
            persisted: false,
            stored: false,
            uses_database_collation: false,
            columns: vec![ColumnId(1)],
            references: Vec::new(),
        });
        let mut index = IndexDef::new(IndexId(2), "ix".into(), IndexKind::NonClustered, true);
        index.key = vec![
            KeyColumn { column: ColumnId(5), descending: true },
            KeyColumn { column: ColumnId(1), descending: false },
        ];
        index.filter = Some(FilterDef {
            definition: "([n]>(3))".into(),
            terms: vec![FilterTerm {
                column: ColumnId(5),
                test: FilterTest::Compare(Comparison::Greater, Value::Int(3)),
            }],
        });
        table.indexes.push(index);
        table
    }

    #[test]
    fn columns_are_named_by_their_place_in_the_row() {
        let spec = table_spec(&table(), true);
        assert_eq!(spec.columns, [SqlType::int(), SqlType::bigint()]);
        let key = &spec.indexes[0].columns;
        assert_eq!((key[0].column, key[0].descending, key[0].nullable), (1, true, true));
        assert_eq!((key[1].column, key[1].descending, key[1].nullable), (0, false, false));
        assert_eq!(spec.indexes[0].filter.as_ref().map(|f| f.terms[0].column), Some(1));
        assert_eq!(spec.identity, Some(IdentitySpec { seed: 10, increment: 5, block: 1000 }));
    }

    #[test]
    fn the_kind_of_table_decides_about_conflicts_and_logging() {
        let mut table = table();
        let spec = table_spec(&table, true);
        assert_eq!((spec.conflicts, spec.logged), (ConflictPolicy::FirstWriterWins, true));
        table.kind = TableKind::MemorySchemaOnly;
        assert!(!table_spec(&table, true).logged);
        table.kind = TableKind::Disk;
        let spec = table_spec(&table, false);
        assert_eq!((spec.conflicts, spec.logged), (ConflictPolicy::Wait, false));
    }

    #[test]
    fn the_index_that_names_rows_is_the_one_that_the_engine_takes() {
        let mut table = table();
        assert_eq!((naming_index(&table), table_spec(&table, true).log_index()), (None, None));
        // Two columns, one column, one column, and one that is not unique.
        for (id, columns, unique) in [(3, 2, true), (4, 1, true), (5, 1, true), (6, 1, false)] {
            let mut index =
                IndexDef::new(IndexId(id), "more".into(), IndexKind::NonClustered, unique);
            index.key = vec![KeyColumn { column: ColumnId(1), descending: false }; columns];
            table.indexes.push(index);
        }
        for disabled in 2..=4 {
            let named = naming_index(&table);
            assert_eq!(named, table_spec(&table, true).log_index());
            assert_eq!(named, [None, None, Some(2), Some(3), Some(1)][disabled]);
            table.indexes[disabled].disabled = true;
        }
    }

    #[test]
    fn rows_stay_when_only_names_and_constraints_change() {
        let old = table();
        let mut new = old.clone();
        new.columns[2].name = "renamed".into();
        new.header.name = "other".into();
        new.indexes[0].name = "ix2".into();
        assert!(rows_stay(&old, &new));
        new.indexes[0].disabled = true;
        assert!(!rows_stay(&old, &new));
        let mut new = old.clone();
        new.columns[1].computed.as_mut().expect("it is computed").stored = true;
        assert!(!rows_stay(&old, &new));
        let mut new = old.clone();
        new.columns[0].nullable = true;
        assert!(!rows_stay(&old, &new), "the key is encoded in another way");
    }
}
