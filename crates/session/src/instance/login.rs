//! Logging in: which logins may, and to which database.
//!
//! A client that names a contained database, and a user with a password in it, logs in as that
//! user: the database checks the password, and a login of the same name is not asked. Otherwise
//! the server's login of the name counts.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    DatabaseDef, DatabaseOptions, LoginDef, PrincipalDef, PrincipalId, PrincipalKind, Sid,
    UserAccess,
};

use super::sessions::SessionEntry;
use super::{Instance, setting};
use crate::security::{DatabaseUser, is_contained};

/// How passwords are kept. The server brings the implementation; what it hashes, it recognises.
pub trait Passwords: Send + Sync {
    /// What is stored in place of a password.
    fn hash(&self, password: &str) -> Box<[u8]>;

    /// Whether this is the password behind a hash. Takes the same time for every wrong one.
    fn verify(&self, password: &str, hash: &[u8]) -> bool;
}

/// A login that may log in.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// The login, or what stands for one where a contained user logs in: its name and sid, without
    /// any role or permission of the server.
    pub login: Arc<LoginDef>,
    /// The database that has checked the password of its contained user.
    pub contained_in: Option<DbId>,
}

/// Which principal a client claims to be, before its password is checked.
enum Claimed {
    /// A login of the server.
    Login(Arc<LoginDef>),
    /// A contained user of a database.
    User(Arc<DatabaseDef>, Arc<PrincipalDef>),
}

impl Claimed {
    fn password_hash(&self) -> Option<&[u8]> {
        match self {
            Claimed::Login(login) => login.password_hash.as_deref(),
            Claimed::User(_, user) => user.password_hash.as_deref(),
        }
    }
}

/// What stands for the login of a user that has none: it is in no role of the server.
pub(crate) fn without_login(like: &LoginDef, user: &PrincipalDef, sid: Sid) -> LoginDef {
    LoginDef {
        id: PrincipalId::SERVER_PUBLIC,
        name: user.name.clone(),
        kind: PrincipalKind::SqlUser,
        sid,
        default_language: user.default_language.clone(),
        password_hash: None,
        roles: Vec::new(),
        ..like.clone()
    }
}

/// Why a login was refused. The client gets little of it, the error log everything.
#[derive(Debug)]
pub struct LoginFailure {
    /// What is sent to the client.
    pub error: SqlError,
    /// The state that the log shows: 5 unknown login, 7 and 8 wrong password, 65 wrong password of
    /// a contained user, 38 and 40 database.
    pub log_state: u8,
    /// The reason, for the log.
    pub reason: String,
}

impl LoginFailure {
    fn new(error: SqlError, log_state: u8, reason: impl Into<String>) -> LoginFailure {
        LoginFailure { error, log_state, reason: reason.into() }
    }

    fn refused(name: &str, log_state: u8, reason: &str) -> LoginFailure {
        LoginFailure::new(SqlError::new(&message::LOGIN_FAILED, &[&name]), log_state, reason)
    }
}

impl Instance {
    /// The principal that a client means by this name while it asks for this database.
    fn claimed(&self, name: &str, database: &str) -> Option<Claimed> {
        if let Some(user) = self.contained_user(name, database) {
            return Some(user);
        }
        let schema = self.databases.master().current();
        let login = schema.find_login(name).filter(|l| l.kind == PrincipalKind::SqlUser);
        login.map(|login| Claimed::Login(login.clone()))
    }

    fn contained_user(&self, name: &str, database: &str) -> Option<Claimed> {
        if database.is_empty() || self.configuration(setting::CONTAINED_AUTHENTICATION) == 0 {
            return None;
        }
        let def = self.find_database(database).filter(|def| def.options.contained)?;
        let schema = self.databases.catalog(def.id).ok()?.current();
        let user = schema.find_principal(name).filter(|user| is_contained(user))?;
        Some(Claimed::User(def, user.clone()))
    }

    /// The hash of the password that [`Instance::authenticate`] would compare, and whether it is
    /// that of a contained user.
    pub fn password_hash(&self, name: &str, database: &str) -> (Option<Box<[u8]>>, bool) {
        let claimed = self.claimed(name, database);
        let is_user = matches!(claimed, Some(Claimed::User(..)));
        (claimed.and_then(|claimed| claimed.password_hash().map(Box::from)), is_user)
    }

    /// Whether this login, or this contained user of the database that the client asks for, has
    /// this password. Errors 18456, 18470, 18488.
    pub fn authenticate(
        &self,
        name: &str,
        password: &str,
        database: &str,
    ) -> Result<Authenticated, LoginFailure> {
        let claimed = self.claimed(name, database);
        let Some(claimed) = claimed else {
            // Takes as long as a wrong password.
            self.passwords().verify(password, &[]);
            let reason = "Could not find a login matching the name provided.";
            return Err(LoginFailure::refused(name, 5, reason));
        };
        let login = match &claimed {
            Claimed::Login(login) => login,
            Claimed::User(def, user) => return self.authenticate_user(def, user, password),
        };
        let hash = login.password_hash.as_deref().unwrap_or_default();
        let right = self.passwords().verify(password, hash);
        match (right, login.disabled) {
            (true, false) => {}
            (true, true) => {
                let error = SqlError::new(&message::LOGIN_DISABLED, &[&name, &""]);
                return Err(LoginFailure::new(error, 1, "The account is disabled."));
            }
            (false, _) => {
                let reason = "Password did not match that for the login provided.";
                return Err(LoginFailure::refused(name, 8, reason));
            }
        }
        if login.must_change {
            let error = SqlError::new(&message::LOGIN_PASSWORD_CHANGE, &[&name, &""]);
            return Err(LoginFailure::new(error, 18, "The password must be changed."));
        }
        Ok(Authenticated { login: login.clone(), contained_in: None })
    }

    fn authenticate_user(
        &self,
        def: &DatabaseDef,
        user: &PrincipalDef,
        password: &str,
    ) -> Result<Authenticated, LoginFailure> {
        let hash = user.password_hash.as_deref().unwrap_or_default();
        if !self.passwords().verify(password, hash) {
            let reason = format!(
                "Password did not match that for the user provided. [Database: '{}']",
                def.name
            );
            return Err(LoginFailure::refused(&user.name, 65, &reason));
        }
        let sid = user.sid.clone().unwrap_or_default();
        let login = without_login(&self.own_login().login, user, sid);
        Ok(Authenticated { login: Arc::new(login), contained_in: Some(def.id) })
    }

    /// A login that needs no password, because the client is trusted: `sa`, or another one.
    pub fn trust(&self, name: &str) -> Result<Authenticated, LoginFailure> {
        let schema = self.databases.master().current();
        match schema.find_login(name).filter(|l| l.kind != PrincipalKind::Role && !l.disabled) {
            Some(login) => Ok(Authenticated { login: login.clone(), contained_in: None }),
            None => Err(LoginFailure::refused(name, 5, "There is no such login.")),
        }
    }

    /// The login of what the server does on its own behalf: `sa`, under any name, and disabled or
    /// not.
    pub fn own_login(&self) -> Authenticated {
        let master = self.databases.master().current();
        let login = master.server().logins().get(PrincipalId::SA);
        let login = login.expect("sa cannot be dropped").clone();
        Authenticated { login, contained_in: None }
    }

    /// The database that a login starts in: the one that the client asks for, else the login's.
    /// Errors 4060 and 4064; 18456 follows both.
    pub fn login_database(
        &self,
        who: &Authenticated,
        asked: &str,
    ) -> Result<DbId, (SqlError, LoginFailure)> {
        let login = &who.login;
        let open = |name: &str| {
            let def = self.find_database(name)?;
            self.databases.catalog(def.id).ok()?;
            self.may_use(who, def.id).then_some(def.id)
        };
        if !asked.is_empty() {
            return open(asked).ok_or_else(|| {
                let error = SqlError::new(&message::LOGIN_DATABASE_CANNOT_OPEN, &[&asked]);
                let reason = format!("Failed to open the explicitly specified database '{asked}'.");
                (error, LoginFailure::refused(&login.name, 38, &reason))
            });
        }
        let default = login.default_database.as_deref().unwrap_or("master");
        open(default).ok_or_else(|| {
            let error = SqlError::new(&message::USER_DEFAULT_DATABASE, &[]);
            let reason = format!("Failed to open the database '{default}' of the login.");
            (error, LoginFailure::refused(&login.name, 40, &reason))
        })
    }

    /// Whether a login may use a database: as its owner, a user, a guest or an administrator; in
    /// `RESTRICTED_USER` mode only if that admits it. A contained user may use its own.
    fn may_use(&self, who: &Authenticated, database: DbId) -> bool {
        let login = &who.login;
        let Some(def) = self.database_def(database) else { return false };
        let master = self.databases.master().current();
        let Ok(catalog) = self.databases.catalog(database) else {
            return master.server().is_member(login.id, PrincipalId::SYSADMIN);
        };
        let schema = catalog.current();
        let user = match who.contained_in {
            None => DatabaseUser::for_login(&master, login, &schema, &def.owner_sid),
            Some(own) if own == database => DatabaseUser::contained(&schema, &login.sid),
            Some(_) => None,
        };
        user.is_some_and(|user| admits(&master, &def, login, &user))
    }

    /// Whether a session may stay in a database that is being set to `RESTRICTED_USER`.
    pub fn may_stay(&self, session: &SessionEntry, database: &DatabaseDef) -> bool {
        let (login, contained_in) = {
            let status = session.status();
            match status.contained_in {
                None => (status.login.clone(), None),
                Some(own) => (status.original_login.clone(), Some(own)),
            }
        };
        let restricted =
            DatabaseOptions { user_access: UserAccess::Restricted, ..database.options.clone() };
        let restricted = DatabaseDef { options: restricted, ..database.clone() };
        let master = self.databases.master().current();
        let Ok(catalog) = self.databases.catalog(database.id) else { return false };
        let schema = catalog.current();
        let user = match contained_in {
            None => DatabaseUser::for_login(&master, &login, &schema, &database.owner_sid),
            Some(own) if own == database.id => DatabaseUser::contained(&schema, &login.sid),
            Some(_) => DatabaseUser::guest(&schema),
        };
        user.is_some_and(|user| admits(&master, &restricted, &login, &user))
    }
}

/// Whether a database lets one of its users in: in `RESTRICTED_USER` mode only owners of it, and
/// logins that are in `dbcreator` or `sysadmin`.
pub(crate) fn admits(
    master: &Schema,
    database: &DatabaseDef,
    login: &LoginDef,
    user: &DatabaseUser,
) -> bool {
    database.options.user_access != UserAccess::Restricted
        || user.is_owner
        || master.server().is_member(login.id, PrincipalId::DBCREATOR)
}
