//! T-SQL: text in, tree out. Nothing here knows what a name means, and nothing does I/O.
//!
//! * [`parse_batch`] and the like read text; their errors are SQL Server's.
//! * [`ast`] is the tree.
//! * [`print`] writes expressions as `sys.check_constraints` and the like show them.
//! * [`is_reserved`], [`quote_identifier`]: what else has to be known of the language's words.

pub mod ast;
mod check;
mod lexer;
mod parser;
pub mod print;

pub use lexer::keyword::{is_reserved, reserved_words};
pub use parser::{
    ParseOptions, parse_batch, parse_batch_within, parse_condition, parse_data_type,
    parse_expression, parse_object_name, parse_parameter_list,
};

/// The variables that a text names, in the order of the places where it does; comments and strings
/// name none.
pub fn variables_of(text: &str, options: ParseOptions) -> Vec<&str> {
    let tokens = lexer::tokens(text, options.quoted_identifier, &mut |_| Ok(()));
    let tokens = tokens.expect("all was admitted");
    let variables = tokens.list.iter().filter(|t| t.kind == lexer::token::TokenKind::Variable);
    variables.map(|t| &text[t.span.start as usize..t.span.end as usize]).collect()
}

/// An identifier in brackets, as `QUOTENAME` writes it.
pub fn quote_identifier(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// Reads arbitrary bytes in every way there is, for a fuzzer: whatever they are, nothing panics,
/// and what can be read and printed can be read again and prints the same.
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for quoted_identifier in [true, false] {
        let options = ParseOptions { quoted_identifier };
        // Only the way matters; any result will do.
        let _ = parse_batch(&text, options);
        if let Ok(condition) = parse_condition(&text, options) {
            let printed = print::condition(&condition);
            if let Some(again) = read_again(parse_condition(&printed, options), &printed) {
                assert_eq!(print::condition(&again), printed);
            }
        }
        if let Ok(expr) = parse_expression(&text, options) {
            let printed = print::expression(&expr);
            if let Some(again) = read_again(parse_expression(&printed, options), &printed) {
                assert_eq!(print::expression(&again), printed);
            }
        }
    }
    let _ = parse_data_type(&text);
    let _ = parse_parameter_list(&text);
    let _ = parse_object_name(&text, ParseOptions::default());
}

/// What was printed can be read, unless its parentheses nest too deeply for that.
fn read_again<T>(read: base::SqlResult<T>, printed: &str) -> Option<T> {
    match read {
        Ok(tree) => Some(tree),
        Err(error) if error.number() == base::message::NESTED_TOO_DEEPLY.number => None,
        Err(error) => panic!("{printed}: {error}"),
    }
}
