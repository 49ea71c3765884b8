//! Procedures that change the session.

use base::text::identifier::fold_identifier;
use base::value::Variant;
use base::variant::content;
use base::{SqlError, SqlResult, message};

use super::Arguments;
use crate::context::Context;

/// How long a key may be, in UTF-16 units.
const KEY_UNITS_MAX: usize = 128;

/// `sp_set_session_context`. Errors 15661, 15664.
pub fn set_context(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let key = arguments.text("@key").unwrap_or_default();
    if key.is_empty() || key.encode_utf16().count() > KEY_UNITS_MAX {
        return Err(SqlError::new(&message::CONTEXT_KEY_INVALID, &[]));
    }
    let read_only = arguments.int("@read_only") == Some(1);
    let folded: Box<str> = fold_identifier(&key).into();
    let values = &mut context.session.session_context;
    if values.get(&folded).is_some_and(|(_, fixed)| *fixed) {
        return Err(SqlError::new(&message::CONTEXT_KEY_READ_ONLY, &[&key]));
    }
    let value = content(arguments.get("@value").0);
    let value = value.map(|(ty, value)| Variant { ty, value: value.to_owned() });
    match value {
        Some(value) => drop(values.insert(folded, (value, read_only))),
        None => drop(values.remove(&folded)),
    }
    Ok(0)
}
