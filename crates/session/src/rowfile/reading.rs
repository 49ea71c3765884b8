//! The rows of a file as values: what fields mean, which rows are refused, and where those go.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::datetime::DateSettings;
use base::types::Repr;
use base::xml::schema::Collections;
use base::{Arena, Pace, SqlError, SqlResult, SqlType, ValueRef, convert, message};
use env::{File, FileError, FileResult, FileSystem, OpenMode};
use ir::function::clr::spatial::FORMS;
use ir::function::stream::Report;
use smallvec::SmallVec;

use super::format::{self, Content, HostField, Takers, native_value};
use super::options::Options;
use super::rows::{RowError, Rows, Source};
use crate::files::reading::{open, read_whole, unreadable};
use crate::files::{FileRules, FileUse};

/// The provider that SQL Server reads files with, and the linked server that it is not.
const PROVIDER: (&str, &str) = ("BULK", "(null)");

/// What takes the values of a field.
#[derive(Clone, Debug)]
pub struct Taker {
    /// Its place among the values of a row.
    pub place: usize,
    /// The column's name.
    pub name: Arc<str>,
    /// The column's type.
    pub ty: SqlType,
    /// Whether it takes a field without a value.
    pub takes_null: bool,
}

/// How a file is read.
#[derive(Debug)]
pub struct Plan {
    /// The file.
    pub path: Box<str>,
    /// The options.
    pub options: Options,
    /// What takes each field.
    pub takers: Vec<Option<Taker>>,
    /// What a format file says of the fields; empty without one.
    pub hosts: Vec<HostField>,
}

impl Plan {
    /// How many values a row has.
    pub fn width(&self) -> usize {
        self.takers.iter().flatten().count()
    }
}

/// The fields that a format file describes. Errors 4860 and what is wrong with the file.
pub fn host_fields(
    fs: &dyn FileSystem,
    rules: &FileRules,
    path: &str,
    takers: Takers,
    pace: &dyn Pace,
) -> SqlResult<Vec<HostField>> {
    let mut bytes = Vec::new();
    let take = &mut |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        format::check_length(bytes.len(), path)
    };
    read_whole(fs, rules, path, take).map_err(|error| missing_at(error, 3))?;
    format::read(&bytes, path, takers, pace)
}

/// An error about a file; the state of 4860 tells which kind of file is missing.
pub fn missing_at(error: SqlError, state: u8) -> SqlError {
    match error.number() == message::BULK_FILE_OPEN.number {
        true => error.with_state(state),
        false => error,
    }
}

/// An open file.
#[derive(Debug)]
struct Opened(Arc<dyn File>);

impl Source for Opened {
    type Error = FileError;

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        self.0.read_at(buffer, offset)
    }
}

/// What values depend on besides the file.
#[derive(Clone, Copy)]
pub struct Surroundings<'s> {
    /// How dates are read.
    pub dates: DateSettings,
    /// The schemas of typed XML.
    pub collections: Option<&'s dyn Collections>,
}

/// What a field has, and what it means if a format file says so.
#[derive(Clone, Copy)]
struct Text<'v> {
    bytes: &'v [u8],
    content: Option<Content>,
}

/// The values of a row.
pub type Values<'v> = SmallVec<[ValueRef<'v>; 16]>;

/// A row that is refused, or an end of everything.
#[derive(Debug)]
pub enum Refusal {
    /// The row is left out, as long as there are not too many such.
    Row(SqlError),
    /// The statement fails.
    Statement(SqlError),
}

/// Files that refused rows are written to, and why they were refused.
#[derive(Debug)]
struct ErrorFile {
    path: Box<str>,
    rows: (Arc<dyn File>, u64),
    notes: (Arc<dyn File>, u64),
}

impl ErrorFile {
    /// New files. Error 4870 if there is one of these names, or if they cannot be made.
    fn create(place: &Path, path: &str, fs: &dyn FileSystem) -> SqlResult<ErrorFile> {
        let create = || {
            let rows = fs.open_named(place, OpenMode::CreateNew)?;
            let mut notes = place.as_os_str().to_owned();
            notes.push(".Error.Txt");
            Ok((rows, fs.open_named(Path::new(&notes), OpenMode::CreateNew)?))
        };
        let (rows, notes) = create().map_err(|error| unwritable(path, &error))?;
        Ok(ErrorFile { path: path.into(), rows: (rows, 0), notes: (notes, 0) })
    }

    fn write(&mut self, row: &[u8], note: impl FnOnce(u64) -> String) -> SqlResult<()> {
        let note = note(self.rows.1);
        for ((file, end), bytes) in [(&mut self.rows, row), (&mut self.notes, note.as_bytes())]
            .map(|(f, b)| ((&f.0, &mut f.1), b))
        {
            file.write_all_at(bytes, *end).map_err(|error| unwritable(&self.path, &error))?;
            *end += bytes.len() as u64;
        }
        Ok(())
    }

    fn sync(&self) -> FileResult<()> {
        self.rows.0.sync_all()?;
        self.notes.0.sync_all()
    }
}

/// Error 4870.
fn unwritable(path: &str, error: &FileError) -> SqlError {
    let args: [&dyn Display; 2] = [&path, error];
    SqlError::new(&message::BULK_ERROR_FILE_IO, &args)
}

/// Where an error file is made, once a row is refused.
#[derive(Debug)]
enum Errors {
    /// No file takes refused rows.
    Nowhere,
    /// This file will.
    At(PathBuf),
    /// This one does.
    Open(ErrorFile),
}

/// A file that is being read.
#[derive(Debug)]
pub struct Reader {
    plan: Arc<Plan>,
    rows: Rows<Opened>,
    /// The number of the row, from 1.
    number: u64,
    refused: u64,
    errors: Errors,
}

impl Reader {
    /// Opens a file before its first row. Errors 4860, 4861, 4870, 5339.
    pub fn open(plan: &Arc<Plan>, fs: &dyn FileSystem, rules: &FileRules) -> SqlResult<Reader> {
        let Plan { path, options, takers, hosts } = &**plan;
        let file = open(fs, rules, path)?;
        let begins_wide = |host: &HostField| matches!(host.content, Content::Wide);
        let mark = match hosts.first().is_some_and(begins_wide) {
            true => &[0xFF, 0xFE],
            false => options.byte_order_mark(),
        };
        let mut first = vec![0; mark.len()];
        let read = file.read_at(&mut first, 0).map_err(|e| unreadable(path, &e))?;
        let offset = if read == mark.len() && first == mark { read as u64 } else { 0 };
        let format = match hosts.is_empty() {
            true => options.format(takers.len()),
            false => options.described_format(hosts)?,
        };
        let errors = match &options.error_file {
            None => Errors::Nowhere,
            Some(path) => {
                let place = rules.place(fs, Path::new(path), FileUse::Import);
                Errors::At(place.map_err(|error| unwritable(path, &error))?)
            }
        };
        let rows = Rows::new(Opened(file), format, offset);
        Ok(Reader { plan: plan.clone(), rows, number: 0, refused: 0, errors })
    }

    /// Goes to the next row that is wanted. `false` after the last one.
    pub fn advance(
        &mut self,
        fs: &dyn FileSystem,
        pace: &dyn Pace,
        report: &mut Report<'_>,
    ) -> SqlResult<bool> {
        loop {
            self.number += 1;
            let (first, last) = (self.plan.options.first_row, self.plan.options.last_row);
            if last.is_some_and(|last| self.number > last) {
                return Ok(false);
            }
            pace.pace()?;
            let refusal = match self.rows.advance(pace) {
                Ok(true) if self.number < first => continue,
                Ok(found) => return Ok(found),
                Err(RowError::Stopped(error)) => return Err(error),
                Err(error) => self.unreadable_row(error),
            };
            self.refuse(refusal, fs, report)?;
        }
    }

    fn unreadable_row(&self, error: RowError<FileError>) -> Refusal {
        let error = match error {
            RowError::UnexpectedEnd => SqlError::new(&message::BULK_END_OF_FILE, &[]),
            RowError::TooLong(column) => {
                let args: [&dyn Display; 2] = [&self.number, &column];
                SqlError::new(&message::BULK_COLUMN_TOO_LONG, &args)
            }
            RowError::Csv(column) => {
                let args: [&dyn Display; 3] = [&self.plan.path, &self.number, &column];
                return Refusal::Row(SqlError::new(&message::BULK_CSV_VALUE, &args));
            }
            RowError::Read(error) => unreadable(&self.plan.path, &error),
            RowError::Stopped(error) => error,
        };
        Refusal::Statement(error)
    }

    /// The row's values in the types of what takes them.
    pub fn values<'v>(
        &'v self,
        around: Surroundings<'_>,
        arena: &'v Arena,
    ) -> Result<Values<'v>, Refusal> {
        let mut values = SmallVec::from_elem(ValueRef::Null, self.plan.width());
        for (field, taker) in self.plan.takers.iter().enumerate() {
            let Some(taker) = taker else { continue };
            let fail = |message| {
                let args: [&dyn Display; 3] = [&self.number, &(field + 1), &taker.name];
                SqlError::new(message, &args)
            };
            let (bytes, quoted) = self.rows.field(field);
            if bytes.is_empty() && !quoted {
                if !taker.takes_null {
                    return Err(Refusal::Statement(fail(&message::BULK_UNEXPECTED_NULL)));
                }
                continue;
            }
            let content = self.plan.hosts.get(field).map(|host| host.content);
            let value = self.value(Text { bytes, content }, &taker.ty, around, arena);
            values[taker.place] = value.map_err(|error| Refusal::Row(fail(meaning(&error))))?;
        }
        Ok(values)
    }

    /// A field's value.
    fn value<'v>(
        &self,
        Text { bytes, content }: Text<'v>,
        to: &SqlType,
        around: Surroundings<'_>,
        arena: &'v Arena,
    ) -> SqlResult<ValueRef<'v>> {
        let Surroundings { dates, collections } = around;
        let own = &self.plan.options;
        let mut from = content.and_then(Content::text).unwrap_or(own.text);
        let mut style = None;
        if let Some(Content::Native(native)) = content {
            let (value, from) = native_value(native, bytes)?;
            let overlong = Overlong::Refuse;
            let spatial = Some(FORMS);
            let options =
                ConvertOptions { overlong, dates, collections, spatial, ..Default::default() };
            return convert(value, &from, to, &options, arena);
        }
        // A single null character stands for the empty string.
        let bytes = if bytes.iter().all(|b| *b == 0) { &[] } else { bytes };
        let is_raw = match content {
            None | Some(Content::Chars(None)) => own.raw,
            Some(content) => matches!(content, Content::Raw),
        };
        if is_raw && to.kind.is_chars() {
            from.collation = to.collation;
        }
        if to.kind.repr() == Repr::Bytes {
            let has_prefix = bytes.starts_with(b"0x") || bytes.starts_with(b"0\0x\0");
            style = Some(if has_prefix { 1 } else { 2 });
        }
        let value = match from.kind.is_unicode() {
            true if bytes.len() % 2 != 0 => {
                return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
            }
            true => ValueRef::Unicode(bytes),
            false => ValueRef::Chars(bytes),
        };
        let overlong = Overlong::Refuse;
        let options = ConvertOptions {
            style,
            overlong,
            dates,
            collections,
            spatial: Some(FORMS),
            ..Default::default()
        };
        convert(value, &from, to, &options, arena)
    }

    /// Leaves the row out. Errors 4865, 7399 and 7330 if there are too many such, or if the
    /// statement fails.
    pub fn refuse(
        &mut self,
        refusal: Refusal,
        fs: &dyn FileSystem,
        report: &mut Report<'_>,
    ) -> SqlResult<()> {
        let error = match refusal {
            Refusal::Row(error) => error,
            Refusal::Statement(error) => return Err(give_up(&error, report)?),
        };
        self.write_refused(&error, fs)?;
        report(&error.at_line(1))?;
        self.refused += 1;
        let most = self.plan.options.max_errors;
        if self.refused <= most {
            return Ok(());
        }
        Err(give_up(&SqlError::new(&message::BULK_TOO_MANY_ERRORS, &[&most]), report)?)
    }

    /// Writes what is refused, and why. Error 4870.
    fn write_refused(&mut self, error: &SqlError, fs: &dyn FileSystem) -> SqlResult<()> {
        if let (Errors::At(place), Some(path)) = (&self.errors, &self.plan.options.error_file) {
            self.errors = Errors::Open(ErrorFile::create(place, path, fs)?);
        }
        let Errors::Open(file) = &mut self.errors else { return Ok(()) };
        let (raw, offset) = self.rows.raw();
        let number = self.number;
        file.write(raw, |at| {
            format!("Row {number} File Offset {offset} ErrorFile Offset {at} - {error}\n")
        })
    }

    /// How many bytes are held of the file.
    pub fn at_hand(&self) -> usize {
        self.rows.at_hand()
    }

    /// Makes what was written of refused rows durable. Error 4870.
    pub fn finish(&self) -> SqlResult<()> {
        let Errors::Open(file) = &self.errors else { return Ok(()) };
        file.sync().map_err(|error| unwritable(&file.path, &error))
    }
}

/// The statement fails: the reason goes to the client, then what the provider says of it.
fn give_up(reason: &SqlError, report: &mut Report<'_>) -> SqlResult<SqlError> {
    const NO_REASON: &str = "The provider did not give any information about the error.";
    report(&reason.clone().at_line(1))?;
    let (provider, server) = PROVIDER;
    let args: [&dyn Display; 3] = [&provider, &server, &NO_REASON];
    report(&SqlError::new(&message::BULK_PROVIDER_ERROR, &args).at_line(1))?;
    let args: [&dyn Display; 2] = [&provider, &server];
    Ok(SqlError::new(&message::BULK_PROVIDER_FETCH, &args))
}

/// What a failed conversion is called here.
fn meaning(error: &SqlError) -> &'static message::Message {
    match error.number() {
        8152 | 2628 => &message::BULK_TRUNCATION,
        220 | 232 | 244 | 248 | 8115 => &message::BULK_OVERFLOW,
        _ => &message::BULK_CONVERSION,
    }
}
