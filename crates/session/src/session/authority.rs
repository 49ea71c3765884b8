//! What the session's security context may do beyond the database that has vouched for it.
//!
//! A context of `EXECUTE AS USER`, and the session of a contained user, are confined to their
//! database. Outside of it
//!
//! * no permission or role of the server counts, not even those of `public`;
//! * another database admits it as `guest` if that may connect, and otherwise not (916).
//!
//! The confinement is lifted if the database is `TRUSTWORTHY`, which only the server's
//! administrators can make it, and its owner may vouch for users elsewhere: with `AUTHENTICATE
//! SERVER` for what belongs to the server, with `AUTHENTICATE` in another database for that
//! database.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnId, DatabaseDef, LoginDef, Permission, PrincipalDef, PrincipalId, PrincipalKind,
    Securable, SecurableClass,
};
use ir::function::facts::MetadataFacts;

use super::SessionState;
use super::identity::{Confined, RecentUser};
use crate::instance::login::without_login;
use crate::security::{self, DatabaseUser, WHOLE_DATABASE, WHOLE_SERVER};

/// The setting `cross db ownership chaining`.
const CROSS_DATABASE_CHAINING: i32 = 400;

impl SessionState {
    /// The login whose permissions on the server count; `None` in a context that is confined to a
    /// database.
    pub fn server_login(&self) -> Option<&Arc<LoginDef>> {
        match self.identity.confined() {
            Some(confined) if !self.is_trusted_by_server(confined.database) => None,
            _ => Some(self.identity.login()),
        }
    }

    /// Whether the session has a permission on the server or on something that belongs to it.
    pub fn login_may(&self, target: Securable, permission: Permission) -> bool {
        let Some(login) = self.server_login() else { return false };
        let master = self.instance.databases().master().current();
        security::login_may(&master, login.id, target, permission)
    }

    /// Whether the session acts for an administrator of the server.
    pub fn is_sysadmin(&self) -> bool {
        self.is_in_server_role(PrincipalId::SYSADMIN)
    }

    /// Whether the session acts for a member of a server role.
    pub fn is_in_server_role(&self, role: PrincipalId) -> bool {
        let master = self.instance.databases().master().current();
        self.server_login().is_some_and(|login| master.server().is_member(login.id, role))
    }

    /// Whether the session acts for the login that owns a database.
    pub fn is_login_with_sid(&self, sid: &[u8]) -> bool {
        self.server_login().is_some_and(|login| *login.sid == *sid)
    }

    fn is_trusted_by_server(&self, database: DbId) -> bool {
        let Some(owner) = self.trusted_owner(database) else { return false };
        let master = self.instance.databases().master().current();
        security::login_may(&master, owner.id, WHOLE_SERVER, Permission::Authenticate)
    }

    /// Whether a database takes a context for what another database says it is.
    pub(super) fn is_trusted_in(&self, target: DbId, vouching: DbId) -> bool {
        let Some(owner) = self.trusted_owner(vouching) else { return false };
        let Ok(access) = self.access(target) else { return false };
        let master = self.instance.databases().master().current();
        let schema = access.schema();
        let owner = access.with_def(&self.instance, |def| {
            DatabaseUser::for_login(&master, &owner, &schema, &def.owner_sid)
        });
        owner.is_some_and(|owner| owner.may(&schema, WHOLE_DATABASE, Permission::Authenticate))
    }

    /// The owner of a database that is `TRUSTWORTHY`.
    fn trusted_owner(&self, database: DbId) -> Option<Arc<LoginDef>> {
        if self.identity.role().is_some() {
            return None; // elsewhere an application role is `guest`
        }
        let def = self.instance.database_def(database).filter(|def| def.options.trustworthy)?;
        let master = self.instance.databases().master().current();
        master.server().login_with_sid(&def.owner_sid).cloned()
    }

    /// Whether what an object's definition does to another one is permitted by their owners: both
    /// belong to one. Of two databases, both must be part of cross-database chains, and the owners
    /// are compared by their logins.
    pub fn is_chained(&self, from: (DbId, ObjectId), to: (DbId, ObjectId)) -> bool {
        let owner = |(database, object): (DbId, ObjectId)| {
            let class = SecurableClass::Object;
            let target = Securable { class, major: object.0, minor: 0 };
            let schema = self.schema(database).ok()?;
            let owner = security::owner_of(&schema, target)?;
            Some((owner, schema))
        };
        let (Some((one, schema)), Some((other, other_schema))) = (owner(from), owner(to)) else {
            return false;
        };
        if from.0 == to.0 {
            return one == other;
        }
        let sid = |database: DbId, schema: &Schema, owner: PrincipalId| {
            let def = self.instance.database_def(database)?;
            let chains = def.options.db_chaining
                || self.instance.configuration(CROSS_DATABASE_CHAINING) != 0;
            let sid = match owner {
                PrincipalId::DBO => Some(def.owner_sid.clone()),
                _ => schema.principals().get(owner)?.sid.clone(),
            };
            sid.filter(|_| chains)
        };
        let one = sid(from.0, &schema, one);
        one.is_some() && one == sid(to.0, &other_schema, other)
    }

    /// Whether a database is contained.
    pub fn is_contained(&self, database: DbId) -> bool {
        let contained = |def: &DatabaseDef| def.options.contained;
        self.access(database).is_ok_and(|access| access.with_def(&self.instance, contained))
    }

    /// Whether the values of a masked column are shown to the user that a statement runs as.
    pub fn may_unmask(&self, database: DbId, table: ObjectId, column: ColumnId) -> bool {
        let user = match &self.acting {
            Some((of, user)) if *of == database => Ok(user.clone()),
            _ => self.user(database),
        };
        let (Ok(user), Ok(schema)) = (user, self.schema(database)) else { return false };
        let class = SecurableClass::Object;
        let target = Securable { class, major: table.0, minor: column.0 };
        user.may(&schema, target, Permission::Unmask)
    }

    /// The user and the login that `EXECUTE AS` a principal of a database means; `None` if there is
    /// no such principal, or it is none that can act.
    pub fn context_of(
        &mut self,
        database: DbId,
        principal: PrincipalId,
    ) -> SqlResult<Option<(Arc<LoginDef>, Confined)>> {
        let master = self.instance.databases().master().version();
        let key = (database, principal, self.schema_version(database)?, master);
        if let Some(recent) = self.identity.recent().filter(|recent| recent.key == key) {
            let confined = Confined { database, user: Some(recent.user.clone()) };
            return Ok(Some((recent.login.clone(), confined)));
        }
        let schema = self.schema(database)?;
        let Some(found) = schema.principals().get(principal).filter(|found| can_act(found)) else {
            return Ok(None);
        };
        let login = self.login_of(database, found);
        let user = Arc::new(DatabaseUser::of(&schema, found));
        let recent = RecentUser { key, login: login.clone(), user: user.clone() };
        self.identity.keep_recent(recent);
        Ok(Some((login, Confined { database, user: Some(user) })))
    }

    /// The login of a user. A user without one gets a login that has its name and sid and is in no
    /// role.
    fn login_of(&self, database: DbId, user: &PrincipalDef) -> Arc<LoginDef> {
        let master = self.instance.databases().master().current();
        let sid = match user.id {
            PrincipalId::DBO => self.instance.database_def(database).map(|d| d.owner_sid.clone()),
            _ => user.sid.clone(),
        };
        let found = sid.as_deref().and_then(|sid| master.server().login_with_sid(sid));
        found.cloned().unwrap_or_else(|| {
            let original = self.identity.original();
            let sid = sid.unwrap_or_default();
            Arc::new(without_login(original, user, sid))
        })
    }

    /// Whether the session may act as a user of a database, or make it the owner of something.
    pub fn may_act_as(&self, database: DbId, principal: &PrincipalDef) -> SqlResult<bool> {
        let me = self.user(database)?;
        if me.is_owner || me.tokens.contains(&principal.id) {
            return Ok(true);
        }
        let permission = match principal.kind {
            PrincipalKind::Role | PrincipalKind::ApplicationRole => Permission::Alter,
            _ => Permission::Impersonate,
        };
        let class = SecurableClass::DatabasePrincipal;
        let target = Securable { class, major: principal.id.0, minor: 0 };
        Ok(me.may(&*self.schema(database)?, target, permission))
    }
}

/// Whether a session can act as a principal: not as a role, and not as those that only own what the
/// server provides.
fn can_act(principal: &PrincipalDef) -> bool {
    let builtin = [PrincipalId::SYS, PrincipalId::INFORMATION_SCHEMA];
    !principal.kind.is_role() && !builtin.contains(&principal.id)
}

/// Whether the session may see what other sessions do.
pub fn sees_server(facts: &(impl MetadataFacts + ?Sized)) -> bool {
    let server = Securable { class: SecurableClass::Server, major: 0, minor: 0 };
    facts.is_permitted(DbId(1), server, Permission::ViewServerState)
}

/// Error 300: the session lacks `VIEW SERVER STATE`.
pub fn denied_server_state() -> SqlError {
    let permission = Permission::ViewServerState.description();
    SqlError::new(&message::SERVER_PERMISSION_DENIED, &[&permission, &"server", &"master"])
}
