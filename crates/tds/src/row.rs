//! Rows that arrive in pieces. Both sides read rows: the client those of results, the server those
//! of a bulk load.
//!
//! `RowScanner` finds where the values of a row lie and remembers how far it has come, so that a
//! row of any size costs time in proportion to its size however small the pieces are. While it
//! passes over a chunked value, it moves the chunks together, so that every value of a complete row
//! is one slice of the buffer.

use base::Collation;

use crate::columns::ReceivedColumn;
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::typeinfo::{Layout, Place, TypeInfo};
use crate::value::Datum;
use crate::value::decode::decode;
use crate::value::frame::{CHUNKED_NULL, Frame, check_chunked_total, read_frame};

/// Bytes that have arrived and are not used up. At most as large as what was pushed.
#[derive(Debug, Default)]
pub(crate) struct StreamBuffer {
    data: Vec<u8>,
    start: usize,
}

impl StreamBuffer {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.start * 2 >= self.data.len() {
            self.data.drain(..self.start);
            self.start = 0;
        }
        self.data.extend_from_slice(bytes);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.data[self.start..]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data[self.start..]
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
    }
}

/// The types of a row's values.
#[derive(Clone, Debug, Default)]
pub struct RowShape {
    columns: Vec<(TypeInfo, Layout)>,
    unknown: Collation,
}

impl RowShape {
    /// The shape of rows with these columns. `unknown` takes the place of unknown ones.
    pub fn new(columns: &[ReceivedColumn], unknown: Collation) -> RowShape {
        let columns = columns.iter().map(|c| (c.info, c.info.layout(Place::Row))).collect();
        RowShape { columns, unknown }
    }

    /// How many columns there are.
    pub fn column_count(&self) -> usize {
        self.columns.len()
    }
}

/// Where a value lies, relative to the first byte after the row's token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// `usize::MAX` for NULL.
    start: usize,
    length: usize,
}

impl Field {
    const NULL: Field = Field { start: usize::MAX, length: 0 };
}

/// A chunked value that has not come to its end.
#[derive(Clone, Copy, Debug)]
struct OpenChunks {
    announced: u64,
    start: usize,
    /// Where the next chunk is moved to.
    end: usize,
}

/// Finds the values of one row after the other.
#[derive(Debug, Default)]
pub(crate) struct RowScanner {
    fields: Vec<Field>,
    position: usize,
    open: Option<OpenChunks>,
    /// For a row with a null bitmap: the bitmap, once it has been read.
    bitmap: Vec<u8>,
    wants_bitmap: bool,
    has_bitmap: bool,
}

impl RowScanner {
    /// Prepares for a row, with a null bitmap or without.
    pub(crate) fn begin(&mut self, with_bitmap: bool) {
        self.fields.clear();
        self.position = 0;
        self.open = None;
        self.wants_bitmap = with_bitmap;
        self.has_bitmap = false;
    }

    /// How many bytes after its token a complete row has.
    pub(crate) fn row_length(&self) -> usize {
        self.position
    }

    /// Goes on as far as the bytes reach. `bytes` begin after the row's token and are those of the
    /// last call and more. Returns whether the row is complete.
    pub(crate) fn advance(
        &mut self,
        shape: &RowShape,
        bytes: &mut [u8],
    ) -> Result<bool, ProtocolError> {
        if self.wants_bitmap && !self.has_bitmap {
            let Some(bitmap) = bytes.get(..shape.column_count().div_ceil(8)) else {
                return Ok(false);
            };
            self.bitmap.clear();
            self.bitmap.extend_from_slice(bitmap);
            self.position = bitmap.len();
            self.has_bitmap = true;
        }
        while let Some((_, layout)) = shape.columns.get(self.fields.len()) {
            let column = self.fields.len();
            let field = if self.has_bitmap && self.bitmap[column / 8] & (1 << (column % 8)) != 0 {
                Some(Field::NULL)
            } else if *layout == Layout::Chunked {
                self.chunked(bytes)?
            } else {
                self.plain(*layout, bytes)?
            };
            let Some(field) = field else { return Ok(false) };
            self.fields.push(field);
        }
        Ok(true)
    }

    fn plain(&mut self, layout: Layout, bytes: &[u8]) -> Result<Option<Field>, ProtocolError> {
        let mut r = ByteReader::new(&bytes[self.position..]);
        let field = match read_frame(&mut r, layout) {
            Ok(Frame::Bytes(value)) => {
                let end = self.position + r.position();
                Field { start: end - value.len(), length: value.len() }
            }
            Ok(_) => Field::NULL,
            Err(ProtocolError::Truncated) => return Ok(None),
            Err(error) => return Err(error),
        };
        self.position += r.position();
        Ok(Some(field))
    }

    fn chunked(&mut self, bytes: &mut [u8]) -> Result<Option<Field>, ProtocolError> {
        let mut open = match self.open {
            Some(open) => open,
            None => {
                let mut r = ByteReader::new(&bytes[self.position..]);
                let Ok(announced) = r.u64() else { return Ok(None) };
                self.position += r.position();
                if announced == CHUNKED_NULL {
                    return Ok(Some(Field::NULL));
                }
                OpenChunks { announced, start: self.position, end: self.position }
            }
        };
        loop {
            self.open = Some(open);
            let mut r = ByteReader::new(&bytes[self.position..]);
            let Ok(length) = r.u32() else { return Ok(None) };
            let length = length as usize;
            if length == 0 {
                self.position += r.position();
                self.open = None;
                let length = open.end - open.start;
                check_chunked_total(open.announced, length as u64)?;
                return Ok(Some(Field { start: open.start, length }));
            }
            let from = self.position + r.position();
            if r.take(length).is_err() {
                return Ok(None);
            }
            bytes.copy_within(from..from + length, open.end);
            open.end += length;
            self.position = from + length;
        }
    }

    /// The complete row whose bytes these are.
    pub(crate) fn row<'a>(&'a self, shape: &'a RowShape, bytes: &'a [u8]) -> Row<'a> {
        Row { shape, bytes, fields: &self.fields }
    }
}

/// A row that was received.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    shape: &'a RowShape,
    bytes: &'a [u8],
    fields: &'a [Field],
}

impl<'a> Row<'a> {
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no values at all.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The bytes of a value as they were sent; `None` for NULL.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn raw(&self, column: usize) -> Option<&'a [u8]> {
        let field = self.fields[column];
        (field.start != Field::NULL.start)
            .then(|| &self.bytes[field.start..field.start + field.length])
    }

    /// A value. Those of char, nchar and binary are as long as they were sent.
    ///
    /// # Errors
    /// As for [`decode`].
    ///
    /// # Panics
    /// When there is no such column.
    pub fn get(&self, column: usize) -> Result<Datum<'a>, ProtocolError> {
        match self.raw(column) {
            None => Ok(Datum::NULL),
            Some(bytes) => decode(&self.shape.columns[column].0, bytes, self.shape.unknown),
        }
    }
}
