//! SAP ASE's `ALTER DATABASE … ROW STORAGE` and `… IMRSLOG`, and `DISK INIT`.

use base::SqlError;
use base::message;
use engine::catalog::def::*;

use super::{is_system, put_database};
use crate::context::Context;
use crate::ddl::failure::DdlResult;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The row cache limits what row caching of the database takes; without one, nothing but the
/// server's memory does. Errors 1871, 1873, 5058, 5096.
pub(super) fn set(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    cache: Option<&str>,
) -> DdlResult<()> {
    if is_system(def.id) {
        let args: [Shown; 2] = [&"ROW STORAGE", &def.name];
        return Err(SqlError::new(&message::OPTION_CANNOT_BE_SET, &args).into());
    }
    let instance = context.instance();
    let row_cache = match cache {
        Some(name) => Some(usable(context, def, name)?),
        None if def.options.row_cache.is_none() => {
            let text = format!("Database '{}' has no row storage.", def.name);
            context.inform(SqlError::custom(0, 10, 1, text))?;
            return Ok(());
        }
        None => None,
    };
    let options = DatabaseOptions { row_cache, ..def.options.clone() };
    put_database(context, DatabaseDef { options, ..def.clone() })?;
    instance.note_database_change();
    context.session.refresh_databases();
    instance.databases().set_row_caches();
    Ok(())
}

/// The name of a row cache that the database may use.
fn usable(context: &Context<'_>, def: &DatabaseDef, name: &str) -> DdlResult<Name> {
    /// What SAP ASE calls the cache of pages.
    const OF_PAGES: &str = "default data cache";
    let error = |number: i32, text: String| Err(SqlError::custom(number, 16, 1, text).into());
    if name.eq_ignore_ascii_case(OF_PAGES) {
        return error(1873, format!("Cache '{name}' must be of type row_storage."));
    }
    let Some(cache) = context.instance().row_cache(name) else {
        return error(
            1871,
            format!("There is no row cache '{name}'. Use sp_cacheconfig to make it."),
        );
    };
    // One that is gone does not count.
    let other = def.options.row_cache.as_ref().and_then(|own| context.instance().row_cache(own));
    match other {
        Some(other) if other.id != cache.id => error(
            5096,
            format!(
                "Database '{}' has the row cache '{}' already; a database has one.",
                def.name, other.name
            ),
        ),
        _ => Ok(cache.name.clone()),
    }
}

/// There is one log, so no device is used for another.
pub(super) fn imrs_log(context: &mut Context<'_>, def: &DatabaseDef, on: bool) -> DdlResult<()> {
    let text = match on {
        true => format!(
            "Nothing was made: database '{}' has one log, which has the changes of all its tables.",
            def.name
        ),
        false => format!("Nothing was removed: database '{}' has one log.", def.name),
    };
    context.inform(SqlError::custom(0, 10, 1, text))?;
    Ok(())
}

/// A device of type imrslog is not needed.
pub fn disk_init(context: &mut Context<'_>, name: &str) -> DdlResult<()> {
    let text = format!(
        "Device '{name}' was not made: a database has one log, which CREATE DATABASE makes and \
         which grows as it needs."
    );
    context.inform(SqlError::custom(0, 10, 1, text))?;
    Ok(())
}
