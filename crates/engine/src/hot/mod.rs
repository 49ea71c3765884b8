//! The hot store: rows in memory, their versions, and the indexes over them.
//! See `docs/design/hot-store.md`.

pub mod account;

pub mod anchor;
pub(crate) mod copies;
pub mod cursor;
pub mod filter;
pub mod gate;
pub mod heap;
pub mod identity;
pub mod index;
pub mod key;
pub mod lock_word;
pub mod progress;
pub mod reclaim;
pub mod row;
pub mod sink_queue;
pub mod status;
pub mod table;
pub mod tally;
pub mod visibility;
