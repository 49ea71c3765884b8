//! Hash tables of joins: filled once, then probed.
//!
//! When the grant is used up, the rows go to files, partitioned by the hash of their keys: see
//! [`away`].

mod away;

use away::Away;
use base::SqlResult;
use ir::Unit;
use ir::key::ChargedKey;
use ir::object::HashDesc;

use crate::interp::memory::{Charge, Grant, Means, Memory, Piece, clear_list};
use crate::interp::objects::hash_key;
use crate::interp::registers::Registers;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    /// The next entry of the bucket.
    next: u32,
    /// Whether a probe can find it.
    keyed: bool,
    matched: bool,
    key: Piece,
    row: Piece,
}

/// Bytes of an entry and its share of the buckets, of which there are two to four times as many as
/// entries.
const ENTRY: usize = size_of::<Entry>() + 4 * size_of::<u32>();

/// See the module's header.
#[derive(Debug, Default)]
pub struct HashTable {
    memory: Memory,
    entries: Vec<Entry>,
    /// The first entry of each bucket; made when the first probe comes.
    buckets: Vec<u32>,
    /// The key of the current probe, and its hash.
    key: ChargedKey,
    hash: u64,
    /// The entry to look at next.
    next: u32,
    /// The entry that was returned last.
    last: u32,
    /// Where the search for entries without a match is.
    unmatched: usize,
    charge: Charge,
    /// Rows that found no room.
    away: Option<Box<Away>>,
}

impl HashTable {
    /// Empties the table.
    pub fn clear(&mut self, grant: &mut Grant) {
        self.forget();
        self.away = None;
        self.charge.release(grant);
    }

    /// Forgets what is in memory.
    fn forget(&mut self) {
        self.memory.clear();
        clear_list(&mut self.entries);
        clear_list(&mut self.buckets);
        (self.next, self.last, self.unmatched) = (NONE, NONE, 0);
    }

    /// Whether the table has no row.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.away.is_none()
    }

    fn bytes(&self) -> usize {
        self.memory.allocated() + self.entries.capacity() * ENTRY
    }

    /// Adds a row, under its keys if `keyed`.
    pub fn push(
        &mut self,
        unit: &Unit,
        desc: &HashDesc,
        regs: Registers<'_>,
        keyed: bool,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        self.key.clear();
        if keyed {
            desc.shape.encode(&regs.keys(&desc.build), &mut self.key, means.grant.account())?;
        }
        let layout = &unit.layouts[usize::from(desc.layout)];
        let slots = regs.slots(unit.list(desc.row));
        if let Some(away) = &mut self.away {
            // SAFETY: the descriptor has one register per column of its layout, of its type (U1),
            // and the bytes of registers are alive (U4).
            return unsafe { away.put_build(means, keyed, &self.key, layout, slots) };
        }
        let hash = if keyed { hash_key(&self.key) } else { 0 };
        let account = means.grant.account();
        let key = self.memory.keep_in(&self.key, account)?;
        // SAFETY: as for `put_build` above; `keep_row` demands the same.
        let row = unsafe { self.memory.keep_row(layout, slots, account)? };
        self.entries.push(Entry { hash, next: NONE, keyed, matched: false, key, row });
        if !desc.spills {
            return self.charge.settle(self.bytes(), means.grant);
        }
        match self.charge.settle_granted(self.bytes(), means.grant) {
            Ok(()) => Ok(()),
            Err(refused) => self.spill(refused, means),
        }
    }

    /// Links all entries into buckets. Entries with equal keys are found in the order in which they
    /// came.
    #[cold]
    fn build(&mut self) {
        let buckets = (self.entries.len() * 2).next_power_of_two();
        self.buckets.resize(buckets, NONE);
        let mask = buckets as u64 - 1;
        for (at, entry) in self.entries.iter_mut().enumerate().rev() {
            if entry.keyed {
                let bucket = (entry.hash & mask) as usize;
                entry.next = std::mem::replace(&mut self.buckets[bucket], at as u32);
            }
        }
    }

    /// Looks for the probe keys. Returns whether the rows that may have them are in memory.
    #[inline]
    pub fn probe(
        &mut self,
        desc: &HashDesc,
        regs: Registers<'_>,
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        if self.buckets.is_empty() {
            if self.is_empty() {
                self.next = NONE;
                return Ok(true);
            }
            self.keep_some(means)?;
            self.build();
        }
        desc.shape.encode(&regs.keys(&desc.probe), &mut self.key, means.grant.account())?;
        self.hash = hash_key(&self.key);
        if let Some(away) = &self.away
            && !away.is_in_memory(self.hash)
        {
            return Ok(false);
        }
        self.next = self.buckets[bucket(&self.buckets, self.hash)];
        Ok(true)
    }

    /// The next row with those keys.
    #[inline]
    pub fn next_row(&mut self) -> Option<&[u8]> {
        while self.next != NONE {
            let at = self.next;
            let entry = &self.entries[at as usize];
            self.next = entry.next;
            if entry.hash == self.hash && self.memory.get(entry.key) == &self.key[..] {
                self.last = at;
                return Some(self.memory.get(entry.row));
            }
        }
        None
    }

    /// Notes that the row returned last has a match.
    pub fn mark(&mut self) {
        self.entries[self.last as usize].matched = true;
    }

    /// Positions before the first row without a match.
    pub fn rewind(&mut self) {
        self.unmatched = 0;
    }

    /// The next row without a match.
    pub fn next_unmatched(&mut self) -> Option<&[u8]> {
        let found = self.entries[self.unmatched..].iter().position(|e| !e.matched);
        match found {
            Some(found) => {
                let at = self.unmatched + found;
                self.unmatched = at + 1;
                Some(self.memory.get(self.entries[at].row))
            }
            None => {
                self.unmatched = self.entries.len();
                None
            }
        }
    }
}

/// The bucket of a hash.
#[inline]
fn bucket(buckets: &[u32], hash: u64) -> usize {
    (hash & (buckets.len() as u64 - 1)) as usize
}
