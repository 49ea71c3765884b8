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

    /// All of them.
    pub fn into_all(self) -> Vec<Figure> {
        self.all
    }
}
