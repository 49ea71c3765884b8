//! Counts of runs: of a statement, a module, a statement within a native module.
//!
//! The session adds each run when it has succeeded; the views over execution statistics read the
//! counts. Each number is consistent in itself; a reader may see one number with a run that another
//! does not have yet.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of runs. Times are of the monotonic clock.
#[derive(Debug, Default)]
pub struct Runs {
    count: AtomicU64,
    /// When the last run began.
    last_began_ns: AtomicU64,
    elapsed_ns: Measure,
    rows: Measure,
    /// When the last compilation was; 0 if that is not known.
    compiled_ns: AtomicU64,
    compilations: AtomicU64,
}

/// Sum, last, least and greatest of a number. The least is kept as its complement, so that zero
/// stands for no value.
#[derive(Debug, Default)]
struct Measure {
    total: AtomicU64,
    last: AtomicU64,
    least_complement: AtomicU64,
    most: AtomicU64,
}

/// The values of a [`Measure`] at one time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct Measured {
    pub total: u64,
    pub last: u64,
    pub least: u64,
    pub most: u64,
}

/// The values of [`Runs`] at one time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RunStatistics {
    /// How many runs have succeeded since the last compilation.
    pub count: u64,
    /// When the last of them began.
    pub last_began_ns: u64,
    /// How long they took.
    pub elapsed_ns: Measured,
    /// The rows that they returned or changed.
    pub rows: Measured,
    /// When the last compilation was; 0 if that is not known.
    pub compiled_ns: u64,
    /// How many compilations there were.
    pub compilations: u64,
}

impl Runs {
    /// Counts a run that has succeeded. If it had to be compiled first, it begins after that.
    #[inline]
    pub fn note(&self, began_ns: u64, ended_ns: u64, rows: u64) {
        let began_ns = began_ns.max(self.compiled_ns.load(Relaxed));
        self.count.fetch_add(1, Relaxed);
        self.last_began_ns.store(began_ns, Relaxed);
        self.elapsed_ns.add(ended_ns.saturating_sub(began_ns));
        self.rows.add(rows);
    }

    /// Notes a compilation, the first or a further one: counting starts over.
    pub fn compiled(&self, now_ns: u64) {
        self.compilations.fetch_add(1, Relaxed);
        self.compiled_ns.store(now_ns, Relaxed);
        self.count.store(0, Relaxed);
        self.elapsed_ns.clear();
        self.rows.clear();
    }

    /// When the last compilation was; 0 if that is not known.
    pub fn compiled_at(&self) -> u64 {
        self.compiled_ns.load(Relaxed)
    }

    /// The values over all runs since the last compilation; `None` if there were none.
    pub fn statistics(&self) -> Option<RunStatistics> {
        let count = self.count.load(Relaxed);
        (count > 0).then(|| RunStatistics {
            count,
            last_began_ns: self.last_began_ns.load(Relaxed),
            elapsed_ns: self.elapsed_ns.get(),
            rows: self.rows.get(),
            compiled_ns: self.compiled_ns.load(Relaxed),
            compilations: self.compilations.load(Relaxed),
        })
    }
}

impl Measure {
    #[inline]
    fn add(&self, value: u64) {
        self.total.fetch_add(value, Relaxed);
        self.last.store(value, Relaxed);
        // Records are rare: most runs only read.
        if self.least_complement.load(Relaxed) < !value {
            self.least_complement.fetch_max(!value, Relaxed);
        }
        if self.most.load(Relaxed) < value {
            self.most.fetch_max(value, Relaxed);
        }
    }

    fn clear(&self) {
        for part in [&self.total, &self.last, &self.least_complement, &self.most] {
            part.store(0, Relaxed);
        }
    }

    fn get(&self) -> Measured {
        Measured {
            total: self.total.load(Relaxed),
            last: self.last.load(Relaxed),
            // Zero: no value yet, since the run that is counted has not come here.
            least: match self.least_complement.load(Relaxed) {
                0 => 0,
                complement => !complement,
            },
            most: self.most.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests;
