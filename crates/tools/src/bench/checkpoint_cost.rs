//! What checkpoints cost clients that insert orders: the same clients insert into a server that
//! makes none and into one that makes them, in turn. Each batch is one order, so that its time is
//! the order's.

use std::time::Duration;

use super::database::check;
use super::{BenchError, Figure};
use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalServer};
use crate::sample::{self, DataSource};
use crate::workload::{self, Contents, Run, TableSet, Until, Way};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Clients that insert orders at a time.
    #[arg(long, value_name = "N", default_value_t = 100)]
    connections: usize,
    /// How long a run takes, with checkpoints and without.
    #[arg(long, value_name = "N", default_value_t = 20)]
    seconds: u64,
    /// Orders of a batch; times are those of batches.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    orders: u64,
    /// Bytes of log that make a checkpoint, as `checkpoint_log_size` has them.
    #[arg(long, value_name = "SIZE", default_value = "64MB")]
    log_size: String,
    /// Measure with checkpoints only.
    #[arg(long)]
    only_with: bool,
}

/// So large that there is none while orders come in.
const NEVER: [&str; 4] = ["--checkpoint-file-size", "16TB", "--checkpoint-log-size", "16TB"];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let figure = |name, unit, decimals| {
        let mut figure = Figure::new("checkpoint-cost", name, unit);
        figure.decimals = decimals;
        figure
    };
    let mut without = figure("without_per_s", "1/s", 0);
    let mut with = figure("with_per_s", "1/s", 0);
    let mut cost = figure("cost_percent", "%", 1);
    let mut checkpoints = figure("checkpoints", "", 0);
    let mut times: [(Figure, f64); 3] = [
        (figure("p50_ms", "ms", 2), 0.5),
        (figure("p99_ms", "ms", 2), 0.99),
        (figure("p999_ms", "ms", 2), 0.999),
    ];
    let mut longest = figure("max_ms", "ms", 2);
    let mut least = figure("without_p999_ms", "ms", 2);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    for _ in 0..runs {
        if !options.only_with {
            let (run, made) = insert(options, &NEVER)?;
            check("checkpoints of the server that makes none", made, 0)?;
            without.values.push(run.orders_per_s());
            least.values.push(ms(run.times.quantile(0.999)));
        }
        let (run, made) = insert(options, &["--checkpoint-log-size", &options.log_size])?;
        if made == 0 {
            return Err(BenchError::Wrong("no checkpoint was made: runs are too short".into()));
        }
        with.values.push(run.orders_per_s());
        checkpoints.values.push(made as f64);
        for (figure, quantile) in &mut times {
            figure.values.push(ms(run.times.quantile(*quantile)));
        }
        longest.values.push(ms(run.times.max()));
    }
    let pairs = without.values.iter().zip(&with.values);
    cost.values = pairs.map(|(without, with)| (1.0 - with / without) * 100.0).collect();
    let mut figures = vec![without, with, cost, checkpoints];
    figures.extend(times.map(|(figure, _)| figure));
    figures.extend([longest, least]);
    figures.retain(|figure| !figure.values.is_empty());
    Ok(figures)
}

/// Inserts orders into a new server: what was done, and how many checkpoints were made meanwhile.
fn insert(options: &Options, flags: &[&str]) -> Result<(Run, i64), BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), flags)?;
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())?;
    let connect = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&connect)?;
    let before = Contents::of(&mut connection, TableSet::InMemory)?;
    let made = checkpoints(&mut connection)?;
    let until = Until::Elapsed(Duration::from_secs(options.seconds));
    let run =
        workload::run_batches(&connect, Way::Native, options.connections, until, options.orders)?;
    let made = checkpoints(&mut connection)? - made;
    if let Some(error) = run.first_error {
        return Err(ClientError::Server(error).into());
    }
    let after = Contents::of(&mut connection, TableSet::InMemory)?;
    check("orders", (after.orders - before.orders) as u64, run.orders())?;
    check("whether orders are whole", after.are_whole(), true)?;
    drop(connection);
    server.stop()?;
    Ok((run, made))
}

/// Checkpoints that were made of the database since the server was started.
fn checkpoints(connection: &mut Connection) -> Result<i64, BenchError> {
    let query = "SELECT checkpoints_closed FROM sys.dm_db_xtp_checkpoint_stats";
    super::database::numbers(connection, query).map(|[count]| count)
}
