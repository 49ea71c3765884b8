//! Histograms of values that come in order.
//!
//! A histogram is made in one pass and holds a fixed number of steps. Each value begins a step of
//! its own; when there are too many, the value whose loss makes the smallest range becomes part of
//! the next step's range. So frequent values stay the upper bounds of steps, and the others divide
//! into ranges of about as many rows each. No row is estimated: the steps add up to the rows that
//! there are.

use base::Value;

/// The most steps that a histogram has.
pub(super) const STEPS_MAX: usize = 200;

/// A step: the values above the step before, up to its upper bound.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Step {
    /// The upper bound: a value that there is.
    pub high: Value,
    /// Rows with that value.
    pub equal_rows: u64,
    /// Rows with values below it.
    pub range_rows: u64,
    /// How many different values those have.
    pub range_values: u64,
}

impl Step {
    /// Rows for each value in the range; 1 without any, as SQL Server has it.
    pub(super) fn average(&self) -> f64 {
        match self.range_values {
            0 => 1.0,
            values => self.range_rows as f64 / values as f64,
        }
    }
}

/// A histogram in the making.
pub(super) struct Histogram {
    steps: Vec<Step>,
    max: usize,
}

impl Histogram {
    /// One of at most this many steps, which is more than three.
    pub(super) fn new(max: usize) -> Histogram {
        assert!(max > 3, "the lowest values, the highest and a range have steps of their own");
        Histogram { steps: Vec::with_capacity(max + 1), max }
    }

    /// The next value, above all before; NULL is the lowest.
    pub(super) fn begin(&mut self, value: Value) {
        self.steps.push(Step { high: value, equal_rows: 0, range_rows: 0, range_values: 0 });
        if self.steps.len() > self.max {
            self.merge();
        }
    }

    /// A row with the value that has begun last.
    pub(super) fn count(&mut self) {
        if let Some(last) = self.steps.last_mut() {
            last.equal_rows += 1;
        }
    }

    /// The steps, in order.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Makes one step less of two. The lowest value keeps its step, and so does the lowest one
    /// above NULL; the last step has the value whose rows are still to come.
    fn merge(&mut self) {
        let kept = if self.steps[0].high.is_null() { 2 } else { 1 };
        let rows_without = |at: &usize| {
            let (lost, next) = (&self.steps[*at], &self.steps[*at + 1]);
            lost.range_rows + lost.equal_rows + next.range_rows
        };
        let candidates = kept..self.steps.len() - 1;
        let at = candidates.min_by_key(rows_without).expect("more steps than are kept");
        let lost = self.steps.remove(at);
        let next = &mut self.steps[at];
        next.range_rows += lost.range_rows + lost.equal_rows;
        next.range_values += lost.range_values + 1;
    }
}

#[cfg(test)]
mod tests;
