//! `EXECUTE AS`, `EXEC ('…') AS` and `REVERT`.

use std::sync::Arc;

use base::{SqlError, SqlResult, Value, message};
use engine::catalog::def::{LoginDef, Permission, PrincipalKind, Securable, SecurableClass};
use run::interp::Frame;
use tsql::ast;

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::program::{Program, Step};
use crate::session::identity::{Confined, DEPTH_MAX, Impersonation, Protection};

/// Bytes of a cookie.
const COOKIE_LEN: usize = 100;

impl Context<'_> {
    /// `EXECUTE AS`. Errors 15406, 15517, 15159, 15590.
    pub(crate) fn execute_as(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        execute: &ast::ExecuteAsStatement,
        frame: &mut Frame,
    ) -> Run<()> {
        let protected = execute.no_revert || execute.cookie.is_some();
        if protected && self.session.level().kind.is_module() {
            return Err(SqlError::new(&message::EXECUTE_AS_AD_HOC, &[]).into());
        }
        let level = self.session.levels.len();
        let (login, confined) = match &execute.principal {
            ast::ExecuteAsPrincipal::Caller if self.session.level().module.is_none() => {
                return Ok(());
            }
            ast::ExecuteAsPrincipal::Caller => self.session.identity.of_caller(level),
            ast::ExecuteAsPrincipal::Login(name) => {
                let name = self.text(program, step, frame, name)?.unwrap_or_default();
                (self.impersonated_login(&name)?, None)
            }
            ast::ExecuteAsPrincipal::User(name) => {
                let name = self.text(program, step, frame, name)?.unwrap_or_default();
                let (login, confined) = self.impersonated_user(&name)?;
                (login, Some(confined))
            }
        };
        let protection = match (&execute.cookie, execute.no_revert) {
            (Some(_), _) => {
                let mut cookie = vec![0; COOKIE_LEN];
                self.session.instance.env().rng().fill(&mut cookie);
                Protection::Cookie(cookie.into())
            }
            (None, true) => Protection::NoRevert,
            (None, false) => Protection::None,
        };
        if let (Some(variable), Protection::Cookie(cookie)) = (&execute.cookie, &protection) {
            let (id, _) = program.variables.find_scalar(&variable.name, step.declared)?;
            frame.set_owned(id, &Value::Bytes(cookie.clone()));
        }
        let database = self.session.database;
        self.impersonate(Impersonation { login, confined, database, level, protection })?;
        self.tell_login();
        Ok(())
    }

    /// Runs a function as another login or user: `EXEC ('…') AS`.
    pub(super) fn as_principal<T>(
        &mut self,
        principal: Option<&ast::TextPrincipal>,
        run: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        let Some(principal) = principal else { return run(self) };
        let (login, confined) = match principal {
            ast::TextPrincipal::Login(name) => (self.impersonated_login(name)?, None),
            ast::TextPrincipal::User(name) => {
                let (login, confined) = self.impersonated_user(name)?;
                (login, Some(confined))
            }
        };
        self.impersonate(Impersonation {
            login,
            confined,
            database: self.session.database,
            level: self.session.levels.len(),
            protection: Protection::Clause,
        })?;
        self.tell_login();
        let result = run(self);
        self.session.identity.revert();
        self.tell_login();
        result
    }

    /// Changes the session's security context. Error 15159.
    pub(super) fn impersonate(&mut self, impersonation: Impersonation) -> SqlResult<()> {
        if !self.session.identity.impersonate(impersonation) {
            return Err(SqlError::new(&message::IMPERSONATION_TOO_DEEP, &[&DEPTH_MAX]));
        }
        Ok(())
    }

    /// A login that the session may be. Error 15406.
    pub(crate) fn impersonated_login(&self, name: &str) -> SqlResult<Arc<LoginDef>> {
        let master = self.session.instance.databases().master().current();
        let own = self.session.server_login().map(|login| login.id);
        let found = master.find_login(name).filter(|login| {
            let class = SecurableClass::ServerPrincipal;
            let target = Securable { class, major: login.id.0, minor: 0 };
            login.kind != PrincipalKind::Role
                && (own == Some(login.id)
                    || self.session.login_may(target, Permission::Impersonate))
        });
        found.cloned().ok_or_else(|| SqlError::new(&message::LOGIN_CANNOT_EXECUTE_AS, &[&name]))
    }

    fn impersonated_user(&mut self, name: &str) -> SqlResult<(Arc<LoginDef>, Confined)> {
        let database = self.session.database;
        let schema = self.schema(database)?;
        let found = match schema.find_principal(name) {
            Some(user) if self.session.may_act_as(database, user)? => {
                self.session.context_of(database, user.id)?
            }
            _ => None,
        };
        found.ok_or_else(|| SqlError::new(&message::PRINCIPAL_CANNOT_EXECUTE_AS, &[&name]))
    }

    /// `REVERT`. Errors 15196, 15199, 15591, which end the batch.
    pub(crate) fn revert(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        cookie: Option<&ast::Expr>,
        frame: &mut Frame,
    ) -> Run<()> {
        let given = match cookie {
            Some(cookie) => Some(self.value_of(program, step, frame, cookie, None)?.0),
            None => None,
        };
        let level = self.session.levels.len();
        let top = self.session.identity.top();
        let own = |top: &&Impersonation| top.level == level && top.protection != Protection::Clause;
        let Some(top) = top.filter(own) else {
            return Ok(());
        };
        if top.database != self.session.database {
            let error = SqlError::new(&message::REVERT_WRONG_DATABASE, &[&"Execute As"]);
            return Err(Fault::new(error, Effect::Batch));
        }
        let right = match (&top.protection, &given) {
            (Protection::None, None) => true,
            (Protection::Cookie(cookie), Some(Value::Bytes(given))) => cookie == given,
            _ => false,
        };
        if !right {
            let why = match top.protection {
                Protection::NoRevert => &message::NOT_REVERTIBLE,
                _ => &message::NOT_REVERTED_BY_THIS,
            };
            return Err(Fault::new(SqlError::new(why, &[]), Effect::Batch));
        }
        self.session.identity.revert();
        self.tell_login();
        Ok(())
    }

    /// Lets other sessions see the login for which the session acts.
    pub(super) fn tell_login(&mut self) {
        self.session.entry.status().login = self.session.identity.login().clone();
    }
}
