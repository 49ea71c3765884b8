//! What the lexer cuts the text into.

use super::keyword::Keyword;
use crate::ast::Span;

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// For [`TokenKind::Word`], which word of the grammar it is.
    pub(crate) keyword: Keyword,
    /// Where it stands.
    pub(crate) span: Span,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// After the last token, always there.
    End,
    /// Where the lexer gave up; it keeps the error.
    Error,
    /// An identifier or keyword without quotes.
    Word,
    /// `[x]`, or `"x"` with QUOTED_IDENTIFIER on.
    Quoted,
    /// `@x`, `@@x`.
    Variable,
    /// `$identity`.
    DollarWord,
    /// `'x'`, or `"x"` with QUOTED_IDENTIFIER off.
    String,
    /// `N'x'`.
    National,
    /// Digits alone.
    Integer,
    /// Digits with a point.
    Numeric,
    /// Digits with an exponent.
    Float,
    /// A sign of currency, and perhaps a number.
    Money,
    /// `0x…`.
    Binary,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Dot,
    Colon,
    DoubleColon,
    Question,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Pipe,
    Caret,
    Tilde,
    Equal,
    Less,
    Greater,
    Bang,
    PlusEqual,
    MinusEqual,
    StarEqual,
    SlashEqual,
    PercentEqual,
    AmpersandEqual,
    PipeEqual,
    CaretEqual,
    /// A character that begins nothing.
    Other,
}
