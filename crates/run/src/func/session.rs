//! What a session knows of itself: the last error, counts, identities, options, and most of the
//! `@@` functions.

use base::variant::encode_variant;
use base::{SqlError, SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::{CursorScope, FnContext, Settings};
use ir::function::signature::Call;

use super::values::{
    optional, optional_int, optional_string, optional_text, string, text, variant, variant_int,
};

/// Functions of the session.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::fact("ROWCOUNT_BIG", (0, 0), bigint, row_count),
    ScalarFunction::fact("XACT_STATE", (0, 0), smallint, xact_state).native(),
    ScalarFunction::fact("CURRENT_TRANSACTION_ID", (0, 0), bigint, transaction_id),
    ScalarFunction::fact("CURRENT_REQUEST_ID", (0, 0), smallint, request_id),
    ScalarFunction::fact("SCOPE_IDENTITY", (0, 0), identity, scope_identity).native(),
    ScalarFunction::fact("ERROR_NUMBER", (0, 0), int, error_number).native(),
    ScalarFunction::fact("ERROR_SEVERITY", (0, 0), int, error_severity).native(),
    ScalarFunction::fact("ERROR_STATE", (0, 0), int, error_state).native(),
    ScalarFunction::fact("ERROR_LINE", (0, 0), int, error_line).native(),
    ScalarFunction::fact("ERROR_PROCEDURE", (0, 0), sysname, error_procedure).native(),
    ScalarFunction::fact("ERROR_MESSAGE", (0, 0), long_text, error_message).native(),
    ScalarFunction::fact("HOST_NAME", (0, 0), sysname, host_name),
    ScalarFunction::fact("HOST_ID", (0, 0), host_id_type, host_id),
    ScalarFunction::fact("APP_NAME", (0, 0), sysname, app_name),
    ScalarFunction::fact("CONTEXT_INFO", (0, 0), context_info_type, context_info).native(),
    ScalarFunction::fact("SESSION_CONTEXT", (1, 1), types_of_property, session_context).native(),
    ScalarFunction::fact("SESSIONPROPERTY", (1, 1), types_of_property, session_property),
    ScalarFunction::fact("CONNECTIONPROPERTY", (1, 1), types_of_property, connection_property),
    ScalarFunction::fact("CURSOR_STATUS", (2, 2), types_of_cursor_status, cursor_status),
    ScalarFunction::fact("EVENTDATA", (0, 0), event_document, event_data),
    ScalarFunction::fact("TRIGGER_NESTLEVEL", (0, 3), types_of_trigger_nesting, trigger_nesting),
    ScalarFunction::fact("GETANSINULL", (0, 1), types_of_getansinull, getansinull),
    ScalarFunction::fact("MIN_ACTIVE_ROWVERSION", (0, 0), binary_rowversion, min_active_rowversion),
];

/// Functions whose names begin with `@@`.
pub(super) static GLOBALS: &[ScalarFunction] = &[
    ScalarFunction::fact("@@ROWCOUNT", (0, 0), int, row_count).native(),
    ScalarFunction::fact("@@ERROR", (0, 0), int, last_error).native(),
    ScalarFunction::fact("@@TRANCOUNT", (0, 0), int, transaction_count).native(),
    ScalarFunction::fact("@@SPID", (0, 0), smallint, spid).native(),
    ScalarFunction::fact("@@NESTLEVEL", (0, 0), int, nest_level),
    ScalarFunction::fact("@@PROCID", (0, 0), int, procedure_id),
    ScalarFunction::fact("@@FETCH_STATUS", (0, 0), int, fetch_status),
    ScalarFunction::fact("@@CURSOR_ROWS", (0, 0), int, cursor_rows),
    ScalarFunction::fact("@@IDENTITY", (0, 0), identity, last_identity),
    ScalarFunction::fact("@@LOCK_TIMEOUT", (0, 0), int, lock_timeout),
    ScalarFunction::fact("@@TEXTSIZE", (0, 0), int, textsize),
    ScalarFunction::fact("@@OPTIONS", (0, 0), int, options),
    ScalarFunction::fact("@@DATEFIRST", (0, 0), tinyint, datefirst),
    ScalarFunction::fact("@@LANGID", (0, 0), smallint, language_id),
    ScalarFunction::fact("@@LANGUAGE", (0, 0), sysname, language),
    ScalarFunction::fact("@@REMSERVER", (0, 0), sysname, nothing),
    ScalarFunction::fact("@@MAX_PRECISION", (0, 0), tinyint, max_precision),
    ScalarFunction::fact("@@DBTS", (0, 0), rowversion, last_rowversion),
    ScalarFunction::fact("@@TIMETICKS", (0, 0), int, time_ticks),
    ScalarFunction::fact("@@CONNECTIONS", (0, 0), int, connections),
    ScalarFunction::fact("@@CPU_BUSY", (0, 0), int, cpu_busy),
    ScalarFunction::fact("@@IDLE", (0, 0), int, idle),
    ScalarFunction::fact("@@IO_BUSY", (0, 0), int, io_busy),
    ScalarFunction::fact("@@PACK_RECEIVED", (0, 0), int, packets_received),
    ScalarFunction::fact("@@PACK_SENT", (0, 0), int, packets_sent),
    ScalarFunction::fact("@@PACKET_ERRORS", (0, 0), int, packet_errors),
    ScalarFunction::fact("@@TOTAL_READ", (0, 0), int, reads),
    ScalarFunction::fact("@@TOTAL_WRITE", (0, 0), int, writes),
    ScalarFunction::fact("@@TOTAL_ERRORS", (0, 0), int, errors),
];

/// Microseconds in a tick of the counters.
const TIME_TICK_US: i64 = 31_250;

no_arguments! {
    int: |call| SqlType::int();
    bigint: |call| SqlType::bigint();
    smallint: |call| SqlType::smallint();
    tinyint: |call| SqlType::tinyint();
    identity: |call| SqlType::numeric(38, 0);
    sysname: |call| SqlType::sysname(call.collation);
    long_text: |call| SqlType::nvarchar(4000, call.collation);
    host_id_type: |call| SqlType::char(10, call.collation);
    context_info_type: |call| SqlType::varbinary(128);
    rowversion: |call| SqlType::varbinary(8);
    binary_rowversion: |call| SqlType::binary(8);
    event_document: |call| SqlType::xml();
}

/// `EVENTDATA()`, which is NULL but in the body of a DDL or logon trigger.
fn event_data<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    match ctx.facts.event_data() {
        Some(document) => Ok(ValueRef::Chars(ctx.copy(document.as_bytes())?)),
        None => Ok(ValueRef::Null),
    }
}

/// Functions that give an integer of the session.
macro_rules! integers {
    ($($name:ident = |$facts:ident| $value:expr;)*) => {$(
        fn $name<'a>(
            ctx: &mut FnContext<'a>,
            _: &[ValueRef<'a>],
            _: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            let $facts = ctx.facts;
            Ok(ValueRef::Int(i64::from($value)))
        }
    )*};
}

integers! {
    row_count = |facts| facts.progress().row_count;
    xact_state = |facts| facts.progress().transaction_state;
    transaction_id = |facts| facts.progress().transaction_id;
    request_id = |facts| facts.progress().request_id;
    last_error = |facts| facts.progress().error;
    transaction_count = |facts| facts.progress().transaction_count;
    nest_level = |facts| facts.progress().nest_level;
    procedure_id = |facts| facts.progress().module.map_or(0, |id| id.0);
    fetch_status = |facts| facts.progress().fetch_status;
    cursor_rows = |facts| facts.progress().cursor_rows;
    spid = |facts| facts.session_id().0;
    lock_timeout = |facts| facts.settings().lock_timeout;
    textsize = |facts| facts.settings().textsize;
    options = |facts| option_bits(&facts.settings());
    datefirst = |facts| facts.dates().first_day;
    language_id = |facts| facts.dates().language.id;
    max_precision = |_facts| 38;
    time_ticks = |_facts| TIME_TICK_US;
    connections = |facts| facts.counters().connections;
    cpu_busy = |facts| facts.counters().cpu_busy;
    idle = |facts| facts.counters().idle;
    io_busy = |facts| facts.counters().io_busy;
    packets_received = |facts| facts.counters().packets_received;
    packets_sent = |facts| facts.counters().packets_sent;
    packet_errors = |facts| facts.counters().packet_errors;
    reads = |facts| facts.counters().reads;
    writes = |facts| facts.counters().writes;
    errors = |facts| facts.counters().errors;
}

/// `@@OPTIONS`: a bit for each option that is on.
fn option_bits(settings: &Settings) -> i32 {
    [
        (settings.implicit_transactions, 2),
        (settings.cursor_close_on_commit, 4),
        (settings.ansi_warnings, 8),
        (settings.ansi_padding, 16),
        (settings.ansi_nulls, 32),
        (settings.arithabort, 64),
        (settings.arithignore, 128),
        (settings.quoted_identifier, 256),
        (settings.nocount, 512),
        (settings.ansi_null_default_on, 1024),
        (settings.ansi_null_default_off, 2048),
        (settings.concat_null_yields_null, 4096),
        (settings.numeric_roundabort, 8192),
        (settings.xact_abort, 16384),
    ]
    .iter()
    .map(|(on, bit)| if *on { *bit } else { 0 })
    .sum()
}

fn nothing<'a>(
    _: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Null)
}

/// Identity values are `numeric(38, 0)`.
pub(super) fn identity_value<'a>(value: Option<i64>) -> ValueRef<'a> {
    value.map_or(ValueRef::Null, |v| ValueRef::Decimal(i128::from(v)))
}

fn scope_identity<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(identity_value(ctx.facts.progress().scope_identity))
}

fn last_identity<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(identity_value(ctx.facts.progress().last_identity))
}

/// Functions of the caught error, NULL outside a `CATCH` block.
macro_rules! of_error {
    ($($name:ident = $value:expr;)*) => {$(
        fn $name<'a>(
            ctx: &mut FnContext<'a>,
            _: &[ValueRef<'a>],
            _: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            let value: fn(&SqlError) -> i64 = $value;
            Ok(optional(ctx.facts.caught_error().as_ref().map(value)))
        }
    )*};
}

of_error! {
    error_number = |e| i64::from(e.number());
    error_severity = |e| i64::from(e.severity());
    error_state = |e| i64::from(e.state());
    error_line = |e| i64::from(e.line());
}

fn error_procedure<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let error = ctx.facts.caught_error();
    let procedure = error.as_ref().and_then(SqlError::procedure);
    Ok(optional_string(ctx.arena, procedure, &types.result))
}

fn error_message<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let error = ctx.facts.caught_error();
    Ok(optional_string(ctx.arena, error.as_ref().map(SqlError::text), &types.result))
}

fn host_name<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(string(ctx.arena, &ctx.facts.connection().host_name, &types.result))
}

fn host_id<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let padded = format!("{:<10}", ctx.facts.connection().host_process_id);
    Ok(string(ctx.arena, &padded, &types.result))
}

fn app_name<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(string(ctx.arena, &ctx.facts.connection().program_name, &types.result))
}

fn language<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(string(ctx.arena, ctx.facts.dates().language.name, &types.result))
}

fn context_info<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let info = ctx.facts.context_info();
    Ok(info.map_or(ValueRef::Null, |info| ValueRef::Bytes(ctx.arena.alloc_bytes(&info))))
}

fn types_of_property(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::sql_variant(), &[call.name_argument(0)?]))
}

fn session_context<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let key = optional_text(args[0], &types.args[0]);
    let Some(value) = key.and_then(|key| ctx.facts.session_context(&key)) else {
        return Ok(ValueRef::Null);
    };
    let mut out = ctx.arena.buffer();
    encode_variant(&value.ty, value.value.as_ref(), &mut out);
    Ok(ValueRef::Bytes(out.finish()))
}

fn session_property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let settings = ctx.facts.settings();
    let name = optional_text(args[0], &types.args[0]).unwrap_or_default().to_ascii_uppercase();
    let on = match name.trim_end() {
        "ANSI_NULLS" => settings.ansi_nulls,
        "ANSI_PADDING" => settings.ansi_padding,
        "ANSI_WARNINGS" => settings.ansi_warnings,
        "ARITHABORT" => settings.arithabort,
        "CONCAT_NULL_YIELDS_NULL" => settings.concat_null_yields_null,
        "NUMERIC_ROUNDABORT" => settings.numeric_roundabort,
        "QUOTED_IDENTIFIER" => settings.quoted_identifier,
        _ => return Ok(ValueRef::Null),
    };
    Ok(variant_int(ctx, i64::from(on)))
}

fn connection_property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let connection = ctx.facts.connection();
    let ty = SqlType::varchar(48, types.args[0].collation);
    let own = |text: &str| variant(ctx.arena, &ty, string(ctx.arena, text, &ty));
    let name = optional_text(args[0], &types.args[0]).unwrap_or_default().to_ascii_lowercase();
    Ok(match (name.trim_end(), &connection.local_address) {
        ("net_transport" | "physical_net_transport", _) => own(connection.transport),
        ("protocol_type", _) => own("TSQL"),
        ("auth_scheme", _) => own(connection.authentication),
        ("local_net_address", Some((address, _))) => own(address),
        ("local_tcp_port", Some((_, port))) => variant_int(ctx, i64::from(*port)),
        ("client_net_address", _) => match &connection.client_address {
            Some(address) => own(address),
            None => own("<local machine>"),
        },
        _ => ValueRef::Null,
    })
}

fn types_of_cursor_status(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::smallint(), &[call.name_argument(0)?, call.name_argument(1)?]))
}

fn cursor_status<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.iter().any(ValueRef::is_null) {
        return Ok(ValueRef::Null);
    }
    let scope = text(args[0], types.args[0].collation).to_ascii_lowercase();
    let scope = match scope.trim_end() {
        "local" => CursorScope::Local,
        "global" => CursorScope::Global,
        "variable" => CursorScope::Variable,
        _ => return Ok(ValueRef::Null),
    };
    let name = text(args[1], types.args[1].collation);
    Ok(ValueRef::Int(i64::from(ctx.facts.cursor_status(scope, &name))))
}

fn types_of_trigger_nesting(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = Vec::new();
    for at in 0..call.args.len() {
        types.push(if at == 0 { call.int(0)? } else { call.name_argument(at)? });
    }
    Ok(call.types(SqlType::int(), &types))
}

fn trigger_nesting<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let id = args.first().and_then(|id| optional_int(*id)).filter(|id| *id != 0);
    let trigger = id.map(|id| base::ids::ObjectId(id as i32));
    Ok(ValueRef::Int(i64::from(ctx.facts.trigger_nesting(trigger))))
}

fn types_of_getansinull(call: &Call<'_>) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.name_argument(at)).collect::<SqlResult<_>>()?;
    Ok(call.types(SqlType::smallint(), &types))
}

/// Whether columns of new tables may be NULL unless they say otherwise.
fn getansinull<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let settings = ctx.facts.settings();
    let name = args.first().and_then(|name| optional_text(*name, &types.args[0]));
    let Some(database) = super::metadata::database_named(ctx, name.as_deref()) else {
        return Ok(ValueRef::Null);
    };
    let by_database = database.options.ansi_null_default && !settings.ansi_null_default_off;
    Ok(ValueRef::Int(i64::from(settings.ansi_null_default_on || by_database)))
}

fn big_endian<'a>(ctx: &FnContext<'a>, version: u64) -> ValueRef<'a> {
    ValueRef::Bytes(ctx.arena.alloc_bytes(&version.to_be_bytes()))
}

fn last_rowversion<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(big_endian(ctx, ctx.facts.last_rowversion(ctx.facts.current_database())))
}

fn min_active_rowversion<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(big_endian(ctx, ctx.facts.min_active_rowversion(ctx.facts.current_database())))
}

#[cfg(test)]
mod tests;
