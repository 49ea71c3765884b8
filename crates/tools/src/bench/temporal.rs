//! Single-row updates of system-versioned tables beside the same updates of plain ones, in turn:
//! what it costs to keep each old version.

use std::time::Instant;

use super::database::{TableKind, check, create, native_procedure, numbers, ordinary_procedure};
use super::figures::Figures;
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

const BENCH: &str = "temporal";

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of a table; each is updated once in a round.
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    rows: u32,
    /// How often each row is updated in a run.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Updates of one transaction.
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    updates_per_transaction: u32,
}

/// A disk or memory-optimized table, plain or system-versioned.
#[derive(Clone, Copy)]
struct Table {
    kind: TableKind,
    versioned: bool,
}

const KINDS: [TableKind; 2] = [TableKind::Disk, TableKind::Inmem];

impl Table {
    fn name(self) -> String {
        let word = if self.versioned { "temporal" } else { "plain" };
        format!("{}_{word}", self.kind.name())
    }
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "Temporal")?;
    let tables = KINDS.map(|kind| [false, true].map(|versioned| Table { kind, versioned }));
    for table in tables.into_iter().flatten() {
        make(&mut connection, table, options)?;
    }
    let mut figures = Figures::new(BENCH);
    for run in 1..=runs {
        for [plain, versioned] in tables {
            // Whichever comes second finds a warmer machine.
            let order = if run % 2 == 0 { [versioned, plain] } else { [plain, versioned] };
            let mut rates = [0.0; 2];
            for table in order {
                let rate = measure(&mut connection, table, options)?;
                check_rows(&mut connection, table, options, run)?;
                figures.add(&format!("{}_updates_per_s", table.name()), "1/s", rate);
                rates[usize::from(table.versioned)] = rate;
            }
            let cost = rates[0] / rates[1];
            figures.add(&format!("{}_cost", plain.kind.name()), "times", cost).decimals = 2;
        }
    }
    drop(connection);
    server.stop()?;
    Ok(figures.into_all())
}

fn make(connection: &mut Connection, table: Table, options: &Options) -> Result<(), BenchError> {
    let (name, kind) = (table.name(), table.kind);
    let (period, versioning) = match table.versioned {
        true => (
            ", ValidFrom datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL, \
             ValidTo datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL, \
             PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)",
            format!("SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.{name}_history)"),
        ),
        false => ("", String::new()),
    };
    let memory = matches!(kind, TableKind::Inmem).then(|| "MEMORY_OPTIMIZED = ON".to_owned());
    let versioning = (!versioning.is_empty()).then_some(versioning);
    let with: Vec<String> = memory.into_iter().chain(versioning).collect();
    let with = if with.is_empty() { String::new() } else { format!(" WITH ({})", with.join(", ")) };
    connection.execute(&format!(
        "CREATE TABLE dbo.{name} (Id int NOT NULL {}, Balance bigint NOT NULL, \
         Name varchar(50) NOT NULL{period}){with}",
        kind.primary_key()
    ))?;
    connection.execute(&format!(
        "INSERT dbo.{name} (Id, Balance, Name) SELECT value, 0, CONCAT('the name of ', value) \
         FROM GENERATE_SERIES(0, {})",
        options.rows - 1
    ))?;
    let body = format!(
        "DECLARE @i int NOT NULL = 0;
        WHILE @i < @Count
        BEGIN
            UPDATE dbo.{name} SET Balance += 1 WHERE Id = @Key;
            SET @Key += 1;
            SET @i += 1;
        END"
    );
    let head = format!("dbo.usp_{name} @Count int NOT NULL, @Key int NOT NULL");
    let text = match kind {
        TableKind::Inmem => native_procedure(&head, &body),
        TableKind::Disk | TableKind::Cached => {
            ordinary_procedure(&head, &format!("BEGIN TRANSACTION;\n{body}\nCOMMIT;"))
        }
    };
    connection.execute(&text)?;
    Ok(())
}

/// Updates a second.
fn measure(
    connection: &mut Connection,
    table: Table,
    options: &Options,
) -> Result<f64, BenchError> {
    let Options { rows, rounds, updates_per_transaction: step } = *options;
    let batch = format!(
        "DECLARE @Round int = 0, @Key int, @Now int; \
         WHILE @Round < {rounds} BEGIN \
         SET @Key = 0; \
         WHILE @Key < {rows} BEGIN \
         SET @Now = IIF({rows} - @Key < {step}, {rows} - @Key, {step}); \
         EXEC dbo.usp_{} @Now, @Key; SET @Key += @Now END; SET @Round += 1 END",
        table.name()
    );
    let begin = Instant::now();
    connection.execute(&batch)?;
    Ok(f64::from(rows) * f64::from(rounds) / begin.elapsed().as_secs_f64())
}

/// Every row has been updated as often as asked for, and each old version is in the history.
fn check_rows(
    connection: &mut Connection,
    table: Table,
    options: &Options,
    run: usize,
) -> Result<(), BenchError> {
    let (name, rows) = (table.name(), i64::from(options.rows));
    let each = i64::from(options.rounds) * run as i64;
    let query = format!("SELECT COUNT_BIG(*), MIN(Balance), MAX(Balance) FROM dbo.{name}");
    check("rows, least and most updates", numbers(connection, &query)?, [rows, each, each])?;
    if table.versioned {
        let query = format!("SELECT COUNT_BIG(*), SUM(Balance) FROM dbo.{name}_history");
        let expected = [rows * each, rows * (each * (each - 1) / 2)];
        check("old versions and their balances", numbers(connection, &query)?, expected)?;
    }
    Ok(())
}
