//! Planning: from a bound statement to a tree of operators.
//!
//! [`expr`], [`tree`] and [`native`] are the vocabulary that binder, planner and lowering share.

pub mod expr;
pub mod native;
pub mod tree;
