//! Benchmarks, the demo and reports run, check their answers and print their figures.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

use std::path::Path;
use std::process::{Command, Stdio};

use env::sim::wait_until;
use tools::client::Connection;
use tools::local::{DataDir, LocalServer};
use tools::order_processing::data::Data;
use tools::order_processing::{self, Tables};

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
fn reading_and_writing_of_json_are_measured_beside_a_library() {
    let flags = "--largest-kb 100 --read-kb 200 --repetitions 2 --runs 1 --json";
    let figures = figures_of("json", flags);
    for part in ["1_kb_isjson", "100_kb_json_value", "for_json"] {
        assert!(figures.iter().any(|name| *name == format!("{part}_ratio")), "{figures:?}");
    }
    assert!(figures.iter().any(|name| name == "list_time_ratio"), "{figures:?}");
}

#[test]
fn updates_of_versioned_tables_are_measured_beside_plain_ones() {
    let flags = "--rows 300 --rounds 2 --updates-per-transaction 70 --runs 2 --json";
    let figures = figures_of("temporal", flags);
    let expected = [
        "disk_plain_updates_per_s",
        "disk_temporal_updates_per_s",
        "disk_cost",
        "inmem_plain_updates_per_s",
        "inmem_temporal_updates_per_s",
        "inmem_cost",
    ];
    assert_eq!(figures, expected);
}

#[test]
fn reads_under_policies_are_measured_beside_plain_ones() {
    let flags = "--rows 100 --lookups 200 --scans 2 --runs 1 --json";
    let figures = figures_of("row-security", flags);
    let expected = [
        "disk_plain_lookups_per_s",
        "disk_plain_scanned_rows_per_s",
        "disk_guarded_lookups_per_s",
        "disk_guarded_scanned_rows_per_s",
        "disk_lookup_cost",
        "disk_scan_cost",
        "inmem_plain_lookups_per_s",
        "inmem_plain_scanned_rows_per_s",
        "inmem_guarded_lookups_per_s",
        "inmem_guarded_scanned_rows_per_s",
        "inmem_lookup_cost",
        "inmem_scan_cost",
    ];
    assert_eq!(figures, expected);
}

#[test]
fn for_xml_is_measured_beside_string_agg() {
    let figures = figures_of("for-xml", "--rows 100 --repetitions 2 --runs 1 --json");
    assert_eq!(figures, ["for_xml_path", "string_agg", "for_xml_path_ratio"]);
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
fn order_processing_is_measured_on_every_kind_of_tables() {
    for table in ["inmem", "ondisk", "rowcache"] {
        let flags =
            format!("--table {table} --connections 25 --seconds 1 --think-ms 5 --runs 1 --json");
        let figures = figures_of("order-processing", &flags);
        let begin = ["loaded_rows_per_s", "transactions_per_s", "server_cpu_us", "driver_cpu_us"];
        assert_eq!(figures[..4], begin, "{table}");
        assert!(figures.iter().any(|name| name == "FulfillOrders_p99_ms"), "{figures:?}");
    }
}

/// The program loads the same rows as the sample's script inserts.
#[test]
fn order_processing_has_the_data_of_its_script() {
    let dir = DataDir::temporary("tools").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_thermocline"));
    let server = LocalServer::start_program(program, dir.path(), &[]).unwrap();
    let data = Data::new(1);
    for database in ["Loaded", "Filled"] {
        order_processing::install(&server.options(), database, Tables::Ondisk, &data).unwrap();
    }
    let loaded = server.options().with_database("Loaded");
    order_processing::load(&loaded, &data, 2).unwrap();
    order_processing::fill(&server.options(), "Filled", &data).unwrap();
    let mut connection = Connection::connect(&loaded).unwrap();
    for table in ["Customer", "Products", "Purchase_Criteria", "Orders", "OrderLines"] {
        for [one, other] in [["Loaded", "Filled"], ["Filled", "Loaded"]] {
            let query =
                format!("SELECT * FROM {one}.dbo.{table} EXCEPT SELECT * FROM {other}.dbo.{table}");
            let rows = connection.query(&query).unwrap().rows;
            assert!(rows.is_empty(), "{one} alone has in {table}: {:?}", rows[0]);
        }
        let counts = connection
            .query(&format!("SELECT COUNT(*) FROM dbo.{table} HAVING COUNT(*) > 9999"))
            .unwrap();
        assert_eq!(counts.rows.len(), 1, "{table} has rows");
    }
    server.stop().unwrap();
}

#[test]
fn an_interrupt_or_a_request_to_end_leaves_nothing_behind() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let place = DataDir::temporary("interrupted").unwrap();
        let left = || std::fs::read_dir(place.path()).unwrap().count();
        let mut bench = Command::new(env!("CARGO_BIN_EXE_thermocline"))
            .args(["bench", "order-processing", "--seconds", "600"])
            .env("TMPDIR", place.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Its data and its server's log.
        wait_until("the benchmark has begun", || left() >= 2);
        let status = Command::new("kill").args([signal, &bench.id().to_string()]).status().unwrap();
        assert!(status.success());
        assert_eq!(bench.wait().unwrap().code(), Some(code));
        assert_eq!(left(), 0);
    }
}

#[test]
fn a_report_has_published_figures_beside_ours() {
    let out = DataDir::temporary("report").unwrap();
    let directory = out.path().to_str().unwrap();
    let text = output_of(&["report", "002", "--out", directory]);
    for part in ["002 Order processing", "published, physical host", "358,000", "FulfillOrders"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let page = std::fs::read_to_string(out.path().join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("358,000"));
    let json = std::fs::read_to_string(out.path().join("report.json")).unwrap();
    assert!(json.contains(r#""source": "002""#), "{json}");
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
