//! Sorted runs and how they are merged: several at a time, in as many passes as it takes.

use std::cmp::Ordering;

use base::SqlResult;
use engine::wait::Task;

use super::{Reader, SpillFile, Stream};
use crate::interp::machine::interrupted;
use crate::interp::objects::sorter::head;

/// Sorted runs of rows. Of rows with equal keys, those of the earlier run come first, so a sort
/// that is stable within runs is stable.
#[derive(Debug)]
pub struct Runs {
    file: SpillFile,
    runs: Vec<Stream>,
    merge: Option<Merge>,
}

impl Runs {
    /// Without runs.
    pub fn new(file: SpillFile) -> Runs {
        Runs { file, runs: Vec::new(), merge: None }
    }

    /// Writes one more run: keys and rows in order.
    pub fn add<'r>(
        &mut self,
        task: &Task<'_>,
        rows: impl Iterator<Item = (&'r [u8], &'r [u8])>,
    ) -> SqlResult<()> {
        let mut run = Stream::new();
        for (key, row) in rows {
            append(&mut run, &mut self.file, task, key, row)?;
            task.checkpoint().map_err(|_| interrupted())?;
        }
        run.finish(&mut self.file, task)?;
        self.runs.push(run);
        Ok(())
    }

    /// Positions before the first row of all runs, of which `width` are read at a time. Returns how
    /// many bytes of memory that takes.
    pub fn start(&mut self, width: usize, task: &Task<'_>) -> SqlResult<usize> {
        while self.runs.len() > width {
            let mut merged = Vec::with_capacity(self.runs.len().div_ceil(width));
            let mut runs = std::mem::take(&mut self.runs).into_iter();
            while runs.len() > 0 {
                merged.push(self.merge_some(runs.by_ref().take(width).collect(), task)?);
            }
            self.runs = merged;
        }
        let runs = std::mem::take(&mut self.runs);
        // Of each run, the current block and the one after.
        let bytes = 2 * runs.len() * self.file.block_bytes();
        self.merge = Some(Merge::start(runs, &mut self.file, task)?);
        Ok(bytes)
    }

    /// Makes one run of several.
    fn merge_some(&mut self, mut runs: Vec<Stream>, task: &Task<'_>) -> SqlResult<Stream> {
        if runs.len() == 1 {
            return Ok(runs.remove(0));
        }
        let mut merge = Merge::start(runs, &mut self.file, task)?;
        let mut merged = Stream::new();
        while let Some((key, row)) = merge.next_row(&mut self.file, task)? {
            append(&mut merged, &mut self.file, task, key, row)?;
            task.checkpoint().map_err(|_| interrupted())?;
        }
        merged.finish(&mut self.file, task)?;
        Ok(merged)
    }

    /// The next row of all runs. It stays where it is until the next call.
    pub fn next_row(&mut self, task: &Task<'_>) -> SqlResult<Option<&[u8]>> {
        let Some(merge) = &mut self.merge else { return Ok(None) };
        Ok(merge.next_row(&mut self.file, task)?.map(|(_, row)| row))
    }
}

fn append(
    run: &mut Stream,
    file: &mut SpillFile,
    task: &Task<'_>,
    key: &[u8],
    row: &[u8],
) -> SqlResult<()> {
    run.append(file, task, &[&(key.len() as u32).to_le_bytes(), key, row])
}

/// A record's key and row.
fn parts(record: &[u8]) -> (&[u8], &[u8]) {
    let (len, rest) = record.split_first_chunk().expect("a record starts with its key's length");
    rest.split_at(u32::from_le_bytes(*len) as usize)
}

/// A merge that is under way: a heap of runs, the one with the smallest row on top.
#[derive(Debug)]
struct Merge {
    readers: Vec<Reader>,
    heap: Vec<Top>,
    /// Whether the row on top has been returned, so that its run must step on.
    given: bool,
}

/// A run, with the head of its current row's key.
#[derive(Clone, Copy, Debug)]
struct Top {
    head: u64,
    run: u32,
}

impl Merge {
    fn start(runs: Vec<Stream>, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<Merge> {
        let readers: SqlResult<Vec<Reader>> =
            runs.into_iter().map(|run| run.read(file, task)).collect();
        let mut merge = Merge { readers: readers?, heap: Vec::new(), given: false };
        for run in 0..merge.readers.len() {
            if merge.readers[run].advance(file, task)? {
                let top = merge.top(run as u32);
                merge.heap.push(top);
            }
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(at);
        }
        Ok(merge)
    }

    fn top(&self, run: u32) -> Top {
        let (key, _) = parts(self.readers[run as usize].record());
        Top { head: head(key), run }
    }

    fn next_row(
        &mut self,
        file: &mut SpillFile,
        task: &Task<'_>,
    ) -> SqlResult<Option<(&[u8], &[u8])>> {
        if std::mem::take(&mut self.given) {
            let run = self.heap[0].run;
            match self.readers[run as usize].advance(file, task)? {
                true => self.heap[0] = self.top(run),
                false => drop(self.heap.swap_remove(0)),
            }
            self.sift_down(0);
        }
        let Some(top) = self.heap.first() else { return Ok(None) };
        self.given = true;
        Ok(Some(parts(self.readers[top.run as usize].record())))
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (self.heap[a], self.heap[b]);
        let key = |top: Top| parts(self.readers[top.run as usize].record()).0;
        a.head.cmp(&b.head).then_with(|| key(a).cmp(key(b))).then(a.run.cmp(&b.run))
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.compare(child, least).is_lt() {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }
}
