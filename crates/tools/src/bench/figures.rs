//! The figures of a benchmark that has many, by their names.

use super::Figure;

/// Figures in the order in which they came first.
pub struct Figures {
    bench: &'static str,
    all: Vec<Figure>,
}

impl Figures {
    /// None of this benchmark yet.
    pub fn new(bench: &'static str) -> Figures {
        Figures { bench, all: Vec::new() }
    }

    /// The figure with this name, to which the value of a run is added.
    pub fn add(&mut self, name: &str, unit: &'static str, value: f64) -> &mut Figure {
        let at = self.all.iter().position(|figure| figure.figure == name).unwrap_or_else(|| {
            self.all.push(Figure::new(self.bench, name.to_owned(), unit));
            self.all.len() - 1
        });
        let figure = &mut self.all[at];
        figure.values.push(value);
        figure
    }

    /// The values of a figure, a run each; none if there is no such figure.
    pub fn values(&self, name: &str) -> &[f64] {
        self.all.iter().find(|figure| figure.figure == name).map_or(&[], |figure| &figure.values)
    }

    /// What follows a prefix in the names of the figures that have it.
    pub fn names_after(&self, prefix: &str) -> Vec<String> {
        let names = self.all.iter().map(|figure| figure.figure.strip_prefix(prefix));
        names.flatten().map(str::to_owned).collect()
    }

    /// All of them.
    pub fn into_all(self) -> Vec<Figure> {
        self.all
    }
}
