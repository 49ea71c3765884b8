//! The hot store: rows in memory, their versions, and the indexes over them.
//! See `docs/design/hot-store.md`.

pub mod account;
pub mod alloc;
pub mod anchor;
pub mod filter;
pub mod gate;
pub mod index;
pub mod key;
pub mod row;
pub mod status;
pub mod visibility;
