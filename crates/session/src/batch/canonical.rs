//! Calls in ODBC's canonical form, as `sp_prepexecrpc` takes them: `{? = call p (?, 7, ?)}`.

use base::SqlResult;

use crate::fault::unimplemented;
use crate::session::arguments::{Argument, ArgumentIn};

/// A call as a text of T-SQL, with the declarations of its parameters.
pub(super) struct CanonicalCall {
    pub text: String,
    pub declared: String,
}

impl CanonicalCall {
    /// The call in which each marker is the next of the arguments. A bare name is called with all
    /// of them.
    pub fn new(call: &str, arguments: &[Argument]) -> SqlResult<CanonicalCall> {
        let call = call.trim();
        let mut text = String::with_capacity(call.len() + 16);
        if !call.starts_with('{') {
            text.push_str("EXEC ");
        }
        let mut marker = 0;
        for (is_quoted, piece) in pieces(call) {
            if is_quoted {
                text.push_str(piece);
                continue;
            }
            let mut parts = piece.split('?');
            text.push_str(parts.next().unwrap_or_default());
            for part in parts {
                // The status is written without saying that it comes back.
                let is_status = part.trim_start().starts_with('=');
                push_parameter(&mut text, marker, arguments, !is_status);
                marker += 1;
                text.push_str(part);
            }
        }
        if marker == 0 && !call.starts_with('{') {
            for at in 0..arguments.len() {
                text.push_str(if at == 0 { " " } else { ", " });
                push_parameter(&mut text, at, arguments, true);
            }
        }
        Ok(CanonicalCall { text, declared: declarations(arguments)? })
    }
}

fn push_parameter(text: &mut String, at: usize, arguments: &[Argument], with_output: bool) {
    text.push_str(&format!("@P{}", at + 1));
    if with_output && arguments.get(at).is_some_and(|argument| argument.output) {
        text.push_str(" OUTPUT");
    }
}

fn declarations(arguments: &[Argument]) -> SqlResult<String> {
    let mut declared = String::new();
    for (at, argument) in arguments.iter().enumerate() {
        let ty = match &argument.value {
            ArgumentIn::Scalar(_, ty) => ty.to_string(),
            ArgumentIn::Default => "sql_variant = NULL".into(),
            ArgumentIn::Table(_) | ArgumentIn::Cursor(_) => {
                return Err(unimplemented("sp_prepexecrpc of tables and cursors"));
            }
        };
        let comma = if at == 0 { "" } else { ", " };
        let output = if argument.output { " OUTPUT" } else { "" };
        declared.push_str(&format!("{comma}@P{} {ty}{output}", at + 1));
    }
    Ok(declared)
}

/// A text in pieces, and whether each is in quotes or brackets.
fn pieces(text: &str) -> Vec<(bool, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(from) = rest.find(['\'', '"', '[']) {
        let (plain, quoted) = rest.split_at(from);
        let (quoted, after) = quoted.split_at(quoted_length(quoted));
        pieces.push((false, plain));
        pieces.push((true, quoted));
        rest = after;
    }
    pieces.push((false, rest));
    pieces
}

/// How long what is quoted at the start is, its ends included. Doubled ends stand for themselves.
fn quoted_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let end = if bytes[0] == b'[' { b']' } else { bytes[0] };
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] == end {
            true if bytes.get(at + 1) == Some(&end) => at += 2,
            true => return at + 1,
            false => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
