//! The client's side: requests are written, answers read. The project's tools and tests use it,
//! which put it at the other end of [`crate::server`].
//!
//! A connection begins with [`crate::prelogin`], [`crate::tls`] and [`crate::login`]; [`request`]
//! writes requests, [`bulk`] bulk loads, and [`tokens`] reads answers while they arrive.

pub mod bulk;
pub mod request;
pub mod tokens;

pub use bulk::BulkWriter;
pub use request::{Parameter, RpcWriter, TableWriter};
pub use tokens::{ServerMessage, Token, TokenReader};
