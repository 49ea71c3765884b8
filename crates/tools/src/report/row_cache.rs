//! 004: tables with row caching beside disk tables without and memory-optimized ones.

use super::section::{Cell, Plot, PlotData, Section, Table};
use super::{Scale, Steps, value_of};
use crate::bench::{BenchError, Figure, figures_of};

pub const STEPS: u64 = 2;

/// What was published, a second: in pages, and with the row store.
type Published = Option<(f64, f64)>;

/// What is done, its figure, and what was published.
const PARTS: [(&str, &str, Published); 8] = [
    ("rows inserted", "inserts_by_10_per_s", Some((415_081.0, 852_879.0))),
    ("rows updated", "updates_by_10_per_s", Some((68_474.0, 845_070.0))),
    // Transactions a minute.
    ("mixed transactions", "mixed_per_s", Some((42_000.0 / 60.0, 771_000.0 / 60.0))),
    ("look-ups by primary key, ordinary loop", "lookups_per_s", None),
    ("look-ups by primary key, native loop", "native_lookups_per_s", None),
    ("look-ups by another key, ordinary loop", "secondary_lookups_per_s", None),
    ("look-ups by another key, native loop", "native_secondary_lookups_per_s", None),
    ("outer rows of a nested-loop join", "join_outer_rows_per_s", None),
];

pub fn run(scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
    steps.begin("004: work on three kinds of tables");
    let arguments: &[&str] = match scale {
        Scale::Small => &["row-cache", "--seconds", "2", "--join-rows", "500000", "--joins", "2"],
        Scale::Published => &["row-cache"],
    };
    let kinds = figures_of(arguments)?;
    steps.begin("004: rows that are hot in a table larger than memory");
    let arguments: &[&str] = match scale {
        Scale::Small => &[
            "hot-set",
            "--rows",
            "3000000",
            "--memory-mb",
            "160",
            "--seconds",
            "3",
            "--filling",
            "3000000",
        ],
        Scale::Published => &["hot-set"],
    };
    let hot_set = figures_of(arguments)?;
    let mut section = Section::new(
        "004",
        "In-memory row store and hash cache",
        "The same work on disk tables whose rows sink at once, on disk tables with row caching, and on \
         memory-optimized tables; and look-ups of rows that are hot in a table several times larger \
         than memory, without and with row caching.",
    );
    section.tables.push(kinds_table(&kinds));
    section.tables.push(hot_set_table(&hot_set));
    section.plots.extend(hits_plot(&hot_set));
    section.notes.push(
        "Published for SAP ASE 16 on 64 engines with 250 clients: inserts, updates, and a mix of both \
         with look-ups and deletions."
            .into(),
    );
    Ok(section)
}

fn kinds_table(figures: &[Figure]) -> Table {
    let mut table = Table::new(
        "Work a second by kind of table",
        &[
            "work",
            "disk",
            "row cached",
            "memory-optimized",
            "row cached to disk",
            "published",
            "row cached to memory-optimized",
        ],
    );
    for (name, figure, published) in PARTS {
        let of = |kind: &str| value_of(figures, "row-cache", &format!("{kind}_{figure}"));
        let (disk, cached, inmem) = (of("disk"), of("cached"), of("inmem"));
        let ratio = |other: Option<f64>| Some(cached? / other?);
        table.rows.push(vec![
            Cell::text(name),
            Cell::known(disk, 0),
            Cell::known(cached, 0),
            Cell::known(inmem, 0),
            Cell::known(ratio(disk), 2),
            Cell::known(published.map(|(pages, rows)| rows / pages), 1),
            Cell::known(ratio(inmem), 2),
        ]);
    }
    table
}

/// Parts of `hot-set`.
const HOT_PARTS: [(&str, &str); 7] = [
    ("skewed look-ups", "skewed"),
    ("skewed look-ups and updates", "mixed"),
    ("look-ups of all rows alike", "uniform"),
    ("skewed, during a scan", "during_scan"),
    ("skewed, after it", "after_scan"),
    ("skewed, after other rows became hot", "moved"),
    ("skewed, after a restart", "restarted"),
];

fn hot_set_table(figures: &[Figure]) -> Table {
    let mut table = Table::new(
        "Rows that are hot: look-ups a second, and what part of them found the row in memory",
        &["part", "without", "found, %", "row cached", "found, %", "ratio"],
    );
    for (name, part) in HOT_PARTS {
        let of = |bench, what: &str| value_of(figures, bench, &format!("{part}_{what}"));
        let (without, with) = (of("hot-set", "per_s"), of("hot-set-cached", "per_s"));
        table.rows.push(vec![
            Cell::text(name),
            Cell::known(without, 0),
            Cell::known(of("hot-set", "resident"), 1),
            Cell::known(with, 0),
            Cell::known(of("hot-set-cached", "resident"), 1),
            Cell::known(without.zip(with).map(|(without, with)| with / without), 2),
        ]);
    }
    table
}

/// What part of look-ups found their rows in memory in each second after other rows became hot.
fn hits_plot(figures: &[Figure]) -> Option<Plot> {
    let series = |bench: &str, name: &str| {
        let figure = figures.iter().find(|f| f.bench == bench && f.figure == "moved_resident")?;
        let points =
            figure.series.iter().enumerate().map(|(second, share)| (second as f64, *share));
        Some((name.to_owned(), points.collect()))
    };
    Some(Plot {
        caption: "Rows found in memory, in per cent, in each second after other rows became hot"
            .into(),
        axes: ["second", "% found"],
        data: PlotData::Lines {
            series: vec![series("hot-set", "without")?, series("hot-set-cached", "row cached")?],
            is_logarithmic: false,
        },
    })
}
