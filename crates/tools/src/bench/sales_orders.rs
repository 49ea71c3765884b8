//! Durable orders a second.

use std::time::Duration;

use super::{BenchError, Figure};
use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalServer};
use crate::sample::{self, DataSource};
use crate::workload::{self, Contents, Until, Way};

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
    /// Insert into memory-optimized tables by an ordinary procedure instead of a natively compiled one.
    #[arg(long)]
    interpreted: bool,
}

const PUBLISHED: &str =
    "published for SQL Server 2014: 80,000/s on 8 cores, 166,667/s on 24, for ten million orders";

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Table {
    Inmem,
    Ondisk,
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let way = match (options.table, options.interpreted) {
        (Table::Inmem, false) => Way::Native,
        (Table::Inmem, true) => Way::Interpreted,
        (Table::Ondisk, _) => Way::OnDisk,
    };
    let twin = way.twin();
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())?;
    let connect = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&connect)?;
    let mut rate = Figure::new("sales-orders", "orders_per_s", "1/s");
    if way == Way::Native {
        rate.published = Some(PUBLISHED);
    }
    let mut p99 = Figure::new("sales-orders", "batch_p99_ms", "ms");
    p99.decimals = 2;
    let until = Until::Elapsed(Duration::from_secs(options.seconds));
    for _ in 0..runs {
        let before = Contents::of(&mut connection, twin)?;
        let run = workload::run(&connect, way, options.connections, until)?;
        let after = Contents::of(&mut connection, twin)?;
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
        p99.values.push(run.times.quantile(0.99).as_secs_f64() * 1e3);
    }
    drop(connection);
    server.stop()?;
    Ok(vec![rate, p99])
}
