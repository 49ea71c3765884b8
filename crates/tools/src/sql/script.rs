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
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Nothing of a script is lost or changed but the lines that end batches.
        #[test]
        fn batches_are_the_scripts_lines(
            lines in proptest::collection::vec("(GO|[a-z$()']{0,3}|/\\*|\\*/|--|\\[|\"|é| ){0,4}", 0..12),
        ) {
            let mut batch = Batch::default();
            let (mut kept, mut expected) = (Vec::new(), Vec::new());
            for line in &lines {
                match batch.classify(line, "GO") {
                    Line::Text => {
                        batch.push(line, None).unwrap();
                        expected.push(line.clone());
                    }
                    Line::Go(_) => kept.push(batch.take()),
                    Line::BadGo | Line::Command(_) => {}
                }
            }
            kept.push(batch.take());
            let kept: Vec<&str> = kept.iter().filter(|b| !b.is_empty()).map(|b| &**b).collect();
            let expected = expected.join("\n");
            // Batches of empty lines alone count as none.
            prop_assert_eq!(
                kept.join("\n").replace('\n', ""),
                expected.replace('\n', "")
            );
        }
    }

    /// Runs a script and shows batches and commands.
    fn read(script: &str) -> Vec<String> {
        let mut variables = Variables::default();
        variables.set("db", "Sales".into()).unwrap();
        let mut batch = Batch::default();
        let mut out = Vec::new();
        for line in script.lines() {
            match batch.classify(line, "GO") {
                Line::Text => match batch.push(line, Some(&variables)) {
                    Ok(()) => {}
                    Err(name) => out.push(format!("no {name}")),
                },
                Line::Go(count) => out.push(format!("{}x{count}", batch.take())),
                Line::BadGo => out.push("bad go".into()),
                Line::Command(command) => out.push(format!(":{command}")),
            }
        }
        out.push(batch.take());
        out
    }

    #[test]
    fn batches_end_at_go_alone() {
        assert_eq!(read("a\nGO\nb\n go 5 -- five\nc"), ["ax1", "bx5", "c"]);
        assert_eq!(read("goto x\nGO;\nGO two\ngo_1"), ["goto xx1", "bad go", "go_1"]);
    }

    #[test]
    fn go_within_texts_names_and_comments_is_text() {
        let within = |before: &str, after: &str| {
            let script = format!("{before}\nGO\n:r x\n{after}\nGO");
            let text = format!("{before}\nGO\n:r x\n{after}x1");
            assert_eq!(read(&script), [text, String::new()]);
        };
        within("'it''s", "'");
        within("/* a /* b */", "*/");
        within("[a]]", "]");
        within("\"a", "\"");
        assert_eq!(read("-- it's\nGO"), ["-- it'sx1", ""]);
        assert_eq!(read("'a' -- '\nGO"), ["'a' -- 'x1", ""]);
    }

    #[test]
    fn variables_are_replaced_but_not_in_comments() {
        assert_eq!(
            read("USE $(DB); SELECT '$(db)', $(x) -- $(y)\n/* $(z)\n*/ $(db)"),
            ["no x", "USE Sales; SELECT 'Sales', \n/* $(z)\n*/ Sales"]
        );
        assert_eq!(read("SELECT $1, $(, $( )"), ["SELECT $1, $(, $( )"]);
    }

    #[test]
    fn commands_are_known_at_the_start_of_lines() {
        assert_eq!(read(":r a.sql\n  :on error exit"), [":r a.sql", ":on error exit", ""]);
        assert_eq!(
            read("exit\nEXIT (SELECT 1)\nquit\nreset"),
            [":exit", ":EXIT (SELECT 1)", ":quit", ":reset", ""]
        );
        assert_eq!(read("quit now\n::x\nexit_code\n!!ls"), [":!!ls", "quit now\n::x\nexit_code"]);
    }
}
