//! On whose behalf a session acts: who logged in, and what `EXECUTE AS` has made of that.

use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::def::LoginDef;

use crate::exec::security::DatabaseUser;

/// Maximum depth of `EXECUTE AS` in one session.
const DEPTH_MAX: usize = 32;

/// See the module's header.
pub struct Identity {
    original: Arc<LoginDef>,
    stack: Vec<Impersonation>,
    /// Changes with whom the session acts for.
    serial: u64,
}

/// One `EXECUTE AS`.
#[derive(Clone)]
pub struct Impersonation {
    /// As whom the session goes on at the server.
    pub login: Arc<LoginDef>,
    /// As whom in this one database; in others the login counts.
    pub user: Option<(DbId, Arc<DatabaseUser>, Arc<str>)>,
    /// The database in which it was said, where it must be reverted.
    pub database: DbId,
    /// The level in which it was said: it ends with that.
    pub level: usize,
    /// `WITH COOKIE`, `WITH NO REVERT`.
    pub protection: Protection,
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
}

impl Identity {
    /// Somebody who has logged in.
    pub fn new(login: Arc<LoginDef>) -> Identity {
        Identity { original: login, stack: Vec::new(), serial: 0 }
    }

    /// Who logged in.
    pub fn original(&self) -> &Arc<LoginDef> {
        &self.original
    }

    /// As whom the session acts at the server.
    pub fn login(&self) -> &Arc<LoginDef> {
        self.stack.last().map_or(&self.original, |top| &top.login)
    }

    /// As whom it acts in a database, if `EXECUTE AS USER` says so.
    pub fn user_in(&self, database: DbId) -> Option<&Arc<DatabaseUser>> {
        let (place, user, _) = self.stack.last()?.user.as_ref()?;
        (*place == database).then_some(user)
    }

    /// Changes with whom the session acts for.
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

    /// A level has ended, and with it what was said in it.
    pub fn end_level(&mut self, level: usize) {
        while self.stack.last().is_some_and(|top| top.level >= level && level > 1) {
            self.revert();
        }
    }

    /// As after the login.
    pub fn reset(&mut self) {
        self.stack.clear();
        self.serial += 1;
    }
}
