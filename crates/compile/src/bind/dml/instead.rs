//! `INSTEAD OF` triggers: the rows that a statement would write are kept for them, and nothing is
//! written.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::ObjectId;
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    ModuleKind, ObjectHeader, Permission, TableDef, TriggerDef, TriggerEventKind,
};
use tsql::ast;

use super::target::{TargetColumn, Targeted, define, not_updatable};
use super::{BindResult, Binder, Changing};
use crate::bind::scope::{OutCol, Rows, ViewColumn, ViewRows};
use crate::plan::tree::{Node, RowEffects, Target};

impl Binder<'_> {
    /// Makes the `INSTEAD OF` triggers of a table take the rows, if it has any.
    pub(super) fn instead_of_table(
        &mut self,
        targeted: &mut Targeted,
        events: &[TriggerEventKind],
    ) -> BindResult<()> {
        let Target::Table { database, table } = &targeted.changing.target else { return Ok(()) };
        let (database, table) = (*database, table.clone());
        if table.triggers.is_empty() {
            return Ok(());
        }
        let schema = self.schema_of(database)?;
        if !self.runs_instead(&schema, &table.triggers, &table.header, events)? {
            return Ok(());
        }
        let table = without_rules(&table);
        targeted.changing.target = Target::Instead { database, table: table.clone() };
        targeted.changing.table = table;
        Ok(())
    }

    /// A view as the target, if its triggers take the rows: what `wanted` is a column of, or any
    /// column of the source. Errors 414, 415, 4403, 4405, 4426, 5316.
    pub(super) fn instead_of_view(
        &mut self,
        top: usize,
        at: usize,
        wanted: Option<&ast::ColumnRef>,
        permission: Permission,
        events: &[TriggerEventKind],
        name: &Arc<str>,
    ) -> BindResult<Option<Targeted>> {
        let found = self.taking_view(top, at, wanted, events)?;
        let Some(found) = found else { return Ok(None) };
        let ViewColumn { rows, permitted, .. } = found;
        let ModuleKind::View { columns: defined, .. } = &rows.view.kind else { return Ok(None) };
        let table = without_rules(&TableDef::shape(rows.view.header.clone(), defined.clone()));
        let is_alone = self.blocks[top].sources.len() == 1;
        let Rows::Derived(Some(node), columns) = &mut self.blocks[top].sources[at].rows else {
            return Ok(None);
        };
        let Some(joined) = pass_on(node, &rows) else {
            return Err(not_updatable(node, wanted.is_some(), name));
        };
        let error = |message, name: &dyn Display| Err(SqlError::new(message, &[name]).into());
        match permission {
            Permission::Update if joined || !is_alone => {
                return error(&message::UPDATE_OF_JOINED_VIEW, &rows.written);
            }
            Permission::Delete if joined || !is_alone => {
                return error(&message::DELETE_OF_JOINED_VIEW, &rows.written);
            }
            Permission::Insert => {}
            _ if joined => return error(&message::VIEW_NOT_UPDATABLE_MULTIPLE_TABLES, name),
            _ => {}
        }
        let shown = |column: &OutCol| {
            let own = column.views.iter().find(|v| Arc::ptr_eq(&v.rows, &rows));
            let value = || {
                let mut value = super::column(column.id, column.ty, column.nullable);
                define(node, &mut value, Some(rows.mark));
                value
            };
            TargetColumn {
                name: column.name.clone(),
                ordinal: own.map(|v| v.ordinal),
                scan: column.base.as_ref().map(|b| b.scan),
                value: own.is_none().then(value),
            }
        };
        let columns = columns.iter().map(shown).collect();
        let (database, old) = (rows.database, rows.columns.clone());
        let new = old.iter().map(|_| self.free_column()).collect();
        let target = Target::Instead { database, table: table.clone() };
        Ok(Some(Targeted {
            changing: Changing { database, table, target, new, old },
            row: self.free_column(),
            at,
            columns,
            view: Some(name.clone()),
            permitted: permitted.unwrap_or((database, rows.view.id())),
            checked: None,
        }))
    }

    /// The outermost view whose triggers take the rows that a column is of.
    fn taking_view(
        &mut self,
        top: usize,
        at: usize,
        wanted: Option<&ast::ColumnRef>,
        events: &[TriggerEventKind],
    ) -> BindResult<Option<ViewColumn>> {
        let Rows::Derived(_, columns) = &self.blocks[top].sources[at].rows else { return Ok(None) };
        let called = |c: &&OutCol| match (wanted, &c.name) {
            (Some(wanted), Some(name)) => self.same_name(name, &wanted.column.name),
            _ => false,
        };
        let candidates: Vec<ViewColumn> = match columns.iter().find(called) {
            Some(named) => named.views.clone(),
            None => columns.iter().flat_map(|c| &c.views).cloned().collect(),
        };
        for column in candidates {
            let ViewRows { database, view, .. } = &*column.rows;
            let schema = self.schema_of(*database)?;
            if self.runs_instead(&schema, &view.triggers, &view.header, events)? {
                return Ok(Some(column));
            }
        }
        Ok(None)
    }

    /// Whether any of these triggers runs in the place of a statement. What such a trigger itself
    /// does to its table or view is done without it. Error 5316.
    fn runs_instead(
        &mut self,
        schema: &Schema,
        triggers: &[ObjectId],
        object: &ObjectHeader,
        events: &[TriggerEventKind],
    ) -> BindResult<bool> {
        if self.options.skip_triggers {
            return Ok(false);
        }
        if self.names.trigger().is_some_and(|t| t.table.id() == object.id) {
            return Ok(false);
        }
        let triggers = self.enabled_triggers(schema, triggers);
        let triggers = triggers.iter().filter(|t| t.instead_of);
        let taken: Vec<TriggerEventKind> =
            triggers.flat_map(|t| t.events.iter().map(|e| e.kind)).collect();
        let count = events.iter().filter(|event| taken.contains(event)).count();
        if count > 0 && count < events.len() {
            return Err(SqlError::new(&message::MERGE_INSTEAD_OF_SOME, &[&object.name]).into());
        }
        Ok(count > 0)
    }

    /// The triggers among these that are enabled. The plan depends on all of them: it is another
    /// one when one is disabled or enabled.
    pub(super) fn enabled_triggers<'s>(
        &mut self,
        schema: &'s Schema,
        triggers: &[ObjectId],
    ) -> Vec<&'s TriggerDef> {
        for id in triggers {
            self.note_object(schema.database(), schema, *id);
        }
        let triggers = triggers.iter().filter_map(|id| schema.module(*id)?.trigger());
        triggers.filter(|t| !t.disabled).collect()
    }
}

/// What follows from a row that triggers take.
pub(super) fn instead_effects(changing: &Changing, new: bool, old: bool) -> RowEffects {
    RowEffects {
        new_columns: if new { changing.new.clone() } else { Vec::new() },
        old_columns: if old { changing.old.clone() } else { Vec::new() },
        keep_transitions: true,
        ..RowEffects::default()
    }
}

/// The shape of the rows that triggers take: any column may be NULL, and the table gives no
/// identity values.
fn without_rules(table: &TableDef) -> Arc<TableDef> {
    let mut columns = table.columns.clone();
    for column in &mut columns {
        column.nullable = true;
        column.identity = None;
    }
    TableDef::shape(table.header.clone(), columns)
}

/// Makes all columns of a view's rows reach the top. Returns whether they pass a join, if all that
/// is between leaves them the view's rows.
fn pass_on(node: &mut Node, rows: &ViewRows) -> Option<bool> {
    match node {
        Node::Compute { columns, .. } if columns.iter().any(|c| c.0 == rows.mark) => Some(false),
        Node::Filter { input, .. }
        | Node::Compute { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. } => pass_on(input, rows),
        Node::Sort { input, columns, .. } | Node::Window { input, columns, .. } => {
            let joined = pass_on(input, rows)?;
            for column in &rows.columns {
                if !columns.contains(column) {
                    columns.push(*column);
                }
            }
            Some(joined)
        }
        Node::NestedLoop { outer, inner, .. } => {
            pass_on(outer, rows).or_else(|| pass_on(inner, rows)).map(|_| true)
        }
        _ => None,
    }
}

/// What a statement that needs this permission for its target does to rows.
pub(super) fn events_of(permission: Permission) -> &'static [TriggerEventKind] {
    match permission {
        Permission::Insert => &[TriggerEventKind::Insert],
        Permission::Update => &[TriggerEventKind::Update],
        Permission::Delete => &[TriggerEventKind::Delete],
        _ => &[],
    }
}
