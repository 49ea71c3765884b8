//! `OUTPUT`, to the client and into tables.

use std::sync::Arc;

use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{Permission, TableDef};
use tsql::ast;

use super::effects::Write;
use super::target::Targeted;
use super::values::{Given, Listed};
use super::{AtLine, BindError, BindResult, Binder};
use crate::bind::define::{row_source, substitute_in};
use crate::bind::scalar::{Label, Origin};
use crate::bind::scope::{Clause, Exposed, OutCol, Rows, Source};
use crate::bind::select::{Item, Usage};
use crate::plan::expr::{ColId, Expr};
use crate::plan::tree::{BaseColumn, InsertPlan, Node, OutputColumn, RowEffects, Target};

impl Binder<'_> {
    /// `OUTPUT`: in a block with the statement's sources, or none for an `INSERT`. Errors 158, 330 to
    /// 334, 4104.
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
        if !output.items.is_empty() && effects.keep_transitions {
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
        if new {
            self.row_as_source("inserted", targeted, &targeted.changing.new, is_merge);
        }
        if old {
            self.row_as_source("deleted", targeted, &targeted.changing.old, is_merge);
        }
        self.block().show_all();
        let bound = self.in_clause(Clause::Output, |b| b.output_in_block(output, effects));
        let computed = self.take_computed(first);
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
        if let Some(into) = &output.into {
            effects.output_into = Some(Box::new(self.output_into(into, output.span.line)?));
        }
        if !output.items.is_empty() {
            let items = self.items(&output.items, Usage::Insert)?;
            let mut columns = Vec::with_capacity(items.len());
            for item in items {
                columns.push(self.output_column(item)?);
            }
            effects.output = Some(columns);
        }
        Ok(())
    }

    fn output_column(&mut self, item: Item) -> BindResult<(Expr, OutputColumn)> {
        if item.assign.is_some() {
            let error = SqlError::new(&message::ASSIGNMENT_WITH_RETRIEVAL, &[]);
            return Err(error.at_line(item.line).into());
        }
        let expr = item.scalar.expr;
        let base = item.base.map(|b| BaseColumn { table: b.table, ordinal: b.ordinal });
        let shown = OutputColumn {
            column: self.free_column(),
            name: item.name.unwrap_or_else(|| "".into()),
            ty: expr.ty,
            nullable: expr.nullable,
            base,
        };
        Ok((expr, shown))
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

    /// Adds the old or the new row to the block's sources, under the target's columns.
    fn row_as_source(&mut self, name: &str, targeted: &Targeted, ids: &[ColId], optional: bool) {
        let changing = &targeted.changing;
        let number = self.next_scan();
        let exposed = Exposed { name: name.into(), table: None };
        let named = changing.by_ordinal(ids);
        let source = match targeted.view {
            None => Source {
                exposed,
                optional,
                ..row_source(changing.database, &changing.table, named, number)
            },
            Some(_) => {
                let shown = targeted.columns.iter().filter_map(|c| {
                    let ordinal = c.ordinal?;
                    let def = &changing.table.columns[ordinal];
                    Some(OutCol {
                        id: named[ordinal]?,
                        name: c.name.clone(),
                        ty: def.ty,
                        nullable: def.nullable,
                        label: Label::column(&def.ty),
                        origin: Origin::Plain,
                        base: None,
                    })
                });
                Source { exposed, rows: Rows::Derived(None, shown.collect()), optional, view: None }
            }
        };
        self.block().sources.push(source);
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

/// Errors 331, 332 and 333: a table that has more to say than `OUTPUT INTO` would hear.
fn check_plain(schema: &Schema, table: &Arc<TableDef>) -> BindResult<()> {
    let name = &table.header.name;
    let enabled = |id: &base::ids::ObjectId| {
        schema.module(*id).and_then(|m| m.trigger().map(|t| !t.disabled)).unwrap_or(false)
    };
    let fail = |error: SqlError| Err(BindError::from(error));
    if table.triggers.iter().any(enabled) {
        return fail(SqlError::new(&message::OUTPUT_INTO_TRIGGERS, &[name]));
    }
    if let Some(key) = table.foreign_keys.first() {
        let args: [&dyn std::fmt::Display; 2] = [name, &key.header.name];
        return fail(SqlError::new(&message::OUTPUT_INTO_FOREIGN_KEY, &args));
    }
    if let Some(key) = table.referenced_by.first() {
        let of = schema.table(key.table);
        let key = of.and_then(|t| t.foreign_keys.iter().find(|f| f.header.id == key.constraint));
        let key = key.map_or("", |k| &*k.header.name);
        return fail(SqlError::new(&message::OUTPUT_INTO_FOREIGN_KEY, &[name, &key]));
    }
    if let Some(check) = table.checks.iter().find(|c| !c.disabled) {
        let args: [&dyn std::fmt::Display; 2] = [name, &check.header.name];
        return fail(SqlError::new(&message::OUTPUT_INTO_CHECK, &args));
    }
    Ok(())
}

fn target_span(target: &ast::TargetKind, line: u32) -> ast::Span {
    match target {
        ast::TargetKind::Name(name) => name.span,
        ast::TargetKind::Variable(variable) if variable.span.line > 0 => variable.span,
        ast::TargetKind::Variable(_) => ast::Span { line, ..ast::Span::default() },
    }
}
