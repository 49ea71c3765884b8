//! The options of `BULK INSERT` and `OPENROWSET(BULK …)`.

use std::sync::Arc;

use base::collation::codepage::{CodePage, code_page};
use base::{Collation, SqlError, SqlResult, SqlType, message};
use tsql::ast::{BulkOption, BulkOptionKind as O, Ident};

use super::format::{Content, HostField};
use super::rows::Format;
use crate::fault::unimplemented;

/// What the options come to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The type that fields are of before they are converted.
    pub text: SqlType,
    /// Fields of `char` columns are in the columns' own code page: `CODEPAGE = 'RAW'`.
    pub raw: bool,
    /// `FORMAT = 'CSV'`
    pub csv: bool,
    field_terminator: Option<String>,
    row_terminator: Option<String>,
    quote: Option<String>,
    wide: bool,
    /// `FORMATFILE`
    pub format_file: Option<String>,
    /// The first row that is loaded, from 1.
    pub first_row: u64,
    /// The last row that is loaded.
    pub last_row: Option<u64>,
    /// How many rows may be refused: 10 unless said otherwise; 0 for none.
    pub max_errors: u64,
    /// Where rows are written that are refused.
    pub error_file: Option<String>,
    /// `BATCHSIZE`
    pub batch_rows: Option<u64>,
    /// `KEEPIDENTITY`
    pub keep_identity: bool,
    /// `KEEPNULLS`
    pub keep_nulls: bool,
    /// `CHECK_CONSTRAINTS`
    pub check_constraints: bool,
    /// `FIRE_TRIGGERS`
    pub fire_triggers: bool,
    /// `ORDER`
    pub order: Option<Order>,
}

/// The order that rows are said to have.
#[derive(Clone, Debug)]
pub struct Order {
    /// Columns, and whether each is descending.
    pub columns: Vec<(Ident, bool)>,
    /// No two rows are equal in the columns.
    pub unique: bool,
}

const MAX_ERRORS: u64 = 10;

impl Options {
    /// Reads the options. Errors 4130, 4868, 4878, 4880, 12703; 401 for formats that are not read.
    pub fn of(list: &[BulkOption]) -> SqlResult<Options> {
        let mut options = Options {
            text: SqlType::varchar_max(of_code_page(1252)?),
            raw: false,
            csv: false,
            field_terminator: None,
            row_terminator: None,
            quote: None,
            wide: false,
            format_file: None,
            first_row: 1,
            last_row: None,
            max_errors: MAX_ERRORS,
            error_file: None,
            batch_rows: None,
            keep_identity: false,
            keep_nulls: false,
            check_constraints: false,
            fire_triggers: false,
            order: None,
        };
        for (at, option) in list.iter().enumerate() {
            let kind = std::mem::discriminant(&option.kind);
            if list[..at].iter().any(|other| std::mem::discriminant(&other.kind) == kind) {
                return Err(SqlError::new(&message::BULK_DUPLICATE_OPTION, &[]));
            }
            options.read(&option.kind)?;
        }
        // A format file says itself which fields are UTF-16.
        options.wide &= options.format_file.is_none();
        if options.wide {
            options.text = SqlType::nvarchar_max(Collation::DEFAULT);
        }
        if options.last_row.is_some_and(|last| last < options.first_row) {
            return Err(SqlError::new(&message::BULK_FIRST_ROW_AFTER_LAST, &[]));
        }
        Ok(options)
    }

    fn read(&mut self, option: &O) -> SqlResult<()> {
        match option {
            O::BatchSize(rows) => self.batch_rows = (*rows > 0).then_some(*rows),
            O::CheckConstraints => self.check_constraints = true,
            O::CodePage(page) => self.code_page(page)?,
            O::DataFileType(kind) => match kind.to_ascii_lowercase().as_str() {
                "char" => self.wide = false,
                "widechar" => self.wide = true,
                _ => {
                    return Err(unimplemented(&format!("BULK ... DATAFILETYPE = '{kind}'")));
                }
            },
            O::ErrorFile(path) => self.error_file = Some(path.to_string()),
            O::FieldQuote(quote) if quote.chars().count() == 1 => {
                self.quote = Some(quote.to_string());
            }
            O::FieldQuote(_) => return Err(SqlError::new(&message::BULK_QUOTE_INVALID, &[])),
            O::FieldTerminator(text) => self.field_terminator = Some(text.to_string()),
            O::FireTriggers => self.fire_triggers = true,
            O::FirstRow(row) => self.first_row = (*row).max(1),
            O::Format(format) if format.eq_ignore_ascii_case("csv") => self.csv = true,
            O::Format(format) => {
                return Err(unimplemented(&format!("BULK ... FORMAT = '{format}'")));
            }
            O::KeepIdentity => self.keep_identity = true,
            O::KeepNulls => self.keep_nulls = true,
            O::LastRow(row) => self.last_row = (*row > 0).then_some(*row),
            O::MaxErrors(errors) => self.max_errors = *errors,
            O::RowTerminator(text) => self.row_terminator = Some(text.to_string()),
            // Hints about what comes and how much; the tables here need none.
            O::KilobytesPerBatch(_) | O::RowsPerBatch(_) | O::TabLock => {}
            O::Order { columns, unique } => {
                self.order = Some(Order { columns: columns.clone(), unique: *unique });
            }
            O::FormatFile(path) => self.format_file = Some(path.to_string()),
            O::DataSource(name) | O::ErrorFileDataSource(name) | O::FormatFileDataSource(name) => {
                return Err(SqlError::new(&message::BULK_DATA_SOURCE_MISSING, &[name]));
            }
            O::EscapeChar(_) => return Err(unimplemented("BULK ... ESCAPECHAR")),
        }
        Ok(())
    }

    /// `ACP` is Windows' own code page, `OEM` that of its console.
    fn code_page(&mut self, page: &str) -> SqlResult<()> {
        self.raw = page.eq_ignore_ascii_case("RAW");
        let number = match page.to_ascii_uppercase().as_str() {
            "ACP" | "RAW" => 1252,
            "OEM" => 437,
            number => number.parse().map_err(|_| unknown(page))?,
        };
        self.text = SqlType::varchar_max(of_code_page(number).map_err(|_| unknown(page))?);
        Ok(())
    }

    /// How a file is written that a format file describes. Error 5339 for CSV that has fields
    /// other than characters up to a terminator.
    pub fn described_format(&self, hosts: &[HostField]) -> SqlResult<Format> {
        let shapes: Arc<[_]> = hosts.iter().map(|host| host.shape.clone()).collect();
        let mut format = self.format(hosts.len());
        if self.csv {
            let width = hosts[0].shape.width;
            let is_plain = |host: &HostField| {
                let shape = &host.shape;
                let is_native = matches!(host.content, Content::Native(_));
                !is_native && shape.prefix == 0 && shape.length.is_none() && shape.width == width
            };
            if !hosts.iter().all(is_plain) {
                return Err(SqlError::new(&message::BULK_CSV_NEEDS_CHARACTERS, &[]));
            }
            format.width = width;
            format.carriage_returns = false;
            format.row_terminator = shapes[shapes.len() - 1].terminator.to_vec();
            format.quote = Some(self.bytes_of(self.quote(), width == 2));
        }
        Ok(Format { shapes, ..format })
    }

    /// The mark of quotes of a CSV file.
    fn quote(&self) -> &str {
        self.quote.as_deref().unwrap_or("\"")
    }

    /// How the file is written, if rows have this many fields.
    pub fn format(&self, columns: usize) -> Format {
        let field = if self.csv { "," } else { "\\t" };
        let field = self.field_terminator.as_deref().unwrap_or(field);
        let row = self.row_terminator.as_deref().unwrap_or("\\n");
        let row_terminator = self.terminator(row);
        // A line may end as those of Windows do, unless the terminator is given byte by byte.
        let line_feed = row_terminator.strip_suffix(&[0]).unwrap_or(&row_terminator) == b"\n";
        Format {
            columns,
            field_terminator: self.terminator(field).into(),
            carriage_returns: line_feed && !row.starts_with("0x"),
            row_terminator,
            width: if self.wide { 2 } else { 1 },
            quote: self.csv.then(|| self.bytes_of(self.quote(), self.wide)),
            shapes: Arc::default(),
        }
    }

    /// A terminator's bytes: `\t` and the like, or hexadecimal digits after `0x`.
    fn terminator(&self, text: &str) -> Vec<u8> {
        if let Some(bytes) = text.strip_prefix("0x").and_then(hexadecimal) {
            return bytes;
        }
        self.bytes_of(&unescaped(text), self.wide)
    }

    /// The bytes of a text, in UTF-16 or in the file's code page.
    fn bytes_of(&self, text: &str, wide: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        match wide {
            true => base::collation::codepage::string_to_unicode(text, &mut bytes),
            false => {
                base::collation::codepage::string_to_chars(self.text.collation, text, &mut bytes);
            }
        }
        bytes
    }

    /// Bytes at the start of the file that say how it is encoded.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        match (self.wide, self.text.collation.is_utf8()) {
            (true, _) => &[0xFF, 0xFE],
            (false, true) => &[0xEF, 0xBB, 0xBF],
            (false, false) => &[],
        }
    }
}

/// A terminator as it is written in a statement or a format file, with the characters that `\t`,
/// `\n`, `\r`, `\0` and `\\` stand for.
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let escaped = match (c, rest.peek()) {
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some('0')) => Some('\0'),
            ('\\', Some('\\')) => Some('\\'),
            _ => None,
        };
        if escaped.is_some() {
            rest.next();
        }
        plain.push(escaped.unwrap_or(c));
    }
    plain
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// Some collation with this code page. In those of two bytes, a terminator may be half a character.
fn of_code_page(page: u16) -> SqlResult<Collation> {
    let is_of_page = |c: &Collation| {
        c.info().code_page == page
            && !c.info().is_unicode_only()
            && !matches!(code_page(*c), CodePage::Double(_))
    };
    let found = Collation::all().find(is_of_page);
    found.ok_or_else(|| unknown(&page.to_string()))
}

/// Error 4868: the code page is not known.
fn unknown(page: &str) -> SqlError {
    SqlError::new(&message::BULK_CODE_PAGE_INVALID, &[&page])
}
