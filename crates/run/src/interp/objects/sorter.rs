//! Sorting: rows with normalized keys, sorted in memory, or in runs that were each sorted in
//! memory.
//!
//! When the grant is used up, what is in memory is sorted and written as a run; at the end the runs
//! are merged. With a limit, only as many rows as are wanted are kept, as a heap with the greatest
//! row on top: a row that is not below that one is dropped at once.

use base::{Account, SqlError, SqlResult};
use engine::wait::Task;
use ir::Unit;
use ir::key::ChargedKey;
use ir::object::SortDesc;

use crate::interp::memory::{Charge, Grant, Means, Memory, Piece, clear_list};
use crate::interp::registers::Registers;
use crate::interp::spill::Runs;

/// A row to be sorted.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The first eight bytes of the key, so that most comparisons look no further.
    head: u64,
    /// The row's place in the input: equal rows keep their order.
    number: u64,
    key: Piece,
    row: Piece,
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct Sorter {
    memory: Memory,
    entries: Vec<Entry>,
    /// How many rows are wanted.
    limit: Option<usize>,
    pushed: u64,
    /// Bytes of rows that the heap has dropped.
    garbage: usize,
    at: usize,
    key: ChargedKey,
    charge: Charge,
    /// What did not fit into memory.
    runs: Option<Box<Runs>>,
}

/// Garbage below this is not worth collecting.
const GARBAGE_MIN: usize = 64 << 10;
/// Rows that are compared between two looks at the clock.
const COMPARED: usize = 512;
/// Bytes of keys whose comparison counts as one more.
const BYTES_COMPARED: usize = 4096;
/// Above this many rows a heap costs more than it saves.
const HEAP_MAX: u64 = 4096;

impl Sorter {
    /// Empties the sorter. `limit`: how many rows are wanted.
    pub fn clear(&mut self, limit: Option<u64>, grant: &mut Grant) {
        self.memory.clear();
        clear_list(&mut self.entries);
        self.limit = limit.filter(|l| *l <= HEAP_MAX).map(|l| l as usize);
        self.pushed = 0;
        self.garbage = 0;
        self.at = 0;
        self.runs = None;
        self.charge.release(grant);
    }

    /// Adds a row.
    pub fn push(
        &mut self,
        unit: &Unit,
        desc: &SortDesc,
        regs: Registers<'_>,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        let account = means.grant.account();
        desc.order.shape.encode(&regs.order(&desc.order.keys), &mut self.key, account)?;
        let head = head(&self.key);
        self.pushed += 1;
        let full = self.limit.is_some_and(|limit| self.entries.len() >= limit);
        if full && !self.makes_room(head) {
            return Ok(());
        }
        let layout = &unit.layouts[usize::from(desc.layout)];
        let row = unit.list(desc.row);
        // SAFETY: the descriptor has one register per column of its layout (U1).
        let row = unsafe { self.memory.keep_row(layout, regs.slots(row), account)? };
        let key = self.memory.keep_in(&self.key, account)?;
        self.entries.push(Entry { head, number: self.pushed, key, row });
        if self.limit.is_some() {
            self.sift_up(self.entries.len() - 1);
            self.collect_garbage(account);
        }
        let entries = self.entries.capacity() * size_of::<Entry>();
        match self.charge.settle_granted(self.memory.allocated() + entries, means.grant) {
            Ok(()) => Ok(()),
            Err(refused) => self.spill(refused, means),
        }
    }

    /// Makes room by writing what is in memory as a run.
    #[cold]
    fn spill(&mut self, refused: SqlError, means: &mut Means<'_>) -> SqlResult<()> {
        let mut runs = match self.runs.take() {
            Some(runs) => runs,
            None => Box::new(Runs::new(means.spill(refused)?)),
        };
        let written = self.write_run(&mut runs, means);
        self.runs = Some(runs);
        written
    }

    fn write_run(&mut self, runs: &mut Runs, means: &mut Means<'_>) -> SqlResult<()> {
        self.sort(means.task);
        let Sorter { memory, entries, .. } = self;
        let rows = entries.iter().map(|e| (memory.get(e.key), memory.get(e.row)));
        runs.add(means.task, rows)?;
        // A heap that does not fit is given up: the sorter then returns more rows than are wanted,
        // in order.
        self.limit = None;
        self.memory.clear();
        self.entries = Vec::new();
        self.charge.overdraw(self.memory.allocated(), means.grant);
        Ok(())
    }

    /// Drops the greatest row if the new one is below it.
    fn makes_room(&mut self, head: u64) -> bool {
        let Some(top) = self.entries.first() else { return false };
        let below = (head, &self.key[..]) < (top.head, self.memory.get(top.key));
        if below {
            self.garbage += top.key.byte_len() + top.row.byte_len();
            self.entries.swap_remove(0);
            self.sift_down(0);
        }
        below
    }

    fn is_below(&self, a: usize, b: usize) -> bool {
        compare(&self.memory, &self.entries[a], &self.entries[b]).is_lt()
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.is_below(parent, at) {
                break;
            }
            self.entries.swap(parent, at);
            at = parent;
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut greatest = at;
            for child in [left, right] {
                if child < self.entries.len() && self.is_below(greatest, child) {
                    greatest = child;
                }
            }
            if greatest == at {
                return;
            }
            self.entries.swap(at, greatest);
            at = greatest;
        }
    }

    /// Gives the memory of dropped rows back, if that pays and there is room for both copies of the
    /// other rows.
    fn collect_garbage(&mut self, account: &Account) {
        let held = self.memory.allocated();
        if self.garbage < GARBAGE_MIN.max(held / 2) || !account.has_room(held - self.garbage) {
            return;
        }
        let mut memory = Memory::new();
        for entry in &mut self.entries {
            entry.key = memory.keep(self.memory.get(entry.key));
            entry.row = memory.keep(self.memory.get(entry.row));
        }
        self.memory = memory;
        self.garbage = 0;
    }

    /// Sorts, and positions before the first row.
    pub fn finish(&mut self, means: &mut Means<'_>) -> SqlResult<()> {
        self.at = 0;
        match self.runs.take() {
            Some(runs) => self.merge(runs, means),
            None => {
                self.sort(means.task);
                Ok(())
            }
        }
    }

    /// Sorts what is in memory. Other sessions have their turn meanwhile. Attention ends the
    /// statement only afterwards, since half a sort is of no use.
    fn sort(&mut self, task: &Task<'_>) {
        let memory = &self.memory;
        let mut compared = 0;
        self.entries.sort_unstable_by(|a, b| {
            compared += 1 + a.key.byte_len().min(b.key.byte_len()) / BYTES_COMPARED;
            if compared >= COMPARED {
                compared = 0;
                task.give_way();
            }
            compare(memory, a, b)
        });
    }

    #[cold]
    fn merge(&mut self, mut runs: Box<Runs>, means: &mut Means<'_>) -> SqlResult<()> {
        self.write_run(&mut runs, means)?;
        let bytes = runs.start(means.grant.merge_width(), means.task)?;
        self.charge.overdraw(self.memory.allocated() + bytes, means.grant);
        self.runs = Some(runs);
        Ok(())
    }

    /// The next row. One that was spilled stays where it is until the next call.
    #[inline]
    pub fn next_row(&mut self, task: &Task<'_>) -> SqlResult<Option<&[u8]>> {
        match self.entries.get(self.at) {
            Some(&Entry { row, .. }) => {
                self.at += 1;
                Ok(Some(self.memory.get(row)))
            }
            None => match &mut self.runs {
                Some(runs) => runs.next_row(task),
                None => Ok(None),
            },
        }
    }
}

fn compare(memory: &Memory, a: &Entry, b: &Entry) -> std::cmp::Ordering {
    let keys = || memory.get(a.key).cmp(memory.get(b.key));
    a.head.cmp(&b.head).then_with(keys).then(a.number.cmp(&b.number))
}

/// The first eight bytes of a key, as a number that orders as they do.
pub fn head(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}
