//! The bodies of modules, bound before they are accepted.

use std::sync::Arc;

use base::ids::ObjectId;
use base::{SqlError, message};
use compile::bind::{
    self, BindContext, BindError, BindOptions, Dependencies, QueryColumns, Variable,
};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::*;
use engine::catalog::{ObjectDef, Schema};
use ir::operator::VarId;
use tsql::ast::{self, FunctionBody, Module};

use crate::context::Context;
use crate::ddl::failure::{DdlResult, Failure};
use crate::ddl::names::DefinitionNames;
use crate::ddl::place::Place;
use crate::ddl::table::shown_name;
use crate::fault::Fault;
use crate::program::StepKind;
use crate::session::level::TriggerLevel;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The most columns of a view.
const VIEW_COLUMNS_MAX: usize = 1024;

/// Finds out the columns of a view or inline function. Errors of its query, and 4502, 4505, 4506,
/// 4511, 4512, 8158.
pub fn check_result(
    context: &Context<'_>,
    place: &Place,
    def: &mut ModuleDef,
    module: &Module,
) -> DdlResult<()> {
    let (with, query, names): (Option<&ast::With>, &ast::Query, &[ast::Ident]) = match module {
        Module::View(view) => (view.query.with.as_ref(), &view.query.query, &view.columns),
        Module::Function(function) => match &function.body {
            FunctionBody::Inline { with, query } => (with.as_ref(), query, &[]),
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let parameters = def.parameters.iter().enumerate().map(|(at, parameter)| {
        let id = VarId(at as u32);
        let nullable = parameter.nullable;
        (parameter.name.clone(), Variable::Scalar { id, ty: parameter.ty, nullable })
    });
    let known = DefinitionNames::new(context.session, place.database)
        .in_module(place.schema, parameters.collect());
    let bind = BindContext {
        names: &known,
        options: BindOptions {
            ansi_nulls: def.uses_ansi_nulls,
            quoted_identifier: def.uses_quoted_identifier,
            in_function: matches!(module, Module::Function(_)),
            schema_bound: def.schema_bound,
            ..BindOptions::default()
        },
        statistics: &NoStatistics,
    };
    let found = bind::query_columns(&bind, with, query).map_err(|error| in_module(error, def))?;
    if !found.dependencies.temporary.is_empty() {
        return Err(SqlError::new(&message::TEMPORARY_TABLE_IN_VIEW, &[]).into());
    }
    let columns = columns(context, place, def, names, &found)?;
    match &mut def.kind {
        ModuleKind::View { columns: slot, .. } | ModuleKind::InlineFunction { columns: slot } => {
            *slot = columns;
        }
        _ => {}
    }
    def.references = references(context, place, &found.dependencies, def.schema_bound)?;
    if def.schema_bound {
        check_schema_bound(context, place, def)?;
    }
    Ok(())
}

/// The columns of a result under the names that the module gives them.
fn columns(
    context: &Context<'_>,
    place: &Place,
    def: &ModuleDef,
    names: &[ast::Ident],
    found: &QueryColumns,
) -> DdlResult<Vec<ColumnDef>> {
    let module = &def.header.name;
    let schema = context.schema(place.database)?;
    if !names.is_empty() && names.len() > found.columns.len() {
        return Err(SqlError::new(&message::VIEW_FEWER_COLUMNS, &[module]).into());
    }
    if !names.is_empty() && names.len() < found.columns.len() {
        return Err(SqlError::new(&message::DERIVED_HAS_MORE_COLUMNS, &[module]).into());
    }
    let mut columns: Vec<ColumnDef> = Vec::with_capacity(found.columns.len());
    for (at, column) in found.columns.iter().enumerate() {
        let given = names.get(at).map(|n| n.name.clone());
        let Some(name) = given.or_else(|| column.name.clone()).filter(|n| !n.is_empty()) else {
            let error = SqlError::new(&message::VIEW_COLUMN_WITHOUT_NAME, &[&(at + 1)]);
            return Err(error.into());
        };
        if at == VIEW_COLUMNS_MAX {
            let args: [Shown; 3] = [&name, module, &VIEW_COLUMNS_MAX];
            return Err(SqlError::new(&message::VIEW_TOO_MANY_COLUMNS, &args).into());
        }
        if columns.iter().any(|c| schema.same_name(&c.name, &name)) {
            let args: [Shown; 2] = [&name, module];
            return Err(SqlError::new(&message::COLUMN_NAMES_NOT_UNIQUE, &args).into());
        }
        let base = column.base.as_ref().and_then(|b| b.table.columns.get(b.ordinal));
        let system = UserTypeId(i32::from(column.ty.kind.user_type_id()));
        let kept = base
            .map(|b| b.user_type)
            .filter(|ty| *ty < UserTypeId::FIRST_USER || schema.types().get(*ty).is_some());
        let user_type = kept.unwrap_or(system);
        let mut def = ColumnDef::new(ColumnId(at as i32 + 1), name, column.ty, user_type);
        def.nullable = column.nullable;
        // The catalog views show it; a table that a view is copied into inherits it from the base.
        def.identity = column.identity;
        columns.push(def);
    }
    Ok(columns)
}

/// What a module mentions, of the objects that exist.
fn references(
    context: &Context<'_>,
    place: &Place,
    dependencies: &Dependencies,
    schema_bound: bool,
) -> DdlResult<Vec<Reference>> {
    let mut references: Vec<Reference> = Vec::new();
    for found in &dependencies.objects {
        let Ok(schema) = context.schema(found.database) else { continue };
        let Some(object) = schema.object(found.object) else { continue };
        // The plan depends on the triggers of what it changes, but no statement mentions them.
        if schema.module(found.object).is_some_and(|m| m.trigger().is_some()) {
            continue;
        }
        let here = found.database == place.database;
        let named = schema.schemas().get(object.schema()).map(|s| s.name.clone());
        let database = (!here).then(|| context.instance().database_name(found.database));
        let reference = Reference {
            class: ReferenceClass::Object,
            server: None,
            database,
            schema: named,
            name: object.name().clone(),
            id: here.then_some(found.object.0),
            column: None,
            schema_bound: schema_bound && here,
            caller_dependent: false,
            ambiguous: false,
        };
        if !references.contains(&reference) {
            references.push(reference);
        }
    }
    Ok(references)
}

/// What is bound to its schema uses only what stays in it. Errors 4512, 4513.
fn check_schema_bound(context: &Context<'_>, place: &Place, def: &ModuleDef) -> DdlResult<()> {
    let schema = context.schema(place.database)?;
    let what = match def.kind {
        ModuleKind::View { .. } => "view",
        ModuleKind::Procedure { .. } => "procedure",
        ModuleKind::Trigger(_) | ModuleKind::EventTrigger(_) => "trigger",
        _ => "function",
    };
    for reference in &def.references {
        let args: [Shown; 3] = [&what, &def.header.name, &reference.name];
        let Some(id) = reference.id.map(ObjectId) else {
            return Err(SqlError::new(&message::SCHEMA_BOUND_NAME_INVALID, &args).into());
        };
        if schema.module(id).is_some_and(|m| !m.schema_bound && id != def.header.id) {
            return Err(SqlError::new(&message::SCHEMA_BOUND_OBJECT_NOT_BOUND, &args).into());
        }
    }
    Ok(())
}

/// Binds the statements of a module that has just been put into the catalog, and notes what they
/// mention. Errors of statements about objects that exist; for natively compiled modules, all.
pub fn check(
    context: &mut Context<'_>,
    place: &Place,
    id: ObjectId,
    module: &Module,
) -> DdlResult<()> {
    let schema = context.schema(place.database)?;
    let Some(def) = schema.module(id).cloned() else { return Ok(()) };
    if matches!(def.kind, ModuleKind::View { .. } | ModuleKind::InlineFunction { .. }) {
        return Ok(());
    }
    let dependencies = match def.native {
        true => native(context, place, &def, module)?,
        false => interpreted(context, place, &def)?,
    };
    let mut changed = ModuleDef::clone(&def);
    let dependencies: Vec<_> = dependencies.iter().collect();
    for one in dependencies {
        for reference in references(context, place, one, def.schema_bound)? {
            let itself = reference.id == Some(id.0);
            if !changed.references.contains(&reference) && !itself {
                changed.references.push(reference);
            }
        }
    }
    if changed.schema_bound {
        check_schema_bound(context, place, &changed)?;
    }
    if changed != *def {
        let object = ObjectDef::Module(Arc::new(changed));
        crate::ddl::object::put_object(context, place.database, object)?;
    }
    Ok(())
}

/// Binds the statements of a procedure with a number, whose group has just been put into the
/// catalog.
pub fn check_numbered(
    context: &mut Context<'_>,
    place: &Place,
    def: &Arc<ModuleDef>,
) -> DdlResult<()> {
    interpreted(context, place, def).map(drop)
}

fn native(
    context: &Context<'_>,
    place: &Place,
    def: &Arc<ModuleDef>,
    module: &Module,
) -> DdlResult<Vec<Dependencies>> {
    let names =
        DefinitionNames::new(context.session, place.database).in_module(place.schema, Vec::new());
    let options = BindOptions { native: true, ..BindOptions::default() };
    let bind = BindContext { names: &names, options, statistics: &NoStatistics };
    let bound = bind::native(&bind, def, module).map_err(|error| in_module(error, def))?;
    compile::lower::native(&bound.module, compile::lower::Options::default())?;
    Ok(vec![bound.dependencies])
}

fn interpreted(
    context: &mut Context<'_>,
    place: &Place,
    def: &Arc<ModuleDef>,
) -> DdlResult<Vec<Dependencies>> {
    let program = context.session.compile_module(super::names_in(context, place), def);
    let program = program.map_err(|error| in_module(error.into(), def))?;
    let trigger = match (def.trigger(), program.columns_updated) {
        _ if def.event_trigger().is_some() => Some(TriggerLevel::Event("".into())),
        (Some(trigger), Some(columns_updated)) => {
            let schema = context.schema(place.database)?;
            let table = parent_shape(&schema, trigger.parent);
            table.map(|table| TriggerLevel::Rows { table, columns_updated })
        }
        _ => None,
    };
    let (mut missing, mut errors): (Vec<Name>, Vec<SqlError>) = Default::default();
    let (result, _) = context.in_level(&program, trigger, |context| {
        let mut found = Vec::new();
        for step in &program.steps {
            if let StepKind::Execute(execute) = &step.kind
                && let Some(name) = called(execute)
                && !name.name.name.starts_with('#')
                && context.find_procedure(name).is_err_and(|fault| fault.error.number() == 2812)
                && !missing.contains(&name.to_string().into())
            {
                missing.push(name.to_string().into());
            }
            if !step.is_bound() || matches!(step.kind, StepKind::Definition(_)) {
                continue;
            }
            match context.session.compile_step(context.task, &program, step, &[]) {
                Ok(Some(plan)) => found.push(plan.dependencies),
                Ok(None) => {}
                // It may be planned when it runs.
                Err(error) if error.missing || error.is_unplanned() => {}
                Err(error) if error.is_cancelled() => return Err(Fault::cancelled()),
                Err(error) => errors.extend(error.at_line(step.line).all()),
            }
        }
        Ok(found)
    });
    let found = result.map_err(|fault| in_module(fault.error.into(), def))?;
    if let Some(error) = BindError::several(errors) {
        return Err(in_module(error, def));
    }
    for name in missing {
        let args: [Shown; 2] = [&def.header.name, &name];
        context.inform(SqlError::new(&message::MODULE_MISSING_OBJECT, &args))?;
    }
    Ok(found)
}

/// The procedure that a statement calls by a name that is known.
fn called(execute: &ast::Execute) -> Option<&ast::ObjectName> {
    match &execute.target {
        ast::ExecuteTarget::Procedure { name: ast::ProcedureName::Name(name, _), .. } => Some(name),
        _ => None,
    }
}

/// What a trigger is on, as a table.
fn parent_shape(schema: &Schema, parent: ObjectId) -> Option<Arc<TableDef>> {
    schema.table(parent).cloned().or_else(|| {
        let view = schema.module(parent)?;
        Some(TableDef::shape(view.header.clone(), view.columns()?.to_vec()))
    })
}

/// Errors of a module's body name the module.
fn in_module(error: BindError, def: &ModuleDef) -> Failure {
    error.in_procedure(&shown_name(&def.header.name)).into()
}
