//! A table of a million rows with three indexes, for benchmarks that change it.

use super::BenchError;
use super::keys::NUMBERS;
use crate::client::Connection;

/// Makes the table `dbo.Accounts`, memory-optimized and filled. Balances and counts of updates are
/// 0.
pub fn create(connection: &mut Connection, durability: &str) -> Result<(), BenchError> {
    connection.execute(&format!(
        "CREATE TABLE dbo.Accounts (
            AccountID int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1048576),
            CustomerID int NOT NULL INDEX IX_CustomerID NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288),
            OpenedOn date NOT NULL INDEX IX_OpenedOn NONCLUSTERED,
            Balance bigint NOT NULL,
            Updates int NOT NULL
        ) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = {durability})"
    ))?;
    fill(connection)
}

/// The same as a disk table with these options.
pub fn create_on_disk(connection: &mut Connection, options: &str) -> Result<(), BenchError> {
    connection.execute(&format!(
        "CREATE TABLE dbo.Accounts (
            AccountID int NOT NULL PRIMARY KEY CLUSTERED,
            CustomerID int NOT NULL INDEX IX_CustomerID NONCLUSTERED,
            OpenedOn date NOT NULL INDEX IX_OpenedOn NONCLUSTERED,
            Balance bigint NOT NULL,
            Updates int NOT NULL
        ){options}"
    ))?;
    fill(connection)
}

fn fill(connection: &mut Connection) -> Result<(), BenchError> {
    connection.execute(&format!(
        "INSERT INTO dbo.Accounts (AccountID, CustomerID, OpenedOn, Balance, Updates) \
         SELECT n, n / 2, DATEADD(day, n * 7919 % 3650, '2015-01-01'), 0, 0 FROM {NUMBERS}"
    ))?;
    Ok(())
}
