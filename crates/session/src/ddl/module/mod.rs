//! Procedures, functions, views and triggers.
//!
//! A module's text is kept and its head is taken apart. Its body is bound before it is accepted:
//! what is wrong with objects that exist is found here; what does not exist yet may come later,
//! unless the module is bound to its schema or natively compiled.

mod body;
mod event_trigger;
mod function;
mod refresh;

use std::sync::Arc;

use base::ids::ObjectId;
use base::types::declare::Subject;
use base::{SqlError, TypeKind, message};
use compile::bind::{self, BindContext, BindOptions};
use compile::plan::statistics::NoStatistics;
use engine::catalog::ObjectDef;
use engine::catalog::def::*;
use tsql::ast::{self, CreateAction, FunctionBody, Module, ModuleOptionKind, ObjectName};

use super::failure::{DdlResult, Failure};
use super::names::DefinitionNames;
use super::object::put_object;
use super::place::{self, Found, Place};
use super::{indexed_view, table, temporal};
use crate::context::Context;

pub use event_trigger::{
    EventTriggers, check_permission as may_define_event_triggers, place_of as event_triggers_of,
};
pub(super) use event_trigger::{drop as drop_event_triggers, toggle as toggle_event_triggers};
pub use refresh::refresh;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `CREATE`, `ALTER` or `CREATE OR ALTER` of a module.
pub fn define(
    context: &mut Context<'_>,
    statement: &ast::ModuleStatement,
    text: &str,
) -> DdlResult<()> {
    let module = &statement.module;
    let (name, what) = name_of(module);
    if let Module::Trigger(trigger) = module
        && let Some(database) = event_triggers_of(context, &trigger.target)
    {
        return event_trigger::define(context, statement, trigger, database, text);
    }
    place::refuse_database(name, &format!("CREATE/ALTER {what}"))?;
    if let Module::Procedure(procedure) = module
        && let Some(number) = procedure.number.filter(|number| *number != 1)
    {
        return define_numbered(context, statement, procedure, number, text);
    }
    let (place, old) = place_of(context, statement.action, name, module)?;
    let head = Head { context, place: &place, old: old.as_deref() };
    let mut def = head.module(statement, text)?;
    if let Some(old) = &old {
        def.numbered.clone_from(&old.numbered);
    }
    if def.native {
        check_native(context, &place, &def)?;
    }
    if let Module::Function(function) = module
        && !def.native
        && let FunctionBody::Scalar { body, .. } | FunctionBody::Table { body, .. } = &function.body
    {
        function::check(body)?;
    }
    body::check_result(context, &place, &mut def, module)?;
    let id = def.header.id;
    if let Some(rows) = old.as_ref().and_then(|old| old.rows) {
        indexed_view::remove(context, place.database, rows)?;
    }
    put_object(context, place.database, ObjectDef::Module(Arc::new(def)))?;
    if place.written.starts_with('#') && old.is_none() {
        context.add_temporary_procedure(&place.written, id);
    }
    body::check(context, &place, id, module)
}

/// A procedure that has a number, and belongs to the one with its name. Errors 208, 2004, 2730.
fn define_numbered(
    context: &mut Context<'_>,
    statement: &ast::ModuleStatement,
    procedure: &ast::Procedure,
    number: i32,
    text: &str,
) -> DdlResult<()> {
    let name = &procedure.name;
    let leaf = &name.name.name;
    let fail = |error: SqlError| DdlResult::Err(error.in_procedure(leaf).into());
    let is_alter = statement.action == CreateAction::Alter;
    let found = place::find_to_change(context, name)?;
    let group = found.as_ref().and_then(|found| {
        let group = found.schema.module(found.id)?;
        let is_group = matches!(group.kind, ModuleKind::Procedure { .. });
        (is_group && place::may_alter(context, found)).then(|| group.clone())
    });
    let exists = group.as_ref().is_some_and(|g| g.numbered.iter().any(|n| n.number == number));
    let (Some(found), Some(group)) = (&found, group.filter(|_| !is_alter || exists)) else {
        if is_alter {
            return fail(SqlError::new(&message::INVALID_OBJECT, &[name]).with_state(7));
        }
        let args: [Shown; 3] = [leaf, &number, leaf];
        return fail(SqlError::new(&message::PROCEDURE_GROUP_MISSING, &args));
    };
    if exists && statement.action == CreateAction::Create {
        return fail(SqlError::new(&message::PROCEDURE_NUMBER_TAKEN, &[leaf, &number]));
    }
    let header = &group.header;
    let (schema, written) = (header.schema, header.name.clone());
    let place = Place { database: found.database, schema, name: written.clone(), written };
    let head = Head { context, place: &place, old: Some(&group) };
    let mut def = head.module(statement, text)?;
    if def.native || group.native {
        let (what, with) = ("numbered stored procedures", "natively compiled modules");
        let args: [Shown; 3] = [&"feature", &what, &with];
        return fail(SqlError::new(&message::NOT_SUPPORTED_WITH, &args));
    }
    def.number = number;
    let def = Arc::new(def);
    let mut changed = ModuleDef::clone(&group);
    changed.header.modified = context.now();
    changed.numbered.retain(|other| other.number != number);
    let at = changed.numbered.partition_point(|other| other.number < number);
    changed.numbered.insert(at, def.clone());
    put_object(context, place.database, ObjectDef::Module(Arc::new(changed)))?;
    body::check_numbered(context, &place, &def)
}

fn name_of(module: &Module) -> (&ObjectName, &'static str) {
    match module {
        Module::Procedure(procedure) => (&procedure.name, "PROCEDURE"),
        Module::Function(function) => (&function.name, "FUNCTION"),
        Module::View(view) => (&view.name, "VIEW"),
        Module::Trigger(trigger) => (&trigger.name, "TRIGGER"),
    }
}

/// Where a module goes, and what it replaces. Errors 208, 2010, 2714.
fn place_of(
    context: &mut Context<'_>,
    action: CreateAction,
    name: &ObjectName,
    module: &Module,
) -> DdlResult<(Place, Option<Arc<ModuleDef>>)> {
    if name.name.name.starts_with('#')
        && let Some(error) = refuse_temporary(name, module)
    {
        return Err(error);
    }
    let permission = match module {
        Module::Procedure(_) => Permission::CreateProcedure,
        Module::Function(_) => Permission::CreateFunction,
        Module::View(_) => Permission::CreateView,
        Module::Trigger(trigger) => return trigger_place(context, action, trigger),
    };
    if action != CreateAction::Create
        && let Some(found) = place::find_to_change(context, name)?
    {
        return replaced(context, name, module, &found);
    }
    if action == CreateAction::Alter {
        return Err(SqlError::new(&message::INVALID_OBJECT, &[name]).into());
    }
    let place = place::for_new(context, name, permission);
    place.map(|place| (place, None)).map_err(|failure| about_module(failure, name))
}

/// What is refused of temporary modules: all but procedures. Errors 1074, 4103.
fn refuse_temporary(name: &ObjectName, module: &Module) -> Option<Failure> {
    let written = &name.name.name;
    let error = match module {
        Module::Function(_) => SqlError::new(&message::TEMPORARY_FUNCTION, &[]),
        Module::View(_) => SqlError::new(&message::TEMPORARY_VIEW, &[written]),
        Module::Trigger(_) => SqlError::new(&message::UNIMPLEMENTED, &[&"temporary trigger"]),
        Module::Procedure(_) => return None,
    };
    Some(error.in_procedure(written).into())
}

/// Error 2714 with state 3, as for modules: there is such an object already.
pub(in crate::ddl) fn about_module(failure: Failure, name: &ObjectName) -> Failure {
    match failure.error.number() == message::OBJECT_EXISTS.number {
        true => failure.error.with_state(3).in_procedure(&name.name.name).into(),
        false => failure,
    }
}

/// A trigger is in the schema of its table or view. Errors 167, 2103, 8197.
fn trigger_place(
    context: &mut Context<'_>,
    action: CreateAction,
    trigger: &ast::Trigger,
) -> DdlResult<(Place, Option<Arc<ModuleDef>>)> {
    let ast::TriggerTarget::Object(target) = &trigger.target else {
        return Err(ir::internal("a trigger on no object is in no schema").into());
    };
    if target.name.name.starts_with('#') {
        let error = SqlError::new(&message::CANNOT_CREATE_ON_TEMPORARY, &[&"trigger"]);
        return Err(error.in_procedure(&trigger.name.name.name).into());
    }
    let missing = || {
        let text =
            format!("The object '{target}' does not exist or is invalid for this operation.");
        SqlError::custom(8197, 16, 4, text)
    };
    let parent = place::find_to_change(context, target)?.ok_or_else(missing)?;
    if !place::may_alter(context, &parent) {
        return Err(missing().into());
    }
    let schema = parent.object().schema();
    let named = trigger.name.schema.as_ref();
    let named = named.map(|s| parent.schema.find_schema(&s.name).map(|s| s.id));
    if named.is_some_and(|named| named != Some(schema)) {
        let verb = if action == CreateAction::Create { "create" } else { "alter" };
        let args: [Shown; 2] = [&verb, &trigger.name];
        return Err(SqlError::new(&message::TRIGGER_CANNOT_ALTER, &args).into());
    }
    let name = trigger.name.name.name.clone();
    let place =
        Place { database: parent.database, schema, name: name.clone(), written: name.clone() };
    let existing = parent.schema.find_object(schema, &name).map(|o| o.id());
    match (existing, action) {
        (None, CreateAction::Alter) => {
            Err(SqlError::new(&message::INVALID_OBJECT, &[&trigger.name]).into())
        }
        (None, _) => Ok((place, None)),
        (Some(_), CreateAction::Create) => {
            let error = SqlError::new(&message::OBJECT_EXISTS, &[&name]).with_state(2);
            Err(error.in_procedure(&name).into())
        }
        (Some(id), _) => {
            let found = Found { id, ..parent };
            replaced(context, &trigger.name, &Module::Trigger(trigger.clone()), &found)
        }
    }
}

/// The module that is altered. Errors 208, 2010, 3729.
fn replaced(
    context: &mut Context<'_>,
    name: &ObjectName,
    module: &Module,
    found: &Found,
) -> DdlResult<(Place, Option<Arc<ModuleDef>>)> {
    let old = found.schema.module(found.id).filter(|old| same_kind(module, &old.kind));
    let Some(old) = old else {
        return Err(SqlError::new(&message::ALTER_INCOMPATIBLE_OBJECT, &[&name.name.name]).into());
    };
    if !place::may_alter(context, found) {
        return Err(SqlError::new(&message::INVALID_OBJECT, &[name]).into());
    }
    if let Some(user) = found.schema.first_bound_user(found.id) {
        let args: [Shown; 3] = [&"ALTER", &place::qualified_or_bare(found), user.name()];
        return Err(SqlError::new(&message::OBJECT_IS_REFERENCED, &args).into());
    }
    let header = &old.header;
    let place = Place {
        database: found.database,
        schema: header.schema,
        name: header.name.clone(),
        written: header.name.clone(),
    };
    Ok((place, Some(old.clone())))
}

fn same_kind(module: &Module, kind: &ModuleKind) -> bool {
    match module {
        Module::Procedure(_) => matches!(kind, ModuleKind::Procedure { .. }),
        Module::View(_) => matches!(kind, ModuleKind::View { .. }),
        Module::Trigger(_) => matches!(kind, ModuleKind::Trigger(_)),
        Module::Function(function) => match &function.body {
            FunctionBody::Scalar { .. } => matches!(kind, ModuleKind::ScalarFunction { .. }),
            FunctionBody::Inline { .. } => matches!(kind, ModuleKind::InlineFunction { .. }),
            FunctionBody::Table { .. } => matches!(kind, ModuleKind::TableFunction { .. }),
        },
    }
}

/// What natively compiled modules want of their surroundings. Errors 12324, 12331, 41332, 41337.
fn check_native(context: &Context<'_>, place: &Place, def: &ModuleDef) -> DdlResult<()> {
    const MODULES: &str = "natively compiled modules";
    table::refuse_transaction(context)?;
    table::check_database(context, place.database, MODULES)?;
    if !def.uses_ansi_nulls {
        return Err(SqlError::new(&message::NATIVE_NEEDS_SET_OPTIONS, &[&MODULES]).into());
    }
    Ok(())
}

/// The database in which a module's names are resolved: for a temporary procedure, the one that it
/// is made in.
fn names_in(context: &Context<'_>, place: &Place) -> base::ids::DbId {
    match place.name.starts_with('#') {
        true => context.session.name_database(),
        false => place.database,
    }
}

/// What a temporary procedure cannot be. It runs in any database as its caller: nothing may make it
/// a principal of tempdb there.
fn refuse_for_temporary(def: &ModuleDef) -> DdlResult<()> {
    let what = match def.native {
        true => "natively compiled temporary procedure",
        false if def.execute_as != ExecuteAs::Caller => "EXECUTE AS in a temporary procedure",
        false => return Ok(()),
    };
    Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into())
}

/// The head of a module: everything before its body.
struct Head<'h, 'c> {
    context: &'h mut Context<'c>,
    place: &'h Place,
    old: Option<&'h ModuleDef>,
}

impl Head<'_, '_> {
    fn module(mut self, statement: &ast::ModuleStatement, text: &str) -> DdlResult<ModuleDef> {
        let now = self.context.now();
        let header = match self.old {
            Some(old) => ObjectHeader { modified: now, ..old.header.clone() },
            None => {
                let (_, edit) = self.context.edit(self.place.database)?;
                super::object::header(edit.new_object_id(), self.place, now)
            }
        };
        let kind = self.kind(&statement.module)?;
        let definition = statement.definition(text);
        let mut def = ModuleDef::new(header, kind, definition.into());
        let settings = &self.context.session.options.settings;
        def.uses_ansi_nulls = settings.ansi_nulls;
        def.uses_quoted_identifier = settings.quoted_identifier;
        let (options, parameters): (&[ast::ModuleOption], &[ast::ParameterDeclaration]) =
            match &statement.module {
                Module::Procedure(p) => (&p.options, &p.parameters),
                Module::Function(f) => (&f.options, &f.parameters),
                Module::View(v) => (&v.options, &[]),
                Module::Trigger(t) => (&t.options, &[]),
            };
        self.options(&mut def, options)?;
        if def.is_temporary() {
            refuse_for_temporary(&def)?;
        }
        self.check_native_change(&def)?;
        def.parameters = self.parameters(parameters, text)?;
        Ok(def)
    }

    fn kind(&self, module: &Module) -> DdlResult<ModuleKind> {
        Ok(match module {
            Module::Procedure(procedure) => {
                if procedure.for_replication {
                    let what = "FOR REPLICATION";
                    return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
                }
                let auto = self.old.is_some_and(|old| {
                    matches!(old.kind, ModuleKind::Procedure { auto_executed: true })
                });
                ModuleKind::Procedure { auto_executed: auto }
            }
            Module::View(view) => {
                let with_check_option = view.check_option;
                ModuleKind::View { columns: Vec::new(), with_check_option }
            }
            Module::Trigger(trigger) => self.trigger(trigger)?,
            Module::Function(function) => match &function.body {
                FunctionBody::Scalar { ty, nullable, .. } => {
                    let declared = self.declared(ty, Subject::Type, 0)?;
                    let kind = declared.ty.kind;
                    if kind.is_legacy_lob() || kind == TypeKind::RowVersion {
                        let error = SqlError::new(&message::RETURN_TYPE_INVALID, &[&kind]);
                        return Err(error.into());
                    }
                    ModuleKind::ScalarFunction {
                        returns: ReturnDef {
                            ty: declared.ty,
                            user_type: declared.user_type,
                            nullable: nullable.unwrap_or(true),
                        },
                    }
                }
                FunctionBody::Inline { .. } => ModuleKind::InlineFunction { columns: Vec::new() },
                FunctionBody::Table { variable, definition, .. } => {
                    let database = self.place.database;
                    let names = DefinitionNames::new(self.context.session, database);
                    let result = table::function_result(
                        self.context.session,
                        &names,
                        database,
                        &variable.name,
                        definition,
                    )?;
                    ModuleKind::TableFunction { variable: variable.name.clone(), result }
                }
            },
        })
    }

    /// A trigger's own part. Errors 340, 1084, 1095, 1098, 2111, 2113, 10776, 10777.
    fn trigger(&self, trigger: &ast::Trigger) -> DdlResult<ModuleKind> {
        let ast::TriggerTarget::Object(target) = &trigger.target else {
            let own = event_trigger::definition(trigger, self.old)?;
            return Ok(ModuleKind::EventTrigger(own));
        };
        let found = place::find_in(self.context, self.place.database, target)?;
        let found = found.ok_or_else(|| SqlError::new(&message::INVALID_OBJECT, &[target]))?;
        let name = &trigger.name.name.name;
        let is_view = found
            .schema
            .module(found.id)
            .is_some_and(|m| matches!(m.kind, ModuleKind::View { .. }));
        match found.table() {
            Some(table) => {
                let instead = trigger.instead_of;
                temporal::refuse_trigger(self.context, &found, &table, instead)?;
                check_table_trigger(&found, &table, trigger)?;
            }
            None if is_view && !trigger.instead_of => {
                let args: [Shown; 2] = [name, target];
                return Err(SqlError::new(&message::TRIGGER_ON_VIEW_AFTER, &args).into());
            }
            None if is_view => {}
            None => {
                let text = format!(
                    "The object '{target}' does not exist or is invalid for this operation."
                );
                return Err(SqlError::custom(8197, 16, 6, text).into());
            }
        }
        let old = self.old.and_then(|old| old.trigger());
        let mut events = Vec::new();
        for event in &trigger.events {
            let kind = match &*event.name {
                "INSERT" => TriggerEventKind::Insert,
                "UPDATE" => TriggerEventKind::Update,
                "DELETE" => TriggerEventKind::Delete,
                other => {
                    return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&other]).into());
                }
            };
            if events.iter().any(|event: &TriggerEvent| event.kind == kind) {
                let args = [&event.name as Shown];
                return Err(SqlError::new(&message::DUPLICATE_TRIGGER_ACTION, &args).into());
            }
            let kept = old.and_then(|old| old.events.iter().find(|e| e.kind == kind));
            let event = kept.copied().unwrap_or(TriggerEvent { kind, first: false, last: false });
            events.push(event);
        }
        events.sort_by_key(|event| event.kind);
        if trigger.instead_of {
            check_only_instead_of(&found, name, &events)?;
        }
        Ok(ModuleKind::Trigger(TriggerDef {
            parent: found.id,
            events,
            instead_of: trigger.instead_of,
            disabled: old.is_some_and(|old| old.disabled),
            not_for_replication: trigger.not_for_replication,
        }))
    }

    fn options(&self, def: &mut ModuleDef, options: &[ast::ModuleOption]) -> DdlResult<()> {
        for option in options {
            match &option.kind {
                ModuleOptionKind::Encryption => def.encrypted = true,
                ModuleOptionKind::NativeCompilation => def.native = true,
                ModuleOptionKind::Recompile => def.recompile = true,
                ModuleOptionKind::SchemaBinding => def.schema_bound = true,
                ModuleOptionKind::NullOnNullInput(on) => def.null_on_null_input = *on,
                ModuleOptionKind::ExecuteAs(principal) => {
                    def.execute_as = match def.event_trigger() {
                        Some(trigger) => self.event_execute_as(trigger.server, principal)?,
                        None => self.execute_as(principal)?,
                    };
                }
                ModuleOptionKind::Inline(_) | ModuleOptionKind::ViewMetadata => {}
            }
        }
        let procedure = matches!(def.kind, ModuleKind::Procedure { .. });
        if procedure && def.schema_bound && !def.native {
            return Err(SqlError::new(&message::NATIVE_NEEDS_SCHEMABINDING, &[]).into());
        }
        Ok(())
    }

    fn execute_as(&self, principal: &ast::ModulePrincipal) -> DdlResult<ExecuteAs> {
        let database = self.place.database;
        Ok(match principal {
            ast::ModulePrincipal::Caller => ExecuteAs::Caller,
            ast::ModulePrincipal::Owner => {
                let schema = self.context.schema(database)?;
                let own = self.old.and_then(|old| old.header.owner);
                let of_schema = || schema.schemas().get(self.place.schema).map(|s| s.owner);
                let owner = own.or_else(of_schema).and_then(|id| schema.principals().get(id));
                self.check_may_act_as(owner, "dbo")?;
                ExecuteAs::Owner
            }
            ast::ModulePrincipal::SelfUser => ExecuteAs::Principal(self.context.user(database)?.id),
            ast::ModulePrincipal::Named(name) => {
                let schema = self.context.schema(database)?;
                let found = schema.find_principal(name).filter(|p| !p.kind.is_role());
                ExecuteAs::Principal(self.check_may_act_as(found, name)?)
            }
        })
    }

    /// The user that a trigger on the database acts as, or the login that one on the server does.
    /// Errors 1083, 15151.
    fn event_execute_as(
        &self,
        server: bool,
        principal: &ast::ModulePrincipal,
    ) -> DdlResult<ExecuteAs> {
        Ok(match principal {
            ast::ModulePrincipal::Owner => {
                return Err(SqlError::new(&message::EVENT_TRIGGER_OWNER, &[]).into());
            }
            ast::ModulePrincipal::SelfUser if server => {
                ExecuteAs::Principal(self.context.session.identity.login().id)
            }
            ast::ModulePrincipal::Named(name) if server => {
                let login = self.context.impersonated_login(name).map_err(|_| {
                    let args: [Shown; 3] = [&"execute as", &"login", name];
                    SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args)
                });
                ExecuteAs::Principal(login?.id)
            }
            other => self.execute_as(other)?,
        })
    }

    /// A module acts as a user if the session may. Error 15151.
    fn check_may_act_as(
        &self,
        user: Option<&Arc<PrincipalDef>>,
        name: &str,
    ) -> DdlResult<PrincipalId> {
        if let Some(user) = user
            && self.context.session.may_act_as(self.place.database, user)?
        {
            return Ok(user.id);
        }
        let name = user.map_or(name, |user| &user.name);
        let args: [&dyn std::fmt::Display; 3] = [&"execute as", &"user", &name];
        Err(SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args).into())
    }

    /// Refuses to make a native module an interpreted one, and the reverse. Errors 41392 and 41393.
    fn check_native_change(&self, def: &ModuleDef) -> DdlResult<()> {
        let message = match self.old.map(|old| old.native) {
            Some(true) if !def.native => &message::ALTER_NATIVE_TO_INTERPRETED,
            Some(false) if def.native => &message::ALTER_INTERPRETED_TO_NATIVE,
            _ => return Ok(()),
        };
        Err(SqlError::new(message, &[]).into())
    }

    fn declared(
        &self,
        written: &ast::DataType,
        subject: Subject<'_>,
        ordinal: u32,
    ) -> DdlResult<bind::DeclaredType> {
        let names = DefinitionNames::new(self.context.session, names_in(self.context, self.place));
        let names = names.in_module(self.place.schema, Vec::new());
        let bind = BindContext {
            names: &names,
            options: BindOptions::default(),
            statistics: &NoStatistics,
        };
        Ok(bind::data_type(&bind, written, subject, ordinal)?)
    }

    fn parameters(
        &mut self,
        parameters: &[ast::ParameterDeclaration],
        text: &str,
    ) -> DdlResult<Vec<ParameterDef>> {
        let mut defs: Vec<ParameterDef> = Vec::with_capacity(parameters.len());
        for (at, parameter) in parameters.iter().enumerate() {
            let def = self.parameter(parameter, at as u32 + 1, text);
            let def = def.map_err(|f| f.at_line(parameter.span.line))?;
            let twice = defs.iter().any(|d| d.name.to_lowercase() == def.name.to_lowercase());
            if twice {
                let error = SqlError::new(&message::VARIABLE_ALREADY_DECLARED, &[&def.name]);
                return Err(error.at_line(parameter.span.line).into());
            }
            defs.push(def);
        }
        Ok(defs)
    }

    /// A parameter. Errors 346, 347, 352.
    fn parameter(
        &mut self,
        parameter: &ast::ParameterDeclaration,
        ordinal: u32,
        text: &str,
    ) -> DdlResult<ParameterDef> {
        let name = &parameter.name.name;
        let written = &parameter.ty.name;
        let mut def = ParameterDef {
            name: name.clone(),
            ty: base::SqlType::int(),
            user_type: UserTypeId(0),
            table_valued: false,
            nullable: parameter.nullable.unwrap_or(true),
            output: parameter.output,
            read_only: parameter.read_only,
            cursor: false,
            default: None,
        };
        if written.is_bare() && written.name.name.eq_ignore_ascii_case("cursor") {
            def.cursor = true;
            return Ok(def);
        }
        if let Some(table_type) = self.table_type(written)? {
            def.user_type = table_type;
            def.table_valued = true;
            let refused = if parameter.output {
                Some(&message::TABLE_PARAMETER_OUTPUT)
            } else if !parameter.read_only {
                Some(&message::TABLE_PARAMETER_NOT_READONLY)
            } else {
                None
            };
            return match refused {
                Some(message) => Err(SqlError::new(message, &[name]).into()),
                None => Ok(def),
            };
        }
        if parameter.read_only {
            return Err(SqlError::new(&message::READONLY_NOT_TABLE_VALUED, &[name]).into());
        }
        let declared = self.declared(&parameter.ty, Subject::Parameter(name), ordinal)?;
        (def.ty, def.user_type) = (declared.ty, declared.user_type);
        if let Some(default) = &parameter.default {
            def.default = Some(self.default(default, def.ty, text)?);
        }
        Ok(def)
    }

    fn table_type(&self, name: &ObjectName) -> DdlResult<Option<UserTypeId>> {
        let schema = self.context.schema(self.place.database)?;
        let found = match &name.schema {
            Some(place) => {
                let place = schema.find_schema(&place.name);
                place.and_then(|place| schema.find_type(place.id, &name.name.name))
            }
            None => schema.resolve_type(self.place.schema, &name.name.name),
        };
        let found = found.filter(|t| matches!(t.kind, TypeDefKind::Table { .. }));
        Ok(found.map(|t| t.id))
    }

    /// A parameter's default: a constant of its type.
    fn default(
        &mut self,
        default: &ast::ArgumentValue,
        ty: base::SqlType,
        text: &str,
    ) -> DdlResult<base::Value> {
        let (source, line) = match default {
            ast::ArgumentValue::Constant { span, .. } => (span.text(text).to_owned(), span.line),
            ast::ArgumentValue::Word(word) => {
                (format!("N'{}'", word.name.replace('\'', "''")), word.span.line)
            }
            _ => return Ok(base::Value::Null),
        };
        let names = DefinitionNames::new(self.context.session, self.place.database);
        let bind = BindContext {
            names: &names,
            options: BindOptions::default(),
            statistics: &NoStatistics,
        };
        let options = tsql::ParseOptions { quoted_identifier: false };
        let expr = tsql::parse_expression(&source, options)?;
        let bound = bind::constant_expression(&bind, &expr, Some(ty))
            .map_err(|error| error.error.at_line(line))?;
        super::data::evaluate(self.context, bound)
    }
}

/// Checks that a table may have the trigger. Errors 2113, 10776, 10777, 10794.
fn check_table_trigger(found: &Found, table: &TableDef, trigger: &ast::Trigger) -> DdlResult<()> {
    let native =
        trigger.options.iter().any(|o| matches!(o.kind, ModuleOptionKind::NativeCompilation));
    let in_memory = table.kind.is_memory_optimized();
    if native && !in_memory {
        return Err(SqlError::new(&message::NATIVE_TRIGGER_ON_DISK_TABLE, &[]).into());
    }
    if !native && in_memory {
        return Err(SqlError::new(&message::TRIGGER_MUST_BE_NATIVE, &[]).into());
    }
    if in_memory && trigger.instead_of {
        let args: [Shown; 3] = [&"feature", &"INSTEAD OF triggers", &"memory optimized tables"];
        return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
    }
    let cascades = |key: &ForeignKeyDef, event: &str| match event {
        "DELETE" => key.on_delete != ReferentialAction::NoAction,
        "UPDATE" => key.on_update != ReferentialAction::NoAction,
        _ => false,
    };
    let cascading =
        trigger.events.iter().any(|e| table.foreign_keys.iter().any(|key| cascades(key, &e.name)));
    if trigger.instead_of && cascading {
        let shown = place::qualified(&found.schema, table.header.schema, &table.header.name);
        let args: [Shown; 3] = [&"CREATE", &trigger.name.name.name, &shown];
        return Err(SqlError::new(&message::INSTEAD_OF_CASCADE, &args).into());
    }
    Ok(())
}

/// A table or view has one `INSTEAD OF` trigger for each event. Error 2111.
fn check_only_instead_of(found: &Found, name: &Name, events: &[TriggerEvent]) -> DdlResult<()> {
    let triggers: &[ObjectId] = match found.schema.object_def(found.id) {
        Some(ObjectDef::Table(table)) => &table.triggers,
        Some(ObjectDef::Module(module)) => &module.triggers,
        _ => &[],
    };
    let is_table = found.table().is_some();
    for other in triggers.iter().filter_map(|id| found.schema.module(*id)) {
        let Some(trigger) = other.trigger().filter(|t| t.instead_of) else { continue };
        if found.schema.same_name(&other.header.name, name) {
            continue;
        }
        let both = |e: &&TriggerEvent| trigger.events.iter().any(|own| own.kind == e.kind);
        if let Some(event) = events.iter().find(both) {
            let what = if is_table { "table" } else { "view" };
            let object = found.object();
            let shown = place::qualified(&found.schema, object.schema(), object.name());
            let event = event.kind.description();
            let args: [Shown; 5] = [&"CREATE", name, &what, &shown, &event];
            return Err(SqlError::new(&message::INSTEAD_OF_TRIGGER_EXISTS, &args).into());
        }
    }
    Ok(())
}
