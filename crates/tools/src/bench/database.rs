//! The databases that benchmarks make, and what they ask them.

use base::Value;

use super::BenchError;
use crate::client::Connection;
use crate::local::LocalServer;

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

/// Sets `max server memory`.
pub fn limit_memory(connection: &mut Connection, megabytes: u32) -> Result<(), BenchError> {
    connection.execute("EXEC sp_configure 'show advanced options', 1")?;
    connection.execute("RECONFIGURE")?;
    connection.execute(&format!("EXEC sp_configure 'max server memory (MB)', {megabytes}"))?;
    connection.execute("RECONFIGURE")?;
    Ok(())
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
