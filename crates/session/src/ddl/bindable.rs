//! `CREATE RULE` and `CREATE DEFAULT`. [`crate::builtin`] binds them.

use std::sync::Arc;

use base::{SqlError, message};
use compile::bind::{BindContext, BindOptions, BindResult, define};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::{ModuleDef, ModuleKind, Name, Permission, TypeDefKind};
use engine::catalog::{Object, ObjectDef};
use tsql::ast::{self, BindableKind};

use super::failure::DdlResult;
use super::module::about_module;
use super::names::DefinitionNames;
use super::object::{header, put_object};
use super::place::{self, Found};
use crate::context::Context;

/// `CREATE RULE` and `CREATE DEFAULT`: the text is the whole batch.
pub fn create(
    context: &mut Context<'_>,
    create: &ast::CreateBindable,
    text: &str,
) -> DdlResult<()> {
    let (statement, what, permission) = match create.kind {
        BindableKind::Rule { .. } => ("CREATE RULE", "temporary rule", Permission::CreateRule),
        BindableKind::Default(_) => {
            ("CREATE DEFAULT", "temporary default", Permission::CreateDefault)
        }
    };
    place::refuse_database(&create.name, statement)?;
    place::refuse_temporary(&create.name, what)?;
    let place = place::for_new(context, &create.name, permission);
    let place = place.map_err(|failure| about_module(failure, &create.name))?;
    let names = DefinitionNames::new(context.session, place.database);
    let names = names.in_module(place.schema, Vec::new());
    let options = BindOptions::default();
    let bind = BindContext { names: &names, options, statistics: &NoStatistics };
    let within = |found: BindResult<Name>| {
        found.map_err(|error| SqlError::from(error).in_procedure(&place.name))
    };
    let kind = match &create.kind {
        BindableKind::Rule { variable, condition } => {
            let condition = within(define::rule(&bind, variable.as_ref(), condition))?;
            ModuleKind::Rule { variable: variable.clone().unwrap_or_default(), condition }
        }
        BindableKind::Default(value) => {
            ModuleKind::Default { expression: within(define::free_default(&bind, value))? }
        }
    };
    let now = context.now();
    let (_, edit) = context.edit(place.database)?;
    let header = header(edit.new_object_id(), &place, now);
    let mut def = ModuleDef::new(header, kind, text.into());
    let settings = &context.session.options.settings;
    def.uses_ansi_nulls = settings.ansi_nulls;
    def.uses_quoted_identifier = settings.quoted_identifier;
    put_object(context, place.database, ObjectDef::Module(Arc::new(def)))
}

/// Error 3716: a rule or default is bound to a column or type.
pub fn refuse_bound(found: &Found) -> DdlResult<()> {
    let Object::Module(module) = found.object() else { return Ok(()) };
    let (what, state) = match module.kind {
        ModuleKind::Rule { .. } => ("rule", 1),
        ModuleKind::Default { .. } => ("default", 3),
        _ => return Ok(()),
    };
    let id = found.id;
    let mut columns = found.schema.tables().flat_map(|table| &table.columns);
    let in_column = columns.any(|column| {
        column.bound_default.as_ref().is_some_and(|bound| bound.object == id)
            || column.bound_rule.as_ref().is_some_and(|bound| bound.object == id)
    });
    let in_type = found.schema.types().iter().any(|ty| match &ty.kind {
        TypeDefKind::Alias { default, rule, .. } => {
            default.as_ref().is_some_and(|bound| bound.object == id)
                || rule.as_ref().is_some_and(|bound| bound.object == id)
        }
        TypeDefKind::Table { .. } => false,
    });
    if !in_column && !in_type {
        return Ok(());
    }
    let args: [&dyn std::fmt::Display; 3] = [&what, &module.header.name, &"column"];
    Err(SqlError::new(&message::BOUND_CANNOT_DROP, &args).with_state(state).into())
}
