//! Single-row updates a second in a natively compiled loop, of a table with three indexes; no key
//! changes.

use std::time::Instant;

use super::database::{check, create, native_procedure, numbers};
use super::keys::{ROWS, STEP};
use super::{BenchError, Figure, accounts};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// How often each of the million rows is updated in a run.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=2000))]
    rounds: u32,
    /// Updates in one call, which is one transaction.
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    updates_per_call: u32,
    /// Use a durable table instead of a schema-only one.
    #[arg(long)]
    durable: bool,
}

const PUBLISHED: &str =
    "published for SAP ASE 16: 845,070/s by 250 clients on 64 engines, rows of their own";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "UpdateHot")?;
    let durability = if options.durable { "SCHEMA_AND_DATA" } else { "SCHEMA_ONLY" };
    accounts::create(&mut connection, durability)?;
    let body = format!(
        "DECLARE @i int NOT NULL = 0;
        WHILE @i < @Count
        BEGIN
            {STEP}
            UPDATE dbo.Accounts SET Balance += @Key, Updates += 1 WHERE AccountID = @Key;
            SET @i += 1;
        END"
    );
    let head = "dbo.usp_Update @Count int NOT NULL, @Key int OUTPUT";
    connection.execute(&native_procedure(head, &body))?;
    let mut rate = Figure::new("update-hot", "updates_per_s", "1/s").published(PUBLISHED);
    for run in 1..=runs {
        rate.values.push(measure(&mut connection, options)?);
        let each = i64::from(options.rounds) * run as i64;
        let found = numbers(
            &mut connection,
            "SELECT COUNT_BIG(*), SUM(Balance), MIN(Updates), MAX(Updates) FROM dbo.Accounts",
        )?;
        let n = i64::from(ROWS);
        let expected = [n, n * (n - 1) / 2 * each, each, each];
        check("rows, balance, least and most updates", found, expected)?;
    }
    drop(connection);
    server.stop()?;
    Ok(vec![rate])
}

fn measure(connection: &mut Connection, options: &Options) -> Result<f64, BenchError> {
    let updates = options.rounds * ROWS;
    let batch = format!(
        "DECLARE @Key int = 0, @Left int = {updates}, @Now int; \
         WHILE @Left > 0 BEGIN \
         SET @Now = IIF(@Left < {now}, @Left, {now}); \
         EXEC dbo.usp_Update @Now, @Key OUTPUT; SET @Left -= @Now END",
        now = options.updates_per_call
    );
    let begin = Instant::now();
    connection.execute(&batch)?;
    Ok(f64::from(updates) / begin.elapsed().as_secs_f64())
}
