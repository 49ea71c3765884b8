//! Memory for rows and keys that objects keep, and the account that it is charged to.
//!
//! An object that is refused a charge spills, if it can: see [`super::spill`].

use std::sync::Arc;

use base::{Account, Scratch, SqlError, SqlResult, UNASKED};
use engine::hot::row::RowLayout;
use engine::wait::Task;
use hashbrown::HashTable;

use crate::interp::grants::{Lease, Usage};
use crate::interp::row;
use crate::interp::slot::Slot;
use crate::interp::spill::{SpillFile, SpillSpace};

/// The first chunk's size; each further one is twice as large as the one before, up to
/// [`CHUNK_MAX`].
const CHUNK_MIN: usize = 1 << 12;
const CHUNK_MAX: usize = 1 << 20;

/// How many runs are merged at a time, at least and at most.
const MERGE_MIN: usize = 4;
const MERGE_MAX: usize = 64;

/// Bytes in a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Piece {
    chunk: u32,
    at: u32,
    len: u32,
}

impl Piece {
    /// How many bytes there are.
    pub fn byte_len(self) -> usize {
        self.len as usize
    }
}

/// Bytes that do not move until all of them are forgotten.
#[derive(Debug, Default)]
pub struct Memory {
    /// Each is filled up to its capacity at most, so its bytes never move.
    chunks: Vec<Vec<u8>>,
    /// The chunk that is being filled.
    current: usize,
}

impl Memory {
    /// Memory that has nothing yet.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Keeps a copy of bytes. Error 701 where they are many and the account has no room for them.
    #[inline]
    pub fn keep_in(&mut self, bytes: &[u8], account: &Account) -> SqlResult<Piece> {
        admit_long(bytes.len(), account)?;
        Ok(self.keep(bytes))
    }

    /// Keeps a copy of bytes.
    pub fn keep(&mut self, bytes: &[u8]) -> Piece {
        let chunk = self.chunk_for(bytes.len());
        let at = self.chunks[chunk].len();
        self.chunks[chunk].extend_from_slice(bytes);
        Piece { chunk: chunk as u32, at: at as u32, len: bytes.len() as u32 }
    }

    /// Keeps a row of these slots. Error 701 where the account has no room for a long one.
    ///
    /// # Safety
    /// As for [`row::build`].
    pub unsafe fn keep_row<'s>(
        &mut self,
        layout: &RowLayout,
        slots: impl Iterator<Item = &'s Slot> + Clone,
        account: &Account,
    ) -> SqlResult<Piece> {
        // SAFETY: the caller ensures that the slots fit the layout and that their bytes are alive.
        let len = unsafe { row::built_len(layout, slots.clone()) };
        admit_long(len, account)?;
        let chunk = self.chunk_for(len);
        let at = self.chunks[chunk].len();
        // SAFETY: as for `built_len` above; `build` demands the same.
        unsafe { row::build(layout, slots, &mut self.chunks[chunk]) };
        // Or the chunk would have moved, with all rows in it.
        assert_eq!(self.chunks[chunk].len(), at + len, "the length was computed right");
        Ok(Piece { chunk: chunk as u32, at: at as u32, len: len as u32 })
    }

    /// The bytes of a piece.
    #[inline]
    pub fn get(&self, piece: Piece) -> &[u8] {
        &self.chunks[piece.chunk as usize][piece.at as usize..(piece.at + piece.len) as usize]
    }

    /// A chunk with room for this many bytes, which is then the current one.
    fn chunk_for(&mut self, len: usize) -> usize {
        while let Some(chunk) = self.chunks.get(self.current) {
            if len <= chunk.capacity() - chunk.len() {
                return self.current;
            }
            self.current += 1;
        }
        let last = self.chunks.last().map_or(CHUNK_MIN / 2, Vec::capacity);
        let size = (2 * last).clamp(CHUNK_MIN, CHUNK_MAX).max(len);
        self.chunks.push(Vec::with_capacity(size));
        self.current = self.chunks.len() - 1;
        self.current
    }

    /// Forgets everything and gives back all but the first chunk, and that if it is large.
    pub fn clear(&mut self) {
        let small = self.chunks.first().is_some_and(|chunk| chunk.capacity() <= KEPT_MAX);
        self.chunks.truncate(usize::from(small));
        if let Some(chunk) = self.chunks.first_mut() {
            chunk.clear();
        }
        self.current = 0;
    }

    /// Bytes taken from the heap.
    pub fn allocated(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum()
    }
}

/// The most bytes of an emptied list or table that are kept for later use. No account is charged
/// for them.
const KEPT_MAX: usize = 64 << 10;

/// As [`Grant::admit`].
#[inline]
fn admit_long(bytes: usize, account: &Account) -> SqlResult<()> {
    if bytes <= UNASKED { Ok(()) } else { account.admit(bytes) }
}

/// Builds a row of these slots. Error 701 where the account has no room for a long one.
///
/// # Safety
/// As for [`row::build`].
pub unsafe fn build_row<'s, 'r>(
    layout: &RowLayout,
    slots: impl Iterator<Item = &'s Slot> + Clone,
    row: &'r mut Scratch,
    account: &Arc<Account>,
) -> SqlResult<&'r [u8]> {
    let len = match layout.wide_offsets() {
        // SAFETY: the caller ensures that the slots fit the layout and that their bytes are alive.
        true => unsafe { row::built_len(layout, slots.clone()) },
        false => 0,
    };
    let bytes = row.begin(len, account)?;
    // SAFETY: as for `built_len` above; `build` demands the same.
    unsafe { row::build(layout, slots, bytes) };
    Ok(bytes)
}

/// Empties a list.
pub fn clear_list<T>(list: &mut Vec<T>) {
    list.clear();
    if list.capacity() * size_of::<T>() > KEPT_MAX {
        *list = Vec::new();
    }
}

/// Empties a table.
pub fn clear_table<T>(table: &mut HashTable<T>) {
    table.clear();
    if table_bytes(table) > KEPT_MAX {
        *table = HashTable::new();
    }
}

/// Bytes that a table takes from the heap: an eighth of its slots is always free.
pub fn table_bytes<T>(table: &HashTable<T>) -> usize {
    table.capacity() * 8 / 7 * (size_of::<T>() + 1)
}

/// Bytes that a table takes beside those that it has, while it grows for one more entry; 0 if it
/// has room for that.
pub fn growth_bytes<T>(table: &HashTable<T>) -> usize {
    if table.len() < table.capacity() { 0 } else { 2 * table_bytes(table) }
}

/// What a session's statements may hold in memory beside rows of tables.
#[derive(Debug)]
pub struct Grant {
    /// Bytes of values, and of objects that cannot spill. Its limit is that of the whole grant.
    account: Arc<Account>,
    /// Bytes of objects that can spill, their blocks of files included.
    spillable: usize,
    /// Bytes in use at which objects that can spill do so. The rest of the limit is for those that
    /// cannot.
    granted: usize,
    /// Where objects go on when the limit is reached.
    spill: Option<Arc<SpillSpace>>,
    /// What the statement that runs was granted for objects that can spill, if it had to ask.
    lease: Option<Lease>,
    /// What the session's statements hold, for views.
    usage: Arc<Usage>,
}

/// What an object needs that is not its own.
pub struct Means<'m> {
    /// The task that waits for files.
    pub task: &'m Task<'m>,
    /// The account of their memory.
    pub grant: &'m mut Grant,
}

impl Means<'_> {
    /// A file for an object that was refused a charge. Without a space for files, the error is
    /// `refused`.
    #[cold]
    pub fn spill(&self, refused: SqlError) -> SqlResult<SpillFile> {
        match &self.grant.spill {
            Some(space) => SpillFile::create(self.task, space, self.grant.account()),
            None => Err(refused),
        }
    }
}

impl Grant {
    /// A grant of this many bytes from the resource pool of this name.
    pub fn new(limit: usize, pool: &str) -> Grant {
        Grant::charged_to(Account::new(limit, pool))
    }

    /// A grant of what an account allows.
    pub fn charged_to(account: Arc<Account>) -> Grant {
        let granted = account.limit();
        Grant { account, spillable: 0, granted, spill: None, lease: None, usage: Arc::default() }
    }

    /// This grant, whose objects may spill.
    pub fn with_spill(self, space: Arc<SpillSpace>) -> Grant {
        Grant { granted: spills_at(self.account.limit()), spill: Some(space), ..self }
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.account.used() + self.spillable
    }

    /// The account of values, and of objects that cannot spill.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Asks for room for bytes that an object takes before it settles its charge. Error 701 where
    /// they are many and there is no room for them.
    #[inline]
    pub fn admit(&self, bytes: usize) -> SqlResult<()> {
        admit_long(bytes, &self.account)
    }

    /// Error 701 where values have taken more than there is.
    #[inline]
    pub fn check(&self) -> SqlResult<()> {
        self.account.check()
    }

    /// Sets the limit from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.account.set_limit(limit);
        self.granted = if self.spill.is_some() { spills_at(limit) } else { limit };
    }

    /// Sets what objects that can spill may hold before they do so. For the others the limit
    /// counts.
    pub fn set_granted(&mut self, bytes: usize) {
        self.granted = bytes.min(self.account.limit());
    }

    /// Whether the statement that runs has a lease.
    pub fn has_lease(&self) -> bool {
        self.lease.is_some()
    }

    /// What the session's statements hold, for views.
    pub fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// Begins a statement that runs with this lease.
    pub fn begin_lease(&mut self, lease: Lease) {
        self.usage.restart();
        self.lease = Some(lease);
    }

    /// Ends the lease, with its statement.
    pub fn end_lease(&mut self) {
        self.lease = None;
    }

    /// Whether objects that can spill may hold this much.
    fn allows(&mut self, spillable: usize) -> bool {
        self.account.used() + spillable <= self.granted
            && self.lease.as_mut().is_none_or(|lease| lease.covers(spillable))
    }

    /// Bytes that an object may hold even if the grant is used up; 0 where nothing can spill.
    fn object_min(&self) -> usize {
        self.spill.as_ref().map_or(0, |space| space.object_min_bytes())
    }

    /// Bytes that an object that can spill may hold in all, its present charge included.
    pub fn room(&self, charge: &Charge) -> usize {
        let others = self.spillable - if charge.spillable { charge.bytes } else { 0 };
        let granted = self.granted.saturating_sub(self.account.used());
        let leased = self.lease.as_ref().map_or(granted, Lease::reach);
        granted.min(leased).saturating_sub(others).max(self.object_min())
    }

    /// How many blocks of files are read at a time.
    pub fn merge_width(&self) -> usize {
        let block = self.spill.as_ref().map_or(1, |space| space.block_bytes());
        let leased = self.lease.as_ref().map_or(self.granted, Lease::bytes);
        (self.granted.min(leased) / (4 * block)).clamp(MERGE_MIN, MERGE_MAX)
    }

    fn exhausted(&self) -> SqlError {
        self.account.exhausted()
    }

    /// Books bytes that were taken and given back.
    fn book(&mut self, spillable: bool, taken: usize, given: usize) {
        if spillable {
            self.spillable = self.spillable + taken - given;
        } else if taken > given {
            self.account.take(taken - given);
        } else {
            self.account.give(given - taken);
        }
    }
}

/// How much of a limit the objects that can spill may take.
fn spills_at(limit: usize) -> usize {
    limit - limit / 4
}

/// What one object has been charged.
#[derive(Debug, Default)]
pub struct Charge {
    bytes: usize,
    /// Whether it is part of [`Grant::spillable`].
    spillable: bool,
}

impl Charge {
    /// Makes the charge this many bytes; error 701 where the grant does not have them. What other
    /// objects hold beyond the grant, because they have spilled, is not counted.
    #[inline]
    pub fn settle(&mut self, bytes: usize, grant: &mut Grant) -> SqlResult<()> {
        if bytes == self.bytes {
            return Ok(());
        }
        self.change(bytes, grant)
    }

    #[cold]
    fn change(&mut self, bytes: usize, grant: &mut Grant) -> SqlResult<()> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 {
            let others = grant.spillable.min(grant.granted);
            grant.account.admit_beside(others, more)?;
        }
        self.book(bytes, false, grant);
        Ok(())
    }

    /// As [`Charge::settle`], for an object that can spill: it is refused what was not granted, but
    /// gets its minimum even if other objects have used the grant up.
    #[inline]
    pub fn settle_granted(&mut self, bytes: usize, grant: &mut Grant) -> SqlResult<()> {
        if bytes == self.bytes {
            return Ok(());
        }
        self.change_granted(bytes, grant)
    }

    #[cold]
    fn change_granted(&mut self, bytes: usize, grant: &mut Grant) -> SqlResult<()> {
        let others = grant.spillable - if self.spillable { self.bytes } else { 0 };
        if bytes > self.bytes && !grant.allows(others + bytes) && bytes > grant.object_min() {
            return Err(grant.exhausted());
        }
        self.overdraw(bytes, grant);
        Ok(())
    }

    /// Makes the charge this many bytes, whether the grant has them or not: for the few blocks
    /// without which nothing could spill.
    pub fn overdraw(&mut self, bytes: usize, grant: &mut Grant) {
        self.book(bytes, true, grant);
    }

    /// Gives back all that was charged.
    pub fn release(&mut self, grant: &mut Grant) {
        self.book(0, self.spillable, grant);
    }

    fn book(&mut self, bytes: usize, spillable: bool, grant: &mut Grant) {
        match self.spillable == spillable {
            true => grant.book(spillable, bytes, self.bytes),
            false => {
                grant.book(self.spillable, 0, self.bytes);
                grant.book(spillable, bytes, 0);
            }
        }
        *self = Charge { bytes, spillable };
        grant.usage.note(grant.used());
    }
}

#[cfg(test)]
mod tests;
