//! Triggers on tables and views: what runs when a statement has changed rows.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, Value, message};
use engine::catalog::def::{ColumnDef, ModuleDef, TableDef, TriggerEventKind};
use ir::Unit;
use ir::site::{StatementKind, TransitionSite};
use run::interp::local::LocalTable;
use run::interp::{Frame, Transition};

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::instance::setting;
use crate::program::{Program, ProgramKind, new_frame};
use crate::session::level::TriggerLevel;

impl Context<'_> {
    /// Fires the `AFTER` triggers of what a statement has changed, within that statement.
    pub(super) fn fire<'u>(
        &mut self,
        unit: &'u Unit,
        sites: impl Iterator<Item = &'u TransitionSite>,
        mut transitions: Vec<Transition>,
    ) -> Run<()> {
        for site in sites {
            let Some(database) = site.database else { continue };
            let event = match site.kind {
                StatementKind::Insert => TriggerEventKind::Insert,
                StatementKind::Update => TriggerEventKind::Update,
                StatementKind::Delete => TriggerEventKind::Delete,
                _ => continue,
            };
            let triggers = self.triggers_of(database, site, event)?;
            if triggers.is_empty() {
                continue;
            }
            let same = |t: &Transition| t.table.id() == site.table.id() && t.kind == site.kind;
            let (inserted, deleted) = match transitions.iter().position(same) {
                Some(at) => {
                    let Transition { inserted, deleted, .. } = transitions.swap_remove(at);
                    (inserted, deleted)
                }
                None => {
                    let layout = &unit.layouts[usize::from(site.layout)];
                    (LocalTable::plain(layout.clone()), LocalTable::plain(layout.clone()))
                }
            };
            let columns = updated_bits(site, event);
            let (inserted, deleted) = (Arc::new(inserted), Arc::new(deleted));
            let fired = triggers.iter().try_for_each(|trigger| {
                self.fire_one(database, &site.table, trigger, &inserted, &deleted, &columns)
            });
            for rows in [inserted, deleted] {
                if let Some(mut rows) = Arc::into_inner(rows) {
                    rows.release(&mut self.runtime.grant);
                }
            }
            fired?;
        }
        Ok(())
    }

    /// The triggers that an event fires, in order: those after it, or the one instead of it.
    fn triggers_of(
        &self,
        database: DbId,
        site: &TransitionSite,
        event: TriggerEventKind,
    ) -> Run<Vec<Arc<ModuleDef>>> {
        let schema = self.schema(database)?;
        let running = |id: ObjectId| {
            let top = self.session.levels.last();
            top.is_some_and(|level| level.module.as_ref().is_some_and(|m| m.id() == id))
        };
        let in_trigger = self.session.levels.iter().any(|l| l.kind == ProgramKind::Trigger);
        if in_trigger && self.session.instance.configuration(setting::NESTED_TRIGGERS) == 0 {
            return Ok(Vec::new());
        }
        let recursive = {
            let access = self.session.access(database)?;
            access.with_def(&self.session.instance, |def| def.options.recursive_triggers)
        };
        let object = site.table.id();
        let ids = match (schema.table(object), schema.module(object)) {
            (Some(table), _) => &table.triggers,
            (None, Some(view)) => &view.triggers,
            (None, None) => &site.table.triggers,
        };
        let mut found = Vec::new();
        for module in ids.iter().filter_map(|id| schema.module(*id)) {
            let Some(trigger) = module.trigger() else { continue };
            let fires = trigger.events.iter().find(|e| e.kind == event);
            let Some(fires) =
                fires.filter(|_| !trigger.disabled && trigger.instead_of == site.instead)
            else {
                continue;
            };
            if running(module.id()) && !recursive {
                continue;
            }
            let rank = if fires.first {
                0
            } else if fires.last {
                2
            } else {
                1
            };
            found.push((rank, module.clone()));
        }
        found.sort_by_key(|(rank, module)| {
            (*rank, module.header.created.days, module.header.created.ticks)
        });
        Ok(found.into_iter().map(|(_, module)| module).collect())
    }

    fn fire_one(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        trigger: &Arc<ModuleDef>,
        inserted: &Arc<LocalTable>,
        deleted: &Arc<LocalTable>,
        columns: &[u8],
    ) -> Run<()> {
        let program = self.module_program(database, trigger)?;
        let columns_updated = program
            .columns_updated
            .ok_or_else(|| ir::internal("a trigger knows its updated columns"))?;
        let mut frame = new_frame(&program.variables);
        frame.set_owned(columns_updated, &Value::Bytes(columns.into()));
        frame.inserted = Some(inserted.clone());
        frame.deleted = Some(deleted.clone());
        let level = TriggerLevel::Rows { table: table.clone(), columns_updated };
        self.run_trigger(&program, level, frame)
    }

    /// Runs a trigger's body within the statement that fired it, whose transaction must outlive it.
    pub(super) fn run_trigger(
        &mut self,
        program: &Arc<Program>,
        level: TriggerLevel,
        mut frame: Frame,
    ) -> Run<()> {
        // The client sees by the state what fired it.
        let state = if matches!(level, TriggerLevel::Event(_)) { 2 } else { 1 };
        let transaction = self.session.transaction.id();
        let count = self.session.transaction.count();
        // A statement's own transaction counts within its triggers.
        self.session.transaction.set_count(count.max(1));
        let left = self.session.left;
        let (result, _) = self.in_level(program, Some(level), |c| {
            c.session.options.settings.xact_abort = true;
            c.run_body(program, &mut frame)
        });
        self.session.left = crate::session::Left { identity: self.session.left.identity, ..left };
        if self.session.transaction.id() == transaction && count == 0 {
            self.session.transaction.set_count(0);
        }
        if self.session.transaction.id() != transaction {
            return match result {
                Err(fault) if fault.reported => Err(fault),
                _ => {
                    let error = SqlError::new(&message::TRANSACTION_ENDED_IN_TRIGGER, &[]);
                    Err(Fault::new(error.with_state(state), Effect::Transaction))
                }
            };
        }
        frame.inserted = None;
        frame.deleted = None;
        frame.release(&mut self.runtime.grant);
        match result {
            Ok(_) if self.session.transaction.is_doomed() => {
                let error = SqlError::new(&message::TRIGGER_TRANSACTION_DOOMED, &[]);
                Err(Fault::new(error, Effect::Transaction))
            }
            Ok(_) => Ok(()),
            // Whatever ends a trigger ends the transaction.
            Err(fault) => Err(Fault { effect: fault.effect.max(Effect::Transaction), ..fault }),
        }
    }
}

/// A bit for each column by its id, the lowest bit of the first byte being column 1: set for those
/// that are assigned.
fn updated_bits(site: &TransitionSite, event: TriggerEventKind) -> Vec<u8> {
    let table = &site.table;
    let highest = table.columns.iter().map(|c| c.id.0).max().unwrap_or(0).max(1) as usize;
    let mut bits = vec![0; highest.div_ceil(8)];
    let mut note = |column: &ColumnDef| {
        let at = column.id.0 as usize - 1;
        bits[at / 8] |= 1 << (at % 8);
    };
    match event {
        TriggerEventKind::Delete => {}
        TriggerEventKind::Insert => table.columns.iter().for_each(&mut note),
        TriggerEventKind::Update => {
            let stored = table.stored_columns().enumerate();
            let updated = stored.filter(|(at, _)| site.updated.contains(at));
            updated.for_each(|(_, column)| note(column));
        }
    }
    bits
}
