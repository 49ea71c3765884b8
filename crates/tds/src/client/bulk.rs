//! Bulk load: the message that follows an `INSERT BULK`.

use crate::columns::{Column, TableNameForm, write_columns};
use crate::error::EncodeError;
use crate::packet::PacketType;
use crate::server::rows::{RowEncoder, RowSource};
use crate::token;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Writes a bulk load. What is ready of the message can be sent between rows.
#[derive(Debug)]
pub struct BulkWriter<'w> {
    out: &'w mut MessageWriter,
    encoder: RowEncoder,
    version: TdsVersion,
}

impl<'w> BulkWriter<'w> {
    /// Begins the message; the columns must be those of the `INSERT BULK`.
    pub fn begin(
        out: &'w mut MessageWriter,
        columns: &[Column],
        version: TdsVersion,
    ) -> BulkWriter<'w> {
        out.begin(PacketType::BulkLoad);
        write_columns(out, columns, version, TableNameForm::Whole, "");
        BulkWriter { out, encoder: RowEncoder::plain(columns, version), version }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// When a value is not one of its column's type; the message cannot be used any further then.
    pub fn row<R: RowSource + ?Sized>(&mut self, row: &R) -> Result<(), EncodeError> {
        self.encoder.write(self.out, row)
    }

    /// The packets, to be sent between rows.
    pub fn message(&mut self) -> &mut MessageWriter {
        self.out
    }

    /// Ends the message.
    pub fn end(self) {
        self.out.put_u8(token::DONE);
        self.out.put(&[0; 12][..if self.version.has_wide_counts() { 12 } else { 8 }]);
        self.out.end();
    }
}
