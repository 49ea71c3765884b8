//! `sp_setapprole` and `sp_unsetapprole`.

use std::sync::Arc;

use base::{SqlError, SqlResult, Value, ValueRef, message};
use engine::catalog::def::PrincipalKind;

use super::Arguments;
use crate::context::Context;
use crate::program::ProgramKind;
use crate::security::DatabaseUser;
use crate::session::identity::{ActiveRole, Confined};

const PROCEDURE: &str = "sys.sp_setapprole";

/// Bytes of a cookie.
const COOKIE_LEN: usize = 50;

/// Lets the session act as an application role of its database. Errors 2762, 15002, 15161, 15422,
/// 15431, 15600.
pub fn set(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let Some(name) = arguments.text("@rolename").filter(|name| !name.is_empty()) else {
        return Err(SqlError::new(&message::APPLICATION_ROLE_UNNAMED, &[]));
    };
    match arguments.text("@encrypt").unwrap_or_default().to_ascii_lowercase().as_str() {
        "none" => {}
        "odbc" => return Err(SqlError::new(&message::UNIMPLEMENTED, &[&"@encrypt = 'odbc'"])),
        _ => return Err(SqlError::new(&message::SP_PARAMETER_INVALID, &[&PROCEDURE])),
    }
    if context.session.transaction.count() != 0 {
        return Err(SqlError::new(&message::SP_IN_TRANSACTION, &[&PROCEDURE]));
    }
    if !is_ad_hoc(context) {
        return Err(SqlError::new(&message::APPLICATION_ROLE_AD_HOC, &[]));
    }
    if context.session.identity.role().is_some() {
        return Err(SqlError::new(&message::APPLICATION_ROLE_ACTIVE, &[]));
    }
    let database = context.database();
    let schema = context.schema(database)?;
    let found = schema.find_principal(&name);
    let found = found.filter(|found| found.kind == PrincipalKind::ApplicationRole);
    let password = arguments.text("@password").unwrap_or_default();
    // Takes as long for a role that does not exist as for a wrong password.
    let hash = found.and_then(|role| role.password_hash.as_deref()).unwrap_or_default();
    let right = context.instance().passwords().verify(&password, hash);
    let Some(role) = found.filter(|_| right) else {
        return Err(SqlError::new(&message::APPLICATION_ROLE_REFUSED, &[&name]));
    };
    let user = Arc::new(DatabaseUser::of(&schema, role));
    let cookie: Option<Box<[u8]>> = (arguments.int("@fCreateCookie") == Some(1)).then(|| {
        let mut cookie = [0; COOKIE_LEN];
        context.instance().env().rng().fill(&mut cookie);
        cookie.into()
    });
    if let Some(cookie) = &cookie {
        arguments.set("@cookie", &Value::Bytes(cookie.clone()));
    }
    let confined = Confined { database, user: Some(user) };
    context.session.identity.set_role(Some(ActiveRole { confined, cookie }));
    Ok(0)
}

/// Whether a batch has called the procedure, as the login that opened the session.
fn is_ad_hoc(context: &Context<'_>) -> bool {
    let session = &*context.session;
    let callers = session.levels.iter().rev().skip(1);
    let in_batches = callers.map(|level| level.kind).all(|kind| kind == ProgramKind::Batch);
    in_batches && session.left_for_call.is_empty() && session.identity.top().is_none()
}

/// Ends an application role. Error 15592.
pub fn unset(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let identity = &mut context.session.identity;
    let cookie = identity.role().and_then(|role| role.cookie.as_deref());
    let right = match (cookie, arguments.get("@cookie").0) {
        (Some(cookie), ValueRef::Bytes(given)) => cookie == given,
        _ => false,
    };
    if !right || identity.top().is_some() {
        return Err(SqlError::new(&message::APPLICATION_ROLE_NOT_UNSET, &[]));
    }
    identity.set_role(None);
    Ok(0)
}
