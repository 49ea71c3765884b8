//! Format files that are no XML: the version, the number of fields, and a line for each field with
//! its number, type, prefix length, length, terminator, the number and name of the column that
//! takes it, and its collation.

use std::fmt::Display;

use base::message::Message;
use base::{Collation, SqlError, SqlResult, message};

use super::native::native_type;
use super::{
    Content, FIELDS_MAX, HostField, Native, RowsetColumn, Takers, binary, chars, wide_chars,
};
use crate::fault::unimplemented;
use crate::rowfile::rows::Shape;

/// The versions of SQL Server whose files are read.
const VERSIONS: [&str; 11] =
    ["7.0", "8.0", "9.0", "10.0", "10.5", "11.0", "12.0", "13.0", "14.0", "15.0", "16.0"];
/// The one whose lines have no collation.
const WITHOUT_COLLATIONS: &str = "7.0";

/// Reads a file.
pub fn read(file: &str, path: &str, takers: Takers) -> SqlResult<Vec<HostField>> {
    let fail = |message: &'static Message| SqlError::new(message, &[&path]);
    let mut lines = file.lines().filter(|line| !line.trim().is_empty());
    let version = lines.next().map(str::trim).filter(|version| VERSIONS.contains(version));
    let version = version.ok_or_else(|| fail(&message::FORMAT_VERSION_UNKNOWN))?;
    let count = lines.next().ok_or_else(|| fail(&message::FORMAT_COUNT_UNREADABLE))?;
    let count = count.trim().parse::<usize>().ok();
    let count = count.filter(|count| (1..=FIELDS_MAX).contains(count));
    let count = count.ok_or_else(|| fail(&message::FORMAT_COUNT_INVALID))?;
    let mut fields: Vec<HostField> = Vec::with_capacity(count);
    for number in 1..=count {
        let line = lines.next().ok_or_else(|| fail(&message::BULK_FORMAT_COLUMN))?;
        let parts = parts(line);
        let line = Line { parts: &parts, number, path };
        let field = line.field(version, takers)?;
        if let Some(column) = field.column
            && fields.iter().any(|other| other.column == Some(column))
        {
            return Err(line.fail(&message::FORMAT_DESTINATION_INVALID));
        }
        fields.push(field);
    }
    Ok(fields)
}

/// A part of a line, and whether it was in quotes.
type Part = (String, bool);

/// What stands in a line between spaces or in quotes.
fn parts(line: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => match quoted.split_once('"') {
                Some((part, after)) => ((part.to_string(), true), after),
                None => ((quoted.to_string(), false), ""),
            },
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                ((rest[..end].to_string(), false), &rest[end..])
            }
        };
        parts.push(part);
        rest = after.trim_start();
    }
    parts
}

/// A line of a field.
struct Line<'l> {
    parts: &'l [Part],
    number: usize,
    path: &'l str,
}

impl Line<'_> {
    fn fail(&self, message: &'static Message) -> SqlError {
        let args: [&dyn Display; 2] = [&self.number, &self.path];
        SqlError::new(message, &args)
    }

    /// A part that is not in quotes.
    fn word(&self, at: usize) -> Option<&str> {
        self.parts.get(at).filter(|(_, quoted)| !quoted).map(|(text, _)| &**text)
    }

    fn field(&self, version: &str, takers: Takers) -> SqlResult<HostField> {
        let number = self.word(0).and_then(|word| word.parse::<usize>().ok());
        if number != Some(self.number) {
            return Err(SqlError::new(&message::BULK_FORMAT_COLUMN, &[&self.path]));
        }
        let name = self.word(1).ok_or_else(|| self.fail(&message::FORMAT_TYPE_INVALID))?;
        let name = name.to_ascii_uppercase();
        let prefix = self.word(2).and_then(|word| word.parse::<u8>().ok());
        let prefix = prefix.filter(|prefix| matches!(prefix, 0 | 1 | 2 | 4 | 8));
        let prefix = prefix.ok_or_else(|| self.fail(&message::FORMAT_PREFIX_INVALID))?;
        let length = self.word(3).and_then(|word| word.parse::<usize>().ok());
        let length = length.ok_or_else(|| self.fail(&message::FORMAT_LENGTH_INVALID))?;
        let terminator = self.parts.get(4).filter(|(_, quoted)| *quoted);
        let terminator = terminator.and_then(|(text, _)| super::terminator(text));
        let terminator =
            terminator.ok_or_else(|| self.fail(&message::FORMAT_TERMINATOR_INVALID))?;
        let column = self.word(5).and_then(|word| word.parse::<usize>().ok());
        let column = column.filter(|column| *column <= takers.count());
        let column = column.ok_or_else(|| self.fail(&message::FORMAT_DESTINATION_INVALID))?;
        if self.parts.len() < 7 {
            return Err(self.fail(&message::FORMAT_NAME_UNREADABLE));
        }
        let collation = self.parts.get(7).map(|(text, _)| &**text);
        if collation.is_none() && version != WITHOUT_COLLATIONS {
            return Err(self.fail(&message::FORMAT_COLLATION_INVALID));
        }
        let content = match &*name {
            "SQLCHAR" => match collation.unwrap_or_default() {
                "" => Content::Chars(None),
                raw if raw.eq_ignore_ascii_case("RAW") => Content::Raw,
                collation => {
                    let found = Collation::by_name(collation);
                    let found = found.map_err(|_| self.fail(&message::FORMAT_COLLATION_INVALID))?;
                    Content::Chars(Some(found))
                }
            },
            "SQLNCHAR" => Content::Wide,
            name => match Native::by_name(name) {
                Some(native) => Content::Native(native),
                None if Native::is_known(name) => {
                    return Err(unimplemented(&format!("format file: {name}")));
                }
                None => return Err(self.fail(&message::FORMAT_TYPE_INVALID)),
            },
        };
        let rowset = match takers {
            Takers::Rowset(collation) if column > 0 => {
                let ty = match content {
                    Content::Chars(own) => chars(length, own.unwrap_or(collation)),
                    Content::Raw => chars(length, collation),
                    Content::Wide => wide_chars(length / 2, collation),
                    Content::Native(Native::Decimal) => {
                        return Err(SqlError::new(&message::BULK_DECIMAL_NOT_SUPPORTED, &[]));
                    }
                    Content::Native(_) => native_type(&name, 0, 0).unwrap_or(binary(length)),
                };
                Some(RowsetColumn { name: self.parts[6].0.clone(), ty, nullable: true })
            }
            _ => None,
        };
        let fixed = match content {
            Content::Native(native) => Some(native.length().unwrap_or(length)),
            _ => Some(length),
        };
        let is_fixed = prefix == 0 && terminator.is_empty();
        let width = if matches!(content, Content::Wide) { 2 } else { 1 };
        let length = fixed.filter(|_| is_fixed);
        if length == Some(0) {
            // Rows would have no bytes.
            return Err(self.fail(&message::FORMAT_LENGTH_INVALID));
        }
        let shape = Shape { prefix, length, terminator, width };
        Ok(HostField { shape, content, column: column.checked_sub(1), rowset })
    }
}
