//! `OUTPUT`, to the client and into tables.

use std::sync::Arc;

use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnDef, Name, Permission, TableDef};
use ir::site::BaseColumn;
use tsql::ast;

use super::effects::Write;
use super::target::{TargetColumn, Targeted};
use super::values::{Given, Listed};
use super::{AtLine, BindError, BindResult, Binder, Changing};
use crate::bind::define::{row_source, substitute, substitute_in};
use crate::bind::scope::{Clause, Exposed, OutCol, Rows, Source};
use crate::bind::select::{Item, Usage};
use crate::plan::expr::{ColId, Expr};
use crate::plan::rename::rename_inside_expr;
use crate::plan::tree::{InsertPlan, Node, ResultColumn, RowEffects, Target};
use crate::plan::walk::uses;

/// A row that `OUTPUT` shows.
#[derive(Clone, Copy)]
enum Row {
    Old,
    /// Alone if there is nothing but new rows: an `INSERT`.
    New {
        alone: bool,
    },
}

impl Binder<'_> {
    /// `OUTPUT`: in a block with the statement's sources, or none for an `INSERT`. Errors 158, 330
    /// to 334, 4104.
    pub(super) fn output(
        &mut self,
        output: &ast::Output,
        targeted: &Targeted,
        write: &Write,
        effects: &mut RowEffects,
    ) -> BindResult<()> {
        let own_block = write.insert && write.update.is_none() && !write.delete;
        let is_merge = write.insert && !own_block;
        let new = write.insert || write.update.is_some();
        let old = write.delete || write.update.is_some();
        let to_client = !output.items.is_empty() && self.inserting.is_none();
        if to_client && effects.keep_transitions {
            let name = &targeted.changing.table.header.name;
            let error = SqlError::new(&message::OUTPUT_WITH_TRIGGERS, &[name]);
            return Err(error.at_line(output.span.line).into());
        }
        // The target itself is not seen, its rows are called `inserted` and `deleted`.
        let hidden = match own_block {
            true => {
                self.open_block(Clause::Output);
                None
            }
            false => {
                let at = targeted.at;
                Some(std::mem::replace(&mut self.block().sources[at], Source::placeholder()))
            }
        };
        let first = self.block().sources.len();
        let mut derived = Vec::new();
        if new {
            self.row_as_source(Row::New { alone: own_block }, targeted, is_merge, &mut derived);
        }
        if old {
            self.row_as_source(Row::Old, targeted, is_merge, &mut derived);
        }
        self.block().show_all();
        let bound = self.in_clause(Clause::Output, |b| b.output_in_block(output, effects));
        let mut computed = self.take_computed(first);
        computed.extend(derived);
        if let Some(hidden) = hidden {
            self.block().sources[targeted.at] = hidden;
            self.block().show_all();
        } else {
            self.close_block();
        }
        bound?;
        for (expr, _) in effects.output.iter_mut().flatten() {
            substitute_in(expr, &computed);
        }
        if let Some(into) = &mut effects.output_into {
            substitute(&mut into.source, &computed);
            for value in &mut into.values {
                if let crate::plan::tree::NewValue::Expr(expr) = value {
                    substitute_in(expr, &computed);
                }
            }
        }
        Ok(())
    }

    fn output_in_block(
        &mut self,
        output: &ast::Output,
        effects: &mut RowEffects,
    ) -> BindResult<()> {
        if let Some(insert) = self.inserting.take() {
            effects.output_into = Some(Box::new(self.insert_of_output(&insert, output)?));
            effects.counts_into = true;
            return Ok(());
        }
        if let Some(into) = &output.into {
            effects.output_into = Some(Box::new(self.output_into(into, output.span.line)?));
        }
        if !output.items.is_empty() {
            let items = self.items(&output.items, Usage::Insert)?;
            refuse_assignments(&items)?;
            let shown = items.into_iter().map(|item| self.shown_item(item));
            effects.output = Some(shown.collect());
        }
        Ok(())
    }

    /// `OUTPUT … INTO`. Errors 120, 121, 213, 330 to 333.
    fn output_into(&mut self, into: &ast::OutputInto, line: u32) -> BindResult<InsertPlan> {
        let items = self.items(&into.items, Usage::Insert)?;
        let target = ast::Target {
            span: target_span(&into.target, line),
            kind: into.target.clone(),
            hints: Vec::new(),
        };
        let line = target.span.line;
        self.open_block(Clause::Other);
        let bound = self.target_source(&target).and_then(|at| {
            if matches!(self.block().sources[at].rows, Rows::Derived(..)) {
                let name = self.block().sources[at].exposed.name.clone();
                return Err(SqlError::new(&message::OUTPUT_INTO_VIEW, &[&name])
                    .at_line(line)
                    .into());
            }
            self.targeted(at, Permission::Insert, None, &target)
        });
        self.close_block();
        let targeted = bound?;
        let changing = &targeted.changing;
        if let Target::Table { database, table } = &changing.target {
            let schema = self.schema_of(*database)?;
            check_plain(&schema, table).at(line)?;
        }
        let columns = match into.columns.is_empty() {
            true => self.unlisted_columns(changing, items.len(), line)?,
            false => {
                let message = match into.columns.len().cmp(&items.len()) {
                    std::cmp::Ordering::Greater => Some(&message::SELECT_LIST_TOO_SHORT),
                    std::cmp::Ordering::Less => Some(&message::SELECT_LIST_TOO_LONG),
                    std::cmp::Ordering::Equal => None,
                };
                if let Some(message) = message {
                    return Err(SqlError::new(message, &[]).at_line(line).into());
                }
                let mut found = Vec::with_capacity(into.columns.len());
                for name in &into.columns {
                    let bare = ast::ColumnRef { qualifier: None, column: name.clone() };
                    found.push((self.target_column(&targeted, &bare)?, name.span));
                }
                self.listed_columns(changing, found.into_iter())?
            }
        };
        let mut given = Vec::with_capacity(items.len());
        for (listed, item) in columns.into_iter().zip(items) {
            let listed = Listed { line: item.line, ..listed };
            let value = self.given_value(changing, listed, Given::Value(item.scalar))?;
            given.push((listed.ordinal, value));
        }
        let values = self.complete_row(changing, given, line)?;
        let effects = self.effects(changing, &Write::insert())?;
        Ok(InsertPlan {
            target: changing.target.clone(),
            source: Node::OneRow,
            values,
            converted: Vec::new(),
            effects,
            lock: None,
        })
    }

    /// Adds the old or the new row to the block's sources, under the target's columns. `derived`
    /// hears of those that no row holds.
    fn row_as_source(
        &mut self,
        row: Row,
        targeted: &Targeted,
        is_merge: bool,
        derived: &mut Vec<(ColId, Expr)>,
    ) {
        let changing = &targeted.changing;
        let number = self.next_scan();
        let (name, ids) = match row {
            Row::New { .. } => ("inserted", &changing.new),
            Row::Old => ("deleted", &changing.old),
        };
        let exposed = Exposed { name: name.into(), table: None };
        let named = changing.by_ordinal(ids);
        // Old and new row of a MERGE may each be missing.
        let optional = is_merge;
        if targeted.view.is_none() {
            let source = row_source(changing.database, &changing.table, named, number);
            self.block().sources.push(Source { exposed, optional, ..source });
            return;
        }
        let mut shown = Vec::with_capacity(targeted.columns.len());
        for column in &targeted.columns {
            let stored = column.ordinal.and_then(|at| Some((named[at]?, at)));
            let (id, ty, nullable) = match stored {
                Some((id, ordinal)) => {
                    let def = &changing.table.columns[ordinal];
                    (id, def.ty, def.nullable)
                }
                None if is_merge => continue,
                None => {
                    let Some(value) = self.derived_value(row, targeted, column) else { continue };
                    let (id, ty, nullable) = (self.free_column(), value.ty, value.nullable);
                    derived.push((id, value));
                    (id, ty, nullable)
                }
            };
            shown.push(OutCol::plain(id, column.name.clone(), ty, nullable));
        }
        let rows = Rows::Derived(None, shown);
        self.block().sources.push(Source { exposed, rows, optional, view: None, written: None });
    }

    /// A column that a view or common table expression makes, for the old or the new row: what is
    /// made of the table's columns is made of the new ones, the rest is as it was found.
    fn derived_value(
        &mut self,
        row: Row,
        targeted: &Targeted,
        column: &TargetColumn,
    ) -> Option<Expr> {
        let mut value = column.value.clone()?;
        if let Row::New { alone } = row {
            let Changing { table, old, new, .. } = &targeted.changing;
            let named = table.stored_columns().zip(old.iter().zip(new));
            let named = named.map(|(c, (&old, &new))| (old, column_of(new, c)));
            substitute_in(&mut value, &named.collect::<Vec<_>>());
            if alone && uses(&value).iter().any(|column| !new.contains(column)) {
                return None;
            }
        }
        rename_inside_expr(&mut value, &mut self.ids);
        Some(value)
    }

    /// Removes the rows again; returns the values of their computed columns that were used.
    fn take_computed(&mut self, first: usize) -> Vec<(ColId, Expr)> {
        let sources = &mut self.block().sources;
        let mut computed = Vec::new();
        for source in sources.drain(first..) {
            if let Rows::Scan(scan) = source.rows {
                computed.extend(scan.computed);
            }
        }
        computed
    }
}

/// Errors 331, 332 and 333: a table with triggers, foreign keys or checks, which `OUTPUT INTO` does
/// not take.
fn check_plain(schema: &Schema, table: &Arc<TableDef>) -> BindResult<()> {
    let name = &table.header.name;
    let fail = |error: SqlError| Err(BindError::from(error));
    if has_triggers(schema, table) {
        return fail(SqlError::new(&message::OUTPUT_INTO_TRIGGERS, &[name]));
    }
    if let Some(key) = relationship_of(schema, table) {
        return fail(SqlError::new(&message::OUTPUT_INTO_FOREIGN_KEY, &[name, &key]));
    }
    if let Some(check) = table.checks.iter().find(|c| !c.disabled) {
        let args: [&dyn std::fmt::Display; 2] = [name, &check.header.name];
        return fail(SqlError::new(&message::OUTPUT_INTO_CHECK, &args));
    }
    Ok(())
}

/// Whether a table has triggers that fire.
pub(super) fn has_triggers(schema: &Schema, table: &TableDef) -> bool {
    let fires = |id: &base::ids::ObjectId| {
        schema.module(*id).is_some_and(|m| m.trigger().is_some_and(|t| !t.disabled))
    };
    table.triggers.iter().any(fires)
}

/// A foreign key that a table has, or else one that refers to it.
pub(super) fn relationship_of(schema: &Schema, table: &TableDef) -> Option<Name> {
    if let Some(key) = table.foreign_keys.first() {
        return Some(key.header.name.clone());
    }
    let key = table.referenced_by.first()?;
    let of = schema.table(key.table)?;
    of.foreign_keys.iter().find(|f| f.header.id == key.constraint).map(|f| f.header.name.clone())
}

/// Error 141: the list of an `OUTPUT` assigns nothing.
pub(super) fn refuse_assignments(items: &[Item]) -> BindResult<()> {
    match items.iter().find(|item| item.assign.is_some()) {
        Some(item) => {
            let error = SqlError::new(&message::ASSIGNMENT_WITH_RETRIEVAL, &[]);
            Err(error.at_line(item.line).into())
        }
        None => Ok(()),
    }
}

impl Binder<'_> {
    fn shown_item(&self, item: Item) -> (Expr, ResultColumn) {
        let expr = item.scalar.expr;
        let shown = ResultColumn {
            name: item.name.unwrap_or_else(|| "".into()),
            ty: expr.ty,
            nullable: expr.nullable,
            base: item.base.map(|b| BaseColumn { table: b.table, ordinal: b.ordinal }),
            schemas: self.schemas_of(&expr.ty),
            classified: None,
        };
        (expr, shown)
    }
}

fn column_of(id: ColId, def: &ColumnDef) -> Expr {
    super::column(id, def.ty, def.nullable)
}

fn target_span(target: &ast::TargetKind, line: u32) -> ast::Span {
    match target {
        ast::TargetKind::Name(name) => name.span,
        ast::TargetKind::Variable(variable) if variable.span.line > 0 => variable.span,
        ast::TargetKind::Variable(_) => ast::Span { line, ..ast::Span::default() },
    }
}
