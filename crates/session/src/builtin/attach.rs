//! `sp_detach_db`.

use base::{SqlError, SqlResult, message};

use super::Arguments;
use crate::context::Context;

/// Closes a database and forgets it; its files stay. Statistics that other options of the procedure
/// are about are never out of date.
pub fn detach(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let name = arguments.text("@dbname").unwrap_or_default();
    for parameter in ["@skipchecks", "@keepfulltextindexfile"] {
        let Some(value) = arguments.text(parameter) else { continue };
        if !["true", "false"].iter().any(|known| value.eq_ignore_ascii_case(known)) {
            return Err(SqlError::new(&message::SP_PARAMETER_INVALID, &[&"sys.sp_detach_db"]));
        }
    }
    crate::ddl::detach_database(context, &name)?;
    Ok(0)
}
