//! What tests of units share: definitions of tables, and what runs a unit.

use base::ids::{DbId, ObjectId, StorageId};
use base::value::DateTime;
use base::{SqlResult, SqlType, Value};
use engine::catalog::def::*;

use crate::Unit;

/// The database of tests.
pub const DB: DbId = DbId(5);

/// Collects what a run sends.
#[derive(Debug, Default)]
pub struct Collected {
    /// The rows of all result sets.
    pub rows: Vec<Vec<Value>>,
    /// How many result sets were started.
    pub results: usize,
    /// The numbers of messages.
    pub messages: Vec<i32>,
}

/// Runs units in tests. Tests of `compile` run their plans through it.
pub trait RunsUnits {
    /// Variables.
    type Frame: Default;
    /// What a run did.
    type Outcome;

    /// Makes the table of a definition.
    fn create(&mut self, def: &TableDef);

    /// Runs a statement.
    fn run_unit(
        &mut self,
        unit: &Unit,
        frame: &mut Self::Frame,
    ) -> SqlResult<(Collected, Self::Outcome)>;

    /// The value of an expression.
    fn evaluate_unit(&mut self, unit: &Unit, frame: &mut Self::Frame) -> SqlResult<Value>;

    /// Whether a condition is true.
    fn test_unit(&mut self, unit: &Unit, frame: &mut Self::Frame) -> SqlResult<bool>;
}

/// A definition of a table: columns, NULL allowed where said.
pub fn table_def(id: i32, name: &str, columns: &[(&str, SqlType, bool)]) -> TableDef {
    let header = ObjectHeader {
        id: ObjectId(id),
        schema: SchemaId::DBO,
        name: name.into(),
        owner: None,
        created: DateTime { days: 0, ticks: 0 },
        modified: DateTime { days: 0, ticks: 0 },
        ms_shipped: false,
    };
    let mut table = TableDef::new(header, TableKind::MemoryDurable, TableRole::Table);
    table.storage = StorageId(1000 + id as u64);
    for (at, (name, ty, nullable)) in columns.iter().enumerate() {
        let id = ColumnId(at as i32 + 1);
        let mut column = ColumnDef::new(id, (*name).into(), *ty, UserTypeId(56));
        column.nullable = *nullable;
        table.columns.push(column);
    }
    table
}

/// Adds an index over columns by place; negative places (counted from -1) descend.
pub fn with_index(mut table: TableDef, kind: IndexKind, unique: bool, key: &[i32]) -> TableDef {
    let id = table.next_index_id(kind);
    let name = format!("ix{}", table.indexes.len());
    let mut index = IndexDef::new(id, name.as_str().into(), kind, unique);
    index.key = (key.iter())
        .map(|&c| KeyColumn { column: ColumnId(if c < 0 { -c } else { c + 1 }), descending: c < 0 })
        .collect();
    table.indexes.push(index);
    table
}
