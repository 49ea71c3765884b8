use server::config::{Config, Encrypt as Mode};
use tools::client::{Authentication, ClientError, Connection, Encrypt, Results};

use crate::support::{TempDir, TestServer, wait_until};

fn with_encryption(encrypt: Mode) -> TestServer {
    TestServer::with(Config { encrypt, ..Config::default() })
}

/// The outcome for a client that asks for `encrypt`: whether the connection is encrypted, or
/// nothing if it is refused.
fn try_to_connect(server: &TestServer, encrypt: Encrypt) -> Option<bool> {
    let mut options = server.options();
    options.encrypt = encrypt;
    Connection::connect(&options).ok().map(|connection| connection.is_encrypted())
}

#[test]
fn encryption_is_what_both_sides_allow() {
    use Encrypt::{Mandatory, Never, Optional, Strict};
    let expected = [
        (
            Mode::Off,
            [(Never, Some(false)), (Optional, Some(false)), (Mandatory, None), (Strict, None)],
        ),
        (
            Mode::On,
            [
                (Never, Some(false)),
                (Optional, Some(false)),
                (Mandatory, Some(true)),
                (Strict, Some(true)),
            ],
        ),
        (
            Mode::Required,
            [(Never, None), (Optional, Some(true)), (Mandatory, Some(true)), (Strict, Some(true))],
        ),
        (Mode::Strict, [(Never, None), (Optional, None), (Mandatory, None), (Strict, Some(true))]),
    ];
    for (mode, clients) in expected {
        let server = with_encryption(mode);
        for (client, outcome) in clients {
            assert_eq!(try_to_connect(&server, client), outcome, "{mode:?}, {client:?}");
        }
    }
}

fn refused(server: &TestServer, user: &str, password: &str, database: &str) -> Vec<i32> {
    let mut options = server.options().with_database(database);
    options.authentication =
        Authentication::Password { user: user.into(), password: password.into() };
    let mut messages = Results::default();
    match Connection::connect_with(&options, &mut messages) {
        Ok(_) => Vec::new(),
        Err(_) => {
            messages.messages.iter().filter(|m| m.is_error()).map(|m| m.error.number()).collect()
        }
    }
}

#[test]
fn refused_logins_get_an_error() {
    let server = TestServer::shared();
    const NONE: [i32; 0] = [];
    let password = crate::support::PASSWORD;
    assert_eq!(refused(&server, "sa", password, ""), NONE);
    assert_eq!(refused(&server, "SA", password, "tempdb"), NONE);
    assert_eq!(refused(&server, "sa", "wrong", ""), [18456]);
    assert_eq!(refused(&server, "nobody", password, ""), [18456]);
    assert_eq!(refused(&server, "sa", password, "nowhere"), [4060, 18456]);
}

/// Wrong passwords slowed down every login from their address, by up to five seconds.
#[test]
fn wrong_passwords_slow_down_their_own_login_alone() {
    let server = TestServer::with(Config::default());
    let mut sa = server.connect();
    sa.execute("CREATE LOGIN app WITH PASSWORD = 'Zx-12345678'").unwrap();
    std::thread::scope(|scope| {
        for guess in 0..20 {
            let server = &server;
            scope.spawn(move || refused(server, "app", &format!("wrong {guess}"), ""));
        }
    });
    let throttle = &server.running().server().throttle;
    let now_ns = server.running().server().env().clock().now_ns();
    let delay = |login| throttle.begin(server.address().ip(), login).delay(now_ns);
    assert_eq!(delay("app"), std::time::Duration::from_secs(1));
    assert_eq!(delay("sa"), std::time::Duration::ZERO);
    drop(server.connect());
    assert_eq!(refused(&server, "app", "Zx-12345678", ""), [0; 0]);
    assert_eq!(
        delay("app"),
        std::time::Duration::ZERO,
        "the right password makes up for the wrong ones"
    );
}

/// The sid and password of a contained user are the database's; a login of the name is another.
#[test]
fn contained_users_log_in_to_their_database() {
    let dir = {
        let server = TestServer::new();
        let mut sa = server.connect();
        for text in [
            "sp_configure 'show advanced options', 1",
            "reconfigure",
            "sp_configure 'contained database authentication', 1",
            "reconfigure",
            "create database d containment = partial",
            "create login app with password = 'Login-12345'",
            "use d",
            "create user app with password = 'User-12345', default_language = Deutsch",
        ] {
            sa.execute(text).unwrap();
        }
        server.stop()
    };
    let server = TestServer::in_directory(dir, Config::default());
    const NONE: [i32; 0] = [];
    assert_eq!(refused(&server, "app", "User-12345", "d"), NONE);
    assert_eq!(refused(&server, "app", "Login-12345", ""), NONE);
    assert_eq!(refused(&server, "app", "Login-12345", "d"), [18456]);
    assert_eq!(refused(&server, "app", "User-12345", ""), [18456]);
    let mut options = server.options().with_database("d");
    options.authentication =
        Authentication::Password { user: "app".into(), password: "User-12345".into() };
    let mut app = Connection::connect(&options).unwrap();
    let who =
        "select concat(original_login(), '|', user_name(), '|', @@language, '|', db_name()) a";
    let rows = app.query(who).unwrap().rows;
    assert_eq!(rows, [[base::Value::unicode("app|app|Deutsch|d")]]);
    let mut sa = server.connect();
    sa.execute("use d").unwrap();
    let dropped = sa.execute("drop user app").unwrap_err();
    assert_eq!(dropped.server_message().map(|m| m.error.number()), Some(15434));
    // Guesses at the user do not slow the login down.
    for guess in 0..10 {
        refused(&server, "app", &format!("wrong {guess}"), "d");
    }
    let throttle = &server.running().server().throttle;
    let now_ns = server.running().server().env().clock().now_ns();
    let delay = |name: &str| throttle.begin(server.address().ip(), name).delay(now_ns);
    assert_eq!(delay("app"), std::time::Duration::ZERO);
    assert!(delay("app\0d") > std::time::Duration::ZERO);
}

#[test]
fn trusted_clients_are_let_in_where_that_is_allowed() {
    let open = TestServer::shared();
    let mut options = open.options();
    options.authentication = Authentication::Trusted;
    assert!(Connection::connect(&options).is_ok());
    let strict = TestServer::with(Config::default());
    let mut options = strict.options();
    options.authentication = Authentication::Trusted;
    let error = Connection::connect(&options).unwrap_err();
    assert_eq!(error.server_message().map(|m| m.error.number()), Some(18452));
}

#[test]
fn connections_beyond_the_limit_are_refused() {
    let server = TestServer::with(Config { max_connections: 2, ..Config::default() });
    let first = server.connect();
    let _second = server.connect();
    let error = Connection::connect(&server.options()).unwrap_err();
    assert_eq!(error.server_message().map(|m| m.error.number()), Some(17809), "{error:?}");
    drop(first);
    wait_until("there is room again", || Connection::connect(&server.options()).is_ok());
}

#[test]
fn a_client_that_says_nothing_is_not_waited_for() {
    let login_timeout = std::time::Duration::from_millis(200);
    let server = TestServer::with(Config { login_timeout, ..Config::default() });
    let mut raw = crate::support::Raw::connect(&server);
    assert!(raw.is_closed());
}

#[test]
fn a_stopped_server_closes_its_connections_and_leaves_its_directory() {
    let server = TestServer::new();
    let mut idle = server.connect();
    let dir = server.stop();
    let lost = idle.execute("select 1").unwrap_err();
    assert!(matches!(lost, ClientError::Lost(_)), "{lost:?}");
    let again = TestServer::in_directory(dir, Config::default());
    assert_eq!(again.running().sa_password(), None, "the directory holds data already");
    drop(again.connect());
}

#[test]
fn a_directory_has_one_server() {
    let server = TestServer::new();
    let options = server::embedded::Options::local(server.running().server().config.data.clone());
    let Err(error) = server::embedded::start(options) else { panic!("two servers, one directory") };
    assert!(error.to_string().contains("in use by another process"), "{error}");
}

#[test]
fn a_directory_with_other_things_is_left_alone() {
    let dir = TempDir::new();
    std::fs::create_dir_all(dir.path().join("databases")).unwrap();
    std::fs::write(dir.path().join("databases/mine"), "mine").unwrap();
    let Err(error) = server::embedded::start(server::embedded::Options::local(dir.path())) else {
        panic!("a foreign directory was taken")
    };
    assert!(error.to_string().contains("choose an empty directory"), "{error}");
    assert!(dir.path().join("databases/mine").exists());
}

#[test]
fn a_logon_trigger_refuses_logins_and_a_start_without_them_is_the_way_back() {
    let password = crate::support::PASSWORD;
    let server = TestServer::new();
    let mut admin = server.connect();
    admin.execute("create table seen (n int)").unwrap();
    admin.execute("create trigger never on all server for logon as rollback").unwrap();
    assert_eq!(refused(&server, "sa", password, ""), [17892]);
    admin.execute("disable trigger never on all server").unwrap();
    assert_eq!(refused(&server, "sa", password, ""), [0; 0]);
    admin.execute("enable trigger never on all server").unwrap();
    drop(admin);
    let config = Config { logon_triggers: false, ..Config::default() };
    let server = TestServer::in_directory(server.stop(), config);
    server.connect().execute("drop trigger never on all server").unwrap();
}

#[test]
fn a_logon_trigger_that_waits_keeps_out_its_own_login_alone() {
    // Longer than a login takes on a busy machine.
    let login_timeout = std::time::Duration::from_secs(3);
    let server = TestServer::with(Config { login_timeout, ..Config::default() });
    let mut admin = server.connect();
    admin.execute("create login slow with password = 'Zx-12345678'").unwrap();
    admin
        .execute(
            "create trigger waits on all server for logon as
             if original_login() = 'slow' waitfor delay '01:00:00'",
        )
        .unwrap();
    let mut options = server.options();
    options.authentication =
        Authentication::Password { user: "slow".into(), password: "Zx-12345678".into() };
    assert!(Connection::connect(&options).is_err());
    drop(server.connect());
    // Its session ends, and its trigger with that.
    let sessions = || server.running().server().instance.sessions.all().len();
    wait_until("only the administrator is left", || sessions() <= 1);
}

/// The triggers went on until the login timed out, though nothing was to hear of their end.
#[test]
fn a_client_that_leaves_ends_its_logon_triggers() {
    let server = TestServer::new();
    let mut admin = server.connect();
    let waits = "create trigger waits on all server for logon as waitfor delay '01:00:00'";
    admin.execute(waits).unwrap();
    let sessions = || server.running().server().instance.sessions.all().len();
    let raw = crate::support::Raw::asking_to_log_in(server.address(), Vec::new());
    wait_until("the trigger waits", || sessions() == 2);
    let left = std::time::Instant::now();
    drop(raw);
    wait_until("only the administrator is left", || sessions() == 1);
    assert!(left.elapsed() < Config::default().login_timeout / 2);
}
