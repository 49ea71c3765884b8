//! Transactions. See `docs/design/transactions.md`.

mod check;
mod commit;
mod counters;
mod error;
mod group;
mod keys;
mod load_set;
pub mod locks;
mod log_needs;
mod manager;
mod own_storage;
mod page_fault;
mod peer_wait;
mod promote;
mod read;
mod read_set;
mod redo;
mod row_ref;
mod session;
mod settle;
mod space;
mod statement_scan;
mod successor;
mod sunk;
mod tracking;
mod transaction;
mod undo;
mod validate;
mod waits;
mod write;
mod write_set;

#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) mod tests;

pub use check::{LostPage, TableCheck, TableFault};
pub use commit::Durability;
pub use error::{TxnError, TxnResult, Unavailable};
pub use group::{CommitError, TransactionGroup};
pub use manager::{Manager, ManagerParts, TransactionInfo};
pub use page_fault::PageFault;
pub use row_ref::{RowRef, keep_row};
pub use session::{DatabaseSession, ReadAt};
pub use space::RowSpace;
pub use statement_scan::StatementScan;
pub use tracking::{Commit, commit_table, read_commits};
pub use transaction::{Statement, Transaction};
pub use waits::{Blocker, Gates, Owner, OwnerId, Refusal, Resource, WaitGraph, WaitPlace, Waits};
pub use write::{TakenRow, Written};
pub use write_set::{CHANGED_ROWS_MAX, ChangedRow, Savepoint};
