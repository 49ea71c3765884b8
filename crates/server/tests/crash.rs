//! Kills the server with `SIGKILL` again and again while clients insert sales orders, or process
//! orders, and looks after each restart whether every order that was acknowledged is there, every
//! order that is there is whole, and none was fulfilled twice.
//!
//! `THERMOCLINE_CRASHES` says how often, `THERMOCLINE_SEED` when; a failure prints the seed.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use base::Value;
use env::sim::wait_until;
use tools::client::{ConnectOptions, Connection};
use tools::local::{DataDir, LocalServer};
use tools::order_processing::data::Data;
use tools::order_processing::{self, ClientLoad, Expected, Tables, Wrong};
use tools::sample::{self, DataSource};
use tools::workload::{Contents, TableSet};

const CLIENTS: usize = 8;
/// The shortest and longest time between a start and a kill.
const LIFE_MS: (u64, u64) = (50, 700);

/// An order that was acknowledged: its set of tables, its number, its lines.
type Acknowledged = (TableSet, i64, i64);

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The batch that inserts one order and returns its number and how many lines it has.
fn order(tables: TableSet) -> String {
    let suffix = tables.suffix();
    format!(
        "SET NOCOUNT ON; DECLARE @od Sales.SalesOrderDetailType{suffix}, @id int, \
         @due datetime2 = sysdatetime(), @customer int = rand() * 8000; \
         INSERT INTO @od SELECT OrderQty, ProductID, SpecialOfferID FROM Demo.DemoSalesOrderDetailSeed \
         WHERE OrderID = cast((rand() * 106) + 1 as int); \
         EXEC Sales.usp_InsertSalesOrder{suffix} @id OUTPUT, @due, @customer, 1, 1, 1, @od; \
         SELECT @id, COUNT(*) FROM @od"
    )
}

fn numbers(row: &[Value]) -> Vec<i64> {
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        other => panic!("{other:?} is not a number"),
    };
    row.iter().map(number).collect()
}

/// Inserts orders until the server is gone.
fn client(
    options: ConnectOptions,
    tables: TableSet,
    acknowledged: Arc<Mutex<Vec<Acknowledged>>>,
    is_dying: Arc<AtomicBool>,
) -> JoinHandle<()> {
    let run = move || {
        let Ok(mut connection) = Connection::connect(&options) else { return };
        let batch = order(tables);
        loop {
            match connection.query(&batch) {
                Ok(answer) => {
                    let row = numbers(&answer.rows[0]);
                    acknowledged.lock().unwrap().push((tables, row[0], row[1]));
                }
                Err(error) => {
                    let says_why = error.server_message().is_some();
                    assert!(is_dying.load(SeqCst) || !says_why, "before the kill: {error}");
                    return;
                }
            }
        }
    };
    std::thread::spawn(run)
}

/// The numbers of lines of all orders that the procedure has inserted.
fn orders(connection: &mut Connection, tables: TableSet) -> HashMap<i64, i64> {
    let suffix = tables.suffix();
    let query = format!(
        "SELECT h.SalesOrderID, COUNT_BIG(*) FROM Sales.SalesOrderHeader{suffix} AS h \
         INNER JOIN Sales.SalesOrderDetail{suffix} AS d ON d.SalesOrderID = h.SalesOrderID \
         WHERE h.Status = 1 GROUP BY h.SalesOrderID"
    );
    let rows = connection.query(&query).unwrap().rows;
    rows.iter().map(|row| numbers(row)).map(|row| (row[0], row[1])).collect()
}

fn check(server: &LocalServer, acknowledged: &[Acknowledged], round: u64) {
    let options = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&options).unwrap();
    for tables in [TableSet::InMemory, TableSet::OnDisk] {
        let found = orders(&mut connection, tables);
        for (_, id, lines) in acknowledged.iter().filter(|(own, ..)| *own == tables) {
            let is = found.get(id);
            assert_eq!(is, Some(lines), "order {id} of {tables:?} after kill {round}");
        }
        let contents = Contents::of(&mut connection, tables).unwrap();
        assert!(contents.are_whole(), "{tables:?} after kill {round}: {contents:?}");
    }
}

#[test]
fn acknowledged_orders_survive_kills() {
    let crashes = number_from("THERMOCLINE_CRASHES", 3);
    let seed = number_from("THERMOCLINE_SEED", u64::from(std::process::id()));
    println!("{crashes} crashes, THERMOCLINE_SEED={seed}");
    let program = Path::new(env!("CARGO_BIN_EXE_thermocline"));
    let data = DataDir::temporary("crash").unwrap();
    let mut server = LocalServer::start_program(program, data.path(), &[]).unwrap();
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())
        .unwrap();
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let mut rng = seed | 1;
    for round in 1..=crashes {
        let is_dying = Arc::new(AtomicBool::new(false));
        let options = server.options().with_database(sample::DATABASE);
        let clients: Vec<JoinHandle<()>> = (0..CLIENTS)
            .map(|at| {
                let tables = if at % 4 == 3 { TableSet::OnDisk } else { TableSet::InMemory };
                client(options.clone(), tables, acknowledged.clone(), is_dying.clone())
            })
            .collect();
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        let life = LIFE_MS.0 + rng % (LIFE_MS.1 - LIFE_MS.0);
        let before = acknowledged.lock().unwrap().len();
        wait_until("orders come in", || acknowledged.lock().unwrap().len() > before);
        // The kill comes at any moment.
        std::thread::sleep(Duration::from_millis(life));
        is_dying.store(true, SeqCst);
        server.kill().unwrap();
        clients.into_iter().for_each(|client| client.join().unwrap());
        server = LocalServer::start_program(program, data.path(), &[]).unwrap();
        check(&server, &acknowledged.lock().unwrap(), round);
    }
    let count = acknowledged.lock().unwrap().len();
    println!("{count} orders were acknowledged, and all are there");
    server.stop().unwrap();
}

fn order_processing_survives_kills(tables: Tables) {
    const DATABASE: &str = order_processing::DATABASE;
    let crashes = number_from("THERMOCLINE_CRASHES", 2);
    let seed = number_from("THERMOCLINE_SEED", u64::from(std::process::id()));
    println!("{crashes} crashes, THERMOCLINE_SEED={seed}");
    let program = Path::new(env!("CARGO_BIN_EXE_thermocline"));
    let dir = DataDir::temporary("crash").unwrap();
    let data = Data::new(1);
    let mut server = LocalServer::start_program(program, dir.path(), &[]).unwrap();
    order_processing::install(&server.options(), DATABASE, tables, &data).unwrap();
    let connect = server.options().with_database(DATABASE);
    order_processing::load(&connect, &data, 2).unwrap();
    let mut expected = Expected::default();
    let mut random = seed | 1;
    for round in 1..=crashes {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let life = Duration::from_millis(500 + (random >> 33) % 1500);
        let connect = server.options().with_database(DATABASE);
        let process = server.process_id();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(life);
            server.kill().unwrap();
        });
        let load = ClientLoad {
            connections: 40,
            drivers: 2,
            time: Duration::from_secs(600),
            think: Duration::ZERO,
        };
        // The kill may come before all have connected.
        if let Ok(run) = order_processing::run(&connect, data, load, process) {
            let wrong = run.wrong.unwrap();
            println!("{}", order_processing::report::ended(&wrong, &run.tally));
            let is_lost =
                matches!(&wrong, Wrong::Client(error) if error.server_message().is_none());
            assert!(is_lost, "it ends with the server: {wrong:?}");
            expected.add(&run.tally);
        }
        killer.join().unwrap();
        server = LocalServer::start_program(program, dir.path(), &[]).unwrap();
        let connect = server.options().with_database(DATABASE);
        let mut connection = Connection::connect(&connect).unwrap();
        let checked = expected.check(&mut connection, &data);
        assert!(checked.is_ok(), "after kill {round}: {checked:?}");
    }
    server.stop().unwrap();
}

#[test]
fn order_processing_survives_kills_in_memory() {
    order_processing_survives_kills(Tables::Inmem);
}

#[test]
fn order_processing_survives_kills_with_row_caching() {
    order_processing_survives_kills(Tables::Rowcache);
}
