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

/// The names of the figures that a benchmark prints with `--json`.
fn figures_of(bench: &str, flags: &str) -> Vec<String> {
    let arguments: Vec<&str> =
        ["bench", bench].into_iter().chain(flags.split_whitespace()).collect();
    let out = output_of(&arguments);
    let begin = format!(r#"{{"bench":"{bench}","figure":""#);
    let name = |line: &str| {
        let rest = line.strip_prefix(&begin).unwrap_or_else(|| panic!("{line}"));
        rest.split('"').next().unwrap().to_owned()
    };
    out.lines().map(name).collect()
}

#[test]
fn hot_rows_are_measured_in_all_parts() {
    let flags =
        "--rows 20000 --memory-mb 256 --seconds 1 --indexes 3 --row-cache off --runs 1 --json";
    let figures = figures_of("hot-set", flags);
    let rates: Vec<&str> = figures.iter().filter_map(|name| name.strip_suffix("_per_s")).collect();
    let parts = [
        "load_rows",
        "warming",
        "filling",
        "skewed",
        "mixed",
        "uniform",
        "before_scan",
        "during_scan",
        "after_scan",
        "moved",
        "restarted",
    ];
    assert_eq!(rates, parts);
    assert!(figures.iter().any(|name| name == "skewed_resident"), "{figures:?}");
}

#[test]
fn kinds_of_tables_are_compared_in_inserts_updates_and_joins() {
    let flags = "--kinds disk,inmem --parts inserts,updates,join --connections 3 --disk-table-memory-mb 0 --seconds 1 \
                 --join-rows 20000 --joins 1 --runs 1 --json";
    let parts = ["inserts_by_10_per_s", "updates_by_10_per_s", "join_outer_rows_per_s"];
    let of_kinds = parts.iter().flat_map(|part| [format!("disk_{part}"), format!("inmem_{part}")]);
    assert_eq!(figures_of("row-cache", flags), of_kinds.collect::<Vec<_>>());
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
