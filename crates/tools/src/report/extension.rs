//! 003: the five tests of the buffer pool extension.

use super::section::{Cell, Plot, PlotData, Section, Table};
use super::{Scale, Steps, value_of};
use crate::bench::{BenchError, figures_of};

pub const STEPS: u64 = 1;

/// What a test is called, its figure, and what was published, in seconds.
const TESTS: [(&str, &str, f64); 5] = [
    ("all in memory", "memory_s", 1.4),
    ("nothing in memory", "cold_s", 123.0),
    ("256 MB of memory", "small_memory_s", 116.0),
    ("256 MB and an extension of 4 GB", "extension_s", 4.6),
    ("nothing in memory, database on an SSD", "ssd_cold_s", 6.3),
];
const LOOK_UPS: f64 = 10_000.0;

pub fn run(scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
    steps.begin("003: look-ups with and without a buffer pool extension");
    // A disk whose arm takes 8 ms, as the published one did.
    let (arguments, seek_us): (&[&str], _) = match scale {
        Scale::Small => {
            (&["bpe", "--seek-ms", "1", "--lookups", "2000", "--rows", "2500000"], 1000)
        }
        Scale::Published => (&["bpe", "--seek-ms", "8"], 8000),
    };
    let look_ups = if scale == Scale::Small { 2000.0 } else { LOOK_UPS };
    let figures = figures_of(arguments)?;
    let mut section = Section::new(
        "003",
        "Buffer pool extension",
        "Random single rows of a table of a gigabyte are looked up, one after the other.",
    );
    let mut table = Table::new(
        "10,000 look-ups, in seconds",
        &["test", "here", "published", "here, of all in memory", "published, of all in memory"],
    );
    let ours: Vec<Option<f64>> = TESTS
        .iter()
        .map(|(_, figure, _)| Some(value_of(&figures, "bpe", figure)? * LOOK_UPS / look_ups))
        .collect();
    for ((name, _, published), own) in TESTS.iter().zip(&ours) {
        table.rows.push(vec![
            Cell::text(*name),
            Cell::known(*own, 3),
            Cell::Number(*published, 1),
            Cell::known(own.zip(ours[0]).map(|(own, first)| own / first), 1),
            Cell::Number(published / TESTS[0].2, 1),
        ]);
    }
    section.tables.push(table);
    let bars = TESTS.iter().zip(&ours).enumerate().flat_map(|(at, ((.., published), own))| {
        [*own, Some(*published)].map(|seconds| Some((format!("{}", at + 1), seconds?)))
    });
    section.plots.push(Plot {
        caption: "10,000 look-ups: here and published in turn, in the order of the table".into(),
        axes: ["test", "seconds"],
        data: PlotData::Bars { bars: bars.flatten().collect(), is_logarithmic: true },
    });
    section.notes.push(format!(
        "The data file lies on a simulated disk whose arm takes {} ms to move, but for the last test; \
         the extension lies on the machine's own.",
        seek_us / 1000
    ));
    if scale == Scale::Small {
        section.notes.push(
            "Small scale: half a gigabyte, 2,000 look-ups, whose time is multiplied by five, and a \
             disk eight times faster than the published one."
                .into(),
        );
    }
    Ok(section)
}
