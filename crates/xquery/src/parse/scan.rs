//! Characters, names and literals.

use base::error::{SqlError, SqlResult};
use base::message;

use super::Parser;

pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(crate) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{B7}')
}

/// A name as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) prefix: String,
    pub(super) local: String,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.prefix.is_empty() {
            true => f.write_str(&self.local),
            false => write!(f, "{}:{}", self.prefix, self.local),
        }
    }
}

impl<'a> Parser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Skips white space and comments.
    pub(super) fn space(&mut self) -> SqlResult<()> {
        loop {
            self.blank();
            if !self.rest().starts_with("(:") {
                return Ok(());
            }
            let start = self.at;
            let mut depth = 0usize;
            loop {
                let rest = self.rest();
                if rest.starts_with("(:") {
                    depth += 1;
                    self.at += 2;
                } else if rest.starts_with(":)") {
                    depth -= 1;
                    self.at += 2;
                } else {
                    match rest.chars().next() {
                        Some(c) => self.at += c.len_utf8(),
                        None => {
                            let line = self.line(start);
                            return Err(self.error(&message::XQUERY_COMMENT_END, &[&line]));
                        }
                    }
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }

    /// Skips white space alone.
    pub(super) fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Whether these characters come next.
    pub(super) fn sees(&mut self, symbol: &str) -> SqlResult<bool> {
        self.space()?;
        Ok(self.rest().starts_with(symbol))
    }

    /// Takes these characters if they come next.
    pub(super) fn takes(&mut self, symbol: &str) -> SqlResult<bool> {
        let sees = self.sees(symbol)?;
        self.at += if sees { symbol.len() } else { 0 };
        Ok(sees)
    }

    /// Whether this word comes next.
    pub(super) fn sees_word(&mut self, word: &str) -> SqlResult<bool> {
        self.space()?;
        let after = self.rest().strip_prefix(word);
        Ok(after.is_some_and(|after| !after.starts_with(|c| is_name_char(c) || c == ':')))
    }

    /// Takes this word if it comes next.
    pub(super) fn takes_word(&mut self, word: &str) -> SqlResult<bool> {
        let sees = self.sees_word(word)?;
        self.at += if sees { word.len() } else { 0 };
        Ok(sees)
    }

    /// Takes these words if they come next.
    pub(super) fn takes_words(&mut self, words: &[&str]) -> SqlResult<bool> {
        let start = self.at;
        for word in words {
            if !self.takes_word(word)? {
                self.at = start;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes these characters, or fails with error 9303.
    pub(super) fn expect(&mut self, symbol: &str) -> SqlResult<()> {
        match self.takes(symbol)? {
            true => Ok(()),
            false => Err(self.expected(symbol)?),
        }
    }

    /// Error 9303: something else is expected here.
    pub(super) fn expected(&mut self, what: &str) -> SqlResult<SqlError> {
        let token = self.token()?;
        Ok(self.error(&message::XQUERY_SYNTAX_EXPECTED, &[&token, &what]))
    }

    /// Error 2209 at what comes next.
    pub(super) fn syntax(&mut self) -> SqlResult<SqlError> {
        let token = self.token()?;
        Ok(self.error(&message::XQUERY_SYNTAX, &[&token]))
    }

    /// What comes next, as messages name it.
    pub(super) fn token(&mut self) -> SqlResult<String> {
        self.space()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok("<eof>".into());
        };
        let end = if is_name_start(first) || first == '$' {
            let more = rest.char_indices().skip(1).find(|(_, c)| !is_name_char(*c));
            more.map_or(rest.len(), |(at, _)| at)
        } else if first.is_ascii_digit() {
            rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())
        } else if first == '"' || first == '\'' {
            let closing = rest[1..].find(first).map_or(rest.len(), |at| at + 2);
            return Ok(rest[1..closing.max(2) - 1].chars().take(100).collect());
        } else {
            const SYMBOLS: [&str; 13] =
                ["<!", "<?", "</", "<<", ">>", "<=", ">=", "!=", ":=", "//", "..", "::", "(:"];
            match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => symbol.len(),
                None => first.len_utf8(),
            }
        };
        Ok(rest[..end].chars().take(100).collect())
    }

    /// A name without a colon right here.
    pub(super) fn simple_name(&mut self) -> Option<String> {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return None;
        }
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        self.at += end;
        Some(rest[..end].to_string())
    }

    /// A name right here.
    pub(super) fn name(&mut self) -> Option<Written> {
        let first = self.simple_name()?;
        let start = self.at;
        if self.rest().starts_with(':') && !self.rest().starts_with("::") {
            self.at += 1;
            if let Some(local) = self.simple_name() {
                return Some(Written { prefix: first, local });
            }
            self.at = start;
        }
        Some(Written { prefix: String::new(), local: first })
    }

    /// A string literal, which has to come next.
    pub(super) fn string_literal(&mut self) -> SqlResult<String> {
        match self.string()? {
            Some(text) => Ok(text),
            None => {
                let token = self.token()?;
                Err(self.error(&message::XQUERY_STRING_EXPECTED, &[&token]))
            }
        }
    }

    /// A string literal if one comes next.
    pub(super) fn string(&mut self) -> SqlResult<Option<String>> {
        self.space()?;
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            return Ok(None);
        };
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.find([quote, '&']) else {
                let line = self.line(start);
                return Err(self.error(&message::XQUERY_STRING_END, &[&line]));
            };
            out.push_str(&rest[..end]);
            self.at += end;
            if self.rest().starts_with('&') {
                out.push(self.reference()?);
            } else {
                self.at += 1;
                if !self.rest().starts_with(quote) {
                    return Ok(Some(out));
                }
                out.push(quote);
                self.at += 1;
            }
        }
    }

    /// A reference to a character or predefined entity, whose ampersand is here.
    pub(super) fn reference(&mut self) -> SqlResult<char> {
        const ENTITIES: [(&str, char); 5] =
            [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];
        let rest = &self.rest()[1..];
        if let Some(number) = rest.strip_prefix('#') {
            let found = number.split_once(';').and_then(|(number, _)| {
                let (digits, radix) = match number.strip_prefix('x') {
                    Some(digits) => (digits, 16),
                    None => (number, 10),
                };
                let is_number = !digits.starts_with('+');
                let code = is_number.then(|| u32::from_str_radix(digits, radix).ok()).flatten();
                code.and_then(char::from_u32).filter(|c| is_xml_char(*c))
            });
            let Some(found) = found else {
                return Err(self.error(&message::XQUERY_ENTITY_NUMBER, &[]));
            };
            self.at += rest.find(';').map_or(0, |at| at + 2);
            return Ok(found);
        }
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        let known = ENTITIES.iter().find(|(name, _)| *name == &rest[..end]);
        match (rest[end..].chars().next(), known) {
            (Some(';'), Some((_, c))) => {
                self.at += end + 2;
                Ok(*c)
            }
            (Some(c), _) if end > 0 && c != ';' => {
                Err(self.error(&message::XQUERY_ENTITY_CHARACTER, &[&c]))
            }
            _ => Err(self.error(&message::XQUERY_ENTITY, &[])),
        }
    }
}

/// Whether XML may have this character.
pub(super) fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}
