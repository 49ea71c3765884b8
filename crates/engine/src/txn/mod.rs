//! Transactions. See `docs/design/transactions.md`.

pub mod waits;
