//! From a socket to a session: agreeing on encryption, TLS, login.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use rustls::ClientConnection;
use tds::client::request;
use tds::login::{Login, option_flags1, option_flags2, type_flags};
use tds::prelogin::{Encryption, EncryptionScope, Prelogin, encryption_after_answer};
use tds::tls::{HandshakeReader, wrap_handshake};
use tds::{MessageEvent, MessageReader, MessageWriter, ProtocolError, Side, TdsVersion};

use super::answer::Receiver;
use super::error::{ClientError, TimeoutKind};
use super::incoming::Incoming;
use super::link::{Link, remaining};
use super::options::{Authentication, ConnectOptions, Encrypt};
use super::trust;

/// The largest answer to a `PRELOGIN` that is believed.
const PRELOGIN_ANSWER_BYTES_MAX: usize = 4096;
/// The version in `LOGIN7` of clients that begin with TLS.
const VERSION_STRICT: u32 = 0x0800_0000;

/// Connects and logs in. Messages of the login go to the receiver.
pub(super) fn establish<R: Receiver + ?Sized>(
    options: &ConnectOptions,
    receiver: &mut R,
) -> Result<(Link, Incoming), ClientError> {
    let deadline = options.login_timeout.map(|time| Instant::now() + time);
    let mut link = Link::open(&options.address, deadline)
        .map_err(|error| ClientError::Unreachable(options.address.clone(), error))?;
    link.socket()
        .set_write_timeout(remaining(deadline).map_err(while_logging_in)?)
        .map_err(ClientError::Lost)?;
    if options.encrypt == Encrypt::Strict {
        start_strict(&mut link, options, deadline)?;
    }
    let scope = exchange_prelogin(&mut link, options, deadline)?;
    if scope != EncryptionScope::Nothing {
        start_within_packets(&mut link, options, deadline)?;
    }
    let mut out = MessageWriter::new();
    request::login(&mut out, &login_message(options));
    link.send(out.ready()).map_err(while_logging_in)?;
    if scope == EncryptionScope::Login {
        link.stop_tls();
    }
    let mut incoming = Incoming::new();
    receive_login(&mut link, &mut incoming, receiver, deadline)?;
    link.socket().set_write_timeout(None).map_err(ClientError::Lost)?;
    Ok((link, incoming))
}

fn while_logging_in(error: io::Error) -> ClientError {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            ClientError::Timeout(TimeoutKind::Login)
        }
        _ => ClientError::Lost(error),
    }
}

fn exchange_prelogin(
    link: &mut Link,
    options: &ConnectOptions,
    deadline: Option<Instant>,
) -> Result<EncryptionScope, ClientError> {
    let encryption = match options.encrypt {
        Encrypt::Never | Encrypt::Strict => Encryption::NotSupported,
        Encrypt::Optional => Encryption::Off,
        Encrypt::Mandatory => Encryption::On,
    };
    let prelogin = Prelogin {
        version: [0, 1, 0, 0, 0, 0],
        encryption: Some(encryption),
        instance: Some(Vec::new()),
        thread_id: Some(std::process::id()),
        mars: Some(false),
        ..Prelogin::default()
    };
    let mut out = MessageWriter::new();
    request::prelogin(&mut out, &prelogin);
    link.send(out.ready()).map_err(while_logging_in)?;
    let mut messages = MessageReader::new(Side::Client, PRELOGIN_ANSWER_BYTES_MAX);
    loop {
        let mut bytes = link.receive(deadline).map_err(while_logging_in)?;
        if bytes.is_empty() {
            return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into()));
        }
        if let Some(MessageEvent::Message { body, .. }) = messages.feed(&mut bytes)? {
            let answer = Prelogin::parse(body)?;
            return match encryption_after_answer(encryption, answer.encryption) {
                // TLS is established already, whatever the messages inside it ask for.
                _ if options.encrypt == Encrypt::Strict => Ok(EncryptionScope::Nothing),
                Some(scope) => Ok(scope),
                None if options.encrypt == Encrypt::Never => {
                    Err(ClientError::Encryption("the server requires encryption"))
                }
                None => Err(ClientError::Encryption("the server does not support encryption")),
            };
        }
    }
}

fn new_tls(options: &ConnectOptions) -> Result<Box<ClientConnection>, ClientError> {
    let config = trust::client_config(&options.trust, options.encrypt == Encrypt::Strict)?;
    let name = trust::server_name(&options.trust, &options.address.host)?;
    let tls = ClientConnection::new(Arc::new(config), name);
    tls.map(Box::new).map_err(|error| ClientError::Tls(error.to_string()))
}

/// TLS first, everything else inside (TDS 8.0).
fn start_strict(
    link: &mut Link,
    options: &ConnectOptions,
    deadline: Option<Instant>,
) -> Result<(), ClientError> {
    let mut tls = new_tls(options)?;
    let timeout = remaining(deadline).map_err(while_logging_in)?;
    link.socket().set_read_timeout(timeout).map_err(ClientError::Lost)?;
    while tls.is_handshaking() {
        tls.complete_io(link.socket()).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => ClientError::Tls(error.to_string()),
            _ => while_logging_in(error),
        })?;
    }
    link.socket().set_read_timeout(None).map_err(ClientError::Lost)?;
    link.start_tls(tls);
    Ok(())
}

/// The handshake's records travel in packets; once it is over, records carry packets.
fn start_within_packets(
    link: &mut Link,
    options: &ConnectOptions,
    deadline: Option<Instant>,
) -> Result<(), ClientError> {
    let mut tls = new_tls(options)?;
    let mut packets = HandshakeReader::new(Side::Client);
    let failed = |error: rustls::Error| ClientError::Tls(error.to_string());
    loop {
        let mut records = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut records).map_err(ClientError::Lost)?;
        }
        let mut out = MessageWriter::new();
        wrap_handshake(&records, &mut out);
        link.send(out.ready()).map_err(while_logging_in)?;
        if !tls.is_handshaking() {
            link.start_tls(tls);
            return Ok(());
        }
        let mut bytes = link.receive(deadline).map_err(while_logging_in)?;
        if bytes.is_empty() {
            return Err(ClientError::Tls("the server has closed the connection".into()));
        }
        let mut records = Vec::new();
        while !bytes.is_empty() {
            packets.unwrap(&mut bytes, &mut records)?;
        }
        let mut rest = records.as_slice();
        while !rest.is_empty() {
            tls.read_tls(&mut rest).map_err(ClientError::Lost)?;
            tls.process_new_packets().map_err(failed)?;
        }
    }
}

fn login_message(options: &ConnectOptions) -> Login {
    let (user, password, integrated) = match &options.authentication {
        Authentication::Password { user, password } => (user.clone(), password.clone(), 0),
        Authentication::Trusted => {
            (String::new(), String::new(), option_flags2::INTEGRATED_SECURITY)
        }
    };
    let read_only = if options.read_only { type_flags::READ_ONLY_INTENT } else { 0 };
    Login {
        tds_version: match options.encrypt {
            Encrypt::Strict => VERSION_STRICT,
            _ => TdsVersion::V7_4.number(),
        },
        packet_size: options.packet_size.into(),
        client_version: 1 << 16,
        client_pid: std::process::id(),
        option_flags1: option_flags1::USE_DB
            | option_flags1::INIT_DB_FATAL
            | option_flags1::SET_LANGUAGE,
        option_flags2: option_flags2::INIT_LANGUAGE_FATAL | option_flags2::ODBC | integrated,
        type_flags: type_flags::TSQL | read_only,
        lcid: 0x0409,
        host_name: match options.host_name.as_str() {
            "" => machine_name(),
            name => name.to_owned(),
        },
        user_name: user,
        password,
        app_name: options.app_name.clone(),
        server_name: options.address.host.clone(),
        library_name: "thermocline".into(),
        database: options.database.clone(),
        ..Login::default()
    }
}

/// This machine's name, as far as it can be known without asking the system.
pub(crate) fn machine_name() -> String {
    let from_environment =
        || ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|n| std::env::var(n).ok());
    let from_file = || std::fs::read_to_string("/etc/hostname").ok();
    let name = from_environment().or_else(from_file).unwrap_or_default();
    name.trim().to_owned()
}

fn receive_login<R: Receiver + ?Sized>(
    link: &mut Link,
    incoming: &mut Incoming,
    receiver: &mut R,
    deadline: Option<Instant>,
) -> Result<(), ClientError> {
    loop {
        let mut bytes = link.receive(deadline).map_err(while_logging_in)?;
        let has_ended = bytes.is_empty();
        if incoming.feed(&mut bytes, receiver)? || has_ended {
            if let Some(message) = incoming.outcome.first_error.take() {
                return Err(ClientError::Server(message));
            }
            return match (&incoming.session.login, has_ended) {
                (_, true) => Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into())),
                (None, false) => {
                    Err(ProtocolError::Malformed("the login is neither accepted nor refused")
                        .into())
                }
                (Some(_), false) => Ok(()),
            };
        }
    }
}
