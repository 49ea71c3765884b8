//! Pairs of partitions: rows of both sides of a join that found no room, partitioned by the hash of
//! their keys, so that each part of one side meets one part of the other.

use base::SqlResult;
use engine::wait::Task;

use super::{SpillFile, Stream};
use crate::interp::machine::interrupted;

/// Bits of a hash that tell partitions of one level apart.
const BITS: u32 = 4;
/// Pairs of one level.
pub const FAN_OUT: usize = 1 << BITS;
/// Levels that use all bits of a hash.
const DEPTH_MAX: u32 = u64::BITS / BITS;
/// A part with more than this many eighths of the rows it came from is not worth another level:
/// most of them have one key.
const SHARE_MAX: u64 = 7;

/// A side of a join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The rows of the hash table.
    Build,
    /// The rows that probe it.
    Probe,
}

/// Two parts that belong together.
#[derive(Debug, Default)]
pub struct Pair {
    /// The rows of a hash table.
    pub build: Stream,
    /// The rows that probe it.
    pub probe: Stream,
    /// The level of its parts.
    depth: u32,
    /// Whether a split would make much smaller parts.
    splits: bool,
}

impl Pair {
    /// Whether it pays to split the pair.
    pub fn splits(&self) -> bool {
        self.splits && self.depth < DEPTH_MAX
    }

    fn side(&mut self, side: Side) -> &mut Stream {
        match side {
            Side::Build => &mut self.build,
            Side::Probe => &mut self.probe,
        }
    }
}

/// See the module's header. All of it is in one file.
#[derive(Debug)]
pub struct Pairs {
    /// The file of all streams.
    pub file: SpillFile,
    /// The pairs that are being written, all of one level.
    open: Vec<Pair>,
    depth: u32,
    /// The pairs to be read, the last one first.
    closed: Vec<Pair>,
}

impl Pairs {
    /// Without rows.
    pub fn new(file: SpillFile) -> Pairs {
        Pairs { file, open: new_level(1), depth: 0, closed: Vec::new() }
    }

    /// Bytes of memory that writing one side takes, and reading some streams.
    pub fn held_bytes(&self) -> usize {
        (FAN_OUT + 8) * self.file.block_bytes()
    }

    /// The number of the pair of a hash. The lower bits of a hash are left to hash tables.
    #[inline]
    pub fn of_hash(depth: u32, hash: u64) -> usize {
        (hash >> (u64::BITS - BITS * (depth + 1))) as usize % FAN_OUT
    }

    /// Adds a row of these parts to the pair of a hash.
    pub fn add(&mut self, task: &Task<'_>, side: Side, hash: u64, row: &[&[u8]]) -> SqlResult<()> {
        let pair = &mut self.open[Pairs::of_hash(self.depth, hash)];
        pair.side(side).append(&mut self.file, task, row)
    }

    /// How many rows a side of an open pair has, and their bytes.
    pub fn open_build(&self, number: usize) -> (u64, u64) {
        let build = &self.open[number].build;
        (build.records(), build.bytes())
    }

    /// Takes the build side out of an open pair, which then has none.
    pub fn take_build(&mut self, number: usize) -> Stream {
        std::mem::take(&mut self.open[number].build)
    }

    /// Writes the rest of the build sides of the open pairs, which get no more rows for now.
    pub fn finish_build(&mut self, task: &Task<'_>) -> SqlResult<()> {
        let Pairs { file, open, .. } = self;
        open.iter_mut().try_for_each(|pair| pair.build.finish(file, task))
    }

    /// The next pair to work on. No pair is open afterwards.
    pub fn next(&mut self, task: &Task<'_>) -> SqlResult<Option<Pair>> {
        for mut pair in std::mem::take(&mut self.open) {
            if pair.build.records() + pair.probe.records() > 0 {
                pair.build.finish(&mut self.file, task)?;
                pair.probe.finish(&mut self.file, task)?;
                self.closed.push(pair);
            }
        }
        Ok(self.closed.pop())
    }

    /// Splits a pair into the pairs of the next level, which are then open. `hash` reads a row's
    /// hash from its record.
    pub fn split(
        &mut self,
        task: &Task<'_>,
        pair: Pair,
        hash: impl Fn(&[u8]) -> u64,
    ) -> SqlResult<()> {
        self.open = new_level(pair.depth + 1);
        self.depth = pair.depth;
        let rows = pair.build.records();
        for (side, stream) in [(Side::Build, pair.build), (Side::Probe, pair.probe)] {
            let mut reader = stream.read(&mut self.file, task)?;
            while reader.advance(&mut self.file, task)? {
                task.checkpoint().map_err(|_| interrupted())?;
                self.add(task, side, hash(reader.record()), &[reader.record()])?;
            }
            // The tails of one side are written before those of the other take memory.
            for pair in &mut self.open {
                pair.side(side).finish(&mut self.file, task)?;
            }
        }
        for pair in &mut self.open {
            pair.splits = pair.build.records() * 8 <= rows * SHARE_MAX;
        }
        Ok(())
    }

    /// Gives the room of a pair back unread.
    pub fn discard(&mut self, pair: Pair) {
        pair.build.discard(&mut self.file);
        pair.probe.discard(&mut self.file);
    }
}

/// Pairs without rows, the parts of which are of this level.
fn new_level(depth: u32) -> Vec<Pair> {
    let new = || Pair { depth, splits: true, ..Pair::default() };
    std::iter::repeat_with(new).take(FAN_OUT).collect()
}
