//! T-SQL: text in, tree out.

pub mod ast;
