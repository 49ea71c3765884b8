//! `ALTER TABLE`, `TRUNCATE TABLE`, and switching triggers.
//!
//! Every change makes a new [`TableDef`] of the old one and puts it in its place. If rows cannot
//! stay as they are ([`rebuild`]), the table is rebuilt: each row is copied into a new storage.

mod add;
pub(super) mod columns;
mod constraints;
pub(super) mod drops;
pub(super) mod rebuild;

pub use constraints::distrust;
pub(super) use constraints::verify_entries;

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, ObjectDef, Schema};
use tsql::ast::{self, AlterTableAction, TriggerTarget};

use super::failure::{DdlResult, raised};
use super::table::{self, Builder, Purpose, Setting};
use super::{derived_index, indexed_view, module, place, temporal, tracking};
use crate::context::Context;
use crate::ddl::names::DefinitionNames;

type Shown<'a> = &'a dyn std::fmt::Display;

/// A table that is being altered.
pub(super) struct Altered {
    /// Its database.
    pub database: DbId,
    /// The schema as it was before.
    pub schema: Arc<Schema>,
    /// The table as it was before.
    pub old: Arc<TableDef>,
}

impl Altered {
    /// The table's name, as messages show it.
    pub fn name(&self) -> Name {
        table::shown_name(&self.old.header.name)
    }

    /// The place of a column. Error 4924.
    pub fn column(&self, action: &str, name: &str) -> DdlResult<usize> {
        let same = |c: &ColumnDef| self.schema.same_name(&c.name, name);
        self.old.columns.iter().position(same).ok_or_else(|| {
            let table = self.name();
            let args: [Shown; 3] = [&action, &name, &table];
            SqlError::new(&message::ALTER_COLUMN_NOT_FOUND, &args).into()
        })
    }

    /// A copy to be changed, with the date of now.
    pub fn copy(&self, context: &Context<'_>) -> TableDef {
        let mut new = TableDef::clone(&self.old);
        new.header.modified = context.now();
        new
    }
}

/// `ALTER TABLE`.
pub fn alter_table(context: &mut Context<'_>, alter: &ast::AlterTable) -> DdlResult<()> {
    let missing = &message::ALTER_OBJECT_NOT_FOUND;
    let (database, schema, old) = place::table_to_change(context, &alter.table, missing)?;
    let altered = Altered { database, schema, old };
    let changes_rows =
        !matches!(alter.action, AlterTableAction::ToggleTrigger { .. } | AlterTableAction::Set(_));
    if altered.old.kind.is_memory_optimized() && changes_rows {
        table::refuse_transaction(context)?;
    }
    temporal::refuse_altered(context, &altered, &alter.action)?;
    tracking::refuse_altered(&altered, &alter.action)?;
    act(context, &altered, &alter.action)?;
    temporal::follow(context, &altered)
}

fn act(context: &mut Context<'_>, altered: &Altered, action: &AlterTableAction) -> DdlResult<()> {
    let database = altered.database;
    match action {
        AlterTableAction::Add { check, elements } => add::add(context, altered, *check, elements),
        AlterTableAction::AlterColumn(change) => columns::alter(context, altered, change),
        AlterTableAction::Drop(drops) => drops::drop(context, altered, drops),
        AlterTableAction::ToggleConstraint { check, enable, names } => {
            constraints::toggle(context, altered, *check, *enable, names)
        }
        AlterTableAction::ToggleTrigger { enable, names } => {
            let triggers = named_triggers(altered, names)?;
            switch_triggers(context, database, triggers, *enable)
        }
        AlterTableAction::RebuildIndex { index, options } => {
            super::index::rebuild(context, altered, Some(&index.name), options)
        }
        AlterTableAction::Rebuild { partition: None, options } => {
            super::index::rebuild(context, altered, None, options)
        }
        AlterTableAction::Rebuild { .. } => unimplemented("PARTITION"),
        AlterTableAction::ChangeTracking { enable: true, columns } => {
            tracking::enable(context, altered, *columns)
        }
        AlterTableAction::ChangeTracking { enable: false, .. } => {
            tracking::disable(context, altered)
        }
        AlterTableAction::Switch { .. } => unimplemented("SWITCH"),
        AlterTableAction::Set(options) => set(context, altered, options),
    }
}

fn unimplemented(what: &str) -> DdlResult<()> {
    Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into())
}

/// `SET (…)`.
fn set(
    context: &mut Context<'_>,
    altered: &Altered,
    options: &[ast::TableOption],
) -> DdlResult<()> {
    if let Some(versioning) = temporal::option_of(options)? {
        temporal::set(context, altered.database, altered.old.id(), versioning)?;
        if options.len() == 1 {
            return Ok(());
        }
    }
    let schema = context.schema(altered.database)?;
    let Some(now) = schema.table(altered.old.id()) else { return Ok(()) };
    let mut new = TableDef::clone(now);
    new.header.modified = context.now();
    let (new, warnings) = {
        let names = DefinitionNames::new(context.session, altered.database);
        let setting = Setting::new(context.session, &names, altered.database)?;
        let mut builder = Builder::new(&setting, new, Purpose::Table, Vec::new());
        for option in options {
            builder.table_option(&option.kind)?;
        }
        (builder.table, builder.warnings)
    };
    put_table(context, altered.database, new)?;
    warnings.into_iter().try_for_each(|warning| context.inform(warning))?;
    Ok(())
}

/// Puts in a changed table whose rows can stay.
pub(super) fn put_table(context: &mut Context<'_>, database: DbId, new: TableDef) -> DdlResult<()> {
    context.change(database, |task, txn, edit| edit.alter_table(task, txn, new))?;
    Ok(())
}

/// `TRUNCATE TABLE`. Errors 3729, 4701, 4708, 4712, 10794.
pub fn truncate(context: &mut Context<'_>, truncate: &ast::TruncateTable) -> DdlResult<()> {
    let name = &truncate.table;
    let not_there = || SqlError::new(&message::TRUNCATE_NOT_FOUND, &[&name.name.name]);
    let found = place::find_to_change(context, name)?.ok_or_else(not_there)?;
    let Some(table) = found.table() else {
        return Err(SqlError::new(&message::TRUNCATE_NOT_A_TABLE, &[&name.name.name]).into());
    };
    if !place::may_alter(context, &found) {
        return Err(not_there().into());
    }
    temporal::refuse_removal(context, &found, &message::TRUNCATE_TEMPORAL)?;
    if !truncate.partitions.is_empty() {
        return unimplemented("PARTITIONS");
    }
    if table.kind.is_memory_optimized() {
        let args: [Shown; 3] = [&"statement", &"TRUNCATE TABLE", &"memory optimized tables"];
        return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
    }
    if table.referenced_by.iter().any(|key| key.table != table.id()) {
        let error = SqlError::new(&message::TRUNCATE_REFERENCED, &[&name.name.name]);
        return Err(error.into());
    }
    if let Some(view) = indexed_view::first_on(&found.schema, &table) {
        let args: [Shown; 3] = [&"TRUNCATE TABLE", name, &view.header.name];
        return Err(SqlError::new(&message::OBJECT_IS_REFERENCED, &args).into());
    }
    let id = table.id();
    context.change(found.database, |task, txn, edit| edit.truncate_table(task, txn, id))?;
    derived_index::truncate(context, found.database, &table)?;
    tracking::truncated(context, found.database, id)
}

/// The triggers of a table by name; all for no name. Errors 4920, 4921.
fn named_triggers(altered: &Altered, names: &[ast::Ident]) -> DdlResult<Vec<Arc<ModuleDef>>> {
    let schema = &altered.schema;
    let own = || altered.old.triggers.iter().filter_map(|id| schema.module(*id));
    if names.is_empty() {
        return Ok(own().cloned().collect());
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        match own().find(|t| schema.same_name(&t.header.name, &name.name)) {
            Some(trigger) => found.push(trigger.clone()),
            None => {
                let table = altered.name();
                let args: [Shown; 2] = [&name.name, &table];
                let other = schema.find_object(altered.old.header.schema, &name.name);
                let is_trigger = other.is_some_and(|o| o.kind() == ObjectKind::Trigger);
                let message = match is_trigger {
                    true => &message::TRIGGER_NOT_OF_TABLE,
                    false => &message::ALTER_TRIGGER_NOT_FOUND,
                };
                let error = SqlError::new(message, &args).at_line(name.span.line);
                let switch = raised(&message::CONSTRAINT_SWITCH_FAILED, 0);
                return Err(super::Failure::from(error).then(switch));
            }
        }
    }
    Ok(found)
}

fn switch_triggers(
    context: &mut Context<'_>,
    database: DbId,
    triggers: Vec<Arc<ModuleDef>>,
    enable: bool,
) -> DdlResult<()> {
    for trigger in triggers {
        let mut new = ModuleDef::clone(&trigger);
        if let ModuleKind::Trigger(own) = &mut new.kind {
            own.disabled = !enable;
        }
        let definition = Definition::Object(ObjectDef::Module(Arc::new(new)));
        context.change(database, |task, txn, edit| edit.put(task, txn, definition))?;
    }
    Ok(())
}

/// `ENABLE TRIGGER` and `DISABLE TRIGGER`.
pub fn toggle_triggers(context: &mut Context<'_>, toggle: &ast::ToggleTrigger) -> DdlResult<()> {
    if let Some(at) = module::event_triggers_of(context, &toggle.target) {
        return module::toggle_event_triggers(context, toggle, at);
    }
    let TriggerTarget::Object(target) = &toggle.target else { return Ok(()) };
    let missing = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[target]);
    let found = place::find_to_change(context, target)?.ok_or_else(missing)?;
    if !place::may_alter(context, &found) {
        return Err(missing().into());
    }
    let own: &[base::ids::ObjectId] = match found.schema.object_def(found.id) {
        Some(ObjectDef::Table(table)) => &table.triggers,
        Some(ObjectDef::Module(module)) => &module.triggers,
        _ => return Err(missing().into()),
    };
    let mut triggers = Vec::new();
    for name in &toggle.names {
        let same = |t: &&Arc<ModuleDef>| found.schema.same_name(&t.header.name, &name.name.name);
        match own.iter().filter_map(|id| found.schema.module(*id)).find(same) {
            Some(trigger) => triggers.push(trigger.clone()),
            None => {
                return Err(SqlError::new(&message::CANNOT_FIND_OBJECT, &[name]).into());
            }
        }
    }
    if toggle.names.is_empty() {
        triggers.extend(own.iter().filter_map(|id| found.schema.module(*id)).cloned());
    }
    switch_triggers(context, found.database, triggers, toggle.enable)
}
