//! `thermocline demo`: a server, the sample, the workload on both kinds of tables, and the results.

mod order_processing;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};

use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalError, LocalServer};
use crate::sample::{self, DataSource};
use crate::stress::{grouped, short};
use crate::workload::{self, Contents, Run, TableSet, Until, Way};

/// Orders of the functional validation.
const VALIDATION_ORDERS: u64 = 1_000;

/// The ways in which orders are inserted, the one that others are compared with first: tables and
/// procedure.
const WAYS: [(Way, &str, &str); 3] = [
    (Way::OnDisk, "ordinary", "ordinary"),
    (Way::Interpreted, "memory-optimized", "ordinary"),
    (Way::Native, "memory-optimized", "native"),
];

/// Run the AdventureWorks sales-order demo: start a server in an empty directory, install the
/// sample, validate it, and insert orders from many connections into memory-optimized and ordinary
/// tables.
#[derive(Parser, Debug)]
#[command(name = "thermocline demo", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    other: Option<Other>,
    /// Where the server keeps its data; an empty or new directory. It stays afterwards. Default: a
    /// temporary one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How long orders are inserted into each kind of table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
    /// How many orders are inserted into each kind of table, instead of a time.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    orders: Option<u64>,
    /// How many clients insert orders at a time.
    #[arg(long, value_name = "N", default_value_t = 100)]
    connections: usize,
    /// Load Microsoft's AdventureWorks data files from this directory instead of generating data.
    #[arg(long, value_name = "DIR")]
    official: Option<PathBuf>,
}

/// Demos of other samples.
#[derive(Subcommand, Debug)]
enum Other {
    /// Order processing: customers, orders, products and their fulfilment.
    OrderProcessing(order_processing::Options),
}

/// Why the demo did not work.
#[derive(Debug)]
enum DemoError {
    Local(LocalError),
    Client(ClientError),
    Wrong(String),
}

impl fmt::Display for DemoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DemoError::Local(error) => error.fmt(f),
            DemoError::Client(error) => error.fmt(f),
            DemoError::Wrong(what) => f.write_str(what),
        }
    }
}

impl From<LocalError> for DemoError {
    fn from(error: LocalError) -> DemoError {
        DemoError::Local(error)
    }
}

impl From<ClientError> for DemoError {
    fn from(error: ClientError) -> DemoError {
        DemoError::Client(error)
    }
}

/// Runs the demo with these arguments, the program's name left out.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = std::iter::once(OsString::from("thermocline demo")).chain(arguments);
    let options = Options::parse_from(arguments);
    crate::local::remove_on_interrupt();
    let result = match &options.other {
        None => run(&options),
        Some(Other::OrderProcessing(own)) => order_processing::run(own),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("thermocline demo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a line of the report: what was done, what came of it.
fn line(what: &str, result: impl fmt::Display) {
    println!("  {what:<12} {result}");
}

fn run(options: &Options) -> Result<(), DemoError> {
    println!("Thermocline {}: the AdventureWorks sales-order demo\n", env!("CARGO_PKG_VERSION"));
    let data = match &options.data {
        Some(path) => DataDir::kept(path),
        None => DataDir::temporary("demo")?,
    };
    let server = LocalServer::start(data.path(), &[])?;
    let what = format!("127.0.0.1,{} in {}", server.port(), short(server.start_time()));
    line("server", what);
    line("data", data.path().display());

    let connect = server.options().with_database(sample::DATABASE);
    install(&server, options)?;
    let mut connection = Connection::connect(&connect)?;
    let validation = Until::Batches(VALIDATION_ORDERS / workload::ORDERS_PER_BATCH);
    for (way, _, _) in WAYS {
        let begin = || workload::run(&connect, way, 10, validation);
        checked_run(&mut connection, begin, way.tables())?;
    }
    let orders = grouped(VALIDATION_ORDERS);
    line("validation", format!("{orders} orders in each way, all whole, no error"));

    let until = match options.orders {
        Some(orders) => Until::Batches(orders.div_ceil(workload::ORDERS_PER_BATCH)),
        None => Until::Elapsed(Duration::from_secs(options.seconds)),
    };
    println!(
        "\n  {} connections, every order a durable transaction of its own\n",
        grouped(options.connections as u64)
    );
    println!(
        "  {:<18}{:<18}{:>12}{:>10}{:>8}{:>10}{:>10}",
        "tables", "procedure", "orders", "orders/s", "", "p50", "p99"
    );
    let mut rates: Vec<f64> = Vec::new();
    for (way, tables, procedure) in WAYS {
        let begin = || workload::run(&connect, way, options.connections, until);
        let run = checked_run(&mut connection, begin, way.tables())?;
        rates.push(run.orders_per_s());
        println!(
            "  {tables:<18}{procedure:<18}{:>12}{:>10}{:>7.2}x{:>10}{:>10}",
            grouped(run.orders()),
            grouped(run.orders_per_s() as u64),
            run.orders_per_s() / rates[0].max(1e-9),
            short(run.times.quantile(0.5)),
            short(run.times.quantile(0.99)),
        );
    }
    println!("\n  p50 and p99 are of batches of {} orders.", workload::ORDERS_PER_BATCH);
    if let Some(bytes) = server.resident_bytes() {
        line("memory", format!("{} MB", grouped(bytes >> 20)));
    }
    line("on disk", format!("{} MB", grouped(data.size_bytes() >> 20)));
    drop(connection);
    server.stop()?;
    what_next(options, &data);
    Ok(())
}

fn install(server: &LocalServer, options: &Options) -> Result<(), DemoError> {
    let begin = Instant::now();
    let source = match &options.official {
        Some(directory) => DataSource::Official(directory),
        None => DataSource::Generated,
    };
    let terminal = console::Term::stderr();
    let mut progress = |what: &str| {
        if terminal.is_term() {
            // A terminal that does not take it shows less, and that is all.
            let _ =
                terminal.clear_line().and_then(|()| terminal.write_str(&format!("  {what} ...")));
        }
    };
    sample::install(&server.options(), sample::DATABASE, source, &mut progress)?;
    if terminal.is_term() {
        let _ = terminal.clear_line();
    }
    let mut connection = Connection::connect(&server.options().with_database(sample::DATABASE))?;
    let contents = Contents::of(&mut connection, TableSet::InMemory)?;
    let outcome = connection.execute("EXEC dbo.usp_ValidateIntegrity")?;
    if let Some(error) = outcome.first_error {
        return Err(DemoError::Client(ClientError::Server(error)));
    }
    let (orders, lines) = (grouped(contents.orders as u64), grouped(contents.lines as u64));
    let what =
        format!("{orders} orders with {lines} lines, rules kept, in {}", short(begin.elapsed()));
    line("sample", what);
    Ok(())
}

/// Does a run and checks whether the tables hold exactly what was acknowledged.
fn checked_run(
    connection: &mut Connection,
    run: impl FnOnce() -> Result<Run, ClientError>,
    tables: TableSet,
) -> Result<Run, DemoError> {
    let before = Contents::of(connection, tables)?;
    let run = run()?;
    if let Some(error) = run.first_error {
        return Err(ClientError::Server(error).into());
    }
    let after = Contents::of(connection, tables)?;
    let added = (after.orders - before.orders) as u64;
    if added != run.orders() || !after.are_whole() {
        let expected = run.orders();
        return Err(DemoError::Wrong(format!(
            "{expected} orders were acknowledged, but: {after:?}"
        )));
    }
    Ok(run)
}

fn what_next(options: &Options, data: &DataDir) {
    println!("\nWhat next\n");
    let show = |what: &str, command: &str| println!("  {what}\n      {command}");
    match &options.data {
        Some(_) => {
            let data = data.path().display();
            show(
                "start the server again, with this data",
                &format!("thermocline serve --data {data} --allow-local-trusted true"),
            );
            show("look around", &format!("thermocline sql -S . -E -d {}", sample::DATABASE));
            show(
                "drive it harder",
                &format!("thermocline stress -S. -E -d{} -n100 -r500 -Q\"...\"", sample::DATABASE),
            );
        }
        None => {
            show("keep the data", "thermocline demo --data ./demo");
            show("a server of your own", "thermocline serve --data ./data");
        }
    }
    show("measure it", "thermocline bench sales-orders");
}
