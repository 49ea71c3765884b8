//! Which rows `INSTEAD OF` triggers of a table get: those that the statement would have changed.
//!
//! A write finds out by itself that a row is gone or has been changed already. Where nothing is
//! written, the query does so: it leaves out the rows that an outer join makes up, and all but one
//! of the matches of one row. Rows are told apart by the key of the index that names them, or by
//! their hidden numbers; those of a view, in a `MERGE`, by numbers that they get before they are
//! joined.

use base::{SqlType, Value};
use engine::catalog::def::{ColumnId, TableDef};
use engine::catalog::naming_index;
use ir::operator::CompareOp;

use super::target::Targeted;
use super::{Binder, column};
use crate::bind::scalar::Scalar;
use crate::bind::select::{computed, filtered};
use crate::plan::expr::{ColId, Expr, Pred};
use crate::plan::tree::{JoinKind, Node, Scan, Source, WindowFunction, WindowKind};
use crate::plan::walk;

/// What joins between a statement and the scan of its target may do to the scan's rows.
#[derive(Clone, Copy, Default)]
struct Joins {
    /// Yield them several times.
    repeat: bool,
    /// Yield NULLs in the place of one.
    fill: bool,
}

impl Binder<'_> {
    /// Rows of a target whose triggers take them, each once, with all columns.
    pub(super) fn once(&mut self, mut input: Node, targeted: &Targeted) -> Node {
        let Some(joins) = joins_above(&input, targeted.row) else { return input };
        let number = self.free_column();
        let mark = joins.fill.then(|| self.free_column());
        let mut found = Found { old: &targeted.changing.old, number, mark, key: Vec::new() };
        found.complete(&mut input, targeted.row);
        let Found { key, .. } = found;
        if let Some(mark) = mark {
            let missing = Pred::IsNull(column(mark, SqlType::int(), true));
            input = filtered(input, Some(Pred::Not(Box::new(missing))));
        }
        if !joins.repeat {
            return input;
        }
        let (numbered, place) = self.numbered(input, key, targeted.row);
        filtered(numbered, Some(is_first(place)))
    }

    /// Rows of a `MERGE`'s target whose triggers take them, with what is not NULL where there is a
    /// row, and what tells rows apart, if that is asked for.
    pub(super) fn told_apart(
        &mut self,
        mut rows: Node,
        targeted: &Targeted,
        apart: bool,
    ) -> (Node, TargetRows) {
        let mark = self.free_column();
        if joins_above(&rows, targeted.row).is_some() {
            let (old, number) = (&targeted.changing.old, self.free_column());
            let mut found = Found { old, number, mark: Some(mark), key: Vec::new() };
            found.complete(&mut rows, targeted.row);
            let key = found.key;
            return (rows, TargetRows { mark, key });
        }
        let one = Scalar::constant(SqlType::int(), Value::Int(1)).expr;
        rows = computed(rows, vec![(mark, one)]);
        if !apart {
            return (rows, TargetRows { mark, key: Vec::new() });
        }
        // Any view: the rows have no key.
        let (rows, place) = self.numbered(rows, Vec::new(), targeted.row);
        (rows, TargetRows { mark, key: vec![column(place, SqlType::bigint(), true)] })
    }

    /// Rows with their numbers among those of one key, without their names.
    pub(super) fn numbered(&mut self, input: Node, key: Vec<Expr>, row: ColId) -> (Node, ColId) {
        let mut columns = walk::outputs(&input);
        columns.retain(|c| *c != row);
        let place = self.free_column();
        let function = WindowFunction { kind: WindowKind::RowNumber, ty: SqlType::bigint() };
        let numbered = Node::Window {
            input: Box::new(input),
            partition: key,
            order: Vec::new(),
            functions: vec![(place, function)],
            columns,
        };
        (numbered, place)
    }
}

/// A `MERGE`'s target whose triggers take the rows.
pub(super) struct TargetRows {
    /// Is not NULL where there is a row.
    pub mark: ColId,
    /// The key that identifies a row.
    pub key: Vec<Expr>,
}

/// Whether a row is the first of its key.
pub(super) fn is_first(place: ColId) -> Pred {
    let ty = SqlType::bigint();
    let first = Scalar::constant(ty, Value::Int(1)).expr;
    Pred::Compare(CompareOp::Eq, column(place, ty, true), first)
}

/// The scan whose rows have this name, while it is given what is needed of it.
struct Found<'t> {
    /// The names of its columns by layout position.
    old: &'t [ColId],
    /// The name of its hidden row number.
    number: ColId,
    /// What is not NULL where there is a row, if the caller asks for it.
    mark: Option<ColId>,
    /// What tells its rows apart.
    key: Vec<Expr>,
}

impl Found<'_> {
    /// Makes all of the scan's columns reach the top. Returns those that are new, if the scan is
    /// there.
    fn complete(&mut self, node: &mut Node, row: ColId) -> Option<Vec<ColId>> {
        match node {
            Node::Scan(scan) if scan.row == Some(row) => {
                let mut added = self.read_all(scan);
                if let Some(mark) = self.mark {
                    let one = Scalar::constant(SqlType::int(), Value::Int(1)).expr;
                    let scan = std::mem::replace(node, Node::OneRow);
                    *node = computed(scan, vec![(mark, one)]);
                    added.push(mark);
                }
                Some(added)
            }
            Node::Filter { input, .. }
            | Node::Compute { input, .. }
            | Node::Top { input, .. }
            | Node::Offset { input, .. } => self.complete(input, row),
            Node::Sort { input, columns, .. } | Node::Window { input, columns, .. } => {
                let added = self.complete(input, row)?;
                columns.extend(&added);
                Some(added)
            }
            Node::NestedLoop { outer, inner, .. } => {
                self.complete(outer, row).or_else(|| self.complete(inner, row))
            }
            _ => None,
        }
    }

    fn read_all(&mut self, scan: &mut Scan) -> Vec<ColId> {
        let mut added = Vec::new();
        let Source::Table { table, .. } = &scan.source else { return added };
        for (position, &old) in self.old.iter().enumerate() {
            if !scan.columns.iter().any(|c| c.0 == position) {
                scan.columns.push((position, old));
                added.push(old);
            }
        }
        self.key = match naming_index(table) {
            Some(index) => key_of(table, index, self.old),
            None => {
                let position = table.stored_columns().count();
                let used = scan.columns.iter().find(|c| c.0 == position).map(|c| c.1);
                let number = used.unwrap_or(self.number);
                if used.is_none() {
                    scan.columns.push((position, number));
                    added.push(number);
                }
                vec![column(number, SqlType::bigint(), true)]
            }
        };
        added
    }
}

/// The columns of an index, by the names that they have by layout position.
fn key_of(table: &TableDef, index: usize, names: &[ColId]) -> Vec<Expr> {
    let part = |id: ColumnId| {
        let ordinal = table.column_ordinal(id)?;
        let name = *names.get(table.layout_position(ordinal)?)?;
        Some(column(name, table.columns[ordinal].ty, true))
    };
    table.indexes[index].key.iter().filter_map(|k| part(k.column)).collect()
}

/// The joins above the scan whose rows have this name, if it is there.
fn joins_above(node: &Node, row: ColId) -> Option<Joins> {
    match node {
        Node::Scan(scan) => (scan.row == Some(row)).then(Joins::default),
        Node::Filter { input, .. }
        | Node::Compute { input, .. }
        | Node::Window { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Sort { input, .. } => joins_above(input, row),
        Node::NestedLoop { kind, outer, inner, .. } => {
            use JoinKind::{FullOuter, LeftOuter, RightOuter};
            let (joins, filled) = match joins_above(outer, row) {
                Some(joins) => (joins, matches!(kind, RightOuter | FullOuter)),
                None => (joins_above(inner, row)?, matches!(kind, LeftOuter | FullOuter)),
            };
            Some(Joins { repeat: true, fill: joins.fill || filled })
        }
        _ => None,
    }
}
