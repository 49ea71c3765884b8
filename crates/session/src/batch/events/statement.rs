//! The events of statements: when their triggers run, and what they do to tables, other objects,
//! databases and the server.

use std::sync::Arc;

use base::SqlResult;
use base::ids::DbId;
use engine::catalog::def::*;
use engine::catalog::{EventKind, Object, Schema, event_kind};
use tsql::ast::{
    self, AlterTableAction, AlterTableDropKind, CreateAction, DropKind, Module, ObjectName,
    ResourceGovernor, SecurableClass as Class, StatementKind, TableElement,
};

use super::document::Elements;
use super::module::{dropped_triggers, of_module};
use super::security::{of_login, of_owner, of_permission, of_principal, of_role};
use super::{Context, Event, Principal, When};
use crate::ddl::place;

/// An event of a name that the table of kinds has.
pub(super) fn kind(name: &str) -> &'static EventKind {
    event_kind(name).expect("the names in this module are in the table of events")
}

impl Event {
    /// Something in a database, with these facts.
    pub(super) fn of_database(name: &str, database: DbId, facts: Elements) -> Event {
        Event {
            kind: kind(name),
            database: Some(database),
            named: None,
            facts: facts.finish(),
            principal: None,
            creates: None,
            encrypted: false,
        }
    }

    /// Something on the server.
    pub(super) fn of_server(name: &str, facts: Elements) -> Event {
        Event { database: None, ..Event::of_database(name, DbId::MASTER, facts) }
    }

    pub(super) fn with_principal(self, principal: Principal) -> Event {
        Event { principal: Some(principal), ..self }
    }
}

/// Whether a statement names a database, and so may be about another one than the current.
pub(super) fn names_database(kind: &StatementKind) -> bool {
    use StatementKind as S;
    let says = |name: &ObjectName| name.database.is_some();
    match kind {
        S::CreateTable(create) => says(&create.name),
        S::AlterTable(alter) => says(&alter.table),
        S::CreateIndex(create) => says(&create.table),
        S::CreateXmlIndex(create) => says(&create.table),
        S::CreateSpatialIndex(create) => says(&create.table),
        S::AlterIndex(alter) => says(&alter.table),
        S::DropIndex(drop) => drop.indexes.iter().any(|index| says(&index.table)),
        S::CreateStatistics(create) => says(&create.table),
        S::UpdateStatistics(update) => says(&update.table),
        S::DropStatistics(names) => names.iter().any(|name| says(&table_of(name))),
        S::Sequence(sequence) => says(&sequence.name),
        S::CreateSynonym(create) => says(&create.name),
        S::CreateBindable(create) => says(&create.name),
        S::Drop(drop) => drop.names.iter().any(says),
        S::AlterAuthorization(change) => matches!(change.class, Some(Class::Database)),
        _ => false,
    }
}

/// When the triggers of a statement run.
pub(super) fn when(context: &Context<'_>, kind: &StatementKind) -> When {
    use StatementKind as S;
    match kind {
        // Refused within a transaction, whatever waits for it.
        _ if context.in_user_transaction() => When::After,
        S::CreateDatabase(create) if create.attach.is_none() => When::AfterCreation,
        S::CreateDatabase(_) | S::AlterDatabase(_) => When::Before,
        S::Drop(drop) if drop.kind == DropKind::Database => When::Before,
        S::ServerConfiguration(_) | S::ResourceGovernor(_) => When::AfterOutside,
        _ => When::After,
    }
}

/// The events of a statement, none if it is one that no trigger can wait for. What does not exist
/// is left out: the statement fails, or does nothing.
pub(super) fn events(context: &Context<'_>, kind: &StatementKind) -> SqlResult<Vec<Event>> {
    use StatementKind as S;
    match kind {
        S::CreateTable(create) => new_table(context, &create.name),
        S::AlterTable(alter) => altered_table(context, alter),
        S::CreateIndex(create) => {
            of_part(context, "CREATE_INDEX", "INDEX", &create.name.name, &create.table)
        }
        S::CreateXmlIndex(create) => {
            of_part(context, "CREATE_XML_INDEX", "INDEX", &create.name.name, &create.table)
        }
        S::CreateSpatialIndex(create) => {
            of_part(context, "CREATE_SPATIAL_INDEX", "INDEX", &create.name.name, &create.table)
        }
        S::AlterIndex(alter) => {
            let name = alter.name.as_ref().map_or("", |name| &name.name);
            of_part(context, "ALTER_INDEX", "INDEX", name, &alter.table)
        }
        S::DropIndex(drop) => {
            let each = drop.indexes.iter().map(|index| {
                of_part(context, "DROP_INDEX", "INDEX", &index.name.name, &index.table)
            });
            flattened(each)
        }
        S::CreateStatistics(create) => {
            of_part(context, "CREATE_STATISTICS", "STATISTICS", &create.name.name, &create.table)
        }
        S::UpdateStatistics(update) => {
            of_part(context, "UPDATE_STATISTICS", "STATISTICS", "", &update.table)
        }
        S::DropStatistics(names) => flattened(names.iter().map(|name| {
            let table = table_of(name);
            of_part(context, "DROP_STATISTICS", "STATISTICS", &name.name.name, &table)
        })),
        S::Module(module) => of_module(context, module),
        S::CreateSchema(create) => new_schema(context, create),
        S::AlterSchema(alter) => moved(context, alter),
        S::CreateType(create) => {
            new_object(context, "CREATE_TYPE", "TYPE", &create.name, Elements::default())
        }
        S::Sequence(sequence) => match sequence.action {
            CreateAction::Create => new_object(
                context,
                "CREATE_SEQUENCE",
                "SEQUENCE",
                &sequence.name,
                Elements::default(),
            ),
            _ => of_object(context, "ALTER_SEQUENCE", "SEQUENCE", &sequence.name),
        },
        S::CreateBindable(create) => {
            let (event, ty) = match create.kind {
                ast::BindableKind::Rule { .. } => ("CREATE_RULE", "RULE"),
                ast::BindableKind::Default(_) => ("CREATE_DEFAULT", "DEFAULT"),
            };
            new_object(context, event, ty, &create.name, Elements::default())
        }
        S::CreateSynonym(create) => {
            let part =
                |part: &Option<ast::Ident>| part.as_ref().map_or("".into(), |p| p.name.clone());
            let more = Elements::default()
                .add("TargetServerName", &part(&create.target.server))
                .add("TargetDatabaseName", &part(&create.target.database))
                .add("TargetSchemaName", &part(&create.target.schema))
                .add("TargetObjectName", &create.target.name.name);
            new_object(context, "CREATE_SYNONYM", "SYNONYM", &create.name, more)
        }
        S::XmlCollection(collection) => {
            let name = match collection.action {
                CreateAction::Create => "CREATE_XML_SCHEMA_COLLECTION",
                _ => "ALTER_XML_SCHEMA_COLLECTION",
            };
            let none = Elements::default();
            new_object(context, name, "XML SCHEMA COLLECTION", &collection.name, none)
        }
        S::Drop(drop) => flattened(drop.names.iter().map(|name| dropped(context, drop.kind, name))),
        S::DropTrigger(drop) => dropped_triggers(context, drop),
        // One that is attached is announced before the statement checks this.
        S::CreateDatabase(_) if !context.login_may(Permission::CreateAnyDatabase) => Ok(Vec::new()),
        S::CreateDatabase(create) => {
            Ok(vec![of_server_database("CREATE_DATABASE", &create.name.name)])
        }
        S::AlterDatabase(alter) => Ok(altered_database(context, alter)),
        S::Login(login) => {
            let name = match login.action {
                CreateAction::Create => "CREATE_LOGIN",
                _ => "ALTER_LOGIN",
            };
            Ok(vec![of_login(name, &login.name.name, "LOGIN")])
        }
        S::User(user) => {
            let name = match user.action {
                CreateAction::Create => "CREATE_USER",
                _ => "ALTER_USER",
            };
            Ok(vec![of_principal(context, name, &user.name.name, "SQL USER")])
        }
        S::Role(role) => Ok(vec![of_role(context, role)]),
        S::Permission(permission) => of_permission(context, permission),
        S::Sensitivity(statement) => {
            let event = match statement.classification {
                Some(_) => "ADD_SENSITIVITY_CLASSIFICATION",
                None => "DROP_SENSITIVITY_CLASSIFICATION",
            };
            flattened(statement.columns.iter().map(|column| {
                of_part(context, event, "COLUMN", &column.name.name, &table_of(column))
            }))
        }
        S::AlterAuthorization(change) => of_owner(context, change),
        S::ServerConfiguration(_) => {
            Ok(vec![Event::of_server("ALTER_SERVER_CONFIGURATION", Elements::default())])
        }
        S::ResourceGovernor(governor) => Ok(of_governor(governor)),
        _ => Ok(Vec::new()),
    }
}

fn flattened(each: impl Iterator<Item = SqlResult<Vec<Event>>>) -> SqlResult<Vec<Event>> {
    Ok(each.collect::<SqlResult<Vec<Vec<Event>>>>()?.into_iter().flatten().collect())
}

/// The database that a name is in, if it is in one: not for temporary objects, which no trigger
/// hears of, nor for databases that do not exist.
pub(super) fn database_of(context: &Context<'_>, name: &ObjectName) -> Option<DbId> {
    let database = place::database_of(context.session, name).ok();
    database.filter(|_| !name.name.name.starts_with('#'))
}

/// The schema that a name says, or the one in which new objects go.
pub(super) fn schema_of(
    context: &Context<'_>,
    database: DbId,
    name: &ObjectName,
) -> SqlResult<Name> {
    let schema = context.schema(database)?;
    let found = match &name.schema {
        Some(written) => {
            let found = schema.find_schema(&written.name);
            return Ok(found.map_or_else(|| written.name.clone(), |found| found.name.clone()));
        }
        None => context.user(database).map_or(SchemaId::DBO, |user| user.default_schema),
    };
    Ok(name_of_schema(&schema, found))
}

/// The name of a schema.
pub(super) fn name_of_schema(schema: &Schema, id: SchemaId) -> Name {
    schema.schemas().get(id).map_or_else(|| "".into(), |found| found.name.clone())
}

/// What documents call a kind of object.
pub(super) fn type_of(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Table | ObjectKind::TypeTable | ObjectKind::InternalTable => "TABLE",
        ObjectKind::View => "VIEW",
        ObjectKind::Procedure => "PROCEDURE",
        ObjectKind::ScalarFunction | ObjectKind::InlineFunction | ObjectKind::TableFunction => {
            "FUNCTION"
        }
        ObjectKind::Trigger => "TRIGGER",
        ObjectKind::Sequence => "SEQUENCE",
        ObjectKind::SecurityPolicy => "SECURITY POLICY",
        ObjectKind::Synonym => "SYNONYM",
        ObjectKind::Rule => "RULE",
        ObjectKind::Default => "DEFAULT",
        ObjectKind::Check => "CHECK CONSTRAINT",
        ObjectKind::ForeignKey => "FOREIGN KEY",
        ObjectKind::PrimaryKey => "PRIMARY KEY",
        ObjectKind::Unique => "UNIQUE CONSTRAINT",
    }
}

/// An object that exists, as a document names it.
pub(super) struct Found {
    pub database: DbId,
    pub schema: Name,
    pub name: Name,
    pub ty: &'static str,
}

pub(super) fn find(context: &Context<'_>, name: &ObjectName) -> SqlResult<Option<Found>> {
    let Some(database) = database_of(context, name) else { return Ok(None) };
    let found = place::find_in(context, database, name).ok().flatten();
    Ok(found.map(|found| {
        let object = found.object();
        Found {
            database,
            schema: name_of_schema(&found.schema, object.schema()),
            name: object.name().clone(),
            ty: type_of(object.kind()),
        }
    }))
}

/// The facts about an object.
pub(super) fn object_facts(schema: &str, name: &str, ty: &str) -> Elements {
    Elements::default().add("SchemaName", schema).add("ObjectName", name).add("ObjectType", ty)
}

/// An object that a statement makes.
fn new_object(
    context: &Context<'_>,
    event: &str,
    ty: &str,
    name: &ObjectName,
    more: Elements,
) -> SqlResult<Vec<Event>> {
    let Some(database) = database_of(context, name) else { return Ok(Vec::new()) };
    let schema = schema_of(context, database, name)?;
    let facts = object_facts(&schema, &name.name.name, ty).followed_by(more);
    Ok(vec![Event::of_database(event, database, facts)])
}

/// The table that a statement makes.
pub(super) fn new_table(context: &Context<'_>, name: &ObjectName) -> SqlResult<Vec<Event>> {
    new_object(context, "CREATE_TABLE", "TABLE", name, Elements::default())
}

/// An object that a statement changes or drops.
fn of_object(
    context: &Context<'_>,
    event: &str,
    ty: &str,
    name: &ObjectName,
) -> SqlResult<Vec<Event>> {
    let found = find(context, name)?.filter(|found| found.ty == ty);
    Ok(found.map_or_else(Vec::new, |found| {
        let facts = object_facts(&found.schema, &found.name, ty);
        vec![Event::of_database(event, found.database, facts)]
    }))
}

/// An index or statistics of a table.
fn of_part(
    context: &Context<'_>,
    event: &str,
    ty: &str,
    part: &str,
    table: &ObjectName,
) -> SqlResult<Vec<Event>> {
    Ok(find(context, table)?.map_or_else(Vec::new, |found| {
        let facts = object_facts(&found.schema, part, ty)
            .add("TargetObjectName", &found.name)
            .add("TargetObjectType", found.ty);
        vec![Event::of_database(event, found.database, facts)]
    }))
}

/// The table of `table.statistics`.
fn table_of(name: &ObjectName) -> ObjectName {
    ObjectName {
        server: None,
        database: name.server.clone(),
        schema: name.database.clone(),
        name: name.schema.clone().unwrap_or_else(|| name.name.clone()),
        span: name.span,
    }
}

fn altered_table(context: &Context<'_>, alter: &ast::AlterTable) -> SqlResult<Vec<Event>> {
    let Some(found) = find(context, &alter.table)? else { return Ok(Vec::new()) };
    let facts = object_facts(&found.schema, &found.name, "TABLE")
        .around("AlterTableActionList", actions(&alter.action));
    Ok(vec![Event::of_database("ALTER_TABLE", found.database, facts)])
}

/// What an `ALTER TABLE` does, by the names of the parts of the table.
fn actions(action: &AlterTableAction) -> Elements {
    let none = Elements::default;
    match action {
        AlterTableAction::Add { elements, .. } => {
            let (mut columns, mut constraints, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
            for element in elements {
                match element {
                    TableElement::Column(column) => {
                        columns.push(&*column.name.name);
                        let own = column.constraints.iter().filter_map(|own| own.name.as_ref());
                        constraints.extend(own.map(|name| &*name.name));
                    }
                    TableElement::Constraint(own) => {
                        constraints.extend(own.name.as_ref().map(|name| &*name.name));
                    }
                    TableElement::Index(index) => indexes.push(&*index.name.name),
                    TableElement::Period { .. } => {}
                }
            }
            let parts = none()
                .list("Columns", "Name", columns)
                .list("Constraints", "Name", constraints)
                .list("Indexes", "Name", indexes);
            none().around("Create", parts)
        }
        AlterTableAction::AlterColumn(column) => {
            none().around("Alter", none().list("Columns", "Name", [&*column.name.name]))
        }
        AlterTableAction::Drop(parts) => {
            let of = |kind| {
                let parts = parts.iter().filter(move |part| part.kind == kind);
                parts.map(|part| &*part.name.name)
            };
            let parts = none()
                .list("Columns", "Name", of(AlterTableDropKind::Column))
                .list("Constraints", "Name", of(AlterTableDropKind::Constraint))
                .list("Indexes", "Name", of(AlterTableDropKind::Index));
            none().around("Drop", parts)
        }
        AlterTableAction::ToggleConstraint { enable, names, .. } => {
            let what = if *enable { "Check" } else { "NoCheck" };
            let names = names.iter().map(|name| &*name.name);
            none().around(what, none().list("Constraints", "Name", names))
        }
        AlterTableAction::ToggleTrigger { enable, names } => {
            let what = if *enable { "Enable" } else { "Disable" };
            let names = names.iter().map(|name| &*name.name);
            none().around(what, none().list("Triggers", "Name", names))
        }
        _ => none(),
    }
}

/// A schema, and what is made with it.
fn new_schema(context: &Context<'_>, create: &ast::CreateSchema) -> SqlResult<Vec<Event>> {
    let database = context.database();
    let name = create.name.as_ref().or(create.owner.as_ref()).map_or("", |name| &name.name);
    let user = context.user(database)?.id;
    let schema = context.schema(database)?;
    let owner = match &create.owner {
        Some(owner) => owner.name.clone(),
        None => schema.principals().get(user).map_or("dbo".into(), |user| user.name.clone()),
    };
    let facts = object_facts(name, name, "SCHEMA").add("OwnerName", &owner);
    let mut events = vec![Event::of_database("CREATE_SCHEMA", database, facts)];
    for element in &create.elements {
        let (event, ty, object) = match &element.kind {
            StatementKind::CreateTable(create) => ("CREATE_TABLE", "TABLE", &create.name),
            StatementKind::Module(module) => match &module.module {
                Module::View(view) => ("CREATE_VIEW", "VIEW", &view.name),
                _ => continue,
            },
            other => {
                events.extend(self::events(context, other)?);
                continue;
            }
        };
        let place = object.schema.as_ref().map_or(name, |place| &place.name);
        let facts = object_facts(place, &object.name.name, ty);
        events.push(Event::of_database(event, database, facts));
    }
    Ok(events)
}

/// What moves to another schema.
fn moved(context: &Context<'_>, alter: &ast::AlterSchema) -> SqlResult<Vec<Event>> {
    let database = context.database();
    let (name, ty) = match alter.class {
        Some(Class::Type) => (alter.object.name.name.clone(), "TYPE"),
        Some(Class::XmlSchemaCollection) => {
            (alter.object.name.name.clone(), "XML SCHEMA COLLECTION")
        }
        _ => match find(context, &alter.object)? {
            Some(found) => (found.name, found.ty),
            None => return Ok(Vec::new()),
        },
    };
    let facts = object_facts(&alter.name.name, &name, ty);
    Ok(vec![Event::of_database("ALTER_SCHEMA", database, facts)])
}

fn dropped(context: &Context<'_>, kind: DropKind, name: &ObjectName) -> SqlResult<Vec<Event>> {
    let own = &name.name.name;
    let database = context.database();
    match kind {
        DropKind::Database => {
            let found = context.session.instance.find_database(own);
            Ok(changed_database(context, "DROP_DATABASE", found))
        }
        DropKind::Login | DropKind::ServerRole => {
            let (event, ty) = match kind {
                DropKind::Login => ("DROP_LOGIN", "LOGIN"),
                _ => ("DROP_SERVER_ROLE", "SERVER ROLE"),
            };
            let master = context.master_schema();
            let found = master.find_login(own);
            // It is gone when triggers run: what is told of it is told by now.
            Ok(found
                .iter()
                .map(|found| {
                    let facts =
                        Elements::default().add("ObjectName", &found.name).add("ObjectType", ty);
                    Event::of_server(event, super::document::of_login(facts, found))
                })
                .collect())
        }
        DropKind::User | DropKind::Role | DropKind::ApplicationRole => {
            let (event, ty) = match kind {
                DropKind::User => ("DROP_USER", "SQL USER"),
                DropKind::ApplicationRole => ("DROP_APPLICATION_ROLE", "APPLICATION ROLE"),
                _ => ("DROP_ROLE", "ROLE"),
            };
            let schema = context.schema(database)?;
            let found = schema.find_principal(own);
            Ok(found
                .iter()
                .map(|found| {
                    let facts =
                        Elements::default().add("ObjectName", &found.name).add("ObjectType", ty);
                    let facts = super::document::of_user(facts, found);
                    Event::of_database(event, database, facts)
                })
                .collect())
        }
        DropKind::Schema => {
            let schema = context.schema(database)?;
            let found = schema.find_schema(own);
            let facts = found.map(|found| object_facts(&found.name, &found.name, "SCHEMA"));
            Ok(facts.into_iter().map(|f| Event::of_database("DROP_SCHEMA", database, f)).collect())
        }
        DropKind::Type | DropKind::XmlSchemaCollection => {
            let schema = context.schema(database)?;
            let default = context.user(database)?.default_schema;
            let place = name.schema.as_ref().map(|written| schema.find_schema(&written.name));
            let place = place.map_or(Some(default), |found| found.map(|found| found.id));
            let Some(place) = place else { return Ok(Vec::new()) };
            let is_type = kind == DropKind::Type;
            let found = match is_type {
                true => schema.resolve_type(place, own).map(|t| (t.schema, t.name.clone())),
                false => {
                    let found = schema.resolve_xml_collection(place, own);
                    found.map(|c| (c.schema, c.name.clone()))
                }
            };
            let (event, ty) = match is_type {
                true => ("DROP_TYPE", "TYPE"),
                false => ("DROP_XML_SCHEMA_COLLECTION", "XML SCHEMA COLLECTION"),
            };
            Ok(found
                .iter()
                .map(|(place, name)| {
                    let facts = object_facts(&name_of_schema(&schema, *place), name, ty);
                    Event::of_database(event, database, facts)
                })
                .collect())
        }
        DropKind::Default => of_object(context, "DROP_DEFAULT", "DEFAULT", name),
        DropKind::Rule => of_object(context, "DROP_RULE", "RULE", name),
        DropKind::Function => of_object(context, "DROP_FUNCTION", "FUNCTION", name),
        DropKind::Procedure => of_object(context, "DROP_PROCEDURE", "PROCEDURE", name),
        DropKind::Sequence => of_object(context, "DROP_SEQUENCE", "SEQUENCE", name),
        DropKind::Synonym => of_object(context, "DROP_SYNONYM", "SYNONYM", name),
        DropKind::Table => of_object(context, "DROP_TABLE", "TABLE", name),
        DropKind::View => of_object(context, "DROP_VIEW", "VIEW", name),
        // No event is about policies.
        DropKind::SecurityPolicy => Ok(Vec::new()),
    }
}

/// A database that the session may alter. Triggers run before such a statement, and so not for a
/// session that may not.
pub(super) fn alterable(
    context: &Context<'_>,
    found: Option<Arc<DatabaseDef>>,
) -> Option<Arc<DatabaseDef>> {
    found.filter(|found| crate::ddl::may_alter_database(context, found))
}

/// Something that happens to a database as a whole.
fn of_server_database(event: &str, name: &str) -> Event {
    Event { named: Some(name.into()), ..Event::of_server(event, Elements::default()) }
}

/// A change of a database, or its end.
pub(super) fn changed_database(
    context: &Context<'_>,
    event: &str,
    found: Option<Arc<DatabaseDef>>,
) -> Vec<Event> {
    let found = alterable(context, found);
    found.iter().map(|found| of_server_database(event, &found.name)).collect()
}

fn altered_database(context: &Context<'_>, alter: &ast::AlterDatabase) -> Vec<Event> {
    let instance = &context.session.instance;
    let found = match &alter.name {
        Some(name) => instance.find_database(&name.name),
        None => instance.database_def(context.database()),
    };
    changed_database(context, "ALTER_DATABASE", found)
}

fn of_governor(governor: &ResourceGovernor) -> Vec<Event> {
    let pool = |event: &str, name: &ast::Ident| {
        let facts =
            Elements::default().add("ObjectName", &name.name).add("ObjectType", "RESOURCE POOL");
        vec![Event::of_server(event, facts)]
    };
    match governor {
        ResourceGovernor::Pool { action, name, .. } => match action {
            CreateAction::Create => pool("CREATE_RESOURCE_POOL", name),
            _ => pool("ALTER_RESOURCE_POOL", name),
        },
        ResourceGovernor::DropPool { name, .. } => pool("DROP_RESOURCE_POOL", name),
        ResourceGovernor::Reconfigure | ResourceGovernor::Disable | ResourceGovernor::Set(_) => {
            vec![Event::of_server("ALTER_RESOURCE_GOVERNOR_CONFIG", Elements::default())]
        }
        _ => Vec::new(),
    }
}

/// The object behind an id, with its schema, as a document names it.
pub(super) fn facts_of(schema: &Schema, object: &Object<'_>) -> Elements {
    object_facts(&name_of_schema(schema, object.schema()), object.name(), type_of(object.kind()))
}
