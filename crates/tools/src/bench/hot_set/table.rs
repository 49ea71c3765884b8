//! The table, and what its rows must be.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use base::{SqlType, ValueRef};

use crate::bench::BenchError;
use crate::bench::database::{Sum, check, numbers};
use crate::client::{Argument, ClientError, Connection, Parameter};

/// Statements in a turn of a procedure's loop. A call has a multiple of that of rows.
pub const TURN: u32 = 8;

const ROWS_PER_STATEMENT: u32 = 20_000;
/// What columns of numbers are spread with: primes above the number of rows.
const FACTORS: [u64; 2] = [982_451_653, 961_748_941];

/// Reads columns that no index has, so the whole table.
pub const SCAN: &str =
    "SELECT COUNT_BIG(*), SUM(CAST(v AS bigint)), SUM(CAST(u AS bigint)) FROM dbo.t";
pub const SCANNED: &str = "rows, the sum of their values and that of their updates";

const LOOK_UP: &str = "SELECT @sum += v + u FROM dbo.t WHERE id = ";
const UPDATE: &str = "UPDATE dbo.t SET u += 1 WHERE id = ";

/// What is done with rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    LookUps,
    /// Look-ups and updates in turn; a call is a transaction.
    Mixed,
}

impl Work {
    fn procedure(self) -> &'static str {
        match self {
            Work::LookUps => "dbo.usp_LookUp",
            Work::Mixed => "dbo.usp_Mixed",
        }
    }

    fn is_update(self, place: usize) -> bool {
        self == Work::Mixed && place % 2 == 1
    }

    /// The procedure, which takes keys as bytes.
    fn definition(self) -> String {
        let statements: String = (0..TURN)
            .map(|place| {
                let statement = if self.is_update(place as usize) { UPDATE } else { LOOK_UP };
                format!("{statement} CAST(SUBSTRING(@keys, @i + {}, 4) AS int);\n", place * 4)
            })
            .collect();
        let (begin, end) = match self {
            Work::LookUps => ("", ""),
            Work::Mixed => ("BEGIN TRANSACTION;", "COMMIT;"),
        };
        format!(
            "CREATE PROCEDURE {} @keys varbinary(max) AS
            BEGIN
                SET NOCOUNT ON;
                DECLARE @i int = 1, @end int = DATALENGTH(@keys), @sum bigint = 0;
                {begin}
                WHILE @i < @end
                BEGIN
                    {statements}
                    SET @i += {};
                END;
                {end}
                SELECT @sum;
            END",
            self.procedure(),
            TURN * 4
        )
    }
}

pub struct Table {
    rows: u32,
    /// How often rows were updated.
    updates: HashMap<u32, i64>,
}

impl Table {
    pub fn new(rows: u32) -> Table {
        Table { rows, updates: HashMap::new() }
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The `v` of a row. Every number below `rows` comes once.
    fn value_of(&self, id: u32) -> i64 {
        (u64::from(id) * FACTORS[0] % u64::from(self.rows)) as i64
    }

    /// Makes the table and the procedures; rows a second.
    pub fn load(
        &self,
        connection: &mut Connection,
        has_other_indexes: bool,
        options: &str,
    ) -> Result<f64, BenchError> {
        let [a, b] = match has_other_indexes {
            true => [" INDEX ix_a NONCLUSTERED", " INDEX ix_b NONCLUSTERED"],
            false => [""; 2],
        };
        connection.execute(&format!(
            "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY CLUSTERED, a int NOT NULL{a}, \
             b int NOT NULL{b}, v int NOT NULL, u int NOT NULL, n char(160) NOT NULL){options}"
        ))?;
        let began = Instant::now();
        let (rows, [one, other]) = (self.rows, FACTORS);
        for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
            let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
            connection.execute(&format!(
                "INSERT INTO dbo.t (id, a, b, v, u, n) \
                 SELECT id, id * {other} % {rows}, id * {other} / 7 % {rows}, id * {one} % {rows}, \
                 0, STR(id) + REPLICATE('n', 150) \
                 FROM (SELECT CAST(value AS bigint) AS id FROM GENERATE_SERIES({first}, {last})) AS numbers"
            ))?;
        }
        let rate = f64::from(rows) / began.elapsed().as_secs_f64();
        connection.execute("CHECKPOINT")?;
        for work in [Work::LookUps, Work::Mixed] {
            connection.execute(&work.definition())?;
        }
        self.check(connection)?;
        Ok(rate)
    }

    /// What [`SCAN`] must find.
    pub fn totals(&self) -> [i64; 3] {
        let rows = i64::from(self.rows);
        [rows, rows * (rows - 1) / 2, self.updates.values().sum()]
    }

    /// Reads the whole table.
    pub fn check(&self, connection: &mut Connection) -> Result<(), BenchError> {
        check(SCANNED, numbers(connection, SCAN)?, self.totals())
    }

    /// Looks rows up, or updates some of them: how long that took.
    pub fn call(
        &mut self,
        connection: &mut Connection,
        work: Work,
        keys: &[u32],
    ) -> Result<Duration, BenchError> {
        if work == Work::LookUps {
            return self.look_up(connection, keys);
        }
        let mut expected = 0;
        for (place, &id) in keys.iter().enumerate() {
            if work.is_update(place) {
                *self.updates.entry(id).or_default() += 1;
            } else {
                expected += self.sum_of(id);
            }
        }
        run(connection, work, keys, expected)
    }

    /// Looks rows up: how long that took.
    pub fn look_up(
        &self,
        connection: &mut Connection,
        keys: &[u32],
    ) -> Result<Duration, BenchError> {
        let expected = keys.iter().map(|&id| self.sum_of(id)).sum();
        run(connection, Work::LookUps, keys, expected)
    }

    /// What a look-up of a row adds.
    fn sum_of(&self, id: u32) -> i64 {
        self.value_of(id) + self.updates.get(&id).copied().unwrap_or(0)
    }
}

/// Calls the procedure for rows, whose sum must be the expected one.
fn run(
    connection: &mut Connection,
    work: Work,
    keys: &[u32],
    expected: i64,
) -> Result<Duration, BenchError> {
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_be_bytes()).collect();
    let keys_argument =
        Parameter::input("@keys", SqlType::varbinary_max(), ValueRef::Bytes(&bytes));
    let arguments = [Argument::Scalar(keys_argument)];
    let request = connection.prepare_call(work.procedure(), &arguments)?;
    let mut found = Sum::default();
    let began = Instant::now();
    let outcome = connection.run(&request, &mut found)?;
    let took = began.elapsed();
    if let Some(error) = outcome.first_error {
        return Err(ClientError::Server(error).into());
    }
    check("the sum of what was looked up", found.sum, expected)?;
    Ok(took)
}
