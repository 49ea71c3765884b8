//! Loops of procedures that look up each of a million items, by a key of theirs.

use std::time::Instant;

use super::BenchError;
use super::database::{check, native_procedure, numbers, ordinary_procedure};
use super::keys::{ROWS, STEP};
use crate::client::Connection;

/// How a procedure is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Module {
    Native,
    Ordinary,
}

/// The value of the item with this key.
pub fn value_of(key: u32) -> i64 {
    i64::from(key) * 3 + 1
}

/// Makes a procedure that [`look_up`] calls. The column of the table has each number below [`ROWS`]
/// once, and the column `Value` the [`value_of`] each of them.
pub fn create_loop(
    connection: &mut Connection,
    procedure: &str,
    module: Module,
    table: &str,
    column: &str,
) -> Result<(), BenchError> {
    let head = format!("{procedure} @Count int NOT NULL, @Sum bigint OUTPUT");
    let body = format!(
        "DECLARE @i int NOT NULL = 0, @Key int NOT NULL = 0, @Value int NOT NULL = 0;
        DECLARE @Total bigint NOT NULL = 0;
        WHILE @i < @Count
        BEGIN
            {STEP}
            SELECT @Value = Value FROM {table} WHERE {column} = @Key;
            SET @Total += @Value;
            SET @i += 1;
        END;
        SET @Sum = @Total;"
    );
    connection.execute(&match module {
        Module::Native => native_procedure(&head, &body),
        Module::Ordinary => ordinary_procedure(&head, &body),
    })?;
    Ok(())
}

/// Looks up each item so many times: items a second.
pub fn look_up(
    connection: &mut Connection,
    procedure: &str,
    rounds: u32,
) -> Result<f64, BenchError> {
    let count = rounds * ROWS;
    let begin = Instant::now();
    let batch = format!("DECLARE @Sum bigint; EXEC {procedure} {count}, @Sum OUTPUT; SELECT @Sum");
    let found: [i64; 1] = numbers(connection, &batch)?;
    let elapsed = begin.elapsed();
    let sum: i64 = (0..ROWS).map(value_of).sum();
    check("the sum of all values", found, [sum * i64::from(rounds)])?;
    Ok(f64::from(count) / elapsed.as_secs_f64())
}
