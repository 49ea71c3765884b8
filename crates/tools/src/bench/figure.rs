//! What a benchmark has measured.

/// A figure: what was measured in each run.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The benchmark.
    pub bench: &'static str,
    /// What was measured.
    pub figure: &'static str,
    /// In what.
    pub unit: &'static str,
    /// Digits after the point that mean something.
    pub decimals: usize,
    /// A published figure for the same, to be shown beside it.
    pub published: Option<&'static str>,
    /// The values, in the order of the runs.
    pub values: Vec<f64>,
}

/// How far values lie apart.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Figure {
    /// One that has not been measured yet.
    pub fn new(bench: &'static str, figure: &'static str, unit: &'static str) -> Figure {
        Figure { bench, figure, unit, decimals: 0, published: None, values: Vec::new() }
    }

    /// This figure, beside a published one.
    pub fn published(mut self, what: &'static str) -> Figure {
        self.published = Some(what);
        self
    }

    /// The spread of the values; zeros if there are none.
    pub fn spread(&self) -> Spread {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Spread::default();
        };
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
            _ => sorted[middle],
        };
        Spread { median, min, max }
    }

    /// As one line of JSON.
    pub fn json(&self) -> String {
        let Figure { bench, figure, unit, decimals, .. } = self;
        let Spread { median: value, min, max } = self.spread();
        let runs = self.values.len();
        format!(
            "{{\"bench\":\"{bench}\",\"figure\":\"{figure}\",\"value\":{value:.decimals$},\
             \"unit\":\"{unit}\",\"min\":{min:.decimals$},\"max\":{max:.decimals$},\"runs\":{runs}}}"
        )
    }

    /// As one line for people, and a second one if there is something published.
    pub fn text(&self) -> String {
        let Figure { bench, figure, unit, decimals, .. } = self;
        let Spread { median: value, min, max } = self.spread();
        let runs = self.values.len();
        let published = self.published.map(|what| format!("\n{:20}{what}", "")).unwrap_or_default();
        format!(
            "{bench:<20}{figure:<22}{value:>14.decimals$} {unit:<10} \
             ({min:.decimals$} to {max:.decimals$}, {runs} runs){published}"
        )
    }
}

// `bench/floor` includes this file by its path, too.
#[cfg(test)]
#[path = "figure/tests.rs"]
mod tests;
