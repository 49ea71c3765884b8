//! 000: sales orders in both kinds of tables, and what memory and disk they take at four moments.

use std::time::Duration;

use base::Value;

use super::section::{Cell, Plot, PlotData, Section, Table};
use super::{Scale, Steps};
use crate::bench::BenchError;
use crate::bench::database::numbers;
use crate::client::{ClientError, ConnectOptions, Connection};
use crate::local::{DataDir, LocalServer};
use crate::order_processing::room;
use crate::sample::{self, DataSource};
use crate::workload::{self, Contents, Run, Until, Way};

pub const STEPS: u64 = 5;

const CONNECTIONS: usize = 100;
/// Orders that were inserted for the published figures, and in how many seconds: on 8 and on 24
/// processors.
const PUBLISHED_ORDERS: f64 = 10_000_000.0;
const PUBLISHED_SECONDS: [(&str, [f64; 2]); 2] =
    [("memory-optimized", [125.0, 60.0]), ("disk", [2485.0, 3136.0])];
/// Orders of about five lines that a megabyte holds in memory-optimized tables.
const ORDERS_PER_MB: u64 = 1_200;
/// What a server needs beside them.
const OTHER_MEMORY_MB: u64 = 1_024;
/// Memory in MB, of the server and of the database, and MB on disk, as published for four moments.
const PUBLISHED_MEMORY: [(&str, f64, f64, f64); 4] = [
    ("created", 94.0, 877.0, 2312.0),
    ("after the workload", 146.0, 7374.0, 8828.0),
    ("after the reset", 2261.0, 7396.0, 11839.0),
    ("after the workload again", 1863.0, 7390.0, 8396.0),
];
/// KB of rows and of indexes, created and after the workload.
const PUBLISHED_TABLES: [(&str, [f64; 4]); 2] = [
    ("SalesOrderHeader_inmem", [7168.0, 147_456.0, 1_575_679.0, 147_456.0]),
    ("SalesOrderDetail_inmem", [15_316.0, 663_552.0, 5_113_761.0, 663_552.0]),
];

/// What there is at a moment.
struct Moment {
    /// Orders in the memory-optimized tables.
    orders: i64,
    /// KB of the server's clerks, of the database's, and of the files.
    memory: [i64; 3],
    /// KB of rows and of indexes, by table.
    tables: Vec<(String, [i64; 2])>,
    /// Checkpoint files: state, type, how many, MB.
    files: Vec<(String, String, i64, i64)>,
}

pub fn run(scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
    let until = match scale {
        Scale::Small => Until::Elapsed(Duration::from_secs(5)),
        Scale::Published => Until::Batches(orders_with_room() / workload::ORDERS_PER_BATCH),
    };
    steps.begin("000: installing the sample");
    let data = DataDir::temporary("report")?;
    let server = LocalServer::start(data.path(), &[])?;
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())?;
    let connect = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&connect)?;
    let mut moments = vec![Moment::now(&mut connection)?];
    steps.begin("000: orders into memory-optimized tables");
    let inmem = orders(&connect, &mut connection, Way::Native, until)?;
    moments.push(Moment::now(&mut connection)?);
    steps.begin("000: orders into disk tables");
    let ondisk = orders(&connect, &mut connection, Way::OnDisk, until)?;
    steps.begin("000: resetting");
    connection.execute("EXEC Demo.usp_DemoReset")?;
    moments.push(Moment::now(&mut connection)?);
    steps.begin("000: orders again");
    orders(&connect, &mut connection, Way::Native, until)?;
    moments.push(Moment::now(&mut connection)?);
    drop(connection);
    server.stop()?;

    let mut section = Section::new(
        "000",
        "Sales orders",
        format!(
            "{CONNECTIONS} clients insert sales orders of about five lines, twenty in a batch, each a \
             durable transaction of its own."
        ),
    );
    let runs = [("memory-optimized", &inmem), ("disk", &ondisk)];
    section.tables.push(rates(&runs));
    section.tables.push(memory(&moments));
    section.tables.push(by_table(&moments));
    section.tables.push(files(&moments));
    let ours = runs.iter().map(|(name, run)| (format!("{name}, here"), run.orders_per_s()));
    let published = PUBLISHED_SECONDS
        .iter()
        .map(|(name, [eight, _])| (format!("{name}, published"), PUBLISHED_ORDERS / eight));
    section.plots.push(Plot {
        caption: "Orders a second; published on 8 processors".into(),
        axes: ["tables", "orders/s"],
        data: PlotData::Bars { bars: ours.chain(published).collect(), is_logarithmic: true },
    });
    if scale == Scale::Small {
        section.notes.push(
            "Small scale: five seconds for each kind of tables, so memory and files are those of fewer \
             orders than published."
                .into(),
        );
    }
    if scale == Scale::Published && inmem.orders() < PUBLISHED_ORDERS as u64 {
        section.notes.push(format!(
            "There is memory for {} orders: memory and files are not comparable.",
            inmem.orders()
        ));
    }
    Ok(section)
}

/// As many orders as were published, or as memory has room for.
fn orders_with_room() -> u64 {
    let room = room::available_memory_mb()
        .map_or(u64::MAX, |mb| mb.saturating_sub(OTHER_MEMORY_MB) * ORDERS_PER_MB);
    room.min(PUBLISHED_ORDERS as u64)
}

/// Inserts orders, and looks whether the tables have what was acknowledged.
fn orders(
    connect: &ConnectOptions,
    connection: &mut Connection,
    way: Way,
    until: Until,
) -> Result<Run, BenchError> {
    let before = Contents::of(connection, way.tables())?;
    let run = workload::run(connect, way, CONNECTIONS, until)?;
    if let Some(error) = run.first_error {
        return Err(ClientError::Server(error).into());
    }
    let after = Contents::of(connection, way.tables())?;
    if (after.orders - before.orders) as u64 != run.orders() || !after.are_whole() {
        let orders = run.orders();
        return Err(BenchError::Wrong(format!(
            "{orders} orders were acknowledged, but: {after:?}"
        )));
    }
    Ok(run)
}

impl Moment {
    fn now(connection: &mut Connection) -> Result<Moment, BenchError> {
        let [orders] =
            numbers(connection, "SELECT COUNT_BIG(*) FROM Sales.SalesOrderHeader_inmem")?;
        let memory = numbers(
            connection,
            "SELECT (SELECT SUM(pages_kb) FROM sys.dm_os_memory_clerks \
                 WHERE type LIKE '%xtp%' AND name NOT LIKE 'DB_ID%'), \
             (SELECT SUM(pages_kb) FROM sys.dm_os_memory_clerks WHERE type LIKE '%xtp%' \
                 AND name = CONCAT('DB_ID_', DB_ID())), \
             (SELECT SUM(CAST(df.size AS bigint)) * 8 FROM sys.filegroups AS f \
                 JOIN sys.database_files AS df ON f.data_space_id = df.data_space_id \
                 WHERE f.type = N'FX')",
        )?;
        let tables = connection.query(
            "SELECT OBJECT_NAME(object_id), CAST(memory_allocated_for_table_kb AS bigint), \
                 CAST(memory_allocated_for_indexes_kb AS bigint) \
             FROM sys.dm_db_xtp_table_memory_stats \
             WHERE OBJECT_NAME(object_id) LIKE 'SalesOrder%[_]inmem' ORDER BY 1 DESC",
        )?;
        let tables = tables
            .rows
            .iter()
            .map(|row| Some((text(&row[0])?, [integer(&row[1])?, integer(&row[2])?])));
        let files = connection.query(
            "SELECT state_desc, file_type_desc, COUNT_BIG(*), \
                 SUM(CAST(file_size_in_bytes AS bigint)) / 1048576 \
             FROM sys.dm_db_xtp_checkpoint_files GROUP BY state_desc, file_type_desc, state, file_type \
             ORDER BY state, file_type",
        )?;
        let files = files.rows.iter().map(|row| {
            Some((text(&row[0])?, text(&row[1])?, integer(&row[2])?, integer(&row[3])?))
        });
        let wrong = || BenchError::Wrong("the server's views have other columns".into());
        Ok(Moment {
            orders,
            memory,
            tables: tables.collect::<Option<_>>().ok_or_else(wrong)?,
            files: files.collect::<Option<_>>().ok_or_else(wrong)?,
        })
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Unicode(bytes) => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            String::from_utf16(&units).ok()
        }
        Value::Chars(bytes) => String::from_utf8(bytes.to_vec()).ok(),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Null => Some(0),
        _ => None,
    }
}

fn rates(runs: &[(&str, &Run)]) -> Table {
    let mut table = Table::new(
        "Inserting orders",
        &[
            "tables",
            "orders",
            "orders/s",
            "s for ten million",
            "published, 8 processors",
            "published, 24 processors",
        ],
    );
    for ((name, run), (_, published)) in runs.iter().zip(PUBLISHED_SECONDS) {
        table.rows.push(vec![
            Cell::text(*name),
            Cell::Number(run.orders() as f64, 0),
            Cell::Number(run.orders_per_s(), 0),
            Cell::Number(PUBLISHED_ORDERS / run.orders_per_s().max(1e-9), 0),
            Cell::Number(published[0], 0),
            Cell::Number(published[1], 0),
        ]);
    }
    let [(_, inmem), (_, ondisk)] = PUBLISHED_SECONDS;
    table.rows.push(vec![
        Cell::text("ratio"),
        Cell::Nothing,
        Cell::Number(runs[0].1.orders_per_s() / runs[1].1.orders_per_s().max(1e-9), 2),
        Cell::Nothing,
        Cell::Number(ondisk[0] / inmem[0], 1),
        Cell::Number(ondisk[1] / inmem[1], 1),
    ]);
    table
}

const KB: f64 = 1024.0;

fn memory(moments: &[Moment]) -> Table {
    let mut table = Table::new(
        "Memory and files, in MB",
        &[
            "moment",
            "orders",
            "server",
            "published",
            "database",
            "published",
            "on disk",
            "published",
        ],
    );
    for (moment, (name, server, database, disk)) in moments.iter().zip(PUBLISHED_MEMORY) {
        let [own_server, own_database, own_disk] = moment.memory.map(|kb| kb as f64 / KB);
        table.rows.push(vec![
            Cell::text(name),
            Cell::Number(moment.orders as f64, 0),
            Cell::Number(own_server, 0),
            Cell::Number(server, 0),
            Cell::Number(own_database, 0),
            Cell::Number(database, 0),
            Cell::Number(own_disk, 0),
            Cell::Number(disk, 0),
        ]);
    }
    table
}

fn by_table(moments: &[Moment]) -> Table {
    let mut table = Table::new(
        "Memory by table, in KB: created, and after the workload",
        &[
            "table",
            "rows",
            "published",
            "indexes",
            "published",
            "rows after",
            "published",
            "indexes after",
            "published",
        ],
    );
    for (name, published) in PUBLISHED_TABLES {
        let of = |moment: &Moment| {
            let found = moment.tables.iter().find(|(own, _)| own == name);
            found.map_or([None; 2], |(_, kb)| kb.map(|kb| Some(kb as f64)))
        };
        let ours = [of(&moments[0]), of(&moments[1])].concat();
        let mut row = vec![Cell::text(name)];
        for (own, published) in ours.into_iter().zip(published) {
            row.extend([Cell::known(own, 0), Cell::Number(published, 0)]);
        }
        table.rows.push(row);
    }
    table
}

fn files(moments: &[Moment]) -> Table {
    let mut table = Table::new(
        "Checkpoint files at the same moments",
        &["moment", "state", "type", "files", "MB"],
    );
    for (moment, (name, ..)) in moments.iter().zip(PUBLISHED_MEMORY) {
        for (state, kind, count, megabytes) in &moment.files {
            table.rows.push(vec![
                Cell::text(name),
                Cell::text(state),
                Cell::text(kind),
                Cell::Number(*count as f64, 0),
                Cell::Number(*megabytes as f64, 0),
            ]);
        }
    }
    table
}
