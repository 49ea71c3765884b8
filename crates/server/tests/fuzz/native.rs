//! Bodies of natively compiled modules.

use testkit::hostile::Source;
use testkit::rng::Rng;
use tools::client::Connection;

use crate::expressions::{TYPES, condition, expression, one, value};
use crate::harness::Session;

const TABLES: [&str; 3] = [
    "IF NOT EXISTS (SELECT 1 FROM sys.filegroups WHERE type = 'FX') \
     EXEC('ALTER DATABASE CURRENT ADD FILEGROUP mem CONTAINS MEMORY_OPTIMIZED_DATA')",
    "IF NOT EXISTS (SELECT 1 FROM sys.database_files WHERE name = 'mem') \
     EXEC('ALTER DATABASE CURRENT ADD FILE (NAME = ''mem'', FILENAME = ''mem'') TO FILEGROUP mem')",
    "IF OBJECT_ID('h') IS NULL CREATE TABLE dbo.h (i int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 100), \
     b bigint INDEX ib NONCLUSTERED, v varchar(40), n nvarchar(max), d datetime2, f float, m money, x varbinary(100)) \
     WITH (MEMORY_OPTIMIZED = ON)",
];

fn statement(rng: &mut Rng, depth: u32) -> String {
    let value = |rng: &mut Rng| match rng.once_in(3) {
        true => Source { rng, other: &value }.native_expression(),
        false => expression(rng, 2),
    };
    match rng.between(0, 11) {
        0 => format!("SET @a = TRY_CAST({} AS int);", value(rng)),
        1 => format!("SET @s = TRY_CAST({} AS nvarchar(max));", value(rng)),
        2 if depth > 0 => format!(
            "IF {} BEGIN {} END ELSE BEGIN {} END;",
            condition(rng, 1),
            statement(rng, depth - 1),
            statement(rng, depth - 1)
        ),
        3 if depth > 0 => format!(
            "SET @k = 0; WHILE @k < {} BEGIN SET @k += 1; {} END;",
            rng.between(0, 20),
            statement(rng, depth - 1)
        ),
        4 => format!(
            "INSERT dbo.h (i, b, v, d) VALUES (@a, {}, @s, {});",
            expression(rng, 1),
            expression(rng, 1)
        ),
        5 => format!("UPDATE dbo.h SET b = {} WHERE {};", value(rng), condition(rng, 1)),
        6 => format!("DELETE dbo.h WHERE {};", condition(rng, 1)),
        7 => format!("SELECT TOP 3 {}, i FROM dbo.h WHERE {};", value(rng), condition(rng, 1)),
        8 => format!("SELECT @a = {} FROM dbo.h WHERE i = @a;", value(rng)),
        9 => format!("SELECT b, COUNT(*), MAX({}) FROM dbo.h GROUP BY b ORDER BY b;", value(rng)),
        _ => format!(
            "BEGIN TRY {} END TRY BEGIN CATCH SET @s = ERROR_MESSAGE(); END CATCH;",
            if depth > 0 { statement(rng, depth - 1) } else { "THROW 50001, 'x', 1;".into() }
        ),
    }
}

/// Makes a procedure, calls it with several arguments, and drops it.
pub fn session(session: &mut Session, connection: &mut Connection) -> Result<(), String> {
    for text in TABLES {
        let _ = connection.execute(text); // there already, mostly
    }
    let ty = one(&mut session.rng, TYPES);
    let count = session.rng.between(1, 8);
    let body: Vec<String> = (0..count).map(|_| statement(&mut session.rng, 2)).collect();
    let create = format!(
        "CREATE OR ALTER PROCEDURE dbo.np @a int, @p {ty} WITH NATIVE_COMPILATION, SCHEMABINDING AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') \
         DECLARE @s nvarchar(max) = N'', @k int = 0; {} END",
        body.join(" ")
    );
    let mut is_open = session.send(connection, &create)?;
    for argument in ["1", "NULL", "2147483647", "-1"] {
        if is_open {
            is_open = session.send(connection, &format!("EXEC dbo.np {argument}, {argument}"))?;
        }
    }
    Ok(())
}
