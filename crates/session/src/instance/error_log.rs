//! The files of the error log, as sessions see them: what is in them, and their cycling.
//!
//! The server writes the files. They are text; an entry begins with its date, then the part of the
//! server that wrote it (12 characters), then the message. Further lines of an entry begin with a
//! tab, so that no name or message can make an entry of its own.

use base::datetime::civil::{Civil, DATETIME_TICKS_PER_DAY, DAYS_1900};
use base::value::DateTime;

/// Old files that are kept beside the current one.
pub const ARCHIVES: u32 = 6;

/// Characters for the part of the server.
const PROCESS: usize = 12;
/// Characters of a date, with the blank after it.
const DATE: usize = 23;
/// Units of `datetime` in a second.
const PER_SECOND: u32 = 300;

/// The files of the error log.
pub trait ErrorLogFiles: Send + Sync {
    /// The path of the current one.
    fn path(&self) -> String;

    /// Begins a new file and removes the oldest. An error says why not.
    fn cycle(&self) -> Result<(), String>;

    /// The files there are.
    fn archives(&self) -> Vec<Archive>;

    /// The text of a file, by its number; 0 is the current one. Nothing if there is none.
    fn read(&self, number: u32) -> Option<String>;
}

/// A file of the error log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archive {
    /// 0 for the current one.
    pub number: u32,
    /// The time of the last write to the file.
    pub written: DateTime,
    /// How long it is.
    pub size_bytes: u64,
}

/// An entry of the error log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Local time.
    pub at: DateTime,
    /// The part of the server that wrote it.
    pub process: String,
    /// The message.
    pub text: String,
}

impl Entry {
    /// The lines of the file, with the end of the last.
    pub fn to_lines(&self) -> String {
        let Civil { year, month, day } = Civil::from_days(self.at.days + DAYS_1900);
        let seconds = self.at.ticks / PER_SECOND;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let hundredths = self.at.ticks % PER_SECOND / 3;
        let text = self.text.trim_end().replace('\n', "\n\t");
        format!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{hundredths:02} {:<PROCESS$}{text}\n",
            self.process
        )
    }

    /// The entry that begins with a line.
    fn of_line(line: &str) -> Option<Entry> {
        let (date, rest) = line.split_at_checked(DATE)?;
        let at = parse_date(date)?;
        let (process, text) = rest.split_at_checked(PROCESS)?;
        Some(Entry { at, process: process.trim_end().to_owned(), text: text.to_owned() })
    }
}

/// `2026-01-31 23:59:59.12 `
fn parse_date(text: &str) -> Option<DateTime> {
    let number = |from: usize, len: usize| text.get(from..from + len)?.parse::<u32>().ok();
    let marks = [(4, '-'), (7, '-'), (10, ' '), (13, ':'), (16, ':'), (19, '.'), (22, ' ')];
    if !marks.iter().all(|(at, mark)| text.as_bytes().get(*at) == Some(&(*mark as u8))) {
        return None;
    }
    let year = i32::try_from(number(0, 4)?).ok()?;
    let day = Civil::new(year, number(5, 2)?, number(8, 2)?)?;
    let seconds = (number(11, 2)? * 60 + number(14, 2)?) * 60 + number(17, 2)?;
    let ticks = seconds * PER_SECOND + number(20, 2)? * 3;
    (ticks < DATETIME_TICKS_PER_DAY).then_some(DateTime { days: day.days() - DAYS_1900, ticks })
}

/// The entries of a file.
pub fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        match (Entry::of_line(line), entries.last_mut()) {
            (Some(entry), _) => entries.push(entry),
            (None, Some(last)) => {
                last.text.push('\n');
                last.text.push_str(line.strip_prefix('\t').unwrap_or(line));
            }
            // The rest of an entry whose beginning was not written.
            (None, None) => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests;
