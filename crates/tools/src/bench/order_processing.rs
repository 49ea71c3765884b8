//! Orders, products and their fulfilment: six procedures in the mix that was published.

use std::time::Duration;

use super::figures::Figures;
use super::{BenchError, Figure};
use crate::order_processing::data::Data;
use crate::order_processing::{ClientLoad, Failure, Kind, Run, Site, Tables, report, room};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// How large the database is: 10,000 customers, 50,000 orders with 250,000 lines, 100,000
    /// products and 10,000 criteria for each unit.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scale: u32,
    /// Clients. One in twenty fulfils orders.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=32_000))]
    connections: u32,
    /// How long a run takes.
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// What a client waits between an answer and its next request, on average, in milliseconds.
    #[arg(long, value_name = "N", default_value_t = 0)]
    think_ms: u64,
    /// Threads that drive the clients.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    drivers: u32,
    /// The kind of tables.
    #[arg(long, value_enum, default_value_t = Tables::Inmem)]
    table: Tables,
}

const PUBLISHED: &str = "published for SQL Server 2016: 358,000/s on 144 logical processors, 80 % \
     busy, 0.01 s on average; 343,000/s on 128 virtual ones, 0.02 s";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    // Before anything is loaded.
    room::for_connections(options.connections)
        .map_err(|missing| BenchError::Wrong(missing.to_string()))?;
    let mut site = Site::create("bench", options.table, Data::new(options.scale))?;
    let mut figures = Figures::new("order-processing");
    eprintln!("{}", report::loaded(site.loaded(), site.server().resident_bytes()));
    figures.add("loaded_rows_per_s", "1/s", site.loaded().rows_per_s());
    let load = ClientLoad {
        connections: options.connections,
        drivers: options.drivers,
        time: Duration::from_secs(options.seconds),
        think: Duration::from_millis(options.think_ms),
    };
    for _ in 0..runs {
        let run = site.run(load)?;
        eprint!("{}", report::table(&run));
        add(&mut figures, &run);
    }
    site.stop()?;
    Ok(figures.into_all())
}

fn add(figures: &mut Figures, run: &Run) {
    figures.add("transactions_per_s", "1/s", run.transactions_per_s()).published = Some(PUBLISHED);
    for (name, us) in [("server_cpu_us", run.server_us()), ("driver_cpu_us", run.driver_us())] {
        if let Some(us) = us {
            figures.add(name, "us", us).decimals = 1;
        }
    }
    for (name, bytes) in [("server_mb", run.server_bytes), ("connections_mb", run.connection_bytes)]
    {
        if let Some(bytes) = bytes {
            figures.add(name, "MB", bytes as f64 / f64::from(1 << 20));
        }
    }
    let all = run.tally.all_times();
    let kinds = Kind::ALL.map(|kind| (kind.name(), &run.tally.times[kind as usize]));
    for (name, times) in [("all", &all)].into_iter().chain(kinds) {
        let shown = [("mean", times.mean()), ("p99", times.quantile(0.99))];
        for (what, time) in shown {
            figures.add(&format!("{name}_{what}_ms"), "ms", time.as_secs_f64() * 1e3).decimals = 2;
        }
    }
}

impl From<Failure> for BenchError {
    fn from(failure: Failure) -> BenchError {
        match failure {
            Failure::Local(error) => error.into(),
            Failure::Client(error) => error.into(),
            Failure::Wrong(what) => BenchError::Wrong(what),
        }
    }
}
