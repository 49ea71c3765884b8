//! `ALTER DATABASE … SET`.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, OptionValue, Termination};

use super::{containment, state};
use crate::context::{Context, checkpoint_error};
use crate::ddl::failure::DdlResult;
use crate::ddl::tracking;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The compatibility levels that there are.
const LEVELS: [u8; 7] = [100, 110, 120, 130, 140, 150, 160];

/// Sets options.
pub(super) fn set_all(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    options: &[ast::DatabaseOption],
    termination: Option<Termination>,
) -> DdlResult<()> {
    if options.iter().any(|option| &*option.name == "CHANGE_TRACKING") {
        return tracking::set_database(context, def, options);
    }
    let mut new = def.clone();
    for option in options {
        refuse_for_system(def, &option.name)?;
        check(context, option)?;
        containment::check_option(option, def.options.contained)?;
        set(&mut new.options, option, &def.name)?;
    }
    containment::check_change(context, def, &new.options)?;
    let contained_changes = new.options.contained != def.options.contained;
    // A statement must not find that its rows are versions in the one table and locked in the next.
    // Likewise with what temporary tables, and users, are in the database.
    let alone = contained_changes
        || new.options.read_committed_snapshot != def.options.read_committed_snapshot;
    let (old, access) = (def.options.user_access, new.options.user_access);
    admit(context, def, old, access, alone, termination)?;
    let keeps_log = new.options.recovery_model != RecoveryModel::Simple;
    let put = super::put_database(context, new);
    if put.is_err() {
        state::release(context, def.id, old);
    }
    put?;
    if !keeps_log && def.id != DbId::TEMPDB {
        let broken = context.catalog(def.id)?.database().break_log_chain();
        broken.map_err(|error| checkpoint_error(&error))?;
    }
    context.instance().usage.set_single(def.id, access == UserAccess::Single);
    state::release(context, def.id, access);
    if contained_changes {
        context.instance().plans.forget_database(def.id);
    }
    context.instance().note_database_change();
    context.session.refresh_databases();
    Ok(())
}

/// Sees to it that only sessions that its new mode admits are in a database; no other session at
/// all, if the statement must be `alone` there. Errors 5061, 5064, 5070.
fn admit(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    old: UserAccess,
    new: UserAccess,
    alone: bool,
    termination: Option<Termination>,
) -> DdlResult<()> {
    if new == UserAccess::Single || alone && old != UserAccess::Single {
        return state::clear(context, def, termination, |_| true);
    }
    if old == new {
        return Ok(());
    }
    let instance = context.instance();
    if old == UserAccess::Single {
        if !instance.usage.try_exclusive(def.id, context.session.id()) {
            return Err(SqlError::new(&message::DATABASE_USERS_CONNECTED, &[&def.name]).into());
        }
        instance.usage.release(def.id);
    }
    match new {
        UserAccess::Restricted => {
            state::clear(context, def, termination, |entry| !instance.may_stay(entry, def))
        }
        _ => Ok(()),
    }
}

/// Options that the system databases must keep. Error 5058.
pub(super) fn refuse_for_system(def: &DatabaseDef, option: &str) -> DdlResult<()> {
    let fixed = matches!(
        option,
        "SINGLE_USER" | "RESTRICTED_USER" | "OFFLINE" | "ONLINE" | "EMERGENCY" | "READ_ONLY"
    );
    let always =
        matches!(option, "READ_COMMITTED_SNAPSHOT" | "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT");
    let system = super::is_system(def.id);
    let vouches = matches!(option, "TRUSTWORTHY" | "DB_CHAINING") && def.id != DbId::MSDB;
    if system && (fixed || vouches) || def.id == DbId::TEMPDB && (always || option == "RECOVERY") {
        let args: [Shown; 2] = [&option, &def.name];
        return Err(SqlError::new(&message::OPTION_CANNOT_BE_SET, &args).into());
    }
    Ok(())
}

/// Options by which a database's context counts elsewhere are for administrators. Error 15247.
pub(super) fn check(context: &Context<'_>, option: &ast::DatabaseOption) -> DdlResult<()> {
    let vouches = matches!(&*option.name, "TRUSTWORTHY" | "DB_CHAINING");
    match vouches && !context.login_may(Permission::Control) {
        true => Err(SqlError::new(&message::ONLY_SYSADMIN, &[]).into()),
        false => Ok(()),
    }
}

/// Sets one option. Errors 5008, 5058, 15048.
pub(super) fn set(
    options: &mut DatabaseOptions,
    option: &ast::DatabaseOption,
    database: &str,
) -> DdlResult<()> {
    let done = switch(options, option) || word(options, option)? || number(options, option)?;
    if done {
        return Ok(());
    }
    let cannot = || {
        let args: [Shown; 2] = [&option.name, &database];
        Err(SqlError::new(&message::OPTION_CANNOT_BE_SET, &args).into())
    };
    match &*option.name {
        "OFFLINE" | "ONLINE" | "EMERGENCY" => cannot(),
        // What does not concern this server can be off.
        _ if matches!(option.value, OptionValue::Switch(false)) => Ok(()),
        "ACCELERATED_DATABASE_RECOVERY"
        | "TORN_PAGE_DETECTION"
        | "VARDECIMAL_STORAGE_FORMAT"
        | "MIXED_PAGE_ALLOCATION"
        | "AUTOMATIC_TUNING" => Ok(()),
        "CHANGE_TRACKING" | "ENCRYPTION" | "FILESTREAM" | "HADR" | "PARTNER" | "WITNESS"
        | "QUERY_STORE" => cannot(),
        _ => Err(SqlError::new(&message::ALTER_DATABASE_NOT_SUPPORTED, &[])
            .at_line(option.span.line)
            .into()),
    }
}

/// The options that are on or off.
fn switch(options: &mut DatabaseOptions, option: &ast::DatabaseOption) -> bool {
    let on = match &option.value {
        OptionValue::Switch(on) => *on,
        OptionValue::List(Some(word), _) => &**word == "ON",
        _ => return false,
    };
    if &*option.name == "TEMPORAL_HISTORY_RETENTION" {
        options.history_retention_off = !on;
        return true;
    }
    let target = match &*option.name {
        "ALLOW_SNAPSHOT_ISOLATION" => &mut options.snapshot_isolation,
        "READ_COMMITTED_SNAPSHOT" => &mut options.read_committed_snapshot,
        "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT" => &mut options.elevate_to_snapshot,
        "AUTO_CLOSE" => &mut options.auto_close,
        "AUTO_SHRINK" => &mut options.auto_shrink,
        "AUTO_CREATE_STATISTICS" => &mut options.auto_create_statistics,
        "AUTO_UPDATE_STATISTICS" => &mut options.auto_update_statistics,
        "AUTO_UPDATE_STATISTICS_ASYNC" => &mut options.auto_update_statistics_async,
        "ANSI_NULL_DEFAULT" => &mut options.ansi_null_default,
        "ANSI_NULLS" => &mut options.ansi_nulls,
        "ANSI_PADDING" => &mut options.ansi_padding,
        "ANSI_WARNINGS" => &mut options.ansi_warnings,
        "ARITHABORT" => &mut options.arithabort,
        "CONCAT_NULL_YIELDS_NULL" => &mut options.concat_null_yields_null,
        "NUMERIC_ROUNDABORT" => &mut options.numeric_roundabort,
        "QUOTED_IDENTIFIER" => &mut options.quoted_identifier,
        "RECURSIVE_TRIGGERS" => &mut options.recursive_triggers,
        "CURSOR_CLOSE_ON_COMMIT" => &mut options.cursor_close_on_commit,
        "DATE_CORRELATION_OPTIMIZATION" => &mut options.date_correlation,
        "TRUSTWORTHY" => &mut options.trustworthy,
        "DB_CHAINING" => &mut options.db_chaining,
        "HONOR_BROKER_PRIORITY" => &mut options.honor_broker_priority,
        "QUERY_STORE" => &mut options.query_store,
        _ => return false,
    };
    *target = on;
    true
}

/// The options that are a word.
fn word(options: &mut DatabaseOptions, option: &ast::DatabaseOption) -> DdlResult<bool> {
    let value = match &option.value {
        OptionValue::Word(word) => &**word,
        OptionValue::None => "",
        _ => return Ok(false),
    };
    match (&*option.name, value) {
        ("ONLINE", "") => options.state = DatabaseState::Online,
        ("SINGLE_USER", "") => options.user_access = UserAccess::Single,
        ("RESTRICTED_USER", "") => options.user_access = UserAccess::Restricted,
        ("MULTI_USER", "") => options.user_access = UserAccess::Multi,
        ("READ_ONLY", "") => options.read_only = true,
        ("READ_WRITE", "") => options.read_only = false,
        ("ENABLE_BROKER" | "NEW_BROKER", "") => options.broker_enabled = true,
        ("DISABLE_BROKER" | "ERROR_BROKER_CONVERSATIONS", "") => options.broker_enabled = false,
        ("RECOVERY", "FULL") => options.recovery_model = RecoveryModel::Full,
        ("RECOVERY", "SIMPLE") => options.recovery_model = RecoveryModel::Simple,
        ("RECOVERY", "BULK_LOGGED") => options.recovery_model = RecoveryModel::BulkLogged,
        ("PAGE_VERIFY", "CHECKSUM") => options.page_verify = PageVerify::Checksum,
        ("PAGE_VERIFY", "TORN_PAGE_DETECTION") => options.page_verify = PageVerify::TornPage,
        ("PAGE_VERIFY", "NONE") => options.page_verify = PageVerify::None,
        ("PARAMETERIZATION", "SIMPLE") => options.parameterization_forced = false,
        ("PARAMETERIZATION", "FORCED") => options.parameterization_forced = true,
        ("CURSOR_DEFAULT", "LOCAL") => options.local_cursor_default = true,
        ("CURSOR_DEFAULT", "GLOBAL") => options.local_cursor_default = false,
        ("DELAYED_DURABILITY", "DISABLED") => {
            options.delayed_durability = DelayedDurability::Disabled;
        }
        ("DELAYED_DURABILITY", "ALLOWED") => {
            options.delayed_durability = DelayedDurability::Allowed;
        }
        ("DELAYED_DURABILITY", "FORCED") => options.delayed_durability = DelayedDurability::Forced,
        ("CONTAINMENT", "NONE") => options.contained = false,
        ("CONTAINMENT", "PARTIAL") => options.contained = true,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The options that are a number.
fn number(options: &mut DatabaseOptions, option: &ast::DatabaseOption) -> DdlResult<bool> {
    let OptionValue::Number(number, unit) = &option.value else { return Ok(false) };
    let value: Option<i32> = number.parse().ok();
    match &*option.name {
        "COMPATIBILITY_LEVEL" => {
            let level = value.and_then(|v| u8::try_from(v).ok()).filter(|v| LEVELS.contains(v));
            let Some(level) = level else {
                let list = "100, 110, 120, 130, 140, 150, or 160";
                let text = message::COMPATIBILITY_LEVEL_INVALID.format(&[&list]);
                return Err(SqlError::custom(15048, 16, 1, text).into());
            };
            options.compatibility_level = level;
        }
        "TARGET_RECOVERY_TIME" => {
            let unit = if unit.as_deref() == Some("MINUTES") { 60 } else { 1 };
            let Some(seconds) = value.and_then(|v| v.checked_mul(unit)).filter(|v| *v >= 0) else {
                return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[number]).into());
            };
            options.target_recovery_time_s = seconds;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
