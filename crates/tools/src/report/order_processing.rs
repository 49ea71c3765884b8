//! 002: order processing and fulfilment.

use std::time::Duration;

use super::section::{Cell, Plot, PlotData, Section, Table};
use super::{Scale, Steps};
use crate::bench::BenchError;
use crate::order_processing::data::Data;
use crate::order_processing::{ClientLoad, Kind, Run, Site, Tables, processors, room};

pub const STEPS: u64 = KINDS.len() as u64;

const KINDS: [(Tables, &str); 3] = [
    (Tables::Inmem, "memory-optimized"),
    (Tables::Ondisk, "disk"),
    (Tables::Rowcache, "disk, row cached"),
];
/// The published scale, connections and results: transactions a second, processors, seconds on
/// average.
const PUBLISHED_SCALE: u32 = 100;
const PUBLISHED_CONNECTIONS: u32 = 26 * 800;
const PUBLISHED: [(&str, f64, f64, f64); 2] = [
    ("published, physical host", 358_000.0, 144.0, 0.01),
    ("published, virtual machine", 343_000.0, 128.0, 0.02),
];

pub fn run(scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
    let mut notes = Vec::new();
    let (data, connections, seconds) = match scale {
        Scale::Small => (Data::new(1), 100, 8),
        Scale::Published => {
            let (data, connections) = most(&mut notes);
            (data, connections, 60)
        }
    };
    let mut runs = Vec::new();
    for (tables, name) in KINDS {
        steps.begin(format!("002: order processing, {name} tables"));
        runs.push((name, run_kind(tables, data, connections, seconds)?));
    }
    let mut section = Section::new(
        "002",
        "Order processing",
        format!(
            "Six procedures in the published mix, called by {connections} clients without a pause, on \
             a database of {} customers, {} orders and {} products.",
            data.customers(),
            data.orders(),
            data.products()
        ),
    );
    section.tables.push(totals(&runs));
    section.tables.push(by_kind(&runs[0].1));
    section.plots.push(rates(&runs));
    section.notes = notes;
    Ok(section)
}

/// What the machine has room for, of what was published.
fn most(notes: &mut Vec<String>) -> (Data, u32) {
    let mut scale = PUBLISHED_SCALE;
    while scale > 1
        && let Err(missing) = room::for_data(&Data::new(scale), Tables::Inmem)
    {
        if scale == PUBLISHED_SCALE {
            notes.push(missing.to_string());
        }
        scale -= 1;
    }
    let mut connections = PUBLISHED_CONNECTIONS;
    while connections > 100
        && let Err(missing) = room::for_connections(connections)
    {
        if connections == PUBLISHED_CONNECTIONS {
            notes.push(missing.to_string());
        }
        connections -= 100;
    }
    (Data::new(scale), connections)
}

fn run_kind(tables: Tables, data: Data, connections: u32, seconds: u64) -> Result<Run, BenchError> {
    let mut site = Site::create("report", tables, data)?;
    let (time, think) = (Duration::from_secs(seconds), Duration::ZERO);
    let run = site.run(ClientLoad { connections, drivers: processors() as u32, time, think })?;
    site.stop()?;
    Ok(run)
}

fn totals(runs: &[(&str, Run)]) -> Table {
    let processors = processors() as f64;
    let mut table = Table::new(
        "Transactions a second",
        &[
            "where",
            "1/s",
            "1/s for each processor",
            "mean, ms",
            "p99, ms",
            "server's processor time, µs",
            "server's memory, MB",
        ],
    );
    for (name, run) in runs {
        let (rate, all) = (run.transactions_per_s(), run.tally.all_times());
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        table.rows.push(vec![
            Cell::text(format!("here, {name}")),
            Cell::Number(rate, 0),
            Cell::Number(rate / processors, 0),
            Cell::Number(ms(all.mean()), 2),
            Cell::Number(ms(all.quantile(0.99)), 2),
            Cell::known(run.server_us(), 1),
            Cell::known(run.server_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20)), 0),
        ]);
    }
    for (name, rate, processors, seconds) in PUBLISHED {
        let mut row =
            vec![Cell::text(name), Cell::Number(rate, 0), Cell::Number(rate / processors, 0)];
        row.push(Cell::Number(seconds * 1e3, 0));
        row.resize(table.columns.len(), Cell::Nothing);
        table.rows.push(row);
    }
    table
}

fn by_kind(run: &Run) -> Table {
    const SHARES: [f64; 6] = [25.8, 19.4, 12.9, 6.5, 32.3, 3.2];
    let mut table = Table::new(
        "By transaction, memory-optimized tables",
        &["transaction", "1/s", "share, %", "published, %", "mean, ms", "p50", "p95", "p99"],
    );
    let all = run.tally.transactions().max(1) as f64;
    for (kind, published) in Kind::ALL.into_iter().zip(SHARES) {
        let times = &run.tally.times[kind as usize];
        let count = times.count() as f64;
        let mut row = vec![
            Cell::text(kind.name()),
            Cell::Number(count / run.elapsed.as_secs_f64(), 0),
            Cell::Number(100.0 * count / all, 1),
            Cell::Number(published, 1),
        ];
        let times = [times.mean(), times.quantile(0.5), times.quantile(0.95), times.quantile(0.99)];
        row.extend(times.map(|time| Cell::Number(time.as_secs_f64() * 1e3, 2)));
        table.rows.push(row);
    }
    table
}

fn rates(runs: &[(&str, Run)]) -> Plot {
    let processors = processors() as f64;
    let ours =
        runs.iter().map(|(name, run)| ((*name).to_owned(), run.transactions_per_s() / processors));
    let (_, rate, processors, _) = PUBLISHED[0];
    Plot {
        caption: "Transactions a second for each processor".into(),
        axes: ["", "1/s"],
        data: PlotData::Bars {
            bars: ours.chain([("published".to_owned(), rate / processors)]).collect(),
            is_logarithmic: false,
        },
    }
}
