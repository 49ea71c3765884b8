//! What connections cost.

use std::time::Instant;

use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Connections that are opened and then do nothing.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    connections: usize,
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    LocalServer::start(data.path(), &[])?.stop()?;
    let mut start = Figure::new("connections", "start_ms", "ms");
    let mut rate = Figure::new("connections", "logins_per_s", "1/s");
    let mut memory = Figure::new("connections", "idle_bytes", "bytes");
    for _ in 0..runs {
        let flags = ["--max-connections", "32000"];
        let server = LocalServer::start(data.path(), &flags)?;
        start.values.push(server.start_time().as_secs_f64() * 1e3);
        // What the first connection allocates once for all is not the others' cost.
        drop(Connection::connect(&server.options())?);
        let before = server.resident_bytes();
        let begin = Instant::now();
        let open: Vec<Connection> = (0..options.connections)
            .map(|_| Connection::connect(&server.options()))
            .collect::<Result<_, _>>()?;
        rate.values.push(open.len() as f64 / begin.elapsed().as_secs_f64());
        if let (Some(before), Some(after)) = (before, server.resident_bytes()) {
            memory.values.push(after.saturating_sub(before) as f64 / open.len().max(1) as f64);
        }
        drop(open);
        server.stop()?;
    }
    Ok(vec![start, rate, memory])
}
