//! Changes of the environment (`ENVCHANGE`), which both sides must agree on.

use std::borrow::Cow;

use crate::collation::WireCollation;
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::token;
use crate::writer::{MessageWriter, PutBytes};

/// What has changed, from what to what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnvChange<'a> {
    /// The database.
    Database {
        /// The database now.
        new: Cow<'a, str>,
        /// The database before.
        old: Cow<'a, str>,
    },
    /// The language of messages.
    Language {
        /// The language now.
        new: Cow<'a, str>,
        /// The language before.
        old: Cow<'a, str>,
    },
    /// The packet size, from the next message on.
    PacketSize {
        /// The size now.
        new: u32,
        /// The size before.
        old: u32,
    },
    /// The default collation.
    Collation {
        /// The collation now.
        new: Option<WireCollation>,
        /// The collation before.
        old: Option<WireCollation>,
    },
    /// A transaction has begun; from 7.2 on.
    BeginTransaction {
        /// Its descriptor, which requests repeat.
        descriptor: u64,
    },
    /// A transaction has been committed; from 7.2 on.
    CommitTransaction {
        /// Its descriptor.
        descriptor: u64,
    },
    /// A transaction has been rolled back; from 7.2 on.
    RollbackTransaction {
        /// Its descriptor.
        descriptor: u64,
    },
    /// The transaction that a request was to run in has ended; from 7.2 on.
    TransactionEnded {
        /// Its descriptor.
        descriptor: u64,
    },
    /// The session has been reset, as the request's packet asked.
    ResetConnection,
    /// Any other change: its number, new and old value as they lie on the wire.
    Other {
        /// The number.
        kind: u8,
        /// Everything after the number.
        values: Cow<'a, [u8]>,
    },
}

const DATABASE: u8 = 1;
const LANGUAGE: u8 = 2;
const PACKET_SIZE: u8 = 4;
const COLLATION: u8 = 7;
const BEGIN_TRANSACTION: u8 = 8;
const COMMIT_TRANSACTION: u8 = 9;
const ROLLBACK_TRANSACTION: u8 = 10;
const TRANSACTION_ENDED: u8 = 17;
const RESET_CONNECTION: u8 = 18;

impl EnvChange<'_> {
    /// Writes the token.
    pub fn write(&self, out: &mut MessageWriter) {
        out.put_token(token::ENVCHANGE, |out| self.write_content(out));
    }

    fn write_content(&self, out: &mut MessageWriter) {
        let texts = |out: &mut MessageWriter, kind, new: &str, old: &str| {
            out.put_u8(kind);
            out.put_b_varchar(new);
            out.put_b_varchar(old);
        };
        match self {
            EnvChange::Database { new, old } => texts(out, DATABASE, new, old),
            EnvChange::Language { new, old } => texts(out, LANGUAGE, new, old),
            EnvChange::PacketSize { new, old } => {
                texts(out, PACKET_SIZE, &new.to_string(), &old.to_string());
            }
            EnvChange::Collation { new, old } => {
                out.put_u8(COLLATION);
                for collation in [new, old] {
                    let bytes = collation.as_ref().map_or(&[][..], |c| &c.0);
                    out.put_u8(bytes.len() as u8);
                    out.put(bytes);
                }
            }
            EnvChange::BeginTransaction { descriptor } => {
                out.put(&[BEGIN_TRANSACTION, 8]);
                out.put_u64(*descriptor);
                out.put_u8(0);
            }
            EnvChange::CommitTransaction { descriptor } => {
                put_ended(out, COMMIT_TRANSACTION, *descriptor);
            }
            EnvChange::RollbackTransaction { descriptor } => {
                put_ended(out, ROLLBACK_TRANSACTION, *descriptor);
            }
            EnvChange::TransactionEnded { descriptor } => {
                put_ended(out, TRANSACTION_ENDED, *descriptor);
            }
            EnvChange::ResetConnection => out.put(&[RESET_CONNECTION, 0, 0]),
            EnvChange::Other { kind, values } => {
                out.put_u8(*kind);
                out.put(values);
            }
        }
    }

    /// Reads a token's content.
    ///
    /// # Errors
    /// [`ProtocolError::Truncated`] and [`ProtocolError::Malformed`].
    pub fn read(content: &[u8]) -> Result<EnvChange<'static>, ProtocolError> {
        let mut r = ByteReader::new(content);
        let kind = r.u8()?;
        let mut texts = || -> Result<[String; 2], ProtocolError> {
            Ok([r.b_varchar()?.to_text(), r.b_varchar()?.to_text()])
        };
        Ok(match kind {
            DATABASE => {
                let [new, old] = texts()?.map(Cow::Owned);
                EnvChange::Database { new, old }
            }
            LANGUAGE => {
                let [new, old] = texts()?.map(Cow::Owned);
                EnvChange::Language { new, old }
            }
            PACKET_SIZE => {
                let [new, old] = texts()?;
                let size = new.parse();
                let new = size.map_err(|_| ProtocolError::Malformed("packet size"))?;
                EnvChange::PacketSize { new, old: old.parse().unwrap_or_default() }
            }
            COLLATION => {
                let new = read_collation(&mut r)?;
                EnvChange::Collation { new, old: read_collation(&mut r)? }
            }
            BEGIN_TRANSACTION => {
                EnvChange::BeginTransaction { descriptor: read_descriptor(&mut r)? }
            }
            COMMIT_TRANSACTION | ROLLBACK_TRANSACTION | TRANSACTION_ENDED => {
                r.b_varbyte()?;
                let descriptor = read_descriptor(&mut r)?;
                match kind {
                    COMMIT_TRANSACTION => EnvChange::CommitTransaction { descriptor },
                    ROLLBACK_TRANSACTION => EnvChange::RollbackTransaction { descriptor },
                    _ => EnvChange::TransactionEnded { descriptor },
                }
            }
            RESET_CONNECTION => EnvChange::ResetConnection,
            _ => EnvChange::Other { kind, values: r.rest().to_vec().into() },
        })
    }
}

fn put_ended(out: &mut MessageWriter, kind: u8, descriptor: u64) {
    out.put(&[kind, 0, 8]);
    out.put_u64(descriptor);
}

fn read_descriptor(r: &mut ByteReader<'_>) -> Result<u64, ProtocolError> {
    let bytes = r.b_varbyte()?;
    bytes
        .try_into()
        .map(u64::from_le_bytes)
        .map_err(|_| ProtocolError::Malformed("transaction descriptor"))
}

fn read_collation(r: &mut ByteReader<'_>) -> Result<Option<WireCollation>, ProtocolError> {
    match r.b_varbyte()? {
        [] => Ok(None),
        bytes => Ok(Some(WireCollation(
            bytes.try_into().map_err(|_| ProtocolError::Malformed("collation"))?,
        ))),
    }
}

#[cfg(test)]
mod tests;
