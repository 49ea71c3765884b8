//! Functions of dates and times. The arithmetic itself is `base::datetime`'s.
//!
//! * `now`: the statement's time; `part`: parts of dates, adding and subtracting them; `build`:
//!   dates from numbers, offsets, ends of months; `zone`: AT TIME ZONE.

mod build;
mod now;
mod part;
mod zone;

use base::datetime::DatePart;
use base::{SqlResult, SqlType, TypeKind, ValueRef};

use super::values::int;
use ir::function::descriptor::DATE_PARTS;
use ir::function::descriptor::ScalarFunction;
use ir::function::signature::Call;

/// Functions of dates and times.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::fact("GETDATE", (0, 0), now::types_of_datetime, now::local).native(),
    ScalarFunction::fact("CURRENT_TIMESTAMP", (0, 0), now::types_of_datetime, now::local).native(),
    ScalarFunction::fact("GETUTCDATE", (0, 0), now::types_of_datetime, now::utc).native(),
    ScalarFunction::fact("SYSDATETIME", (0, 0), now::types_of_datetime2, now::local).native(),
    ScalarFunction::fact("SYSUTCDATETIME", (0, 0), now::types_of_datetime2, now::utc).native(),
    ScalarFunction::fact("SYSDATETIMEOFFSET", (0, 0), now::types_of_offset, now::local).native(),
    ScalarFunction::fact("CURRENT_DATE", (0, 0), now::types_of_date, now::local),
    ScalarFunction::fact("CURRENT_TIMEZONE", (0, 0), now::types_of_zone, now::zone),
    ScalarFunction::fact("CURRENT_TIMEZONE_ID", (0, 0), now::types_of_zone, now::zone_id),
    ScalarFunction::strict("DATEADD", (3, 3), part::types_of_dateadd, part::dateadd)
        .of_date_part()
        .native(),
    ScalarFunction::strict("DATEDIFF", (3, 3), part::types_of_datediff, part::datediff)
        .of_date_part()
        .native(),
    ScalarFunction::strict("DATEDIFF_BIG", (3, 3), part::types_of_datediff_big, part::datediff_big)
        .of_date_part()
        .native(),
    ScalarFunction::strict("DATEPART", (2, 2), part::types_of_datepart, part::datepart)
        .of_date_part()
        .native(),
    ScalarFunction::strict("DATENAME", (2, 2), part::types_of_datename, part::datename)
        .of_date_part()
        .runtime_constant(),
    ScalarFunction::strict("DATETRUNC", (2, 2), part::types_of_datetrunc, part::datetrunc)
        .of_date_part(),
    ScalarFunction::strict("DATE_BUCKET", (3, 4), part::types_of_bucket, part::bucket)
        .of_date_part(),
    ScalarFunction::strict("YEAR", (1, 1), part::types_of_one_part, part::year).native(),
    ScalarFunction::strict("MONTH", (1, 1), part::types_of_one_part, part::month).native(),
    ScalarFunction::strict("DAY", (1, 1), part::types_of_one_part, part::day).native(),
    ScalarFunction::strict("EOMONTH", (1, 2), build::types_of_eomonth, build::eomonth).native(),
    ScalarFunction::strict("DATEFROMPARTS", (3, 3), build::types_of_date, build::date).native(),
    ScalarFunction::strict("DATETIMEFROMPARTS", (7, 7), build::types_of_datetime, build::datetime)
        .native(),
    ScalarFunction::strict(
        "SMALLDATETIMEFROMPARTS",
        (5, 5),
        build::types_of_smalldatetime,
        build::smalldatetime,
    )
    .native(),
    ScalarFunction::strict("TIMEFROMPARTS", (5, 5), build::types_of_time, build::time),
    ScalarFunction::strict(
        "DATETIME2FROMPARTS",
        (8, 8),
        build::types_of_datetime2,
        build::datetime2,
    )
    .native(),
    ScalarFunction::strict(
        "DATETIMEOFFSETFROMPARTS",
        (10, 10),
        build::types_of_datetimeoffset,
        build::datetimeoffset,
    ),
    ScalarFunction::strict(
        "SWITCHOFFSET",
        (2, 2),
        build::types_of_switchoffset,
        build::switchoffset,
    ),
    ScalarFunction::strict(
        "TODATETIMEOFFSET",
        (2, 2),
        build::types_of_todatetimeoffset,
        build::todatetimeoffset,
    ),
    ScalarFunction::strict("ISDATE", (1, 1), build::types_of_isdate, build::isdate)
        .own_nulls()
        .runtime_constant(),
    // What the start of a period is set to.
    ScalarFunction::fact("TRANSACTION TIME", (0, 0), now::types_of_datetime2, now::transaction)
        .native(),
    // `value AT TIME ZONE zone`.
    ScalarFunction::strict("AT TIME ZONE", (2, 2), zone::types_of_zone, zone::at_time_zone)
        .runtime_constant(),
];

/// Functions that only `{fn …}` knows.
pub(super) static ODBC: &[ScalarFunction] = &[
    ScalarFunction::fact("CURDATE", (0, 0), now::types_of_date_text, now::date_text),
    ScalarFunction::fact("CURTIME", (0, 0), now::types_of_time_text, now::time_text),
    ScalarFunction::strict("DAYNAME", (1, 1), part::types_of_one_name, part::day_name)
        .runtime_constant(),
    ScalarFunction::strict("MONTHNAME", (1, 1), part::types_of_one_name, part::month_name)
        .runtime_constant(),
    ScalarFunction::strict("DAYOFWEEK", (1, 1), part::types_of_one_part, part::day_of_week)
        .runtime_constant(),
    ScalarFunction::strict("DAYOFYEAR", (1, 1), part::types_of_one_part, part::day_of_year),
    ScalarFunction::strict("WEEK", (1, 1), part::types_of_one_part, part::week).runtime_constant(),
    ScalarFunction::strict("QUARTER", (1, 1), part::types_of_one_part, part::quarter),
    ScalarFunction::strict("HOUR", (1, 1), part::types_of_one_part, part::hour),
    ScalarFunction::strict("MINUTE", (1, 1), part::types_of_one_part, part::minute),
    ScalarFunction::strict("SECOND", (1, 1), part::types_of_one_part, part::second),
];

/// The date part that an argument stands for.
fn part(value: ValueRef<'_>) -> DatePart {
    DATE_PARTS[int(value) as usize]
}

/// The date part of a call that is being typed.
fn part_of_call(call: &Call<'_>) -> DatePart {
    let code = call.constant_int(0).expect("the binder passes date parts as constants");
    DATE_PARTS[code as usize]
}

/// Whether a part of a date depends on `SET DATEFIRST`.
fn depends_on_first_day(part: DatePart) -> bool {
    matches!(part, DatePart::Week | DatePart::Weekday)
}

/// The date or time type that an argument becomes: its own, that of `text` for strings, `datetime`
/// for numbers. Error 8116 for the bare word NULL unless it `may_be_null`.
fn temporal(call: &Call<'_>, at: usize, text: SqlType, may_be_null: bool) -> SqlResult<SqlType> {
    let arg = &call.args[at];
    match arg.ty.kind {
        _ if arg.bare_null && !may_be_null => Err(call.refuse(at)),
        _ if arg.bare_null => Ok(SqlType::datetime()),
        kind if kind.is_temporal() => Ok(arg.ty),
        kind if kind.is_character() && !kind.is_legacy_lob() => Ok(text),
        kind if kind.is_numeric() || matches!(kind, TypeKind::Binary | TypeKind::VarBinary) => {
            Ok(SqlType::datetime())
        }
        _ => Err(call.refuse(at)),
    }
}

#[cfg(test)]
mod tests;
