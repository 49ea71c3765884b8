//! Sessions, what they do, and their transactions.

use std::sync::atomic::Ordering::Relaxed;

use base::ids::DbId;
use base::{SqlType, Value};
use engine::catalog::def::PrincipalId;
use ir::function::facts::Settings;
use tsql::ast::IsolationLevel;

use super::super::cells::*;
use super::super::{FilledView, RowsetColumn};
use super::{grants, loading, locks};
use crate::handle;
use crate::instance::activity::Activity;
use crate::options::Options;

/// The columns of a session's options, which sessions and requests share.
const OPTION_COLUMNS: [RowsetColumn; 14] = [
    column("text_size", INT, false),
    column("language", nvar(128), true),
    column("date_format", nvar(3), true),
    column("date_first", SMALL, false),
    column("quoted_identifier", BIT, false),
    column("arithabort", BIT, false),
    column("ansi_null_dflt_on", BIT, false),
    column("ansi_defaults", BIT, false),
    column("ansi_warnings", BIT, false),
    column("ansi_padding", BIT, false),
    column("ansi_nulls", BIT, false),
    column("concat_null_yields_null", BIT, false),
    column("transaction_isolation_level", SMALL, false),
    column("lock_timeout", INT, false),
];

pub(super) fn options(options: &Options) -> [Value; 14] {
    let own: &Settings = &options.settings;
    let ansi = own.ansi_nulls && own.ansi_padding && own.ansi_warnings && own.quoted_identifier;
    [
        int(own.textsize),
        text(options.dates.language.name),
        text(options.dates.order.name()),
        int(options.dates.first_day),
        bit(own.quoted_identifier),
        bit(own.arithabort),
        bit(own.ansi_null_default_on),
        bit(ansi && own.implicit_transactions && own.cursor_close_on_commit),
        bit(own.ansi_warnings),
        bit(own.ansi_padding),
        bit(own.ansi_nulls),
        bit(own.concat_null_yields_null),
        int(isolation_code(options.isolation)),
        int(own.lock_timeout),
    ]
}

/// `transaction_isolation_level`
fn isolation_code(level: IsolationLevel) -> i64 {
    match level {
        IsolationLevel::ReadUncommitted => 1,
        IsolationLevel::ReadCommitted | IsolationLevel::StatementSnapshot => 2,
        IsolationLevel::RepeatableRead => 3,
        IsolationLevel::Serializable => 4,
        IsolationLevel::Snapshot => 5,
    }
}

const SESSION_START: [RowsetColumn; 24] = [
    column("session_id", SMALL, false),
    column("login_time", WHEN, false),
    column("host_name", nvar(128), true),
    column("program_name", nvar(128), true),
    column("host_process_id", INT, true),
    column("client_version", INT, true),
    column("client_interface_name", nvar(32), true),
    column("security_id", SID, false),
    column("login_name", nvar(128), false),
    column("nt_domain", nvar(128), true),
    column("nt_user_name", nvar(128), true),
    column("status", nvar(30), false),
    column("context_info", SqlType::varbinary(128), true),
    column("cpu_time", INT, false),
    column("memory_usage", INT, false),
    column("total_scheduled_time", INT, false),
    column("total_elapsed_time", INT, false),
    column("endpoint_id", INT, false),
    column("last_request_start_time", WHEN, false),
    column("last_request_end_time", WHEN, true),
    column("reads", BIG, false),
    column("writes", BIG, false),
    column("logical_reads", BIG, false),
    column("is_user_process", BIT, false),
];

const SESSION_END: [RowsetColumn; 14] = [
    column("deadlock_priority", INT, false),
    column("row_count", BIG, false),
    column("prev_error", INT, false),
    column("original_security_id", SID, false),
    column("original_login_name", nvar(128), false),
    column("last_successful_logon", WHEN, true),
    column("last_unsuccessful_logon", WHEN, true),
    column("unsuccessful_logons", BIG, true),
    column("group_id", INT, false),
    column("database_id", SMALL, false),
    column("authenticating_database_id", INT, true),
    column("open_transaction_count", INT, false),
    column("page_server_reads", BIG, false),
    column("contained_availability_group_id", GUID, true),
];

static SESSION_COLUMNS: [RowsetColumn; 52] =
    joined([&SESSION_START, &OPTION_COLUMNS, &SESSION_END]);

pub static DM_EXEC_SESSIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_sessions",
    columns: &SESSION_COLUMNS,
    fill: |cx| {
        let now = cx.instance.env().clock().now_ns();
        for entry in cx.instance.sessions.all() {
            if !cx.sees(entry.id) {
                continue;
            }
            let status = entry.status().clone();
            let ran_ms = int((entry.running.ns(now) / 1_000_000) as i64);
            let client = &entry.client.connection;
            let running = status.request.is_some();
            let ms = int((status.elapsed_ns / 1_000_000) as i64);
            let (began, ended) = status.last_request;
            let moment = |ticks: u64| if ticks == 0 { utc(entry.login_utc) } else { utc(ticks) };
            let start = [
                int(entry.id.0),
                utc(entry.login_utc),
                text(&client.host_name),
                text(&client.program_name),
                int(client.host_process_id),
                int(entry.client.protocol_version >> 24),
                text(&entry.client.library),
                bytes(&status.login.sid),
                text(&status.login.name),
                NULL,
                NULL,
                text(if running { "running" } else { "sleeping" }),
                or_null(status.context_info.as_ref(), |info| bytes(info)),
                ran_ms.clone(),
                int(0),
                ran_ms,
                ms,
                int(4),
                moment(began),
                moment(ended),
                int(0),
                int(0),
                int(0),
                bit(true),
            ];
            let end = [
                int(status.options.deadlock_priority),
                int(status.row_count),
                int(status.last_error),
                bytes(&status.original_login.sid),
                text(&status.original_login.name),
                NULL,
                NULL,
                NULL,
                int(2),
                database(status.database),
                int(status.contained_in.unwrap_or(DbId::MASTER).0),
                int(status.transaction_count),
                int(0),
                NULL,
            ];
            cx.push_parts(&[&start, &options(&status.options), &end]);
        }
        let master = cx.instance.databases().master().current();
        let sa = master.server().logins().get(PrincipalId::SA);
        loading::push_sessions(cx, &bytes(sa.map_or(&[][..], |login| &login.sid)));
        Ok(())
    },
};

pub static DM_EXEC_CONNECTIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_connections",
    columns: &[
        column("session_id", INT, true),
        column("most_recent_session_id", INT, true),
        column("connect_time", WHEN, false),
        column("net_transport", nvar(40), false),
        column("protocol_type", nvar(40), true),
        column("protocol_version", INT, true),
        column("endpoint_id", INT, true),
        column("encrypt_option", nvar(40), false),
        column("auth_scheme", nvar(40), false),
        column("node_affinity", SMALL, false),
        column("num_reads", INT, true),
        column("num_writes", INT, true),
        column("last_read", WHEN, true),
        column("last_write", WHEN, true),
        column("net_packet_size", INT, true),
        column("client_net_address", var(48), true),
        column("client_tcp_port", INT, true),
        column("local_net_address", var(48), true),
        column("local_tcp_port", INT, true),
        column("connection_id", GUID, false),
        column("parent_connection_id", GUID, true),
        column("most_recent_sql_handle", SqlType::varbinary(64), true),
    ],
    fill: |cx| {
        for entry in cx.instance.sessions.all() {
            let client = &entry.client.connection;
            let traffic = &entry.traffic;
            let packets = |count: u64| int(i32::try_from(count).unwrap_or(i32::MAX));
            let moment = |ticks: u64| if ticks == 0 { NULL } else { utc(ticks) };
            let local = client.local_address.as_ref();
            let last_text = Some(entry.status().last_text.clone()).filter(|text| !text.is_empty());
            cx.push([
                int(entry.id.0),
                int(entry.id.0),
                utc(entry.login_utc),
                text(client.transport),
                text("TSQL"),
                int(entry.client.protocol_version),
                int(4),
                text(if entry.client.encrypted { "TRUE" } else { "FALSE" }),
                text(client.authentication),
                int(0),
                packets(traffic.received.load(Relaxed)),
                packets(traffic.sent.load(Relaxed)),
                moment(traffic.last_received_utc.load(Relaxed)),
                moment(traffic.last_sent_utc.load(Relaxed)),
                int(entry.client.packet_size),
                or_null(client.client_address.as_ref(), |address| chars(address)),
                int(entry.client.client_port),
                or_null(local, |(address, _)| chars(address)),
                or_null(local, |(_, port)| int(*port)),
                guid(entry.client.connection_id),
                NULL,
                or_null(last_text, |text| bytes(&handle::of_text(&text))),
            ]);
        }
        Ok(())
    },
};

const REQUEST_START: [RowsetColumn; 24] = [
    column("session_id", SMALL, false),
    column("request_id", INT, false),
    column("start_time", WHEN, false),
    column("status", nvar(30), false),
    column("command", nvar(32), false),
    column("sql_handle", SqlType::varbinary(64), true),
    column("statement_start_offset", INT, true),
    column("statement_end_offset", INT, true),
    column("plan_handle", SqlType::varbinary(64), true),
    column("database_id", SMALL, false),
    column("user_id", INT, false),
    column("connection_id", GUID, true),
    column("blocking_session_id", SMALL, true),
    column("wait_type", nvar(60), true),
    column("wait_time", INT, false),
    column("last_wait_type", nvar(60), false),
    column("wait_resource", nvar(256), false),
    column("open_transaction_count", INT, false),
    column("open_resultset_count", INT, false),
    column("transaction_id", BIG, false),
    column("context_info", SqlType::varbinary(128), true),
    column("percent_complete", SqlType::real(), false),
    column("estimated_completion_time", BIG, false),
    column("cpu_time", INT, false),
];

const REQUEST_MIDDLE: [RowsetColumn; 6] = [
    column("total_elapsed_time", INT, false),
    column("scheduler_id", INT, true),
    column("task_address", SqlType::varbinary(8), true),
    column("reads", BIG, false),
    column("writes", BIG, false),
    column("logical_reads", BIG, false),
];

const REQUEST_END: [RowsetColumn; 18] = [
    column("deadlock_priority", INT, false),
    column("row_count", BIG, false),
    column("prev_error", INT, false),
    column("nest_level", INT, false),
    column("granted_query_memory", INT, false),
    column("executing_managed_code", BIT, false),
    column("group_id", INT, false),
    column("query_hash", SqlType::binary(8), true),
    column("query_plan_hash", SqlType::binary(8), true),
    column("statement_sql_handle", SqlType::varbinary(64), true),
    column("statement_context_id", BIG, true),
    column("dop", INT, false),
    column("parallel_worker_count", INT, true),
    column("external_script_request_id", GUID, true),
    column("is_resumable", BIT, false),
    column("page_resource", SqlType::binary(8), true),
    column("page_server_reads", BIG, false),
    column("dist_statement_id", GUID, false),
];

static REQUEST_COLUMNS: [RowsetColumn; 62] =
    joined([&REQUEST_START, &REQUEST_MIDDLE, &OPTION_COLUMNS, &REQUEST_END]);

pub static DM_EXEC_REQUESTS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_requests",
    columns: &REQUEST_COLUMNS,
    fill: |cx| {
        let now = cx.instance.env().clock().now_ns();
        let waits = cx.instance.host().graph.waits();
        let memory = cx.instance.grants.waiting();
        let sessions = cx.instance.sessions.all();
        for entry in &sessions {
            if !cx.sees(entry.id) {
                continue;
            }
            let status = entry.status().clone();
            let Some(request) = &status.request else { continue };
            let ms = int((now.saturating_sub(request.started.1) / 1_000_000) as i64);
            let ran_ns = entry.running.ns(now).saturating_sub(request.ran_before_ns);
            let wait = waits.iter().find(|wait| wait.session == entry.id);
            let blocked_by = wait.and_then(|wait| locks::blocked_by(wait, &sessions, cx.instance));
            let resource = wait.map(|wait| locks::wait_resource(wait, cx.instance));
            let queued = memory.iter().find(|waiting| waiting.ask.session == entry.id);
            let activity = entry.activity.get();
            let sleeps = (activity == Activity::WAITFOR).then_some("WAITFOR");
            let wait = wait.map(locks::wait_type).or(queued.map(|_| grants::WAIT_TYPE)).or(sleeps);
            let start = [
                int(entry.id.0),
                int(0),
                utc(request.started.0),
                text(if wait.is_some() { "suspended" } else { "running" }),
                text(activity.name()),
                bytes(&handle::of_text(&request.text)),
                int(0),
                int(-1),
                NULL,
                database(status.database),
                int(1),
                guid(entry.client.connection_id),
                int(blocked_by.map_or(0, |id| id.0)),
                or_null(wait, text),
                if wait.is_some() { ms.clone() } else { int(0) },
                text(wait.unwrap_or("MISCELLANEOUS")),
                text(resource.as_deref().unwrap_or("")),
                int(status.transaction_count),
                int(1),
                int(status.transaction.as_ref().map_or(0, |t| t.id as i64)),
                or_null(status.context_info.as_ref(), |info| bytes(info)),
                Value::Float(entry.activity.percent().into()),
                int(0),
                int((ran_ns / 1_000_000) as i64),
            ];
            let middle = [ms, int(0), NULL, int(0), int(0), int(0)];
            let told = [
                int(status.options.deadlock_priority),
                int(status.row_count),
                int(status.last_error),
            ];
            let end = end_of_request(told, DEFAULT_GROUP);
            cx.push_parts(&[&start, &middle, &options(&status.options), &end]);
        }
        loading::push_requests(cx, now);
        Ok(())
    },
};

/// `group_id` of the workload groups that there are: of the server's own requests, and of all other
/// requests.
pub(super) const INTERNAL_GROUP: i32 = 1;
const DEFAULT_GROUP: i32 = 2;

/// The last columns of a request, from the deadlock priority, rows and error that it shows.
pub(super) fn end_of_request([priority, rows, error]: [Value; 3], group: i32) -> [Value; 18] {
    [
        priority,
        rows,
        error,
        // How deep modules have called one another is known to the request alone.
        int(0),
        int(0),
        bit(false),
        int(group),
        NULL,
        NULL,
        NULL,
        NULL,
        int(1),
        NULL,
        NULL,
        bit(false),
        NULL,
        int(0),
        guid([0; 16]),
    ]
}

pub static DM_TRAN_ACTIVE_TRANSACTIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_tran_active_transactions",
    columns: &[
        column("transaction_id", BIG, false),
        column("name", nvar(32), false),
        column("transaction_begin_time", WHEN, false),
        column("transaction_type", INT, false),
        column("transaction_uow", GUID, true),
        column("transaction_state", INT, false),
        column("transaction_status", INT, false),
        column("transaction_status2", INT, false),
        column("dtc_state", INT, false),
        column("dtc_status", INT, false),
        column("dtc_isolation_level", INT, false),
        column("filestream_transaction_id", SqlType::varbinary(128), true),
    ],
    fill: |cx| {
        for entry in cx.instance.sessions.all() {
            let status = entry.status().clone();
            let Some(transaction) = &status.transaction else { continue };
            cx.push([
                int(transaction.id as i64),
                text(&transaction.name),
                utc(transaction.began_utc),
                int(1),
                NULL,
                int(2),
                int(0),
                int(0),
                int(0),
                int(0),
                int(-1),
                NULL,
            ]);
        }
        Ok(())
    },
};

pub static DM_TRAN_SESSION_TRANSACTIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_tran_session_transactions",
    columns: &[
        column("session_id", INT, true),
        column("transaction_id", BIG, false),
        column("transaction_descriptor", SqlType::binary(8), false),
        column("enlist_count", INT, false),
        column("is_user_transaction", BIT, true),
        column("is_local", BIT, true),
        column("is_enlisted", BIT, true),
        column("is_bound", BIT, true),
        column("open_transaction_count", INT, true),
    ],
    fill: |cx| {
        for entry in cx.instance.sessions.all() {
            let status = entry.status().clone();
            let Some(transaction) = &status.transaction else { continue };
            cx.push([
                int(entry.id.0),
                int(transaction.id as i64),
                bytes(&transaction.id.to_le_bytes()),
                int(0),
                bit(transaction.is_user),
                bit(true),
                bit(false),
                bit(false),
                int(status.transaction_count),
            ]);
        }
        Ok(())
    },
};
