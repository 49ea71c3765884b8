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
        let mut index = IndexDef::new(IndexId(id), "more".into(), IndexKind::NonClustered, unique);
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
