//! The hot store: rows in memory, their versions, and the indexes over them.
//! See `docs/design/hot-store.md`.

pub mod anchor;
pub mod row;
