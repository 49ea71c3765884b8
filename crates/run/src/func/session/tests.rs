use base::value::Variant;
use base::{SqlError, SqlType, Value};
use ir::function::facts::{Progress, Settings};

use crate::func::testing::{C, TestSession, check, check_errors, check_in, check_types};

#[test]
fn the_session_shows_what_statements_left_behind() {
    let session = TestSession {
        progress: Progress {
            row_count: 3,
            error: 547,
            transaction_count: 1,
            transaction_state: -1,
            transaction_id: 77,
            request_id: 0,
            nest_level: 2,
            module: Some(base::ids::ObjectId(1234)),
            fetch_status: -1,
            cursor_rows: 10,
            scope_identity: Some(5),
            last_identity: None,
        },
        ..TestSession::default()
    };
    check_in(
        &session,
        &[
            ("@@ROWCOUNT", &[], "3"),
            ("ROWCOUNT_BIG", &[], "3"),
            ("@@ERROR", &[], "547"),
            ("@@TRANCOUNT", &[], "1"),
            ("XACT_STATE", &[], "-1"),
            ("CURRENT_TRANSACTION_ID", &[], "77"),
            ("@@NESTLEVEL", &[], "2"),
            ("@@PROCID", &[], "1234"),
            ("@@FETCH_STATUS", &[], "-1"),
            ("@@CURSOR_ROWS", &[], "10"),
            ("SCOPE_IDENTITY", &[], "5"),
            ("@@IDENTITY", &[], "NULL"),
            ("@@SPID", &[], "55"),
            ("@@CONNECTIONS", &[], "7"),
            ("@@TIMETICKS", &[], "31250"),
            ("@@MAX_PRECISION", &[], "38"),
            ("@@REMSERVER", &[], "NULL"),
            ("@@DBTS", &[], "0x00000000000007D0"),
            ("MIN_ACTIVE_ROWVERSION", &[], "0x00000000000007D1"),
            ("TRIGGER_NESTLEVEL", &[], "2"),
            ("TRIGGER_NESTLEVEL", &["5"], "1"),
            ("TRIGGER_NESTLEVEL", &["0"], "2"),
            ("CURSOR_STATUS", &["'global'", "'c'"], "1"),
            ("CURSOR_STATUS", &["'local'", "'c'"], "-3"),
            ("CURSOR_STATUS", &["'x'", "'c'"], "NULL"),
        ],
    );
    check_types(&[
        ("@@ROWCOUNT", &[], "int"),
        ("ROWCOUNT_BIG", &[], "bigint"),
        ("@@SPID", &[], "smallint"),
        ("XACT_STATE", &[], "smallint"),
        ("SCOPE_IDENTITY", &[], "numeric(38,0)"),
        ("@@IDENTITY", &[], "numeric(38,0)"),
        ("@@DATEFIRST", &[], "tinyint"),
        ("@@LANGUAGE", &[], "nvarchar(128)"),
    ]);
    check_errors(&[("@@SPID", &["1"], 174, "The @@spid function requires 0 argument(s).")]);
}

#[test]
fn errors_are_known_where_one_was_caught() {
    check(&[("ERROR_NUMBER", &[], "NULL"), ("ERROR_MESSAGE", &[], "NULL")]);
    let error = SqlError::custom(50_001, 16, 2, "It broke: ü").at_line(7).in_procedure("p");
    let session = TestSession { error: Some(error), ..TestSession::default() };
    check_in(
        &session,
        &[
            ("ERROR_NUMBER", &[], "50001"),
            ("ERROR_SEVERITY", &[], "16"),
            ("ERROR_STATE", &[], "2"),
            ("ERROR_LINE", &[], "7"),
            ("ERROR_PROCEDURE", &[], "p"),
            ("ERROR_MESSAGE", &[], "It broke: ü"),
        ],
    );
    check_types(&[
        ("ERROR_MESSAGE", &[], "nvarchar(4000)"),
        ("ERROR_PROCEDURE", &[], "nvarchar(128)"),
        ("ERROR_NUMBER", &[], "int"),
    ]);
}

#[test]
fn settings_are_shown_one_by_one_and_as_bits() {
    let settings = Settings {
        ansi_nulls: true,
        ansi_padding: true,
        ansi_warnings: true,
        quoted_identifier: true,
        concat_null_yields_null: true,
        ansi_null_default_on: true,
        arithabort: true,
        nocount: true,
        textsize: -1,
        lock_timeout: 5000,
        ..Settings::default()
    };
    let session = TestSession { settings, ..TestSession::default() };
    check_in(
        &session,
        &[
            ("@@OPTIONS", &[], "6008"),
            ("@@TEXTSIZE", &[], "-1"),
            ("@@LOCK_TIMEOUT", &[], "5000"),
            ("@@DATEFIRST", &[], "7"),
            ("@@LANGUAGE", &[], "us_english"),
            ("@@LANGID", &[], "0"),
            ("SESSIONPROPERTY", &["'ANSI_NULLS'"], "int 1"),
            ("SESSIONPROPERTY", &["'numeric_roundabort'"], "int 0"),
            ("SESSIONPROPERTY", &["'nonsense'"], "NULL"),
            ("SESSIONPROPERTY", &["NULL"], "NULL"),
        ],
    );
}

#[test]
fn the_connection_is_described() {
    check(&[
        ("HOST_NAME", &[], "client"),
        ("HOST_ID", &[], "4711      "),
        ("APP_NAME", &[], "test"),
        ("CONNECTIONPROPERTY", &["'net_transport'"], "varchar(48) TCP"),
        ("CONNECTIONPROPERTY", &["'auth_scheme'"], "varchar(48) SQL"),
        ("CONNECTIONPROPERTY", &["'local_tcp_port'"], "int 1433"),
        ("CONNECTIONPROPERTY", &["'client_net_address'"], "varchar(48) 10.0.0.1"),
        ("CONNECTIONPROPERTY", &["'x'"], "NULL"),
        ("ORIGINAL_LOGIN", &[], "sa"),
    ]);
}

#[test]
fn context_is_what_was_set() {
    check(&[("CONTEXT_INFO", &[], "NULL"), ("SESSION_CONTEXT", &["N'k'"], "NULL")]);
    let variant = Variant { ty: SqlType::nvarchar(5, C), value: Value::Unicode([65, 0].into()) };
    let session = TestSession {
        context_info: Some([1, 2, 3].into()),
        context: vec![("k", variant)],
        ..TestSession::default()
    };
    check_in(
        &session,
        &[
            ("CONTEXT_INFO", &[], "0x010203"),
            ("SESSION_CONTEXT", &["N'k'"], "nvarchar(5) A"),
            ("SESSION_CONTEXT", &["N'other'"], "NULL"),
        ],
    );
}
