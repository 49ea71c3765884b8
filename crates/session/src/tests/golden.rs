//! The scripts of `tests/sql`, with what is expected of them.

use engine::cold::rowcache::TableStats;
use testkit::golden;

use crate::testing::{TestServer, scripts};

/// As much stack as statements may have: a test's thread has less.
const STACK_BYTES: usize = 64 << 20;

#[test]
fn golden_scripts_are_answered_as_expected() {
    let scripts = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(all_scripts).unwrap();
    if let Err(panic) = scripts.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Scripts that show times, which pass while rows sink, the row caches of all databases, or plans
/// that depend on what has sunk.
const SHOW_WHAT_SINKS: [&str; 5] = [
    "ase-row-cache",
    "execution-statistics",
    "indexed-views-plans",
    "temporal-plans",
    "xml-index-values",
];

fn all_scripts() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for script in scripts::all() {
        if scripts::everything_sinks() && SHOW_WHAT_SINKS.contains(&&*script.name) {
            continue;
        }
        let answers = script.answers(&server);
        wrong.extend(golden::differences(&script.expected, &answers, scripts::SEPARATOR));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if scripts::everything_sinks() {
        let databases = server.instance.databases().engine().databases();
        let sunk = databases.iter().filter_map(|database| database.sink_stats());
        let rows: u64 = sunk.map(|stats| stats.rows).sum();
        assert!(rows > 100, "{rows} rows have left memory");
        let tables = databases.iter().flat_map(|database| database.manager().tables().all());
        let cached = tables.filter_map(|table| table.cold()?.row_cache_stats());
        let hits = |stats: TableStats| stats.indexes.iter().map(|index| index.hits).sum::<u64>();
        let hits: u64 = cached.map(hits).sum();
        assert!(hits > 100, "{hits} look-ups have found copies");
    }
}
