//! Rows of results: the part of an answer that there is most of.

use base::ValueRef;

use crate::columns::Column;
use crate::error::EncodeError;
use crate::token;
use crate::typeinfo::Place;
use crate::value::encode::ValueWriter;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Where the values of a row come from.
pub trait RowSource {
    /// Whether a column is NULL.
    fn is_null(&self, column: usize) -> bool;

    /// A column's value.
    fn value(&self, column: usize) -> ValueRef<'_>;
}

impl RowSource for [ValueRef<'_>] {
    fn is_null(&self, column: usize) -> bool {
        self[column].is_null()
    }

    fn value(&self, column: usize) -> ValueRef<'_> {
        self[column]
    }
}

impl RowSource for [base::Value] {
    fn is_null(&self, column: usize) -> bool {
        self[column].is_null()
    }

    fn value(&self, column: usize) -> ValueRef<'_> {
        self[column].as_ref()
    }
}

/// Writes the rows of one result. Prepared once; a row costs no allocation.
#[derive(Clone, Debug)]
pub struct RowEncoder {
    writers: Vec<ValueWriter>,
    /// The columns that may be NULL and the bytes that a NULL takes in a plain row; empty where a
    /// null bitmap never pays.
    nullable: Vec<(usize, u8)>,
    bitmap_len: usize,
}

/// Columns whose null bitmap is built on the stack.
const COLUMNS_MAX: usize = 4096;

impl RowEncoder {
    /// An encoder for rows of these columns, for a client of this version.
    pub fn new(columns: &[Column], version: TdsVersion) -> RowEncoder {
        let mut encoder = RowEncoder::plain(columns, version);
        let null_costs = encoder.writers.iter().map(ValueWriter::null_bytes).enumerate();
        let nullable: Vec<_> = null_costs
            .filter(|(column, _)| columns[*column].is_nullable())
            .filter_map(|(column, cost)| Some((column, cost?)))
            .collect();
        let saved_at_most: usize = nullable.iter().map(|(_, cost)| usize::from(*cost)).sum();
        let bitmap_pays = saved_at_most > encoder.bitmap_len && columns.len() <= COLUMNS_MAX;
        if version.has_null_bitmap_rows() && bitmap_pays {
            encoder.nullable = nullable;
        }
        encoder
    }

    /// An encoder that never uses null bitmaps: bulk loads must not have them.
    pub fn plain(columns: &[Column], version: TdsVersion) -> RowEncoder {
        let writer = |c: &Column| ValueWriter::new(&c.ty, c.is_nullable(), version, Place::Row);
        RowEncoder {
            writers: columns.iter().map(writer).collect(),
            nullable: Vec::new(),
            bitmap_len: columns.len().div_ceil(8),
        }
    }

    /// How many columns a row has.
    pub fn column_count(&self) -> usize {
        self.writers.len()
    }

    /// Writes a row, as a plain one or with a null bitmap, whichever is shorter.
    ///
    /// # Errors
    /// When a value is not one of its column's type; nothing of the row is written then.
    #[inline]
    pub fn write<R: RowSource + ?Sized>(
        &self,
        out: &mut MessageWriter,
        row: &R,
    ) -> Result<(), EncodeError> {
        let mark = out.mark();
        let written = self.write_values(out, row);
        if written.is_err() {
            out.rewind(mark);
        }
        written
    }

    fn write_values<R: RowSource + ?Sized>(
        &self,
        out: &mut MessageWriter,
        row: &R,
    ) -> Result<(), EncodeError> {
        if !self.nullable.is_empty() {
            let saved: usize = self
                .nullable
                .iter()
                .map(|(column, cost)| if row.is_null(*column) { usize::from(*cost) } else { 0 })
                .sum();
            if saved > self.bitmap_len {
                return self.write_with_bitmap(out, row);
            }
        }
        out.put_u8(token::ROW);
        for (column, writer) in self.writers.iter().enumerate() {
            writer.write(out, row.value(column))?;
        }
        out.seal();
        Ok(())
    }

    fn write_with_bitmap<R: RowSource + ?Sized>(
        &self,
        out: &mut MessageWriter,
        row: &R,
    ) -> Result<(), EncodeError> {
        let mut bitmap = [0u8; COLUMNS_MAX / 8];
        for (column, _) in &self.nullable {
            if row.is_null(*column) {
                bitmap[column / 8] |= 1 << (column % 8);
            }
        }
        out.put_u8(token::NBCROW);
        out.put(&bitmap[..self.bitmap_len]);
        for (column, writer) in self.writers.iter().enumerate() {
            if bitmap[column / 8] & (1 << (column % 8)) == 0 {
                writer.write(out, row.value(column))?;
            }
        }
        out.seal();
        Ok(())
    }
}
