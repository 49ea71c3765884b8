//! Format files in XML: a `RECORD` with the fields of the data file, and a `ROW` with the columns
//! that they come to. The columns are those of the table, in its order, or of a rowset.

use std::fmt::Display;
use std::sync::Arc;

use base::message::Message;
use base::xml::tree::{Document, NodeId, NodeKind};
use base::xml::{ParseOptions, parse};
use base::{Collation, Pace, SqlError, SqlResult, SqlType, message};

use super::native::native_type;
use super::{
    Content, FIELDS_MAX, HostField, Native, RowsetColumn, Takers, binary, chars, incomplete,
    terminator, wide_chars,
};
use crate::fault::unimplemented;
use crate::rowfile::rows::Shape;

/// The namespace of the elements.
const FORMAT: &str = "http://schemas.microsoft.com/sqlserver/2004/bulkload/format";
/// The namespace of `type`.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Reads a file.
pub fn read(file: &str, path: &str, takers: Takers, pace: &dyn Pace) -> SqlResult<Vec<HostField>> {
    // What it says of its encoding was true of its bytes.
    let start = file.trim_start();
    let body = match start.strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or("", |(_, body)| body),
        None => start,
    };
    let document = parse(body.as_bytes(), ParseOptions::default(), None, pace);
    let document = document.map_err(|_| incomplete(path))?;
    let reader = Reader { document: &document, file, path };
    let root = reader.only(document.nodes().next().into_iter(), "BCPFORMAT")?;
    let record = reader.only(std::iter::once(root), "RECORD")?;
    let row = reader.only(std::iter::once(root), "ROW")?;
    let columns = reader.named(row, "COLUMN");
    let fields = reader.named(record, "FIELD");
    if fields.is_empty() || fields.len() > FIELDS_MAX || columns.len() > FIELDS_MAX {
        return Err(SqlError::new(&message::FORMAT_COUNT_INVALID, &[&path]));
    }
    let sources = columns.iter().enumerate().map(|(at, node)| {
        let element = Element { reader: &reader, node: *node, tag: "<COLUMN", at };
        element.attribute("SOURCE").map(str::to_string)
    });
    let sources = sources.collect::<SqlResult<Vec<String>>>()?;
    let mut ids: Vec<&str> = Vec::with_capacity(fields.len());
    let mut found = Vec::with_capacity(fields.len());
    for (at, node) in fields.iter().enumerate() {
        let field = Element { reader: &reader, node: *node, tag: "<FIELD", at };
        let id = field.attribute("ID")?;
        if ids.contains(&id) {
            return Err(field.bad_value("ID", id));
        }
        ids.push(id);
        let mut users = sources.iter().enumerate().filter(|(_, source)| source.as_str() == id);
        let column = users.next().map(|(column, _)| column);
        if let Some((other, _)) = users.next() {
            let column =
                Element { reader: &reader, node: columns[other], tag: "<COLUMN", at: other };
            return Err(column.bad_value("SOURCE", id));
        }
        let taker =
            column.map(|at| Element { reader: &reader, node: columns[at], tag: "<COLUMN", at });
        found.push(field.field(taker.as_ref(), column, takers)?);
    }
    for (at, source) in sources.iter().enumerate() {
        if !ids.contains(&&**source) {
            let column = Element { reader: &reader, node: columns[at], tag: "<COLUMN", at };
            return Err(column.bad_value("SOURCE", source));
        }
    }
    Ok(found)
}

/// A file that is being read.
struct Reader<'r> {
    document: &'r Document,
    file: &'r str,
    path: &'r str,
}

impl<'r> Reader<'r> {
    /// The elements of a name in another one.
    fn named(&self, within: NodeId, name: &str) -> Vec<NodeId> {
        let document = self.document;
        let is_it = |node: &NodeId| {
            let own = document.name(*node);
            document.kind(*node) == NodeKind::Element && own.local == name && own.uri == FORMAT
        };
        document.children(within).filter(is_it).collect()
    }

    /// The one element of a name. Error 4862.
    fn only(&self, within: impl Iterator<Item = NodeId>, name: &str) -> SqlResult<NodeId> {
        let found: Vec<NodeId> = within.flat_map(|node| self.named(node, name)).collect();
        match found[..] {
            [only] => Ok(only),
            _ => Err(incomplete(self.path)),
        }
    }
}

/// An element that describes a field or a column, and the how manieth of its tag it is.
struct Element<'e, 'r> {
    reader: &'e Reader<'r>,
    node: NodeId,
    tag: &'static str,
    at: usize,
}

impl<'e, 'r> Element<'e, 'r> {
    /// The line of the file on which it begins.
    fn line(&self) -> usize {
        let place = self.reader.file.match_indices(self.tag).nth(self.at).map_or(0, |(at, _)| at);
        1 + self.reader.file[..place].matches('\n').count()
    }

    fn fail(&self, message: &'static Message, parts: &[&dyn Display]) -> SqlError {
        let line = self.line();
        let mut args: Vec<&dyn Display> = vec![&line, &self.reader.path];
        args.extend(parts);
        SqlError::new(message, &args)
    }

    /// Error 4858.
    fn bad_value(&self, attribute: &str, value: &str) -> SqlError {
        self.fail(&message::FORMAT_ATTRIBUTE_VALUE, &[&value, &attribute])
    }

    fn find(&self, name: &str, uri: &str) -> Option<&'r str> {
        let document = self.reader.document;
        let is_it = |node: &NodeId| {
            let own = document.name(*node);
            own.local == name && own.uri == uri
        };
        document.attributes(self.node).find(is_it).map(|node| document.value(node))
    }

    /// An attribute that must be there. Error 4859.
    fn attribute(&self, name: &str) -> SqlResult<&'r str> {
        let missing = || self.fail(&message::FORMAT_ATTRIBUTE_MISSING, &[&name]);
        self.find(name, "").ok_or_else(missing)
    }

    /// The type, without the prefix of its name.
    fn kind(&self) -> SqlResult<&'r str> {
        let missing = || self.fail(&message::FORMAT_ATTRIBUTE_MISSING, &[&"xsi:type"]);
        let kind = self.find("type", INSTANCE).ok_or_else(missing)?;
        Ok(kind.rsplit_once(':').map_or(kind, |(_, local)| local))
    }

    fn number(&self, name: &str) -> SqlResult<usize> {
        let text = self.attribute(name)?;
        text.parse().map_err(|_| self.bad_value(name, text))
    }

    /// The field, which a column takes or none. Error 4857.
    fn field(
        &self,
        taker: Option<&Element<'_, '_>>,
        column: Option<usize>,
        takers: Takers,
    ) -> SqlResult<HostField> {
        let kind = self.kind()?;
        let content = match kind {
            "NativeFixed" | "NativePrefix" => Content::Native(self.native(taker)?),
            "NCharFixed" | "NCharPrefix" | "NCharTerm" => Content::Wide,
            "CharFixed" | "CharPrefix" | "CharTerm" => self.characters()?,
            other => return Err(self.bad_value("xsi:type", other)),
        };
        let width = if matches!(content, Content::Wide) { 2 } else { 1 };
        let mut shape = Shape { prefix: 0, length: None, terminator: Arc::default(), width };
        let belongs = match kind {
            "NativeFixed" | "CharFixed" | "NCharFixed" => {
                let length = match content {
                    Content::Native(native) => native.length(),
                    _ => None,
                };
                let length = match length {
                    Some(length) => length,
                    None => self.number("LENGTH")?,
                };
                if length == 0 {
                    // Rows would have no bytes.
                    return Err(self.bad_value("LENGTH", "0"));
                }
                shape.length = Some(length);
                "LENGTH"
            }
            "CharTerm" | "NCharTerm" => {
                let text = self.attribute("TERMINATOR")?;
                shape.terminator = terminator(text)
                    .filter(|bytes| !bytes.is_empty())
                    .ok_or_else(|| self.bad_value("TERMINATOR", text))?;
                "TERMINATOR"
            }
            _ => {
                let prefix = self.number("PREFIX_LENGTH")?;
                shape.prefix = match prefix {
                    1 | 2 | 4 | 8 => prefix as u8,
                    other => return Err(self.bad_value("PREFIX_LENGTH", &other.to_string())),
                };
                "PREFIX_LENGTH"
            }
        };
        for other in ["LENGTH", "TERMINATOR", "PREFIX_LENGTH"] {
            if other != belongs && self.find(other, "").is_some() {
                return Err(self.fail(&message::FORMAT_ATTRIBUTE_NOT_ALLOWED, &[&other]));
            }
        }
        let rowset = match (takers, taker) {
            (Takers::Rowset(collation), Some(taker)) => {
                Some(taker.rowset_column(self, shape.length, collation)?)
            }
            _ => None,
        };
        Ok(HostField { shape, content, column, rowset })
    }

    /// A number that may be left out.
    fn optional_number(&self, name: &str) -> SqlResult<Option<usize>> {
        self.find(name, "").map(|_| self.number(name)).transpose()
    }

    /// The column that takes a field, which has this length if it is fixed. Errors 4858, 4859.
    fn rowset_column(
        &self,
        field: &Element<'_, '_>,
        fixed: Option<usize>,
        collation: Collation,
    ) -> SqlResult<RowsetColumn> {
        let name = self.attribute("NAME")?.to_string();
        let kind = self.kind()?;
        let length = match self.optional_number("LENGTH")? {
            Some(length) => length,
            None => field.optional_number("MAX_LENGTH")?.or(fixed).unwrap_or(0),
        };
        let digits = |name: &str, most: u8, otherwise: u8| match self.optional_number(name)? {
            Some(digits) if digits <= usize::from(most) => Ok(digits as u8),
            Some(digits) => Err(self.bad_value(name, &digits.to_string())),
            None => Ok(otherwise),
        };
        let ty = match kind {
            "SQLCHAR" | "SQLVARYCHAR" => chars(length, collation),
            "SQLTEXT" => SqlType::varchar_max(collation),
            "SQLNCHAR" | "SQLNVARCHAR" => wide_chars(length, collation),
            "SQLNTEXT" => SqlType::nvarchar_max(collation),
            "SQLBINARY" | "SQLVARYBIN" => binary(length),
            "SQLIMAGE" => SqlType::varbinary_max(),
            "SQLDECIMAL" | "SQLNUMERIC" => {
                let precision = digits("PRECISION", 38, 18)?.max(1);
                SqlType::decimal(precision, digits("SCALE", precision, 0)?)
            }
            other => native_type(other, 0, digits("SCALE", 7, 7)?)
                .ok_or_else(|| self.bad_value("xsi:type", other))?,
        };
        let nullable = match self.find("NULLABLE", "").unwrap_or("YES") {
            "YES" => true,
            "NO" => false,
            other => return Err(self.bad_value("NULLABLE", other)),
        };
        Ok(RowsetColumn { name, ty, nullable })
    }

    fn characters(&self) -> SqlResult<Content> {
        Ok(match self.find("COLLATION", "").unwrap_or_default() {
            "" => Content::Chars(None),
            raw if raw.eq_ignore_ascii_case("RAW") => Content::Raw,
            name => {
                let found = Collation::by_name(name);
                Content::Chars(Some(found.map_err(|_| self.bad_value("COLLATION", name))?))
            }
        })
    }

    /// A native field is of its column's type; one that is skipped has none, and so no length.
    fn native(&self, taker: Option<&Element<'_, '_>>) -> SqlResult<Native> {
        let Some(column) = taker else { return Ok(Native::Binary) };
        let name = column.kind()?;
        match Native::by_name(name) {
            Some(native) => Ok(native),
            None if Native::is_known(name) => Err(unimplemented(&format!("format file: {name}"))),
            None => Err(column.bad_value("xsi:type", name)),
        }
    }
}
