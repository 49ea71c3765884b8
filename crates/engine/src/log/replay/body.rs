//! The operations of a transaction, in the batches they came in.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use base::ids::Lsn;
use smallvec::SmallVec;

use crate::log::batch::BATCH_HEADER;
use crate::log::error::LogError;
use crate::log::record::{OPERATION_HEADER, Operation, OperationHeader};
use crate::log::store::{Batch, LogStore, Position};

/// A record's body, or a part of it.
#[derive(Clone)]
pub(super) struct Piece {
    source: Source,
    /// Bytes of the batch's payload.
    range: Range<usize>,
}

#[derive(Clone)]
enum Source {
    Memory(Arc<Batch>),
    /// To be read again: where it is, and where its records begin, to know it by.
    Stored(Position, Lsn),
}

/// The pieces of one stream.
pub(super) type Held = SmallVec<[Piece; 1]>;

impl Piece {
    pub fn new(batch: Arc<Batch>, range: Range<usize>) -> Piece {
        Piece { source: Source::Memory(batch), range }
    }

    /// Bytes of memory that this piece keeps alive, as if no other piece shared them.
    pub fn holds_bytes(&self) -> usize {
        match &self.source {
            Source::Memory(batch) => batch.bytes.len(),
            Source::Stored(..) => 0,
        }
    }

    /// Keeps only the place.
    pub fn let_go(self) -> Piece {
        let source = match self.source {
            Source::Memory(batch) => Source::Stored(batch.position, batch.header.first),
            stored => stored,
        };
        Piece { source, ..self }
    }

    /// Takes the first bytes off, if there are as many.
    pub fn cut_front(&mut self, len: usize) -> Option<Piece> {
        if self.range.len() < len {
            return None;
        }
        let middle = self.range.start + len;
        let front = Piece { source: self.source.clone(), range: self.range.start..middle };
        self.range.start = middle;
        Some(front)
    }

    /// The bytes of a piece that is in memory; nothing of one that is not.
    pub fn bytes(&self) -> &[u8] {
        match &self.source {
            Source::Memory(batch) => &batch.payload()[self.range.clone()],
            Source::Stored(..) => &[],
        }
    }

    /// Something in a piece that is in memory makes no sense.
    pub fn damaged(&self, what: &'static str) -> LogError {
        match &self.source {
            Source::Memory(batch) => batch.damaged(self.range.start, what),
            Source::Stored(..) => unreachable!("a record that was just read is in memory"),
        }
    }

    fn load(&self, store: &dyn LogStore) -> Result<Arc<Batch>, LogError> {
        match &self.source {
            Source::Memory(batch) => Ok(batch.clone()),
            Source::Stored(position, first) => {
                let batch = store.read_batch(*position)?;
                let is_same = batch.header.first == *first
                    && batch.bytes.len() >= BATCH_HEADER + self.range.end;
                match is_same {
                    true => Ok(batch),
                    false => Err(batch.damaged(0, "the batch is not the one that was there")),
                }
            }
        }
    }
}

/// What a transaction did. Cheap to clone; can be read by several threads at once.
#[derive(Clone)]
pub struct Body {
    store: Arc<dyn LogStore>,
    pieces: Held,
}

impl Body {
    pub(super) fn new(store: Arc<dyn LogStore>, pieces: Held) -> Body {
        Body { store, pieces }
    }

    /// Bytes of all operations, encoded.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.range.len()).sum()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The operations, in order.
    pub fn operations(&self) -> Operations<'_> {
        Operations {
            body: self,
            next_piece: 0,
            current: None,
            offset: 0,
            end: 0,
            scratch: Vec::new(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({} bytes in {} pieces)", self.len(), self.pieces.len())
    }
}

/// Goes through the operations of a [`Body`].
pub struct Operations<'a> {
    body: &'a Body,
    next_piece: usize,
    /// The batch of the current piece, and what is left of the piece in its payload.
    current: Option<Arc<Batch>>,
    offset: usize,
    end: usize,
    /// Where bytes that are cut over pieces come together.
    scratch: Vec<u8>,
}

impl Operations<'_> {
    /// The next operation, which borrows from this until the call after.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if the bytes encode no operation, or cannot be read again.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Result<Option<Operation<'_>>, LogError> {
        if !self.has_more()? {
            return Ok(None);
        }
        let header: [u8; OPERATION_HEADER] =
            self.take(OPERATION_HEADER)?.try_into().expect("as many bytes as asked for");
        let header = OperationHeader::decode(&header).map_err(|_| self.damaged())?;
        let payload = self.take(header.payload_len as usize)?;
        Ok(Some(header.operation(payload)))
    }

    /// Makes sure that there is a byte at hand, if there is one left.
    fn has_more(&mut self) -> Result<bool, LogError> {
        while self.offset == self.end {
            let Some(piece) = self.body.pieces.get(self.next_piece) else { return Ok(false) };
            self.current = Some(piece.load(&*self.body.store)?);
            self.next_piece += 1;
            (self.offset, self.end) = (piece.range.start, piece.range.end);
        }
        Ok(true)
    }

    /// The next bytes, put together if they are cut over pieces.
    fn take(&mut self, len: usize) -> Result<&[u8], LogError> {
        if len == 0 {
            return Ok(&[]);
        }
        if self.has_more()? && self.end - self.offset >= len {
            let start = self.offset;
            self.offset += len;
            let batch = self.current.as_ref().expect("a piece is at hand");
            return Ok(&batch.payload()[start..start + len]);
        }
        self.scratch.clear();
        while self.scratch.len() < len {
            if !self.has_more()? {
                return Err(self.damaged());
            }
            let batch = self.current.as_ref().expect("a piece is at hand");
            let part = (self.end - self.offset).min(len - self.scratch.len());
            let bytes = &batch.payload()[self.offset..self.offset + part];
            self.scratch.extend_from_slice(bytes);
            self.offset += part;
        }
        Ok(&self.scratch)
    }

    fn damaged(&self) -> LogError {
        let batch = self.current.as_ref().expect("a piece is at hand");
        batch.damaged(self.offset, "an operation makes no sense")
    }
}

impl fmt::Debug for Operations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Operations(piece {} of {})", self.next_piece, self.body.pieces.len())
    }
}
