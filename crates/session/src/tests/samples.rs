//! The samples: installed whole, every check of theirs is passed.

use env::sim::SimEnv;

use crate::testing::TestServer;

macro_rules! scripts {
    ($folder:literal: $($script:literal)*) => {
        &[$(($script, include_str!(concat!("../../../../samples/", $folder, "/", $script, ".sql")))),*]
    };
}

/// 2026-06-01, behind all that happens in the samples: units of 100 ns.
const NOW_TICKS: u64 = 739_767 * 86_400 * 10_000_000;

/// The first run of a sample takes more stack than a test's thread has.
const STACK_BYTES: usize = 64 << 20;

/// Runs scripts. Returns how many checks they have passed.
fn passed(scripts: &'static [(&'static str, &'static str)]) -> usize {
    let run = move || {
        let sim = SimEnv::new(1);
        sim.clock().set_utc_ticks(NOW_TICKS);
        let server = TestServer::with(&sim, |_| ());
        let mut passed = 0;
        for (name, script) in scripts {
            let answer = server.session().script(script);
            let wrong = answer.lines().filter(|line| {
                // Severity 10 informs; what fails is an error, or a check that says so.
                line.contains("|failed") || line.starts_with("Msg ") && !line.contains("Level 10")
            });
            assert_eq!(wrong.collect::<Vec<_>>(), [""; 0], "{name}");
            passed += answer.lines().filter(|line| line.ends_with("|passed")).count();
        }
        passed
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[test]
fn adventureworks_is_whole() {
    let checks = passed(scripts!("adventureworks-full":
        "1-database" "2-xml-schemas" "3-tables" "4-people" "5-products" "6-sales" "7-modules"
        "8-descriptions" "9-check" "extra-xml-indexes" "extra-spatial-index" "extra-ddl-trigger"));
    assert!(checks >= 52, "{checks} checks");
}

#[test]
fn fernhill_is_whole() {
    let checks = passed(scripts!("fernhill":
        "1-database" "2-tables" "3-data" "4-modules" "5-check" "extra-territories" "extra-masks"));
    assert!(checks >= 41, "{checks} checks");
}
