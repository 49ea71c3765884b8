//! Answers, from bytes to calls of a [`Receiver`]; without a socket, so that a thread that waits
//! for many connections at once can use it.

use std::io;

use base::Collation;
use tds::client::tokens::LoginAcknowledged;
use tds::client::{Token, TokenReader};
use tds::packet::{PacketEvent, PacketReader, Side};
use tds::token::DoneStatus;
use tds::{EnvChange, ProtocolError, TdsVersion};

use super::answer::{Outcome, Receiver};
use super::error::ClientError;

/// What the server has sent about the session.
#[derive(Clone, Debug)]
pub(super) struct SessionState {
    /// The open transaction's descriptor, which requests repeat; 0 for none.
    pub(super) transaction: u64,
    /// The database.
    pub(super) database: String,
    /// The packet size that was agreed.
    pub(super) packet_size: Option<u16>,
    /// The server's answer to the login.
    pub(super) login: Option<LoginAcknowledged>,
    /// The collation of the database.
    pub(super) collation: Collation,
}

/// Reads the answers of one connection.
pub(super) struct Incoming {
    packets: PacketReader,
    tokens: TokenReader,
    version: TdsVersion,
    pub(super) session: SessionState,
    pub(super) outcome: Outcome,
    /// The server has confirmed an attention since the request began.
    pub(super) attention_confirmed: bool,
    /// Why the receiver could not go on. It gets nothing any more then.
    pub(super) stopped: Option<io::Error>,
}

impl Incoming {
    pub(super) fn new() -> Incoming {
        let version = TdsVersion::V7_4;
        Incoming {
            packets: PacketReader::new(Side::Client),
            tokens: TokenReader::new(version, Collation::DEFAULT),
            version,
            session: SessionState {
                transaction: 0,
                database: String::new(),
                packet_size: None,
                login: None,
                collation: Collation::DEFAULT,
            },
            outcome: Outcome::default(),
            attention_confirmed: false,
            stopped: None,
        }
    }

    /// The version of the protocol that was agreed.
    pub(super) fn version(&self) -> TdsVersion {
        self.version
    }

    /// Forgets the answer before.
    pub(super) fn begin(&mut self) {
        self.outcome = Outcome::default();
        self.attention_confirmed = false;
        self.stopped = None;
    }

    /// Takes bytes. Returns whether they have completed a message; what follows a complete message
    /// stays in `bytes`.
    ///
    /// # Errors
    /// When the bytes are not an answer; the connection cannot be used any further then.
    pub(super) fn feed<R: Receiver + ?Sized>(
        &mut self,
        bytes: &mut &[u8],
        receiver: &mut R,
    ) -> Result<bool, ClientError> {
        while let Some(event) = self.packets.feed(bytes)? {
            match event {
                PacketEvent::Start { .. } => {}
                PacketEvent::Data(data) => {
                    self.tokens.feed(data);
                    self.take_tokens(receiver)?;
                }
                PacketEvent::End { .. } => {
                    if !self.tokens.is_empty() {
                        return Err(ProtocolError::Truncated.into());
                    }
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn take_tokens<R: Receiver + ?Sized>(&mut self, receiver: &mut R) -> Result<(), ClientError> {
        loop {
            let told = match self.tokens.next()? {
                None => return Ok(()),
                Some(Token::Row(row)) => {
                    self.outcome.rows += 1;
                    if self.stopped.is_none() { receiver.row(&row) } else { Ok(()) }
                }
                Some(Token::Done(done)) => {
                    self.outcome.count_done(&done);
                    self.attention_confirmed |= done.status.contains(DoneStatus::ATTENTION);
                    if self.stopped.is_none() { receiver.done(&done) } else { Ok(()) }
                }
                Some(Token::Message(message)) => {
                    self.outcome.count_message(&message);
                    if self.stopped.is_none() { receiver.message(&message) } else { Ok(()) }
                }
                Some(Token::ReturnStatus(status)) => {
                    self.outcome.procedures += 1;
                    self.outcome.return_status = Some(status);
                    if self.stopped.is_none() { receiver.return_status(status) } else { Ok(()) }
                }
                Some(Token::ReturnValue(value)) => {
                    if self.stopped.is_none() {
                        receiver.return_value(value)
                    } else {
                        Ok(())
                    }
                }
                Some(Token::EnvChange(change)) => {
                    self.session.change(change);
                    Ok(())
                }
                Some(Token::LoginAck(ack)) => {
                    self.version = TdsVersion::negotiate(ack.tds_version)?;
                    self.session.login = Some(ack);
                    self.tokens.set_version(self.version);
                    Ok(())
                }
                Some(Token::Columns) => match self.stopped {
                    None => receiver.columns(self.tokens.columns()),
                    Some(_) => Ok(()),
                },
                Some(
                    Token::FeatureAck(_)
                    | Token::SessionState(..)
                    | Token::Order(_)
                    | Token::Classification(_)
                    | Token::Other(..),
                ) => Ok(()),
            };
            if let Err(error) = told {
                self.stopped = Some(error);
            }
        }
    }
}

impl SessionState {
    fn change(&mut self, change: EnvChange<'static>) {
        match change {
            EnvChange::Database { new, .. } => self.database = new.into_owned(),
            EnvChange::PacketSize { new, .. } => self.packet_size = u16::try_from(new).ok(),
            EnvChange::Collation { new: Some(new), .. } => {
                self.collation = new.collation(Collation::DEFAULT);
            }
            EnvChange::BeginTransaction { descriptor } => self.transaction = descriptor,
            EnvChange::CommitTransaction { .. }
            | EnvChange::RollbackTransaction { .. }
            | EnvChange::TransactionEnded { .. } => self.transaction = 0,
            _ => {}
        }
    }
}
