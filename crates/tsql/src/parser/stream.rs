//! The parser's way through the tokens: looking, taking, names, constants, and errors.
//!
//! The position only moves forward; what needs more than the next token looks ahead with
//! [`Parser::peek_at`]. So no error is raised that another reading of the text would not raise.

use std::borrow::Cow;
use std::sync::Arc;

use base::text::identifier::same_identifier;
use base::{SqlError, SqlResult, message};

use super::{NESTING_MAX, Parser};
use crate::ast::{Ident, ObjectName, Span, Variable};
use crate::lexer::keyword::Keyword;
use crate::lexer::token::{Token, TokenKind};
use crate::lexer::{TOKEN_BYTES, near_text, quoted_content, string_value, tokens_after};

/// Words, in upper case, and what they mean.
pub(super) type Words<T> = &'static [(&'static str, T)];

/// Parts of a list or of a batch between two questions.
const TURN: usize = 1024;

/// The most parts that an object's name may have.
const NAME_PARTS: usize = 4;

impl<'a> Parser<'a> {
    /// The next token.
    #[inline]
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.position]
    }

    /// The token `ahead` places after the next one; the last one when there are not that many.
    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.position + ahead).copied().unwrap_or(self.tokens[self.last()])
    }

    fn last(&self) -> usize {
        self.tokens.len() - 1
    }

    /// Takes the next token; the last one stays.
    #[inline]
    pub(super) fn take(&mut self) -> Token {
        let token = self.peek();
        if self.position < self.last() {
            self.position += 1;
        }
        token
    }

    /// Whether the next token is this word.
    #[inline]
    pub(super) fn at(&self, keyword: Keyword) -> bool {
        self.peek().keyword == keyword
    }

    /// Whether the next tokens are these words.
    pub(super) fn at_words(&self, keywords: &[Keyword]) -> bool {
        keywords.iter().enumerate().all(|(i, &keyword)| self.peek_at(i).keyword == keyword)
    }

    /// Whether the next token is of this kind.
    #[inline]
    pub(super) fn at_token(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// Takes the next token if it is this word.
    #[inline]
    pub(super) fn eat(&mut self, keyword: Keyword) -> bool {
        let found = self.at(keyword);
        if found {
            self.take();
        }
        found
    }

    /// Takes the next tokens if they are these words.
    pub(super) fn eat_words(&mut self, keywords: &[Keyword]) -> bool {
        let found = self.at_words(keywords);
        if found {
            self.position = (self.position + keywords.len()).min(self.last());
        }
        found
    }

    /// Takes the next token if it is of this kind.
    #[inline]
    pub(super) fn eat_token(&mut self, kind: TokenKind) -> bool {
        let found = self.at_token(kind);
        if found {
            self.take();
        }
        found
    }

    /// Takes this word, or fails near what is there instead.
    pub(super) fn expect(&mut self, keyword: Keyword) -> SqlResult<Token> {
        match self.at(keyword) {
            true => Ok(self.take()),
            false => Err(self.unexpected()),
        }
    }

    /// Takes these words.
    pub(super) fn expect_words(&mut self, keywords: &[Keyword]) -> SqlResult<()> {
        keywords.iter().try_for_each(|&keyword| self.expect(keyword).map(drop))
    }

    /// Takes a token of this kind, or fails near what is there instead.
    pub(super) fn expect_token(&mut self, kind: TokenKind) -> SqlResult<Token> {
        match self.at_token(kind) {
            true => Ok(self.take()),
            false => Err(self.unexpected()),
        }
    }

    /// Where the token before the next one ended.
    fn previous(&self) -> Span {
        self.tokens[self.position.saturating_sub(1)].span
    }

    /// From here to the end of the last token taken.
    #[inline]
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.previous())
    }

    /// From a token to the end of the last token taken.
    pub(super) fn span_from(&self, start: Token) -> Span {
        self.since(start.span)
    }

    /// The text of a token.
    pub(super) fn text_of(&self, token: Token) -> &'a str {
        token.span.text(self.text)
    }

    /// Goes deeper, by as many levels as the stack that is taken is worth. Error 191 beyond
    /// [`NESTING_MAX`], and where the stack ends before.
    #[inline]
    pub(super) fn enter(&mut self, cost: u32) -> SqlResult<()> {
        self.depth += cost;
        match self.depth > NESTING_MAX || !base::stack::deeper() {
            true => Err(self.too_deep()),
            false => Ok(()),
        }
    }

    /// Comes back from [`Parser::enter`]. Not called on errors, which end the parse.
    #[inline]
    pub(super) fn leave(&mut self, cost: u32) {
        self.depth -= cost;
    }

    /// Error 191 at the next token.
    #[cold]
    pub(super) fn too_deep(&self) -> SqlError {
        SqlError::new(&message::NESTED_TOO_DEEPLY, &[]).at_line(self.peek().span.line)
    }

    /// The next token does not belong here: 156 for a reserved word, else 102. At the end of the
    /// text, 102 near the last token; at something the lexer could not read, the lexer's error.
    #[cold]
    pub(super) fn unexpected(&self) -> SqlError {
        self.unexpected_token(self.position)
    }

    /// The variables between a place and what comes next, each once. Those of the system do not
    /// count.
    pub(super) fn variables_since(&self, start: Span) -> Vec<Arc<str>> {
        let from = self.tokens.partition_point(|token| token.span.start < start.start);
        let mut found: Vec<Arc<str>> = Vec::new();
        for token in &self.tokens[from..self.position] {
            let text = self.text_of(*token);
            let is_own = token.kind == TokenKind::Variable && !text.starts_with("@@");
            if is_own && !found.iter().any(|other| same_identifier(other, text)) {
                found.push(text.into());
            }
        }
        found
    }

    /// As [`Parser::unexpected`], for the token that was just taken.
    #[cold]
    pub(super) fn unexpected_last(&self) -> SqlError {
        self.unexpected_token(self.position.saturating_sub(1))
    }

    /// As [`Parser::unexpected`], for a token that follows.
    #[cold]
    pub(super) fn unexpected_at(&self, ahead: usize) -> SqlError {
        self.unexpected_token((self.position + ahead).min(self.tokens.len() - 1))
    }

    /// As [`Parser::unexpected`], for the nearest `keyword` in front of what is at `span`.
    #[cold]
    pub(super) fn unexpected_before(&self, span: Span, keyword: Keyword) -> SqlError {
        let at = self.tokens.partition_point(|token| token.span.start < span.start);
        let found = self.tokens[..at].iter().rposition(|token| token.keyword == keyword);
        self.unexpected_token(found.unwrap_or(at))
    }

    fn unexpected_token(&self, position: usize) -> SqlError {
        let token = self.tokens[position];
        if token.kind == TokenKind::Error {
            if let Some(error) = &self.lexer_error {
                return error.clone();
            }
        }
        let (near, line) = self.near(position);
        let message = match token.keyword.is_reserved() {
            true => &message::SYNTAX_NEAR_KEYWORD,
            false => &message::INCORRECT_SYNTAX_NEAR,
        };
        SqlError::new(message, &[&near]).at_line(line)
    }

    /// The text that messages show for a token, and its line; at the end, the last token's.
    fn near(&self, position: usize) -> (Cow<'a, str>, u32) {
        let mut token = self.tokens[position];
        if token.kind == TokenKind::End && position > 0 {
            token = self.tokens[position - 1];
        }
        (near_text(self.text, token), token.span.line)
    }

    /// An error whose argument is the text of the next token.
    #[cold]
    pub(super) fn error_near(&self, message: &message::Message) -> SqlError {
        if self.at_token(TokenKind::Error) {
            return self.unexpected();
        }
        let (near, line) = self.near(self.position);
        SqlError::new(message, &[&near]).at_line(line)
    }

    /// Whether the next token can be a name.
    pub(super) fn at_ident(&self) -> bool {
        is_ident(self.peek())
    }

    /// A name.
    pub(super) fn ident(&mut self) -> SqlResult<Ident> {
        match self.at_ident() {
            true => self.take_ident(),
            false => Err(self.unexpected()),
        }
    }

    /// The next token as a name, even if it is reserved.
    pub(super) fn take_ident(&mut self) -> SqlResult<Ident> {
        let token = self.take();
        let (name, quoted): (Arc<str>, bool) = match token.kind {
            TokenKind::Quoted => (quoted_content(self.text, token).into(), true),
            TokenKind::String | TokenKind::National => {
                (string_value(self.text, token).into(), true)
            }
            _ => (self.text_of(token).into(), false),
        };
        match name.is_empty() {
            true => Err(SqlError::new(&message::MISSING_OBJECT_NAME, &[]).at_line(token.span.line)),
            false => Ok(Ident { name, quoted, span: token.span }),
        }
    }

    /// A name, or a string that serves as one: aliases, file and login names.
    pub(super) fn ident_or_string(&mut self) -> SqlResult<Ident> {
        match self.at_ident() || self.at_string() {
            true => self.take_ident(),
            false => Err(self.unexpected()),
        }
    }

    /// `(a, b, …)`.
    pub(super) fn ident_list(&mut self) -> SqlResult<Vec<Ident>> {
        self.parenthesized(|p| p.ident())
    }

    /// The name of an object: one to four parts, of which all but the last may be empty.
    pub(super) fn object_name(&mut self) -> SqlResult<ObjectName> {
        if self.at_ident() && self.peek_at(1).kind != TokenKind::Dot {
            return Ok(ObjectName::bare(self.take_ident()?));
        }
        let start = self.peek();
        let mut parts: [Option<Ident>; NAME_PARTS] = Default::default();
        let mut count = 0;
        let name = loop {
            let part = match self.at_token(TokenKind::Dot) {
                true => None,
                false => Some(self.ident()?),
            };
            match (part, self.eat_token(TokenKind::Dot)) {
                (Some(name), false) => break name,
                (part, true) if count < NAME_PARTS - 1 => {
                    parts[count] = part;
                    count += 1;
                }
                (_, false) => return Err(self.unexpected()),
                (_, true) => return Err(self.too_many_prefixes(start, "object", NAME_PARTS - 1)),
            }
        };
        let mut qualifiers = parts.into_iter().take(count).rev();
        let schema = qualifiers.next().flatten();
        let database = qualifiers.next().flatten();
        let server = qualifiers.next().flatten();
        Ok(ObjectName { server, database, schema, span: self.span_from(start), name })
    }

    /// Error 117 for the name that begins at `start`.
    pub(super) fn too_many_prefixes(&mut self, start: Token, what: &str, max: usize) -> SqlError {
        while self.at_token(TokenKind::Dot) || is_ident(self.peek()) {
            self.take();
        }
        let name = self.span_from(start).text(self.text);
        SqlError::new(&message::TOO_MANY_PREFIXES, &[&what, &name, &max]).at_line(start.span.line)
    }

    /// A variable.
    pub(super) fn variable(&mut self) -> SqlResult<Variable> {
        let token = self.expect_token(TokenKind::Variable)?;
        Ok(Variable { name: self.text_of(token).into(), span: token.span })
    }

    /// Whether the next token is a string.
    pub(super) fn at_string(&self) -> bool {
        matches!(self.peek().kind, TokenKind::String | TokenKind::National)
    }

    /// A string, national or not.
    pub(super) fn string(&mut self) -> SqlResult<Box<str>> {
        match self.at_string() {
            true => {
                let token = self.take();
                Ok(string_value(self.text, token).into())
            }
            false => Err(self.unexpected()),
        }
    }

    /// Digits, as a number that fits.
    pub(super) fn integer<T: std::str::FromStr>(&mut self) -> SqlResult<T> {
        let token = self.peek();
        match (token.kind, self.text_of(token).parse()) {
            (TokenKind::Integer, Ok(value)) => {
                self.take();
                Ok(value)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A number with or without a sign, as written but for blanks after the sign and a `+`.
    pub(super) fn signed_number(&mut self) -> SqlResult<Box<str>> {
        let negative = match self.peek().kind {
            TokenKind::Minus => self.eat_token(TokenKind::Minus),
            TokenKind::Plus => !self.eat_token(TokenKind::Plus),
            _ => false,
        };
        let token = self.peek();
        if !matches!(token.kind, TokenKind::Integer | TokenKind::Numeric | TokenKind::Float) {
            return Err(self.unexpected());
        }
        self.take();
        let digits = self.text_of(token);
        Ok(if negative { format!("-{digits}").into() } else { digits.into() })
    }

    /// `ON` (true) or `OFF` (false).
    pub(super) fn on_off(&mut self) -> SqlResult<bool> {
        match self.peek().keyword {
            Keyword::On => Ok(self.eat(Keyword::On)),
            Keyword::Off => Ok(!self.eat(Keyword::Off)),
            _ => Err(self.unexpected()),
        }
    }

    /// `NULL` (true) or `NOT NULL` (false), if it is there.
    pub(super) fn nullability(&mut self) -> Option<bool> {
        if self.eat(Keyword::Null) {
            return Some(true);
        }
        self.eat_words(&[Keyword::Not, Keyword::Null]).then_some(false)
    }

    /// What follows `=`, where the sign may be left out.
    pub(super) fn eat_equal(&mut self) {
        self.eat_token(TokenKind::Equal);
    }

    /// Any word that is not quoted, in upper case.
    pub(super) fn any_word(&mut self) -> SqlResult<Box<str>> {
        let token = self.expect_token(TokenKind::Word)?;
        Ok(self.text_of(token).to_ascii_uppercase().into())
    }

    /// What the next word means in a table of words (in upper case), if it is in it.
    pub(super) fn find_word<T: Clone>(&self, table: &[(&str, T)]) -> Option<T> {
        let token = self.peek();
        if token.kind != TokenKind::Word {
            return None;
        }
        let text = self.text_of(token);
        let found = table.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        found.map(|(_, meaning)| meaning.clone())
    }

    /// As [`Parser::find_word`], and takes the word; fails near a word that the table lacks.
    pub(super) fn expect_word<T: Clone>(&mut self, table: &[(&str, T)]) -> SqlResult<T> {
        let meaning = self.find_word(table).ok_or_else(|| self.unexpected())?;
        self.take();
        Ok(meaning)
    }

    /// Whether the next token is this word, which no keyword stands for.
    pub(super) fn at_text(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Word && self.text_of(token).eq_ignore_ascii_case(word)
    }

    /// One or more, separated by commas.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat_token(TokenKind::Comma) {
            self.turn(items.len())?;
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Asks whether reading may go on, each time that this many more parts are there.
    #[inline]
    pub(super) fn turn(&mut self, parts: usize) -> SqlResult<()> {
        match parts % TURN == 0 {
            true => (self.admit)(self.tokens.len() * TOKEN_BYTES),
            false => Ok(()),
        }
    }

    /// `(` one or more, separated by commas `)`.
    pub(super) fn parenthesized<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        self.expect_token(TokenKind::LeftParen)?;
        let items = self.list(item)?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(items)
    }

    /// `SET QUOTED_IDENTIFIER` was just read: it holds for the text after it, outside of modules.
    pub(super) fn set_quoted_identifier(&mut self, on: bool) {
        if self.in_module || self.options.quoted_identifier == on {
            return;
        }
        self.options.quoted_identifier = on;
        let rest = tokens_after(self.text, self.previous(), on);
        self.tokens.truncate(self.position);
        self.tokens.extend(rest.list);
        self.lexer_error = rest.error;
    }
}

/// Whether a token can be a name.
pub(super) fn is_ident(token: Token) -> bool {
    match token.kind {
        TokenKind::Word => !token.keyword.is_reserved(),
        kind => kind == TokenKind::Quoted,
    }
}
