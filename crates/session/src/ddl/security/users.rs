//! Users and roles of databases.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Schema};
use engine::txn::locks::DefinitionKind;
use tsql::ast::{
    self, CreateAction, DropKind, Literal, ObjectName, RoleAction, UserLogin, UserOption,
};

use super::{Shown, logins, not_permitted, not_there};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::security::WHOLE_DATABASE;

/// `CREATE USER` and `ALTER USER`.
pub fn user(context: &mut Context<'_>, statement: &ast::UserStatement) -> DdlResult<()> {
    let database = context.database();
    context.lock_edit(database)?;
    match statement.action {
        CreateAction::Create => create_user(context, database, statement),
        _ => alter_user(context, database, statement),
    }
}

fn put(context: &mut Context<'_>, database: DbId, def: PrincipalDef) -> DdlResult<()> {
    context.change(database, |task, txn, edit| {
        edit.put(task, txn, Definition::Principal(Arc::new(def)))
    })?;
    Ok(())
}

/// The sid of a login. Errors 15007, 15063.
fn sid_of_login(
    context: &Context<'_>,
    schema: &Schema,
    login: &str,
    user: Option<PrincipalId>,
) -> DdlResult<Sid> {
    let master = context.schema(DbId::MASTER)?;
    let found = master.find_login(login).filter(|l| l.kind != PrincipalKind::Role);
    let found = found.ok_or_else(|| SqlError::new(&message::LOGIN_NOT_VALID, &[&login]))?;
    match schema.user_with_sid(&found.sid) {
        Some(other) if Some(other.id) != user => {
            Err(SqlError::new(&message::LOGIN_HAS_USER, &[]).into())
        }
        _ => Ok(found.sid.clone()),
    }
}

fn create_user(
    context: &mut Context<'_>,
    database: DbId,
    statement: &ast::UserStatement,
) -> DdlResult<()> {
    let name = &statement.name.name;
    if !context.may(database, WHOLE_DATABASE, Permission::AlterAnyUser) {
        return not_permitted();
    }
    let schema = context.schema(database)?;
    if schema.find_principal(name).is_some() {
        return Err(SqlError::new(&message::USER_EXISTS, &[name]).into());
    }
    let (sid, authentication) = match &statement.login {
        UserLogin::Default => {
            (sid_of_login(context, &schema, name, None)?, Authentication::Instance)
        }
        UserLogin::Login(login) => {
            (sid_of_login(context, &schema, &login.name, None)?, Authentication::Instance)
        }
        UserLogin::Without => (own_sid(context), Authentication::None),
        UserLogin::Other(what) => {
            return Err(SqlError::new(&message::UNIMPLEMENTED, &[what]).into());
        }
    };
    let id = schema.next_principal_id().ok_or_else(too_many)?;
    let id = PrincipalId(context.free_id(database, DefinitionKind::Principal, id.0)?);
    let now = context.now();
    let mut def = PrincipalDef {
        id,
        name: name.clone(),
        kind: PrincipalKind::SqlUser,
        default_schema: Some("dbo".into()),
        created: now,
        modified: now,
        owner: None,
        sid: Some(sid),
        fixed_role: false,
        authentication,
        default_language: None,
        password_hash: None,
        roles: Vec::new(),
    };
    apply(context, &schema, &mut def, &statement.options)?;
    put(context, database, def)?;
    let grants = vec![Grant {
        permission: Permission::Connect,
        grantor: PrincipalId::DBO,
        state: PermissionState::Grant,
    }];
    let set = PermissionSet { target: WHOLE_DATABASE, grantee: id, grants };
    context.change(database, |task, txn, edit| {
        edit.put(task, txn, Definition::Permissions(Arc::new(set)))
    })?;
    Ok(())
}

/// A sid for a user without login, or a role.
fn own_sid(context: &Context<'_>) -> Sid {
    let mut sid = vec![0; 28];
    context.instance().env().rng().fill(&mut sid);
    sid[..8].copy_from_slice(&[1, 5, 0, 0, 0, 0, 0, 9]);
    sid.into()
}

fn apply(
    context: &Context<'_>,
    schema: &Schema,
    def: &mut PrincipalDef,
    options: &[UserOption],
) -> DdlResult<()> {
    for option in options {
        match option {
            UserOption::DefaultSchema(name) => {
                def.default_schema = name.as_ref().map(|n| n.name.clone());
            }
            UserOption::Name(name) => {
                if schema.find_principal(&name.name).is_some_and(|other| other.id != def.id) {
                    return Err(SqlError::new(&message::USER_EXISTS, &[&name.name]).into());
                }
                def.name = name.name.clone();
            }
            UserOption::Login(login) => {
                def.sid = Some(sid_of_login(context, schema, &login.name, Some(def.id))?);
                def.authentication = Authentication::Instance;
            }
            UserOption::Sid(Literal::Binary(bytes)) => def.sid = Some(bytes.as_ref().into()),
            UserOption::DefaultLanguage(name) => def.default_language = Some(name.name.clone()),
            UserOption::AllowEncryptedValueModifications(_) => {}
            UserOption::Password(..) | UserOption::Sid(_) => {
                let text = "You can only create a user with a password in a contained database.";
                return Err(SqlError::custom(33233, 16, 1, text).into());
            }
        }
    }
    Ok(())
}

fn alter_user(
    context: &mut Context<'_>,
    database: DbId,
    statement: &ast::UserStatement,
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let name = &statement.name.name;
    let found = schema.find_principal(name).filter(|p| !p.kind.is_role());
    let may = context.may(database, WHOLE_DATABASE, Permission::AlterAnyUser);
    let Some(found) = found.filter(|_| may) else {
        return Err(not_there("alter", "user", name).into());
    };
    if found.id < PrincipalId::FIRST_USER {
        let args: [Shown; 3] = [&"alter", &"user", name];
        return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
    }
    let mut def = PrincipalDef::clone(found);
    apply(context, &schema, &mut def, &statement.options)?;
    def.modified = context.now();
    put(context, database, def)
}

/// `CREATE` and `ALTER APPLICATION ROLE`. Errors 15023, 15116, 15118, 15151, 15247.
fn application_role(
    context: &mut Context<'_>,
    database: DbId,
    name: &Name,
    action: CreateAction,
    options: &[UserOption],
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let found = schema.find_principal(name);
    let of_kind = found.filter(|p| p.kind == PrincipalKind::ApplicationRole);
    let may_all = context.may(database, WHOLE_DATABASE, Permission::AlterAnyApplicationRole);
    let may = |role: &PrincipalDef| {
        let class = SecurableClass::DatabasePrincipal;
        let target = Securable { class, major: role.id.0, minor: 0 };
        may_all || context.may(database, target, Permission::Alter)
    };
    let now = context.now();
    let mut def = match (action, of_kind) {
        (CreateAction::Create, _) if !may_all => return not_permitted(),
        (CreateAction::Create, _) if found.is_some() => {
            return Err(SqlError::new(&message::USER_EXISTS, &[name]).into());
        }
        (CreateAction::Create, _) => {
            let id = schema.next_principal_id().ok_or_else(too_many)?;
            let id = PrincipalId(context.free_id(database, DefinitionKind::Principal, id.0)?);
            PrincipalDef {
                id,
                name: name.clone(),
                kind: PrincipalKind::ApplicationRole,
                default_schema: Some("dbo".into()),
                created: now,
                modified: now,
                owner: None,
                sid: Some(own_sid(context)),
                fixed_role: false,
                authentication: Authentication::None,
                default_language: None,
                password_hash: None,
                roles: Vec::new(),
            }
        }
        (_, Some(role)) if may(role) => PrincipalDef::clone(role),
        _ => return Err(not_there("alter", "application role", name).into()),
    };
    for option in options {
        match option {
            UserOption::Password(text, _) => {
                logins::check_password(&def.name, text)?;
                def.password_hash = Some(context.instance().passwords().hash(text));
            }
            option => apply(context, &schema, &mut def, std::slice::from_ref(option))?,
        }
    }
    def.modified = now;
    put(context, database, def)
}

/// Error 15066.
fn too_many() -> SqlError {
    SqlError::custom(15066, 16, 1, "The database has as many principals as it can have.")
}

/// `DROP USER`, `DROP ROLE` and `DROP APPLICATION ROLE`.
pub fn drop_principal(
    context: &mut Context<'_>,
    kind: DropKind,
    name: &ObjectName,
    if_exists: bool,
) -> DdlResult<()> {
    let database = context.database();
    context.lock_edit(database)?;
    let (what, permission) = match kind {
        DropKind::Role => ("role", Permission::AlterAnyRole),
        DropKind::ApplicationRole => ("application role", Permission::AlterAnyApplicationRole),
        _ => ("user", Permission::AlterAnyUser),
    };
    let role = kind == DropKind::Role;
    let of_kind = |p: &&Arc<PrincipalDef>| match kind {
        DropKind::Role => p.kind == PrincipalKind::Role,
        DropKind::ApplicationRole => p.kind == PrincipalKind::ApplicationRole,
        _ => !p.kind.is_role(),
    };
    let schema = context.schema(database)?;
    let written = &name.name.name;
    let found = schema.find_principal(written).filter(of_kind);
    let may = context.may(database, WHOLE_DATABASE, permission);
    let Some(found) = found.filter(|_| may) else {
        return match if_exists {
            true => Ok(()),
            false => Err(not_there("drop", what, written).into()),
        };
    };
    let own = PrincipalId::FIRST_USER..PrincipalId::DB_OWNER;
    if !own.contains(&found.id) {
        let args: [Shown; 3] = [&"drop", &what, written];
        return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
    }
    if schema.schemas().iter().any(|s| s.owner == found.id) {
        return Err(SqlError::new(&message::USER_OWNS_SCHEMA, &[&"schema"]).into());
    }
    if schema.objects().any(|o| o.header().owner == Some(found.id)) {
        return Err(SqlError::new(&message::PRINCIPAL_OWNS_OBJECTS, &[]).into());
    }
    if role && schema.principals().iter().any(|p| p.roles.contains(&found.id)) {
        return Err(SqlError::new(&message::ROLE_NOT_EMPTY, &[]).into());
    }
    let key = DefinitionKey::Principal(found.id);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// `CREATE` and `ALTER ROLE`, `CREATE` and `ALTER APPLICATION ROLE`.
pub fn role(context: &mut Context<'_>, statement: &ast::RoleStatement) -> DdlResult<()> {
    if statement.server {
        return logins::server_role(context, statement);
    }
    let database = context.database();
    context.lock_edit(database)?;
    let name = &statement.name.name;
    match &statement.action {
        RoleAction::Create(owner) => create_role(context, database, name, owner.as_ref()),
        RoleAction::AddMember(member) => {
            change_membership(context, database, name, &member.name, true)
        }
        RoleAction::DropMember(member) => {
            change_membership(context, database, name, &member.name, false)
        }
        RoleAction::Application(action, options) => {
            application_role(context, database, name, *action, options)
        }
        RoleAction::Rename(new) => {
            let found = role_to_alter(context, database, name)?;
            let schema = context.schema(database)?;
            if schema.find_principal(&new.name).is_some_and(|other| other.id != found.id) {
                return Err(SqlError::new(&message::USER_EXISTS, &[&new.name]).into());
            }
            if found.fixed_role {
                let args: [Shown; 3] = [&"alter", &"role", name];
                return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
            }
            let (name, modified) = (new.name.clone(), context.now());
            put(context, database, PrincipalDef { name, modified, ..PrincipalDef::clone(&found) })
        }
    }
}

fn create_role(
    context: &mut Context<'_>,
    database: DbId,
    name: &Name,
    owner: Option<&ast::Ident>,
) -> DdlResult<()> {
    context.demand_on_database(database, Permission::CreateRole)?;
    let schema = context.schema(database)?;
    if schema.find_principal(name).is_some() {
        return Err(SqlError::new(&message::USER_EXISTS, &[name]).into());
    }
    let owner = match owner {
        Some(owner) => super::new_owner(context, database, &owner.name, "user")?,
        None => context.user(database)?.id,
    };
    let id = schema.next_principal_id().ok_or_else(too_many)?;
    let id = PrincipalId(context.free_id(database, DefinitionKind::Principal, id.0)?);
    let now = context.now();
    let def = PrincipalDef {
        id,
        name: name.clone(),
        kind: PrincipalKind::Role,
        default_schema: None,
        created: now,
        modified: now,
        owner: Some(owner),
        sid: Some(own_sid(context)),
        fixed_role: false,
        authentication: Authentication::None,
        default_language: None,
        password_hash: None,
        roles: Vec::new(),
    };
    put(context, database, def)
}

/// A role whose members may be changed. Error 15151.
fn role_to_alter(
    context: &Context<'_>,
    database: DbId,
    name: &str,
) -> DdlResult<Arc<PrincipalDef>> {
    let schema = context.schema(database)?;
    let found = schema.find_principal(name).filter(|p| p.kind == PrincipalKind::Role);
    let may = |role: &&Arc<PrincipalDef>| {
        let target =
            Securable { class: SecurableClass::DatabasePrincipal, major: role.id.0, minor: 0 };
        context.may(database, WHOLE_DATABASE, Permission::AlterAnyRole)
            || context.may(database, target, Permission::Alter)
    };
    match found.filter(may) {
        Some(role) => Ok(role.clone()),
        None => Err(not_there("alter", "role", name).into()),
    }
}

/// Adds a member to a role, or drops one. Errors 15150, 15151, 15405, 15413.
fn change_membership(
    context: &mut Context<'_>,
    database: DbId,
    role: &str,
    member: &str,
    add: bool,
) -> DdlResult<()> {
    let found = role_to_alter(context, database, role)?;
    if found.id == PrincipalId::PUBLIC {
        return Err(SqlError::new(&message::SPECIAL_PRINCIPAL, &[&role]).into());
    }
    let schema = context.schema(database)?;
    let verb = if add { "add" } else { "drop" };
    let Some(other) = schema.find_principal(member) else {
        return Err(not_there(verb, "principal", member).into());
    };
    if other.id == PrincipalId::DBO || other.id == PrincipalId::PUBLIC {
        return Err(SqlError::new(&message::SPECIAL_PRINCIPAL, &[&member]).into());
    }
    if other.id == found.id || add && schema.is_member(found.id, other.id) {
        return Err(SqlError::new(&message::ROLE_MEMBER_SELF, &[]).into());
    }
    let mut def = PrincipalDef::clone(other);
    if !add && !def.roles.contains(&found.id) {
        return Err(not_there(verb, "principal", member).into());
    }
    def.roles.retain(|id| *id != found.id);
    if add {
        def.roles.push(found.id);
        def.roles.sort_unstable();
    }
    put(context, database, def)
}

/// The implementation of `sp_addrolemember` and `sp_droprolemember`: in the current database.
pub fn membership(context: &mut Context<'_>, role: &str, member: &str, add: bool) -> SqlResult<()> {
    context.definition(|context| {
        let database = context.database();
        context.lock_edit(database)?;
        let changed = change_membership(context, database, role, member, add);
        changed.map_err(|failure| failure.error)
    })
}
