//! What goes into the columns of a plan: a walk over its operators that carries marks from the
//! columns of tables to what is made of them.
//!
//! Masks ([`super::mask`]) and classifications ([`super::classify`]) are such marks. Conditions,
//! orders and groups carry none.

use std::collections::HashMap;

use base::ids::DbId;
use engine::catalog::def::TableDef;

use crate::plan::expr::{ColId, Expr, ExprKind, Subquery};
use crate::plan::tree::{Node, Source, WindowKind, WorktableId};
use crate::plan::walk::{Part, Parts};

/// Where marks come from, and what becomes of them.
pub(super) trait Rule {
    /// What is known of a value.
    type Mark: Clone + PartialEq;

    /// The mark of a table's column, by its place in the layout.
    fn column(&mut self, database: DbId, table: &TableDef, at: usize) -> Option<Self::Mark>;

    /// The mark of what may be either of two marked values, or is made of both.
    fn either(&self, one: Self::Mark, other: Self::Mark) -> Self::Mark;

    /// The mark of what is computed from a marked value.
    fn computed(&self, from: Self::Mark) -> Self::Mark;

    /// Whether a statement's own document has no mark, since the values in it keep theirs.
    fn passes_over_documents(&self) -> bool;
}

/// What is known of a plan's columns.
#[derive(Clone)]
pub(super) struct Marks<M> {
    /// By column; those without a mark are not there.
    pub columns: HashMap<ColId, M>,
    worktables: HashMap<WorktableId, Vec<Option<M>>>,
}

impl<M> Default for Marks<M> {
    fn default() -> Marks<M> {
        Marks { columns: HashMap::new(), worktables: HashMap::new() }
    }
}

impl<M: Clone> Marks<M> {
    /// Notes the mark of a column, if it has one.
    pub fn note(&mut self, column: ColId, mark: Option<M>) {
        if let Some(mark) = mark {
            self.columns.insert(column, mark);
        }
    }

    fn of(&self, columns: &[ColId]) -> Vec<Option<M>> {
        columns.iter().map(|column| self.columns.get(column).cloned()).collect()
    }
}

/// Whether the rows of an operator go into a statement's own document.
pub(super) fn is_document(input: &Node) -> bool {
    matches!(input, Node::Counted { .. })
}

/// The mark of what may be any of several values.
fn any<R: Rule>(rule: &R, marks: impl IntoIterator<Item = Option<R::Mark>>) -> Option<R::Mark> {
    marks.into_iter().flatten().reduce(|one, other| rule.either(one, other))
}

/// The marks of columns that show what either of two inputs has in their places.
fn joined<R: Rule>(
    rule: &R,
    one: &[Option<R::Mark>],
    other: &[Option<R::Mark>],
) -> Vec<Option<R::Mark>> {
    let pairs = one.iter().zip(other);
    pairs.map(|(one, other)| any(rule, [one.clone(), other.clone()])).collect()
}

/// Finds the marks of what an operator yields.
pub(super) fn find<R: Rule>(rule: &mut R, marks: &mut Marks<R::Mark>, node: &Node) {
    match node {
        Node::OneRow => {}
        Node::Scan(scan) => {
            let args: Vec<&Expr> = match &scan.source {
                Source::Function(_, args) => args.iter().collect(),
                Source::UserFunction(_, args, _) => args.iter().flatten().collect(),
                _ => Vec::new(),
            };
            let made = made_of(rule, marks, args);
            for &(at, column) in &scan.columns {
                let mark = match &scan.source {
                    Source::Table { database, table } => rule.column(*database, table, at),
                    _ => made.clone(),
                };
                marks.note(column, mark);
            }
        }
        Node::Values { columns, rows } => {
            for (at, column) in columns.iter().enumerate() {
                let cells = rows.iter().filter_map(|row| row.get(at));
                let cells: Vec<_> = cells.map(|cell| mark_of(rule, marks, cell)).collect();
                marks.note(*column, any(rule, cells));
            }
        }
        Node::Compute { input, columns } => {
            find(rule, marks, input);
            for (column, value) in columns {
                let mark = mark_of(rule, marks, value);
                marks.note(*column, mark);
            }
        }
        Node::Aggregate { input, groups, aggregates, .. } => {
            find(rule, marks, input);
            for (column, value) in groups {
                let mark = mark_of(rule, marks, value);
                marks.note(*column, mark);
            }
            for (column, aggregate) in aggregates {
                if !(rule.passes_over_documents() && is_document(input)) {
                    let mark = made_of(rule, marks, &aggregate.args);
                    marks.note(*column, mark);
                }
            }
        }
        Node::Window { input, functions, .. } => {
            find(rule, marks, input);
            for (column, function) in functions {
                let mark = match &function.kind {
                    WindowKind::Aggregate(aggregate, _) => made_of(rule, marks, &aggregate.args),
                    WindowKind::Shift { value, default, .. } => {
                        made_of(rule, marks, std::iter::once(value).chain(default))
                    }
                    WindowKind::Edge { value, .. } | WindowKind::Percentile { value, .. } => {
                        made_of(rule, marks, [value])
                    }
                    _ => None,
                };
                marks.note(*column, mark);
            }
        }
        Node::Union { inputs, columns } => {
            inputs.iter().for_each(|(input, _)| find(rule, marks, input));
            for (at, column) in columns.iter().enumerate() {
                let of = inputs.iter().filter_map(|(_, own)| own.get(at));
                let mark = any(rule, of.map(|own| marks.columns.get(own).cloned()));
                marks.note(*column, mark);
            }
        }
        Node::Recursive { worktable, anchor, step, columns, .. } => {
            find(rule, marks, &anchor.0);
            let mut kept = marks.of(&anchor.1);
            // A step can pass a mark from one column to another: each round adds what the previous
            // one has passed on, until nothing is added.
            if let Some(earlier) = marks.worktables.get(worktable) {
                kept = joined(rule, &kept, earlier);
            }
            loop {
                marks.worktables.insert(*worktable, kept.clone());
                find(rule, marks, &step.0);
                let next = joined(rule, &kept, &marks.of(&step.1));
                if next == kept {
                    break;
                }
                kept = next;
            }
            for (column, mark) in columns.iter().zip(kept) {
                marks.note(*column, mark);
            }
        }
        Node::Spool { worktable, input, body } => {
            find(rule, marks, &input.0);
            marks.worktables.insert(*worktable, marks.of(&input.1));
            find(rule, marks, body);
        }
        Node::Worktable { worktable, columns } => {
            let kept = marks.worktables.get(worktable).cloned().unwrap_or_default();
            for (column, mark) in columns.iter().zip(kept) {
                marks.note(*column, mark);
            }
        }
        _ => {
            let mut inputs = Vec::new();
            node.parts(&mut |part| {
                if let Part::Node(input) = part {
                    inputs.push(input);
                }
            });
            inputs.into_iter().for_each(|input| find(rule, marks, input));
        }
    }
}

/// The mark of what is computed from several values.
fn made_of<'e, R: Rule>(
    rule: &mut R,
    marks: &Marks<R::Mark>,
    parts: impl IntoIterator<Item = &'e Expr>,
) -> Option<R::Mark> {
    let found: Vec<_> = parts.into_iter().map(|part| mark_of(rule, marks, part)).collect();
    any(rule, found).map(|mark| rule.computed(mark))
}

/// The mark of a value. Conditions inside it count for nothing.
pub(super) fn mark_of<R: Rule>(
    rule: &mut R,
    marks: &Marks<R::Mark>,
    expr: &Expr,
) -> Option<R::Mark> {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::NextValue(_) => None,
        ExprKind::Column(column) => marks.columns.get(column).cloned(),
        ExprKind::Cast { operand, .. } => {
            let mark = mark_of(rule, marks, operand)?;
            Some(if operand.ty == expr.ty { mark } else { rule.computed(mark) })
        }
        ExprKind::Case { branches, otherwise } => {
            let results = branches.iter().map(|branch| &branch.1);
            let results = results.chain(otherwise.as_deref());
            let found: Vec<_> = results.map(|result| mark_of(rule, marks, result)).collect();
            any(rule, found)
        }
        ExprKind::Subquery(subquery) => mark_of_query(rule, marks, subquery),
        _ => {
            let mut parts = Vec::new();
            expr.parts(&mut |part| {
                if let Part::Expr(part) = part {
                    parts.push(part);
                }
            });
            made_of(rule, marks, parts)
        }
    }
}

fn mark_of_query<R: Rule>(
    rule: &mut R,
    marks: &Marks<R::Mark>,
    subquery: &Subquery,
) -> Option<R::Mark> {
    let mut inside = marks.clone();
    find(rule, &mut inside, &subquery.plan);
    inside.columns.get(&subquery.column).cloned()
}
