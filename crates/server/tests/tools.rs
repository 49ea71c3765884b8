//! Benchmarks and the demo run, check their answers and print their figures.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

use std::process::Command;

/// Runs the program; what it prints.
fn output_of(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_thermocline")).args(arguments).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{out}{errors}");
    out
}

#[test]
fn native_inserts_are_measured_with_and_without_a_log() {
    let out = output_of(&["bench", "native-insert", "--rows", "2000", "--runs", "2", "--json"]);
    let lines: Vec<&str> = out.lines().collect();
    let [schema_only, durable] = lines.as_slice() else { panic!("two figures: {out}") };
    assert!(schema_only.starts_with(r#"{"bench":"native-insert","figure":"rows_per_s","value":"#));
    assert!(durable.starts_with(r#"{"bench":"native-insert","figure":"durable_rows_per_s","#));
    assert!(lines.iter().all(|line| line.ends_with(r#""runs":2}"#)), "{out}");
}

#[test]
fn the_demo_inserts_orders_in_every_way() {
    let out = output_of(&["demo", "--orders", "200", "--connections", "4"]);
    for ways in
        [["ordinary", "ordinary"], ["memory-optimized", "ordinary"], ["memory-optimized", "native"]]
    {
        let row = |line: &str| line.split_whitespace().take(2).eq(ways);
        assert!(out.lines().any(row), "{ways:?}: {out}");
    }
}
