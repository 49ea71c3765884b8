//! The lexer: text to tokens.
//!
//! It follows SQL Server's rules: `[x]` and `"x"` with doubled closing quotes, comments that nest,
//! strings that a backslash at the end of a line continues, numbers that end where digits end
//! (`1a` is `1 AS a`). What is wrong becomes a last [`TokenKind::Error`] token instead of an error
//! at once, because whatever the parser finds wrong before it comes first.
//!
//! Comparison operators are several tokens (`<`, `>`), since blanks may stand between their
//! characters; compound assignments are one.

pub(crate) mod keyword;
pub(crate) mod token;
mod value;

use base::{SqlError, SqlResult, message};

use self::keyword::Keyword;
use self::token::{Token, TokenKind};
use crate::ast::Span;

/// The longest identifier, in UTF-16 units.
pub(crate) const IDENTIFIER_MAX: usize = 128;

/// The tokens of a text; the last is [`TokenKind::End`] or [`TokenKind::Error`].
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    /// What the error token stands for.
    pub(crate) error: Option<SqlError>,
}

/// Admits memory for a text: gets the bytes in all before they are taken. Its error ends the
/// reading.
pub(crate) type Admit<'a> = &'a mut dyn FnMut(usize) -> SqlResult<()>;

/// Bytes of a token and of what it becomes in the tree, about.
pub(crate) const TOKEN_BYTES: usize = 160;

/// Tokens between two questions.
const ADMITTED: usize = 4096;

/// Cuts a text into tokens. The error of `admit`.
pub(crate) fn tokens(text: &str, quoted_identifier: bool, admit: Admit<'_>) -> SqlResult<Tokens> {
    let mut lexer = Lexer::new(text, quoted_identifier);
    // Measured on scripts: five to six bytes a token.
    let mut list = Vec::with_capacity((text.len() / 5 + 4).min(ADMITTED));
    while !lexer.run(&mut list, ADMITTED) {
        admit((list.len() + ADMITTED) * TOKEN_BYTES)?;
    }
    Ok(Tokens { list, error: lexer.error })
}

/// Cuts what follows a token anew, with another setting of QUOTED_IDENTIFIER.
pub(crate) fn tokens_after(text: &str, after: Span, quoted_identifier: bool) -> Tokens {
    let mut lexer = Lexer::new(text, quoted_identifier);
    // The token before is a word, which contains no line end.
    lexer.position = after.end as usize;
    lexer.line = after.line;
    lexer.line_start = (after.start + 1 - after.column) as usize;
    let mut list = Vec::new();
    lexer.run(&mut list, usize::MAX);
    Tokens { list, error: lexer.error }
}

use self::value::shown;
pub(crate) use self::value::{near_text, quoted_content, string_value};

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    quoted_identifier: bool,
    position: usize,
    line: u32,
    line_start: usize,
    error: Option<SqlError>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, quoted_identifier: bool) -> Lexer<'a> {
        Lexer {
            text,
            bytes: text.as_bytes(),
            quoted_identifier,
            position: 0,
            line: 1,
            line_start: 0,
            error: None,
        }
    }

    /// Appends the next tokens, at most this many. Returns whether there are no more.
    fn run(&mut self, list: &mut Vec<Token>, count: usize) -> bool {
        for _ in 0..count {
            let token = match self.skip_blanks() {
                Ok(()) => self.next(),
                Err(token) => token,
            };
            list.push(token);
            if matches!(token.kind, TokenKind::End | TokenKind::Error) {
                return true;
            }
        }
        false
    }

    /// The byte `ahead` of the position, 0 after the end.
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    /// The place where a token begins; its end is set by [`Lexer::token`].
    fn mark(&self) -> Span {
        Span {
            start: self.position as u32,
            end: self.position as u32,
            line: self.line,
            column: (self.position - self.line_start) as u32 + 1,
        }
    }

    fn token(&self, kind: TokenKind, mark: Span) -> Token {
        Token { kind, keyword: Keyword::None, span: Span { end: self.position as u32, ..mark } }
    }

    fn fail(&mut self, error: SqlError, mark: Span) -> Token {
        self.error = Some(error.at_line(mark.line));
        self.token(TokenKind::Error, mark)
    }

    /// Notes that the byte at this offset ends a line.
    fn end_line(&mut self, newline: usize) {
        self.line += 1;
        self.line_start = newline + 1;
    }

    fn char(&self) -> char {
        self.text[self.position..].chars().next().unwrap_or('\0')
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), Token> {
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' => {
                    self.end_line(self.position);
                    self.position += 1;
                }
                0..=b' ' => self.position += 1,
                b'-' if self.byte(1) == b'-' => {
                    let rest = &self.bytes[self.position..];
                    self.position += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => self.skip_comment()?,
                0x80.. => match self.char() {
                    c if c.is_whitespace() || c == '\u{feff}' => self.position += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        Ok(())
    }

    /// Skips a comment and those inside it; error 113 when it does not end.
    fn skip_comment(&mut self) -> Result<(), Token> {
        let mark = self.mark();
        let mut depth = 0u32;
        while let Some(&byte) = self.bytes.get(self.position) {
            match (byte, self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.position += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.position += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                (b'\n', _) => {
                    self.end_line(self.position);
                    self.position += 1;
                }
                _ => self.position += 1,
            }
        }
        Err(self.fail(SqlError::new(&message::MISSING_END_COMMENT, &[]), mark))
    }

    fn next(&mut self) -> Token {
        let mark = self.mark();
        let Some(&byte) = self.bytes.get(self.position) else {
            return self.token(TokenKind::End, mark);
        };
        match byte {
            b'N' | b'n' if self.byte(1) == b'\'' => {
                self.position += 1;
                self.string(TokenKind::National, mark)
            }
            b'N' | b'n' if self.byte(1) == b'"' && !self.quoted_identifier => {
                self.position += 1;
                self.string(TokenKind::National, mark)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'#' => self.word(TokenKind::Word, mark),
            b'@' => self.word(TokenKind::Variable, mark),
            b'\'' => self.string(TokenKind::String, mark),
            b'"' if self.quoted_identifier => self.quoted(b'"', mark),
            b'"' => self.string(TokenKind::String, mark),
            b'[' => self.quoted(b']', mark),
            b'0' if matches!(self.byte(1), b'x' | b'X') => self.binary(mark),
            b'0'..=b'9' => self.number(mark),
            b'.' if self.byte(1).is_ascii_digit() => self.number(mark),
            b'$' => self.dollar(mark),
            0x80.. => self.unicode(mark),
            _ => self.punctuation(byte, mark),
        }
    }

    fn unicode(&mut self, mark: Span) -> Token {
        let c = self.char();
        if c.is_alphabetic() {
            return self.word(TokenKind::Word, mark);
        }
        self.position += c.len_utf8();
        match is_currency(c) {
            true => self.money(mark),
            false => self.token(TokenKind::Other, mark),
        }
    }

    /// An identifier, keyword or variable, or a word after `$`.
    fn word(&mut self, kind: TokenKind, mark: Span) -> Token {
        self.position += self.char().len_utf8();
        let mut ascii = self.bytes[mark.start as usize] < 0x80;
        loop {
            match self.byte(0) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'@' | b'#' | b'$' => {
                    self.position += 1;
                }
                0x80.. if self.char().is_alphanumeric() || is_mark(self.char()) => {
                    ascii = false;
                    self.position += self.char().len_utf8();
                }
                _ => break,
            }
        }
        let text = &self.text[mark.start as usize..self.position];
        if text.len() > IDENTIFIER_MAX && text.encode_utf16().count() > IDENTIFIER_MAX {
            let error = too_long(text);
            return self.fail(error, mark);
        }
        let mut token = self.token(kind, mark);
        if kind == TokenKind::Word && ascii {
            token.keyword = Keyword::find(text.as_bytes());
        }
        token
    }

    /// `[x]` or `"x"`; `close` doubled stands for itself.
    fn quoted(&mut self, close: u8, mark: Span) -> Token {
        match self.find_close(close) {
            Some(end) => self.position = end,
            None => return self.unclosed(mark),
        }
        let token = self.token(TokenKind::Quoted, mark);
        let content = &self.text[mark.start as usize + 1..self.position - 1];
        if content.len() > IDENTIFIER_MAX {
            let name = quoted_content(self.text, token);
            if name.encode_utf16().count() > IDENTIFIER_MAX {
                let error = too_long(&name);
                return self.fail(error, mark);
            }
        }
        token
    }

    /// A string; the position is at its opening quote.
    fn string(&mut self, kind: TokenKind, mark: Span) -> Token {
        match self.find_close(self.byte(0)) {
            Some(end) => self.position = end,
            None => return self.unclosed(mark),
        }
        self.token(kind, mark)
    }

    /// The offset after the closing quote of what opens at the position.
    fn find_close(&mut self, close: u8) -> Option<usize> {
        let mut at = self.position + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\n' => self.end_line(at),
                byte if byte == close => match self.bytes.get(at + 1) {
                    Some(&next) if next == close => at += 1,
                    _ => return Some(at + 1),
                },
                _ => {}
            }
            at += 1;
        }
    }

    /// Error 105: what opens at the position goes on to the end of the text.
    fn unclosed(&mut self, mark: Span) -> Token {
        let content = shown(&self.text[self.position + 1..]);
        self.position = self.bytes.len();
        self.fail(SqlError::new(&message::UNCLOSED_QUOTE, &[&content]), mark)
    }

    /// `0x` and digits, which a backslash at the end of a line continues.
    fn binary(&mut self, mark: Span) -> Token {
        self.position += 2;
        loop {
            match (self.byte(0), self.byte(1), self.byte(2)) {
                (digit, ..) if digit.is_ascii_hexdigit() => self.position += 1,
                (b'\\', b'\n', _) => {
                    self.end_line(self.position + 1);
                    self.position += 2;
                }
                (b'\\', b'\r', b'\n') => {
                    self.end_line(self.position + 2);
                    self.position += 3;
                }
                _ => return self.token(TokenKind::Binary, mark),
            }
        }
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.position += 1;
        }
    }

    fn number(&mut self, mark: Span) -> Token {
        let mut kind = TokenKind::Integer;
        self.digits();
        if self.byte(0) == b'.' {
            kind = TokenKind::Numeric;
            self.position += 1;
            self.digits();
        }
        if matches!(self.byte(0), b'e' | b'E') {
            kind = TokenKind::Float;
            self.position += 1;
            if matches!(self.byte(0), b'+' | b'-') {
                self.position += 1;
            }
            self.digits();
        }
        self.token(kind, mark)
    }

    /// `$identity`, `$1.50`, or `$` alone, which stands for 0.
    fn dollar(&mut self, mark: Span) -> Token {
        match self.byte(1) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(TokenKind::DollarWord, mark),
            _ => {
                self.position += 1;
                self.money(mark)
            }
        }
    }

    /// The number after a sign of currency.
    fn money(&mut self, mark: Span) -> Token {
        if matches!(self.byte(0), b'+' | b'-') && matches!(self.byte(1), b'0'..=b'9' | b'.') {
            self.position += 1;
        }
        self.digits();
        if self.byte(0) == b'.' {
            self.position += 1;
            self.digits();
        }
        self.token(TokenKind::Money, mark)
    }

    fn punctuation(&mut self, byte: u8, mark: Span) -> Token {
        use TokenKind::*;
        self.position += 1;
        let with_equal = match byte {
            b'+' => Some((Plus, PlusEqual)),
            b'-' => Some((Minus, MinusEqual)),
            b'*' => Some((Star, StarEqual)),
            b'/' => Some((Slash, SlashEqual)),
            b'%' => Some((Percent, PercentEqual)),
            b'&' => Some((Ampersand, AmpersandEqual)),
            b'|' => Some((Pipe, PipeEqual)),
            b'^' => Some((Caret, CaretEqual)),
            _ => None,
        };
        if let Some((alone, compound)) = with_equal {
            if self.byte(0) != b'=' {
                return self.token(alone, mark);
            }
            self.position += 1;
            return self.token(compound, mark);
        }
        let kind = match byte {
            b'(' => LeftParen,
            b')' => RightParen,
            b'{' => LeftBrace,
            b'}' => RightBrace,
            b',' => Comma,
            b';' => Semicolon,
            b'.' => Dot,
            b':' if self.byte(0) == b':' => {
                self.position += 1;
                DoubleColon
            }
            b':' => Colon,
            b'?' => Question,
            b'~' => Tilde,
            b'=' => Equal,
            b'<' => Less,
            b'>' => Greater,
            b'!' => Bang,
            _ => Other,
        };
        self.token(kind, mark)
    }
}

/// Error 103: the identifier is too long.
fn too_long(name: &str) -> SqlError {
    let start: String = name.chars().take(IDENTIFIER_MAX).collect();
    SqlError::new(&message::IDENTIFIER_TOO_LONG, &[&"identifier", &start, &IDENTIFIER_MAX])
}

/// Combining marks and connectors, which may go on a word but not begin it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}' | '\u{fe20}'..='\u{fe2f}')
}

/// The signs that may stand before a money constant.
fn is_currency(c: char) -> bool {
    matches!(c,
        '¢'..='¥' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}' | '\u{20a0}'..='\u{20c0}'
        | '\u{fdfc}' | '\u{fe69}' | '＄' | '￠' | '￡' | '￥' | '￦')
}

#[cfg(test)]
mod tests;
