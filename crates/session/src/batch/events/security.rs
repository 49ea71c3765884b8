//! The events of logins, users, roles, permissions and owners.

use base::SqlResult;
use engine::catalog::Schema;
use engine::catalog::def::*;
use tsql::ast::{self, CreateAction, PermissionAction, RoleAction, SecurableClass as Class};

use super::document::Elements;
use super::statement::{alterable, name_of_schema, object_facts, type_of};
use super::{Context, Event, Principal};
use crate::ddl::place;

pub(super) fn of_login(event: &str, name: &Name, ty: &str) -> Event {
    let facts = Elements::default().add("ObjectName", name).add("ObjectType", ty);
    Event::of_server(event, facts).with_principal(Principal::Login(name.clone()))
}

pub(super) fn of_principal(context: &Context<'_>, event: &str, name: &Name, ty: &str) -> Event {
    let facts = Elements::default().add("ObjectName", name).add("ObjectType", ty);
    let event = Event::of_database(event, context.database(), facts);
    event.with_principal(Principal::User(name.clone()))
}

/// Roles: those of the database, and those of the server.
pub(super) fn of_role(context: &Context<'_>, role: &ast::RoleStatement) -> Event {
    let name = &role.name.name;
    let (member, event) = match (&role.action, role.server) {
        (RoleAction::Create(_), false) => {
            return of_principal(context, "CREATE_ROLE", name, "ROLE");
        }
        (RoleAction::Rename(_), false) => return of_principal(context, "ALTER_ROLE", name, "ROLE"),
        (RoleAction::Application(action, _), _) => {
            let event = match action {
                CreateAction::Create => "CREATE_APPLICATION_ROLE",
                _ => "ALTER_APPLICATION_ROLE",
            };
            return of_principal(context, event, name, "APPLICATION ROLE");
        }
        (RoleAction::Create(_), true) => {
            return of_login("CREATE_SERVER_ROLE", name, "SERVER ROLE");
        }
        (RoleAction::Rename(_), true) => return of_login("ALTER_SERVER_ROLE", name, "SERVER ROLE"),
        (RoleAction::AddMember(member), false) => (member, "ADD_ROLE_MEMBER"),
        (RoleAction::DropMember(member), false) => (member, "DROP_ROLE_MEMBER"),
        (RoleAction::AddMember(member), true) => (member, "ADD_SERVER_ROLE_MEMBER"),
        (RoleAction::DropMember(member), true) => (member, "DROP_SERVER_ROLE_MEMBER"),
    };
    let facts = |ty: &str| {
        let facts = Elements::default().add("ObjectName", &member.name).add("ObjectType", ty);
        facts.add("RoleName", name)
    };
    if role.server {
        return Event::of_server(event, facts("LOGIN"));
    }
    let schema = context.schema(context.database()).ok();
    let found = schema.as_ref().and_then(|schema| schema.find_principal(&member.name));
    let is_role = found.is_some_and(|found| found.kind == PrincipalKind::Role);
    let facts = facts(if is_role { "ROLE" } else { "SQL USER" });
    Event::of_database(event, context.database(), facts)
}

/// What a permission is on: its schema, name and type, and the principal that grants it.
struct Securable {
    schema: Name,
    name: Name,
    ty: &'static str,
    target: engine::catalog::def::Securable,
    grantor: Option<PrincipalId>,
}

fn securable(
    context: &Context<'_>,
    schema: &Schema,
    on: &ast::Securable,
) -> SqlResult<Option<Securable>> {
    use engine::catalog::def::SecurableClass as C;
    let target = |class, major| engine::catalog::def::Securable { class, major, minor: 0 };
    let written = &on.name.name.name;
    Ok(match on.class {
        None | Some(Class::Object) => {
            let found = place::find_in(context, schema.database(), &on.name).ok().flatten();
            found.map(|found| {
                let object = found.object();
                Securable {
                    schema: name_of_schema(schema, object.schema()),
                    name: object.name().clone(),
                    ty: type_of(object.kind()),
                    target: target(C::Object, found.id.0),
                    grantor: None,
                }
            })
        }
        Some(Class::Schema) => schema.find_schema(written).map(|found| Securable {
            schema: "".into(),
            name: found.name.clone(),
            ty: "SCHEMA",
            target: target(C::Schema, found.id.0),
            grantor: None,
        }),
        Some(Class::User | Class::Role | Class::ApplicationRole) => {
            schema.find_principal(written).map(|found| {
                let is_role = found.kind == PrincipalKind::Role;
                Securable {
                    schema: "".into(),
                    name: found.name.clone(),
                    ty: if is_role { "ROLE" } else { "USER" },
                    target: target(C::DatabasePrincipal, found.id.0),
                    grantor: if is_role { found.owner } else { Some(found.id) },
                }
            })
        }
        Some(class) => {
            let ty = match class {
                Class::Type => "TYPE",
                Class::XmlSchemaCollection => "XML SCHEMA COLLECTION",
                Class::Login => "LOGIN",
                Class::ServerRole => "SERVER ROLE",
                Class::Endpoint => "ENDPOINT",
                _ => "DATABASE",
            };
            let place = on.name.schema.as_ref().map_or("".into(), |place| place.name.clone());
            let target = target(C::Database, 0);
            Some(Securable { schema: place, name: written.clone(), ty, target, grantor: None })
        }
    })
}

pub(super) fn of_permission(
    context: &Context<'_>,
    statement: &ast::PermissionStatement,
) -> SqlResult<Vec<Event>> {
    let server = crate::ddl::is_of_server(statement);
    let database = context.database();
    let schema = context.schema(database)?;
    let verb = match statement.action {
        PermissionAction::Grant => "GRANT",
        PermissionAction::Deny => "DENY",
        PermissionAction::Revoke => "REVOKE",
    };
    let on = match &statement.on {
        Some(on) => match securable(context, &schema, on)? {
            Some(on) => on,
            None => return Ok(Vec::new()),
        },
        None => Securable {
            schema: "".into(),
            name: match server {
                true => context.session.instance.facts().name.clone(),
                false => context.session.instance.database_name(database),
            },
            ty: if server { "SERVER" } else { "DATABASE" },
            target: crate::security::WHOLE_DATABASE,
            grantor: None,
        },
    };
    let user = on.grantor.unwrap_or(context.user(database)?.id);
    let grantor = match server {
        true => context.session.identity.login().name.clone(),
        false => schema.principals().get(user).map_or("dbo".into(), |user| user.name.clone()),
    };
    let holds_option = |name: &ast::Ident| {
        let grantee = schema.find_principal(&name.name);
        let set = grantee.and_then(|grantee| schema.permission_set(on.target, grantee.id));
        set.is_some_and(|set| {
            set.grants.iter().any(|grant| grant.state == PermissionState::GrantWithGrant)
        })
    };
    let cascades = statement.cascade && statement.principals.iter().any(holds_option);
    let permissions: Vec<String> =
        statement.permissions.iter().map(|item| item.name.to_lowercase()).collect();
    let as_grantor = statement.grantor.as_ref().map_or("", |grantor| &grantor.name);
    let facts = object_facts(&on.schema, &on.name, on.ty)
        .add("Grantor", &grantor)
        .list("Permissions", "Permission", permissions.iter().map(|name| &**name))
        .list("Grantees", "Grantee", statement.principals.iter().map(|name| &*name.name))
        .add("AsGrantor", as_grantor)
        .add("GrantOption", if statement.grant_option { "1" } else { "0" })
        .add("CascadeOption", if cascades { "1" } else { "0" });
    Ok(vec![match server {
        true => Event::of_server(&format!("{verb}_SERVER"), facts),
        false => Event::of_database(&format!("{verb}_DATABASE"), database, facts),
    }])
}

/// A change of an owner.
pub(super) fn of_owner(
    context: &Context<'_>,
    change: &ast::AlterAuthorization,
) -> SqlResult<Vec<Event>> {
    let owner = change.owner.as_ref().map_or("SCHEMA OWNER", |owner| &owner.name);
    if matches!(change.class, Some(Class::ServerRole | Class::Endpoint | Class::Login)) {
        let facts = Elements::default()
            .add("ObjectName", &change.name.name.name)
            .add("ObjectType", "SERVER ROLE")
            .add("OwnerName", owner);
        return Ok(vec![Event::of_server("ALTER_AUTHORIZATION_SERVER", facts)]);
    }
    let on = ast::Securable { class: change.class, name: change.name.clone(), columns: Vec::new() };
    let database = match change.class {
        Some(Class::Database) => {
            let found = context.session.instance.find_database(&change.name.name.name);
            let Some(found) = alterable(context, found) else { return Ok(Vec::new()) };
            found.id
        }
        _ => context.database(),
    };
    let Ok(schema) = context.schema(database) else { return Ok(Vec::new()) };
    let Some(on) = securable(context, &schema, &on)? else { return Ok(Vec::new()) };
    let facts = object_facts(&on.schema, &on.name, on.ty).add("OwnerName", owner);
    Ok(vec![Event::of_database("ALTER_AUTHORIZATION_DATABASE", database, facts)])
}
