//! The client against a scripted server.

use std::time::Duration;

use base::{SqlType, Value, ValueRef};
use tds::columns::Column;
use tds::prelogin::ServerEncryption;
use tds::token::{DoneKind, command};

use super::*;
use crate::testing::{
    Asked, Identity, Reply, put_done, put_end, put_integers, put_message, serve, serve_tls, usual,
};

fn connect() -> Connection {
    Connection::connect(&serve(usual).with_database("Sales")).unwrap()
}

#[test]
fn a_login_leaves_a_session_in_its_database() {
    let connection = connect();
    assert_eq!(connection.database(), "Sales");
    assert_eq!(connection.packet_size(), 512);
    assert_eq!(connection.server_program(), ("Fake", [16, 0, 0, 0]));
    assert!(!connection.is_encrypted());
}

#[test]
fn refused_logins_say_why() {
    let mut options = serve(usual);
    options.authentication =
        Authentication::Password { user: "nobody".into(), password: "x".into() };
    let error = Connection::connect(&options).unwrap_err();
    assert_eq!(error.server_message().unwrap().error.number(), 18_456);
    options.encrypt = Encrypt::Mandatory;
    assert!(matches!(Connection::connect(&options), Err(ClientError::Encryption(_))));
}

#[test]
fn encryption_is_what_both_sides_agree_on() {
    use ServerEncryption::{NotSupported, Optional, Required};
    let identity = Identity::new();
    for (client, server, expected) in [
        (Encrypt::Never, Optional, Some(false)),
        (Encrypt::Never, Required, None),
        (Encrypt::Optional, NotSupported, Some(false)),
        // The login alone.
        (Encrypt::Optional, Optional, Some(false)),
        (Encrypt::Optional, Required, Some(true)),
        (Encrypt::Mandatory, NotSupported, None),
        (Encrypt::Mandatory, Optional, Some(true)),
        (Encrypt::Strict, Required, Some(true)),
    ] {
        let mut options = serve_tls(server, identity.clone(), usual);
        options.encrypt = client;
        let found = Connection::connect(&options).map(|mut connection| {
            let rows = connection.query("many").unwrap();
            assert_eq!(rows.rows.len(), 100_000);
            let canceller = connection.canceller();
            let other = std::thread::spawn(move || while !canceller.cancel().unwrap() {});
            assert!(connection.batch("hang", &mut Ignore).unwrap().cancelled);
            other.join().unwrap();
            connection.is_encrypted()
        });
        match (&found, expected) {
            (Ok(found), Some(expected)) => assert_eq!(*found, expected, "{client:?} {server:?}"),
            (Err(ClientError::Encryption(_)), None) => {}
            _ => panic!("{client:?} {server:?}: {found:?}"),
        }
    }
}

#[test]
fn certificates_are_checked_where_they_are_to_be() {
    let identity = Identity::new();
    let folder = std::env::temp_dir();
    let write = |name: &str, identity: &Identity| {
        let file = folder.join(format!("thermocline-{name}-{}.pem", std::process::id()));
        std::fs::write(&file, &identity.pem).unwrap();
        file
    };
    let (own, other) = (write("own", &identity), write("other", &Identity::new()));
    let mut options = serve_tls(ServerEncryption::Optional, identity, usual);
    options.encrypt = Encrypt::Mandatory;
    let authority = |name: Option<&str>| Trust::Authorities {
        file: Some(own.clone()),
        name: name.map(str::to_owned),
    };
    for (trust, is_accepted) in [
        (Trust::Any, true),
        (Trust::Certificate(own.clone()), true),
        (Trust::Certificate(other.clone()), false),
        (authority(None), true),
        (authority(Some("db.example.com")), false),
        (Trust::Authorities { file: Some(other.clone()), name: None }, false),
    ] {
        options.trust = trust;
        let found = Connection::connect(&options);
        match (&found, is_accepted) {
            (Ok(_), true) | (Err(ClientError::Tls(_)), false) => {}
            _ => panic!("{:?}: {found:?}", options.trust),
        }
    }
    std::fs::remove_file(own).unwrap();
    std::fs::remove_file(other).unwrap();
}

#[test]
fn a_server_that_does_not_answer_is_an_error_in_time() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut options = ConnectOptions::new(ServerAddress::local(port));
    options.login_timeout = Some(Duration::from_millis(200));
    let silent = Connection::connect(&options).unwrap_err();
    assert!(matches!(silent, ClientError::Timeout(TimeoutKind::Login)), "{silent:?}");
    drop(listener);
    options.login_timeout = Some(Duration::from_secs(60));
    let refused = Connection::connect(&options).unwrap_err();
    assert!(matches!(refused, ClientError::Unreachable(..)), "{refused:?}");
}

#[test]
fn answers_are_counted_and_errors_are_part_of_them() {
    let mut connection = connect();
    let outcome = connection.batch("many", &mut Ignore).unwrap();
    assert_eq!((outcome.rows, outcome.affected, outcome.errors), (100_000, 0, 0));
    assert_eq!(connection.execute("insert").unwrap().affected, 2);
    assert_eq!(connection.query("SELECT 41").unwrap().integer(), Some(41));
    let outcome = connection.batch("fail", &mut Ignore).unwrap();
    assert_eq!(outcome.errors, 1);
    let error = connection.execute("fail").unwrap_err();
    assert_eq!(error.server_message().unwrap().error.number(), 50_001);
    assert!(error.leaves_connection_open());
    assert_eq!(connection.query("SELECT 1").unwrap().integer(), Some(1));
}

#[test]
fn an_error_that_ends_the_connection_is_reported() {
    let mut connection = connect();
    let error = connection.batch("die", &mut Ignore).unwrap_err();
    assert_eq!(error.server_message().map(|m| m.error.number()), Some(596));
    assert!(connection.is_closed());
    assert!(matches!(connection.execute("SELECT 1"), Err(ClientError::Closed)));
}

#[test]
fn requests_name_the_open_transaction() {
    let mut connection = connect();
    let request = connection.prepare_batch("transaction");
    let ask = |connection: &mut Connection| {
        let mut rows = Rows::default();
        connection.run(&request, &mut rows).unwrap();
        rows.integer()
    };
    assert_eq!(ask(&mut connection), Some(0));
    connection.execute("begin").unwrap();
    assert!(connection.is_in_transaction());
    assert_eq!(ask(&mut connection), Some(77));
    connection.execute("commit").unwrap();
    assert_eq!(ask(&mut connection), Some(0));
}

#[test]
fn long_requests_go_in_several_packets() {
    let options = serve(|asked, out| {
        let Asked::Batch(text, _) = asked else { panic!("{asked:?}") };
        put_integers(out, &[text.len() as i64]);
        put_end(out);
        Reply::Complete
    });
    let mut connection = Connection::connect(&options).unwrap();
    let text = "x".repeat(100_000);
    assert_eq!(connection.query(&text).unwrap().integer(), Some(100_000));
}

#[test]
fn a_cancelled_request_returns_and_the_next_one_works() {
    let mut connection = connect();
    let canceller = connection.canceller();
    assert!(!canceller.cancel().unwrap());
    for _ in 0..20 {
        let canceller = canceller.clone();
        let other = std::thread::spawn(move || {
            while !canceller.cancel().unwrap() {
                std::thread::yield_now();
            }
        });
        let outcome = connection.batch("hang", &mut Ignore).unwrap();
        assert!(outcome.cancelled);
        other.join().unwrap();
        assert_eq!(connection.query("SELECT 7").unwrap().integer(), Some(7));
    }
}

#[test]
fn a_late_request_is_cancelled() {
    let mut connection = connect();
    connection.set_query_timeout(Some(Duration::from_millis(50)));
    // It ends with the attention alone.
    let error = connection.batch("hang", &mut Ignore).unwrap_err();
    assert!(matches!(error, ClientError::Timeout(TimeoutKind::Query)), "{error:?}");
    connection.set_query_timeout(None);
    assert_eq!(connection.query("SELECT 7").unwrap().integer(), Some(7));
}

#[test]
fn a_receiver_that_fails_ends_the_request_alone() {
    struct Full(u32);
    impl Receiver for Full {
        fn row(&mut self, _: &Row<'_>) -> std::io::Result<()> {
            self.0 += 1;
            if self.0 < 10 { Ok(()) } else { Err(std::io::Error::other("full")) }
        }
    }
    let mut connection = connect();
    let mut receiver = Full(0);
    let error = connection.batch("many", &mut receiver).unwrap_err();
    assert!(matches!(error, ClientError::Receiver(_)), "{error:?}");
    assert_eq!(receiver.0, 10);
    assert_eq!(connection.query("SELECT 7").unwrap().integer(), Some(7));
}

#[test]
fn calls_carry_scalars_and_tables() {
    let options = serve(|asked, out| {
        let expected = ["@a 5", "@t 2 rows"].map(str::to_owned).to_vec();
        assert_eq!(asked, &Asked::Call("dbo.p".into(), expected));
        put_done(out, DoneKind::InProcedure, command::INSERT, 2);
        out.return_status(3);
        out.output_parameter(0, "@a", &SqlType::int(), None, ValueRef::Int(6)).unwrap();
        put_end(out);
        Reply::Complete
    });
    let mut connection = Connection::connect(&options).unwrap();
    let spec = TableColumnSpec { ty: SqlType::int(), default: false };
    let rows = [vec![Value::Int(1)], vec![Value::Null]];
    let arguments = [
        Argument::Scalar(Parameter::output("@a", SqlType::int(), ValueRef::Int(5))),
        Argument::Table(TableArgument {
            name: "@t",
            type_name: ("dbo", "T"),
            columns: &[spec],
            rows: &rows,
        }),
    ];
    let mut results = Results::default();
    let outcome = connection.call("dbo.p", &arguments, &mut results).unwrap();
    assert_eq!((outcome.return_status, outcome.affected, outcome.procedures), (Some(3), 2, 1));
    assert_eq!(results.values[0].value, Value::Int(6));
}

fn bulk_server() -> ConnectOptions {
    serve(|asked, out| {
        match asked {
            Asked::Batch(text, _) if text.starts_with("SELECT TOP") => put_integers(out, &[]),
            Asked::Batch(text, _) if text.contains("forbidden") => put_message(out, 229, 14, "No."),
            Asked::Batch(text, _) => {
                assert_eq!(text, "INSERT BULK dbo.t ([n] int) WITH (TABLOCK, ROWS_PER_BATCH = 9)");
            }
            Asked::Bulk(Some(rows)) => {
                let sum = rows.iter().map(|row| match row[0] {
                    Value::Int(n) => n as u64,
                    _ => 0,
                });
                put_done(out, DoneKind::Statement, command::INSERT_BULK, sum.sum());
            }
            Asked::Bulk(None) => {}
            Asked::Call(..) => panic!("{asked:?}"),
        }
        put_end(out);
        Reply::Complete
    })
}

#[test]
fn bulk_loads_stream_rows() {
    let mut connection = Connection::connect(&bulk_server()).unwrap();
    let target = connection.bulk_target("dbo.t", false).unwrap();
    assert_eq!(target.columns.len(), 1);
    let options = BulkOptions { lock_table: true, rows: Some(9), ..BulkOptions::default() };
    let outcome = connection.bulk_load(&target, &options, |rows| {
        (0..100_000).try_for_each(|n| rows.row(&[ValueRef::Int(n)][..]))
    });
    assert_eq!(outcome.unwrap().affected, (0..100_000).sum::<u64>());
    assert_eq!(
        connection
            .execute("INSERT BULK dbo.t ([n] int) WITH (TABLOCK, ROWS_PER_BATCH = 9)")
            .unwrap()
            .errors,
        0
    );
}

#[test]
fn bulk_loads_that_fail_load_nothing_and_leave_the_connection() {
    let mut connection = Connection::connect(&bulk_server()).unwrap();
    let column = Column::not_null("n", SqlType::int());
    let mut target = BulkTarget { table: "dbo.t".into(), columns: vec![column] };
    let options = BulkOptions { lock_table: true, rows: Some(9), ..BulkOptions::default() };
    let result = connection.bulk_load(&target, &options, |rows| {
        rows.row(&[ValueRef::Int(1)][..])?;
        rows.row(&[ValueRef::Null][..])
    });
    assert!(matches!(result, Err(ClientError::Encode(_))), "{result:?}");
    let result = connection.bulk_load(&target, &options, |rows| rows.row(&[ValueRef::Int(4)][..]));
    assert_eq!(result.unwrap().affected, 4);
    target.table = "forbidden".into();
    let result = connection.bulk_load(&target, &options, |_| Ok(()));
    assert!(matches!(result, Err(ClientError::Server(_))), "{result:?}");
}

#[test]
fn a_fleet_drives_many_connections_from_one_thread() {
    struct Count {
        request: Request,
        left: Vec<u32>,
        rows: u64,
        errors: u64,
    }
    impl Driver for Count {
        fn next(&mut self, connection: usize) -> Option<&Request> {
            self.left[connection] = self.left[connection].checked_sub(1)?;
            Some(&self.request)
        }
        fn done(&mut self, _: usize, outcome: &Outcome, _: Duration) {
            self.rows += outcome.rows;
        }
        fn receiver(&mut self, _: usize) -> &mut dyn Receiver {
            self
        }
    }
    impl Receiver for Count {
        fn message(&mut self, message: &ServerMessage) -> std::io::Result<()> {
            self.errors += u64::from(message.is_error());
            Ok(())
        }
    }
    let options = serve(usual);
    let connections: Vec<_> = (0..20).map(|_| Connection::connect(&options).unwrap()).collect();
    let mut driver = Count {
        request: connections[0].prepare_batch("SELECT 5"),
        left: vec![50; 20],
        rows: 0,
        errors: 0,
    };
    let mut fleet = Fleet::new(connections).unwrap();
    fleet.run(&mut driver).unwrap();
    assert_eq!((driver.rows, driver.errors), (1000, 0));
    let alone = Connection::connect(&options).unwrap();
    driver.request = alone.prepare_batch("fail");
    driver.left = vec![3; 20];
    fleet.run(&mut driver).unwrap();
    assert_eq!((driver.rows, driver.errors), (1000, 60));
}

/// An answer of a result, an error and a transaction.
fn answer_bytes() -> Vec<u8> {
    let mut out = tds::server::ResponseWriter::new(tds::TdsVersion::V7_4);
    out.message().set_packet_size(512);
    out.begin();
    put_integers(&mut out, &(0..200).collect::<Vec<_>>());
    put_message(&mut out, 50_001, 16, "No.");
    out.env_change(&tds::EnvChange::BeginTransaction { descriptor: 9 });
    put_done(&mut out, DoneKind::Statement, command::INSERT, 3);
    put_end(&mut out);
    out.end();
    out.message().ready().to_vec()
}

proptest::proptest! {
    #[test]
    fn answers_mean_the_same_in_pieces(cuts in proptest::collection::vec(0usize..1200, 0..8)) {
        let bytes = answer_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut incoming = incoming::Incoming::new();
        let mut ends = 0;
        for piece in cuts.windows(2) {
            let mut piece = &bytes[piece[0]..piece[1]];
            ends += u32::from(incoming.feed(&mut piece, &mut Ignore).unwrap());
        }
        let outcome = &incoming.outcome;
        proptest::prop_assert_eq!((outcome.rows, outcome.affected, outcome.errors), (200, 3, 1));
        proptest::prop_assert_eq!((ends, incoming.session.transaction), (1, 9));
    }

    #[test]
    fn damaged_answers_are_errors_at_worst(at in 0usize..1200, byte: u8) {
        let mut bytes = answer_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let mut rest = bytes.as_slice();
        let mut incoming = incoming::Incoming::new();
        while let Ok(true) = incoming.feed(&mut rest, &mut Ignore) {}
    }
}
