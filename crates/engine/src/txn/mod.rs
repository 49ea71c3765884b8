//! Transactions. See `docs/design/transactions.md`.

mod block;
mod check;
mod commit;
mod counters;
mod error;
mod group;
mod keys;
pub mod locks;
mod manager;
mod page_fault;
mod promote;
mod read;
mod redo;
mod settle;
mod space;
mod successor;
mod sunk;
mod transaction;
mod undo;
mod unsettled;
mod validate;
mod waits;
mod write;
mod written;

#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) mod tests;

pub use check::{LostPage, TableCheck, TableFault};
pub use commit::Durability;
pub use error::{TxnError, TxnResult, Unavailable};
pub use group::{CommitError, TransactionGroup};
pub use manager::{DatabaseSession, Manager, ManagerParts, TransactionInfo};
pub use page_fault::PageFault;
pub use space::RowSpace;
pub use transaction::{ReadAt, Savepoint, Statement, Transaction};
pub use waits::{Blocker, Gates, Owner, OwnerId, Place, Refusal, Resource, WaitGraph, Waits};
pub use write::{Trace, Written};
pub use written::{CHANGED_ROWS_MAX, ChangedRow};
