//! `ALTER AUTHORIZATION`: changes owners.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::Definition;
use engine::catalog::def::*;
use tsql::ast::{self, SecurableClass as Class};

use super::not_there;
use crate::context::Context;
use crate::ddl::collection;
use crate::ddl::failure::DdlResult;
use crate::ddl::object::{find_type, with_header};
use crate::ddl::place;

/// `ALTER AUTHORIZATION ON class::name TO owner`.
pub fn authorization(context: &mut Context<'_>, change: &ast::AlterAuthorization) -> DdlResult<()> {
    let name = &change.name.name.name;
    if change.class == Some(Class::Database) {
        return database(context, name, change.owner.as_ref());
    }
    let database = context.database();
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let owner = match &change.owner {
        Some(owner) => Some(new_owner(context, database, &owner.name, "principal")?),
        None => None,
    };
    let definition = match change.class {
        None | Some(Class::Object) => {
            let missing = || not_there("find", "object", name);
            let found = place::find_in(context, database, &change.name)?.ok_or_else(missing)?;
            let target = Securable { class: SecurableClass::Object, major: found.id.0, minor: 0 };
            if !context.may(database, target, Permission::TakeOwnership) {
                return Err(missing().into());
            }
            let def = found.schema.object_def(found.id).ok_or_else(missing)?;
            Definition::Object(with_header(def, |header| header.owner = owner))
        }
        Some(Class::Schema) => {
            let missing = || not_there("find", "schema", name);
            let found = schema.find_schema(name).ok_or_else(missing)?;
            let target = Securable { class: SecurableClass::Schema, major: found.id.0, minor: 0 };
            if !context.may(database, target, Permission::TakeOwnership) {
                return Err(missing().into());
            }
            let owner = owner.ok_or_else(missing)?;
            Definition::Schema(Arc::new(SchemaDef { owner, ..SchemaDef::clone(found) }))
        }
        Some(Class::XmlSchemaCollection) => {
            let missing = || not_there("find", "xml schema collection", name);
            let found = collection::find(context, database, &change.name)?;
            let found = found.ok_or_else(missing)?;
            let target =
                Securable { class: SecurableClass::XmlCollection, major: found.id.0, minor: 0 };
            if !context.may(database, target, Permission::TakeOwnership) {
                return Err(missing().into());
            }
            Definition::XmlCollection(Arc::new(XmlCollectionDef {
                owner,
                ..XmlCollectionDef::clone(&found)
            }))
        }
        Some(Class::Type) => {
            let missing = || not_there("find", "type", name);
            let found = find_type(context, database, &change.name)?.ok_or_else(missing)?;
            let target = Securable { class: SecurableClass::Type, major: found.id.0, minor: 0 };
            if !context.may(database, target, Permission::TakeOwnership) {
                return Err(missing().into());
            }
            Definition::Type(Arc::new(TypeDef { owner, ..TypeDef::clone(&found) }))
        }
        Some(Class::Role) => {
            let missing = || not_there("find", "role", name);
            let found = schema.find_principal(name);
            let found = found.filter(|p| p.kind == PrincipalKind::Role).ok_or_else(missing)?;
            let class = SecurableClass::DatabasePrincipal;
            let target = Securable { class, major: found.id.0, minor: 0 };
            if !context.may(database, target, Permission::TakeOwnership) {
                return Err(missing().into());
            }
            Definition::Principal(Arc::new(PrincipalDef { owner, ..PrincipalDef::clone(found) }))
        }
        Some(_) => return Err(not_there("find", "entity", name).into()),
    };
    context.change(database, |task, txn, edit| edit.put(task, txn, definition))?;
    Ok(())
}

/// A principal that the session may make an owner: one that it may act as, for whatever the owner
/// has is reached through ownership chains. Error 15151.
pub fn new_owner(
    context: &Context<'_>,
    database: DbId,
    name: &str,
    what: &'static str,
) -> DdlResult<PrincipalId> {
    let schema = context.schema(database)?;
    let found = schema.find_principal(name).ok_or_else(|| not_there("find", what, name))?;
    match context.session.may_act_as(database, found)? {
        true => Ok(found.id),
        false => Err(not_there("find", what, name).into()),
    }
}

/// The owner of a database is a login, and `dbo` in it. Errors 15110, 15151.
fn database(context: &mut Context<'_>, name: &str, owner: Option<&ast::Ident>) -> DdlResult<()> {
    let instance = context.instance();
    let found = instance.find_database(name);
    let may = context.login_may(Permission::Control);
    let Some(def) = found.filter(|d| may || context.user(d.id).is_ok_and(|user| user.is_owner))
    else {
        return Err(not_there("find", "database", name).into());
    };
    let owner = owner.map_or("", |o| &o.name);
    context.lock_edit(DbId::MASTER)?;
    context.lock_edit(def.id)?;
    let master = context.schema(DbId::MASTER)?;
    let own = context.session.server_login().map(|login| login.id);
    let may_become = |login: &&Arc<LoginDef>| {
        let class = SecurableClass::ServerPrincipal;
        let target = Securable { class, major: login.id.0, minor: 0 };
        own == Some(login.id) || context.session.login_may(target, Permission::Impersonate)
    };
    let login = master.find_login(owner).filter(|l| l.kind != PrincipalKind::Role);
    let login = login.filter(may_become);
    let Some(login) = login else {
        return Err(not_there("find", "principal", owner).into());
    };
    let schema = context.schema(def.id)?;
    if schema.user_with_sid(&login.sid).is_some_and(|user| user.id != PrincipalId::DBO) {
        return Err(SqlError::new(&message::OWNER_ALREADY_USER, &[]).into());
    }
    let sid = login.sid.clone();
    let new = DatabaseDef { owner_sid: sid.clone(), ..DatabaseDef::clone(&def) };
    context.change(DbId::MASTER, |task, txn, edit| {
        edit.put(task, txn, Definition::Database(Arc::new(new)))
    })?;
    if let Some(dbo) = schema.principals().get(PrincipalId::DBO) {
        let dbo = PrincipalDef { sid: Some(sid), ..PrincipalDef::clone(dbo) };
        context.change(def.id, |task, txn, edit| {
            edit.put(task, txn, Definition::Principal(Arc::new(dbo)))
        })?;
    }
    Ok(())
}
