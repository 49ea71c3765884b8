//! The databases that benchmarks make, and what they ask them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Value;

use super::BenchError;
use crate::client::{Connection, Receiver, Row};
use crate::local::LocalServer;

/// Rows have left memory when what they take there is less than this part of what they took.
const SUNK: i64 = 100;
const PATIENCE: Duration = Duration::from_secs(120);

/// The kind of a benchmark's table.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// A disk table.
    Disk,
    /// A disk table whose rows are cached one by one.
    Cached,
    /// A memory-optimized table.
    Inmem,
}

impl TableKind {
    /// What figures are named after.
    pub fn name(self) -> &'static str {
        match self {
            TableKind::Disk => "disk",
            TableKind::Cached => "cached",
            TableKind::Inmem => "inmem",
        }
    }

    /// What follows the table's columns.
    pub fn options(self) -> &'static str {
        match self {
            TableKind::Disk => "",
            TableKind::Cached => " WITH (ROW_CACHING = ON)",
            TableKind::Inmem => " WITH (MEMORY_OPTIMIZED = ON)",
        }
    }

    /// The primary key of a table that is not searched by hash.
    pub fn primary_key(self) -> &'static str {
        match self {
            TableKind::Disk | TableKind::Cached => "PRIMARY KEY CLUSTERED",
            TableKind::Inmem => "PRIMARY KEY NONCLUSTERED",
        }
    }
}

/// Makes a database that can have memory-optimized tables; the connection is in it.
pub fn create(server: &LocalServer, name: &str) -> Result<Connection, BenchError> {
    let mut connection = Connection::connect(&server.options())?;
    connection.execute(&format!("CREATE DATABASE {name}"))?;
    connection.execute(&format!(
        "ALTER DATABASE {name} ADD FILEGROUP mod CONTAINS MEMORY_OPTIMIZED_DATA"
    ))?;
    connection.execute(&format!(
        "ALTER DATABASE {name} ADD FILE (NAME = 'mod', FILENAME = 'mod') TO FILEGROUP mod"
    ))?;
    connection.execute(&format!("USE {name}"))?;
    Ok(connection)
}

/// The integers of the last result's only row; NULL is 0, as the sum of no rows is.
pub fn numbers<const N: usize>(
    connection: &mut Connection,
    query: &str,
) -> Result<[i64; N], BenchError> {
    let result = connection.query(query)?;
    let wrong = || BenchError::Wrong(format!("{:?} are not {N} numbers", result.rows));
    let [row] = result.rows.as_slice() else { return Err(wrong()) };
    let mut numbers = [0; N];
    if row.len() != N {
        return Err(wrong());
    }
    for (number, value) in numbers.iter_mut().zip(row) {
        *number = match value {
            Value::Int(value) => *value,
            Value::Null => 0,
            _ => return Err(wrong()),
        };
    }
    Ok(numbers)
}

/// The sum of a performance counter's values.
pub fn counter(connection: &mut Connection, name: &str) -> Result<i64, BenchError> {
    let query = format!(
        "SELECT SUM(cntr_value) FROM sys.dm_os_performance_counters WHERE counter_name = '{name}'"
    );
    numbers(connection, &query).map(|[value]| value)
}

/// Where the server keeps the pages of the database that was made last.
pub fn data_file(data: &Path) -> Result<PathBuf, BenchError> {
    let mut left = vec![data.to_path_buf()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == "tpg") {
                return Ok(path);
            }
        }
    }
    Err(BenchError::Wrong("the table has not gone to disk".into()))
}

/// A performance counter's value for one instance.
pub fn counter_of(
    connection: &mut Connection,
    name: &str,
    instance: &str,
) -> Result<i64, BenchError> {
    let query = format!(
        "SELECT SUM(cntr_value) FROM sys.dm_os_performance_counters \
         WHERE counter_name = '{name}' AND instance_name = '{instance}'"
    );
    numbers(connection, &query).map(|[value]| value)
}

/// Waits until the rows of a table are in pages alone; so must those of all other disk tables of
/// the database be.
pub fn sink(connection: &mut Connection, table: &str) -> Result<(), BenchError> {
    sink_to(connection, table, 0)
}

/// The same, but for so many kilobytes of rows that may stay in memory.
pub fn sink_to(
    connection: &mut Connection,
    table: &str,
    allowed_kb: i64,
) -> Result<(), BenchError> {
    const LEFT: &str = "SELECT SUM(cntr_value) FROM sys.dm_os_performance_counters \
        WHERE counter_name = 'Disk Table Memory Used (KB)' AND instance_name = DB_NAME()";
    let deadline = Instant::now() + PATIENCE;
    let [rows] = numbers(connection, &format!("SELECT COUNT_BIG(*) FROM {table}"))?;
    loop {
        connection.execute("CHECKPOINT")?;
        let [left] = numbers(connection, LEFT)?;
        // A row takes more than eight bytes.
        if left <= rows * 8 / 1024 / SUNK + 8 + allowed_kb {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(BenchError::Wrong(format!("{table} has {left} KB of rows in memory")));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Sets `max server memory`.
pub fn limit_memory(connection: &mut Connection, megabytes: u32) -> Result<(), BenchError> {
    connection.execute("EXEC sp_configure 'show advanced options', 1")?;
    connection.execute("RECONFIGURE")?;
    connection.execute(&format!("EXEC sp_configure 'max server memory (MB)', {megabytes}"))?;
    connection.execute("RECONFIGURE")?;
    Ok(())
}

/// A procedure that is not natively compiled, made of what a native one would be made of. Only
/// there may variables be declared NOT NULL, which is left out; statements must not have these
/// words.
pub fn ordinary_procedure(head: &str, body: &str) -> String {
    format!("CREATE PROCEDURE {head} AS\nBEGIN\nSET NOCOUNT ON;\n{body}\nEND")
        .replace(" NOT NULL", "")
}

/// A natively compiled procedure: its name and parameters, and its statements.
pub fn native_procedure(head: &str, body: &str) -> String {
    format!(
        "CREATE PROCEDURE {head} WITH NATIVE_COMPILATION, SCHEMABINDING AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')\n{body}\nEND"
    )
}

/// An error if what was found is not what was expected.
pub fn check<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), BenchError> {
    if found == expected {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("{what}: {found:?} instead of {expected:?}")))
}

/// Adds up what is in the rows' first column.
#[derive(Default)]
pub struct Sum {
    /// How many rows there were.
    pub rows: u64,
    /// What their first column adds up to.
    pub sum: i64,
}

impl Receiver for Sum {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.rows += 1;
        if let Value::Int(value) = row.get(0).map_err(io::Error::other)?.into_value() {
            self.sum += value;
        }
        Ok(())
    }
}
