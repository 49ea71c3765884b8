//! How row caches and pages divide what the pool may use: by the reads that a little more memory
//! would have saved each of them.
//!
//! Both remember what they evicted last. What is looked up again soon would have been there with so
//! much more memory; so the reads that this would have saved, for each byte of it, are known. Each
//! second the side for which they are more gets a little from the other.

/// Parts into which the limit is divided.
pub const PARTS: u64 = 64;
/// What row caches have at first.
const FIRST: u64 = 40;
/// The most that row caches may have: frames keep an eighth.
const MOST: u64 = 56;
/// The least that they have.
const LEAST: u64 = 2;
/// How many parts change sides in a step.
const STEP: u64 = 2;
/// How much more one side must gain.
const MARGIN: f64 = 1.25;
/// How many rows or pages must have come back before that says anything.
const EVIDENCE: u64 = 32;

/// What one side has done since the server began, and what it remembers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Rows or pages that were looked up again soon after they were evicted.
    pub came_back: u64,
    /// Bytes that those took which are remembered.
    pub remembered_bytes: u64,
    /// Look-ups that asked pages, of rows or of pages.
    pub asked: u64,
}

/// What the division depends on.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    /// Bytes to be divided.
    pub limit: u64,
    /// Seconds since the pool was made.
    pub now_s: u32,
    /// Row caches; `None` if there are none.
    pub row_caches: Option<Claim>,
    /// Whether row caches take nearly all that they may.
    pub is_full: bool,
    /// Frames.
    pub pages: Claim,
    /// Look-ups of pages that were not in memory.
    pub page_misses: u64,
    /// Whether the division stays as it is: a database's row cache is not tuned.
    pub is_held: bool,
}

/// What was decided last, and why.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Decision {
    /// Parts of [`PARTS`] that row caches may have.
    pub parts: u64,
    /// What has changed: parts that row caches have got or given.
    pub change: i64,
    /// Reads a second that each further MB would have saved, in row caches...
    pub row_caches_gain: f64,
    /// ... and in frames.
    pub pages_gain: f64,
    /// How many decisions there were.
    pub count: u64,
}

/// The division, and what was known when it was last looked at.
#[derive(Default, Debug)]
pub struct Division {
    last: Decision,
    looked_at: Option<Claims>,
}

impl Division {
    /// The bytes that row caches may have.
    pub fn row_caches(&mut self, now: Claims) -> u64 {
        let Some(caches) = now.row_caches else {
            *self = Division::default();
            return 0;
        };
        if self.last.parts == 0 {
            self.last.parts = FIRST;
        }
        match self.looked_at {
            None => self.looked_at = Some(now),
            Some(before) if now.now_s > before.now_s => self.decide(before, now, caches),
            Some(_) => {}
        }
        now.limit / PARTS * self.last.parts
    }

    fn decide(&mut self, before: Claims, now: Claims, caches: Claim) {
        if now.is_held || !now.is_full {
            // Row caches that are not full take less than they may, and pages have the rest.
            self.looked_at = Some(now);
            return;
        }
        let former = before.row_caches.unwrap_or_default();
        let rows = caches.came_back.saturating_sub(former.came_back);
        let pages = now.pages.came_back.saturating_sub(before.pages.came_back);
        if rows + pages < EVIDENCE {
            return; // and the time goes on
        }
        self.looked_at = Some(now);
        let seconds = f64::from(now.now_s - before.now_s);
        let gain = |reads: f64, bytes: u64| reads / seconds * 1e6 / bytes.max(1) as f64;
        // A row that was not cached costs a read only if its page is not in memory either.
        let asked = caches.asked.saturating_sub(former.asked).max(1);
        let misses = now.page_misses.saturating_sub(before.page_misses);
        let reads = rows as f64 * (misses as f64 / asked as f64).min(1.0);
        let row_caches_gain = gain(reads, caches.remembered_bytes);
        let pages_gain = gain(pages as f64, now.pages.remembered_bytes);
        let parts = self.last.parts;
        let new = if row_caches_gain > pages_gain * MARGIN {
            (parts + STEP).min(MOST)
        } else if pages_gain > row_caches_gain * MARGIN {
            parts.saturating_sub(STEP).max(LEAST)
        } else {
            parts
        };
        let change = new as i64 - parts as i64;
        let count = self.last.count + 1;
        self.last = Decision { parts: new, change, row_caches_gain, pages_gain, count };
    }

    /// What was decided last.
    pub fn last(&self) -> Decision {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(now_s: u32, rows: u64, pages: u64) -> Claims {
        let claim = |came_back| Claim { came_back, remembered_bytes: 1 << 20, asked: 100 * rows };
        Claims {
            limit: 64 << 20,
            now_s,
            row_caches: Some(claim(rows)),
            is_full: true,
            pages: claim(pages),
            page_misses: 100 * rows,
            is_held: false,
        }
    }

    #[test]
    fn the_side_that_would_save_more_reads_gets_more() {
        let mut division = Division::default();
        assert_eq!(division.row_caches(claims(0, 0, 0)), 40 << 20);
        assert_eq!(division.row_caches(claims(0, 100, 10)), 40 << 20);
        assert_eq!(division.row_caches(claims(1, 100, 10)), 42 << 20);
        assert_eq!(division.last().change, 2);
        // 110 pages and 100 rows came back since.
        assert_eq!(division.row_caches(claims(2, 200, 120)), 42 << 20);
        assert_eq!(division.row_caches(claims(3, 210, 320)), 40 << 20);
    }

    #[test]
    fn frames_keep_an_eighth_and_row_caches_a_little() {
        let mut division = Division::default();
        let bytes = |division: &mut Division, rows, pages| {
            let all =
                (0..100).map(|s| division.row_caches(claims(s, rows * s as u64, pages * s as u64)));
            all.last().expect("there are some")
        };
        assert_eq!(bytes(&mut division, 1_000, 1), 56 << 20);
        let mut division = Division::default();
        assert_eq!(bytes(&mut division, 1, 1_000), 2 << 20);
    }

    #[test]
    fn a_cache_that_is_not_full_neither_gets_nor_gives() {
        for (rows, pages) in [(1_000, 0), (0, 1_000)] {
            let mut division = Division::default();
            for s in 0..10 {
                let n = u64::from(s);
                division.row_caches(Claims { is_full: false, ..claims(s, rows * n, pages * n) });
            }
            assert_eq!(division.last().parts, FIRST);
        }
    }

    #[test]
    fn a_division_that_is_held_stays_and_goes_on_later() {
        let mut division = Division::default();
        for s in 0..10 {
            division.row_caches(Claims { is_held: true, ..claims(s, 1_000 * u64::from(s), 0) });
        }
        assert_eq!((division.last().parts, division.last().count), (FIRST, 0));
        division.row_caches(claims(10, 10_000, 0));
        assert_eq!(division.last().parts, FIRST + STEP);
    }

    #[test]
    fn rows_whose_pages_are_in_memory_claim_nothing() {
        let mut division = Division::default();
        for s in 0..10 {
            division.row_caches(Claims { page_misses: 0, ..claims(s, 1_000 * u64::from(s), 0) });
        }
        assert!(division.last().parts <= FIRST);
    }

    #[test]
    fn without_row_caches_pages_have_all() {
        let mut division = Division::default();
        division.row_caches(claims(0, 0, 0));
        assert_eq!(division.row_caches(Claims { row_caches: None, ..claims(1, 0, 0) }), 0);
    }
}
