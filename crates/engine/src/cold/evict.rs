//! Chooses the pages that are evicted when memory is short.
//!
//! S3-FIFO (Yang et al., SOSP 2023) with one reference bit: a new page passes a small queue, a
//! tenth of all frames. Only a page that is used again on the way enters the main queue, which is a
//! CLOCK. Pages that leave the small queue unused are remembered for a while by number (the
//! *ghosts*); a ghost that comes back enters the main queue at once.
//!
//! Chosen over LRU and 2Q because a hit costs a reader at most one plain store and never a lock,
//! and over plain CLOCK because a scan of any length passes through the small queue and leaves the
//! main queue alone. A scan looks at a page several times in a row (once per chunk of rows), which
//! is no reason to keep it: a page that a scan brought in must be used in two rounds through the
//! small queue.

use std::collections::{HashSet, VecDeque};

use super::frame::{MARK_MAIN, MARK_SCAN};
use super::place::FrameNumber;

/// A frame in a queue. The entry is stale when the frame has begun another life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The frame.
    pub frame: FrameNumber,
    /// Its life when it was put into the queue.
    pub life: u32,
}

/// The state of a frame, as the replacement sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The frame has had another image since it was put into the queue.
    Stale,
    /// The frame is pinned.
    Pinned,
    /// The frame was read since the last visit; with the frame's marks.
    Referenced(u8),
    /// The frame was not read since the last visit.
    Idle,
}

/// The replacement's access to frames.
pub trait Residents {
    /// Returns the frame's state, and clears its reference mark.
    fn standing(&mut self, entry: Entry) -> Standing;
    /// Sets a frame's marks.
    fn mark(&mut self, entry: Entry, marks: u8);
}

/// A frame that may be evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victim {
    /// The frame.
    pub entry: Entry,
    /// Whether its page was used again after it came in: the frame was in the main queue.
    pub from_main: bool,
}

/// The small queue gets one in this many of all entries.
const SMALL_OF: usize = 10;

/// The queues of all linked frames. A lock of the pool protects them.
#[derive(Default, Debug)]
pub struct Queues {
    small: VecDeque<Entry>,
    main: VecDeque<Entry>,
    ghosts: Ghosts,
    compact_at: usize,
}

impl Queues {
    /// Adds a frame that was linked. Its marks select the queue.
    pub fn add(&mut self, entry: Entry, marks: u8) {
        match marks & MARK_MAIN {
            0 => self.small.push_back(entry),
            _ => self.main.push_back(entry),
        }
    }

    /// Returns whether the page is a ghost, and forgets it.
    pub fn take_ghost(&mut self, identity: u64) -> bool {
        self.ghosts.remove(identity)
    }

    /// How many ghosts there are.
    pub fn ghosts(&self) -> usize {
        self.ghosts.known.len()
    }

    /// Adds pages that were evicted unused to the ghosts, of which as many as `frames` are kept.
    pub fn remember(&mut self, identities: &[u64], frames: usize) {
        identities.iter().for_each(|&identity| self.ghosts.add(identity, frames));
    }

    /// The number of entries, stale ones included.
    pub fn len(&self) -> usize {
        self.small.len() + self.main.len()
    }

    /// Takes the next frame to evict out of its queue; `None` if every frame is pinned or in use.
    pub fn victim(&mut self, frames: &mut impl Residents) -> Option<Victim> {
        // Two rounds find every frame idle that is not read meanwhile.
        for _ in 0..2 * self.len() + 2 {
            let small_share = self.len() / SMALL_OF;
            let from_small = self.small.len() > small_share || self.main.is_empty();
            let queue = if from_small { &mut self.small } else { &mut self.main };
            let entry = queue.pop_front()?;
            match frames.standing(entry) {
                Standing::Stale => {}
                Standing::Pinned => queue.push_back(entry),
                Standing::Idle => return Some(Victim { entry, from_main: !from_small }),
                Standing::Referenced(_) if !from_small => queue.push_back(entry),
                Standing::Referenced(marks) if marks & MARK_SCAN != 0 => {
                    frames.mark(entry, marks & !MARK_SCAN);
                    queue.push_back(entry);
                }
                Standing::Referenced(marks) => {
                    frames.mark(entry, marks | MARK_MAIN);
                    self.main.push_back(entry);
                }
            }
        }
        None
    }

    /// Removes stale entries if there may be many. Else pages that are published over and over
    /// while none is evicted would take memory without bound.
    pub fn compact(&mut self, frames_in_use: usize, is_stale: impl Fn(Entry) -> bool) {
        if self.len() <= self.compact_at.max(2 * frames_in_use + 1024) {
            return;
        }
        self.small.retain(|&entry| !is_stale(entry));
        self.main.retain(|&entry| !is_stale(entry));
        self.compact_at = 2 * self.len();
    }
}

/// Recently evicted pages, oldest first.
#[derive(Default, Debug)]
struct Ghosts {
    order: VecDeque<u64>,
    known: HashSet<u64>,
}

impl Ghosts {
    fn add(&mut self, identity: u64, most: usize) {
        if self.known.insert(identity) {
            self.order.push_back(identity);
        }
        while self.order.len() > most {
            let oldest = self.order.pop_front().expect("there is one");
            self.known.remove(&oldest);
        }
    }

    /// Returns whether the page was known. Its entry in `order` stays until it has moved to the
    /// front.
    fn remove(&mut self, identity: u64) -> bool {
        self.known.remove(&identity)
    }
}

#[cfg(test)]
mod tests;
