//! The bodies of procedures that T-SQL could not say.

pub mod applock;
pub mod attach;
pub mod checkpoints;
pub mod collection;
pub mod configuration;
pub mod describe;
pub mod directory;
pub mod error_log;
pub mod messages;
pub mod naming;
pub mod plans;
pub mod pools;
pub mod properties;
pub mod refresh;
pub(crate) mod rows;
pub mod sequences;
pub mod session;
pub mod triggers;
