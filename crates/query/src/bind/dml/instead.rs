//! `INSTEAD OF` triggers: the rows that a statement would write are kept for them, and that is all.

use std::sync::Arc;

use base::ids::ObjectId;
use engine::catalog::Schema;
use engine::catalog::def::{ModuleKind, Permission, TableDef, TriggerEventKind};

use super::target::{TargetColumn, Targeted};
use super::{BindResult, Binder, Changing};
use crate::bind::query::unimplemented;
use crate::bind::scope::Rows;
use crate::plan::expr::ColId;
use crate::plan::tree::{RowEffects, Target};

impl Binder<'_> {
    /// Has the triggers of a table take the rows, if it has such.
    pub(super) fn instead_of_table(
        &mut self,
        targeted: &mut Targeted,
        permission: Permission,
    ) -> BindResult<()> {
        let Target::Table { database, table } = &targeted.changing.target else { return Ok(()) };
        let (database, table) = (*database, table.clone());
        if table.triggers.is_empty() {
            return Ok(());
        }
        let schema = self.schema_of(database)?;
        if !self.runs_instead(&schema, &table.triggers, table.id(), permission)? {
            return Ok(());
        }
        let table = without_rules(&table);
        targeted.changing.target = Target::Instead { database, table: table.clone() };
        targeted.changing.table = table;
        Ok(())
    }

    /// A view as the target, if its triggers take the rows.
    pub(super) fn instead_of_view(
        &mut self,
        top: usize,
        at: usize,
        permission: Permission,
    ) -> BindResult<Option<Targeted>> {
        let source = &self.blocks[top].sources[at];
        let Rows::Derived(_, shown) = &source.rows else { return Ok(None) };
        let Some((database, object)) = source.view else { return Ok(None) };
        let old: Vec<ColId> = shown.iter().map(|c| c.id).collect();
        let schema = self.schema_of(database)?;
        let Some(view) = schema.module(object).cloned() else { return Ok(None) };
        let ModuleKind::View { columns, .. } = &view.kind else { return Ok(None) };
        if !self.runs_instead(&schema, &view.triggers, object, permission)? {
            return Ok(None);
        }
        let table = without_rules(&TableDef::shape(view.header.clone(), columns.clone()));
        let columns = table.columns.iter().enumerate();
        let columns = columns.map(|(ordinal, c)| TargetColumn::of(&c.name, ordinal)).collect();
        let new = old.iter().map(|_| self.free_column()).collect();
        let target = Target::Instead { database, table: table.clone() };
        Ok(Some(Targeted {
            changing: Changing { database, table, target, new, old },
            row: self.free_column(),
            at,
            columns,
            view: Some(view.header.name.clone()),
            permitted: (database, object),
            checked: None,
        }))
    }

    /// Whether one of these triggers runs in the place of what a statement does. What such a trigger
    /// itself does to what it is on is done.
    fn runs_instead(
        &self,
        schema: &Schema,
        triggers: &[ObjectId],
        object: ObjectId,
        permission: Permission,
    ) -> BindResult<bool> {
        if self.options.skip_triggers {
            return Ok(false);
        }
        if self.names.trigger().is_some_and(|t| t.table.id() == object) {
            return Ok(false);
        }
        let event = match permission {
            Permission::Insert => Some(TriggerEventKind::Insert),
            Permission::Update => Some(TriggerEventKind::Update),
            Permission::Delete => Some(TriggerEventKind::Delete),
            _ => None,
        };
        let triggers = triggers.iter().filter_map(|id| schema.module(*id)?.trigger());
        let mut triggers = triggers.filter(|t| t.instead_of && !t.disabled);
        match event {
            Some(event) => Ok(triggers.any(|t| t.events.iter().any(|e| e.kind == event))),
            None if triggers.next().is_some() => {
                Err(unimplemented("MERGE into what has INSTEAD OF triggers", 0))
            }
            None => Ok(false),
        }
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

/// The shape of the rows that triggers take: any column may be NULL, and the table gives no identity
/// values.
fn without_rules(table: &TableDef) -> Arc<TableDef> {
    let mut columns = table.columns.clone();
    for column in &mut columns {
        column.nullable = true;
        column.identity = None;
    }
    TableDef::shape(table.header.clone(), columns)
}
