//! TDS, the protocol between SQL Server and its clients, as bytes: no sockets, no threads.
//!
//! # Layers
//! * [`packet`] and [`writer`] cut messages into packets and put them together again.
//! * [`prelogin`], [`tls`] and [`login`] are how a connection begins, from both sides.
//! * [`typeinfo`] and [`value`] are the forms of types and values; [`collation`] those of
//!   collations; [`columns`] and [`row`] put them together.
//! * [`token`] names what answers consist of.
//! * [`server`] reads requests and writes answers; [`client`] writes requests and reads answers.
//!
//! # The life of a request, on the server
//! The socket's bytes go through [`packet::MessageReader`]; what comes out is a whole message, or
//! for bulk load a stream. [`server::request`] and its neighbours parse it without copying: strings
//! and values point into the message. The answer's tokens and rows go into a
//! [`server::ResponseWriter`], whose full packets are taken and sent while it is being written.
//!
//! # Invariants
//! T1: no input makes this crate panic, loop for ever, or allocate more than in proportion to the
//! bytes that have arrived. A length is compared with what is there before anything else is done
//! with it.
//! T2: nothing is converted between code pages; `varchar` is the bytes that were sent. Only names,
//! statements and messages are texts, and these are UTF-16 on the wire.
//! T3: what a version of the protocol does not know is never sent to a client of that version.
//! Differences between versions are questions to [`TdsVersion`], so that one place lists them.

#![forbid(unsafe_code)]

pub mod classification;
pub mod client;
pub mod collation;
pub mod columns;
pub mod env;
pub mod error;

pub mod fuzz;
pub mod login;
pub mod packet;
pub mod prelogin;
pub mod reader;
pub mod row;
pub mod server;
pub mod tls;
pub mod token;
pub mod typeinfo;
pub mod value;
pub mod version;
pub mod writer;

pub use columns::{Column, ColumnFlags};
pub use env::EnvChange;
pub use error::{EncodeError, ProtocolError};
pub use packet::{MessageEvent, MessageReader, PacketType, Reset, Side};
pub use value::Datum;
pub use version::TdsVersion;
pub use writer::MessageWriter;

#[cfg(test)]
mod tests;
