//! `CREATE` and `ALTER SECURITY POLICY`.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use compile::bind::policy::{predicate_definition, row_of_view};
use compile::bind::{BindContext, BindOptions};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::*;
use engine::catalog::{Object, ObjectDef};
use tsql::ast::{self, CreateAction, PredicateAction, PredicateChange};

use super::failure::{DdlResult, Failure};
use super::names::DefinitionNames;
use super::object::{header, put_object};
use super::place::{self, Found};
use crate::context::Context;
use crate::security::WHOLE_DATABASE;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `CREATE SECURITY POLICY` and `ALTER SECURITY POLICY`.
pub fn define(
    context: &mut Context<'_>,
    statement: &ast::SecurityPolicyStatement,
) -> DdlResult<()> {
    let creates = statement.action == CreateAction::Create;
    let verb = if creates { "CREATE" } else { "ALTER" };
    place::refuse_database(&statement.name, &format!("{verb} SECURITY POLICY"))?;
    let (database, mut def) = match creates {
        true => new_policy(context, statement)?,
        false => old_policy(context, statement)?,
    };
    if let Some(state) = statement.state {
        def.enabled = state;
    }
    def.not_for_replication |= statement.not_for_replication;
    let mut altered = Altered { context, database, verb, before: def.predicates.len(), def };
    for change in &statement.changes {
        altered.change(change).map_err(|failure| failure.at_line(change.span.line))?;
    }
    altered.check_enabled()?;
    let def = altered.def;
    put_object(context, database, ObjectDef::SecurityPolicy(Arc::new(def)))
}

/// A policy without predicates. Errors 262 with 15247, 2714, 2760, 33259.
fn new_policy(
    context: &mut Context<'_>,
    statement: &ast::SecurityPolicyStatement,
) -> DdlResult<(DbId, SecurityPolicyDef)> {
    let name = &statement.name.name.name;
    if name.starts_with('#') {
        return Err(SqlError::new(&message::POLICY_NAME_INVALID, &[name]).into());
    }
    let place = place::for_new(context, &statement.name, Permission::AlterAnySecurityPolicy);
    let place = place.map_err(|failure| {
        match failure.error.number() == message::DATABASE_PERMISSION_DENIED.number {
            true => failure.then(SqlError::new(&message::ONLY_SYSADMIN, &[]).with_state(7)),
            false => failure,
        }
    })?;
    let now = context.now();
    let (_, edit) = context.edit(place.database)?;
    let def = SecurityPolicyDef {
        header: header(edit.new_object_id(), &place, now),
        enabled: true,
        schema_bound: statement.schema_binding.unwrap_or(true),
        not_for_replication: false,
        max_predicate_id: 0,
        predicates: Vec::new(),
    };
    Ok((place.database, def))
}

/// The policy that is altered. Errors 33268, 33271.
fn old_policy(
    context: &mut Context<'_>,
    statement: &ast::SecurityPolicyStatement,
) -> DdlResult<(DbId, SecurityPolicyDef)> {
    let missing = |state| not_found(&statement.name, state);
    let found = place::find_to_change(context, &statement.name)?.ok_or_else(|| missing(2))?;
    let Some(policy) = found.schema.security_policy(found.id) else {
        let name = &statement.name;
        return Err(SqlError::new(&message::NOT_A_SECURITY_POLICY, &[name]).into());
    };
    if !context.may(found.database, WHOLE_DATABASE, Permission::AlterAnySecurityPolicy) {
        return Err(missing(7).into());
    }
    let mut def = SecurityPolicyDef::clone(policy);
    def.header.modified = context.now();
    Ok((found.database, def))
}

/// Error 3701 unless the session may drop a policy.
pub fn check_drop(context: &Context<'_>, found: &Found) -> DdlResult<()> {
    let object = found.object();
    let may = || context.may(found.database, WHOLE_DATABASE, Permission::AlterAnySecurityPolicy);
    if !matches!(object, Object::SecurityPolicy(_)) || may() && place::may_alter(context, found) {
        return Ok(());
    }
    let args: [Shown; 3] = [&"drop", &"security policy", object.name()];
    let denied = message::Message { severity: 14, state: 20, ..message::CANNOT_DROP };
    Err(SqlError::new(&denied, &args).into())
}

/// Error 33268.
fn not_found(name: &ast::ObjectName, state: u8) -> SqlError {
    SqlError::new(&message::POLICY_OBJECT_NOT_FOUND, &[name]).with_state(state)
}

/// A policy in the making.
struct Altered<'a, 'c> {
    context: &'a mut Context<'c>,
    database: DbId,
    /// `CREATE` or `ALTER`.
    verb: &'static str,
    /// How many predicates it had before the statement.
    before: usize,
    def: SecurityPolicyDef,
}

impl Altered<'_, '_> {
    fn change(&mut self, change: &PredicateChange) -> DdlResult<()> {
        let table = self.target(change)?;
        match &change.action {
            PredicateAction::Add(call) => {
                self.check_free(&table, change)?;
                let id = self.def.max_predicate_id + 1;
                let predicate = self.predicate(id, &table, change, call)?;
                self.def.max_predicate_id = id;
                self.def.predicates.push(predicate);
            }
            PredicateAction::Alter(call) => {
                let at = self.existing(&table, change)?;
                let id = self.def.predicates[at].id;
                self.def.predicates[at] = self.predicate(id, &table, change, call)?;
            }
            PredicateAction::Drop => {
                let at = self.existing(&table, change)?;
                self.def.predicates.remove(at);
                self.before = self.before.saturating_sub(usize::from(at < self.before));
            }
        }
        Ok(())
    }

    /// The table of a predicate, or the view as a table. Errors 166, 33263, 33268, 33269, 33503.
    fn target(&self, change: &PredicateChange) -> DdlResult<Arc<TableDef>> {
        let (name, block) = (&change.table, change.block);
        let clause = if block { "BLOCK" } else { "FILTER" };
        place::refuse_database(name, &format!("ADD/ALTER {clause} PREDICATE"))?;
        if name.name.name.starts_with('#') {
            return Err(SqlError::new(&message::PREDICATE_ON_TEMPORARY, &[]).into());
        }
        let missing = || not_found(name, 1);
        let found = place::find_in(self.context, self.database, name)?.ok_or_else(missing)?;
        let table = match found.object() {
            Object::Table(table) if table.role == TableRole::Table => table.clone(),
            Object::Module(module) if matches!(module.kind, ModuleKind::View { .. }) => {
                if block {
                    let message = &message::BLOCK_PREDICATE_TARGET_KIND;
                    return Err(SqlError::new(message, &[&name.name.name]).into());
                }
                if !module.schema_bound {
                    return Err(wrong_target(name));
                }
                Arc::new(row_of_view(module))
            }
            Object::Module(_) | Object::Sequence(_) | Object::Synonym(_) => {
                return Err(wrong_target(name));
            }
            _ => return Err(missing().into()),
        };
        let securable = Securable { class: SecurableClass::Object, major: found.id.0, minor: 0 };
        let drops = matches!(change.action, PredicateAction::Drop);
        if !drops && !self.context.may(self.database, securable, Permission::References) {
            return Err(missing().into());
        }
        Ok(table)
    }

    /// Error 33262: there is a predicate of the kind that looks at the same operation.
    fn check_free(&self, table: &TableDef, change: &PredicateChange) -> DdlResult<()> {
        let operation = change.operation.map(blocked);
        let overlaps = |p: &PredicateDef| match (p.operation, operation) {
            (Some(own), Some(new)) => own == new,
            _ => true,
        };
        let same = |p: &PredicateDef| p.table == table.id() && p.kind == kind_of(change);
        let mut all = self.def.predicates.iter();
        let Some(at) = all.position(|p| same(p) && overlaps(p)) else { return Ok(()) };
        let kind = kind_of(change).description();
        let args: [Shown; 3] = [&kind, &table.header.name, &self.def.header.name];
        let state = if at < self.before { 2 } else { 1 };
        Err(SqlError::new(&message::PREDICATE_EXISTS, &args).with_state(state).into())
    }

    /// The predicate that a statement alters or drops. Error 33261.
    fn existing(&self, table: &TableDef, change: &PredicateChange) -> DdlResult<usize> {
        let operation = change.operation.map(blocked);
        let is_it = |p: &PredicateDef| {
            p.table == table.id() && p.kind == kind_of(change) && p.operation == operation
        };
        let found = self.def.predicates.iter().position(is_it);
        found.ok_or_else(|| {
            let args: [Shown; 2] = [&self.def.header.name, &table.header.name];
            SqlError::new(&message::POLICY_WITHOUT_PREDICATE, &args).into()
        })
    }

    /// A predicate as it is kept. Errors 112, 229, 4513, 33270, 33506, 33510, 33511 and those of
    /// arguments.
    fn predicate(
        &mut self,
        id: i32,
        table: &Arc<TableDef>,
        change: &PredicateChange,
        call: &ast::PredicateCall,
    ) -> DdlResult<PredicateDef> {
        let function = self.function(table, change, call)?;
        let parse = tsql::ParseOptions { quoted_identifier: true };
        for argument in &call.arguments {
            let text = tsql::print::expression(argument);
            if !tsql::variables_of(&text, parse).is_empty() {
                let statement = format!("{} SECURITY POLICY", self.verb);
                let error = SqlError::new(&message::VARIABLES_NOT_ALLOWED, &[&statement]);
                return Err(error.at_line(argument.span.line).into());
            }
        }
        let schema = self.context.schema(self.database)?;
        let names = DefinitionNames::new(self.context.session, self.database);
        let options = BindOptions::default();
        let bind = BindContext { names: &names, options, statistics: &NoStatistics };
        let found = predicate_definition(&bind, &schema, table, &function, call)?;
        let place = |id| schema.schemas().get(id).map_or_else(|| "dbo".into(), |s| s.name.clone());
        let bound = self.def.schema_bound;
        let reference = |header: &ObjectHeader, column, schema_bound| Reference {
            class: ReferenceClass::Object,
            server: None,
            database: None,
            schema: Some(place(header.schema)),
            name: header.name.clone(),
            id: Some(header.id.0),
            column,
            schema_bound,
            caller_dependent: false,
            ambiguous: false,
        };
        // The table stays whatever binds: its rows would be seen without it.
        let mut references =
            vec![reference(&function.header, None, bound), reference(&table.header, None, true)];
        for column in found.columns {
            references.push(reference(&table.header, Some(column), bound));
        }
        Ok(PredicateDef {
            id,
            table: table.id(),
            kind: kind_of(change),
            operation: change.operation.map(blocked),
            schema: place(function.header.schema),
            function: function.header.name.clone(),
            arguments: found.arguments,
            references,
        })
    }

    /// The function of a predicate.
    fn function(
        &self,
        table: &TableDef,
        change: &PredicateChange,
        call: &ast::PredicateCall,
    ) -> DdlResult<Arc<ModuleDef>> {
        let name = &call.function;
        let missing = || SqlError::new(&message::PREDICATE_FUNCTION_NOT_FOUND, &[name]);
        if name.database.is_some() || name.server.is_some() {
            return Err(missing().into());
        }
        let found = place::find_in(self.context, self.database, name)?.ok_or_else(missing)?;
        let function = match found.object() {
            Object::Module(f) if matches!(f.kind, ModuleKind::InlineFunction { .. }) => f.clone(),
            _ => return Err(missing().into()),
        };
        for permission in [Permission::Select, Permission::References] {
            let demanded = self.context.demand_on_object(self.database, found.id, permission);
            demanded.map_err(|error| Failure::from(error.clone()).then(error.with_state(9)))?;
        }
        let schema = &found.schema;
        let shown = |header: &ObjectHeader| place::qualified(schema, header.schema, &header.name);
        if self.def.schema_bound && !function.schema_bound {
            let (policy, used) = (shown(&self.def.header), shown(&function.header));
            let args: [Shown; 3] = [&"security policy", &policy, &used];
            return Err(SqlError::new(&message::SCHEMA_BOUND_OBJECT_NOT_BOUND, &args).into());
        }
        let target = &table.header.name;
        if table.kind.is_memory_optimized() {
            if !self.def.schema_bound {
                let message = &message::PREDICATE_ON_MEMORY_UNBOUND;
                return Err(SqlError::new(message, &[target]).into());
            }
            if !function.native {
                let args: [Shown; 2] = [target, &function.header.name];
                let message = &message::PREDICATE_FUNCTION_NOT_NATIVE;
                return Err(SqlError::new(message, &args).into());
            }
        }
        if change.block && table.history_of.is_some() {
            return Err(SqlError::new(&message::BLOCK_PREDICATE_ON_HISTORY, &[target]).into());
        }
        Ok(function)
    }

    /// Errors 33264, 33265: a table has predicates of one enabled policy at a time, and none beside
    /// indexed views.
    fn check_enabled(&self) -> DdlResult<()> {
        let schema = self.context.schema(self.database)?;
        for table in self.def.tables() {
            if let Some(table) = schema.table(table)
                && let Some(view) = super::indexed_view::first_on(&schema, table)
            {
                let args: [Shown; 3] =
                    [&self.def.header.name, &table.header.name, &view.header.name];
                return Err(SqlError::new(&message::POLICY_ON_INDEXED_VIEW, &args).into());
            }
            if !self.def.enabled {
                continue;
            }
            let mut others = schema.policies_on(table).iter();
            let other = others.find(|p| p.enabled && p.header.id != self.def.header.id);
            if let Some(other) = other {
                let name = schema.object(table).map_or("", |target| &**target.name());
                let args: [Shown; 4] = [&self.def.header.name, &name, &name, &other.header.name];
                return Err(SqlError::new(&message::POLICY_TABLE_TAKEN, &args).into());
            }
        }
        Ok(())
    }
}

/// Error 33263.
fn wrong_target(name: &ast::ObjectName) -> Failure {
    SqlError::new(&message::PREDICATE_TARGET_KIND, &[&name.name.name]).into()
}

fn kind_of(change: &PredicateChange) -> PredicateKind {
    match change.block {
        true => PredicateKind::Block,
        false => PredicateKind::Filter,
    }
}

fn blocked(operation: ast::BlockedOperation) -> BlockedOperation {
    match operation {
        ast::BlockedOperation::AfterInsert => BlockedOperation::AfterInsert,
        ast::BlockedOperation::AfterUpdate => BlockedOperation::AfterUpdate,
        ast::BlockedOperation::BeforeUpdate => BlockedOperation::BeforeUpdate,
        ast::BlockedOperation::BeforeDelete => BlockedOperation::BeforeDelete,
    }
}
