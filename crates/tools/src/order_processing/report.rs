//! What a run has done, for people.

use std::fmt::Write as _;

use super::{Kind, Loaded, Run, Tally, Wrong};
use crate::stress::{grouped, short};

/// What was loaded, into a server that takes so many bytes now.
pub fn loaded(loaded: &Loaded, server_bytes: Option<u64>) -> String {
    let (rows, rate) = (grouped(loaded.rows), grouped(loaded.rows_per_s() as u64));
    let memory = server_bytes.unwrap_or(0) >> 20;
    format!("{rows} rows loaded in {}, {rate} a second; {memory} MB", short(loaded.time))
}

/// A run as a table like the one that was published.
pub fn table(run: &Run) -> String {
    let all = run.tally.all_times();
    let count = all.count().max(1) as f64;
    let mut out = format!(
        "{:<26}{:>12}{:>10}{:>8}{:>10}{:>10}{:>10}{:>10}\n",
        "transaction", "count", "1/s", "share", "mean", "p50", "p95", "p99"
    );
    let kinds = Kind::ALL.map(|kind| (kind.name(), &run.tally.times[kind as usize]));
    for (name, times) in kinds.into_iter().chain([("all", &all)]) {
        let per_s = times.count() as f64 / run.elapsed.as_secs_f64().max(1e-9);
        let share = format!("{:.1} %", 100.0 * times.count() as f64 / count);
        let [mean, p50, p95, p99] =
            [times.mean(), times.quantile(0.5), times.quantile(0.95), times.quantile(0.99)]
                .map(short);
        let transactions = grouped(times.count());
        writeln!(
            out,
            "{name:<26}{transactions:>12}{per_s:>10.0}{share:>8}{mean:>10}{p50:>10}{p95:>10}{p99:>10}"
        )
        .expect("strings take everything");
    }
    let us = |time: Option<f64>| time.map_or("?".into(), |us| format!("{us:.1}"));
    let mb = |bytes: Option<u64>| bytes.map_or("?".into(), |bytes| grouped(bytes >> 20));
    if run.tally.conflicts > 0 {
        let conflicts = grouped(run.tally.conflicts);
        writeln!(out, "calls that have met others and were made again: {conflicts}")
            .expect("strings take everything");
    }
    writeln!(
        out,
        "processor time of a transaction: server {} us, clients {} us; memory of the server {} MB, \
         of it {} MB for connections, which took {} to make",
        us(run.server_us()),
        us(run.driver_us()),
        mb(run.server_bytes),
        mb(run.connection_bytes),
        short(run.connecting)
    )
    .expect("strings take everything");
    out
}

/// What is known of a run that ended early.
pub fn ended(wrong: &Wrong, tally: &Tally) -> String {
    let unknown: u64 = tally.unknown.iter().sum();
    let wrong = match wrong {
        Wrong::Client(error) => error.to_string(),
        Wrong::Answer(what) => what.clone(),
    };
    format!(
        "{wrong}\n{} transactions were acknowledged, {} of them new orders; of {unknown} others, {} \
         of them new orders, the answer never came",
        grouped(tally.transactions()),
        grouped(tally.placed.len() as u64),
        tally.unknown[Kind::Insert as usize]
    )
}
