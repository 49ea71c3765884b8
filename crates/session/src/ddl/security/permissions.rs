//! `GRANT`, `DENY` and `REVOKE`.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Object, Schema, SecurableKind};
use tsql::ast::{self, PermissionAction, SecurableClass as Class};

use super::not_there;
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::{collection, object, place};
use crate::security::{WHOLE_SERVER, owner_of};

/// What a statement is about: the thing, and where permissions on it are kept.
struct Target {
    database: DbId,
    /// Permissions on the server.
    server: bool,
    securable: Securable,
    /// What it is, for what can be granted on it.
    subject: SecurableKind,
}

/// `GRANT`, `DENY` and `REVOKE`.
pub fn permission(
    context: &mut Context<'_>,
    statement: &ast::PermissionStatement,
) -> DdlResult<()> {
    let server = is_of_server(statement);
    let database = if server { DbId::MASTER } else { context.database() };
    context.lock_edit(database)?;
    let target = target(context, database, statement)?;
    check_grantor(context, &target, statement)?;
    let mut changes = Vec::new();
    for item in &statement.permissions {
        let permissions = permissions_of(&target, item).map_err(|f| f.at_line(item.span.line))?;
        let on_columns = statement.on.as_ref().map_or(&[][..], |on| &on.columns);
        let columns = if item.columns.is_empty() { on_columns } else { &item.columns };
        let minors = columns_of(context, &target, &permissions, columns)?;
        for permission in permissions {
            changes.extend(minors.iter().map(|minor| (*minor, permission)));
        }
    }
    for principal in &statement.principals {
        let grantee = grantee(context, &target, &principal.name)?;
        for &(minor, permission) in &changes {
            let securable = Securable { minor, ..target.securable };
            let change = Change { permission, grantee, securable };
            if minor == 0 {
                forget_columns(context, &target, &change)?;
            }
            apply(context, &target, statement, &change)?;
        }
    }
    Ok(())
}

/// Whether a statement is about the server: by its class, or by a permission that there is only
/// there.
pub fn is_of_server(statement: &ast::PermissionStatement) -> bool {
    match &statement.on {
        Some(on) => matches!(on.class, Some(Class::Login | Class::ServerRole | Class::Endpoint)),
        None => statement.permissions.iter().all(|item| {
            let mut of_server = SecurableKind::Server.permissions();
            of_server.any(|p| p.name_on(SecurableClass::Server) == &*item.name)
        }),
    }
}

/// The permissions that an item means. Errors 102, 4606.
fn permissions_of(target: &Target, item: &ast::PermissionItem) -> DdlResult<Vec<Permission>> {
    let name = &*item.name;
    if name == "ALL" || name == "ALL PRIVILEGES" {
        return Ok(all_of(target));
    }
    let name = match name {
        "EXEC" => "EXECUTE",
        "CREATE PROC" => "CREATE PROCEDURE",
        other => other,
    };
    let class = target.securable.class;
    if let Some(found) = target.subject.permissions().find(|p| p.name_on(class) == name) {
        return Ok(vec![found]);
    }
    Err(match Permission::ALL.iter().any(|p| is_called(*p, name)) {
        true => SqlError::new(&message::PRIVILEGE_INCOMPATIBLE, &[&name]),
        false => SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&name]),
    }
    .into())
}

/// Whether this is a permission's name on the server, a database, or what is in one.
fn is_called(permission: Permission, name: &str) -> bool {
    use SecurableClass as C;
    [C::Server, C::Database, C::Object].iter().any(|class| permission.name_on(*class) == name)
}

/// What `ALL` means.
fn all_of(target: &Target) -> Vec<Permission> {
    use Permission as P;
    match target.subject {
        SecurableKind::Object(ObjectKind::Procedure) => vec![P::Execute],
        SecurableKind::Object(ObjectKind::ScalarFunction) => vec![P::Execute, P::References],
        SecurableKind::Object(_) => vec![P::Delete, P::Insert, P::References, P::Select, P::Update],
        SecurableKind::Database => vec![
            P::BackupDatabase,
            P::BackupLog,
            P::CreateDefault,
            P::CreateFunction,
            P::CreateProcedure,
            P::CreateRule,
            P::CreateTable,
            P::CreateView,
        ],
        _ => vec![P::Control],
    }
}

/// What a statement is about. Errors 15151, 4621.
fn target(
    context: &Context<'_>,
    database: DbId,
    statement: &ast::PermissionStatement,
) -> DdlResult<Target> {
    let part = |class, major, subject| {
        let securable = Securable { class, major, minor: 0 };
        Ok(Target { database, server: false, securable, subject })
    };
    let Some(on) = &statement.on else {
        if !is_of_server(statement) {
            return part(SecurableClass::Database, 0, SecurableKind::Database);
        }
        if context.database() != DbId::MASTER {
            return Err(SqlError::new(&message::SERVER_PERMISSION_ELSEWHERE, &[]).into());
        }
        return Ok(Target {
            database,
            server: true,
            securable: WHOLE_SERVER,
            subject: SecurableKind::Server,
        });
    };
    let schema = context.schema(database)?;
    let name = &on.name.name.name;
    match on.class {
        None | Some(Class::Object) => {
            // Permissions are kept where the statement runs.
            let named = place::database_of(context.session, &on.name)?;
            let found = place::find_in(context, named, &on.name)?;
            let found = found.filter(|_| named == database);
            let found = found.ok_or_else(|| not_there("find", "object", name))?;
            part(SecurableClass::Object, found.id.0, SecurableKind::Object(found.object().kind()))
        }
        Some(Class::Schema) => match schema.find_schema(name) {
            Some(found) => part(SecurableClass::Schema, found.id.0, SecurableKind::Schema),
            None => Err(not_there("find", "schema", name).into()),
        },
        Some(Class::Type) => match object::find_type(context, database, &on.name)? {
            Some(found) => part(SecurableClass::Type, found.id.0, SecurableKind::Type),
            None => Err(not_there("find", "type", name).into()),
        },
        Some(Class::XmlSchemaCollection) => match collection::find(context, database, &on.name)? {
            Some(found) => {
                let class = SecurableClass::XmlCollection;
                part(class, found.id.0, SecurableKind::XmlCollection)
            }
            None => Err(not_there("find", "xml schema collection", name).into()),
        },
        Some(class @ (Class::User | Class::Role | Class::ApplicationRole)) => {
            match schema.find_principal(name) {
                Some(found) => {
                    let subject = SecurableKind::of_principal(found.kind);
                    part(SecurableClass::DatabasePrincipal, found.id.0, subject)
                }
                None => {
                    let what = if class == Class::User { "user" } else { "role" };
                    Err(not_there("find", what, name).into())
                }
            }
        }
        Some(Class::Database) => {
            let found = context.instance().find_database(name);
            match found.filter(|d| d.id == database) {
                Some(_) => part(SecurableClass::Database, 0, SecurableKind::Database),
                None => Err(not_there("find", "database", name).into()),
            }
        }
        Some(class @ (Class::Login | Class::ServerRole)) => match schema.find_login(name) {
            Some(found) => {
                let securable = Securable {
                    class: SecurableClass::ServerPrincipal,
                    major: found.id.0,
                    minor: 0,
                };
                let subject = SecurableKind::of_login(found.kind);
                Ok(Target { database, server: true, securable, subject })
            }
            None => {
                let what = if class == Class::Login { "login" } else { "server role" };
                Err(not_there("find", what, name).into())
            }
        },
        Some(_) => Err(not_there("find", "entity", name).into()),
    }
}

/// The columns that a permission is about; 0 for the whole. Errors 1020, 4615.
fn columns_of(
    context: &Context<'_>,
    target: &Target,
    permissions: &[Permission],
    columns: &[ast::Ident],
) -> DdlResult<Vec<i32>> {
    if columns.is_empty() {
        return Ok(vec![0]);
    }
    let on_columns =
        |permission: &Permission| SecurableKind::Column.permissions().any(|own| own == *permission);
    if target.securable.class != SecurableClass::Object || !permissions.iter().all(on_columns) {
        return Err(SqlError::new(&message::PERMISSION_COLUMN_LIST, &[]).into());
    }
    let schema = context.schema(target.database)?;
    let id = base::ids::ObjectId(target.securable.major);
    let all: Vec<ColumnDef> = match schema.object(id) {
        Some(Object::Table(table)) => table.columns.clone(),
        Some(Object::Module(module)) => module.columns().unwrap_or_default().to_vec(),
        _ => Vec::new(),
    };
    let place = |column: &ast::Ident| {
        let found = all.iter().find(|c| schema.same_name(&c.name, &column.name));
        found.map(|c| c.id.0).ok_or_else(|| {
            SqlError::new(&message::PERMISSION_COLUMN_UNKNOWN, &[&column.name]).into()
        })
    };
    columns.iter().map(place).collect()
}

/// The grantor must control the thing, or hold what is granted with the right to grant it. Errors
/// 4613, 15151.
fn check_grantor(
    context: &Context<'_>,
    target: &Target,
    statement: &ast::PermissionStatement,
) -> DdlResult<()> {
    if target.server {
        return match context.login_may(Permission::Control) {
            true => Ok(()),
            false => Err(SqlError::new(&message::GRANTOR_LACKS_PERMISSION, &[]).into()),
        };
    }
    if context.may(target.database, target.securable, Permission::Control) {
        return Ok(());
    }
    let schema = context.schema(target.database)?;
    let user = context.user(target.database)?;
    let holds = |permission: Permission| {
        user.tokens.iter().any(|token| {
            let set = schema.permission_set(target.securable, *token);
            set.is_some_and(|set| {
                set.grants.iter().any(|g| {
                    g.permission == permission && g.state == PermissionState::GrantWithGrant
                })
            })
        })
    };
    for item in &statement.permissions {
        if !permissions_of(target, item)?.into_iter().all(holds) {
            let name = statement.on.as_ref().map_or("", |on| &on.name.name.name);
            return Err(match target.securable.class {
                SecurableClass::Database => SqlError::new(&message::GRANTOR_LACKS_PERMISSION, &[]),
                SecurableClass::Schema => not_there("find", "schema", name),
                _ => not_there("find", "object", name),
            }
            .into());
        }
    }
    Ok(())
}

/// The principal that gets a permission. Errors 4617, 4624, 15151.
fn grantee(context: &Context<'_>, target: &Target, name: &str) -> DdlResult<PrincipalId> {
    let schema = context.schema(target.database)?;
    if target.server {
        let found = schema.find_login(name).ok_or_else(|| not_there("find", "login", name))?;
        let own = context.session.identity.login().id;
        return match found.id {
            id if id == PrincipalId::SA || id == own => {
                Err(SqlError::new(&message::CANNOT_GRANT_TO_OWNER, &[]).into())
            }
            _ if found.fixed_role => Err(SqlError::new(&message::CANNOT_GRANT_SPECIAL, &[]).into()),
            id => Ok(id),
        };
    }
    let found = schema.find_principal(name).ok_or_else(|| not_there("find", "user", name))?;
    let special = [PrincipalId::DBO, PrincipalId::SYS, PrincipalId::INFORMATION_SCHEMA];
    let owns = owner_of(&schema, target.securable) == Some(found.id);
    let own = context.user(target.database)?.id == found.id;
    if special.contains(&found.id) || owns || own {
        return Err(SqlError::new(&message::CANNOT_GRANT_TO_OWNER, &[]).into());
    }
    if found.fixed_role {
        return Err(SqlError::new(&message::CANNOT_GRANT_SPECIAL, &[]).into());
    }
    Ok(found.id)
}

/// One change for one grantee.
struct Change {
    permission: Permission,
    grantee: PrincipalId,
    securable: Securable,
}

fn apply(
    context: &mut Context<'_>,
    target: &Target,
    statement: &ast::PermissionStatement,
    change: &Change,
) -> DdlResult<()> {
    let schema = context.schema(target.database)?;
    let grantor = match target.server {
        true => context.session.identity.login().id,
        false => context.user(target.database)?.id,
    };
    let mut grants = existing(&schema, target, change);
    let same = |g: &Grant| g.permission == change.permission;
    let old = grants.iter().find(|g| same(g)).map(|g| g.state);
    let with_option = old == Some(PermissionState::GrantWithGrant);
    let takes_away = statement.action != PermissionAction::Grant;
    if takes_away && with_option && !statement.cascade {
        return Err(SqlError::new(&message::REVOKE_NEEDS_CASCADE, &[]).into());
    }
    grants.retain(|g| !same(g));
    let state = match statement.action {
        PermissionAction::Deny => Some(PermissionState::Deny),
        PermissionAction::Grant if statement.grant_option || with_option => {
            Some(PermissionState::GrantWithGrant)
        }
        PermissionAction::Grant => Some(PermissionState::Grant),
        // GRANT OPTION FOR leaves the permission itself.
        PermissionAction::Revoke if statement.grant_option => old.map(|_| PermissionState::Grant),
        PermissionAction::Revoke if is_granted_on_whole(&schema, change) => {
            Some(PermissionState::Revoke)
        }
        PermissionAction::Revoke => None,
    };
    if let Some(state) = state {
        grants.push(Grant { permission: change.permission, grantor, state });
    }
    let set = PermissionSet { target: change.securable, grantee: change.grantee, grants };
    let key = match target.server {
        true => DefinitionKey::ServerPermissions(change.securable, change.grantee),
        false => DefinitionKey::Permissions(change.securable, change.grantee),
    };
    let emptied = set.grants.is_empty();
    let definition = match target.server {
        true => Definition::ServerPermissions(Arc::new(set)),
        false => Definition::Permissions(Arc::new(set)),
    };
    context.change(target.database, |task, txn, edit| match emptied {
        true => edit.drop(task, txn, key),
        false => edit.put(task, txn, definition),
    })?;
    Ok(())
}

/// A permission on the whole object replaces those for its columns.
fn forget_columns(context: &mut Context<'_>, target: &Target, change: &Change) -> DdlResult<()> {
    if target.securable.class != SecurableClass::Object {
        return Ok(());
    }
    let schema = context.schema(target.database)?;
    let sets = schema.permissions_on(SecurableClass::Object, target.securable.major);
    for set in sets.filter(|set| set.target.minor != 0 && set.grantee == change.grantee) {
        let mut left = PermissionSet::clone(set);
        left.grants.retain(|grant| grant.permission != change.permission);
        if left.grants.len() == set.grants.len() {
            continue;
        }
        let key = DefinitionKey::Permissions(set.target, set.grantee);
        context.change(target.database, |task, txn, edit| match left.grants.is_empty() {
            true => edit.drop(task, txn, key),
            false => edit.put(task, txn, Definition::Permissions(Arc::new(left))),
        })?;
    }
    Ok(())
}

/// Whether what is revoked from a column is granted on the whole object: then the column is an
/// exception.
fn is_granted_on_whole(schema: &Schema, change: &Change) -> bool {
    let whole = Securable { minor: 0, ..change.securable };
    let set = schema.permission_set(whole, change.grantee).filter(|_| change.securable.minor != 0);
    set.is_some_and(|set| {
        set.grants.iter().any(|grant| {
            use PermissionState as S;
            grant.permission == change.permission
                && matches!(grant.state, S::Grant | S::GrantWithGrant)
        })
    })
}

fn existing(schema: &Schema, target: &Target, change: &Change) -> Vec<Grant> {
    let set = match target.server {
        true => schema.server().permission_set(change.securable, change.grantee),
        false => schema.permission_set(change.securable, change.grantee),
    };
    set.map(|set| set.grants.clone()).unwrap_or_default()
}
