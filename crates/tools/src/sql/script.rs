//! Scripts: lines that gather into batches, and lines that are commands.
//!
//! A line is a command only where T-SQL is between tokens: within a text, a bracketed name or a
//! block comment it is part of it.

use super::variables::Variables;

/// Where in T-SQL the end of what has been read is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Place {
    #[default]
    Between,
    /// Within something that this character ends, unless it is doubled.
    Quoted(char),
    /// Within this many block comments.
    Comment(u32),
}

/// The batch that is being gathered.
#[derive(Clone, Default, Debug)]
pub struct Batch {
    text: String,
    lines: usize,
    place: Place,
}

/// What a line is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// T-SQL.
    Text,
    /// The batch ends here and is run this many times.
    Go(u32),
    /// `GO` with something after it that is not a count.
    BadGo,
    /// A command: what follows the colon, or all of the line for those without one.
    Command(&'a str),
}

/// Commands that need no colon.
const BARE_COMMANDS: [&str; 4] = ["exit", "quit", "reset", "ed"];

impl Batch {
    /// Says what the next line is.
    pub fn classify<'a>(&self, line: &'a str, terminator: &str) -> Line<'a> {
        if self.place != Place::Between {
            return Line::Text;
        }
        let trimmed = line.trim();
        if let Some(rest) = strip_word(trimmed, terminator) {
            let count = rest.split("--").next().unwrap_or_default().trim().trim_end_matches(';');
            return match count {
                "" => Line::Go(1),
                count => count.parse().map_or(Line::BadGo, Line::Go),
            };
        }
        if let Some(command) = trimmed.strip_prefix(':') {
            // Two colons are T-SQL's.
            return if command.starts_with(':') { Line::Text } else { Line::Command(command) };
        }
        let is_bare = |name: &str| {
            strip_word(trimmed, name).is_some_and(|rest| {
                let rest = rest.trim();
                rest.is_empty() || (name.eq_ignore_ascii_case("exit") && rest.starts_with('('))
            })
        };
        if trimmed.starts_with("!!") || BARE_COMMANDS.iter().any(|name| is_bare(name)) {
            return Line::Command(trimmed);
        }
        Line::Text
    }

    /// Adds a line of T-SQL, with variables replaced by their values unless there are none to be
    /// replaced.
    ///
    /// # Errors
    /// The name of a variable that does not exist.
    pub fn push(&mut self, line: &str, variables: Option<&Variables>) -> Result<(), String> {
        if self.lines > 0 {
            self.text.push('\n');
        }
        self.lines += 1;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if let (Some(variables), Some((name, behind))) = (variables, reference(rest)) {
                if !matches!(self.place, Place::Comment(_)) {
                    let value = variables.get(name).ok_or_else(|| name.to_owned())?;
                    self.text.push_str(&value);
                    rest = behind;
                    continue;
                }
            }
            if self.place == Place::Between && rest.starts_with("--") {
                self.text.push_str(rest);
                return Ok(());
            }
            let length = self.step(rest, c);
            self.text.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        Ok(())
    }

    /// Goes one character on, or two where these belong together; returns how many bytes that is.
    fn step(&mut self, rest: &str, c: char) -> usize {
        match self.place {
            Place::Between => match c {
                '\'' | '"' => self.place = Place::Quoted(c),
                '[' => self.place = Place::Quoted(']'),
                '/' if rest.starts_with("/*") => {
                    self.place = Place::Comment(1);
                    return 2;
                }
                _ => {}
            },
            Place::Quoted(end) if c == end => {
                if rest[c.len_utf8()..].starts_with(end) {
                    return 2;
                }
                self.place = Place::Between;
            }
            Place::Quoted(_) => {}
            Place::Comment(depth) => {
                if rest.starts_with("/*") {
                    self.place = Place::Comment(depth + 1);
                    return 2;
                }
                if rest.starts_with("*/") {
                    self.place = if depth > 1 { Place::Comment(depth - 1) } else { Place::Between };
                    return 2;
                }
            }
        }
        c.len_utf8()
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Whether there is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Starts anew, and returns what there was.
    pub fn take(&mut self) -> String {
        std::mem::take(self).text
    }
}

/// Cuts a script into its batches and how often each is run, without variables and commands.
pub fn split_batches(text: &str) -> Vec<(String, u32)> {
    let mut batches = Vec::new();
    let mut batch = Batch::default();
    for line in text.lines() {
        match batch.classify(line, "GO") {
            Line::Go(count) => batches.push((batch.take(), count)),
            _ => batch.push(line, None).expect("without variables none is missing"),
        }
    }
    batches.push((batch.take(), 1));
    batches.retain(|(text, count)| !text.trim().is_empty() && *count > 0);
    batches
}

/// What follows a word at the front of a text, if the word ends there.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let front = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends =
        !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$' | '#'));
    (front.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// `$(name)` at the front of a text: the name, and what follows.
fn reference(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("$(")?;
    let end = inner.find(')')?;
    let name = &inner[..end];
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '(');
    is_name.then(|| (name, &inner[end + 1..]))
}

/// Replaces variables in a command.
///
/// # Errors
/// The name of a variable that does not exist.
pub fn substitute(text: &str, variables: &Variables) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((name, behind)) = reference(rest) {
            out.push_str(&variables.get(name).ok_or_else(|| name.to_owned())?);
            rest = behind;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
