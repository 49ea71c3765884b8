//! What must hold whatever the values are, asked of random ones: each law is a query for the rows
//! that break it.
//!
//! `THERMOCLINE_SEED` and `THERMOCLINE_SEEDS` say which values are tried and how often.

mod rows;
mod values;

use testkit::hostile::Source;
use testkit::rng::Rng;

use crate::testing::{TestServer, TestSession};

/// Asks for what breaks each law. A query that fails breaks its law, too.
fn hold(session: &mut TestSession<'_>, seed: u64, laws: &[&str]) {
    for law in laws {
        let answer = session.run(law);
        assert!(answer.ends_with("(0 rows)"), "seed {seed}: {law}\n{answer}");
    }
}

/// Makes a temporary table of a number and some values; an expression that fails is left out.
fn fill(session: &mut TestSession<'_>, table: &str, ty: &str, values: &[String]) {
    session.run(&format!("drop table if exists {table}"));
    session.run(&format!("create table {table} (i int identity primary key, v {ty})"));
    for value in values {
        session.run(&format!("insert {table} (v) values ({value})"));
    }
}

fn written(rng: &mut Rng, count: usize, write: impl Fn(&mut Source<'_>) -> String) -> Vec<String> {
    let nothing = |_: &mut Rng| "NULL".to_owned();
    let mut source = Source { rng, other: &nothing };
    (0..count).map(|_| write(&mut source)).collect()
}
