//! `thermocline demo order-processing`: the benchmark on every kind of tables, small and from
//! nothing.

use std::time::Duration;

use super::{DemoError, line};
use crate::order_processing::data::Data;
use crate::order_processing::{ClientLoad, Failure, Run, Site, Tables, processors, report};
use crate::stress::{grouped, short};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// How large the database is: 420,000 rows for each unit.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scale: u32,
    /// How long the clients work on each kind of tables.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Clients.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=32_000))]
    connections: u32,
}

const KINDS: [(Tables, &str); 3] = [
    (Tables::Ondisk, "disk tables, ordinary procedures"),
    (Tables::Rowcache, "disk tables with row caching, ordinary procedures"),
    (Tables::Inmem, "memory-optimized tables, natively compiled procedures"),
];

pub fn run(options: &Options) -> Result<(), DemoError> {
    println!("Thermocline {}: order processing\n", env!("CARGO_PKG_VERSION"));
    let mut first_rate = None;
    for (tables, what) in KINDS {
        println!("{what}\n");
        let run = run_kind(options, tables)?;
        let rate = run.transactions_per_s();
        print!("{}", report::table(&run));
        println!("{:.2} x of the first\n", rate / first_rate.get_or_insert(rate).max(1e-9));
    }
    println!("What next\n\n  measure it\n      thermocline bench order-processing --scale 10");
    Ok(())
}

/// Makes a server with these tables, lets clients work, and looks at what they have left.
fn run_kind(options: &Options, tables: Tables) -> Result<Run, DemoError> {
    let mut site = Site::create("demo", tables, Data::new(options.scale))?;
    let server = site.server();
    line("server", format!("127.0.0.1,{} in {}", server.port(), short(server.start_time())));
    line("data", report::loaded(site.loaded(), server.resident_bytes()));
    line("clients", grouped(options.connections.into()));
    let run = site.run(ClientLoad {
        connections: options.connections,
        drivers: processors() as u32,
        time: Duration::from_secs(options.seconds),
        think: Duration::ZERO,
    })?;
    line("checked", "every acknowledged order is there and whole, none was fulfilled twice");
    println!();
    site.stop()?;
    Ok(run)
}

impl From<Failure> for DemoError {
    fn from(failure: Failure) -> DemoError {
        match failure {
            Failure::Local(error) => error.into(),
            Failure::Client(error) => error.into(),
            Failure::Wrong(what) => DemoError::Wrong(what),
        }
    }
}
