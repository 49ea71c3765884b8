//! Reads of tables with a security policy beside the same reads of plain ones, in turn: what it
//! costs to judge rows by a predicate that is part of the plan.

use std::time::Instant;

use super::database::{TableKind, check, create, native_procedure, numbers, ordinary_procedure};
use super::figures::Figures;
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

const BENCH: &str = "row-security";

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of a table; one in four is another tenant's.
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(4..=10_000_000))]
    rows: u32,
    /// Look-ups of single rows in a run.
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    lookups: u32,
    /// Scans of the whole table in a run.
    #[arg(long, value_name = "N", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    scans: u32,
}

/// A disk or memory-optimized table, plain or under a policy.
#[derive(Clone, Copy)]
struct Table {
    kind: TableKind,
    guarded: bool,
}

const KINDS: [TableKind; 2] = [TableKind::Disk, TableKind::Inmem];

/// What is measured: its name in figures and in the names of procedures, and its unit.
const READS: [(&str, &str); 2] = [("lookups_per_s", "1/s"), ("scanned_rows_per_s", "1/s")];

impl Table {
    fn name(self) -> String {
        let word = if self.guarded { "guarded" } else { "plain" };
        format!("{}_{word}", self.kind.name())
    }
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "RowSecurity")?;
    connection.execute("CREATE SCHEMA Security")?;
    connection.execute("EXEC sp_set_session_context N'Tenant', 1")?;
    let tables = KINDS.map(|kind| [false, true].map(|guarded| Table { kind, guarded }));
    for table in tables.into_iter().flatten() {
        make(&mut connection, table, options)?;
    }
    let mut figures = Figures::new(BENCH);
    for run in 1..=runs {
        for [plain, guarded] in tables {
            // Whichever comes second finds a warmer machine.
            let order = if run % 2 == 0 { [guarded, plain] } else { [plain, guarded] };
            let mut rates = [[0.0; 2]; 2];
            for table in order {
                let of_table = &mut rates[usize::from(table.guarded)];
                of_table[0] = look_up(&mut connection, table, options)?;
                of_table[1] = scan(&mut connection, table, options)?;
                for ((what, unit), rate) in READS.into_iter().zip(*of_table) {
                    figures.add(&format!("{}_{what}", table.name()), unit, rate);
                }
            }
            for (at, what) in ["lookup_cost", "scan_cost"].into_iter().enumerate() {
                let cost = rates[0][at] / rates[1][at];
                let name = format!("{}_{what}", plain.kind.name());
                figures.add(&name, "times", cost).decimals = 2;
            }
        }
    }
    drop(connection);
    server.stop()?;
    Ok(figures.into_all())
}

fn make(connection: &mut Connection, table: Table, options: &Options) -> Result<(), BenchError> {
    let (name, kind) = (table.name(), table.kind);
    let memory = matches!(kind, TableKind::Inmem);
    let with = if memory { " WITH (MEMORY_OPTIMIZED = ON)" } else { "" };
    connection.execute(&format!(
        "CREATE TABLE dbo.{name} (Id int NOT NULL {}, Tenant int NOT NULL, \
         Balance bigint NOT NULL, Name varchar(50) NOT NULL){with}",
        kind.primary_key()
    ))?;
    connection.execute(&format!(
        "INSERT dbo.{name} (Id, Tenant, Balance, Name) \
         SELECT value, IIF(value % 4 = 3, 2, 1), value, CONCAT('the name of ', value) \
         FROM GENERATE_SERIES(0, {})",
        options.rows - 1
    ))?;
    if table.guarded {
        let native = if memory { "NATIVE_COMPILATION, " } else { "" };
        connection.execute(&format!(
            "CREATE FUNCTION Security.Own_{name} (@Tenant int) RETURNS TABLE \
             WITH {native}SCHEMABINDING AS RETURN SELECT 1 AS Own \
             WHERE @Tenant = CAST(SESSION_CONTEXT(N'Tenant') AS int)"
        ))?;
        connection.execute(&format!(
            "CREATE SECURITY POLICY Security.Policy_{name} \
             ADD FILTER PREDICATE Security.Own_{name}(Tenant) ON dbo.{name} WITH (STATE = ON)"
        ))?;
    }
    // The plain table names no tenant: what the policy adds is all that differs.
    let lookups = format!(
        "DECLARE @i int NOT NULL = 0, @Balance bigint, @Sum bigint NOT NULL = 0;
        WHILE @i < @Count
        BEGIN
            SELECT @Balance = Balance FROM dbo.{name} WHERE Id = (@i % @Rows) / 4 * 4;
            SET @Sum += @Balance;
            SET @i += 1;
        END
        SELECT @Sum AS Total;"
    );
    let scans = format!(
        "DECLARE @i int NOT NULL = 0, @Balance bigint;
        WHILE @i < @Count
        BEGIN
            SELECT @Balance = SUM(Balance) FROM dbo.{name} WHERE Balance >= @Rows - @Rows;
            SET @i += 1;
        END
        SELECT @Balance AS Total;"
    );
    for (what, body) in [("lookups", lookups), ("scans", scans)] {
        let head = format!("dbo.usp_{name}_{what} @Count int NOT NULL, @Rows int NOT NULL");
        let text = match kind {
            TableKind::Inmem => native_procedure(&head, &body),
            TableKind::Disk | TableKind::Cached => {
                ordinary_procedure(&head, &format!("BEGIN TRANSACTION;\n{body}\nCOMMIT;"))
            }
        };
        connection.execute(&text)?;
    }
    Ok(())
}

/// Rows found by key a second.
fn look_up(
    connection: &mut Connection,
    table: Table,
    options: &Options,
) -> Result<f64, BenchError> {
    let Options { rows, lookups, .. } = *options;
    let begin = Instant::now();
    let call = format!("EXEC dbo.usp_{}_lookups {lookups}, {rows}", table.name());
    let found = numbers(connection, &call)?;
    let taken = begin.elapsed();
    let rows = i64::from(rows);
    let total = (0..i64::from(lookups)).map(|at| at % rows / 4 * 4).sum::<i64>();
    check("balances that were found", found, [total])?;
    Ok(f64::from(lookups) / taken.as_secs_f64())
}

/// Rows looked at a second.
fn scan(connection: &mut Connection, table: Table, options: &Options) -> Result<f64, BenchError> {
    let Options { rows, scans, .. } = *options;
    let begin = Instant::now();
    let call = format!("EXEC dbo.usp_{}_scans {scans}, {rows}", table.name());
    let found = numbers(connection, &call)?;
    let taken = begin.elapsed();
    let shown = (0..i64::from(rows)).filter(|row| !table.guarded || row % 4 != 3);
    check("the sum of balances", found, [shown.sum::<i64>()])?;
    Ok(f64::from(rows) * f64::from(scans) / taken.as_secs_f64())
}
