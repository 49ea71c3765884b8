//! Logins and server roles.

use std::sync::Arc;

use base::datetime::{Language, US_ENGLISH};
use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Schema};
use engine::txn::locks::DefinitionKind;
use tsql::ast::{self, CreateAction, DropKind, Literal, LoginKind, LoginOptionKind, ObjectName};

use super::{Shown, no_source, not_permitted, not_there};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::instance::setting;
use crate::security::{WHOLE_SERVER, login_may};

/// Bytes of a login's security identifier.
const SID_LEN: usize = 16;

/// The shortest password that the policy accepts.
const PASSWORD_MIN: usize = 8;

/// `CREATE LOGIN` and `ALTER LOGIN`.
pub fn login(context: &mut Context<'_>, statement: &ast::LoginStatement) -> DdlResult<()> {
    context.lock_edit(DbId::MASTER)?;
    let options = match &statement.kind {
        LoginKind::Options(options) => options,
        LoginKind::Enable(enable) => return enable_login(context, statement, *enable),
        LoginKind::Windows(_) => {
            let text = format!(
                "Windows NT user or group '{}' not found. Check the name again.",
                statement.name.name
            );
            return Err(SqlError::custom(15401, 16, 1, text).into());
        }
        LoginKind::From(source) => return Err(no_source(source).into()),
    };
    match statement.action {
        CreateAction::Create => create(context, &statement.name.name, options),
        _ => alter(context, &statement.name.name, options),
    }
}

fn create(context: &mut Context<'_>, name: &Name, options: &[ast::LoginOption]) -> DdlResult<()> {
    if !context.login_may(Permission::AlterAnyLogin) {
        return not_permitted();
    }
    let master = context.schema(DbId::MASTER)?;
    if master.find_login(name).is_some() {
        return Err(SqlError::new(&message::LOGIN_EXISTS, &[name]).into());
    }
    let id = context.free_id(DbId::MASTER, DefinitionKind::Login, master.next_login_id().0)?;
    let now = context.now();
    let mut sid = vec![0; 16];
    context.instance().env().rng().fill(&mut sid);
    let mut def = LoginDef {
        id: PrincipalId(id),
        name: name.clone(),
        kind: PrincipalKind::SqlUser,
        sid: sid.into(),
        disabled: false,
        created: now,
        modified: now,
        default_database: Some("master".into()),
        default_language: Some(default_language(context).into()),
        owner: None,
        fixed_role: false,
        policy_checked: true,
        expiration_checked: false,
        must_change: false,
        password_hash: None,
        roles: Vec::new(),
    };
    apply(context, &mut def, options)?;
    let id = def.id;
    put(context, def)?;
    let grants = vec![Grant {
        permission: Permission::ConnectSql,
        grantor: PrincipalId::SA,
        state: PermissionState::Grant,
    }];
    let set = PermissionSet { target: WHOLE_SERVER, grantee: id, grants };
    context.change(DbId::MASTER, |task, txn, edit| {
        edit.put(task, txn, Definition::ServerPermissions(Arc::new(set)))
    })?;
    Ok(())
}

fn put(context: &mut Context<'_>, def: LoginDef) -> DdlResult<()> {
    context.change(DbId::MASTER, |task, txn, edit| {
        edit.put(task, txn, Definition::Login(Arc::new(def)))
    })?;
    Ok(())
}

/// The language of logins that are made without one: what `sp_configure` says.
fn default_language(context: &Context<'_>) -> &'static str {
    let id = context.instance().configuration(setting::DEFAULT_LANGUAGE);
    let found = Language::all().find(|language| i32::from(language.id) == id);
    found.unwrap_or(&US_ENGLISH).name
}

/// A login that may be altered. Error 15151.
fn to_alter(context: &Context<'_>, name: &str, own_too: bool) -> DdlResult<Arc<LoginDef>> {
    let master = context.schema(DbId::MASTER)?;
    let found = master.find_login(name).filter(|l| l.kind == PrincipalKind::SqlUser);
    let own = context.session.server_login().map(|login| login.id);
    let may = |l: &&Arc<LoginDef>| {
        let any = context.login_may(Permission::AlterAnyLogin);
        any && !outranks(context, &master, l) || own_too && own == Some(l.id)
    };
    match found.filter(may) {
        Some(login) => Ok(login.clone()),
        None => Err(not_there("alter", "login", name).into()),
    }
}

/// Whether a login may do everything on the server, and the session may not: `ALTER ANY LOGIN` does
/// not give another login's password away.
fn outranks(context: &Context<'_>, master: &Schema, login: &LoginDef) -> bool {
    login_may(master, login.id, WHOLE_SERVER, Permission::Control)
        && !context.login_may(Permission::Control)
}

fn alter(context: &mut Context<'_>, name: &Name, options: &[ast::LoginOption]) -> DdlResult<()> {
    let is_own = |option: &ast::LoginOption| {
        use LoginOptionKind as K;
        matches!(option.kind, K::Password { .. } | K::DefaultDatabase(_) | K::DefaultLanguage(_))
    };
    let mut def = LoginDef::clone(&*to_alter(context, name, options.iter().all(is_own))?);
    for option in options {
        if let LoginOptionKind::Password { old: Some(old), .. } = &option.kind {
            let hash = def.password_hash.as_deref().unwrap_or_default();
            if !context.instance().passwords().verify(old, hash) {
                return Err(not_there("alter", "login", name).into());
            }
        } else if matches!(option.kind, LoginOptionKind::Password { .. })
            && !context.login_may(Permission::AlterAnyLogin)
        {
            return Err(not_there("alter", "login", name).into());
        }
    }
    apply(context, &mut def, options)?;
    def.modified = context.now();
    put(context, def)
}

fn enable_login(
    context: &mut Context<'_>,
    statement: &ast::LoginStatement,
    enable: bool,
) -> DdlResult<()> {
    let mut def = LoginDef::clone(&*to_alter(context, &statement.name.name, false)?);
    def.disabled = !enable;
    def.modified = context.now();
    put(context, def)
}

/// Applies options. Errors 15116, 15118, 15128, 15151.
fn apply(context: &Context<'_>, def: &mut LoginDef, options: &[ast::LoginOption]) -> DdlResult<()> {
    for option in options {
        match &option.kind {
            LoginOptionKind::CheckPolicy(on) => def.policy_checked = *on,
            LoginOptionKind::CheckExpiration(on) => def.expiration_checked = *on,
            _ => {}
        }
    }
    for option in options {
        match &option.kind {
            LoginOptionKind::Password { value, hashed, must_change, unlock: _, old: _ } => {
                def.password_hash = Some(match (value, hashed) {
                    (Literal::Binary(bytes), true) => bytes.as_ref().into(),
                    (Literal::String(text) | Literal::National(text), false) => {
                        if def.policy_checked {
                            check_password(&def.name, text)?;
                        }
                        context.instance().passwords().hash(text)
                    }
                    _ => {
                        let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"PASSWORD"]);
                        return Err(error.at_line(option.span.line).into());
                    }
                });
                if *must_change && !(def.policy_checked && def.expiration_checked) {
                    let error = SqlError::new(&message::LOGIN_PASSWORD_MUST_CHANGE, &[]);
                    return Err(error.into());
                }
                def.must_change = *must_change;
            }
            LoginOptionKind::DefaultDatabase(name) => {
                if context.instance().find_database(&name.name).is_none() {
                    let message = &message::SP_DATABASE_DOES_NOT_EXIST;
                    return Err(SqlError::new(message, &[&name.name]).into());
                }
                def.default_database = Some(name.name.clone());
            }
            LoginOptionKind::DefaultLanguage(name) => {
                let language = Language::by_name(&name.name)
                    .ok_or_else(|| SqlError::new(&message::SP_LANGUAGE_UNKNOWN, &[&name.name]))?;
                def.default_language = Some(language.name.into());
            }
            LoginOptionKind::Name(name) => {
                let master = context.schema(DbId::MASTER)?;
                if master.find_login(&name.name).is_some_and(|other| other.id != def.id) {
                    return Err(SqlError::new(&message::LOGIN_EXISTS, &[&name.name]).into());
                }
                def.name = name.name.clone();
            }
            LoginOptionKind::Sid(Literal::Binary(bytes)) => {
                if bytes.len() != SID_LEN {
                    return Err(SqlError::new(&message::SID_LENGTH, &[]).into());
                }
                let master = context.schema(DbId::MASTER)?;
                let used = master.server().login_with_sid(bytes);
                if used.is_some_and(|other| other.id != def.id) {
                    return Err(SqlError::new(&message::SID_IN_USE, &[]).into());
                }
                def.sid = bytes.as_ref().into();
            }
            LoginOptionKind::Sid(_) => {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"SID"]);
                return Err(error.at_line(option.span.line).into());
            }
            LoginOptionKind::Credential(name) => {
                return Err(not_there("find", "credential", &name.name).into());
            }
            LoginOptionKind::CheckPolicy(_)
            | LoginOptionKind::CheckExpiration(_)
            | LoginOptionKind::NoCredential => {}
        }
    }
    Ok(())
}

/// The policy of Windows: length, three of four kinds of characters, not the login's name.
pub(super) fn check_password(login: &str, password: &str) -> DdlResult<()> {
    if password.chars().count() < PASSWORD_MIN {
        return Err(SqlError::new(&message::LOGIN_PASSWORD_SHORT, &[]).into());
    }
    let any = |kind: fn(char) -> bool| u32::from(password.chars().any(kind));
    let kinds = any(char::is_uppercase)
        + any(char::is_lowercase)
        + any(|c| c.is_ascii_digit())
        + any(|c| !c.is_alphanumeric());
    let contains = password.to_lowercase().contains(&login.to_lowercase());
    if kinds < 3 || contains && login.chars().count() > 2 {
        return Err(SqlError::new(&message::LOGIN_PASSWORD_WEAK, &[]).into());
    }
    Ok(())
}

/// `DROP LOGIN` and `DROP SERVER ROLE`.
pub fn drop_login(
    context: &mut Context<'_>,
    kind: DropKind,
    name: &ObjectName,
    if_exists: bool,
) -> DdlResult<()> {
    context.lock_edit(DbId::MASTER)?;
    let (role, what) = match kind {
        DropKind::ServerRole => (true, "server role"),
        _ => (false, "login"),
    };
    let written = &name.name.name;
    let master = context.schema(DbId::MASTER)?;
    let permission = if role { Permission::AlterAnyServerRole } else { Permission::AlterAnyLogin };
    let found = master.find_login(written).filter(|l| (l.kind == PrincipalKind::Role) == role);
    let may = |l: &&Arc<LoginDef>| context.login_may(permission) && !outranks(context, &master, l);
    let Some(found) = found.filter(may) else {
        return match if_exists {
            true => Ok(()),
            false => Err(not_there("drop", what, written).into()),
        };
    };
    if found.fixed_role || found.id <= PrincipalId::SERVER_PUBLIC {
        let args: [Shown; 3] = [&"drop", &what, written];
        return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
    }
    let server = master.server();
    if role && server.logins().iter().any(|l| l.roles.contains(&found.id)) {
        return Err(SqlError::new(&message::ROLE_NOT_EMPTY, &[]).into());
    }
    let instance = context.instance();
    if !role && instance.sessions.all().iter().any(|s| s.status().login.id == found.id) {
        return Err(SqlError::new(&message::LOGIN_IN_USE, &[written]).into());
    }
    if server.databases().iter().any(|d| d.owner_sid == found.sid) {
        return Err(SqlError::new(&message::LOGIN_OWNS_DATABASE, &[written]).into());
    }
    let key = DefinitionKey::Login(found.id);
    context.change(DbId::MASTER, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// `CREATE SERVER ROLE` and `ALTER SERVER ROLE`.
pub(super) fn server_role(context: &mut Context<'_>, role: &ast::RoleStatement) -> DdlResult<()> {
    context.lock_edit(DbId::MASTER)?;
    let master = context.schema(DbId::MASTER)?;
    let name = &role.name.name;
    if let ast::RoleAction::Create(owner) = &role.action {
        if !context.login_may(Permission::AlterAnyServerRole) {
            return not_permitted();
        }
        if master.find_login(name).is_some() {
            return Err(SqlError::new(&message::LOGIN_EXISTS, &[name]).into());
        }
        let owner = match owner {
            Some(owner) => {
                let found = master.find_login(&owner.name);
                found.ok_or_else(|| not_there("find", "login", &owner.name))?.id
            }
            None => context.session.identity.login().id,
        };
        let id = context.free_id(DbId::MASTER, DefinitionKind::Login, master.next_login_id().0)?;
        return put(context, new_role(context, PrincipalId(id), name, owner));
    }
    let found = master.find_login(name).filter(|l| l.kind == PrincipalKind::Role);
    // The members of a fixed role decide about it, whatever else may be altered.
    let may = |role: &&Arc<LoginDef>| match role.fixed_role {
        true => context.session.is_sysadmin() || context.session.is_in_server_role(role.id),
        false => context.login_may(Permission::AlterAnyServerRole),
    };
    let Some(found) = found.filter(may) else {
        return Err(not_there("alter", "server role", name).into());
    };
    match &role.action {
        ast::RoleAction::AddMember(member) | ast::RoleAction::DropMember(member) => {
            let add = matches!(role.action, ast::RoleAction::AddMember(_));
            let verb = if add { "add" } else { "drop" };
            let other = master.find_login(&member.name);
            let other = other.ok_or_else(|| not_there(verb, "principal", &member.name))?;
            if other.id == PrincipalId::SA {
                return Err(SqlError::new(&message::SPECIAL_PRINCIPAL, &[&member.name]).into());
            }
            if other.id == found.id || add && master.server().is_member(found.id, other.id) {
                return Err(SqlError::new(&message::ROLE_MEMBER_SELF, &[]).into());
            }
            let mut def = LoginDef::clone(other);
            def.roles.retain(|id| *id != found.id);
            if add {
                def.roles.push(found.id);
                def.roles.sort_unstable();
            }
            put(context, def)
        }
        ast::RoleAction::Rename(new) => {
            if found.fixed_role {
                let args: [Shown; 3] = [&"alter", &"server role", name];
                return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
            }
            let name = new.name.clone();
            put(context, LoginDef { name, modified: context.now(), ..LoginDef::clone(found) })
        }
        ast::RoleAction::Create(_) | ast::RoleAction::Application(..) => Ok(()),
    }
}

fn new_role(context: &Context<'_>, id: PrincipalId, name: &Name, owner: PrincipalId) -> LoginDef {
    let now = context.now();
    let mut sid = vec![0; 16];
    context.instance().env().rng().fill(&mut sid);
    LoginDef {
        id,
        name: name.clone(),
        kind: PrincipalKind::Role,
        sid: sid.into(),
        disabled: false,
        created: now,
        modified: now,
        default_database: None,
        default_language: None,
        owner: Some(owner),
        fixed_role: false,
        policy_checked: false,
        expiration_checked: false,
        must_change: false,
        password_hash: None,
        roles: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
