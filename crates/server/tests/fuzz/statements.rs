//! Sessions with random expressions, changed scripts, structure without bounds, or compiled bodies.

use testkit::hostile::Source;
use testkit::rng::Rng;
use tools::client::Connection;

use crate::expressions::{aggregate, condition, expression, one, value, window};
use crate::harness::{Session, Target};
use crate::{mutation, native, structure};

/// Statements of a session.
const STATEMENTS: u64 = 25;

/// Connects, and makes the database and table of a client's sessions, if they are not there.
fn prepare(target: &Target, client: usize) -> Result<Connection, String> {
    let options = target.server.options();
    let mut connection = target.connect_with(&options).map_err(|e| e.to_string())?;
    for text in [
        format!("IF DB_ID('fuzz{client}') IS NULL CREATE DATABASE fuzz{client}"),
        format!("USE fuzz{client}; SET LOCK_TIMEOUT 2000"),
        "IF OBJECT_ID('t') IS NULL CREATE TABLE t (i int IDENTITY PRIMARY KEY, b bigint, v varchar(40), \
         n nvarchar(max), d datetime2, f float, m money, x varbinary(100))"
            .into(),
        "IF OBJECT_ID('versions') IS NULL CREATE TABLE versions (i int PRIMARY KEY, v nvarchar(100) MASKED WITH (FUNCTION = 'partial(1, \"..\", 1)'), \
         a datetime2 GENERATED ALWAYS AS ROW START NOT NULL, b datetime2 GENERATED ALWAYS AS ROW END NOT NULL, \
         PERIOD FOR SYSTEM_TIME (a, b)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.older))"
            .into(),
        format!("ALTER DATABASE fuzz{client} SET CHANGE_TRACKING = ON"),
        "IF NOT EXISTS (SELECT 1 FROM sys.change_tracking_tables) \
         ALTER TABLE versions ENABLE CHANGE_TRACKING WITH (TRACK_COLUMNS_UPDATED = ON)"
            .into(),
        "IF USER_ID('reader') IS NULL CREATE USER reader WITHOUT LOGIN; GRANT SELECT, VIEW CHANGE TRACKING ON versions TO reader".into(),
        "IF NOT EXISTS (SELECT 1 FROM t) INSERT t (b, v, n, d, f, m, x) VALUES \
         (1, 'a', N'é', '2024-02-29', 1.5, 2.25, 0x01), (NULL, NULL, NULL, NULL, NULL, NULL, NULL), \
         (-9223372036854775808, '', N'', '0001-01-01', -1e308, -922337203685477.5808, 0x)"
            .into(),
    ] {
        // Another session's statements may have made the database unfit for this; then errors are
        // what is tested.
        let _ = connection.execute(&text);
    }
    Ok(connection)
}

fn statement(rng: &mut Rng) -> String {
    let depth = rng.between(1, 4) as u32;
    match rng.between(0, 16) {
        0..=8 => format!("SELECT TOP 3 {} FROM t", expression(rng, depth)),
        9 if rng.between(0, 2) == 0 => {
            let (mode, value) = (one(rng, &["AUTO", "PATH"]), expression(rng, depth));
            format!("SELECT i, {value} AS e FROM t WHERE {} FOR JSON {mode}", condition(rng, 1))
        }
        9 => format!("SELECT i FROM t WHERE {}", condition(rng, depth)),
        10 => format!("SELECT {} FROM t GROUP BY {}", aggregate(rng, depth), expression(rng, 1)),
        11 => format!("SELECT {} FROM t ORDER BY {}", window(rng), expression(rng, 1)),
        12 => {
            let column = one(rng, &["b", "v", "n", "d", "f", "m", "x"]);
            format!(
                "UPDATE t SET {column} = {} WHERE {}",
                expression(rng, depth),
                condition(rng, 1)
            )
        }
        13 => {
            let values: Vec<String> = (0..7).map(|_| value(rng)).collect();
            let end = if rng.between(0, 2) == 0 { "ROLLBACK" } else { "COMMIT" };
            format!(
                "BEGIN TRAN; INSERT t (b, v, n, d, f, m, x) SELECT TOP 3 {} FROM t; {end}",
                values.join(", ")
            )
        }
        14 => format!(
            "DECLARE @a sql_variant = {}; SELECT @a, SQL_VARIANT_PROPERTY(@a, 'BaseType')",
            expression(rng, 1)
        ),
        _ => format!(
            "SET ANSI_WARNINGS OFF; SET ARITHABORT OFF; SELECT {} FROM t; SET ANSI_WARNINGS ON; SET ARITHABORT ON",
            expression(rng, depth)
        ),
    }
}

/// A statement about rows of other times, and rows that have changed.
fn versions(rng: &mut Rng) -> String {
    const TIMES: &[&str] = &[
        "NULL",
        "'0001-01-01'",
        "'9999-12-31T23:59:59.9999999'",
        "@now",
        "@before",
        "'2024-02-30'",
        "'x'",
        "N''",
        "'2024-01-01T00:00:00.1234567+02:00'",
    ];
    const VERSIONS: &[&str] = &["NULL", "0", "-1", "1", "@version", "9223372036854775807", "'x'"];
    const DECLARE: &str = "DECLARE @now datetime2 = SYSUTCDATETIME(), \
        @before datetime2 = DATEADD(millisecond, -50, SYSUTCDATETIME()), \
        @version bigint = CHANGE_TRACKING_CURRENT_VERSION() - 3";
    let (a, b) = (one(rng, TIMES), one(rng, TIMES));
    let key = rng.between(0, 6);
    let text = match rng.between(0, 10) {
        0 => format!("INSERT versions (i, v) VALUES ({key}, {})", value(rng)),
        1 => format!("UPDATE versions SET v = {} WHERE i <= {key}", value(rng)),
        2 => format!("DELETE versions WHERE i = {key}"),
        3 => format!(
            "WITH CHANGE_TRACKING_CONTEXT ({}) UPDATE versions SET v = N'x' WHERE i = {key}",
            one(rng, &["0x01", "NULL", "@version", "0x", "'x'"])
        ),
        4 | 5 => {
            let period = match rng.between(0, 5) {
                0 => format!("AS OF {a}"),
                1 => "ALL".into(),
                2 => format!("FROM {a} TO {b}"),
                3 => format!("BETWEEN {a} AND {b}"),
                _ => format!("CONTAINED IN ({a}, {b})"),
            };
            let condition = one(rng, &["", " WHERE i = 3", " WHERE i IN (1, 2) AND v LIKE N'%a%'"]);
            format!("SELECT i, v, a FROM versions FOR SYSTEM_TIME {period}{condition}")
        }
        6 => {
            let (rows, version) = (value(rng), one(rng, VERSIONS));
            format!(
                "SELECT c.*, CHANGE_TRACKING_IS_COLUMN_IN_MASK({rows}, c.SYS_CHANGE_COLUMNS) \
                 FROM CHANGETABLE(CHANGES versions, {version}) c LEFT JOIN versions v ON v.i = c.i"
            )
        }
        7 => format!("SELECT c.* FROM CHANGETABLE(VERSION versions, (i), ({})) c", value(rng)),
        8 => format!("SELECT CHANGE_TRACKING_MIN_VALID_VERSION({}), @version", value(rng)),
        _ => format!(
            "EXECUTE AS USER = 'reader'; SELECT i, v, UPPER(v), MAX(v) OVER () FROM versions \
             FOR SYSTEM_TIME AS OF {a}; REVERT"
        ),
    };
    format!("{DECLARE}; {text}")
}

/// A session with documents, trees, texts of many languages, and rows of other times.
fn newer(target: &Target, session: &mut Session) -> Result<(), String> {
    let mut connection = prepare(target, session.client)?;
    for _ in 0..STATEMENTS {
        let rng = &mut session.rng;
        let text = match rng.between(0, 5) {
            0 => versions(rng),
            1 => {
                let mut source = Source { rng, other: &value };
                let (a, b) = (source.expression(), source.expression());
                format!("SELECT TOP 3 {a}, {b} FROM t WHERE {a} = {b} ORDER BY {b}")
            }
            _ => Source { rng, other: &value }.statement(),
        };
        if !session.send(&mut connection, &text)? {
            return Ok(());
        }
    }
    Ok(())
}

fn session(target: &Target, session: &mut Session) -> Result<(), String> {
    let mut connection = prepare(target, session.client)?;
    for _ in 0..STATEMENTS {
        let text = statement(&mut session.rng);
        if !session.send(&mut connection, &text)? {
            return Ok(());
        }
    }
    Ok(())
}

#[test]
fn every_function_survives_awkward_arguments() {
    Target::start("fuzz-functions", 3_000).run(session);
}

#[test]
fn documents_and_rows_of_other_times_survive_awkward_queries() {
    Target::start("fuzz-documents", 1_500).run(newer);
}

#[test]
fn changed_scripts_do_no_harm() {
    let scripts = mutation::scripts();
    Target::start("fuzz-scripts", 2_000).run(|target, session| {
        let mut connection = prepare(target, session.client)?;
        for batch in mutation::batches(&mut session.rng, &scripts) {
            if !session.send(&mut connection, &batch)? {
                connection = prepare(target, session.client)?;
            }
        }
        Ok(())
    });
}

#[test]
fn structure_without_bounds_is_refused_or_answered() {
    Target::start("fuzz-structure", 150).run(|target, session| {
        let mut connection = prepare(target, session.client)?;
        let text = structure::statement(&mut session.rng);
        session.send(&mut connection, &text).map(|_| ())
    });
}

#[test]
fn compiled_bodies_do_what_they_say_or_fail() {
    Target::start("fuzz-native", 300).run(|target, session| {
        let mut connection = prepare(target, session.client)?;
        native::session(session, &mut connection)
    });
}
