//! The parser's tests. `tests/corpus` at the crate's root has the statements in their variety; here
//! is what they must mean, and what is wrong with others.

mod errors;
mod expressions;
mod garbage;
mod queries;
mod statements;

use super::*;
use crate::ast::{Statement, StatementKind};

/// A batch that must be right.
fn parse(text: &str) -> Batch {
    parse_batch(text, ParseOptions::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The only statement of a batch.
fn statement(text: &str) -> StatementKind {
    let mut statements = parse(text).statements;
    assert_eq!(statements.len(), 1, "{text}");
    statements.remove(0).kind
}

/// The query of a `SELECT`, printed.
fn select(text: &str) -> String {
    match statement(text) {
        StatementKind::Select(select) => crate::print::query(&select.query),
        other => panic!("{text}: {other:?}"),
    }
}

/// A scalar expression, printed.
fn scalar(text: &str) -> String {
    let expr = parse_expression(text, ParseOptions::default());
    crate::print::expression(&expr.unwrap_or_else(|e| panic!("{text}: {e}")))
}

/// A condition, printed.
fn condition(text: &str) -> String {
    let condition = parse_condition(text, ParseOptions::default());
    crate::print::condition(&condition.unwrap_or_else(|e| panic!("{text}: {e}")))
}

/// The names of statements' variants.
fn kinds(statements: &[Statement]) -> Vec<String> {
    let name = |statement: &Statement| {
        let debug = format!("{:?}", statement.kind);
        debug.chars().take_while(|c| c.is_alphanumeric()).collect()
    };
    statements.iter().map(name).collect()
}
