//! `ALTER DATABASE … SET CHANGE_TRACKING`.

use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{DatabaseOption, OptionValue};

use super::make_commit_table;
use crate::context::Context;
use crate::ddl::database::{is_system, put_database};
use crate::ddl::failure::DdlResult;
use crate::ddl::within;

type Shown<'a> = &'a dyn std::fmt::Display;

/// What a database has that says nothing else.
const DEFAULT: ChangeTrackingDef =
    ChangeTrackingDef { retention: 2, unit: ChangeRetentionUnit::Days, auto_cleanup: true };

/// Sets `CHANGE_TRACKING` to on, off, or other options. Errors 102, 155, 5088 to 5092, 12839,
/// 22114, 22115.
pub(in crate::ddl) fn set(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    options: &[DatabaseOption],
) -> DdlResult<()> {
    let [option] = options else {
        return Err(SqlError::new(&message::TRACKING_OPTIONS_ALONE, &[]).into());
    };
    let fail = |message, state: u8| {
        let error = SqlError::new(message, &[&def.name]);
        Err(error.with_state(state).into())
    };
    let now = def.options.change_tracking;
    let new = match &option.value {
        OptionValue::Switch(true) => Some(DEFAULT),
        OptionValue::List(Some(word), given) if &**word == "ON" => {
            Some(changed(DEFAULT, given, 2)?)
        }
        OptionValue::Switch(false) => None,
        OptionValue::List(None, given) => Some(changed(now.unwrap_or(DEFAULT), given, 1)?),
        _ => {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&option.name]);
            return Err(error.at_line(option.span.line).into());
        }
    };
    if is_system(def.id) {
        return fail(&message::TRACKING_IN_SYSTEM_DATABASE, 1);
    }
    if def.options.contained && new.is_some() {
        return fail(&message::TRACKING_IN_CONTAINED, 1);
    }
    let only_options = matches!(option.value, OptionValue::List(None, _));
    match (now, new) {
        (None, None) => return fail(&message::DATABASE_TRACKING_NOT_ON, 1),
        (None, Some(_)) if only_options => return fail(&message::DATABASE_TRACKING_NOT_ON, 2),
        (Some(_), Some(_)) if !only_options => {
            return fail(&message::DATABASE_TRACKING_ALREADY_ON, 1);
        }
        (None, Some(_)) => within(context, |context| make_commit_table(context, def.id))?,
        (Some(_), None) => {
            let schema = context.schema(def.id)?;
            if schema.tables().any(|table| table.tracking.is_some()) {
                return fail(&message::TABLES_ARE_TRACKED, 1);
            }
        }
        (Some(_), Some(_)) => {}
    }
    let options = DatabaseOptions { change_tracking: new, ..def.options.clone() };
    put_database(context, DatabaseDef { options, ..def.clone() })?;
    context.instance().note_database_change();
    context.session.refresh_databases();
    Ok(())
}

/// The options with those that are given.
fn changed(
    mut options: ChangeTrackingDef,
    given: &[DatabaseOption],
    twice: u8,
) -> DdlResult<ChangeTrackingDef> {
    for (at, option) in given.iter().enumerate() {
        let line = option.span.line;
        if given[..at].iter().any(|other| other.name == option.name) {
            let error = SqlError::new(&message::TRACKING_OPTION_TWICE, &[&option.name]);
            return Err(error.with_state(twice).at_line(line).into());
        }
        match (&*option.name, &option.value) {
            ("AUTO_CLEANUP", OptionValue::Switch(on)) => options.auto_cleanup = *on,
            ("CHANGE_RETENTION", OptionValue::Number(number, Some(unit))) => {
                let (count, unit) =
                    retention(&option.name, number, unit).map_err(|error| error.at_line(line))?;
                (options.retention, options.unit) = (count, unit);
            }
            _ => {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&option.name]);
                return Err(error.at_line(line).into());
            }
        }
    }
    Ok(options)
}

fn retention(name: &str, number: &str, unit: &str) -> Result<(i32, ChangeRetentionUnit), SqlError> {
    let unit = match unit {
        "DAYS" => ChangeRetentionUnit::Days,
        "HOURS" => ChangeRetentionUnit::Hours,
        "MINUTES" => ChangeRetentionUnit::Minutes,
        _ => {
            let args: [Shown; 2] = [&unit, &"CHANGE RETENTION UNIT"];
            return Err(SqlError::new(&message::UNRECOGNIZED_OPTION, &args));
        }
    };
    let count = number.parse::<i32>().ok().filter(|count| *count > 0);
    count
        .filter(|count| count.checked_mul(minutes(unit)).is_some())
        .map(|count| (count, unit))
        .ok_or_else(|| {
            let args: [Shown; 3] = [&name, &1, &i32::MAX];
            SqlError::new(&message::TRACKING_OPTION_INVALID, &args)
        })
}

/// The minutes of a unit.
pub(super) fn minutes(unit: ChangeRetentionUnit) -> i32 {
    match unit {
        ChangeRetentionUnit::Minutes => 1,
        ChangeRetentionUnit::Hours => 60,
        ChangeRetentionUnit::Days => 24 * 60,
    }
}
