//! From `LOGIN7` to a session, or to a refusal.

use std::borrow::Cow;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use base::datetime::Language;
use base::{SqlError, message};
use engine::wait::{Interrupt, Interrupted};
use ir::function::facts::Connection;
use session::instance::login::{Authenticated, LoginFailure};
use session::instance::sessions::ClientInfo;
use session::options::ClientKind;
use session::response::EnvironmentChange;
use session::session::{LoginOptions, Session};
use tds::collation::WireCollation;
use tds::login::{Login, acknowledged_features, asks_for_json, classification_version};
use tds::packet::{PACKET_SIZE_DEFAULT, negotiate_packet_size};
use tds::prelogin::EncryptionScope;
use tds::server::ResponseWriter;
use tds::server::response::LoginAck;
use tds::token::{Done, DoneKind, DoneStatus, feature};
use tds::{EnvChange, TdsVersion};
use tokio::sync::oneshot::{self, Receiver};
use tracing::info;

use super::Addresses;
use super::answer::{Answer, Terms, write_environment};
use super::handshake::Greeted;
use super::inbox::Inbox;
use super::session::poll_receive;
use super::transport::Transport;
use crate::server::{Counted, PROGRAM_VERSION, Server};
use crate::throttle::Attempt;

/// A client that was let in.
pub struct Entered {
    /// Its session.
    pub session: Box<Session>,
    /// For its answers.
    pub answer: Box<Answer>,
    /// What it has sent already.
    pub inbox: Inbox,
    /// The version that is spoken.
    pub version: TdsVersion,
}

/// Lets a client in. Nothing if the login was refused; the client has got the error then.
pub async fn enter(
    server: &Arc<Server>,
    transport: &mut Transport,
    greeted: Greeted,
    addresses: Addresses,
    counted: Option<Arc<Counted>>,
) -> Option<Entered> {
    let Greeted { login, mut inbox, is_strict, scope } = greeted;
    let version = TdsVersion::negotiate(login.tds_version).ok()?;
    let opened = match counted {
        Some(_) => {
            open(server, &login, addresses, is_strict || scope == EncryptionScope::Everything)
        }
        None => {
            let max = server.config.max_connections;
            let error = SqlError::new(&message::TOO_MANY_CONNECTIONS, &[&max, &""]);
            refuse(server, transport, version, &[error]).await;
            return None;
        }
    };
    let session = match opened.await {
        Ok(session) => session,
        Err(errors) => {
            refuse(server, transport, version, &errors).await;
            return None;
        }
    };
    let session = match session.has_logon_triggers() {
        false => session,
        true => {
            let logged_on = tokio::select! {
                logged_on = log_on(server, session, counted) => logged_on,
                () = gone(transport, &mut inbox) => return None,
            };
            match logged_on {
                Ok(session) => session,
                Err(error) => {
                    report_logon(&error, addresses);
                    refuse(server, transport, version, &[error]).await;
                    return None;
                }
            }
        }
    };
    let packet_size = negotiate_packet_size(login.packet_size, server.config.packet_size);
    let acknowledged = acknowledge(server, &session, &login, version, packet_size);
    if transport.write_all(&acknowledged).await.is_err() {
        end(server, session).await;
        return None;
    }
    let limit = usize::try_from(server.config.message_limit.0).unwrap_or(usize::MAX);
    inbox.set_limit(limit);
    inbox.charge_to(server.instance.session_account());
    let terms = Terms {
        version,
        classification: match version.has_feature_extensions() {
            true => classification_version(&login),
            false => 0,
        },
        has_json: version.has_feature_extensions() && asks_for_json(&login),
        packet_size,
        session_id: session.id().0 as u16,
    };
    let answer = Answer::new(
        terms,
        &server.instance.database_name(session.database()),
        server.instance.facts().name.clone(),
        session.reveal().clone(),
        server.instance.session_account(),
    );
    Some(Entered { session, answer: Box::new(answer), inbox, version })
}

/// A login whose triggers run. When it is not waited for any more, they are interrupted, and the
/// session ends.
struct LoggingOn {
    server: Arc<Server>,
    /// None once the session goes on.
    interrupt: Option<Arc<Interrupt>>,
    outcome: Receiver<Result<Box<Session>, SqlError>>,
}

impl Drop for LoggingOn {
    fn drop(&mut self) {
        let Some(interrupt) = self.interrupt.take() else { return };
        interrupt.raise(Interrupted::Kill);
        self.outcome.close();
        // The triggers may have let it in already.
        if let Ok(Ok(session)) = self.outcome.try_recv() {
            let server = self.server.clone();
            tokio::spawn(async move { end(&server, session).await });
        }
    }
}

/// Runs the logon triggers. The session of a login that they refuse ends. So does that of one that
/// is not waited for any more, once the triggers have been interrupted; until then the connection
/// counts.
async fn log_on(
    server: &Arc<Server>,
    session: Box<Session>,
    counted: Option<Arc<Counted>>,
) -> Result<Box<Session>, SqlError> {
    let interrupt = session.interrupt().clone();
    let refused = SqlError::new(&message::LOGON_TRIGGER_FAILED, &[&session.login_name()]);
    let unknown = refused.clone();
    let (sender, receiver) = oneshot::channel();
    let own = server.clone();
    let mut logging_on =
        LoggingOn { server: server.clone(), interrupt: Some(interrupt.clone()), outcome: receiver };
    tokio::spawn(async move {
        let _counted = counted;
        let mut session = session;
        let running = engine::wait::Statement::new(own.runtime(), interrupt, move |task| {
            let outcome = session.logon(task, false);
            (session, outcome)
        });
        let error = match running.await {
            Ok((session, Ok(()))) => match sender.send(Ok(session)) {
                Ok(()) => return,
                Err(Ok(session)) => return end(&own, session).await,
                Err(Err(_)) => return,
            },
            Ok((session, Err(error))) => {
                end(&own, session).await;
                error
            }
            Err(_) => refused,
        };
        // A client that has gone does not want to know.
        let _ = sender.send(Err(error));
    });
    let outcome = (&mut logging_on.outcome).await;
    logging_on.interrupt = None;
    outcome.unwrap_or(Err(unknown))
}

/// Waits until the client has gone. What it sends before its login is confirmed is kept.
async fn gone(transport: &mut Transport, inbox: &mut Inbox) {
    poll_fn(|cx| {
        loop {
            if inbox.has_ended() {
                return Poll::Ready(());
            }
            if !inbox.wants_more() {
                return Poll::Pending;
            }
            match poll_receive(transport, cx, inbox) {
                Ok(true) => {}
                Ok(false) => return Poll::Pending,
                Err(_) => return Poll::Ready(()),
            }
        }
    })
    .await;
}

/// Tells the error log that logon triggers have refused a login.
fn report_logon(error: &SqlError, addresses: Addresses) {
    info!(
        process = "Logon",
        "Error: 17892, Severity: 20, State: 1. {} [CLIENT: {}]",
        error.text(),
        addresses.client.ip().to_canonical(),
    );
}

/// Ends a session whose client is gone.
pub async fn end(server: &Server, session: Box<Session>) {
    let interrupt = session.interrupt().clone();
    let ending = engine::wait::Statement::new(server.runtime(), interrupt, move |task| {
        session.close(task);
    });
    if ending.await.is_err() {
        tracing::error!("a session could not be ended: there is no memory for its stack");
    }
}

/// Authenticates the login and opens a session, or returns why not.
async fn open(
    server: &Arc<Server>,
    login: &Login,
    addresses: Addresses,
    encrypted: bool,
) -> Result<Box<Session>, Vec<SqlError>> {
    let (who, authentication) = match authenticate(server, login, addresses).await {
        Ok(who) => who,
        Err(failure) => {
            report(&failure, &login.user_name, addresses);
            return Err(vec![failure.error]);
        }
    };
    let database =
        server.instance.login_database(&who, &login.database).map_err(|(error, failure)| {
            report(&failure, &who.login.name, addresses);
            vec![error, failure.error]
        })?;
    let language = language(server, login, &who).map_err(|error| vec![error])?;
    let connection = Connection {
        original_login: who.login.name.clone(),
        original_database: server.instance.database_name(database),
        host_name: login.host_name.as_str().into(),
        host_process_id: login.client_pid as i32,
        program_name: login.app_name.as_str().into(),
        transport: "TCP",
        authentication,
        client_address: Some(addresses.client.ip().to_canonical().to_string().into()),
        local_address: Some((
            addresses.server.ip().to_canonical().to_string().into(),
            addresses.server.port(),
        )),
    };
    let mut connection_id = [0; 16];
    server.env().rng().fill(&mut connection_id);
    let client = ClientInfo {
        connection: Arc::new(connection),
        library: login.library_name.as_str().into(),
        protocol_version: protocol_version(login.tds_version),
        encrypted,
        packet_size: negotiate_packet_size(login.packet_size, server.config.packet_size).into(),
        client_port: addresses.client.port().into(),
        connection_id,
    };
    let kind = if login.has_ansi_defaults() { ClientKind::Odbc } else { ClientKind::DbLibrary };
    let options = LoginOptions { who, database, client, kind, language };
    Session::open(&server.instance, options).map(Box::new).map_err(|error| vec![error])
}

/// The login, and the scheme that authenticated it.
async fn authenticate(
    server: &Arc<Server>,
    login: &Login,
    addresses: Addresses,
) -> Result<(Authenticated, &'static str), LoginFailure> {
    let refused = |log_state, reason: &str| LoginFailure {
        error: SqlError::new(&message::LOGIN_FAILED, &[&login.user_name]),
        log_state,
        reason: reason.into(),
    };
    if login.wants_integrated_security() || !login.sspi.is_empty() {
        let is_local = addresses.client.ip().to_canonical().is_loopback();
        if is_local && server.config.allow_local_trusted {
            return Ok((server.instance.trust("sa")?, "NTLM"));
        }
        return Err(LoginFailure {
            error: SqlError::new(&message::INTEGRATED_LOGIN_FAILED, &[&""]),
            log_state: 1,
            reason: "Integrated authentication is not served to this client.".into(),
        });
    }
    if login.feature(feature::FEDERATED_AUTHENTICATION).is_some() {
        return Err(refused(1, "Federated authentication is not served."));
    }
    if login.new_password.is_some() {
        return Err(refused(1, "Passwords cannot be changed while logging in."));
    }
    let (_, is_contained) = server.instance.password_hash(&login.user_name, &login.database);
    // The users of a contained database are others than the logins of the same names.
    let claimed = match is_contained {
        true => Cow::from(format!("{}\0{}", login.user_name, login.database)),
        false => Cow::from(&login.user_name),
    };
    let attempt = server.throttle.begin(addresses.client.ip(), &claimed);
    let delay = attempt.delay(server.env().clock().now_ns());
    if delay > Duration::ZERO {
        tokio::time::sleep(delay).await;
    }
    let checked = check_password(server, login, &attempt).await;
    match &checked {
        Ok(_) => attempt.succeeded(),
        Err(_) => attempt.failed(server.env().clock().now_ns()),
    }
    Ok((checked?, "SQL"))
}

/// Checks the password: at once if it was right lately, else on a thread that may take its time.
async fn check_password(
    server: &Arc<Server>,
    login: &Login,
    attempt: &Attempt<'_>,
) -> Result<Authenticated, LoginFailure> {
    let is_known = || {
        let (hash, _) = server.instance.password_hash(&login.user_name, &login.database);
        hash.is_some_and(|hash| server.passwords.recognises(&login.password, &hash))
    };
    let (instance, name) = (server.instance.clone(), login.user_name.clone());
    let (password, database) = (login.password.clone(), login.database.clone());
    let authenticate = move || instance.authenticate(&name, &password, &database);
    if is_known() {
        return authenticate();
    }
    let queue = match attempt.is_suspect(server.env().clock().now_ns()) {
        true => &server.suspect_checks,
        false => &server.slow_checks,
    };
    let _turn = queue.acquire().await.expect("the semaphore is never closed");
    // Another connection of the same client may have shown meanwhile that the password is right.
    if is_known() {
        return authenticate();
    }
    let check = tokio::task::spawn_blocking(authenticate);
    check.await.expect("checking a password does not panic")
}

/// The language that the client asks for, or the login's, or the server's. Error 18456 if the
/// client insists on one that does not exist.
fn language(
    server: &Server,
    login: &Login,
    who: &Authenticated,
) -> Result<&'static Language, SqlError> {
    let default = who.login.default_language.as_deref().and_then(Language::by_name);
    let default = default.unwrap_or(server.config.language);
    if login.language.is_empty() {
        return Ok(default);
    }
    let is_fatal = login.option_flags2 & tds::login::option_flags2::INIT_LANGUAGE_FATAL != 0;
    match Language::by_name(&login.language) {
        Some(language) => Ok(language),
        None if is_fatal => Err(SqlError::new(&message::LOGIN_FAILED, &[&login.user_name])),
        None => Ok(default),
    }
}

/// Tells the error log why a login was refused.
fn report(failure: &LoginFailure, name: &str, addresses: Addresses) {
    info!(
        process = "Logon",
        "Error: {}, Severity: {}, State: {}. Login failed for user '{name}'. Reason: {} [CLIENT: {}]",
        failure.error.number(),
        failure.error.severity(),
        failure.log_state,
        failure.reason,
        addresses.client.ip().to_canonical(),
    );
}

const DONE: Done =
    Done { kind: DoneKind::Statement, status: DoneStatus::FINAL, command: 0, rows: 0 };

async fn refuse(
    server: &Server,
    transport: &mut Transport,
    version: TdsVersion,
    errors: &[SqlError],
) {
    let mut writer = ResponseWriter::new(version);
    writer.begin();
    for error in errors {
        writer.error(&error.clone().at_line(1), &server.instance.facts().name);
        server.instance.count_error();
    }
    writer.done(&Done { status: DoneStatus::ERROR, ..DONE });
    writer.end();
    // A client that has gone does not want to know.
    let _ = transport.write_all(writer.message().ready()).await;
}

/// The answer to a login that has succeeded.
fn acknowledge(
    server: &Server,
    session: &Session,
    login: &Login,
    version: TdsVersion,
    packet_size: u16,
) -> Vec<u8> {
    let name = &server.instance.facts().name;
    let database = server.instance.database_name(session.database());
    let collation = server
        .instance
        .database_def(session.database())
        .map_or(server.instance.facts().collation, |def| def.collation);
    let mut writer = ResponseWriter::new(version);
    writer.begin();
    write_environment(&mut writer, &EnvironmentChange::Database(&database, "master"));
    let told = SqlError::new(&message::CONTEXT_DATABASE_CHANGED, &[&database]);
    writer.error(&told.at_line(1), name);
    let wire = Some(WireCollation::of(collation));
    writer.env_change(&EnvChange::Collation { new: wire, old: None });
    let language = session.options().dates.language;
    writer.env_change(&EnvChange::Language { new: language.name.into(), old: "".into() });
    let told = SqlError::new(&message::CONTEXT_LANGUAGE_CHANGED, &[&language.name]);
    writer.error(&told.at_line(1), name);
    writer
        .login_ack(&LoginAck { program: "Microsoft SQL Server", program_version: PROGRAM_VERSION });
    writer.feature_ack(&acknowledged_features(login));
    writer.env_change(&EnvChange::PacketSize {
        new: packet_size.into(),
        old: PACKET_SIZE_DEFAULT.into(),
    });
    writer.done(&DONE);
    writer.end();
    writer.message().ready().to_vec()
}

/// The number of the version that is spoken, whatever build of it the client knows; TDS 8.0 keeps
/// its own.
fn protocol_version(asked: u32) -> i32 {
    match tds::TdsVersion::negotiate(asked) {
        Ok(spoken) if asked >> 24 != 0x08 => spoken.number() as i32,
        _ => asked as i32,
    }
}
