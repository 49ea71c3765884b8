//! The parser: recursive descent over the lexer's tokens.
//!
//! # Way in
//!
//! `Parser::statement_parser` in [`statement`] knows every statement by its first word, and calls
//! its family's function: queries in `query`, `from` and `expr`, changes in `dml`, and so on, one
//! file for each part of the tree. To add a statement, add its node to `ast`, a function to the
//! family's file, and a line to `statement_parser` (for `CREATE`, `ALTER` and `DROP`, to those in
//! `ddl`).
//!
//! # Invariants
//!
//! * P1: the parser never goes back. It decides by looking ahead; so its first error is the first
//!   place where the text cannot be T-SQL, and takes linear time to find.
//! * P2: every recursion passes [`Parser::enter`] and counts for as many levels as it takes stack,
//!   about 900 bytes each in release; at most [`NESTING_MAX`], and as many as the stack has room
//!   for. So what lies on a path of recursion stays small: functions off it are not inlined, and
//!   what is unfinished waits on the heap. Together with `height` (see `expr`) this keeps trees
//!   within [`crate::ast::MAX_DEPTH`].
//! * P3: statements need no semicolons, so an alias without `AS` is taken only where the next word
//!   cannot begin anything else.

mod admin;
mod alter_table;
mod bulk;
mod call;
mod column;
mod cursor;
mod database;
mod ddl;
mod declare;
mod dml;
mod execute;
mod expr;
mod flow;
mod for_xml;
mod from;
mod hints;
mod index;
mod merge;
mod module;
mod permission;
mod policy;
mod query;
mod security;
mod sensitivity;
mod session;
mod statement;
mod stream;
mod table;
mod transaction;

use base::{SqlError, SqlResult, message};

use crate::ast::{Batch, Condition, DataType, Expr, ObjectName, ParameterDeclaration, Span};
use crate::check;
use crate::lexer::token::{Token, TokenKind};
use crate::lexer::{Admit, tokens};

/// How a text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// `SET QUOTED_IDENTIFIER`: `"x"` is a name (on) or a string (off).
    pub quoted_identifier: bool,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { quoted_identifier: true }
    }
}

/// How many levels the parser goes down (P2).
const NESTING_MAX: u32 = 1000;

/// A text on its way to a tree.
struct Parser<'a> {
    text: &'a str,
    /// Never empty; the last one is `End` or `Error`.
    tokens: Vec<Token>,
    position: usize,
    /// What the last token stands for, if it is `Error`.
    lexer_error: Option<SqlError>,
    options: ParseOptions,
    admit: Admit<'a>,
    /// How deep the parser is (P2).
    depth: u32,
    /// How high the expressions are that were read since it was last reset (P2).
    height: u32,
    /// How many joins the statement has.
    joins: u32,
    /// The next statement is the first of the batch.
    at_batch_start: bool,
    /// The next statement is inside another one.
    nested: bool,
    /// The statement before the next one has no semicolon.
    unterminated: bool,
    /// Inside the text of a module.
    in_module: bool,
    /// Among what `CREATE SCHEMA` creates with the schema.
    in_schema: bool,
}

/// Reads a batch. Errors: 102, 105, 113, 156 and what else SQL Server's parser reports, with the
/// line; the first one only.
pub fn parse_batch(text: &str, options: ParseOptions) -> SqlResult<Batch> {
    parse_batch_within(text, options, &mut |_| Ok(()))
}

/// [`parse_batch`] for a text that may be long. `admit` gets the bytes that tokens and tree take in
/// all, before they are taken, and is called again as the parser goes on; its error ends the
/// reading.
pub fn parse_batch_within(
    text: &str,
    options: ParseOptions,
    admit: &mut dyn FnMut(usize) -> SqlResult<()>,
) -> SqlResult<Batch> {
    base::on_purpose::parsed(text);
    let mut parser = Parser::new(text, options, admit)?;
    let statements = parser.batch()?;
    let span = Span { start: 0, end: text.len() as u32, line: 1, column: 1 };
    let batch = Batch { span, statements };
    check::batch(&batch)?;
    Ok(batch)
}

/// Reads a scalar expression and nothing else: a default, a computed column.
pub fn parse_expression(text: &str, options: ParseOptions) -> SqlResult<Expr> {
    parse_all(text, options, |p| p.scalar())
}

/// Reads a condition and nothing else: a check constraint, an index's filter.
pub fn parse_condition(text: &str, options: ParseOptions) -> SqlResult<Condition> {
    parse_all(text, options, |p| p.condition())
}

/// Reads an object's name of up to four parts and nothing else.
pub fn parse_object_name(text: &str, options: ParseOptions) -> SqlResult<ObjectName> {
    parse_all(text, options, |p| p.object_name())
}

/// Reads a type and nothing else.
pub fn parse_data_type(text: &str) -> SqlResult<DataType> {
    parse_all(text, ParseOptions::default(), |p| p.data_type())
}

/// Reads what `sp_executesql` takes as its second argument: `@a int, @b nvarchar(10) OUTPUT`. An
/// empty text declares nothing.
pub fn parse_parameter_list(text: &str) -> SqlResult<Vec<ParameterDeclaration>> {
    parse_all(text, ParseOptions::default(), |p| match p.at_token(TokenKind::End) {
        true => Ok(Vec::new()),
        false => p.list(Parser::parameter),
    })
}

/// Reads something that must take up the whole text.
fn parse_all<T>(
    text: &str,
    options: ParseOptions,
    read: impl for<'p> FnOnce(&mut Parser<'p>) -> SqlResult<T>,
) -> SqlResult<T> {
    let mut admit = |_| Ok(());
    let mut parser = Parser::new(text, options, &mut admit)?;
    let value = read(&mut parser)?;
    parser.expect_token(TokenKind::End)?;
    Ok(value)
}

impl<'a> Parser<'a> {
    /// Error 123 for a text whose offsets do not fit the tree.
    fn new(text: &'a str, options: ParseOptions, admit: Admit<'a>) -> SqlResult<Parser<'a>> {
        if u32::try_from(text.len()).is_err() {
            return Err(SqlError::new(&message::BATCH_TOO_LONG, &[&u32::MAX]).at_line(1));
        }
        let tokens = tokens(text, options.quoted_identifier, admit)?;
        Ok(Parser {
            text,
            tokens: tokens.list,
            position: 0,
            lexer_error: tokens.error,
            options,
            admit,
            depth: 0,
            height: 0,
            joins: 0,
            at_batch_start: true,
            nested: false,
            unterminated: false,
            in_module: false,
            in_schema: false,
        })
    }
}

#[cfg(test)]
mod tests;
mod text;
