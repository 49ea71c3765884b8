//! The server's side: requests are read, answers written.
//!
//! | message | read by |
//! |---|---|
//! | `PRELOGIN`, `LOGIN7` | [`crate::prelogin`], [`crate::login`] |
//! | SQL batch, transaction manager request | [`request`] |
//! | procedure call, with table-valued parameters | [`rpc`], [`table`] |
//! | bulk load | [`bulk`], as a stream |
//!
//! [`response`] writes tokens and [`rows`] the rows between them.

pub mod bulk;
pub mod request;
pub mod response;
pub mod rows;
pub mod rpc;
pub mod table;

pub use bulk::{BulkEvent, BulkReader};
pub use request::{AllHeaders, SqlBatch, TransactionRequest};
pub use response::ResponseWriter;
pub use rows::{RowEncoder, RowSource};
pub use rpc::{ProcedureId, ProcedureRef, RpcCall, RpcError, RpcReader};
pub use table::TableParameter;
