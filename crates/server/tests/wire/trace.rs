//! Answers as lines that can be compared.

use base::{Collation, Value};
use tds::client::{Token, TokenReader};
use tds::token::{Done, DoneKind, DoneStatus, command};
use tds::{EnvChange, TdsVersion};

/// One line for each token of an answer.
pub fn lines(answer: &[u8]) -> Vec<String> {
    let mut reader = TokenReader::new(TdsVersion::V7_4, Collation::default());
    reader.feed(answer);
    let mut lines = Vec::new();
    loop {
        let mut names = None;
        let line = match reader.next().expect("an answer is made of tokens") {
            None => break,
            Some(Token::Columns) => {
                names = Some(());
                String::new()
            }
            Some(Token::Row(row)) => {
                let values: Vec<String> =
                    (0..row.len()).map(|c| value(&row.get(c).unwrap().into_value())).collect();
                format!("row {}", values.join(", "))
            }
            Some(Token::Done(of)) => done(&of),
            Some(Token::Message(message)) => {
                let error = &message.error;
                let kind = if message.is_error() { "error" } else { "info" };
                match error.number() {
                    0 => format!("{kind}: {}", error.text()),
                    number => format!("{kind} {number}"),
                }
            }
            Some(Token::EnvChange(change)) => environment(&change),
            Some(Token::ReturnStatus(status)) => format!("status {status}"),
            Some(Token::ReturnValue(of)) => {
                format!("value {} {} = {}", of.ordinal, of.name, value(&of.value))
            }
            Some(other) => format!("{other:?}"),
        };
        lines.push(match names {
            None => line,
            Some(()) => {
                let names: Vec<&str> = reader.columns().iter().map(|c| c.name.as_str()).collect();
                format!("columns {}", names.join(", "))
            }
        });
    }
    assert!(reader.is_empty(), "an answer ends with a token: {lines:#?}");
    lines
}

fn done(done: &Done) -> String {
    let mut line = String::from(match done.kind {
        DoneKind::Statement => "done",
        DoneKind::Procedure => "doneproc",
        DoneKind::InProcedure => "doneinproc",
    });
    match done.command {
        0 => {}
        command::SELECT => line += " select",
        command::INSERT => line += " insert",
        command::UPDATE => line += " update",
        command::DELETE => line += " delete",
        command::EXECUTE => line += " execute",
        other => line += &format!(" {other:#x}"),
    }
    if done.status.contains(DoneStatus::COUNT) {
        line += &format!(" {}", done.rows);
    }
    let bits = [
        (DoneStatus::ERROR, "error"),
        (DoneStatus::ATTENTION, "attention"),
        (DoneStatus::RPC_IN_BATCH, "in-batch"),
        (DoneStatus::SERVER_ERROR, "server-error"),
        (DoneStatus::MORE, "more"),
    ];
    for (_, name) in bits.iter().filter(|(bit, _)| done.status.contains(*bit)) {
        line += &format!(" {name}");
    }
    line
}

fn environment(change: &EnvChange<'_>) -> String {
    match change {
        EnvChange::Database { new, .. } => format!("database {new}"),
        EnvChange::Language { new, .. } => format!("language {new}"),
        EnvChange::BeginTransaction { .. } => "begin".into(),
        EnvChange::CommitTransaction { .. } => "commit".into(),
        EnvChange::RollbackTransaction { .. } => "rollback".into(),
        EnvChange::ResetConnection => "reset".into(),
        other => format!("{other:?}"),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(v) => v.to_string(),
        Value::Unicode(bytes) => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        Value::Chars(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => format!("{other:?}"),
    }
}
