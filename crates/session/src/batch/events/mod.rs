//! Events: what statements change of the catalog, and the triggers that wait for it.
//!
//! # The life of an event
//!
//! Every statement that changes the catalog goes through [`Context::announced`], and every system
//! procedure that does so without a statement through [`Context::announced_call`]. Where no trigger
//! is on the database or the server, which two look-ups tell, nothing else happens. Otherwise
//! [`statement`] and [`procedure`] say before the change which events it is, since what is dropped
//! can be named before only. The change runs, in a transaction that lasts until the triggers have
//! run. Then each event fires the triggers that wait for it: those on the server, then those on the
//! database, each with a document about the event ([`document`]).
//!
//! A trigger that rolls back undoes the change (3609). A change of a database itself is in no
//! transaction: triggers run before a database is altered, dropped or attached, so that rolling
//! back refuses that; and after it is made, when rolling back drops it.

mod document;
mod extent;
mod module;
mod procedure;
mod security;
mod statement;

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use engine::catalog::def::{ModuleDef, Name, SchemaId};
use engine::catalog::{EventKind, Schema};
use tsql::ast::{self, StatementKind};

use super::Context;
use crate::fault::{Effect, Fault, Run};
use crate::program::{Program, Step, new_frame};
use crate::session::level::{Level, TriggerLevel};
use crate::session::transaction::Origin;

pub(crate) use document::Logon;
pub(super) use procedure::is_announced;

/// Something that a statement does to the catalog.
#[derive(Debug)]
pub(super) struct Event {
    /// What.
    kind: &'static EventKind,
    /// The database in which it happens; none for what happens to the server.
    database: Option<DbId>,
    /// The database that its document names, where it happens to the server.
    named: Option<Name>,
    /// The elements of the document between the name of the database and the command.
    facts: String,
    /// What the document says of a principal as it is after the change.
    principal: Option<Principal>,
    /// The trigger that it makes, which does not hear of it.
    creates: Option<(SchemaId, Name)>,
    /// The module that it defines is encrypted: its text is not told.
    encrypted: bool,
}

/// A principal that an event is about.
#[derive(Clone, Debug)]
enum Principal {
    /// A login.
    Login(Name),
    /// A user or role of the event's database.
    User(Name),
}

/// When triggers run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// After the change, in its transaction.
    After,
    /// After the change, which is in no transaction.
    AfterOutside,
    /// After the change, which is in no transaction: a database that is made, and dropped if a
    /// trigger refuses it.
    AfterCreation,
    /// Before the change, which is in no transaction.
    Before,
}

impl Context<'_> {
    /// Runs a statement that changes the catalog, and the triggers that wait for that.
    pub(super) fn announced(
        &mut self,
        program: &Program,
        step: &Step,
        kind: &StatementKind,
        run: impl Fn(&mut Context<'_>, Option<&ast::Statement>) -> Run<()>,
    ) -> Run<()> {
        if !self.is_watched(statement::names_database(kind)) {
            return run(self, None);
        }
        let command = extent::command(&program.text, step.span, kind);
        if let StatementKind::Drop(drop) = kind
            && drop.names.len() > 1
        {
            return self.announced_drops(drop, step, &command, run);
        }
        let events = statement::events(self, kind)?;
        let when = statement::when(self, kind);
        self.with_events(&events, when, &command, |c| run(c, None))?;
        Ok(())
    }

    /// `DROP` of several things: each is dropped, and announced, by itself.
    fn announced_drops(
        &mut self,
        drop: &ast::DropStatement,
        step: &Step,
        command: &str,
        run: impl Fn(&mut Context<'_>, Option<&ast::Statement>) -> Run<()>,
    ) -> Run<()> {
        let mut failed: Option<Fault> = None;
        for name in &drop.names {
            let one = ast::DropStatement { names: vec![name.clone()], ..drop.clone() };
            let kind = StatementKind::Drop(Box::new(one));
            let events = statement::events(self, &kind)?;
            let when = statement::when(self, &kind);
            let one = ast::Statement { span: step.span, kind };
            let dropped = self.with_events(&events, when, command, |c| run(c, Some(&one)));
            if let Err(fault) = dropped {
                if fault.reported || fault.effect > Effect::Statement {
                    return Err(fault);
                }
                if let Some(before) = failed.replace(fault) {
                    self.report(&before.error)?;
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Runs `SELECT … INTO` with the triggers that wait for new tables.
    pub(super) fn announced_table<T>(
        &mut self,
        program: &Program,
        step: &Step,
        table: &ast::ObjectName,
        run: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        if !self.is_watched(table.database.is_some()) {
            return run(self);
        }
        let events = statement::new_table(self, table)?;
        let command = step.span.text(&program.text);
        self.with_events(&events, When::After, command, run)
    }

    /// Whether triggers may wait for what happens now: in the current database, on the server, or
    /// in a database that the statement names.
    fn is_watched(&self, names_database: bool) -> bool {
        if names_database {
            return true;
        }
        let own = self.schema(self.database());
        let own = own.is_ok_and(|s| s.event_triggers(SchemaId::DATABASE_TRIGGERS).next().is_some());
        own || self.has_server_triggers()
    }

    fn has_server_triggers(&self) -> bool {
        self.master_schema().event_triggers(SchemaId::SERVER_TRIGGERS).next().is_some()
    }

    /// master's schema as the session's transaction sees it.
    fn master_schema(&self) -> Arc<Schema> {
        let own = self.session.transaction.working_schema(DbId::MASTER);
        own.unwrap_or_else(|| self.session.instance.databases().master().current())
    }

    /// Runs a change of the catalog and then the triggers that its events fire, as one.
    fn with_events<T>(
        &mut self,
        events: &[Event],
        when: When,
        command: &str,
        run: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        let is_heard = |event: &Event| !self.waiting_for(event).is_empty();
        if !events.iter().any(is_heard) {
            return run(self);
        }
        match when {
            When::After => self.in_one_transaction(|c| {
                let done = run(c)?;
                c.fire_events(events, command)?;
                Ok(done)
            }),
            When::AfterOutside => {
                let done = run(self)?;
                self.in_one_transaction(|c| c.fire_events(events, command))?;
                Ok(done)
            }
            When::AfterCreation => {
                let done = run(self)?;
                let fired = self.in_one_transaction(|c| c.fire_events(events, command));
                if fired.is_err() {
                    let named = events.iter().filter_map(|event| event.named.clone());
                    named.for_each(|name| crate::ddl::drop_new_database(self, &name));
                }
                fired.map(|()| done)
            }
            When::Before => {
                self.in_one_transaction(|c| c.fire_events(events, command))?;
                run(self)
            }
        }
    }

    /// Runs something in the open transaction, or in one of its own that is committed when it
    /// succeeds.
    fn in_one_transaction<T>(&mut self, run: impl FnOnce(&mut Context<'_>) -> Run<T>) -> Run<T> {
        if self.session.transaction.is_open() {
            return run(self);
        }
        self.session.begin_transaction(Origin::Statement, "");
        let own = self.session.transaction.id();
        let done = run(self);
        if self.session.transaction.id() != own {
            return done;
        }
        match done {
            Ok(done) => {
                let durability = self.session.durability(false);
                let committed = self.session.commit(self.task, durability);
                self.session.transaction_ended();
                committed?;
                Ok(done)
            }
            Err(fault) => {
                self.session.transaction.rollback(self.task);
                self.session.transaction_ended();
                Err(fault)
            }
        }
    }

    /// Fires the triggers that wait for these events, in order.
    fn fire_events(&mut self, events: &[Event], command: &str) -> Run<()> {
        for event in events {
            let triggers = self.waiting_for(event);
            if triggers.is_empty() {
                continue;
            }
            let document: Arc<str> = document::of_event(self, event, command)?.into();
            let account = self.runtime.grant.account().clone();
            let _charged = base::Charged::take(&account, document.len())?;
            for (database, trigger) in triggers {
                // One of those before may have dropped, disabled or altered it.
                let schema = self.schema(database)?;
                let waits = |module: &&Arc<ModuleDef>| waits_for(module, event.kind).is_some();
                let Some(trigger) = schema.module(trigger).filter(waits).cloned() else { continue };
                self.fire_event_trigger(database, &trigger, document.clone())?;
            }
        }
        Ok(())
    }

    /// Runs a trigger on a database or on the server.
    fn fire_event_trigger(
        &mut self,
        database: DbId,
        trigger: &Arc<ModuleDef>,
        document: Arc<str>,
    ) -> Run<()> {
        let program = self.module_program(database, trigger)?;
        let frame = new_frame(&program.variables);
        self.run_trigger(&program, TriggerLevel::Event(document), frame)
    }

    /// The triggers that an event fires, in order, with the databases that they are in: those on
    /// the server first; among each the one that is to be first, and the one that is to be last;
    /// the others in the order of their creation. One that runs does not fire itself.
    fn waiting_for(&self, event: &Event) -> Vec<(DbId, ObjectId)> {
        let mut found = Vec::new();
        let server = (DbId::MASTER, SchemaId::SERVER_TRIGGERS, Some(self.master_schema()));
        let own = event
            .database
            .map(|database| (database, SchemaId::DATABASE_TRIGGERS, self.schema(database).ok()));
        for (database, place, schema) in [Some(server), own].into_iter().flatten() {
            let Some(schema) = schema else { continue };
            let is_new = |module: &ModuleDef| {
                event.creates.as_ref().is_some_and(|(new_place, name)| {
                    *new_place == place && schema.same_name(name, &module.header.name)
                })
            };
            let mut own = Vec::new();
            for module in schema.event_triggers(place) {
                let Some(rank) = waits_for(module, event.kind) else { continue };
                if !is_new(module) && !self.is_running(module.id()) {
                    let created = module.header.created;
                    own.push(((rank, created.days, created.ticks, module.id()), module.id()));
                }
            }
            own.sort_unstable();
            found.extend(own.into_iter().map(|(_, trigger)| (database, trigger)));
        }
        found
    }

    /// Whether a trigger is what runs, so that what it does itself does not fire it.
    fn is_running(&self, trigger: ObjectId) -> bool {
        let is_it = |level: &Level| level.module.as_ref().is_some_and(|m| m.id() == trigger);
        let triggers = self.session.levels.iter().rev().find(|level| level.trigger.is_some());
        triggers.is_some_and(is_it)
    }

    /// Runs the logon triggers. Error 17892 if one of them refuses the login: it has failed or
    /// ended its transaction.
    pub(crate) fn fire_logon(&mut self, logon: &Logon) -> SqlResult<()> {
        let event = document::logon_event();
        let triggers = self.waiting_for(&event);
        if triggers.is_empty() {
            return Ok(());
        }
        let document: Arc<str> = document::of_logon(self, logon)?.into();
        let fired = self.in_one_transaction(|c| {
            for (database, trigger) in triggers {
                let schema = c.schema(database)?;
                if let Some(trigger) = schema.module(trigger).cloned() {
                    c.fire_event_trigger(database, &trigger, document.clone())?;
                }
            }
            Ok(())
        });
        let Err(fault) = fired else { return Ok(()) };
        if self.session.transaction.is_open() {
            self.session.transaction.rollback(self.task);
            self.session.transaction_ended();
        }
        if !fault.reported {
            let _ = self.writer.error(self.task, &fault.error);
        }
        let login = self.session.identity.original().name.clone();
        Err(SqlError::new(&message::LOGON_TRIGGER_FAILED, &[&login]))
    }
}

/// Where a trigger stands among those that an event fires: 0 first, 2 last, 1 between; nothing if
/// it does not fire it.
fn waits_for(module: &ModuleDef, kind: &EventKind) -> Option<u8> {
    let trigger = module.event_trigger().filter(|trigger| !trigger.disabled)?;
    let event = trigger.events.iter().find(|event| event.event == kind.id)?;
    Some(match (event.first, event.last) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 1,
    })
}
