//! What is reported of one source document: tables with the published figures beside ours, and
//! plots.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::stress::grouped;

/// One experiment of a source.
#[derive(Clone, Debug)]
pub struct Section {
    /// The number of the source.
    pub source: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// What was done.
    pub about: String,
    /// The tables.
    pub tables: Vec<Table>,
    /// The plots.
    pub plots: Vec<Plot>,
    /// What is not comparable, and why.
    pub notes: Vec<String>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

/// What is in a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number, with so many decimals.
    Number(f64, usize),
    /// Nothing is known, or was published.
    Nothing,
}

/// A plot of several series.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it shows.
    pub caption: String,
    /// What its axes are, with units.
    pub axes: [&'static str; 2],
    /// What is shown.
    pub data: PlotData,
}

/// What a plot shows.
#[derive(Clone, Debug)]
pub enum PlotData {
    /// Lines, from zero or on logarithmic scales.
    Lines {
        /// Names and points.
        series: Vec<(String, Vec<(f64, f64)>)>,
        /// Whether both scales are logarithmic.
        is_logarithmic: bool,
    },
    /// Bars with names, from zero or on a logarithmic scale.
    Bars {
        /// Names and heights.
        bars: Vec<(String, f64)>,
        /// Whether the scale is logarithmic.
        is_logarithmic: bool,
    },
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A number that may not be known.
    pub fn known(number: Option<f64>, decimals: usize) -> Cell {
        number.map_or(Cell::Nothing, |number| Cell::Number(number, decimals))
    }

    /// As people read it.
    pub fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number, 0) if *number >= 0.0 => grouped(number.round() as u64),
            Cell::Number(number, decimals) => format!("{number:.decimals$}"),
            Cell::Nothing => "—".into(),
        }
    }

    /// Whether it is a number, or stands in the place of one.
    pub fn is_number(&self) -> bool {
        !matches!(self, Cell::Text(_))
    }

    fn json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Number(number, _) => json!(number),
            Cell::Nothing => Value::Null,
        }
    }
}

impl Table {
    /// One with these columns and no row yet.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        Table { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// For a terminal.
    pub fn shown(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |column: usize| {
            let cells = shown.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = format!("{}\n", self.caption);
        let line = |cells: &[String], out: &mut String| {
            for (at, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                match at {
                    0 => write!(out, "  {cell:<width$}"),
                    _ => write!(out, "  {cell:>width$}"),
                }
                .expect("strings take everything");
            }
            out.push('\n');
        };
        line(&self.columns, &mut out);
        shown.iter().for_each(|row| line(row, &mut out));
        out
    }

    fn json(&self) -> Value {
        let rows: Vec<Vec<Value>> =
            self.rows.iter().map(|row| row.iter().map(Cell::json).collect()).collect();
        json!({ "caption": self.caption, "columns": self.columns, "rows": rows })
    }
}

impl Plot {
    fn json(&self) -> Value {
        let series: Vec<Value> = match &self.data {
            PlotData::Lines { series, .. } => series
                .iter()
                .map(|(name, points)| json!({ "name": name, "points": points }))
                .collect(),
            PlotData::Bars { bars, .. } => {
                bars.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
            }
        };
        json!({ "caption": self.caption, "axes": self.axes, "series": series })
    }
}

impl Section {
    /// One without tables yet.
    pub fn new(source: &'static str, title: &'static str, about: impl Into<String>) -> Section {
        let (tables, plots, notes) = (Vec::new(), Vec::new(), Vec::new());
        Section { source, title, about: about.into(), tables, plots, notes }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "source": self.source,
            "title": self.title,
            "about": self.about,
            "tables": self.tables.iter().map(Table::json).collect::<Vec<_>>(),
            "plots": self.plots.iter().map(Plot::json).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}
