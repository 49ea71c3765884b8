//! A small blocking client of TDS servers.
//!
//! # Life of a connection
//! [`ConnectOptions`] say where and how; [`Connection::connect`] finds the machine, agrees on
//! encryption, logs in. A request ([`Connection::batch`], [`Connection::call`],
//! [`Connection::bulk_load`], or a [`Request`] made beforehand) is written, and its answer goes to
//! a [`Receiver`] while it arrives; the call returns when the answer is complete. After an error
//! that is not the server's own the connection is closed.
//!
//! A thread that drives many connections gives them to a [`Fleet`].
//!
//! # Threads
//! A connection belongs to one thread. A [`Canceller`] may be used from any other: it asks the
//! server to stop, and the call that is under way returns as soon as the server has confirmed.
//!
//! # Invariants
//! C1: between two requests nothing of an answer is unread, the confirmation of an attention
//! included; so a cancel that comes too late does no harm to the next request.
//! C2: a row is never kept; what a receiver does not look at is not decoded.

mod address;
mod answer;
mod bulk;
mod connection;
mod error;
mod fleet;
mod handshake;
mod incoming;
mod link;
mod options;
mod trust;

pub use address::{AddressError, DEFAULT_PORT, ServerAddress};
pub use answer::{Ignore, Outcome, Receiver, ResultSet, Results, Rows};
pub use bulk::{BulkOptions, BulkRows, BulkTarget};
pub use connection::{Argument, Connection, Request, TableArgument};
pub use error::{ClientError, TimeoutKind};
pub use fleet::{Driver, Fleet};
pub use link::Canceller;
pub use options::{Authentication, ConnectOptions, Encrypt, Trust};

pub use tds::client::request::TableColumnSpec;
pub use tds::client::tokens::ReturnValue;
pub use tds::client::{Parameter, ServerMessage};
pub use tds::columns::ReceivedColumn;
pub use tds::row::Row;
pub use tds::token::{Done, DoneKind, DoneStatus};

#[cfg(test)]
mod tests;
