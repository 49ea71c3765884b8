//! Statements of tests, by what becomes of them.

use base::Value;
use tools::client::{ClientError, Connection};

/// The number of the first error, if there is one.
pub fn error(connection: &mut Connection, text: &str) -> Option<i32> {
    match connection.execute(text) {
        Ok(outcome) => outcome.first_error.map(|message| message.error.number()),
        Err(ClientError::Server(message)) => Some(message.error.number()),
        Err(error) => panic!("{text}: {error}"),
    }
}

/// What must not fail.
pub fn run(connection: &mut Connection, text: &str) {
    assert_eq!(error(connection, text), None, "{text}");
}

/// The number of the error of what must fail.
pub fn refused(connection: &mut Connection, text: &str) -> i32 {
    error(connection, text).unwrap_or_else(|| panic!("{text} is not refused"))
}

/// The first number of the answer.
pub fn number(connection: &mut Connection, text: &str) -> i64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(number) => number,
        ref other => panic!("{text}: {other:?}"),
    }
}
