//! Format files: how the fields of a data file are written, and which columns of the table take
//! them.
//!
//! A file is text ([`text`]) or XML ([`xml`]). Either way it comes to a list of fields in the order
//! of the data file.

mod native;
mod text;
mod xml;

use std::sync::Arc;

use base::collation::codepage::chars_to_string;
use base::{Collation, Pace, SqlError, SqlResult, SqlType, message};

pub use native::{Native, native_value};

use super::options::unescaped;
use super::rows::Shape;

/// A longer format file is none.
const BYTES_MAX: usize = 1 << 20;
/// The most fields: as many as a table may have columns.
const FIELDS_MAX: usize = 1024;

/// A field of a data file.
#[derive(Clone, Debug)]
pub struct HostField {
    /// Where it ends.
    pub shape: Shape,
    /// What its bytes mean.
    pub content: Content,
    /// The place of the column that takes it, from 0: in the table, or in the format file.
    pub column: Option<usize>,
    /// That column, where no table has it.
    pub rowset: Option<RowsetColumn>,
}

/// A column that a format file describes.
#[derive(Clone, Debug)]
pub struct RowsetColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
}

/// What takes the fields.
#[derive(Clone, Copy, Debug)]
pub enum Takers {
    /// A table of so many columns.
    Table(usize),
    /// The columns that the format file describes, with this collation where it says none.
    Rowset(Collation),
}

impl Takers {
    /// The most columns.
    fn count(self) -> usize {
        match self {
            Takers::Table(columns) => columns,
            Takers::Rowset(_) => FIELDS_MAX,
        }
    }
}

/// What the bytes of a field mean.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Characters of this code page, or of the one that the statement says.
    Chars(Option<Collation>),
    /// Characters in the code page of the column.
    Raw,
    /// UTF-16.
    Wide,
    /// A value in the form of SQL Server's own.
    Native(Native),
}

impl Content {
    /// The type of text of this kind.
    pub fn text(self) -> Option<SqlType> {
        match self {
            Content::Chars(collation) => collation.map(SqlType::varchar_max),
            Content::Wide => Some(SqlType::nvarchar_max(Collation::DEFAULT)),
            Content::Raw | Content::Native(_) => None,
        }
    }
}

/// Error 4862: a file of so many bytes is no format file.
pub fn check_length(bytes: usize, path: &str) -> SqlResult<()> {
    if bytes > BYTES_MAX { Err(incomplete(path)) } else { Ok(()) }
}

/// The fields that a format file describes. Errors 4820 to 4829, 4839, 4857 to 4859, 4862, and 401
/// for forms of values that are not read; 4838 for decimals of a rowset.
pub fn read(
    bytes: &[u8],
    path: &str,
    takers: Takers,
    pace: &dyn Pace,
) -> SqlResult<Vec<HostField>> {
    let file = decoded(bytes);
    let fields = match file.trim_start().starts_with('<') {
        true => xml::read(&file, path, takers, pace)?,
        false => text::read(&file, path, takers)?,
    };
    match fields.iter().flat_map(|field| field.column).all(|column| column < takers.count()) {
        true => Ok(fields),
        false => Err(SqlError::new(&message::BULK_FORMAT_COLUMN, &[&path])),
    }
}

/// The text of a file, which says itself if it is UTF-16 or UTF-8.
fn decoded(bytes: &[u8]) -> String {
    if let Some(wide) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        let units = wide.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        return char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => chars_to_string(Collation::DEFAULT, bytes),
    }
}

/// Error 4862.
fn incomplete(path: &str) -> SqlError {
    SqlError::new(&message::BULK_FORMAT_FILE_UNREADABLE, &[&path, &"(null)"])
}

/// A type of strings of so many characters, or bytes; of any number where that is 0 or too large.
fn sized(
    length: usize,
    max: u16,
    of_length: impl FnOnce(u16) -> SqlType,
    of_any: SqlType,
) -> SqlType {
    match u16::try_from(length) {
        Ok(length) if (1..=max).contains(&length) => of_length(length),
        _ => of_any,
    }
}

/// `varchar` of so many bytes.
fn chars(length: usize, collation: Collation) -> SqlType {
    let of_length = |length| SqlType::varchar(length, collation);
    sized(length, 8000, of_length, SqlType::varchar_max(collation))
}

/// `nvarchar` of so many characters.
fn wide_chars(length: usize, collation: Collation) -> SqlType {
    let of_length = |length| SqlType::nvarchar(length, collation);
    sized(length, 4000, of_length, SqlType::nvarchar_max(collation))
}

/// `varbinary` of so many bytes.
fn binary(length: usize) -> SqlType {
    sized(length, 8000, SqlType::varbinary, SqlType::varbinary_max())
}

/// The bytes of a terminator, each of whose characters is one.
fn terminator(text: &str) -> Option<Arc<[u8]>> {
    unescaped(text).chars().map(|c| u8::try_from(c).ok()).collect()
}
