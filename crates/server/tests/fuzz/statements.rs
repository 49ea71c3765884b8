//! Sessions with random expressions, changed scripts, structure without bounds, or compiled bodies.

use tools::client::Connection;

use crate::expressions::{aggregate, condition, expression, one, value, window};
use crate::harness::{Session, Target};
use crate::rng::Rng;
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
