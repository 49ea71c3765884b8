//! Planning: from a bound statement to a tree of operators.
//!
//! [`expr`] and [`tree`] are the vocabulary that binder, planner and lowering share.

pub mod expr;
pub mod tree;
