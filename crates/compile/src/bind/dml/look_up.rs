//! Scans for the rows with a given key: what foreign keys look for.

use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::def::{ColumnId, IndexDef, IndexKind, TableDef};
use ir::operator::{CastMode, CompareOp};
use ir::read::ReadOptions;

use super::{Binder, Changing};
use crate::plan::expr::{ColId, Expr, Pred};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, Node, Scan, Source};

/// A column and the value that it must have.
#[derive(Clone, Debug)]
pub(super) struct KeyValue {
    /// The column of the table that is searched.
    pub column: ColumnId,
    /// Its value, of about the column's type.
    pub value: Expr,
}

impl Binder<'_> {
    /// The row that must be there with these values of a unique key.
    pub(super) fn referenced_row(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        values: Vec<KeyValue>,
    ) -> Node {
        self.key_scan((database, table), values, (Vec::new(), None), ReadOptions::default())
    }

    /// The rows that have these values of a foreign key, as they are when no other transaction is
    /// changing them.
    pub(super) fn referencing_rows(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        values: Vec<KeyValue>,
        names: (Vec<(usize, ColId)>, Option<ColId>),
    ) -> Node {
        let options = ReadOptions { newest: true, ..ReadOptions::default() };
        self.key_scan((database, table), values, names, options)
    }

    /// Whether a row under one of its sets of names has these values.
    pub(super) fn has_values(
        &mut self,
        row: &Changing,
        names: &[ColId],
        values: &[KeyValue],
    ) -> Pred {
        let equal = |value: &KeyValue| {
            let own = row.value_of(names, value.column)?;
            let value = self.cast(value.value.clone(), own.ty, CastMode::Explicit);
            Some(Pred::Compare(CompareOp::Eq, own, value))
        };
        Pred::And(values.iter().filter_map(equal).collect())
    }

    /// The rows of a table that have these values; by an index if one helps.
    fn key_scan(
        &mut self,
        (database, table): (DbId, &Arc<TableDef>),
        mut values: Vec<KeyValue>,
        (mut columns, row): (Vec<(usize, ColId)>, Option<ColId>),
        options: ReadOptions,
    ) -> Node {
        for value in &mut values {
            if let Some(column) = table.column(value.column) {
                let expr = value.value.clone();
                value.value = self.cast(expr, column.ty, CastMode::Explicit);
            }
        }
        let (access, taken) = best_access(table, &values);
        let mut left = Vec::new();
        for value in values.iter().filter(|v| !taken.contains(&v.column)) {
            let Some(at) = table.column_ordinal(value.column) else { continue };
            let Some(position) = table.layout_position(at) else { continue };
            let known = columns.iter().find(|c| c.0 == position).map(|c| c.1);
            let id = known.unwrap_or_else(|| {
                let id = self.free_column();
                columns.push((position, id));
                id
            });
            let def = &table.columns[at];
            let own = super::column(id, def.ty, def.nullable);
            left.push(Pred::Compare(CompareOp::Eq, own, value.value.clone()));
        }
        let residual = match left.len() {
            0 | 1 => left.pop(),
            _ => Some(Pred::And(left)),
        };
        Node::Scan(Box::new(Scan {
            source: Source::Table { database, table: table.clone() },
            columns,
            access,
            residual,
            row,
            options,
            hint: AccessHint::default(),
        }))
    }
}

/// The best way to the rows with these values, and the columns that it takes care of.
fn best_access(table: &TableDef, values: &[KeyValue]) -> (Access, Vec<ColumnId>) {
    let mut best = (0, Access::Full, Vec::new());
    for (at, index) in table.indexes.iter().enumerate() {
        if index.disabled || index.filter.is_some() {
            continue;
        }
        let prefix = prefix_of(index, values);
        let whole = prefix.len() == index.key.len();
        let score = match index.kind {
            IndexKind::Hash if !whole => 0,
            IndexKind::Hash => 2 * prefix.len() + 1 + usize::from(index.unique) * 100,
            _ => 2 * prefix.len() + usize::from(index.unique && whole) * 100,
        };
        if score <= best.0 {
            continue;
        }
        let taken = index.key[..prefix.len()].iter().map(|k| k.column).collect();
        let access = match index.kind {
            IndexKind::Hash => Access::Seek { index: at, key: prefix },
            _ => Access::Range { index: at, prefix, lower: None, upper: None, backward: false },
        };
        best = (score, access, taken);
    }
    (best.1, best.2)
}

/// The values of an index's leading columns.
fn prefix_of(index: &IndexDef, values: &[KeyValue]) -> Vec<Expr> {
    let of = |column: ColumnId| values.iter().find(|v| v.column == column);
    index.key.iter().map_while(|k| of(k.column)).map(|v| v.value.clone()).collect()
}
