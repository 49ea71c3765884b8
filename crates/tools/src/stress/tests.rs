//! Runs against a scripted server.

use super::*;
use crate::client::Encrypt;
use crate::testing::{serve, usual};

fn run_with(arguments: &[&str]) -> Result<Tally, String> {
    let options = serve(usual);
    let mut all = vec![OsString::from(format!("-S{}", options.address))];
    all.extend(arguments.iter().map(OsString::from));
    let Ok(Asked::Run(mut flags)) = flags::parse(&all) else { panic!("{arguments:?}") };
    flags.connect.encrypt = Encrypt::Never;
    run(&flags)
}

#[test]
fn every_connection_runs_every_iteration() {
    let tally = run_with(&["-n10", "-r50", "-q", "-QSELECT 5"]).unwrap();
    assert_eq!((tally.iterations, tally.batches, tally.rows), (500, 500, 500));
    assert_eq!((tally.error_count(), tally.times.count()), (0, 500));
    let tally = run_with(&["-n2", "-r3", "-QSELECT 5\nGO 2\ninsert\nGO"]).unwrap();
    assert_eq!((tally.iterations, tally.batches, tally.rows), (6, 18, 12));
    assert_eq!(tally.affected, 12);
}

#[test]
fn errors_are_counted_by_number() {
    let tally = run_with(&["-n3", "-r4", "-Qfail"]).unwrap();
    assert_eq!(tally.errors[&50_001].count, 12);
    assert_eq!(tally.errors[&50_001].first, "line 3: No.");
    assert_eq!(tally.iterations, 12);
    let tally = run_with(&["-n3", "-r4", "-b", "-Qfail"]).unwrap();
    assert_eq!((tally.errors[&50_001].count, tally.iterations), (3, 3));
    let tally = run_with(&["-n2", "-r3", "-Qdie"]).unwrap();
    assert_eq!((tally.errors[&596].count, tally.failures, tally.iterations), (6, 0, 6));
}

#[test]
fn connections_with_threads_of_their_own_do_the_same() {
    let limited = |arguments: &[&str]| run_with(&[&["-t60"], arguments].concat()).unwrap();
    let tally = limited(&["-n2", "-r3", "-QSELECT 5\nGO 2\ninsert\nGO"]);
    assert_eq!((tally.iterations, tally.batches, tally.rows), (6, 18, 12));
    let tally = limited(&["-n3", "-r4", "-b", "-Qfail"]);
    assert_eq!((tally.errors[&50_001].count, tally.iterations), (3, 3));
    let tally = limited(&["-n2", "-r3", "-Qdie"]);
    assert_eq!((tally.errors[&596].count, tally.failures), (6, 0));
}

#[test]
fn a_run_may_end_by_time() {
    let tally = run_with(&["-n3", "--seconds", "1", "-QSELECT 5"]).unwrap();
    assert!(tally.iterations > 0 && tally.error_count() == 0);
}

#[test]
fn late_batches_are_failures_and_the_run_goes_on() {
    let tally = run_with(&["-r2", "-t1", "-Qhang"]).unwrap();
    assert_eq!((tally.failures, tally.iterations), (2, 2));
    assert_eq!(tally.first_failure.as_deref(), Some("Query timeout expired."));
}

#[test]
fn results_are_written_where_they_are_wanted() {
    let folder = std::env::temp_dir().join(format!("thermocline-stress-{}", std::process::id()));
    let output = format!("-o{}", folder.display());
    run_with(&["-n2", &output, "-QSELECT 5"]).unwrap();
    for connection in 0..2 {
        let file = folder.join(format!("query_0_{connection}.out"));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "n\n5\n");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn no_query_runs_unless_all_clients_have_connected() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("-S127.0.0.1,{}", listener.local_addr().unwrap().port());
    drop(listener);
    let all = [server.as_str(), "-n5", "-Qx"].map(OsString::from);
    let Ok(Asked::Run(flags)) = flags::parse(&all) else { panic!() };
    assert!(run(&flags).unwrap_err().contains("no connection"));
}
