//! What a login or user is permitted.
//!
//! A permission is held if none of the user, its roles and `public` is denied it, and one of them
//! has it: on the thing itself, on what contains it, or by a stronger permission. Owners and
//! administrators hold all.

use base::ids::ObjectId;
use base::{SqlError, message};
use engine::catalog::def::{
    Authentication, ColumnId, LoginDef, ObjectKind, Permission, PermissionState, PrincipalDef,
    PrincipalId, SchemaId, Securable, SecurableClass,
};
use engine::catalog::{Object, Schema};
use smallvec::SmallVec;

/// A user in a database, with everything that counts for permissions.
#[derive(Clone, Debug)]
pub struct DatabaseUser {
    /// The user.
    pub id: PrincipalId,
    /// The user, its roles and `public`.
    pub tokens: SmallVec<[PrincipalId; 4]>,
    /// Whether it is `dbo` or in `db_owner`: everything is permitted.
    pub is_owner: bool,
    /// The schema in which its unqualified names are looked up first.
    pub default_schema: SchemaId,
}

/// The database itself, as the target of a permission.
pub const WHOLE_DATABASE: Securable =
    Securable { class: SecurableClass::Database, major: 0, minor: 0 };
/// The server, as the target of a permission.
pub const WHOLE_SERVER: Securable = Securable { class: SecurableClass::Server, major: 0, minor: 0 };

/// Whether a user logs in with a password of its own.
pub fn is_contained(user: &PrincipalDef) -> bool {
    user.authentication == Authentication::Database
}

/// Whether `guest` may connect to a database.
pub fn guest_enabled(schema: &Schema) -> bool {
    schema.permission_set(WHOLE_DATABASE, PrincipalId::GUEST).is_some_and(|set| {
        set.grants
            .iter()
            .any(|g| g.permission == Permission::Connect && g.state != PermissionState::Deny)
    })
}

impl DatabaseUser {
    /// `dbo`, as which a server's administrator and a database's owner act.
    pub fn dbo() -> DatabaseUser {
        DatabaseUser {
            id: PrincipalId::DBO,
            tokens: SmallVec::from_slice(&[PrincipalId::DBO, PrincipalId::PUBLIC]),
            is_owner: true,
            default_schema: SchemaId::DBO,
        }
    }

    /// A user of a database.
    pub fn of(schema: &Schema, user: &PrincipalDef) -> DatabaseUser {
        let mut tokens = SmallVec::from_slice(&[user.id]);
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            let roles = schema.principals().get(token).map(|p| p.roles.clone());
            for role in roles.unwrap_or_default() {
                if !tokens.contains(&role) {
                    tokens.push(role);
                }
            }
            at += 1;
        }
        tokens.push(PrincipalId::PUBLIC);
        let is_owner = user.id == PrincipalId::DBO || tokens.contains(&PrincipalId::DB_OWNER);
        DatabaseUser { id: user.id, tokens, is_owner, default_schema: schema.default_schema(user) }
    }

    /// The user that a login is in a database; `None` if the login may not use it.
    pub fn for_login(
        master: &Schema,
        login: &LoginDef,
        schema: &Schema,
        owner_sid: &[u8],
    ) -> Option<DatabaseUser> {
        if master.server().is_member(login.id, PrincipalId::SYSADMIN) || *login.sid == *owner_sid {
            return Some(DatabaseUser::dbo());
        }
        if let Some(user) = schema.user_with_sid(&login.sid) {
            let user = DatabaseUser::of(schema, user);
            return user.may(schema, WHOLE_DATABASE, Permission::Connect).then_some(user);
        }
        DatabaseUser::guest(schema)
    }

    /// The contained user with this sid; `None` if there is none any more, or it may not connect.
    pub fn contained(schema: &Schema, sid: &[u8]) -> Option<DatabaseUser> {
        let mut all = schema.principals().iter();
        let user = all.find(|p| is_contained(p) && p.sid.as_deref() == Some(sid))?;
        let user = DatabaseUser::of(schema, user);
        user.may(schema, WHOLE_DATABASE, Permission::Connect).then_some(user)
    }

    /// `guest`, if it may connect.
    pub fn guest(schema: &Schema) -> Option<DatabaseUser> {
        let guest = schema.principals().get(PrincipalId::GUEST)?;
        guest_enabled(schema).then(|| DatabaseUser::of(schema, guest))
    }

    /// Whether the user has a permission.
    pub fn may(&self, schema: &Schema, target: Securable, permission: Permission) -> bool {
        if self.is_owner || self.owns(schema, target) {
            return true;
        }
        let of_column = match target.minor {
            0 => ColumnGrants::default(),
            _ => ColumnGrants::of(self, schema, target, permission),
        };
        let whole = Securable { minor: 0, ..target };
        let mut granted = of_column.granted;
        if of_column.denied {
            return false;
        }
        for place in enclosing(schema, whole) {
            let is_whole = place == whole;
            for &token in &self.tokens {
                let Some(set) = schema.permission_set(place, token) else { continue };
                let revoked = is_whole && of_column.revoked.contains(&token);
                for grant in &set.grants {
                    if !covers(grant.permission, permission) {
                        continue;
                    }
                    let same = grant.permission == permission;
                    match grant.state {
                        // A column that is granted stays so when its table is denied.
                        PermissionState::Deny if is_whole && same && of_column.granted => {}
                        PermissionState::Deny
                            if same || grant.permission == Permission::Control =>
                        {
                            return false;
                        }
                        PermissionState::Deny | PermissionState::Revoke => {}
                        PermissionState::Grant | PermissionState::GrantWithGrant => {
                            granted |= !(revoked && same);
                        }
                    }
                }
            }
        }
        let is_data = target.class == SecurableClass::Object;
        for &token in &self.tokens {
            match fixed_role(token, permission, is_data) {
                Some(false) => return false,
                Some(true) => granted = true,
                None => {}
            }
        }
        granted
    }

    /// Whether the user may do something to an object, or to these columns of it; without columns,
    /// to the object or to any column.
    pub fn may_use(
        &self,
        schema: &Schema,
        object: ObjectId,
        permission: Permission,
        columns: &[ColumnId],
    ) -> Result<(), Denied> {
        let class = SecurableClass::Object;
        let target = |minor| Securable { class, major: object.0, minor };
        let mut on_columns = schema.permissions_on(class, object.0).filter(|set| {
            set.target.minor != 0
                && self.tokens.contains(&set.grantee)
                && set.grants.iter().any(|grant| grant.permission == permission)
        });
        let Some(first) = on_columns.next() else {
            return match self.may(schema, target(0), permission) {
                true => Ok(()),
                false => Err(Denied::Object),
            };
        };
        if columns.is_empty() {
            let mut places = std::iter::once(first).chain(on_columns).map(|set| set.target);
            let any = self.may(schema, target(0), permission)
                || places.any(|place| self.may(schema, place, permission));
            return if any { Ok(()) } else { Err(Denied::Object) };
        }
        let denied = columns.iter().find(|column| !self.may(schema, target(column.0), permission));
        denied.map_or(Ok(()), |column| Err(Denied::Column(*column)))
    }

    /// Whether the user sees that there is an object: as its owner, or having any permission on it
    /// or on a column of it.
    pub fn sees(&self, schema: &Schema, object: base::ids::ObjectId) -> bool {
        use Permission as P;
        const ANY: [Permission; 5] =
            [P::ViewDefinition, P::Alter, P::Control, P::References, P::Execute];
        const ON_DATA: [Permission; 4] = [P::Select, P::Insert, P::Update, P::Delete];
        // What reads or writes data is nothing that one may do to a procedure.
        let is_code = schema.module(object).is_some_and(|module| {
            matches!(module.object_kind(), ObjectKind::Procedure | ObjectKind::ScalarFunction)
        });
        let on_data = if is_code { &[][..] } else { &ON_DATA };
        let target = Securable { class: SecurableClass::Object, major: object.0, minor: 0 };
        let on_column = || {
            schema.permissions_on(SecurableClass::Object, object.0).any(|set| {
                let gives = |state| {
                    matches!(state, PermissionState::Grant | PermissionState::GrantWithGrant)
                };
                self.tokens.contains(&set.grantee) && set.grants.iter().any(|g| gives(g.state))
            })
        };
        let mut all = ANY.iter().chain(on_data);
        all.any(|permission| self.may(schema, target, *permission)) || on_column()
    }

    /// Whether the user, or a role of it, owns an object or schema.
    pub fn owns(&self, schema: &Schema, target: Securable) -> bool {
        owner_of(schema, target).is_some_and(|owner| self.tokens.contains(&owner))
    }
}

/// The owner of an object, schema or type.
pub fn owner_of(schema: &Schema, target: Securable) -> Option<PrincipalId> {
    let schema_owner = |id: SchemaId| schema.schemas().get(id).map(|s| s.owner);
    match target.class {
        SecurableClass::Object => {
            let object = schema.object(base::ids::ObjectId(target.major))?;
            let own = match object {
                engine::catalog::Object::Constraint { table, .. } => table.header.owner,
                _ => schema.object_def(object.id()).and_then(|d| d.header().owner),
            };
            own.or_else(|| schema_owner(object.schema()))
        }
        SecurableClass::Schema => schema_owner(SchemaId(target.major)),
        SecurableClass::Type => {
            let def = schema.types().get(engine::catalog::def::UserTypeId(target.major))?;
            def.owner.or_else(|| schema_owner(def.schema))
        }
        SecurableClass::XmlCollection => {
            let def = schema
                .xml_collections()
                .get(engine::catalog::def::XmlCollectionId(target.major))?;
            def.owner.or_else(|| schema_owner(def.schema))
        }
        SecurableClass::DatabasePrincipal => {
            schema.principals().get(PrincipalId(target.major)).and_then(|p| p.owner)
        }
        _ => None,
    }
}

/// A thing and what contains it, smallest first.
fn enclosing(schema: &Schema, target: Securable) -> SmallVec<[Securable; 4]> {
    let mut places = SmallVec::from_slice(&[target]);
    let container = match target.class {
        SecurableClass::Object => {
            schema.object(base::ids::ObjectId(target.major)).map(|o| o.schema())
        }
        SecurableClass::Type => {
            let def = schema.types().get(engine::catalog::def::UserTypeId(target.major));
            def.map(|d| d.schema)
        }
        SecurableClass::XmlCollection => {
            let def =
                schema.xml_collections().get(engine::catalog::def::XmlCollectionId(target.major));
            def.map(|d| d.schema)
        }
        _ => None,
    };
    if let Some(id) = container {
        places.push(Securable { class: SecurableClass::Schema, major: id.0, minor: 0 });
    }
    if target != WHOLE_DATABASE {
        places.push(WHOLE_DATABASE);
    }
    places
}

/// Whether holding one permission means holding the other.
fn covers(held: Permission, wanted: Permission) -> bool {
    use Permission as P;
    held == wanted
        || match held {
            P::Control => true,
            P::Alter => matches!(
                wanted,
                P::ViewDefinition
                    | P::CreateTable
                    | P::CreateView
                    | P::CreateProcedure
                    | P::CreateFunction
                    | P::CreateType
                    | P::CreateXmlSchemaCollection
                    | P::CreateSynonym
                    | P::CreateSequence
                    | P::CreateSchema
                    | P::CreateRole
                    | P::CreateDefault
                    | P::CreateRule
                    | P::AlterAnyDatabaseDdlTrigger
                    | P::AlterAnyUser
                    | P::AlterAnyApplicationRole
                    | P::AlterAnyRole
                    | P::AlterAnySchema
            ),
            P::AlterAnySchema => matches!(wanted, P::CreateSchema | P::Alter),
            P::AlterAnyRole => wanted == P::CreateRole,
            _ => false,
        }
}

/// What membership in a fixed role of a database gives or denies.
fn fixed_role(role: PrincipalId, permission: Permission, is_data: bool) -> Option<bool> {
    use Permission as P;
    let reads = is_data && permission == P::Select;
    let writes = is_data && matches!(permission, P::Insert | P::Update | P::Delete);
    let creates = matches!(
        permission,
        P::Alter
            | P::AlterAnyDatabaseDdlTrigger
            | P::AlterAnySchema
            | P::CreateRule
            | P::CreateTable
            | P::CreateView
            | P::CreateProcedure
            | P::CreateFunction
            | P::CreateType
            | P::CreateXmlSchemaCollection
            | P::CreateSynonym
            | P::CreateSequence
            | P::CreateSchema
            | P::CreateDefault
            | P::References
            | P::ViewDefinition
    );
    match role {
        PrincipalId::DB_DATAREADER if reads => Some(true),
        PrincipalId::DB_DATAWRITER if writes => Some(true),
        PrincipalId::DB_DENYDATAREADER if reads => Some(false),
        PrincipalId::DB_DENYDATAWRITER if writes => Some(false),
        PrincipalId::DB_DDLADMIN if creates => Some(true),
        PrincipalId::DB_ACCESSADMIN if matches!(permission, P::AlterAnyUser | P::Connect) => {
            Some(true)
        }
        PrincipalId::DB_SECURITYADMIN
            if matches!(
                permission,
                P::AlterAnyRole | P::AlterAnyApplicationRole | P::CreateRole | P::ViewDefinition
            ) =>
        {
            Some(true)
        }
        PrincipalId::DB_BACKUPOPERATOR
            if matches!(permission, P::BackupDatabase | P::BackupLog | P::Checkpoint) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// Whether a login has a permission on the server or on a thing of it.
pub fn login_may(
    master: &Schema,
    login: PrincipalId,
    target: Securable,
    permission: Permission,
) -> bool {
    let server = master.server();
    if server.is_member(login, PrincipalId::SYSADMIN) {
        return true;
    }
    let mut tokens: SmallVec<[PrincipalId; 4]> = SmallVec::from_slice(&[login]);
    let roles = server.logins().iter().filter(|l| server.is_member(login, l.id));
    tokens.extend(roles.map(|l| l.id));
    tokens.push(PrincipalId::SERVER_PUBLIC);
    let mut granted = false;
    for place in [target, WHOLE_SERVER] {
        for &token in &tokens {
            let Some(set) = server.permission_set(place, token) else { continue };
            for grant in set.grants.iter().filter(|g| covers(g.permission, permission)) {
                match grant.state {
                    PermissionState::Deny => return false,
                    PermissionState::Revoke => {}
                    PermissionState::Grant | PermissionState::GrantWithGrant => granted = true,
                }
            }
        }
    }
    granted || tokens.iter().any(|token| server_role_gives(*token, permission))
}

/// The fixed roles of the server but `sysadmin`: 4 securityadmin, 5 serveradmin, 6 setupadmin,
/// 7 processadmin, 8 diskadmin, 9 dbcreator, 10 bulkadmin.
fn server_role_gives(role: PrincipalId, permission: Permission) -> bool {
    use Permission as P;
    match role.0 {
        4 => permission == P::AlterAnyLogin,
        5 => matches!(
            permission,
            P::AlterSettings | P::Shutdown | P::AlterServerState | P::ViewServerState
        ),
        7 => matches!(permission, P::AlterAnyConnection | P::ViewServerState),
        9 => matches!(permission, P::CreateAnyDatabase | P::AlterAnyDatabase),
        10 => permission == P::AdministerBulkOperations,
        _ => false,
    }
}

/// What of an object a user lacks a permission on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denied {
    /// The object.
    Object,
    /// A column.
    Column(ColumnId),
}

impl Denied {
    /// The error about the missing permission: 229, or 230 for a column.
    pub fn error(
        self,
        schema: &Schema,
        database: &str,
        object: ObjectId,
        permission: Permission,
    ) -> SqlError {
        let Denied::Column(id) = self else { return denied(schema, database, object, permission) };
        let found = schema.object(object);
        let columns = match found {
            Some(Object::Table(table)) => &*table.columns,
            Some(Object::Module(module)) => module.columns().unwrap_or_default(),
            _ => &[],
        };
        let column = columns.iter().find(|c| c.id == id).map_or("", |c| &c.name);
        let name = found.map_or("", |o| o.name());
        let place = found.and_then(|o| schema.schemas().get(o.schema()));
        let place = place.map_or("", |s| &s.name);
        let args: [&dyn std::fmt::Display; 5] =
            [&permission.description(), &column, &name, &database, &place];
        SqlError::new(&message::COLUMN_PERMISSION_DENIED, &args)
    }
}

/// The permissions on a column itself.
#[derive(Default)]
struct ColumnGrants {
    granted: bool,
    denied: bool,
    /// The principals for which a grant on the table does not count.
    revoked: SmallVec<[PrincipalId; 4]>,
}

impl ColumnGrants {
    fn of(
        user: &DatabaseUser,
        schema: &Schema,
        column: Securable,
        permission: Permission,
    ) -> ColumnGrants {
        let mut grants = ColumnGrants::default();
        for &token in &user.tokens {
            let Some(set) = schema.permission_set(column, token) else { continue };
            for grant in set.grants.iter().filter(|grant| grant.permission == permission) {
                match grant.state {
                    PermissionState::Deny => grants.denied = true,
                    PermissionState::Revoke => grants.revoked.push(token),
                    PermissionState::Grant | PermissionState::GrantWithGrant => {
                        grants.granted = true;
                    }
                }
            }
        }
        grants
    }
}

/// Error 229: a user lacks a permission on an object.
pub fn denied(
    schema: &Schema,
    database: &str,
    object: base::ids::ObjectId,
    permission: Permission,
) -> SqlError {
    let found = schema.object(object);
    let name = found.map_or("", |o| o.name());
    let place = found.and_then(|o| schema.schemas().get(o.schema()));
    let place = place.map_or("", |s| &s.name);
    let args: [&dyn std::fmt::Display; 4] = [&permission.description(), &name, &database, &place];
    SqlError::new(&message::OBJECT_PERMISSION_DENIED, &args)
}

#[cfg(test)]
mod tests;
