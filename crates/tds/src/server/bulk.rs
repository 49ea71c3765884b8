//! Bulk load: the rows that follow an `INSERT BULK`, read while they arrive.

use base::Collation;

use crate::columns::{ReceivedColumn, TableNameForm, read_columns};
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::row::{Row, RowScanner, RowShape, StreamBuffer};
use crate::token;
use crate::version::TdsVersion;

/// What [`BulkReader::next`] found.
#[derive(Debug)]
pub enum BulkEvent<'a> {
    /// No event before more bytes are fed.
    NeedMore,
    /// The columns of the rows that follow.
    Columns(&'a [ReceivedColumn]),
    /// A row.
    Row(Row<'a>),
    /// The load is complete; it may have had no rows and no columns at all.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Columns,
    Token,
    Row,
    End,
}

/// Reads a bulk load. The pieces of the message go in by [`BulkReader::feed`], then
/// [`BulkReader::next`] is called until it needs more. Memory holds one row, and what has been fed
/// beyond it.
#[derive(Debug)]
pub struct BulkReader {
    version: TdsVersion,
    unknown: Collation,
    row_bytes_max: usize,
    buffer: StreamBuffer,
    columns: Vec<ReceivedColumn>,
    shape: RowShape,
    scanner: RowScanner,
    state: State,
    message_ended: bool,
    /// Bytes of what was handed out last.
    used: usize,
}

impl BulkReader {
    /// A reader before the first byte. A row that is not complete after more than `row_bytes_max`
    /// bytes is refused. `unknown` takes the place of unknown collations.
    pub fn new(version: TdsVersion, unknown: Collation, row_bytes_max: usize) -> BulkReader {
        BulkReader {
            version,
            unknown,
            row_bytes_max,
            buffer: StreamBuffer::default(),
            columns: Vec::new(),
            shape: RowShape::default(),
            scanner: RowScanner::default(),
            state: State::Columns,
            message_ended: false,
            used: 0,
        }
    }

    /// Takes a piece of the message.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.release_used();
        self.buffer.push(bytes);
    }

    /// Says that there are no further pieces.
    pub fn end(&mut self) {
        self.message_ended = true;
    }

    fn release_used(&mut self) {
        self.buffer.consume(std::mem::take(&mut self.used));
    }

    /// The next event.
    ///
    /// # Errors
    /// Anything other than columns, then rows, then their end; a row that is too large; a message
    /// that ends within a row. After an error the reader cannot be used any further.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<BulkEvent<'_>, ProtocolError> {
        self.release_used();
        match self.state {
            State::Columns => self.next_columns(),
            State::Token => self.next_token(),
            State::Row => self.next_row(),
            State::End => Ok(BulkEvent::End),
        }
    }

    fn next_columns(&mut self) -> Result<BulkEvent<'_>, ProtocolError> {
        let mut r = ByteReader::new(self.buffer.bytes());
        if r.is_empty() {
            return self.need_more_or_end();
        }
        match r.u8()? {
            token::COLMETADATA => {}
            other => return Err(ProtocolError::Token(other)),
        }
        match read_columns(&mut r, self.version, TableNameForm::Whole) {
            Ok(columns) => {
                let columns =
                    columns.ok_or(ProtocolError::Malformed("bulk load without columns"))?;
                let used = r.position();
                // The INSERT BULK statement, not these lengths, says how long a value may be:
                // clients send values that are longer than what they announce here.
                let unlimited: Vec<_> = columns.iter().map(ReceivedColumn::unlimited).collect();
                self.shape = RowShape::new(&unlimited, self.unknown);
                self.columns = columns;
                self.buffer.consume(used);
                self.state = State::Token;
                Ok(BulkEvent::Columns(&self.columns))
            }
            Err(ProtocolError::Truncated) => self.need_more(),
            Err(error) => Err(error),
        }
    }

    fn next_token(&mut self) -> Result<BulkEvent<'_>, ProtocolError> {
        let Some(&first) = self.buffer.bytes().first() else { return self.need_more_or_end() };
        match first {
            token::ROW | token::NBCROW => {
                self.buffer.consume(1);
                self.scanner.begin(first == token::NBCROW);
                self.state = State::Row;
                self.next_row()
            }
            // The status and the count that the client sends are ignored.
            token::DONE => {
                self.state = State::End;
                Ok(BulkEvent::End)
            }
            other => Err(ProtocolError::Token(other)),
        }
    }

    fn next_row(&mut self) -> Result<BulkEvent<'_>, ProtocolError> {
        if !self.scanner.advance(&self.shape, self.buffer.bytes_mut())? {
            return self.need_more();
        }
        self.state = State::Token;
        self.used = self.scanner.row_length();
        Ok(BulkEvent::Row(self.scanner.row(&self.shape, self.buffer.bytes())))
    }

    fn need_more(&self) -> Result<BulkEvent<'_>, ProtocolError> {
        if self.message_ended {
            return Err(ProtocolError::Truncated);
        }
        if self.buffer.bytes().len() > self.row_bytes_max {
            return Err(ProtocolError::TooLarge { limit: self.row_bytes_max });
        }
        Ok(BulkEvent::NeedMore)
    }

    /// Between rows the message may end without saying so; some clients never do.
    fn need_more_or_end(&mut self) -> Result<BulkEvent<'_>, ProtocolError> {
        if self.message_ended {
            self.state = State::End;
            return Ok(BulkEvent::End);
        }
        Ok(BulkEvent::NeedMore)
    }
}
