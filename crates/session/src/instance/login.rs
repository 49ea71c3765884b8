//! Logging in: which logins may, and to which database.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    DatabaseDef, DatabaseOptions, LoginDef, PrincipalId, PrincipalKind, UserAccess,
};

use super::Instance;
use super::sessions::SessionEntry;
use crate::security::DatabaseUser;

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
    /// The login.
    pub login: Arc<LoginDef>,
}

/// Why a login was refused. The client gets little of it, the error log everything.
#[derive(Debug)]
pub struct LoginFailure {
    /// What is sent to the client.
    pub error: SqlError,
    /// The state that the log shows: 5 unknown login, 7 and 8 wrong password, 38 and 40 database.
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
    /// Whether this login has this password. Errors 18456, 18470, 18488.
    pub fn authenticate(&self, name: &str, password: &str) -> Result<Authenticated, LoginFailure> {
        let schema = self.databases.master().current();
        let login = schema.find_login(name).filter(|l| l.kind == PrincipalKind::SqlUser);
        let Some(login) = login else {
            // Takes as long as a wrong password.
            self.passwords().verify(password, &[]);
            let reason = "Could not find a login matching the name provided.";
            return Err(LoginFailure::refused(name, 5, reason));
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
        Ok(Authenticated { login: login.clone() })
    }

    /// A login that needs no password, because the client is trusted: `sa`, or another one.
    pub fn trust(&self, name: &str) -> Result<Authenticated, LoginFailure> {
        let schema = self.databases.master().current();
        match schema.find_login(name).filter(|l| l.kind != PrincipalKind::Role && !l.disabled) {
            Some(login) => Ok(Authenticated { login: login.clone() }),
            None => Err(LoginFailure::refused(name, 5, "There is no such login.")),
        }
    }

    /// The login of what the server does on its own behalf: `sa`, under any name, and disabled or
    /// not.
    pub fn own_login(&self) -> Authenticated {
        let master = self.databases.master().current();
        let login = master.server().logins().get(PrincipalId::SA);
        Authenticated { login: login.expect("sa cannot be dropped").clone() }
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
            self.may_use(login, def.id).then_some(def.id)
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
    /// `RESTRICTED_USER` mode only if that admits it.
    pub fn may_use(&self, login: &LoginDef, database: DbId) -> bool {
        let Some(def) = self.database_def(database) else { return false };
        let master = self.databases.master().current();
        let Ok(catalog) = self.databases.catalog(database) else {
            return master.server().is_member(login.id, PrincipalId::SYSADMIN);
        };
        let user = DatabaseUser::for_login(&master, login, &catalog.current(), &def.owner_sid);
        user.is_some_and(|user| admits(&master, &def, login, &user))
    }

    /// Whether a session may stay in a database that is being set to `RESTRICTED_USER`.
    pub fn may_stay(&self, session: &SessionEntry, database: &DatabaseDef) -> bool {
        let login = session.status().login.0;
        let restricted =
            DatabaseOptions { user_access: UserAccess::Restricted, ..database.options.clone() };
        let restricted = DatabaseDef { options: restricted, ..database.clone() };
        let master = self.databases.master().current();
        let (Some(login), Ok(catalog)) =
            (master.server().logins().get(login), self.databases.catalog(database.id))
        else {
            return false;
        };
        let schema = catalog.current();
        let user = DatabaseUser::for_login(&master, login, &schema, &database.owner_sid);
        user.is_some_and(|user| admits(&master, &restricted, login, &user))
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
