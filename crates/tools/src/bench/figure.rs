//! What a benchmark has measured.

use std::borrow::Cow;

/// A figure: what was measured in each run.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The benchmark.
    pub bench: &'static str,
    /// What was measured.
    pub figure: Cow<'static, str>,
    /// In what.
    pub unit: &'static str,
    /// Digits after the point that mean something.
    pub decimals: usize,
    /// A published figure for the same, to be shown beside it.
    pub published: Option<&'static str>,
    /// The values, in the order of the runs.
    pub values: Vec<f64>,
    /// The same in each second of all runs, in their order, where that was measured.
    pub series: Vec<f64>,
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

impl Spread {
    fn of(values: &[f64]) -> Spread {
        let mut sorted = values.to_vec();
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
}

impl Figure {
    /// One that has not been measured yet.
    pub fn new(
        bench: &'static str,
        figure: impl Into<Cow<'static, str>>,
        unit: &'static str,
    ) -> Figure {
        let (values, series) = (Vec::new(), Vec::new());
        Figure { bench, figure: figure.into(), unit, decimals: 0, published: None, values, series }
    }

    /// This figure, beside a published one.
    pub fn published(mut self, what: &'static str) -> Figure {
        self.published = Some(what);
        self
    }

    /// The spread of the values; zeros if there are none.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.values)
    }

    /// As one line of JSON, with the series if there is one.
    pub fn json(&self) -> String {
        let Figure { bench, figure, unit, decimals, .. } = self;
        let Spread { median: value, min, max } = self.spread();
        let runs = self.values.len();
        let series = match self.series.as_slice() {
            [] => String::new(),
            all => {
                let all: Vec<_> = all.iter().map(|value| format!("{value:.decimals$}")).collect();
                format!(",\"series\":[{}]", all.join(","))
            }
        };
        format!(
            "{{\"bench\":\"{bench}\",\"figure\":\"{figure}\",\"value\":{value:.decimals$},\
             \"unit\":\"{unit}\",\"min\":{min:.decimals$},\"max\":{max:.decimals$},\"runs\":{runs}{series}}}"
        )
    }

    /// As one line for people, a second one if there is something published, and another one for
    /// the series.
    pub fn text(&self) -> String {
        let Figure { bench, figure, unit, decimals, .. } = self;
        let Spread { median: value, min, max } = self.spread();
        let runs = self.values.len();
        let published = self.published.map(|what| format!("\n{:20}{what}", "")).unwrap_or_default();
        let series = match self.series.as_slice() {
            [] => String::new(),
            all => {
                let Spread { median, min, .. } = Spread::of(all);
                format!(
                    "\n{:20}in {} seconds: at least {min:.decimals$}, median {median:.decimals$}",
                    "",
                    all.len()
                )
            }
        };
        format!(
            "{bench:<20}{figure:<22}{value:>14.decimals$} {unit:<10} \
             ({min:.decimals$} to {max:.decimals$}, {runs} runs){published}{series}"
        )
    }
}

// `bench/floor` includes this file by its path, too.
#[cfg(test)]
#[path = "figure/tests.rs"]
mod tests;
