//! Planning: from a bound statement to a tree of operators.
//!
//! [`expr`], [`tree`] and [`native`] are the vocabulary that binder, planner and lowering share.

pub mod expr;
pub mod fold;
pub mod hints;
pub mod ids;
pub mod native;
pub mod optimize;
pub mod print;
pub mod rename;
pub mod show;
pub mod statistics;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used)]
pub mod testing;
pub mod tree;
pub mod walk;
