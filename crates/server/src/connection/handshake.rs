//! How a connection begins: TLS or not, `PRELOGIN`, TLS within packets, and the message `LOGIN7`.
//!
//! ```text
//! first byte 0x16   TLS, then PRELOGIN within it, then LOGIN7            (TDS 8.0)
//! else              PRELOGIN, then by what was agreed:
//!                     nothing      LOGIN7
//!                     login        TLS within packets, LOGIN7 within TLS, then no TLS any more
//!                     everything   TLS within packets, then everything within TLS
//! ```

use std::future::poll_fn;
use std::io::{self, Read};

use tds::login::Login;
use tds::packet::{PacketType, Reset, Side};
use tds::prelogin::{
    Encryption, EncryptionScope, Prelogin, ServerEncryption, negotiate_encryption,
};
use tds::tls::{FirstByte, HandshakeReader, wrap_handshake};
use tds::writer::PutBytes;
use tds::{MessageWriter, ProtocolError};

use super::inbox::{Inbound, Inbox};
use super::transport::Transport;
use crate::certificate::Tls;
use crate::config::Encrypt;

/// Bytes that a message before the login may have; logins with tokens have some thousands.
const MESSAGE_BYTES_MAX: usize = 128 * 1024;
/// Bytes of a TLS record's header.
const RECORD_HEADER: usize = 5;

/// Why a connection did not come to its login.
#[derive(Debug)]
pub enum HandshakeError {
    /// It was closed, or reset.
    Io(io::Error),
    /// The client does not speak TDS.
    Protocol(ProtocolError),
    /// TLS failed.
    Tls(rustls::Error),
    /// A message came that has no place here.
    Unexpected(PacketType),
    /// Client and server could not agree on encryption.
    Encryption,
    /// `LOGIN7` is not what it should be.
    Login(ProtocolError),
    /// The client closed the connection before it said anything, as port scanners do.
    Closed,
}

impl std::fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HandshakeError::Io(error) => error.fmt(f),
            HandshakeError::Protocol(error) => error.fmt(f),
            HandshakeError::Tls(error) => write!(f, "TLS: {error}"),
            HandshakeError::Unexpected(kind) => write!(f, "unexpected message {kind:?}"),
            HandshakeError::Encryption => write!(f, "client and server do not agree on encryption"),
            HandshakeError::Login(error) => write!(f, "the login is not well-formed: {error}"),
            HandshakeError::Closed => write!(f, "closed by the client"),
        }
    }
}

impl From<io::Error> for HandshakeError {
    fn from(error: io::Error) -> HandshakeError {
        HandshakeError::Io(error)
    }
}

impl From<ProtocolError> for HandshakeError {
    fn from(error: ProtocolError) -> HandshakeError {
        HandshakeError::Protocol(error)
    }
}

/// A client that has asked to be let in.
pub struct Greeted {
    /// What it says.
    pub login: Box<Login>,
    /// What it has sent beyond that.
    pub inbox: Inbox,
    /// Whether it spoke TLS before everything else.
    pub is_strict: bool,
    /// How much is encrypted.
    pub scope: EncryptionScope,
}

/// How the bytes of the next message come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As they are.
    Plain,
    /// Within TLS.
    Encrypted,
    /// Within TLS, or from some record on as they are.
    EncryptedAtFirst,
}

/// A connection that begins.
struct Beginning<'a> {
    transport: &'a mut Transport,
    /// The bytes that were received and not yet handed on.
    raw: Vec<u8>,
    inbox: Inbox,
}

/// Comes to an understanding with a client, up to its `LOGIN7`.
///
/// # Errors
/// Whatever makes it impossible; the connection cannot be used any further then.
pub async fn greet(
    transport: &mut Transport,
    encrypt: Encrypt,
    tls: Option<&Tls>,
    version: [u8; 6],
) -> Result<Greeted, HandshakeError> {
    let inbox = Inbox::new(MESSAGE_BYTES_MAX);
    let mut beginning = Beginning { transport, raw: Vec::new(), inbox };
    if !beginning.read_raw().await? {
        return Err(HandshakeError::Closed);
    }
    let is_strict = FirstByte::of(beginning.raw[0]) == FirstByte::Tls;
    let mut form = Form::Plain;
    if is_strict {
        let tls = tls.ok_or(HandshakeError::Encryption)?;
        beginning.transport.begin_tls(&tls.strict)?;
        beginning.shake_hands(false).await?;
        form = Form::Encrypted;
    } else if encrypt == Encrypt::Strict {
        return Err(HandshakeError::Encryption);
    }
    let (mut kind, mut body) = beginning.message(form).await?;
    let server = match (encrypt, tls) {
        (Encrypt::Off, _) | (_, None) => ServerEncryption::NotSupported,
        (Encrypt::On, _) => ServerEncryption::Optional,
        (Encrypt::Required | Encrypt::Strict, _) => ServerEncryption::Required,
    };
    let mut scope = EncryptionScope::Nothing;
    if kind == PacketType::Prelogin {
        let prelogin = Prelogin::parse(&body)?;
        scope = beginning.answer_prelogin(&prelogin, server, is_strict, version).await?;
        if scope != EncryptionScope::Nothing {
            let tls = tls.ok_or(HandshakeError::Encryption)?;
            beginning.transport.begin_tls(&tls.within_packets)?;
            beginning.shake_hands(true).await?;
            form = match scope {
                EncryptionScope::Login => Form::EncryptedAtFirst,
                _ => Form::Encrypted,
            };
        }
        (kind, body) = beginning.message(form).await?;
    } else if server == ServerEncryption::Required && !is_strict {
        return Err(HandshakeError::Encryption);
    }
    if kind != PacketType::Login {
        return Err(HandshakeError::Unexpected(kind));
    }
    let login = Login::parse(&body).map_err(HandshakeError::Login)?;
    if scope == EncryptionScope::Login {
        beginning.transport.end_tls();
        let rest = std::mem::take(&mut beginning.raw);
        beginning.inbox.feed(&rest);
    }
    Ok(Greeted { login: Box::new(login), inbox: beginning.inbox, is_strict, scope })
}

impl Beginning<'_> {
    /// Reads what there is. `false` at the end.
    async fn read_raw(&mut self) -> io::Result<bool> {
        let (transport, raw) = (&mut self.transport, &mut self.raw);
        let count = poll_fn(|cx| {
            transport.poll_read_raw(cx, &mut |bytes: &[u8]| raw.extend_from_slice(bytes))
        });
        Ok(count.await? > 0)
    }

    async fn read_more(&mut self) -> Result<(), HandshakeError> {
        match self.read_raw().await? {
            true => Ok(()),
            false => Err(ProtocolError::ConnectionEnded.into()),
        }
    }

    /// The next message.
    async fn message(&mut self, mut form: Form) -> Result<(PacketType, Vec<u8>), HandshakeError> {
        loop {
            match self.inbox.take()? {
                Some(Inbound::Message { kind, reset: Reset::None, body }) => {
                    return Ok((kind, body));
                }
                Some(_) => return Err(ProtocolError::Malformed("not a login").into()),
                None => {}
            }
            if !self.take_raw(&mut form)? {
                self.read_more().await?;
            }
        }
    }

    /// Hands on the bytes received. `false` if they are not enough for anything.
    fn take_raw(&mut self, form: &mut Form) -> Result<bool, HandshakeError> {
        let Some(first) = self.raw.first() else { return Ok(false) };
        if *form == Form::EncryptedAtFirst && FirstByte::of(*first) == FirstByte::Packet {
            *form = Form::Plain;
        }
        let count = match form {
            Form::Plain | Form::Encrypted => self.raw.len(),
            Form::EncryptedAtFirst => match record_length(&self.raw) {
                Some(count) => count,
                None => return Ok(false),
            },
        };
        let bytes: Vec<u8> = self.raw.drain(..count).collect();
        match form {
            Form::Plain => self.inbox.feed(&bytes),
            Form::Encrypted | Form::EncryptedAtFirst => self.decrypt(&bytes)?,
        }
        Ok(true)
    }

    /// Gives bytes to TLS, and what it makes of them to the inbox.
    fn decrypt(&mut self, mut bytes: &[u8]) -> Result<(), HandshakeError> {
        let tls = self.transport.tls().expect("TLS was begun");
        let mut plain = [0; 4096];
        while !bytes.is_empty() {
            tls.read_tls(&mut bytes)?;
            tls.process_new_packets().map_err(HandshakeError::Tls)?;
            loop {
                match tls.reader().read(&mut plain) {
                    Ok(0) => return Err(ProtocolError::ConnectionEnded.into()),
                    Ok(count) => self.inbox.feed(&plain[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    async fn answer_prelogin(
        &mut self,
        client: &Prelogin,
        server: ServerEncryption,
        is_strict: bool,
        version: [u8; 6],
    ) -> Result<EncryptionScope, HandshakeError> {
        let (said, scope) = negotiate_encryption(client.encryption, server, is_strict);
        let answer = client.answer(version, said);
        debug_assert!(!is_strict || said == Encryption::NotSupported);
        let mut writer = MessageWriter::new();
        writer.begin(PacketType::TabularResult);
        writer.put(&answer.to_bytes());
        writer.end();
        self.transport.write_all(writer.ready()).await?;
        scope.ok_or(HandshakeError::Encryption)
    }

    /// Sets TLS up, its records within packets or not.
    async fn shake_hands(&mut self, within_packets: bool) -> Result<(), HandshakeError> {
        let mut packets = HandshakeReader::new(Side::Server);
        loop {
            let mut records = Vec::new();
            if within_packets {
                let mut input = &self.raw[..];
                packets.unwrap(&mut input, &mut records)?;
                let used = self.raw.len() - input.len();
                self.raw.drain(..used);
            } else {
                records.append(&mut self.raw);
            }
            let fed = self.feed_handshake(&records);
            let mut out = Vec::new();
            let tls = self.transport.tls().expect("TLS was begun");
            while tls.wants_write() {
                tls.write_tls(&mut out)?;
            }
            let is_done = !tls.is_handshaking();
            if within_packets {
                let mut writer = MessageWriter::new();
                wrap_handshake(&out, &mut writer);
                self.transport.write_raw(writer.ready()).await?;
            } else {
                self.transport.write_raw(&out).await?;
            }
            fed?;
            if is_done {
                return Ok(());
            }
            if self.raw.is_empty() || records.is_empty() {
                self.read_more().await?;
            }
        }
    }

    fn feed_handshake(&mut self, mut records: &[u8]) -> Result<(), HandshakeError> {
        let tls = self.transport.tls().expect("TLS was begun");
        while !records.is_empty() {
            tls.read_tls(&mut records)?;
            let state = tls.process_new_packets().map_err(HandshakeError::Tls)?;
            let waiting = state.plaintext_bytes_to_read();
            if waiting > 0 {
                let mut plain = vec![0; waiting];
                tls.reader().read_exact(&mut plain)?;
                self.inbox.feed(&plain);
            }
        }
        Ok(())
    }
}

/// The bytes of the TLS record that comes first, if it is complete.
fn record_length(raw: &[u8]) -> Option<usize> {
    let header = raw.get(..RECORD_HEADER)?;
    let length = RECORD_HEADER + usize::from(u16::from_be_bytes([header[3], header[4]]));
    (raw.len() >= length).then_some(length)
}
