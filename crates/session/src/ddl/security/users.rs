//! Users and roles of databases.

use std::sync::Arc;

use base::datetime::Language;
use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Schema};
use engine::txn::locks::DefinitionKind;
use tsql::ast::{
    self, CreateAction, DefaultLanguage, DropKind, Literal, ObjectName, RoleAction, UserLogin,
    UserOption,
};

use super::{Shown, logins, no_source, not_permitted, not_there};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::security::{DatabaseUser, WHOLE_DATABASE, is_contained};

/// Bytes of a sid: those of logins, and those of users without one.
const SID_LENGTHS: [usize; 2] = [16, 28];

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
    let way = way_in(context, database, statement)?;
    let (sid, authentication) = match way {
        WayIn::Login(login) => {
            (sid_of_login(context, &schema, login, None)?, Authentication::Instance)
        }
        WayIn::Password => (own_sid(context), Authentication::Database),
        WayIn::Nothing => (own_sid(context), Authentication::None),
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
    apply(context, database, &mut def, &statement.options)?;
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

/// How a new user gets in.
enum WayIn<'s> {
    /// Through the server's login of this name.
    Login(&'s str),
    /// With a password that the database checks.
    Password,
    /// Not at all.
    Nothing,
}

/// How the user of a `CREATE USER` gets in. Errors 401, 15151, 33233 to 33235, 33242.
fn way_in<'s>(
    context: &Context<'_>,
    database: DbId,
    statement: &'s ast::UserStatement,
) -> DdlResult<WayIn<'s>> {
    let says = |of: fn(&UserOption) -> bool| statement.options.iter().any(of);
    let has_password = says(|option| matches!(option, UserOption::Password(..)));
    let has_sid = says(|option| matches!(option, UserOption::Sid(_)));
    let contained = context.session.is_contained(database);
    let fail = |message| Err(SqlError::new(message, &[&"PASSWORD"]).into());
    let way = match &statement.login {
        UserLogin::From(source) => return Err(no_source(source).into()),
        UserLogin::Without if has_password => {
            return fail(&message::USER_PARAMETER_WITHOUT_LOGIN);
        }
        UserLogin::Login(_) if has_password => {
            return fail(&message::USER_PARAMETER_NEEDS_AUTHENTICATION);
        }
        UserLogin::Default if has_password && !contained => {
            return Err(SqlError::new(&message::USER_PASSWORD_NOT_CONTAINED, &[]).into());
        }
        UserLogin::Default if has_password => WayIn::Password,
        UserLogin::Default => WayIn::Login(&statement.name.name),
        UserLogin::Login(login) => WayIn::Login(&login.name),
        UserLogin::Without => WayIn::Nothing,
    };
    match way {
        WayIn::Login(_) if has_sid => Err(SqlError::new(&message::USER_SID_OF_LOGIN, &[]).into()),
        way => Ok(way),
    }
}

/// A sid for a user without login, or a role.
fn own_sid(context: &Context<'_>) -> Sid {
    let mut sid = vec![0; 28];
    context.instance().env().rng().fill(&mut sid);
    sid[..8].copy_from_slice(&[1, 5, 0, 0, 0, 0, 0, 9]);
    sid.into()
}

/// Applies options. Errors 15007, 15023, 15033, 15063, 15116, 15118, 15419, 15433, 33016, 33234,
/// 33236.
fn apply(
    context: &Context<'_>,
    database: DbId,
    def: &mut PrincipalDef,
    options: &[UserOption],
) -> DdlResult<()> {
    let schema = context.schema(database)?;
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
            UserOption::Login(_) if def.authentication != Authentication::Instance => {
                return Err(SqlError::new(&message::USER_CANNOT_BE_REMAPPED, &[]).into());
            }
            UserOption::Login(login) => {
                def.sid = Some(sid_of_login(context, &schema, &login.name, Some(def.id))?);
            }
            UserOption::Sid(sid) => def.sid = Some(given_sid(context, database, sid)?),
            UserOption::DefaultLanguage(language) => {
                def.default_language = default_language(context, database, def, language)?;
            }
            UserOption::AllowEncryptedValueModifications(_) => {}
            UserOption::Password(text, _) => {
                let checked = def.authentication == Authentication::Database;
                if !checked && def.kind != PrincipalKind::ApplicationRole {
                    let message = &message::USER_PARAMETER_NEEDS_AUTHENTICATION;
                    return Err(SqlError::new(message, &[&"PASSWORD"]).into());
                }
                logins::check_password(&def.name, text)?;
                def.password_hash = Some(context.instance().passwords().hash(text));
            }
        }
    }
    Ok(())
}

/// The sid that a new user is to have. Errors 15419, 15433.
fn given_sid(context: &Context<'_>, database: DbId, sid: &Literal) -> DdlResult<Sid> {
    let bytes = match sid {
        Literal::Binary(bytes) if SID_LENGTHS.contains(&bytes.len()) => bytes,
        _ => return Err(SqlError::new(&message::SID_LENGTH, &[]).into()),
    };
    let is_owner =
        context.instance().database_def(database).is_some_and(|d| *d.owner_sid == **bytes);
    match is_owner || context.schema(database)?.user_with_sid(bytes).is_some() {
        true => Err(SqlError::new(&message::SID_IN_USE, &[]).into()),
        false => Ok(bytes.as_ref().into()),
    }
}

/// The language that a user's sessions begin with. Errors 15033, 33234, 33236.
fn default_language(
    context: &Context<'_>,
    database: DbId,
    user: &PrincipalDef,
    language: &DefaultLanguage,
) -> DdlResult<Option<Name>> {
    if !context.session.is_contained(database) {
        return Err(SqlError::new(&message::USER_LANGUAGE_NOT_CONTAINED, &[]).into());
    }
    if user.authentication == Authentication::None {
        let message = &message::USER_PARAMETER_NEEDS_AUTHENTICATION;
        return Err(SqlError::new(message, &[&"DEFAULT_LANGUAGE"]).into());
    }
    let (found, shown) = match language {
        DefaultLanguage::None => return Ok(None),
        DefaultLanguage::Name(name) => (Language::by_name(&name.name), name.name.to_string()),
        DefaultLanguage::Locale(id) => {
            (Language::all().find(|language| language.lcid == *id), id.to_string())
        }
    };
    let found = found.ok_or_else(|| SqlError::new(&message::SP_LANGUAGE_UNKNOWN, &[&shown]))?;
    Ok(Some(found.name.into()))
}

/// `ALTER USER`. The login of a user is for those to change who control the database, its name and
/// password for those who may alter any user, the rest for those who may alter this one. Users may
/// change their own default schema, language and, giving the old one, password. Errors 15150,
/// 15151 and those of [`apply`].
fn alter_user(
    context: &mut Context<'_>,
    database: DbId,
    statement: &ast::UserStatement,
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let name = &statement.name.name;
    let refused = || not_there("alter", "user", name).into();
    let found = schema.find_principal(name).filter(|p| !p.kind.is_role());
    let Some(found) = found.filter(|found| may_alter(context, database, found, statement)) else {
        return Err(refused());
    };
    if found.id < PrincipalId::FIRST_USER {
        let args: [Shown; 3] = [&"alter", &"user", name];
        return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
    }
    for option in &statement.options {
        if let UserOption::Password(_, Some(old)) = option {
            let hash = found.password_hash.as_deref().unwrap_or_default();
            if !context.instance().passwords().verify(old, hash) {
                return Err(refused());
            }
        }
    }
    let mut def = PrincipalDef::clone(found);
    apply(context, database, &mut def, &statement.options)?;
    def.modified = context.now();
    put(context, database, def)
}

fn may_alter(
    context: &Context<'_>,
    database: DbId,
    user: &PrincipalDef,
    statement: &ast::UserStatement,
) -> bool {
    let (Ok(me), Ok(schema)) = (context.user(database), context.schema(database)) else {
        return false;
    };
    let may = |permission| me.may(&schema, WHOLE_DATABASE, permission);
    let class = SecurableClass::DatabasePrincipal;
    let target = Securable { class, major: user.id.0, minor: 0 };
    let (any, control) = (may(Permission::AlterAnyUser), may(Permission::Control));
    let one = any || me.may(&schema, target, Permission::Alter);
    // To give such a user another name or password would be to become it.
    let outranks =
        || DatabaseUser::of(&schema, user).may(&schema, WHOLE_DATABASE, Permission::Control);
    let is_me = me.id == user.id;
    statement.options.iter().all(|option| match option {
        UserOption::Login(_) => control,
        UserOption::Password(_, Some(_)) if is_me => true,
        UserOption::Name(_) | UserOption::Password(..) => control || any && !outranks(),
        UserOption::DefaultSchema(_) | UserOption::DefaultLanguage(_) => one || is_me,
        UserOption::Sid(_) | UserOption::AllowEncryptedValueModifications(_) => one,
    })
}

/// `sp_migrate_user_to_contained`: the user of a login gets its password, and is the login's no
/// more. Errors 12819, 12820, 12823, 15023, 15151.
pub fn migrate(
    context: &mut Context<'_>,
    user: &str,
    takes_name: bool,
    disables: bool,
) -> SqlResult<()> {
    let database = context.database();
    if !context.session.is_contained(database) {
        return Err(SqlError::new(&message::MIGRATE_NOT_CONTAINED, &[]));
    }
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        context.lock_edit(database)?;
        let (schema, master) = (context.schema(database)?, context.schema(DbId::MASTER)?);
        let found = schema.find_principal(user).filter(|p| p.id >= PrincipalId::FIRST_USER);
        let found = found.ok_or_else(|| not_there("find", "user", user))?;
        if found.authentication != Authentication::Instance {
            return Err(SqlError::new(&message::MIGRATE_NOT_A_LOGIN, &[]));
        }
        let login = found.sid.as_deref().and_then(|sid| master.server().login_with_sid(sid));
        let Some(login) = login.filter(|login| login.password_hash.is_some()) else {
            return Err(SqlError::new(&message::MIGRATE_LOGIN_MISSING, &[&user]));
        };
        let name = if takes_name { login.name.clone() } else { found.name.clone() };
        if schema.find_principal(&name).is_some_and(|other| other.id != found.id) {
            return Err(SqlError::new(&message::USER_EXISTS, &[&name]));
        }
        let modified = context.now();
        let def = PrincipalDef {
            name,
            modified,
            sid: Some(own_sid(context)),
            authentication: Authentication::Database,
            default_language: login.default_language.clone(),
            password_hash: login.password_hash.clone(),
            ..PrincipalDef::clone(found)
        };
        context.change(database, |task, txn, edit| {
            edit.put(task, txn, Definition::Principal(Arc::new(def.clone())))
        })?;
        if disables {
            let login = LoginDef { disabled: true, modified, ..LoginDef::clone(login) };
            context.change(DbId::MASTER, |task, txn, edit| {
                edit.put(task, txn, Definition::Login(Arc::new(login.clone())))
            })?;
        }
        Ok(())
    })
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
    apply(context, database, &mut def, options)?;
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
    if is_contained(found) && has_sessions(context, database, found) {
        return Err(SqlError::new(&message::LOGIN_IN_USE, &[written]).into());
    }
    let key = DefinitionKey::Principal(found.id);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// Whether a contained user is logged in.
fn has_sessions(context: &Context<'_>, database: DbId, user: &PrincipalDef) -> bool {
    context.instance().sessions.all().iter().any(|session| {
        let status = session.status();
        status.contained_in == Some(database)
            && user.sid.as_ref() == Some(&status.original_login.sid)
    })
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
