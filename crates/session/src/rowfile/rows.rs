//! The rows of a character file: where fields begin and end.
//!
//! Without `FORMAT = 'CSV'` the number of columns decides what a terminator means: all fields of a
//! row but the last end at a field terminator, whatever stands before it, and the last one ends at
//! a row terminator. So a row with too few fields swallows the next one, as it does in SQL Server.
//!
//! Where a format file says how each field is written, a field ends at its own terminator, or has a
//! fixed length, or one that stands before it.
//!
//! As CSV (RFC 4180) a row ends at its row terminator, and a field in quotes may hold either
//! terminator, and quotes that are doubled. A format file may say the terminators there too.

use std::ops::Range;
use std::sync::Arc;

use base::{Pace, SqlError};

/// Fields of more bytes are taken for a wrong terminator.
const FIELD_BYTES_MAX: usize = 64 << 20;

/// How much is read at a time.
const READ_BYTES: usize = 256 << 10;

/// How a file is written.
#[derive(Clone, Debug)]
pub struct Format {
    /// How many fields a row has.
    pub columns: usize,
    /// What ends all fields of a row but the last.
    pub field_terminator: Arc<[u8]>,
    /// What ends the last one.
    pub row_terminator: Vec<u8>,
    /// A carriage return before the row terminator belongs to it.
    pub carriage_returns: bool,
    /// Bytes of a character of the terminators: 2 for UTF-16.
    pub width: usize,
    /// Quotes of a CSV file.
    pub quote: Option<Vec<u8>>,
    /// How each field is written, if a format file says so.
    pub shapes: Arc<[Shape]>,
}

impl Format {
    /// What ends a field of a CSV file, from 1, if another one may follow it.
    fn field_terminator(&self, column: usize) -> Option<Arc<[u8]>> {
        match self.shapes.is_empty() {
            true => Some(self.field_terminator.clone()),
            false if column < self.shapes.len() => Some(self.shapes[column - 1].terminator.clone()),
            false => None,
        }
    }
}

/// How a field of a format file is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Bytes before the field that hold its length; all bits set for NULL.
    pub prefix: u8,
    /// The length, if that is all that says where the field ends.
    pub length: Option<usize>,
    /// What ends the field, or stands behind it.
    pub terminator: Arc<[u8]>,
    /// Bytes of a character.
    pub width: usize,
}

/// Where a file comes from: reads at a position as much as there is, up to the buffer's length.
pub trait Source {
    /// What a failed read gives.
    type Error;

    /// Reads at this offset; fewer bytes than asked for only at the end.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, Self::Error>;
}

/// Why a row could not be read.
#[derive(Clone, PartialEq, Debug)]
pub enum RowError<E> {
    /// The file ends within a row.
    UnexpectedEnd,
    /// A field is too long: its number, from 1.
    TooLong(usize),
    /// A CSV file has something wrong in this field, from 1: text after a quote, too few or too
    /// many fields.
    Csv(usize),
    /// The file cannot be read.
    Read(E),
    /// The statement must end.
    Stopped(SqlError),
}

/// A field of a row.
#[derive(Clone, Debug)]
enum Field {
    /// Bytes of the row.
    Plain(Range<usize>),
    /// Bytes of [`Rows::unquoted`].
    Quoted(Range<usize>),
}

/// Reads rows one after the other.
#[derive(Debug)]
pub struct Rows<S> {
    source: S,
    format: Format,
    data: Vec<u8>,
    /// Where the row begins in `data`.
    start: usize,
    /// Where `data` begins in the file.
    offset: u64,
    ended: bool,
    fields: Vec<Field>,
    unquoted: Vec<u8>,
    /// Where the row ends in `data`, its terminator included.
    row_end: usize,
}

impl<S: Source> Rows<S> {
    /// The rows of a file from this offset on, after any byte order mark.
    pub fn new(source: S, format: Format, offset: u64) -> Rows<S> {
        Rows {
            source,
            format,
            data: Vec::new(),
            start: 0,
            offset,
            ended: false,
            fields: Vec::new(),
            unquoted: Vec::new(),
            row_end: 0,
        }
    }

    /// Goes to the next row. `false` at the end of the file.
    pub fn advance(&mut self, pace: &dyn Pace) -> Result<bool, RowError<S::Error>> {
        self.start = self.row_end;
        self.fields.clear();
        self.unquoted.clear();
        if !self.has(pace, 0)? {
            return Ok(false);
        }
        match self.format.quote {
            Some(_) => self.csv_row(pace)?,
            None if self.format.shapes.is_empty() => self.plain_row(pace)?,
            None => self.shaped_row(pace)?,
        }
        Ok(true)
    }

    /// How many bytes are held of the file.
    pub fn at_hand(&self) -> usize {
        self.data.capacity() + self.unquoted.capacity()
    }

    /// A field's bytes, and whether it was in quotes.
    pub fn field(&self, at: usize) -> (&[u8], bool) {
        match &self.fields[at] {
            Field::Plain(range) => {
                (&self.data[self.start + range.start..self.start + range.end], false)
            }
            Field::Quoted(range) => (&self.unquoted[range.clone()], true),
        }
    }

    /// The bytes of the row with its terminators, and where it begins in the file.
    pub fn raw(&self) -> (&[u8], u64) {
        (&self.data[self.start..self.row_end], self.offset + self.start as u64)
    }

    /// Whether the row has a byte at this place; reads on if need be.
    fn has(&mut self, pace: &dyn Pace, at: usize) -> Result<bool, RowError<S::Error>> {
        while self.start + at >= self.data.len() {
            if self.ended {
                return Ok(false);
            }
            self.read_more(pace)?;
        }
        Ok(true)
    }

    fn read_more(&mut self, pace: &dyn Pace) -> Result<(), RowError<S::Error>> {
        if self.start > READ_BYTES {
            self.data.drain(..self.start);
            self.offset += self.start as u64;
            self.row_end = self.row_end.saturating_sub(self.start);
            self.start = 0;
        }
        pace.pace().map_err(RowError::Stopped)?;
        let length = self.data.len();
        self.data.resize(length + READ_BYTES, 0);
        let at = self.offset + length as u64;
        let read = self.source.read_at(&mut self.data[length..], at).map_err(RowError::Read)?;
        self.data.truncate(length + read);
        self.ended = read < READ_BYTES;
        Ok(())
    }

    /// Where a terminator stands, from a place of the row on; `None` if the file ends before.
    fn find(
        &mut self,
        pace: &dyn Pace,
        terminator: Terminator,
        from: usize,
        column: usize,
    ) -> Result<Option<usize>, RowError<S::Error>> {
        let mut at = from;
        loop {
            let (wanted, width): (&[u8], usize) = match terminator {
                Terminator::Field => (&self.format.field_terminator, self.format.width),
                Terminator::Row => (&self.format.row_terminator, self.format.width),
                Terminator::Shape(field) => {
                    let shape = &self.format.shapes[field];
                    (&shape.terminator, shape.width)
                }
            };
            let row = &self.data[self.start..];
            if let Some(found) = search(row, wanted, at, width) {
                return Ok(Some(found));
            }
            // What comes next may complete a terminator whose beginning is here.
            let searched = row.len().saturating_sub(wanted.len() - 1).max(at);
            at = searched - (searched - from) % width;
            if row.len() - from > FIELD_BYTES_MAX {
                return Err(RowError::TooLong(column));
            }
            if self.ended {
                return Ok(None);
            }
            self.read_more(pace)?;
        }
    }

    fn plain_row(&mut self, pace: &dyn Pace) -> Result<(), RowError<S::Error>> {
        let mut at = 0;
        for column in 1..=self.format.columns {
            let last = column == self.format.columns;
            let terminator = if last { Terminator::Row } else { Terminator::Field };
            let found = self.find(pace, terminator, at, column)?;
            let (end, next) = match found {
                Some(end) if last => {
                    (self.without_return(at, end), end + self.format.row_terminator.len())
                }
                Some(end) => (end, end + self.format.field_terminator.len()),
                // The last row needs no terminator.
                None if last => {
                    let end = self.data.len() - self.start;
                    (self.without_return(at, end), end)
                }
                None => {
                    self.row_end = self.data.len();
                    return Err(RowError::UnexpectedEnd);
                }
            };
            self.fields.push(Field::Plain(at..end));
            at = next;
        }
        self.row_end = self.start + at;
        Ok(())
    }

    /// A row whose fields a format file describes.
    fn shaped_row(&mut self, pace: &dyn Pace) -> Result<(), RowError<S::Error>> {
        let shapes = self.format.shapes.clone();
        let mut at = 0;
        for (place, shape) in shapes.iter().enumerate() {
            let is_last = place + 1 == shapes.len();
            at = match (shape.prefix, shape.length) {
                (0, Some(length)) => {
                    self.take(pace, at, length, place + 1)?;
                    self.fields.push(Field::Plain(at..at + length));
                    at + length
                }
                (0, None) => {
                    let found = self.find(pace, Terminator::Shape(place), at, place + 1)?;
                    let (end, next) = match found {
                        Some(end) => (end, end + shape.terminator.len()),
                        None if is_last => [self.data.len() - self.start; 2].into(),
                        None => return Err(self.cut_off()),
                    };
                    self.fields.push(Field::Plain(at..end));
                    next
                }
                _ => self.prefixed_field(pace, shape, at, place + 1, is_last)?,
            };
        }
        self.row_end = self.start + at;
        Ok(())
    }

    /// A field behind its length: where it ends, after its terminator.
    fn prefixed_field(
        &mut self,
        pace: &dyn Pace,
        shape: &Shape,
        at: usize,
        column: usize,
        is_last: bool,
    ) -> Result<usize, RowError<S::Error>> {
        let prefix = usize::from(shape.prefix);
        self.take(pace, at, prefix, column)?;
        let bytes = &self.data[self.start + at..self.start + at + prefix];
        let is_null = bytes.iter().all(|byte| *byte == 0xFF);
        let length = bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        let begin = at + prefix;
        let end = match is_null {
            true => begin,
            false => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                self.take(pace, begin, length, column)?;
                begin + length
            }
        };
        self.fields.push(match is_null || end > begin {
            true => Field::Plain(begin..end),
            // A value without bytes is not NULL.
            false => Field::Quoted(0..0),
        });
        if shape.terminator.is_empty() || is_last && !self.has(pace, end)? {
            return Ok(end);
        }
        match self.stands(pace, &shape.terminator, end)? {
            true => Ok(end + shape.terminator.len()),
            false => Err(self.cut_off()),
        }
    }

    /// Makes sure that the row has so many bytes from a place on.
    fn take(
        &mut self,
        pace: &dyn Pace,
        at: usize,
        length: usize,
        column: usize,
    ) -> Result<(), RowError<S::Error>> {
        if length > FIELD_BYTES_MAX {
            return Err(RowError::TooLong(column));
        }
        match length == 0 || self.has(pace, at + length - 1)? {
            true => Ok(()),
            false => Err(self.cut_off()),
        }
    }

    /// The file ends within a row.
    fn cut_off(&mut self) -> RowError<S::Error> {
        self.row_end = self.data.len();
        RowError::UnexpectedEnd
    }

    /// The end of a field without the carriage return that belongs to the row's terminator.
    fn without_return(&self, from: usize, end: usize) -> usize {
        let width = self.format.width;
        let is_return = self.format.carriage_returns
            && end >= from + width
            && self.data[self.start + end - width] == b'\r'
            && (width == 1 || self.data[self.start + end - 1] == 0);
        if is_return { end - width } else { end }
    }

    /// Whether a text stands at a place of the row.
    fn stands(
        &mut self,
        pace: &dyn Pace,
        what: &[u8],
        at: usize,
    ) -> Result<bool, RowError<S::Error>> {
        Ok(self.has(pace, at + what.len() - 1)? && self.data[self.start + at..].starts_with(what))
    }

    fn csv_row(&mut self, pace: &dyn Pace) -> Result<(), RowError<S::Error>> {
        let quote = self.format.quote.clone().unwrap_or_default();
        let mut at = 0;
        loop {
            let column = self.fields.len() + 1;
            at = match self.stands(pace, &quote, at)? {
                true => self.quoted_field(pace, &quote, at + quote.len(), column)?,
                false => self.unquoted_field(pace, at, column)?,
            };
            if let Some(field) = self.format.field_terminator(column)
                && self.stands(pace, &field, at)?
            {
                at += field.len();
                continue;
            }
            let mut end = at;
            if self.format.carriage_returns && self.has(pace, at)? {
                let after = at + self.format.width;
                let before = end;
                if self.without_return(before, after.min(self.data.len() - self.start)) == before {
                    end = after;
                }
            }
            let row = self.format.row_terminator.clone();
            let (stands, at_end) = (self.stands(pace, &row, end)?, !self.has(pace, end)?);
            self.row_end = self.start + if stands { end + row.len() } else { end };
            if !stands && !at_end {
                return Err(self.skip_row(pace, end, column)?);
            }
            if self.fields.len() != self.format.columns {
                let wrong = self.fields.len().min(self.format.columns) + 1;
                return Err(RowError::Csv(wrong));
            }
            return Ok(());
        }
    }

    /// Skips the rest of a row that has an error.
    fn skip_row(
        &mut self,
        pace: &dyn Pace,
        from: usize,
        column: usize,
    ) -> Result<RowError<S::Error>, RowError<S::Error>> {
        let end = match self.find(pace, Terminator::Row, from, column)? {
            Some(end) => end + self.format.row_terminator.len(),
            None => self.data.len() - self.start,
        };
        self.row_end = self.start + end;
        Ok(RowError::Csv(column))
    }

    /// A field in quotes: where it ends, after the quote.
    fn quoted_field(
        &mut self,
        pace: &dyn Pace,
        quote: &[u8],
        mut at: usize,
        column: usize,
    ) -> Result<usize, RowError<S::Error>> {
        let begin = self.unquoted.len();
        loop {
            if !self.has(pace, at + self.format.width - 1)? {
                self.row_end = self.data.len();
                return Err(RowError::UnexpectedEnd);
            }
            if self.stands(pace, quote, at)? {
                at += quote.len();
                if !self.stands(pace, quote, at)? {
                    break;
                }
            }
            let from = self.start + at;
            self.unquoted.extend_from_slice(&self.data[from..from + self.format.width]);
            at += self.format.width;
            if self.unquoted.len() - begin > FIELD_BYTES_MAX {
                return Err(RowError::TooLong(column));
            }
        }
        self.fields.push(Field::Quoted(begin..self.unquoted.len()));
        Ok(at)
    }

    /// A field without quotes: where it ends.
    fn unquoted_field(
        &mut self,
        pace: &dyn Pace,
        from: usize,
        column: usize,
    ) -> Result<usize, RowError<S::Error>> {
        let row = self.find(pace, Terminator::Row, from, column)?;
        let row = row.unwrap_or(self.data.len() - self.start);
        let line = &self.data[self.start..self.start + row];
        let field = self.format.field_terminator(column);
        let field = field.and_then(|field| search(line, &field, from, self.format.width));
        let end = field.unwrap_or_else(|| self.without_return(from, row));
        self.fields.push(Field::Plain(from..end));
        Ok(end)
    }
}

#[derive(Clone, Copy)]
enum Terminator {
    Field,
    Row,
    /// That of this field of a format file, from 0.
    Shape(usize),
}

/// The first place from `from` on, by whole characters, at which `wanted` stands.
fn search(text: &[u8], wanted: &[u8], from: usize, width: usize) -> Option<usize> {
    let (&first, rest) = wanted.split_first()?;
    let mut at = from;
    while at < text.len() {
        at += text[at..].iter().position(|&byte| byte == first)?;
        if (at - from) % width == 0 && text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        at += 1;
    }
    None
}
