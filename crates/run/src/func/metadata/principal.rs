//! Logins, users, roles and permissions.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlResult, SqlType, TypeKind, ValueRef};
use engine::catalog::def::*;
use engine::catalog::{Schema, SecurableKind};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::database::database_named;
use super::object::{id_argument, text_argument, type_id_of};
use super::{Found, current_schema, find_object};
use crate::func::values::{
    bytes, flag, optional, optional_string, variant, variant_int, variant_text,
};

fn master(ctx: &FnContext<'_>) -> Option<Arc<Schema>> {
    ctx.facts.schema(DbId::MASTER)
}

pub(super) fn suser_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.is_empty() {
        return Ok(ValueRef::Int(i64::from(ctx.facts.login().id.0)));
    }
    let master = master(ctx);
    let name = text_argument(args, types, 0);
    let login = master.as_ref().zip(name).and_then(|(master, name)| master.find_login(&name));
    Ok(optional(login.map(|l| l.id.0)))
}

pub(super) fn suser_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.is_empty() {
        return Ok(optional_string(ctx.arena, Some(&ctx.facts.login().name), &types.result));
    }
    let master = master(ctx);
    let id = id_argument(args, 0).map(PrincipalId);
    let login = master.as_ref().zip(id).and_then(|(m, id)| m.server().logins().get(id));
    Ok(optional_string(ctx.arena, login.map(|l| &*l.name), &types.result))
}

/// The longest security identifier.
const SID_BYTES: u16 = 85;

pub(super) fn types_of_sname(call: &Call<'_>) -> SqlResult<Inferred> {
    let sid = SqlType::varbinary(SID_BYTES);
    let types: Vec<SqlType> = call.args.iter().map(|_| sid).collect();
    if let Some(at) = call
        .args
        .iter()
        .position(|a| !a.bare_null && !matches!(a.ty.kind, TypeKind::Binary | TypeKind::VarBinary))
    {
        return Err(call.refuse(at));
    }
    Ok(call.types(SqlType::sysname(call.collation), &types))
}

pub(super) fn suser_sname<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(&sid) = args.first() else {
        return Ok(optional_string(ctx.arena, Some(&ctx.facts.login().name), &types.result));
    };
    let master = master(ctx);
    let login = match (&master, sid.is_null()) {
        (Some(master), false) => master.server().login_with_sid(bytes(sid)),
        _ => None,
    };
    // That of a user without login is none of the server's.
    let own = ctx.facts.login();
    let own = Some(&own).filter(|own| !sid.is_null() && *own.sid == *bytes(sid));
    let name = login.map(|l| &*l.name).or(own.map(|own| &*own.name));
    Ok(optional_string(ctx.arena, name, &types.result))
}

pub(super) fn types_of_sid(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = Vec::new();
    for at in 0..call.args.len() {
        types.push(if at == 0 { call.name_argument(0)? } else { call.int(at)? });
    }
    Ok(call.types(SqlType::varbinary(SID_BYTES), &types))
}

pub(super) fn suser_sid<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.is_empty() {
        return Ok(ValueRef::Bytes(ctx.arena.alloc_bytes(&ctx.facts.login().sid)));
    }
    let Some(master) = master(ctx) else { return Ok(ValueRef::Null) };
    let login = text_argument(args, types, 0).and_then(|name| master.find_login(&name));
    Ok(login.map_or(ValueRef::Null, |l| ValueRef::Bytes(ctx.arena.alloc_bytes(&l.sid))))
}

pub(super) fn original_login<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let connection = ctx.facts.connection();
    Ok(optional_string(ctx.arena, Some(&connection.original_login), &types.result))
}

/// The session's user in its database.
fn current_user(ctx: &FnContext<'_>) -> Option<PrincipalId> {
    ctx.facts.user(ctx.facts.current_database())
}

pub(super) fn user_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.is_empty() {
        return Ok(optional(current_user(ctx).map(|id| id.0)));
    }
    let schema = current_schema(ctx);
    let name = text_argument(args, types, 0);
    let user = schema.as_ref().zip(name).and_then(|(s, name)| s.find_principal(&name));
    Ok(optional(user.map(|p| p.id.0)))
}

pub(super) fn user_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let id = match args.is_empty() {
        true => current_user(ctx),
        false => id_argument(args, 0).map(PrincipalId),
    };
    let user = schema.as_ref().zip(id).and_then(|(s, id)| s.principals().get(id));
    Ok(optional_string(ctx.arena, user.map(|p| &*p.name), &types.result))
}

/// Whether the session's user, or the one named, is in a role; the user `dbo` is in all of them.
pub(super) fn is_rolemember<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let member = || {
        let schema = current_schema(ctx)?;
        let role = schema.find_principal(&text_argument(args, types, 0)?)?;
        if role.kind != PrincipalKind::Role {
            return None;
        }
        let user = match args.len() {
            1 => current_user(ctx)?,
            _ => schema.find_principal(&text_argument(args, types, 1)?)?.id,
        };
        let owner = user == PrincipalId::DBO && role.fixed_role;
        Some(owner && !denies(role.id) || schema.is_member(user, role.id))
    };
    Ok(optional(member()))
}

/// Whether a fixed role takes rights away.
fn denies(role: PrincipalId) -> bool {
    matches!(role, PrincipalId::DB_DENYDATAREADER | PrincipalId::DB_DENYDATAWRITER)
}

pub(super) fn is_srvrolemember<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let member = || {
        let master = master(ctx)?;
        let role = master.find_login(&text_argument(args, types, 0)?)?;
        if role.kind != PrincipalKind::Role {
            return None;
        }
        let login = match args.len() {
            1 => {
                let login = ctx.facts.login();
                if !login.counts {
                    return Some(role.id == PrincipalId::SERVER_PUBLIC);
                }
                login.id
            }
            _ => master.find_login(&text_argument(args, types, 1)?)?.id,
        };
        let administrator = login == PrincipalId::SA && role.id == PrincipalId::SYSADMIN;
        Some(administrator || master.server().is_member(login, role.id))
    };
    Ok(optional(member()))
}

/// Securable, its class, permission; a part of the securable and its class.
pub(super) fn has_perms_by_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let has = || {
        let name = text_argument(args, types, 0).filter(|name| !name.is_empty());
        let class = text_argument(args, types, 1);
        let permission = text_argument(args, types, 2)?.to_ascii_uppercase();
        let mut entity = Entity::named(ctx, name.as_deref(), class.as_deref())?;
        if let Some(part) = text_argument(args, types, 3) {
            entity = entity.column(column_of(ctx, &entity, &part)?);
        }
        let permission = permission.trim_end();
        if permission == "ANY" {
            return Some(entity.held(ctx).next().is_some());
        }
        let class = entity.target.class;
        let permission = entity.subject.permissions().find(|p| p.name_on(class) == permission)?;
        Some(entity.holds(ctx, permission))
    };
    Ok(has().map_or(ValueRef::Null, flag))
}

/// A securable that the session asks about, and what it may do to it.
pub(in crate::func) struct Entity {
    /// The database that it is in.
    pub(in crate::func) database: DbId,
    /// What it is.
    pub(in crate::func) target: Securable,
    subject: SecurableKind,
}

impl Entity {
    /// A securable by name and class. Without a name, the server, or the current database; `None`
    /// if there is none that the session sees.
    pub(in crate::func) fn named(
        ctx: &FnContext<'_>,
        name: Option<&str>,
        class: Option<&str>,
    ) -> Option<Entity> {
        use SecurableClass as C;
        let class = class.map_or("SERVER".into(), str::to_ascii_uppercase);
        let current = ctx.facts.current_database();
        let of = |database, class, major, subject| Entity {
            database,
            target: Securable { class, major, minor: 0 },
            subject,
        };
        let Some(name) = name else {
            return match class.trim_end() {
                "" | "SERVER" => Some(of(DbId::MASTER, C::Server, 0, SecurableKind::Server)),
                "DATABASE" => Some(of(current, C::Database, 0, SecurableKind::Database)),
                _ => None,
            };
        };
        Some(match class.trim_end() {
            "DATABASE" => {
                let found = database_named(ctx, Some(name))?.id;
                of(found, C::Database, 0, SecurableKind::Database)
            }
            "OBJECT" => match find_object(ctx, name)? {
                Found::Own(schema, id) => {
                    let kind = schema.object(id)?.kind();
                    of(schema.database(), C::Object, id.0, SecurableKind::Object(kind))
                }
                Found::System(own) => {
                    of(current, C::Object, own.id.0, SecurableKind::Object(own.kind))
                }
            },
            "SCHEMA" => {
                let found = current_schema(ctx)?.find_schema(name)?.id;
                of(current, C::Schema, found.0, SecurableKind::Schema)
            }
            "TYPE" => of(current, C::Type, type_id_of(ctx, name)?.0, SecurableKind::Type),
            class @ ("USER" | "ROLE" | "APPLICATION ROLE") => {
                let schema = current_schema(ctx)?;
                let found = schema.find_principal(name)?;
                let subject = SecurableKind::of_principal(found.kind);
                let is_of_class = match class {
                    "USER" => subject == SecurableKind::User,
                    "ROLE" => subject == SecurableKind::Role,
                    _ => subject == SecurableKind::ApplicationRole,
                };
                is_of_class.then(|| of(current, C::DatabasePrincipal, found.id.0, subject))?
            }
            class @ ("LOGIN" | "SERVER ROLE") => {
                let master = master(ctx)?;
                let found = master.find_login(name)?;
                let subject = SecurableKind::of_login(found.kind);
                let is_of_class = (class == "LOGIN") == (subject == SecurableKind::Login);
                is_of_class.then(|| of(DbId::MASTER, C::ServerPrincipal, found.id.0, subject))?
            }
            _ => return None,
        })
    }

    /// A column of an object.
    pub(in crate::func) fn column(&self, column: ColumnId) -> Entity {
        let target = Securable { minor: column.0, ..self.target };
        Entity { database: self.database, target, subject: SecurableKind::Column }
    }

    /// Whether the session has a permission on it.
    fn holds(&self, ctx: &FnContext<'_>, permission: Permission) -> bool {
        ctx.facts.is_permitted(self.database, self.target, permission)
    }

    /// The permissions that the session has on it.
    pub(in crate::func) fn held(&self, ctx: &FnContext<'_>) -> impl Iterator<Item = Permission> {
        self.subject.permissions().filter(|permission| self.holds(ctx, *permission))
    }
}

/// The id of a column of the object that a permission is asked about.
fn column_of(ctx: &FnContext<'_>, entity: &Entity, name: &str) -> Option<ColumnId> {
    if entity.target.class != SecurableClass::Object {
        return None;
    }
    let schema = ctx.facts.schema(entity.database)?;
    let object = schema.object(base::ids::ObjectId(entity.target.major))?;
    let mut columns = super::columns_of(&object)?.iter();
    columns.find(|c| schema.same_name(&c.name, name)).map(|c| c.id)
}

pub(super) fn loginproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(master) = master(ctx) else { return Ok(ValueRef::Null) };
    let name = text_argument(args, types, 0);
    let Some(login) = name.and_then(|name| master.find_login(&name)) else {
        return Ok(ValueRef::Null);
    };
    let property = text_argument(args, types, 1).unwrap_or_default().to_ascii_lowercase();
    let collation = types.args[0].collation;
    Ok(match property.trim_end() {
        "defaultdatabase" => {
            variant_text(ctx, login.default_database.as_deref().unwrap_or("master"), collation)
        }
        "defaultlanguage" => {
            let language = login.default_language.as_deref().unwrap_or("us_english");
            variant_text(ctx, language, collation)
        }
        "passwordlastsettime" => {
            variant(ctx.arena, &SqlType::datetime(), ValueRef::DateTime(login.modified))
        }
        "ismustchange" => variant_int(ctx, i64::from(login.must_change)),
        "islocked" | "isexpired" | "badpasswordcount" | "historylength" => variant_int(ctx, 0),
        _ => ValueRef::Null,
    })
}
