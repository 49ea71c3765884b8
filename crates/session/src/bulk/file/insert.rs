//! The statement.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::types::Repr;
use base::xml::schema::Collections;
use base::{Arena, SqlError, SqlResult, SqlType, TypeKind, ValueRef, convert, message};
use engine::catalog::def::{Permission, TableDef};
use env::{File, FileError, FileResult, FileSystem, OpenMode};
use ir::function::facts::StatementPace;
use smallvec::SmallVec;
use tsql::ast;

use super::format::{self, Content, HostField, native_value};
use super::options::Options;
use super::rows::{RowError, Rows, Source};
use crate::bulk::load::{self, Loader};
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::files::FileUse;
use crate::files::reading::{open, read_whole, unreadable};
use crate::response::command;
use crate::session::loads::Load;

/// The provider that SQL Server reads files with, and the linked server that it is not.
const PROVIDER: (&str, &str) = ("BULK", "(null)");

/// An open file.
struct Opened(Arc<dyn File>);

impl Source for Opened {
    type Error = FileError;

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        self.0.read_at(buffer, offset)
    }
}

/// What a field has, and what it means if a format file says so.
#[derive(Clone, Copy)]
struct Text<'v> {
    bytes: &'v [u8],
    content: Option<Content>,
}

/// A row that is refused, or an end of everything.
enum Refusal {
    /// The row is left out, as long as there are not too many such.
    Row(SqlError),
    /// The statement fails.
    Statement(Fault),
}

impl<F: Into<Fault>> From<F> for Refusal {
    fn from(fault: F) -> Refusal {
        Refusal::Statement(fault.into())
    }
}

/// Where refused rows are written.
struct ErrorFile {
    path: String,
    rows: Vec<u8>,
    notes: String,
}

impl Context<'_> {
    /// `BULK INSERT`.
    pub(crate) fn bulk_insert(&mut self, statement: &ast::BulkInsert) -> Run<()> {
        let options = Options::of(statement)?;
        if !self.login_may(Permission::AdministerBulkOperations) {
            return Err(SqlError::new(&message::BULK_PERMISSION, &[]).into());
        }
        let (database, table) = load::find(self, &statement.table)?;
        let instance = self.instance();
        let file = open(instance.env().fs(), instance.files(), &statement.file)?;
        let hosts = self.host_fields(&options, &table)?;
        let fields = match &hosts {
            Some(hosts) => {
                let taken =
                    |host: &HostField| host.column.filter(|at| takes(&table, &options, *at));
                hosts.iter().map(taken).collect()
            }
            None => fields_of(&table, &options),
        };
        let load = Load {
            name: statement.table.clone(),
            database,
            columns: fields.iter().copied().flatten().collect(),
            table,
            check_constraints: options.check_constraints,
            fire_triggers: options.fire_triggers,
            keep_nulls: options.keep_nulls,
            batch_rows: options.batch_rows,
        };
        let begins_wide = |hosts: &Vec<HostField>| matches!(hosts[0].content, Content::Wide);
        let mark = match hosts.as_ref().is_some_and(begins_wide) {
            true => &[0xFF, 0xFE],
            false => options.byte_order_mark(),
        };
        let mut first = vec![0; mark.len()];
        let read = file.read_at(&mut first, 0).map_err(|e| unreadable(&statement.file, &e))?;
        let offset = if read == mark.len() && first == mark { read as u64 } else { 0 };
        let mut format = options.format(fields.len());
        if let Some(hosts) = &hosts {
            format.shapes = hosts.iter().map(|host| host.shape.clone()).collect();
        }
        let rows = Rows::new(Opened(file), format, offset);
        let mut loader = Loader::begin(self, load)?;
        let mut reading = Reading {
            path: &statement.file,
            options: &options,
            fields: &fields,
            hosts: hosts.as_deref().unwrap_or_default(),
            errors: 0,
            error_file: options.error_file.clone().map(|path| ErrorFile {
                path,
                rows: Vec::new(),
                notes: String::new(),
            }),
        };
        if let Err(fault) = reading.run(self, rows, &mut loader) {
            loader.abandon(self);
            return Err(fault);
        }
        let count = loader.finish(self)?;
        reading.write_error_file(self)?;
        self.session.left.row_count = count as i64;
        Ok(self.done(command::BULK, Some(count))?)
    }

    /// The fields that a format file describes, if there is one.
    fn host_fields(
        &self,
        options: &Options,
        table: &TableDef,
    ) -> SqlResult<Option<Vec<HostField>>> {
        let Some(path) = &options.format_file else { return Ok(None) };
        let instance = self.instance();
        let mut bytes = Vec::new();
        let take = &mut |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            format::check_length(bytes.len(), path)
        };
        read_whole(instance.env().fs(), instance.files(), path, take)?;
        let pace = StatementPace(self.task);
        format::read(&bytes, path, table.columns.len(), &pace).map(Some)
    }
}

/// For each field of a row, the table's column that takes it; none for those whose values the
/// server makes itself.
fn fields_of(table: &TableDef, options: &Options) -> Vec<Option<usize>> {
    (0..table.columns.len()).map(|at| takes(table, options, at).then_some(at)).collect()
}

/// Whether a column takes what the file has for it.
fn takes(table: &TableDef, options: &Options, at: usize) -> bool {
    let column = &table.columns[at];
    column.computed.is_none()
        && column.ty.kind != TypeKind::RowVersion
        && table.generated(column.id).is_none()
        && (options.keep_identity || column.identity.is_none())
}

/// A file that is being loaded.
struct Reading<'r> {
    path: &'r str,
    options: &'r Options,
    fields: &'r [Option<usize>],
    /// What a format file says of the fields; empty without one.
    hosts: &'r [HostField],
    errors: u64,
    error_file: Option<ErrorFile>,
}

impl Reading<'_> {
    fn run(
        &mut self,
        context: &mut Context<'_>,
        mut rows: Rows<Opened>,
        loader: &mut Loader,
    ) -> Run<()> {
        let mut arena = Arena::new();
        for number in 1.. {
            if self.options.last_row.is_some_and(|last| number > last) {
                return Ok(());
            }
            context.task.checkpoint().map_err(|_| Fault::cancelled())?;
            let refusal = match rows.advance() {
                Ok(false) => return Ok(()),
                Ok(true) if number < self.options.first_row => continue,
                Ok(true) => match self.values(context, &rows, loader.load(), number, &arena) {
                    Ok(values) => {
                        loader.row(context, &values)?;
                        None
                    }
                    Err(refusal) => Some(refusal),
                },
                Err(error) => self.unreadable_row(error, number),
            };
            arena.reset();
            match refusal {
                None => {}
                Some(Refusal::Row(error)) => self.refuse(context, error, &rows, number)?,
                Some(Refusal::Statement(fault)) => return Err(self.give_up(context, fault)?),
            }
        }
        Ok(())
    }

    fn unreadable_row(&self, error: RowError<FileError>, number: u64) -> Option<Refusal> {
        let args = |column: &usize| {
            let args: [&dyn Display; 2] = [&number, column];
            SqlError::new(&message::BULK_COLUMN_TOO_LONG, &args)
        };
        Some(match error {
            RowError::UnexpectedEnd => SqlError::new(&message::BULK_END_OF_FILE, &[]).into(),
            RowError::TooLong(column) => args(&column).into(),
            RowError::Csv(column) => {
                let args: [&dyn Display; 3] = [&self.path, &number, &column];
                Refusal::Row(SqlError::new(&message::BULK_CSV_VALUE, &args))
            }
            RowError::Read(error) => unreadable(self.path, &error).into(),
        })
    }

    /// The row's values in the types of their columns.
    fn values<'v>(
        &self,
        context: &Context<'_>,
        rows: &'v Rows<Opened>,
        load: &Load,
        number: u64,
        arena: &'v Arena,
    ) -> Result<SmallVec<[ValueRef<'v>; 16]>, Refusal> {
        let dates = context.session.options.dates;
        let mut values = SmallVec::new();
        for (field, place) in self.fields.iter().enumerate() {
            let Some(place) = *place else { continue };
            let column = &load.table.columns[place];
            let (bytes, quoted) = rows.field(field);
            if bytes.is_empty() && !quoted {
                let has_default = column.default.is_some() && !self.options.keep_nulls;
                if !column.nullable && !has_default {
                    let args: [&dyn Display; 3] = [&number, &(field + 1), &column.name];
                    return Err(SqlError::new(&message::BULK_UNEXPECTED_NULL, &args).into());
                }
                values.push(ValueRef::Null);
                continue;
            }
            let schema = column.ty.xml_use().and_then(|_| context.schema(load.database).ok());
            let collections = schema.as_deref().map(|schema| schema as &dyn Collections);
            let content = self.hosts.get(field).map(|host| host.content);
            let text = Text { bytes, content };
            let value = self.value(text, &column.ty, dates, collections, arena);
            values.push(value.map_err(|error| {
                let args: [&dyn Display; 3] = [&number, &(field + 1), &column.name];
                Refusal::Row(SqlError::new(meaning(&error), &args))
            })?);
        }
        Ok(values)
    }

    /// A field's value.
    fn value<'v>(
        &self,
        Text { bytes, content }: Text<'v>,
        to: &SqlType,
        dates: base::datetime::DateSettings,
        collections: Option<&dyn Collections>,
        arena: &'v Arena,
    ) -> SqlResult<ValueRef<'v>> {
        let mut from = content.and_then(Content::text).unwrap_or(self.options.text);
        let mut style = None;
        if let Some(Content::Native(native)) = content {
            let (value, from) = native_value(native, bytes)?;
            let options = ConvertOptions {
                overlong: Overlong::Refuse,
                dates,
                collections,
                ..Default::default()
            };
            return convert(value, &from, to, &options, arena);
        }
        // A single null character stands for the empty string.
        let bytes = if bytes.iter().all(|b| *b == 0) { &[] } else { bytes };
        let is_raw = match content {
            None | Some(Content::Chars(None)) => self.options.raw,
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
        let options = ConvertOptions {
            style,
            overlong: Overlong::Refuse,
            dates,
            collections,
            ..Default::default()
        };
        convert(value, &from, to, &options, arena)
    }

    /// Leaves a row out. Errors 4865, 7399 and 7330 if there are too many such.
    fn refuse(
        &mut self,
        context: &mut Context<'_>,
        error: SqlError,
        rows: &Rows<Opened>,
        number: u64,
    ) -> Run<()> {
        if let Some(file) = &mut self.error_file {
            use std::fmt::Write;
            let (raw, offset) = rows.raw();
            let at = file.rows.len();
            file.rows.extend_from_slice(raw);
            writeln!(
                file.notes,
                "Row {number} File Offset {offset} ErrorFile Offset {at} - {error}"
            )
            .expect("a string can be written to");
        }
        context.report(&error.at_line(1))?;
        self.errors += 1;
        if self.errors <= self.options.max_errors {
            return Ok(());
        }
        let too_many = SqlError::new(&message::BULK_TOO_MANY_ERRORS, &[&self.options.max_errors]);
        Err(self.give_up(context, too_many.into())?)
    }

    /// The statement fails: the reason goes to the client, then what the provider says of it.
    fn give_up(&self, context: &mut Context<'_>, fault: Fault) -> Run<Fault> {
        context.report(&fault.error.clone().at_line(1))?;
        const NO_REASON: &str = "The provider did not give any information about the error.";
        let (provider, server) = PROVIDER;
        let args: [&dyn Display; 3] = [&provider, &server, &NO_REASON];
        context.report(&SqlError::new(&message::BULK_PROVIDER_ERROR, &args).at_line(1))?;
        let args: [&dyn Display; 2] = [&provider, &server];
        Ok(SqlError::new(&message::BULK_PROVIDER_FETCH, &args).into())
    }

    /// Writes what was refused, and why. Error 4870.
    fn write_error_file(&self, context: &Context<'_>) -> SqlResult<()> {
        let Some(file) = self.error_file.as_ref().filter(|file| !file.rows.is_empty()) else {
            return Ok(());
        };
        let instance = context.instance();
        let fs = instance.env().fs();
        let write = || {
            let place = instance.files().place(fs, Path::new(&file.path), FileUse::Import)?;
            write_new(fs, &place, &file.rows)?;
            let mut notes = place.into_os_string();
            notes.push(".Error.Txt");
            write_new(fs, Path::new(&notes), file.notes.as_bytes())
        };
        let written = write();
        written.map_err(|error| {
            let args: [&dyn Display; 2] = [&file.path, &error];
            SqlError::new(&message::BULK_ERROR_FILE_IO, &args)
        })
    }
}

fn write_new(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) -> FileResult<()> {
    let file = fs.open_named(path, OpenMode::CreateNew)?;
    file.write_all_at(bytes, 0)?;
    file.sync_all()
}

/// What a failed conversion is called here.
fn meaning(error: &SqlError) -> &'static message::Message {
    match error.number() {
        8152 | 2628 => &message::BULK_TRUNCATION,
        220 | 232 | 244 | 248 | 8115 => &message::BULK_OVERFLOW,
        _ => &message::BULK_CONVERSION,
    }
}
