//! Why a request could not be made, or its answer not be read.

use std::{fmt, io};

use tds::client::ServerMessage;
use tds::{EncodeError, ProtocolError};

use super::address::ServerAddress;
use super::answer::FATAL_SEVERITY;

/// Which limit was passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeoutKind {
    /// The one for reaching the server and logging in.
    Login,
    /// The one for a request. The request was cancelled; the connection can be used further.
    Query,
}

/// What went wrong. The connection is of no further use, except after [`ClientError::Server`] below
/// severity 20, [`ClientError::Receiver`] and a query's timeout.
#[derive(Debug)]
pub enum ClientError {
    /// The server cannot be reached.
    Unreachable(ServerAddress, io::Error),
    /// The connection has failed, or the server has closed it.
    Lost(io::Error),
    /// The server has sent something that is not TDS.
    Protocol(ProtocolError),
    /// TLS has failed.
    Tls(String),
    /// Both sides' wishes about encryption cannot be met.
    Encryption(&'static str),
    /// A value that was to be sent is not one of its type.
    Encode(EncodeError),
    /// A limit was passed.
    Timeout(TimeoutKind),
    /// The server has raised an error.
    Server(Box<ServerMessage>),
    /// The receiver of the answer cannot go on; the request was cancelled.
    Receiver(io::Error),
    /// The connection was closed before, by an error that was reported.
    Closed,
}

impl ClientError {
    /// The server's message, if this is one.
    pub fn server_message(&self) -> Option<&ServerMessage> {
        match self {
            ClientError::Server(message) => Some(message),
            _ => None,
        }
    }

    /// Whether the connection can be used further.
    pub fn leaves_connection_open(&self) -> bool {
        match self {
            ClientError::Server(message) => message.error.severity() < FATAL_SEVERITY,
            ClientError::Receiver(_) | ClientError::Timeout(TimeoutKind::Query) => true,
            _ => false,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Unreachable(address, error) => {
                write!(f, "no connection to {address}: {error}")
            }
            ClientError::Lost(error) => write!(f, "the connection was lost: {error}"),
            ClientError::Protocol(error) => write!(f, "the server's answer is not TDS: {error}"),
            ClientError::Tls(error) => write!(f, "TLS failed: {error}"),
            ClientError::Encryption(what) => write!(f, "{what}"),
            ClientError::Encode(error) => write!(f, "a value cannot be sent: {error}"),
            ClientError::Timeout(TimeoutKind::Login) => write!(f, "Login timeout expired."),
            ClientError::Timeout(TimeoutKind::Query) => write!(f, "Query timeout expired."),
            ClientError::Server(message) => write!(f, "{}", message.error),
            ClientError::Receiver(error) => write!(f, "the results cannot be written: {error}"),
            ClientError::Closed => write!(f, "the connection is closed"),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<ProtocolError> for ClientError {
    fn from(error: ProtocolError) -> ClientError {
        ClientError::Protocol(error)
    }
}

impl From<EncodeError> for ClientError {
    fn from(error: EncodeError) -> ClientError {
        ClientError::Encode(error)
    }
}
