//! `PRELOGIN`: what both sides announce before the login, encryption above all.
//!
//! The message is a table of options (number, offset, length) and then their data. Both sides use
//! the same form.

use crate::error::ProtocolError;
use crate::reader::ByteReader;

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD_ID: u8 = 3;
const MARS: u8 = 4;
const TRACE_ID: u8 = 5;
const FEDERATED_AUTHENTICATION: u8 = 6;
const NONCE: u8 = 7;
const TERMINATOR: u8 = 0xFF;

/// What a side says about encryption.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Encryption {
    /// Possible; the login is encrypted, the rest is not.
    Off = 0,
    /// Possible and wanted for everything.
    On = 1,
    /// Not possible.
    NotSupported = 2,
    /// Required for everything.
    Required = 3,
}

impl Encryption {
    /// The high bits speak of client certificates; 4 is what some clients say when TLS came first.
    const fn from_byte(byte: u8) -> Result<Encryption, ProtocolError> {
        match byte & 0x7F {
            0 => Ok(Encryption::Off),
            1 => Ok(Encryption::On),
            2 | 4 => Ok(Encryption::NotSupported),
            3 => Ok(Encryption::Required),
            _ => Err(ProtocolError::Malformed("unknown encryption option")),
        }
    }
}

/// A `PRELOGIN` message. An option that is absent is `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prelogin {
    /// The version of the sender's program: major, minor, build (two bytes), sub-build (two).
    pub version: [u8; 6],
    /// Encryption.
    pub encryption: Option<Encryption>,
    /// From a client: the instance that it means, without the zero byte at the end. From a server:
    /// empty if it is that instance.
    pub instance: Option<Vec<u8>>,
    /// The client's thread, for its logs.
    pub thread_id: Option<u32>,
    /// Whether several requests may be active at a time.
    pub mars: Option<bool>,
    /// Connection and activity, for logs.
    pub trace_id: Option<[u8; 36]>,
    /// Whether federated authentication is required.
    pub federated_authentication: Option<bool>,
    /// A random number for federated authentication.
    pub nonce: Option<[u8; 32]>,
}

impl Prelogin {
    /// Reads a message.
    ///
    /// # Errors
    /// When the table has no end, points outside the message, or does not begin with the version.
    /// Unknown options are passed over.
    pub fn parse(message: &[u8]) -> Result<Prelogin, ProtocolError> {
        let mut prelogin = Prelogin::default();
        let mut table = ByteReader::new(message);
        let mut first = true;
        loop {
            let option = table.u8()?;
            if option == TERMINATOR {
                break;
            }
            if first != (option == VERSION) {
                return Err(ProtocolError::Malformed("the version comes first, and once"));
            }
            first = false;
            let offset = usize::from(table.u16_be()?);
            let length = usize::from(table.u16_be()?);
            let data = message.get(offset..offset + length).ok_or(ProtocolError::Truncated)?;
            prelogin.set(option, data)?;
        }
        if first {
            return Err(ProtocolError::Malformed("the version is missing"));
        }
        Ok(prelogin)
    }

    fn set(&mut self, option: u8, data: &[u8]) -> Result<(), ProtocolError> {
        const LENGTH: ProtocolError = ProtocolError::Malformed("an option has the wrong length");
        let flag = || match data {
            [byte] => Ok(Some(*byte != 0)),
            _ => Err(LENGTH),
        };
        match option {
            VERSION => self.version = data.try_into().map_err(|_| LENGTH)?,
            ENCRYPTION => match data.first() {
                Some(byte) => self.encryption = Some(Encryption::from_byte(*byte)?),
                None => return Err(LENGTH),
            },
            INSTANCE => self.instance = Some(until_zero(data).to_vec()),
            // Empty in answers.
            THREAD_ID => {
                self.thread_id = data.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
            }
            MARS => self.mars = flag()?,
            TRACE_ID => self.trace_id = data.first_chunk().copied(),
            FEDERATED_AUTHENTICATION => self.federated_authentication = flag()?,
            NONCE => self.nonce = Some(data.try_into().map_err(|_| LENGTH)?),
            _ => {}
        }
        Ok(())
    }

    /// The message's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut options: Vec<(u8, Vec<u8>)> = vec![(VERSION, self.version.to_vec())];
        if let Some(encryption) = self.encryption {
            options.push((ENCRYPTION, vec![encryption as u8]));
        }
        if let Some(instance) = &self.instance {
            options.push((INSTANCE, [instance.as_slice(), &[0]].concat()));
        }
        if let Some(thread_id) = self.thread_id {
            options.push((THREAD_ID, thread_id.to_be_bytes().to_vec()));
        }
        if let Some(mars) = self.mars {
            options.push((MARS, vec![mars.into()]));
        }
        if let Some(trace_id) = &self.trace_id {
            options.push((TRACE_ID, trace_id.to_vec()));
        }
        if let Some(required) = self.federated_authentication {
            options.push((FEDERATED_AUTHENTICATION, vec![required.into()]));
        }
        if let Some(nonce) = &self.nonce {
            options.push((NONCE, nonce.to_vec()));
        }
        assemble(&options)
    }

    /// What a server answers: its version, the outcome of [`negotiate_encryption`], the instance
    /// taken to be right, no MARS, no federated authentication.
    pub fn answer(&self, version: [u8; 6], encryption: Encryption) -> Prelogin {
        Prelogin {
            version,
            encryption: Some(encryption),
            instance: Some(Vec::new()),
            thread_id: None,
            mars: Some(false),
            trace_id: None,
            federated_authentication: self.federated_authentication.map(|_| false),
            nonce: None,
        }
    }
}

fn until_zero(data: &[u8]) -> &[u8] {
    data.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn assemble(options: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut table = Vec::new();
    let mut data = Vec::new();
    let start = 5 * options.len() + 1;
    for (option, bytes) in options {
        table.push(*option);
        table.extend_from_slice(&((start + data.len()) as u16).to_be_bytes());
        table.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
        data.extend_from_slice(bytes);
    }
    table.push(TERMINATOR);
    table.extend_from_slice(&data);
    table
}

/// How much of a connection is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EncryptionScope {
    /// Nothing.
    Nothing,
    /// The login; after it, packets go in the clear again.
    Login,
    /// Everything from here on.
    Everything,
}

/// What a server allows its clients.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ServerEncryption {
    /// No TLS at all.
    NotSupported,
    /// What the client asks for.
    Optional,
    /// Everything must be encrypted.
    Required,
}

/// What a server answers about encryption, and what follows from it; no scope when the connection
/// cannot go on. `client` is what the client has said; a client that says nothing has no TLS.
/// `strict` says that TLS came before everything else (TDS 8.0).
pub fn negotiate_encryption(
    client: Option<Encryption>,
    server: ServerEncryption,
    strict: bool,
) -> (Encryption, Option<EncryptionScope>) {
    use Encryption::{NotSupported, Off, On, Required};
    use EncryptionScope::{Everything, Login, Nothing};
    if strict {
        return (NotSupported, Some(Nothing));
    }
    match (server, client.unwrap_or(NotSupported)) {
        (ServerEncryption::NotSupported, Off | NotSupported) => (NotSupported, Some(Nothing)),
        (ServerEncryption::NotSupported, On | Required) => (NotSupported, None),
        (ServerEncryption::Optional, Off) => (Off, Some(Login)),
        (ServerEncryption::Optional, On | Required) => (On, Some(Everything)),
        (ServerEncryption::Optional, NotSupported) => (NotSupported, Some(Nothing)),
        (ServerEncryption::Required, Off) => (Required, Some(Everything)),
        (ServerEncryption::Required, On | Required) => (On, Some(Everything)),
        (ServerEncryption::Required, NotSupported) => (Required, None),
    }
}

/// What a client does with the server's answer; nothing when the connection cannot go on.
pub fn encryption_after_answer(
    client: Encryption,
    server: Option<Encryption>,
) -> Option<EncryptionScope> {
    use Encryption::{NotSupported, Off, On, Required};
    match (client, server.unwrap_or(NotSupported)) {
        (Off, Off) => Some(EncryptionScope::Login),
        (Off | On | Required, On | Required) => Some(EncryptionScope::Everything),
        (Off | NotSupported, NotSupported) | (NotSupported, Off) => Some(EncryptionScope::Nothing),
        (On | Required, Off | NotSupported) | (NotSupported, On | Required) => None,
    }
}

#[cfg(test)]
mod tests;
