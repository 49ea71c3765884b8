//! Rows of a join for which there is no memory.
//!
//! # Life of a join that spills
//!
//! 1. A row of the build side is refused memory: all build rows, present and later ones, go to
//!    files, partitioned by hash.
//! 2. The build side has ended: as many parts as fit come back into memory.
//! 3. Rows of the probe side whose part is in memory are joined at once; the others are *put off*:
//!    written beside their part.
//! 4. Pair by pair, the build side's part is read into memory and the rows that were put off are
//!    *replayed*. A part that does not fit is taken apart at the next level.
//! 5. A part that would not get smaller, because its rows have one key, or that takes at most twice
//!    the free memory, is read as several *chunks*: the rows put off are replayed for each chunk,
//!    and carried on from one to the next, with a note of whether they have matched. As each chunk
//!    has at least one row, this ends whatever the data are.
//!
//! A record is the hash, a state, the length of the key, the key, the row. The state of a build row
//! is whether a probe can find it, that of a probe row whether it has matched.

use base::{Scratch, SqlError, SqlResult};
use engine::hot::row::RowLayout;
use engine::wait::Task;
use ir::object::HashDesc;
use ir::{RegList, Unit};

use super::{ENTRY, Entry, HashTable, NONE, bucket};
use crate::interp::machine::interrupted;
use crate::interp::memory::{Grant, Means, build_row};
use crate::interp::objects::hash_key;
use crate::interp::registers::Registers;
use crate::interp::slot::Slot;
use crate::interp::spill::{FAN_OUT, Pair, Pairs, Reader, Side, Stream};

/// The state of a replayed probe row, in a register: it has no match so far.
const UNMATCHED: i64 = 0;
/// The row has a match.
const MATCHED: i64 = 1;
/// The row has no match in the chunks so far, and this is not the last.
const UNDECIDED: i64 = 2;

/// See the module's header.
#[derive(Debug)]
pub struct Away {
    pairs: Pairs,
    /// A bit for each part of the first level whose build rows are all in memory.
    in_memory: u32,
    row: Scratch,
    /// How many rows without a key were written: they are spread over all parts by this number.
    unkeyed: u64,
    /// The rest of a part that is read as chunks.
    rest: Option<Reader>,
    /// The rows that are being replayed.
    probe: Option<Reader>,
    /// Whether `probe` is at a record.
    given: bool,
    /// The replayed rows that the next chunk must see.
    carried: Stream,
}

/// A record, taken apart.
struct Record<'r> {
    hash: u64,
    state: bool,
    key: &'r [u8],
    row: &'r [u8],
}

/// Bytes of a record before the key.
const HEADER: usize = 13;
/// Where the state is in a record.
const STATE: usize = 8;

impl<'r> Record<'r> {
    fn of(record: &'r [u8]) -> Record<'r> {
        let (header, rest) = record.split_at(HEADER);
        let len = u32::from_le_bytes([9, 10, 11, 12].map(|at| header[at]));
        let (key, row) = rest.split_at(len as usize);
        Record { hash: hash_of(record), state: header[STATE] != 0, key, row }
    }
}

fn hash_of(record: &[u8]) -> u64 {
    u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at| record[at]))
}

fn header(hash: u64, state: bool, key: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..STATE].copy_from_slice(&hash.to_le_bytes());
    header[STATE] = u8::from(state);
    header[STATE + 1..].copy_from_slice(&(key.len() as u32).to_le_bytes());
    header
}

impl Away {
    /// Whether the build rows with this hash are in memory.
    #[inline]
    pub fn is_in_memory(&self, hash: u64) -> bool {
        self.in_memory >> Pairs::of_hash(0, hash) & 1 != 0
    }

    /// Writes a build row.
    ///
    /// # Safety
    /// As for [`build_row`].
    pub unsafe fn put_build<'s>(
        &mut self,
        means: &Means<'_>,
        keyed: bool,
        key: &[u8],
        layout: &RowLayout,
        slots: impl Iterator<Item = &'s Slot> + Clone,
    ) -> SqlResult<()> {
        let hash = if keyed { hash_key(key) } else { self.spread() };
        // SAFETY: the caller ensures that the slots fit the layout and that their bytes are alive.
        let row = unsafe { build_row(layout, slots, &mut self.row, means.grant.account())? };
        let parts: [&[u8]; 3] = [&header(hash, keyed, key), key, row];
        self.pairs.add(means.task, Side::Build, hash, &parts)
    }

    /// A hash for a row without a key, which no probe looks for.
    fn spread(&mut self) -> u64 {
        self.unkeyed += 1;
        self.unkeyed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Puts the build rows of the next chunk, or else of the next pair, into the table. Returns
    /// whether there is one.
    fn load(
        &mut self,
        table: &mut HashTable,
        desc: &HashDesc,
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        self.given = false;
        if let Some(rest) = self.rest.take() {
            let carried = std::mem::take(&mut self.carried);
            self.probe = Some(carried.read(&mut self.pairs.file, means.task)?);
            self.load_chunk(table, rest, means)?;
            return Ok(true);
        }
        while let Some(pair) = self.pairs.next(means.task)? {
            if pair.probe.records() == 0 && !desc.wants_unmatched {
                self.pairs.discard(pair);
            } else if self.is_too_large(table, &pair, means) {
                self.pairs.split(means.task, pair, hash_of)?;
            } else {
                let Pair { build, probe, .. } = pair;
                self.probe = Some(probe.read(&mut self.pairs.file, means.task)?);
                let build = build.read(&mut self.pairs.file, means.task)?;
                self.load_chunk(table, build, means)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a pair is to be taken apart rather than read.
    fn is_too_large(&self, table: &HashTable, pair: &Pair, means: &Means<'_>) -> bool {
        let room = means.grant.room(&table.charge);
        pair.splits() && memory_for(pair.build.records(), pair.build.bytes()) > 2 * room as u64
    }

    /// Fills the table as far as there is room, with one row at least.
    fn load_chunk(
        &mut self,
        table: &mut HashTable,
        mut build: Reader,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        // A vector that grows by doubling would take the room of half of the rows.
        let room = means.grant.room(&table.charge) as u64;
        let rows =
            (room / memory_for(1, build.mean_bytes())).clamp(1, build.left().max(1)) as usize;
        table.entries = Vec::with_capacity(rows);
        let mut full = false;
        while !full
            && table.entries.len() < rows
            && build.advance(&mut self.pairs.file, means.task)?
        {
            means.task.checkpoint().map_err(|_| interrupted())?;
            table.take_back(build.record(), means.grant)?;
            // Blocks are charged beyond what the table may hold: without them nothing could spill.
            full = table.charge.settle_granted(table.bytes(), means.grant).is_err();
        }
        table.charge.overdraw(table.bytes() + self.pairs.held_bytes(), means.grant);
        self.rest = (build.left() > 0).then_some(build);
        Ok(())
    }

    /// Steps to the next row to be replayed. Returns whether there is one.
    fn step(&mut self, task: &Task<'_>) -> SqlResult<bool> {
        let Away { pairs, probe, .. } = self;
        self.given = match probe {
            Some(probe) => probe.advance(&mut pairs.file, task)?,
            None => false,
        };
        Ok(self.given)
    }

    /// Keeps the row that was replayed last for the next chunk, if that must see it.
    fn carry(&mut self, desc: &HashDesc, matched: bool, task: &Task<'_>) -> SqlResult<()> {
        let is_done = self.rest.is_none() || matched && desc.matches_once;
        if let (Some(probe), true, false) = (&self.probe, self.given, is_done) {
            let record = probe.record();
            let (before, rest) = record.split_at(STATE);
            let parts = [before, &[u8::from(matched)], &rest[1..]];
            self.carried.append(&mut self.pairs.file, task, &parts)?;
        }
        Ok(())
    }
}

/// Bytes of memory that this many build rows take whose records have `bytes` bytes.
fn memory_for(rows: u64, bytes: u64) -> u64 {
    (bytes + rows * ENTRY as u64).saturating_sub(rows * HEADER as u64)
}

impl HashTable {
    /// Writes the build rows that are in memory, and those that come from now on.
    #[cold]
    pub(super) fn spill(&mut self, refused: SqlError, means: &mut Means<'_>) -> SqlResult<()> {
        let mut away = Box::new(Away {
            pairs: Pairs::new(means.spill(refused)?),
            in_memory: 0,
            row: Scratch::default(),
            unkeyed: 0,
            rest: None,
            probe: None,
            given: false,
            carried: Stream::new(),
        });
        for entry in &self.entries {
            means.task.checkpoint().map_err(|_| interrupted())?;
            let hash = if entry.keyed { entry.hash } else { away.spread() };
            let (key, row) = (self.memory.get(entry.key), self.memory.get(entry.row));
            let parts = [&header(hash, entry.keyed, key), key, row];
            away.pairs.add(means.task, Side::Build, hash, &parts)?;
        }
        self.forget();
        self.entries = Vec::new();
        self.charge.overdraw(self.bytes() + away.pairs.held_bytes(), means.grant);
        self.away = Some(away);
        Ok(())
    }

    /// The build side has ended: takes back what there is room for, small parts first.
    #[cold]
    pub(super) fn keep_some(&mut self, means: &mut Means<'_>) -> SqlResult<()> {
        let Some(mut away) = self.away.take() else { return Ok(()) };
        away.pairs.finish_build(means.task)?;
        let held = away.pairs.held_bytes();
        let mut room = means.grant.room(&self.charge) as u64;
        let memory = |away: &Away, part: usize| {
            let (rows, bytes) = away.pairs.open_build(part);
            memory_for(rows, bytes)
        };
        let mut parts: Vec<usize> = (0..FAN_OUT).collect();
        parts.sort_by_key(|&part| memory(&away, part));
        for part in parts {
            let bytes = memory(&away, part);
            if bytes > room {
                break;
            }
            room -= bytes;
            away.in_memory |= 1 << part;
            let build = away.pairs.take_build(part);
            self.entries.reserve_exact(build.records() as usize);
            let mut build = build.read(&mut away.pairs.file, means.task)?;
            while build.advance(&mut away.pairs.file, means.task)? {
                means.task.checkpoint().map_err(|_| interrupted())?;
                self.take_back(build.record(), means.grant)?;
            }
        }
        self.charge.overdraw(self.bytes() + held, means.grant);
        self.away = Some(away);
        Ok(())
    }

    /// Adds a build row that was written.
    fn take_back(&mut self, record: &[u8], grant: &Grant) -> SqlResult<()> {
        let Record { hash, state: keyed, key, row } = Record::of(record);
        let key = self.memory.keep_in(key, grant.account())?;
        let row = self.memory.keep_in(row, grant.account())?;
        self.entries.push(Entry { hash, next: NONE, keyed, matched: false, key, row });
        Ok(())
    }

    /// Puts off the probe row for which [`HashTable::probe`] has found that its build rows are not
    /// in memory.
    #[cold]
    pub fn put_off(
        &mut self,
        unit: &Unit,
        desc: &HashDesc,
        list: RegList,
        regs: Registers<'_>,
        means: &Means<'_>,
    ) -> SqlResult<()> {
        let HashTable { away: Some(away), key, hash, .. } = self else { return Ok(()) };
        let Away { pairs, row, .. } = &mut **away;
        let layout = &unit.layouts[usize::from(desc.probe_layout)];
        let slots = regs.slots(unit.list(list));
        // SAFETY: the descriptor's layout has one column per register of the list (U1).
        let row = unsafe { build_row(layout, slots, row, means.grant.account())? };
        pairs.add(means.task, Side::Probe, *hash, &[&header(*hash, false, key), key, row])
    }

    /// Forgets the build rows in memory and reads the next ones that the rows put off may match.
    /// Returns whether there are any.
    pub fn next_partition(&mut self, desc: &HashDesc, means: &mut Means<'_>) -> SqlResult<bool> {
        let Some(mut away) = self.away.take() else { return Ok(false) };
        self.forget();
        if !away.load(self, desc, means)? {
            return Ok(false);
        }
        self.away = Some(away);
        self.build();
        Ok(true)
    }

    /// The next row that was put off, and its state: `UNMATCHED`, `MATCHED` or `UNDECIDED`. The
    /// caller then asks for its matches ([`HashTable::next_row`]). `matched` is the state that the
    /// caller has found for the row before.
    pub fn replay(
        &mut self,
        desc: &HashDesc,
        matched: i64,
        means: &Means<'_>,
    ) -> SqlResult<Option<(&[u8], i64)>> {
        let Some(mut away) = self.away.take() else { return Ok(None) };
        away.carry(desc, matched == MATCHED, means.task)?;
        if !away.step(means.task)? {
            self.away = Some(away);
            return Ok(None);
        }
        let away = self.away.insert(away);
        let record = Record::of(away.probe.as_ref().map_or(&[], Reader::record));
        let known = match (record.state, &away.rest) {
            (true, _) => MATCHED,
            (false, None) => UNMATCHED,
            (false, Some(_)) => UNDECIDED,
        };
        self.hash = record.hash;
        let key = record.key;
        self.key.copy_from(key, means.grant.account())?;
        self.next = self.buckets[bucket(&self.buckets, record.hash)];
        Ok(Some((record.row, known)))
    }
}
