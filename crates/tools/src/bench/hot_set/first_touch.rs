//! A cache of rows that admits each of them at the first touch, to compare another with.

use std::collections::VecDeque;

/// A row of the cache, and one that was asked for since its last turn.
const PRESENT: u8 = 1;
const TOUCHED: u8 = 2;

/// Rows that were asked for: of those that were not asked for again, the oldest go first (CLOCK).
pub struct FirstTouch {
    /// By row.
    states: Vec<u8>,
    /// The rows that are present, the oldest first.
    ring: VecDeque<u32>,
    /// How many may be present.
    most: usize,
    misses: u64,
}

impl FirstTouch {
    /// An empty cache for a table of so many rows, all of which it may have.
    pub fn new(rows: u32) -> FirstTouch {
        let states = vec![0; rows as usize];
        FirstTouch { states, ring: VecDeque::new(), most: rows as usize, misses: 0 }
    }

    /// Limits how many rows may be present.
    pub fn limit(&mut self, rows: usize) {
        self.most = rows;
    }

    /// How often rows were asked for that were not present.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    pub fn has(&self, row: u32) -> bool {
        self.states[row as usize] & PRESENT != 0
    }

    /// Asks for a row, which is present then.
    pub fn ask(&mut self, row: u32) {
        if self.has(row) {
            self.states[row as usize] |= TOUCHED;
            return;
        }
        self.misses += 1;
        while self.ring.len() >= self.most.max(1) {
            let Some(oldest) = self.ring.pop_front() else { break };
            let state = &mut self.states[oldest as usize];
            if *state & TOUCHED != 0 {
                *state = PRESENT;
                self.ring.push_back(oldest);
            } else {
                *state = 0;
            }
        }
        self.states[row as usize] = PRESENT;
        self.ring.push_back(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_again_stays_longer() {
        let mut cache = FirstTouch::new(10);
        cache.limit(3);
        for row in [0, 1, 2, 0, 3] {
            cache.ask(row);
        }
        assert_eq!((0..10).filter(|&row| cache.has(row)).collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(cache.misses(), 4);
        cache.limit(1);
        cache.ask(9);
        assert_eq!((0..10).filter(|&row| cache.has(row)).collect::<Vec<_>>(), [9]);
    }
}
