//! `thermocline demo order-processing`: the benchmark on every kind of tables, small and from
//! nothing.

use std::time::Duration;

use super::{DemoError, line};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};
use crate::order_processing::data::Data;
use crate::order_processing::{
    self, CheckError, DATABASE, Expected, Load, Run, Tables, report, room,
};
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
    let data = Data::new(options.scale);
    room::for_connections(options.connections)?;
    room::for_data(&data, Tables::Inmem)?;
    let mut rates: Vec<f64> = Vec::new();
    for (tables, what) in KINDS {
        println!("{what}\n");
        let run = run_kind(options, tables, data)?;
        rates.push(run.transactions_per_s());
        print!("{}", report::table(&run));
        println!("{:.2} x of the first\n", run.transactions_per_s() / rates[0].max(1e-9));
    }
    println!("What next\n\n  measure it\n      thermocline bench order-processing --scale 10");
    Ok(())
}

/// Makes a server with these tables, lets clients work, and looks at what they have left.
fn run_kind(options: &Options, tables: Tables, data: Data) -> Result<Run, DemoError> {
    let dir = DataDir::temporary("demo")?;
    let server = LocalServer::start(dir.path(), &[])?;
    line("server", format!("127.0.0.1,{} in {}", server.port(), short(server.start_time())));
    order_processing::install(&server.options(), DATABASE, tables, &data)?;
    let connect = server.options().with_database(DATABASE);
    let loaders = std::thread::available_parallelism().map_or(2, usize::from);
    let loaded = order_processing::load(&connect, &data, loaders, &|_, _| ())?;
    line("data", report::loaded(&loaded, server.resident_bytes()));
    line("clients", grouped(options.connections.into()));
    let load = Load {
        connections: options.connections,
        drivers: loaders as u32,
        time: Duration::from_secs(options.seconds),
        think: Duration::ZERO,
    };
    let run = order_processing::run(&connect, data, load, server.process_id())?;
    if let Some(wrong) = &run.wrong {
        return Err(DemoError::Wrong(report::ended(wrong, &run.tally)));
    }
    let mut expected = Expected::default();
    expected.add(&run.tally);
    expected.check(&mut Connection::connect(&connect)?, &data)?;
    line("checked", "every acknowledged order is there and whole, none was fulfilled twice");
    println!();
    server.stop()?;
    Ok(run)
}

impl From<CheckError> for DemoError {
    fn from(error: CheckError) -> DemoError {
        match error {
            CheckError::Client(error) => error.into(),
            CheckError::Wrong(what) => DemoError::Wrong(what),
        }
    }
}

impl From<room::Missing> for DemoError {
    fn from(missing: room::Missing) -> DemoError {
        DemoError::Wrong(missing.to_string())
    }
}
