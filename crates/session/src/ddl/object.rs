//! Schemas, types, sequences and synonyms.

use std::sync::Arc;

use base::ids::DbId;
use base::types::declare::Subject;
use base::{SqlError, SqlType, TypeKind, message};
use compile::bind::{self, BindContext, BindOptions};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::*;
use engine::catalog::{Definition, ObjectDef};
use engine::txn::locks::DefinitionKind;
use tsql::ast::{self, CreateAction, CreateTypeKind, SequenceOptionKind};

use super::failure::DdlResult;
use super::names::DefinitionNames;
use super::place::{self, Place};
use super::security::new_owner;
use super::table;
use crate::context::{Context, engine_error};

type Shown<'a> = &'a dyn std::fmt::Display;

/// `CREATE SCHEMA`, with what is created in it.
pub fn create_schema(
    context: &mut Context<'_>,
    create: &ast::CreateSchema,
    text: &str,
) -> DdlResult<()> {
    let database = context.database();
    context.lock_edit(database)?;
    context.demand_on_database(database, Permission::CreateSchema)?;
    let schema = context.schema(database)?;
    let owner = match &create.owner {
        Some(owner) => new_owner(context, database, &owner.name, "user")?,
        None => context.user(database)?.id,
    };
    let written = create.name.as_ref().or(create.owner.as_ref());
    let name = written.expect("the parser wants one of them").name.clone();
    if schema.find_schema(&name).is_some() {
        return Err(SqlError::new(&message::OBJECT_EXISTS, &[&name]).into());
    }
    let id = schema.next_schema_id().ok_or_else(|| too_many("schemas"))?;
    let id = SchemaId(context.free_id(database, DefinitionKind::Schema, id.0)?);
    let def = SchemaDef { id, name: name.clone(), owner };
    context.change(database, |task, txn, edit| {
        edit.put(task, txn, Definition::Schema(Arc::new(def)))
    })?;
    for element in &create.elements {
        let mut element = element.clone();
        qualify(&mut element, &name);
        // A view's text begins at its own CREATE.
        let own = match element.kind {
            ast::StatementKind::Module(_) => element.span.text(text),
            _ => text,
        };
        super::define(context, &element, own).map_err(|f| f.at_line(element.span.line))?;
    }
    Ok(())
}

/// Puts what is created with a schema into that schema.
fn qualify(element: &mut ast::Statement, schema: &Name) {
    let name = match &mut element.kind {
        ast::StatementKind::CreateTable(create) => &mut create.name,
        ast::StatementKind::Module(module) => match &mut module.module {
            ast::Module::View(view) => &mut view.name,
            _ => return,
        },
        _ => return,
    };
    if name.schema.is_none() {
        let span = name.span;
        name.schema = Some(ast::Ident { name: schema.clone(), quoted: true, span });
    }
}

fn too_many(what: &str) -> SqlError {
    SqlError::custom(1073, 16, 1, format!("The database has as many {what} as it can have."))
}

/// `ALTER SCHEMA … TRANSFER`.
pub fn transfer(context: &mut Context<'_>, alter: &ast::AlterSchema) -> DdlResult<()> {
    let database = context.database();
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let Some(target) = schema.find_schema(&alter.name.name).map(|s| s.id) else {
        let args: [Shown; 3] = [&"alter", &"schema", &alter.name.name];
        return Err(SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args).into());
    };
    let place = Securable { class: SecurableClass::Schema, major: target.0, minor: 0 };
    if !context.may(database, place, Permission::Alter) {
        let args: [Shown; 3] = [&"alter", &"schema", &alter.name.name];
        return Err(SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args).into());
    }
    let definition = match alter.class {
        Some(ast::SecurableClass::Type) => moved_type(context, database, target, alter)?,
        _ => moved_object(context, database, target, alter)?,
    };
    let moved = match &definition {
        Definition::Object(object) => Some(object.header().id),
        _ => None,
    };
    context.change(database, |task, txn, edit| edit.put(task, txn, definition))?;
    if let Some(moved) = moved {
        super::indexed_view::follow(context, database, moved)?;
    }
    Ok(())
}

fn moved_type(
    context: &Context<'_>,
    database: DbId,
    target: SchemaId,
    alter: &ast::AlterSchema,
) -> DdlResult<Definition> {
    let schema = context.schema(database)?;
    let Some(def) = find_type(context, database, &alter.object)? else {
        let args: [Shown; 3] = [&"find", &"type", &alter.object.name.name];
        return Err(SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args).into());
    };
    if schema.find_type(target, &def.name).is_some() {
        return Err(name_taken(&def.name));
    }
    Ok(Definition::Type(Arc::new(TypeDef { schema: target, ..TypeDef::clone(&def) })))
}

fn moved_object(
    context: &mut Context<'_>,
    database: DbId,
    target: SchemaId,
    alter: &ast::AlterSchema,
) -> DdlResult<Definition> {
    let missing = || {
        let args: [Shown; 3] = [&"find", &"object", &alter.object.name.name];
        SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args)
    };
    let found = place::find_in(context, database, &alter.object)?.ok_or_else(missing)?;
    if !place::may_alter(context, &found) {
        return Err(missing().into());
    }
    let schema = &found.schema;
    let def = schema.object_def(found.id).ok_or_else(missing)?;
    if schema.find_object(target, &def.header().name).is_some() {
        return Err(name_taken(&def.header().name));
    }
    if let Some(user) = schema.first_bound_user(found.id) {
        let args: [Shown; 3] = [&"transfer", &def.header().name, user.name()];
        return Err(SqlError::new(&message::OBJECT_IS_REFERENCED, &args).into());
    }
    Ok(Definition::Object(with_header(def, |header| header.schema = target)))
}

fn name_taken(name: &Name) -> super::failure::Failure {
    let text = format!("The object \"{name}\" already exists in the destination schema.");
    SqlError::custom(15530, 16, 1, text).into()
}

/// The same object with another header.
pub fn with_header(def: &ObjectDef, change: impl FnOnce(&mut ObjectHeader)) -> ObjectDef {
    match def {
        ObjectDef::Table(def) => {
            let mut def = TableDef::clone(def);
            change(&mut def.header);
            ObjectDef::Table(Arc::new(def))
        }
        ObjectDef::Module(def) => {
            let mut def = ModuleDef::clone(def);
            change(&mut def.header);
            ObjectDef::Module(Arc::new(def))
        }
        ObjectDef::Sequence(def) => {
            let mut def = SequenceDef::clone(def);
            change(&mut def.header);
            ObjectDef::Sequence(Arc::new(def))
        }
        ObjectDef::Synonym(def) => {
            let mut def = SynonymDef::clone(def);
            change(&mut def.header);
            ObjectDef::Synonym(Arc::new(def))
        }
        ObjectDef::SecurityPolicy(def) => {
            let mut def = SecurityPolicyDef::clone(def);
            change(&mut def.header);
            ObjectDef::SecurityPolicy(Arc::new(def))
        }
    }
}

/// A type that a name means in a database.
pub fn find_type(
    context: &Context<'_>,
    database: DbId,
    name: &ast::ObjectName,
) -> DdlResult<Option<Arc<TypeDef>>> {
    let schema = context.schema(database)?;
    let found = match &name.schema {
        Some(place) => {
            let place = schema.find_schema(&place.name);
            place.and_then(|place| schema.find_type(place.id, &name.name.name))
        }
        None => schema.resolve_type(context.user(database)?.default_schema, &name.name.name),
    };
    Ok(found.cloned())
}

/// `CREATE TYPE`.
pub fn create_type(context: &mut Context<'_>, create: &ast::CreateType) -> DdlResult<()> {
    place::refuse_database(&create.name, "CREATE TYPE")?;
    let database = context.database();
    context.lock_edit(database)?;
    context.demand_on_database(database, Permission::CreateType)?;
    let schema = context.schema(database)?;
    let place = match &create.name.schema {
        Some(written) => place::own_schema(&schema, &written.name)?,
        None => context.user(database)?.default_schema,
    };
    let name = create.name.name.name.clone();
    let built_in = base::types::declare::kind_by_name(&name).is_some();
    if schema.find_type(place, &name).is_some() || built_in {
        let shown = place::qualified(&schema, place, &name);
        return Err(SqlError::new(&message::TYPE_EXISTS, &[&shown]).into());
    }
    let id =
        UserTypeId(context.free_id(database, DefinitionKind::Type, schema.next_type_id().0)?);
    let kind = match &create.kind {
        CreateTypeKind::Alias { ty, nullable } => alias(context, database, ty, *nullable)?,
        CreateTypeKind::Table(definition) => {
            let place =
                Place { database, schema: place, name: name.clone(), written: name.clone() };
            let hidden = table::table_type(context, &place, definition)?;
            let table = hidden.id();
            context.change(database, |task, txn, edit| edit.create_table(task, txn, hidden))?;
            TypeDefKind::Table { table }
        }
    };
    let def = TypeDef { id, schema: place, name, owner: None, kind };
    context
        .change(database, |task, txn, edit| edit.put(task, txn, Definition::Type(Arc::new(def))))?;
    Ok(())
}

fn alias(
    context: &Context<'_>,
    database: DbId,
    written: &ast::DataType,
    nullable: Option<bool>,
) -> DdlResult<TypeDefKind> {
    let declared = declared(context, database, written, Subject::Type)?;
    if declared.user_type >= UserTypeId::FIRST_USER
        || declared.ty.kind == TypeKind::RowVersion
        || declared.ty.kind.is_clr()
    {
        let shown = written.name.to_string();
        return Err(SqlError::new(&message::INVALID_BASE_TYPE, &[&shown]).into());
    }
    if declared.ty.kind == TypeKind::Json {
        return Err(SqlError::new(&message::JSON_ALIAS_BASE, &[]).into());
    }
    let settings = &context.session.options.settings;
    let nullable = nullable.unwrap_or(settings.ansi_null_default_on);
    Ok(TypeDefKind::Alias { ty: declared.ty, nullable, default: None, rule: None })
}

/// What a type means in a database.
pub fn declared(
    context: &Context<'_>,
    database: DbId,
    written: &ast::DataType,
    subject: Subject<'_>,
) -> DdlResult<bind::DeclaredType> {
    let names = DefinitionNames::new(context.session, database);
    let bind =
        BindContext { names: &names, options: BindOptions::default(), statistics: &NoStatistics };
    Ok(bind::data_type(&bind, written, subject, 1)?)
}

/// `CREATE SYNONYM`.
pub fn create_synonym(context: &mut Context<'_>, create: &ast::CreateSynonym) -> DdlResult<()> {
    place::refuse_database(&create.name, "CREATE SYNONYM")?;
    place::refuse_temporary(&create.name, "temporary synonym")?;
    let place = place::for_new(context, &create.name, Permission::CreateSynonym)?;
    let base = quoted(&create.target);
    let now = context.now();
    let (_, edit) = context.edit(place.database)?;
    let header = header(edit.new_object_id(), &place, now);
    let def = SynonymDef { header, base: base.into() };
    put_object(context, place.database, ObjectDef::Synonym(Arc::new(def)))
}

/// A name of several parts, each in brackets, as `sys.synonyms` shows it.
fn quoted(name: &ast::ObjectName) -> String {
    let parts = [&name.server, &name.database, &name.schema];
    let mut text = String::new();
    for part in parts.into_iter().skip_while(|part| part.is_none()) {
        if let Some(part) = part {
            text.push_str(&tsql::quote_identifier(&part.name));
        }
        text.push('.');
    }
    text.push_str(&tsql::quote_identifier(&name.name.name));
    text
}

/// The header of a new object.
pub fn header(id: base::ids::ObjectId, place: &Place, now: DateTime) -> ObjectHeader {
    ObjectHeader {
        id,
        schema: place.schema,
        name: place.name.clone(),
        owner: None,
        created: now,
        modified: now,
        ms_shipped: false,
    }
}

/// Puts an object other than a table with rows into the catalog.
pub fn put_object(context: &mut Context<'_>, database: DbId, def: ObjectDef) -> DdlResult<()> {
    context.change(database, |task, txn, edit| edit.put(task, txn, Definition::Object(def)))?;
    Ok(())
}

/// `CREATE SEQUENCE` and `ALTER SEQUENCE`.
pub fn sequence(context: &mut Context<'_>, statement: &ast::SequenceStatement) -> DdlResult<()> {
    match statement.action {
        CreateAction::Create => create_sequence(context, statement),
        _ => alter_sequence(context, statement),
    }
}

fn create_sequence(context: &mut Context<'_>, statement: &ast::SequenceStatement) -> DdlResult<()> {
    place::refuse_database(&statement.name, "CREATE SEQUENCE")?;
    place::refuse_temporary(&statement.name, "temporary sequence")?;
    let place = place::for_new(context, &statement.name, Permission::CreateSequence)?;
    let shown = statement.name.to_string();
    let mut declared =
        bind::DeclaredType { ty: SqlType::bigint(), user_type: UserTypeId(127), nullable: None };
    for option in &statement.options {
        if let SequenceOptionKind::Type(ty) = &option.kind {
            declared = self::declared(context, place.database, ty, Subject::Type)?;
        }
    }
    let Some((low, high)) = range_of(&declared.ty) else {
        return Err(SqlError::new(&message::SEQUENCE_TYPE_INVALID, &[&shown]).into());
    };
    let now = context.now();
    let (_, edit) = context.edit(place.database)?;
    let header = header(edit.new_object_id(), &place, now);
    let mut def = SequenceDef {
        header,
        ty: declared.ty,
        user_type: declared.user_type,
        start: 0,
        restarts: 0,
        increment: 1,
        minimum: low,
        maximum: high,
        cycle: false,
        cache: SequenceCache::Default,
    };
    let start = apply(&mut def, statement, &shown, low, high)?.start;
    def.start = start.unwrap_or(if def.increment < 0 { def.maximum } else { def.minimum });
    check_sequence(&def, &shown)?;
    if def.start < def.minimum || def.start > def.maximum {
        return Err(SqlError::new(&message::SEQUENCE_START_OUT_OF_RANGE, &[&shown]).into());
    }
    warn_of_cache(context, &def, def.start, &shown)?;
    put_object(context, place.database, ObjectDef::Sequence(Arc::new(def)))
}

/// Says that a cache is larger than the values that there are from here on. Message 11729.
fn warn_of_cache(
    context: &mut Context<'_>,
    def: &SequenceDef,
    from: i128,
    shown: &str,
) -> DdlResult<()> {
    let SequenceCache::Size(size) = def.cache else { return Ok(()) };
    let room = if def.increment > 0 { def.maximum - from } else { from - def.minimum };
    if i128::from(size) > room / def.increment.abs() + 1 {
        context.inform(SqlError::new(&message::SEQUENCE_CACHE_TOO_LARGE, &[&shown]))?;
    }
    Ok(())
}

fn alter_sequence(context: &mut Context<'_>, statement: &ast::SequenceStatement) -> DdlResult<()> {
    let shown = statement.name.to_string();
    let missing = || SqlError::new(&message::INVALID_OBJECT, &[&shown]);
    let found = place::find_to_change(context, &statement.name)?.ok_or_else(missing)?;
    let Some(old) = found.schema.sequence(found.id) else {
        return Err(SqlError::new(&message::NOT_A_SEQUENCE, &[&shown]).into());
    };
    if !place::may_alter(context, &found) {
        return Err(missing().into());
    }
    let mut def = SequenceDef::clone(old);
    for option in &statement.options {
        let message = match &option.kind {
            SequenceOptionKind::Start(_) => &message::SEQUENCE_START_IN_ALTER,
            SequenceOptionKind::Type(_) => &message::SEQUENCE_TYPE_CHANGE,
            _ => continue,
        };
        return Err(SqlError::new(message, &[]).at_line(option.span.line).into());
    }
    let range = range_of(&def.ty).expect("its type was checked when it was made");
    let restart = apply(&mut def, statement, &shown, range.0, range.1)?.restart;
    check_sequence(&def, &shown)?;
    let catalog = context.catalog(found.database)?;
    let current = catalog.sequences().state(def.header.id).map(|s| i128::from(s.current));
    if restart.is_none() {
        // What is left in the cache is given back, since it may be smaller from here on.
        let given_back = catalog.sequences().give_back(context.task, def.header.id);
        given_back.map_err(|error| engine_error(&error))?;
    }
    match restart {
        Some(value) => {
            def.start = value.unwrap_or(def.start);
            def.restarts += 1;
            if def.start < def.minimum || def.start > def.maximum {
                return Err(SqlError::new(&message::SEQUENCE_START_OUT_OF_RANGE, &[&shown]).into());
            }
        }
        None => {
            if let Some(current) = current.filter(|v| *v < def.minimum || *v > def.maximum) {
                let args: [Shown; 2] = [&current, &shown];
                return Err(SqlError::new(&message::SEQUENCE_CURRENT_OUT_OF_RANGE, &args).into());
            }
        }
    }
    let from = if restart.is_some() { def.start } else { current.unwrap_or(def.start) };
    warn_of_cache(context, &def, from, &shown)?;
    def.header.modified = context.now();
    put_object(context, found.database, ObjectDef::Sequence(Arc::new(def)))
}

/// What a sequence statement says about where it begins.
#[derive(Default)]
struct Beginning {
    start: Option<i128>,
    /// `RESTART`, with or without a value.
    restart: Option<Option<i128>>,
}

fn apply(
    def: &mut SequenceDef,
    statement: &ast::SequenceStatement,
    shown: &str,
    low: i128,
    high: i128,
) -> DdlResult<Beginning> {
    use SequenceOptionKind as O;
    let mut beginning = Beginning::default();
    for option in &statement.options {
        let line = option.span.line;
        let number = |text: &str, argument: &str| match text.parse::<i128>() {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            _ => {
                Err(SqlError::new(&message::SEQUENCE_ARGUMENT_INVALID, &[&argument]).at_line(line))
            }
        };
        match &option.kind {
            O::Type(_) => {}
            O::Start(text) => beginning.start = Some(number(text, "START WITH")?),
            O::Restart(text) => {
                let value = text.as_ref().map(|text| number(text, "RESTART WITH")).transpose()?;
                beginning.restart = Some(value);
            }
            O::Increment(text) => {
                let step = text.parse::<i128>().ok().filter(|n| n.unsigned_abs() <= high as u128);
                let step = step.ok_or_else(|| {
                    SqlError::new(&message::SEQUENCE_ARGUMENT_INVALID, &[&"INCREMENT BY"])
                })?;
                if step == 0 {
                    return Err(SqlError::new(&message::SEQUENCE_INCREMENT_ZERO, &[&shown]).into());
                }
                def.increment = step;
            }
            O::Min(Some(text)) => def.minimum = number(text, "MINVALUE")?,
            O::Min(None) => def.minimum = low,
            O::Max(Some(text)) => def.maximum = number(text, "MAXVALUE")?,
            O::Max(None) => def.maximum = high,
            O::Cycle(on) => def.cycle = *on,
            O::Cache(None) => def.cache = SequenceCache::Default,
            O::Cache(Some(text)) => match text.parse::<i32>() {
                Ok(size) if size > 0 => def.cache = SequenceCache::Size(size),
                _ => {
                    return Err(SqlError::new(&message::SEQUENCE_CACHE_INVALID, &[&shown]).into());
                }
            },
            O::NoCache => def.cache = SequenceCache::None,
        }
    }
    Ok(beginning)
}

fn check_sequence(def: &SequenceDef, shown: &str) -> DdlResult<()> {
    if def.minimum >= def.maximum {
        let error = SqlError::new(&message::SEQUENCE_MINIMUM_NOT_BELOW_MAXIMUM, &[&shown]);
        return Err(error.into());
    }
    if def.increment.abs() > def.maximum - def.minimum {
        return Err(SqlError::new(&message::SEQUENCE_INCREMENT_TOO_LARGE, &[&shown]).into());
    }
    Ok(())
}

/// What values a sequence of a type can have; `None` if there are no sequences of it.
fn range_of(ty: &SqlType) -> Option<(i128, i128)> {
    Some(match ty.kind {
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int => (i32::MIN.into(), i32::MAX.into()),
        TypeKind::BigInt => (i64::MIN.into(), i64::MAX.into()),
        TypeKind::Decimal | TypeKind::Numeric if ty.scale == 0 => {
            let high = 10_i128.pow(u32::from(ty.precision)) - 1;
            (-high, high)
        }
        _ => return None,
    })
}
