//! Durable orders a second.

use std::time::Duration;

use super::database::limit_memory;
use super::watch::Watch;
use super::{BenchError, Figure};
use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalServer};
use crate::sample::{self, DataSource};
use crate::workload::{self, Contents, Run, Until, Way};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Clients that insert orders at a time.
    #[arg(long, value_name = "N", default_value_t = 100)]
    connections: usize,
    /// How long a run takes.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seconds: u64,
    /// The kind of tables.
    #[arg(long, value_enum, default_value_t = Table::Inmem)]
    table: Table,
    /// `max server memory` of the server. More than a tenth above it is an error.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(128..=1_000_000))]
    memory_mb: Option<u32>,
    /// Insert into memory-optimized tables by an ordinary procedure instead of a natively compiled
    /// one.
    #[arg(long)]
    interpreted: bool,
}

const PUBLISHED: &str =
    "published for SQL Server 2014: 80,000/s on 8 cores, 166,667/s on 24, for ten million orders";

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Table {
    Inmem,
    Ondisk,
    /// Disk tables with row caching.
    Rowcache,
}

/// Says what a run has done, before what it has left is looked at.
fn report(run: &Run) {
    let minutes = run.first_and_last(60).map_or_else(String::new, |(first, last)| {
        format!(", {first:.0} in the first minute, {last:.0} in the last")
    });
    let (orders, rate) = (run.orders(), run.orders_per_s());
    eprintln!("{orders} orders, {rate:.0} a second{minutes}; to be checked");
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let way = match (options.table, options.interpreted) {
        (Table::Inmem, false) => Way::Native,
        (Table::Inmem, true) => Way::Interpreted,
        (Table::Ondisk | Table::Rowcache, _) => Way::OnDisk,
    };
    let tables = way.tables();
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())?;
    let connect = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&connect)?;
    if matches!(options.table, Table::Rowcache) {
        connection.execute("ALTER DATABASE CURRENT SET ROW_CACHING ON FOR ALL TABLES")?;
    }
    let mut rate = Figure::new("sales-orders", "orders_per_s", "1/s");
    if way == Way::Native {
        rate.published = Some(PUBLISHED);
    }
    let mut p99 = Figure::new("sales-orders", "batch_p99_ms", "ms");
    p99.decimals = 2;
    let mut minutes = [
        Figure::new("sales-orders", "first_minute_per_s", "1/s"),
        Figure::new("sales-orders", "last_minute_per_s", "1/s"),
    ];
    let mut watch = None;
    if let Some(memory_mb) = options.memory_mb {
        limit_memory(&mut connection, memory_mb)?;
        watch = Some(Watch::start(server.process_id(), memory_mb));
    }
    let until = Until::Elapsed(Duration::from_secs(options.seconds));
    for _ in 0..runs {
        let before = Contents::of(&mut connection, tables)?;
        let run = workload::run(&connect, way, options.connections, until)?;
        watch.iter_mut().for_each(|watch| watch.note("orders"));
        report(&run);
        let after = Contents::of(&mut connection, tables)?;
        watch.iter_mut().for_each(|watch| watch.note("checks"));
        if let Some(error) = run.first_error {
            return Err(ClientError::Server(error).into());
        }
        if (after.orders - before.orders) as u64 != run.orders() || !after.are_whole() {
            let orders = run.orders();
            return Err(BenchError::Wrong(format!(
                "{orders} orders were acknowledged, but: {after:?}"
            )));
        }
        rate.values.push(run.orders_per_s());
        rate.series.extend(run.whole_seconds().into_iter().map(|orders| orders as f64));
        p99.values.push(run.times.quantile(0.99).as_secs_f64() * 1e3);
        if let Some((first, last)) = run.first_and_last(60) {
            minutes[0].values.push(first);
            minutes[1].values.push(last);
        }
    }
    let mut figures = vec![rate, p99];
    figures.extend(minutes.into_iter().filter(|figure| !figure.values.is_empty()));
    if let Some(watch) = watch {
        let mut peak = Figure::new("sales-orders", "peak_mb", "MB");
        peak.values.push(watch.end()?);
        figures.push(peak);
    }
    drop(connection);
    server.stop()?;
    Ok(figures)
}
