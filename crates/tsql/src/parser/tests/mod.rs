//! The parser's tests. `tests/corpus` at the crate's root has the statements in their variety; here
//! is what they must mean, and which texts are errors.

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

/// The tree of a long text was made in one go, however much memory it took.
#[test]
fn reading_a_long_text_asks_before_it_takes_memory_and_ends_when_refused() {
    let text = format!("select 1 where 1 in (1{})", ",1".repeat(100_000));
    let (mut asked, mut most) = (0, 0);
    let mut admit = |bytes: usize| {
        asked += 1;
        most = bytes.max(most);
        Ok(())
    };
    parse_batch_within(&text, ParseOptions::default(), &mut admit).unwrap();
    assert!(asked > 100 && most > 200_000 * size_of::<Token>(), "{asked} times, {most} bytes");
    for last in [1, 40, asked - 1] {
        let mut left = last;
        let refused = parse_batch_within(&text, ParseOptions::default(), &mut |_| {
            left -= 1;
            match left {
                0 => Err(SqlError::new(&message::OUT_OF_MEMORY, &[&"default"])),
                _ => Ok(()),
            }
        });
        assert_eq!(refused.unwrap_err().number(), 701);
    }
    let short = &mut |_| panic!("a short text takes little");
    parse_batch_within("select 1", ParseOptions::default(), short).unwrap();
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
