//! The rows of a bulk load, inserted while they arrive.
//!
//! The connection puts the pieces of the message into a [`Pipe`] as long as there is room, and the
//! statement takes them out; as with [`super::outbox`], both are parts of one task, and the
//! connection polls the statement again whenever it has put something in.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

use base::{SqlError, SqlResult, SqlType, Value, ValueRef, message};
use engine::wait::Task;
use session::bulk::BulkSource;
use smallvec::SmallVec;
use tds::columns::ReceivedColumn;
use tds::row::Row;
use tds::server::{BulkEvent, BulkReader};
use tds::value::Datum;
use tds::{ProtocolError, TdsVersion};

use super::rpc;

/// While more than this waits, nothing more is put in.
const WAITING_BYTES_MAX: usize = 256 * 1024;

/// See the module's header.
#[derive(Default)]
pub struct Pipe {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    pieces: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
    end: Option<PipeEnd>,
}

/// How the message has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PipeEnd {
    /// As it should.
    Complete,
    /// The client has cancelled the load.
    Ignored,
    /// The connection is gone.
    Lost,
}

/// What was taken out of a pipe.
enum Taken {
    Piece(Vec<u8>),
    End(PipeEnd),
}

impl Pipe {
    /// Whether there is room.
    pub fn has_room(&self) -> bool {
        self.lock().waiting_bytes < WAITING_BYTES_MAX
    }

    /// Puts in a piece.
    pub fn put(&self, piece: Vec<u8>) {
        let mut inner = self.lock();
        inner.waiting_bytes += piece.len();
        inner.pieces.push_back(piece);
    }

    /// Nothing more comes.
    pub fn end(&self, end: PipeEnd) {
        self.lock().end = Some(end);
    }

    fn take(&self) -> Option<Taken> {
        let mut inner = self.lock();
        match (inner.pieces.pop_front(), inner.end) {
            (Some(piece), _) => {
                inner.waiting_bytes -= piece.len();
                Some(Taken::Piece(piece))
            }
            (None, Some(end)) => Some(Taken::End(end)),
            (None, None) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The rows of a bulk load.
pub struct WireRows {
    pipe: Arc<Pipe>,
    reader: BulkReader,
}

impl WireRows {
    /// The rows that come through a pipe. Rows of more than `row_bytes_max` bytes are refused.
    pub fn new(pipe: Arc<Pipe>, version: TdsVersion, row_bytes_max: usize) -> WireRows {
        let reader = BulkReader::new(version, rpc::unknown_collation(), row_bytes_max);
        WireRows { pipe, reader }
    }

    /// Waits for the next piece.
    fn feed(&mut self, task: &Task) -> SqlResult<()> {
        let taken = task.wait_interruptible(|_| match self.pipe.take() {
            Some(taken) => Poll::Ready(taken),
            None => Poll::Pending,
        });
        let cancelled = || SqlError::new(&message::COMMAND_CANCELLED, &[]);
        match taken.map_err(|_| cancelled())? {
            Taken::Piece(piece) => self.reader.feed(&piece),
            Taken::End(PipeEnd::Complete) => self.reader.end(),
            Taken::End(PipeEnd::Ignored) => return Err(cancelled()),
            Taken::End(PipeEnd::Lost) => {
                return Err(ProtocolError::ConnectionEnded.to_sql_error());
            }
        }
        Ok(())
    }
}

impl BulkSource for WireRows {
    fn columns(&mut self, task: &Task) -> SqlResult<Vec<SqlType>> {
        loop {
            match self.reader.next().map_err(|error| error.as_bulk_column(0))? {
                BulkEvent::Columns(columns) => {
                    let ty = |c: &ReceivedColumn| c.info.to_sql(rpc::unknown_collation());
                    return Ok(columns.iter().map(ty).collect());
                }
                BulkEvent::Row(_) => {
                    return Err(SqlError::new(&message::BULK_METADATA_MISSING, &[]));
                }
                BulkEvent::End => return Ok(Vec::new()),
                BulkEvent::NeedMore => {}
            }
            self.feed(task)?;
        }
    }

    fn next(
        &mut self,
        task: &Task,
        take: &mut dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()>,
    ) -> SqlResult<bool> {
        loop {
            match self.reader.next().map_err(|error| error.as_bulk_column(0))? {
                BulkEvent::Row(row) => {
                    let data = data(&row)?;
                    let values: SmallVec<[ValueRef<'_>; 16]> =
                        data.iter().map(Datum::as_ref).collect();
                    take(&values)?;
                    return Ok(true);
                }
                BulkEvent::End => return Ok(false),
                BulkEvent::Columns(_) | BulkEvent::NeedMore => {}
            }
            self.feed(task)?;
        }
    }
}

/// The values of a row; variants in their encoded form. Errors 4815, 4816 with the column.
fn data<'r>(row: &Row<'r>) -> SqlResult<SmallVec<[Datum<'r>; 16]>> {
    (0..row.len())
        .map(|column| match row.get(column) {
            Ok(Datum::Owned(Value::Variant(variant))) => Ok(Datum::Owned(rpc::encoded(&variant))),
            Ok(datum) => Ok(datum),
            Err(error) => Err(error.as_bulk_column(column + 1)),
        })
        .collect()
}
