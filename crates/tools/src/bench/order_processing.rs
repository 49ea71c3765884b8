//! Orders, products and their fulfilment: six procedures in the mix that was published.

use std::time::Duration;

use super::figures::Figures;
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};
use crate::order_processing::data::Data;
use crate::order_processing::{
    self, CheckError, DATABASE, Expected, Kind, Load, Run, Tables, report, room,
};

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
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    drivers: u32,
    /// The kind of tables.
    #[arg(long, value_enum, default_value_t = Tables::Inmem)]
    table: Tables,
}

const PUBLISHED: &str = "published for SQL Server 2016: 358,000/s on 144 logical processors, 80 % \
     busy, 0.01 s on average; 343,000/s on 128 virtual ones, 0.02 s";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = Data::new(options.scale);
    room::for_connections(options.connections)?;
    room::for_data(&data, options.table)?;
    let dir = DataDir::temporary("bench")?;
    let server = LocalServer::start(dir.path(), &[])?;
    order_processing::install(&server.options(), DATABASE, options.table, &data)?;
    let connect = server.options().with_database(DATABASE);
    let loaded = order_processing::load(&connect, &data, options.drivers as usize, &|_, _| ())?;
    let mut figures = Figures::new("order-processing");
    eprintln!("{}", report::loaded(&loaded, server.resident_bytes()));
    figures.add("loaded_rows_per_s", "1/s", loaded.rows_per_s());
    let load = Load {
        connections: options.connections,
        drivers: options.drivers,
        time: Duration::from_secs(options.seconds),
        think: Duration::from_millis(options.think_ms),
    };
    let mut expected = Expected::default();
    for _ in 0..runs {
        let run = order_processing::run(&connect, data, load, server.process_id())?;
        eprint!("{}", report::table(&run));
        expected.add(&run.tally);
        if let Some(wrong) = &run.wrong {
            return Err(BenchError::Wrong(report::ended(wrong, &run.tally)));
        }
        expected.check(&mut Connection::connect(&connect)?, &data)?;
        add(&mut figures, &run);
    }
    server.stop()?;
    Ok(figures.into_all())
}

fn add(figures: &mut Figures, run: &Run) {
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    figures.add("transactions_per_s", "1/s", run.transactions_per_s()).published = Some(PUBLISHED);
    let transactions = run.tally.transactions().max(1) as f64;
    for (name, time) in [("server_cpu_us", run.server_time), ("driver_cpu_us", run.driver_time)] {
        if let Some(time) = time {
            figures.add(name, "us", us(time) / transactions).decimals = 1;
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
            figures.add(&format!("{name}_{what}_ms"), "ms", us(time) / 1e3).decimals = 2;
        }
    }
}

impl From<CheckError> for BenchError {
    fn from(error: CheckError) -> BenchError {
        match error {
            CheckError::Client(error) => error.into(),
            CheckError::Wrong(what) => BenchError::Wrong(what),
        }
    }
}

impl From<room::Missing> for BenchError {
    fn from(missing: room::Missing) -> BenchError {
        BenchError::Wrong(missing.to_string())
    }
}
