//! The ring: log space in memory, reserved by committers and emptied by the writer.
//!
//! # Life of a record's space
//!
//! ```text
//! cleared → reserved (tail passes it) → published (header word) → committed (horizon passes it)
//!         → taken (the writer has copied it) → cleared, and given back (limit moves)
//! ```
//!
//! # Invariants
//!
//! * R1: space between `tail` and `limit` is zero, and so is the word at `tail` even when they are
//!   equal: `limit` stays one step short of the oldest space that is not cleared yet. A thread that
//!   looks at the header word of a position in [committed, tail] therefore sees 0 or that
//!   position's record.
//! * R2: only the reserver of a space writes it until it is published, and no thread between that
//!   and its clearing.
//! * R3: `committed` only moves over published records, in order. A committer that publishes tries
//!   to move it afterwards; of two that publish at once, the fences let at least one see the
//!   other's.
//! * R4: the sum of what reserved, unwritten records may cost in the store never exceeds the pages
//!   granted; a reservation that would exceed it gives its pages back and is refused.
//!
//! All words are atomics: space is handed over by the orderings below, and a torn read of a stale
//! header can do no harm, because the exchange on `committed` that would use it fails.

use base::ids::Lsn;
use crossbeam_utils::CachePadded;

use super::batch;
use super::record::{RECORD_ALIGN, RecordHeader};
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::sync::atomic::{AtomicI64, AtomicU64, fence};
use crate::sync::zeros;

const WORD: usize = 8;

/// Why space could not be reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    /// The writer has not emptied enough of the ring.
    Ring,
    /// The store has no room prepared.
    Store,
}

/// See the module's header.
pub(super) struct Ring {
    words: Box<[AtomicU64]>,
    ends: CachePadded<Ends>,
    /// End of the contiguous published prefix. Moved by committers that publish (R3), and by the
    /// writer.
    committed: CachePadded<AtomicU64>,
    /// Positions below this may be reserved. Moved by the writer.
    limit: CachePadded<AtomicU64>,
}

/// What every reservation writes, in one cache line.
struct Ends {
    /// The next position to reserve.
    tail: AtomicU64,
    /// Pages of the store that are prepared and not spoken for (R4). Negative for moments, while a
    /// reservation finds out that there are too few.
    pages: AtomicI64,
}

impl Ring {
    /// An empty ring of this many bytes (a power of two) whose first record has position `start`.
    /// No pages are granted yet.
    pub fn new(capacity: usize, start: Lsn) -> Ring {
        assert!(capacity.is_power_of_two() && capacity > RECORD_ALIGN, "a power of two");
        assert!(start.0 > 0 && start.0 % RECORD_ALIGN as u64 == 0, "a record position");
        let words = zeros(capacity / WORD);
        let ends = Ends { tail: AtomicU64::new(start.0), pages: AtomicI64::new(0) };
        Ring {
            words,
            ends: CachePadded::new(ends),
            committed: CachePadded::new(AtomicU64::new(start.0)),
            limit: CachePadded::new(AtomicU64::new(limit_for(capacity, start))),
        }
    }

    /// Bytes of the ring.
    pub fn capacity(&self) -> usize {
        self.words.len() * WORD
    }

    fn word(&self, position: u64) -> &AtomicU64 {
        let index = position as usize / WORD;
        &self.words[index & (self.words.len() - 1)]
    }

    /// The next position to be reserved.
    pub fn tail(&self) -> Lsn {
        Lsn(self.ends.tail.load(Acquire))
    }

    /// End of the contiguous published prefix. A thread that reads it sees all that the committers
    /// below did before they published.
    #[inline]
    pub fn committed(&self) -> Lsn {
        Lsn(self.committed.load(Acquire)) // pairs with the exchange in advance
    }

    /// Whether a record of this length would find room, if no other reservation came first.
    pub fn has_room(&self, len: usize) -> Result<(), Full> {
        if self.ends.tail.load(Relaxed) + len as u64 > self.limit.load(Relaxed) {
            return Err(Full::Ring);
        }
        if self.ends.pages.load(Relaxed) < batch::pages_for(len) {
            return Err(Full::Store);
        }
        Ok(())
    }

    /// Takes space for a record of this length (a multiple of 16). The order of reservations is the
    /// order of positions, and what was done before a reservation is visible after a later one.
    pub fn reserve(&self, len: usize) -> Result<Lsn, Full> {
        let pages = batch::pages_for(len);
        if self.ends.pages.fetch_sub(pages, Relaxed) < pages {
            self.ends.pages.fetch_add(pages, Relaxed);
            return Err(Full::Store);
        }
        let mut tail = self.ends.tail.load(Relaxed);
        loop {
            // Pairs with the store in release: the space was cleared before it was given back.
            if tail + len as u64 > self.limit.load(Acquire) {
                self.ends.pages.fetch_add(pages, Relaxed);
                return Err(Full::Ring);
            }
            let next = tail + len as u64;
            match self.ends.tail.compare_exchange_weak(tail, next, AcqRel, Relaxed) {
                Ok(_) => return Ok(Lsn(tail)),
                Err(now) => tail = now,
            }
        }
    }

    /// Publishes the record at this position, whose body has been written, and moves `committed`
    /// over whatever is contiguous. Returns where it stands.
    pub fn publish(&self, lsn: Lsn, header: &RecordHeader) -> Lsn {
        let [first, second] = header.encode();
        self.word(lsn.0 + WORD as u64).store(second, Relaxed);
        self.word(lsn.0).store(first, Release); // pairs with the load in advance
        fence(SeqCst); // R3: between publishing this waiter and looking for those of other threads
        self.advance()
    }

    /// Moves `committed` over whatever is contiguous. Returns where it stands.
    pub fn advance(&self) -> Lsn {
        let mut at = self.committed.load(Acquire);
        loop {
            let len = RecordHeader::published_len(self.word(at).load(Acquire));
            if len == 0 {
                return Lsn(at);
            }
            match self.committed.compare_exchange(at, at + len, AcqRel, Acquire) {
                Ok(_) => at += len,
                Err(now) => at = now,
            }
        }
    }

    /// Lets reservations cost this many pages more (or fewer).
    pub fn grant_pages(&self, pages: i64) {
        self.ends.pages.fetch_add(pages, Relaxed);
    }

    /// Pages that are granted and not spoken for.
    pub fn pages(&self) -> i64 {
        self.ends.pages.load(Relaxed)
    }

    // ---- the writer's side; one thread ----

    /// The header of the record at this position, which is below `committed`.
    pub fn header(&self, lsn: Lsn) -> RecordHeader {
        let words = [self.word(lsn.0).load(Relaxed), self.word(lsn.0 + WORD as u64).load(Relaxed)];
        RecordHeader::decode(words).expect("what is committed has been published")
    }

    /// Appends the bytes from this position on, all of them below `committed`, to a buffer.
    pub fn copy_out(&self, from: Lsn, len: usize, buffer: &mut Vec<u8>) {
        let old_len = buffer.len();
        buffer.resize(old_len + len, 0);
        let start = (from.0 as usize / WORD) & (self.words.len() - 1);
        let until_wrap = (self.words.len() - start).min(len / WORD);
        let (first, second) = buffer[old_len..].split_at_mut(until_wrap * WORD);
        for (bytes, word) in first.chunks_exact_mut(WORD).zip(&self.words[start..]) {
            bytes.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        for (bytes, word) in second.chunks_exact_mut(WORD).zip(&self.words[..]) {
            bytes.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        }
    }

    /// Clears the space between these positions, which has been taken, and gives it back.
    pub fn release(&self, from: Lsn, to: Lsn) {
        let mut at = from.0;
        while at < to.0 {
            self.word(at).store(0, Relaxed);
            at += WORD as u64;
        }
        self.limit.store(limit_for(self.capacity(), to), Release); // pairs with reserve
    }
}

/// R1: the step before the oldest space that is not cleared stays free.
fn limit_for(capacity: usize, oldest: Lsn) -> u64 {
    oldest.0 + (capacity - RECORD_ALIGN) as u64
}

/// Writes a record's body into reserved space, from front to back, in pieces of any length.
pub(super) struct BodyWriter {
    /// Position of the next whole word.
    position: u64,
    /// Bytes that do not fill a word yet, and how many.
    partial: u64,
    partial_len: usize,
}

impl BodyWriter {
    /// From the start of the body of the record at this position.
    pub fn new(lsn: Lsn) -> BodyWriter {
        let position = lsn.0 + super::record::RECORD_HEADER as u64;
        BodyWriter { position, partial: 0, partial_len: 0 }
    }

    /// The position after the last byte.
    pub fn position(&self) -> u64 {
        self.position + self.partial_len as u64
    }

    /// Appends bytes to the body. They fit into what was reserved.
    #[inline]
    pub fn put(&mut self, ring: &Ring, mut bytes: &[u8]) {
        if self.partial_len > 0 {
            let missing = (WORD - self.partial_len).min(bytes.len());
            let (head, rest) = bytes.split_at(missing);
            self.keep(head);
            bytes = rest;
            if self.partial_len < WORD {
                return;
            }
            self.flush(ring);
        }
        let words = bytes.chunks_exact(WORD);
        let rest = words.remainder();
        for word in words {
            let word = u64::from_le_bytes(word.try_into().expect("a chunk is a word long"));
            ring.word(self.position).store(word, Relaxed);
            self.position += WORD as u64;
        }
        self.keep(rest);
    }

    fn keep(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.partial |= u64::from(byte) << (8 * self.partial_len);
            self.partial_len += 1;
        }
    }

    fn flush(&mut self, ring: &Ring) {
        ring.word(self.position).store(self.partial, Relaxed);
        self.position += WORD as u64;
        (self.partial, self.partial_len) = (0, 0);
    }

    /// Writes what does not fill a word. What follows in the record stays zero (R1).
    pub fn finish(&mut self, ring: &Ring) {
        if self.partial_len > 0 {
            self.flush(ring);
        }
    }
}

/// The positions of a log that keeps nothing: each is 16 bytes, taken and published, and that is
/// all.
///
/// A slot holds the position that was published there last, so that no slot need ever be cleared;
/// a position may be reserved once `committed` has passed the one a lap before.
pub(super) struct Stamps {
    slots: Box<[AtomicU64]>,
    tail: CachePadded<AtomicU64>,
    committed: CachePadded<AtomicU64>,
}

impl Stamps {
    /// Positions from `start` on; `slots` (a power of two) can be reserved and not published at
    /// once.
    pub fn new(slots: usize, start: Lsn) -> Stamps {
        assert!(slots.is_power_of_two(), "a power of two");
        Stamps {
            slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            tail: CachePadded::new(AtomicU64::new(start.0)),
            committed: CachePadded::new(AtomicU64::new(start.0)),
        }
    }

    fn slot(&self, position: u64) -> &AtomicU64 {
        &self.slots[(position as usize / RECORD_ALIGN) & (self.slots.len() - 1)]
    }

    /// See [`Ring::tail`].
    pub fn tail(&self) -> Lsn {
        Lsn(self.tail.load(Acquire))
    }

    /// See [`Ring::committed`].
    #[inline]
    pub fn committed(&self) -> Lsn {
        Lsn(self.committed.load(Acquire)) // pairs with the exchange in publish
    }

    /// See [`Ring::has_room`].
    pub fn has_room(&self) -> Result<(), Full> {
        self.check(self.tail.load(Relaxed))
    }

    fn check(&self, tail: u64) -> Result<(), Full> {
        let lap = (self.slots.len() * RECORD_ALIGN) as u64;
        match tail - self.committed.load(Acquire).min(tail) < lap {
            true => Ok(()),
            false => Err(Full::Ring),
        }
    }

    /// Takes the next position.
    pub fn reserve(&self) -> Result<Lsn, Full> {
        let mut tail = self.tail.load(Relaxed);
        loop {
            self.check(tail)?;
            let next = tail + RECORD_ALIGN as u64;
            match self.tail.compare_exchange_weak(tail, next, AcqRel, Relaxed) {
                Ok(_) => return Ok(Lsn(tail)),
                Err(now) => tail = now,
            }
        }
    }

    /// Publishes a position and moves `committed` over whatever is contiguous.
    pub fn publish(&self, lsn: Lsn) -> Lsn {
        self.slot(lsn.0).store(lsn.0, Release); // pairs with the load below
        fence(SeqCst); // as R3
        let mut at = self.committed.load(Acquire);
        while self.slot(at).load(Acquire) == at {
            let next = at + RECORD_ALIGN as u64;
            at = match self.committed.compare_exchange(at, next, AcqRel, Acquire) {
                Ok(_) => next,
                Err(now) => now,
            };
        }
        Lsn(at)
    }
}
