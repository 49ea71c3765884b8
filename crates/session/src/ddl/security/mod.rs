//! Principals and permissions.

mod authorization;
mod logins;
mod permissions;
mod users;

use base::{SqlError, message};
use tsql::ast::PrincipalSource;

use super::failure::DdlResult;

pub use authorization::authorization;
pub(super) use authorization::new_owner;
pub use logins::{drop_login, login};
pub use permissions::{is_of_server, permission};
pub use users::{drop_principal, membership, migrate, role, user};

type Shown<'a> = &'a dyn std::fmt::Display;

/// Error 15151: it does not exist, or the session may not see it.
fn not_there(verb: &str, what: &str, name: &str) -> SqlError {
    let args: [Shown; 3] = [&verb, &what, &name];
    SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args)
}

/// Error 15151, since there are no certificates and keys, or 401: nor is there another provider of
/// identities.
fn no_source(source: &PrincipalSource) -> SqlError {
    match source {
        PrincipalSource::ExternalProvider => {
            SqlError::new(&message::UNIMPLEMENTED, &[&"EXTERNAL PROVIDER"])
        }
        PrincipalSource::Certificate(name) => not_there("find", "certificate", &name.name),
        PrincipalSource::AsymmetricKey(name) => not_there("find", "asymmetric key", &name.name),
    }
}

/// Error 15247: the session lacks the permission.
fn not_permitted<T>() -> DdlResult<T> {
    Err(SqlError::new(&message::ONLY_SYSADMIN, &[]).into())
}
