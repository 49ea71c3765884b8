//! FORMAT: numbers and dates by the format strings of the .NET Framework, of which this speaks the
//! standard and the custom ones.
//!
//! A format that does not exist, or does not fit the value, gives NULL.

mod moment;
mod number;

use base::datetime::Moment;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::{FnContext, SessionFacts};
use ir::function::signature::Call;

use super::culture::Culture;
use crate::func::values::{optional_string, text};

pub(super) fn types_of_format(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = call.args[0].ty;
    let kind = ty.kind;
    if call.args[0].bare_null || !(kind.is_numeric() && kind != TypeKind::Bit || kind.is_temporal())
    {
        return Err(call.refuse(0));
    }
    let mut types = vec![ty, call.unicode(1, 4000)?];
    if call.args.len() == 3 {
        types.push(call.unicode(2, 128)?);
    }
    Ok(call.types(SqlType::nvarchar(4000, call.collation), &types))
}

/// Error 9818 for a culture that is not known; without one, the session's language decides.
pub(super) fn format<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let culture = match args.get(2) {
        None => Culture::of(ctx.facts.dates().language),
        Some(name) => {
            let name = text(*name, types.args[2].collation);
            Culture::by_name(name.trim())
                .ok_or_else(|| SqlError::new(&message::CULTURE_NOT_SUPPORTED, &[&name]))?
        }
    };
    let pattern = text(args[1], types.args[1].collation);
    let ty = &types.args[0];
    let result = match ty.kind {
        TypeKind::Time => moment::format_time(args[0], &pattern, culture),
        kind if kind.is_temporal() => {
            moment::format(args[0], kind, &pattern, culture, &ServerZone(ctx.facts))
        }
        _ => number::format(args[0], ty, &pattern, culture),
    };
    Ok(optional_string(ctx.arena, result.as_deref(), &types.result))
}

/// The time zone of the server, in which .NET takes times without an offset to be.
struct ServerZone<'f>(&'f dyn SessionFacts);

impl ServerZone<'_> {
    /// A local time with its offset; that of the moment where the zone is not known.
    fn with_offset(&self, local: Moment) -> Moment {
        let offset = match self.0.zone() {
            Some(zone) => zone.instant_of(local.total()).minutes,
            None => self.0.time().offset_minutes,
        };
        Moment { offset, ..local }
    }
}

#[cfg(test)]
mod tests;
