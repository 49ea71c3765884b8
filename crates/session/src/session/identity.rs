//! The security context of a session: the login that opened it, and what `EXECUTE AS` has made of
//! that.
//!
//! `EXECUTE AS LOGIN` acts as the login everywhere. `EXECUTE AS USER`, `EXEC ('…') AS USER` and the
//! `EXECUTE AS` clause of a module act as the user in its database alone, because that database's
//! owners decide which users may be impersonated: see [`super::authority`]. So does an application
//! role, which takes the place of the session's user, and so does a contained user, whose password
//! its database has checked.

use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::def::{LoginDef, PrincipalId};

use crate::security::DatabaseUser;

/// Maximum depth of `EXECUTE AS` in one session.
pub const DEPTH_MAX: usize = 32;

/// See the module's header.
pub struct Identity {
    original: Arc<LoginDef>,
    /// The database that has authenticated the session, as a contained user of it.
    contained: Option<Confined>,
    /// The application role that is the session's user where there is no `EXECUTE AS`.
    role: Option<ActiveRole>,
    stack: Vec<Impersonation>,
    /// Changes with the login or user for which the session acts.
    serial: u64,
    /// The user that a module's `EXECUTE AS` meant last, for the next call.
    recent: Option<RecentUser>,
}

/// What `sp_setapprole` has made of a session.
#[derive(Clone)]
pub struct ActiveRole {
    /// The role as a user of its database; elsewhere it is `guest`.
    pub confined: Confined,
    /// What `sp_unsetapprole` takes; `None` if the role stays as long as the session.
    pub cookie: Option<Box<[u8]>>,
}

/// One `EXECUTE AS`.
#[derive(Clone)]
pub struct Impersonation {
    /// The login whose name the session shows. Its permissions on the server count only where
    /// the context is not confined to a database, or that database is trusted.
    pub login: Arc<LoginDef>,
    /// The user of `EXECUTE AS USER` or of a module's clause; `None` after `EXECUTE AS LOGIN`.
    pub confined: Option<Confined>,
    /// The database in which it was executed, where it must be reverted.
    pub database: DbId,
    /// The level in which it was executed: it ends with that.
    pub level: usize,
    /// `WITH COOKIE`, `WITH NO REVERT`.
    pub protection: Protection,
}

/// A security context that one database has vouched for.
#[derive(Clone)]
pub struct Confined {
    /// The database.
    pub database: DbId,
    /// The user in it; `None` for the contained user as which the session logged in, whose rights
    /// are those that it has now.
    pub user: Option<Arc<DatabaseUser>>,
}

/// The user and login of a principal, at one version of its database's schema and of master's.
#[derive(Clone)]
pub struct RecentUser {
    /// The database, the principal in it, and the two versions.
    pub key: (DbId, PrincipalId, u64, u64),
    /// The principal's login.
    pub login: Arc<LoginDef>,
    /// The principal as a user.
    pub user: Arc<DatabaseUser>,
}

/// What reverting takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Protection {
    /// Nothing.
    None,
    /// This cookie.
    Cookie(Box<[u8]>),
    /// It cannot be reverted.
    NoRevert,
    /// It is the clause of a module or of an `EXEC ('…') AS`: it ends with that, and `REVERT`
    /// passes it by.
    Clause,
}

impl Identity {
    /// The identity of a session that has just logged in, as a contained user of a database if one
    /// is given.
    pub fn new(login: Arc<LoginDef>, contained: Option<DbId>) -> Identity {
        Identity {
            original: login,
            contained: contained.map(|database| Confined { database, user: None }),
            role: None,
            stack: Vec::new(),
            serial: 0,
            recent: None,
        }
    }

    /// The database that has authenticated the session, if that was not the server.
    pub fn contained_in(&self) -> Option<DbId> {
        self.contained.as_ref().map(|contained| contained.database)
    }

    /// The login that logged in.
    pub fn original(&self) -> &Arc<LoginDef> {
        &self.original
    }

    /// The login as which the session acts at the server.
    pub fn login(&self) -> &Arc<LoginDef> {
        self.stack.last().map_or(&self.original, |top| &top.login)
    }

    /// The database to which the session's context is confined, and its user there.
    pub fn confined(&self) -> Option<&Confined> {
        match self.stack.last() {
            Some(top) => top.confined.as_ref(),
            None => self.base(),
        }
    }

    /// What confines the session where there is no `EXECUTE AS`.
    fn base(&self) -> Option<&Confined> {
        let role = self.role.as_ref().map(|role| &role.confined);
        role.or(self.contained.as_ref())
    }

    /// The application role that is active.
    pub fn role(&self) -> Option<&ActiveRole> {
        self.role.as_ref()
    }

    /// Activates an application role, or ends that.
    pub fn set_role(&mut self, role: Option<ActiveRole>) {
        self.role = role;
        self.serial += 1;
    }

    /// The context in which the module that runs at a level was called.
    pub fn of_caller(&self, level: usize) -> (Arc<LoginDef>, Option<Confined>) {
        match self.stack.iter().rev().find(|own| own.level < level) {
            Some(own) => (own.login.clone(), own.confined.clone()),
            None => (self.original.clone(), self.base().cloned()),
        }
    }

    /// What a module's `EXECUTE AS` meant last.
    pub fn recent(&self) -> Option<&RecentUser> {
        self.recent.as_ref()
    }

    /// Keeps that.
    pub fn keep_recent(&mut self, recent: RecentUser) {
        self.recent = Some(recent);
    }

    /// Changes with the login or user for which the session acts.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// `EXECUTE AS`. `false` if it is nested too deeply.
    #[must_use]
    pub fn impersonate(&mut self, impersonation: Impersonation) -> bool {
        if self.stack.len() >= DEPTH_MAX {
            return false;
        }
        self.stack.push(impersonation);
        self.serial += 1;
        true
    }

    /// The latest `EXECUTE AS`.
    pub fn top(&self) -> Option<&Impersonation> {
        self.stack.last()
    }

    /// `REVERT`.
    pub fn revert(&mut self) {
        self.stack.pop();
        self.serial += 1;
    }

    /// A level has ended, and with it its `EXECUTE AS`. Returns whether that was a statement.
    pub fn end_level(&mut self, level: usize) -> bool {
        let mut by_statement = false;
        while let Some(top) = self.stack.last().filter(|top| top.level >= level && level > 1) {
            by_statement |= top.protection != Protection::Clause;
            self.revert();
        }
        by_statement
    }

    /// As after the login.
    pub fn reset(&mut self) {
        self.stack.clear();
        self.role = None;
        self.serial += 1;
    }
}
