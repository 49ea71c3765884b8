//! A disk table several times larger than the memory of its server: loaded, read at random, in
//! ranges and by a secondary index, updated and deleted from, and found whole after a restart.
//!
//! The process's resident memory is looked at all the time. More than a tenth above the limit is an
//! error.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::database::{check, limit_memory, numbers};
use super::figures::Figures;
use super::keys::spread;
use super::watch::Watch;
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of about 220 bytes, and an index.
    #[arg(long, value_name = "N", default_value_t = 8_000_000,
          value_parser = clap::value_parser!(u32).range(10_000..=500_000_000))]
    rows: u32,
    /// `max server memory` of the server.
    #[arg(long, value_name = "N", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(128..=1_000_000))]
    memory_mb: u32,
    /// Rows that are looked up, updated and so on, each.
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    operations: u32,
}

const ROWS_PER_STATEMENT: u32 = 20_000;
/// Rows of a range that is read, and of one that is deleted.
const SCAN_ROWS: u32 = 100_000;
const DELETE_ROWS: u32 = 100;
/// What the table's numbers are spread with: a prime above the number of rows.
const FACTOR: u64 = 982_451_653;

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = Connection::connect(&server.options())?;
    limit_memory(&mut connection, options.memory_mb)?;
    connection.execute("CREATE DATABASE Larger")?;
    connection.execute("USE Larger")?;
    let mut watch = Watch::start(server.process_id(), options.memory_mb);
    let mut table = Table { rows: options.rows, seed: 1, ..Table::default() };
    let mut figures = Figures::new("larger-than-memory");

    figures.add("load_rows_per_s", "1/s", table.load(&mut connection)?);
    watch.note("load");
    table.check(&mut connection)?;
    watch.note("count");
    for _ in 0..runs {
        for step in STEPS {
            let rate = (step.run)(&mut table, &mut connection, options.operations)?;
            figures.add(step.figure, "1/s", rate);
            watch.note(step.figure);
        }
        table.check(&mut connection)?;
        watch.note("count");
    }
    figures.add("data_mb", "MB", (data.size_bytes() >> 20) as f64);
    let peak = watch.end()?;
    drop(connection);
    server.stop()?;

    let server = LocalServer::start(data.path(), &[])?;
    let mut watch = Watch::start(server.process_id(), options.memory_mb);
    let mut connection = Connection::connect(&server.options().with_database("Larger"))?;
    table.check(&mut connection)?;
    watch.note("restart");
    drop(connection);
    let peak = peak.max(watch.end()?);
    server.stop()?;
    figures.add("peak_mb", "MB", peak);
    Ok(figures.into_all())
}

/// What is done with the table in each run.
struct Step {
    figure: &'static str,
    run: fn(&mut Table, &mut Connection, u32) -> Result<f64, BenchError>,
}

const STEPS: [Step; 5] = [
    Step { figure: "lookups_per_s", run: Table::look_up },
    Step { figure: "scan_rows_per_s", run: Table::scan },
    Step { figure: "secondary_per_s", run: Table::look_up_secondary },
    Step { figure: "updates_per_s", run: Table::update },
    Step { figure: "deletes_per_s", run: Table::delete },
];

/// The table, and what has been done to it.
#[derive(Default)]
struct Table {
    rows: u32,
    seed: u32,
    /// How often rows were updated; each time their number grew by one.
    updates: HashMap<u32, i64>,
    /// First and last of what was deleted.
    deleted: Vec<(u32, u32)>,
}

impl Table {
    /// What `k`, and at first the beginning of `n`, of the row are. Every number below `rows` comes
    /// once.
    fn number_of(&self, id: u32) -> i64 {
        (u64::from(id) * FACTOR % u64::from(self.rows)) as i64
    }

    fn is_deleted(&self, id: u32) -> bool {
        self.deleted.iter().any(|&(first, last)| (first..=last).contains(&id))
    }

    /// Other rows each time, and the seed that gives them.
    fn choose(&mut self, count: u32) -> (u32, Vec<u32>) {
        self.seed += 1;
        (self.seed, spread(self.seed, self.rows).take(count as usize).collect())
    }

    fn load(&mut self, connection: &mut Connection) -> Result<f64, BenchError> {
        connection.execute(
            "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY CLUSTERED, k int NOT NULL INDEX ix_k, \
             n char(200) NOT NULL)",
        )?;
        let began = Instant::now();
        let rows = self.rows;
        for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
            let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
            connection.execute(&format!(
                "INSERT INTO dbo.t (id, k, n) SELECT id, k, STR(k) + REPLICATE('n', 190) FROM \
                 (SELECT CAST(value AS int) AS id, \
                  CAST(CAST(value AS bigint) * {FACTOR} % {rows} AS int) AS k \
                  FROM GENERATE_SERIES({first}, {last})) AS numbers"
            ))?;
        }
        Ok(f64::from(rows) / began.elapsed().as_secs_f64())
    }

    /// Counts and adds up the whole table.
    fn check(&self, connection: &mut Connection) -> Result<(), BenchError> {
        let gone: Vec<u32> = self.deleted.iter().flat_map(|&(first, last)| first..=last).collect();
        let count = i64::from(self.rows) - gone.len() as i64;
        let all = i64::from(self.rows);
        let keys = all * (all - 1) / 2 - gone.iter().map(|&id| self.number_of(id)).sum::<i64>();
        let updates = self.updates.iter().filter(|(id, _)| !self.is_deleted(**id));
        let sum = keys + updates.map(|(_, times)| times).sum::<i64>();
        let found = numbers(
            connection,
            "SELECT COUNT_BIG(*), SUM(CAST(k AS bigint)), SUM(CAST(LEFT(n, 10) AS bigint)) FROM dbo.t",
        )?;
        check("rows, the sum of their keys and of their numbers", found, [count, keys, sum])
    }

    /// What a loop over pseudo-random rows finds, summed up, and how long it took. The statement of
    /// the loop may use `@id`, and sets `@found`.
    fn in_loop(
        &self,
        connection: &mut Connection,
        seed: u32,
        count: u32,
        statement: &str,
    ) -> Result<(i64, Duration), BenchError> {
        let batch = format!(
            "SET NOCOUNT ON;
            DECLARE @x bigint = {seed}, @i int = 0, @id int, @k int, @n char(200);
            DECLARE @found bigint, @sum bigint = 0;
            WHILE @i < {count}
            BEGIN
                SET @x = (@x * 1103515245 + 12345) % 2147483648;
                SET @id = @x * {rows} / 2147483648;
                SET @found = 0;
                {statement};
                SET @sum += @found;
                SET @i += 1;
            END;
            SELECT @sum",
            rows = self.rows
        );
        let began = Instant::now();
        let [sum] = numbers(connection, &batch)?;
        Ok((sum, began.elapsed()))
    }

    fn look_up(&mut self, connection: &mut Connection, count: u32) -> Result<f64, BenchError> {
        let (seed, ids) = self.choose(count);
        let statement = "SELECT @found = LEFT(n, 10) FROM dbo.t WHERE id = @id";
        let (sum, took) = self.in_loop(connection, seed, count, statement)?;
        let there = ids.into_iter().filter(|id| !self.is_deleted(*id));
        let expected = there
            .map(|id| self.number_of(id) + self.updates.get(&id).copied().unwrap_or(0))
            .sum::<i64>();
        check("the sum of what was looked up", sum, expected)?;
        Ok(f64::from(count) / took.as_secs_f64())
    }

    fn look_up_secondary(
        &mut self,
        connection: &mut Connection,
        count: u32,
    ) -> Result<f64, BenchError> {
        let (seed, ids) = self.choose(count);
        let statement = format!(
            "SET @k = CAST(@id AS bigint) * {FACTOR} % {}; \
             SELECT @found = id, @n = n FROM dbo.t WHERE k = @k",
            self.rows
        );
        let (sum, took) = self.in_loop(connection, seed, count, &statement)?;
        let there = ids.into_iter().filter(|id| !self.is_deleted(*id));
        let expected = there.map(i64::from).sum::<i64>();
        check("the sum of what was looked up by k", sum, expected)?;
        Ok(f64::from(count) / took.as_secs_f64())
    }

    /// As many ranges as have `count` times ten rows.
    fn scan(&mut self, connection: &mut Connection, count: u32) -> Result<f64, BenchError> {
        let length = SCAN_ROWS.min(self.rows);
        let ranges = (count.saturating_mul(10) / length).max(1);
        let (_, firsts) = self.choose(ranges);
        let began = Instant::now();
        let mut rows = 0;
        for first in firsts {
            let last = (first + length).min(self.rows) - 1;
            let found = numbers(
                connection,
                &format!(
                    "SELECT COUNT_BIG(*), SUM(CAST(id AS bigint) + LEN(n) - 200) FROM dbo.t \
                     WHERE id BETWEEN {first} AND {last}"
                ),
            )?;
            let there = (first..=last).filter(|id| !self.is_deleted(*id));
            let expected = there.fold([0, 0], |[n, sum], id| [n + 1, sum + i64::from(id)]);
            check("rows of a range and the sum of their keys", found, expected)?;
            rows += last + 1 - first;
        }
        Ok(f64::from(rows) / began.elapsed().as_secs_f64())
    }

    fn update(&mut self, connection: &mut Connection, count: u32) -> Result<f64, BenchError> {
        let (seed, ids) = self.choose(count);
        let statement = "UPDATE dbo.t SET n = STR(CAST(LEFT(n, 10) AS bigint) + 1) + REPLICATE('u', 190) \
                         WHERE id = @id; SET @found = @@ROWCOUNT";
        let (changed, took) = self.in_loop(connection, seed, count, statement)?;
        let there = ids.into_iter().filter(|id| !self.is_deleted(*id)).collect::<Vec<_>>();
        check("rows that were updated", changed, there.len() as i64)?;
        for id in there {
            *self.updates.entry(id).or_default() += 1;
        }
        Ok(f64::from(count) / took.as_secs_f64())
    }

    fn delete(&mut self, connection: &mut Connection, count: u32) -> Result<f64, BenchError> {
        let (_, firsts) = self.choose((count / DELETE_ROWS).max(1));
        let began = Instant::now();
        let mut deleted = 0;
        for first in firsts {
            let last = (first + DELETE_ROWS).min(self.rows) - 1;
            if self.is_deleted(first) || self.is_deleted(last) {
                continue;
            }
            let range = format!("DELETE FROM dbo.t WHERE id BETWEEN {first} AND {last}");
            let [rows] = numbers(connection, &format!("{range}; SELECT @@ROWCOUNT"))?;
            check("rows that were deleted", rows, i64::from(last + 1 - first))?;
            self.deleted.push((first, last));
            deleted += rows;
        }
        Ok(deleted as f64 / began.elapsed().as_secs_f64())
    }
}
