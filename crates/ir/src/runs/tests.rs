use super::*;

#[test]
fn runs_are_summed_until_the_next_compilation() {
    let runs = Runs::default();
    assert_eq!(runs.statistics(), None);
    runs.compiled(5);
    for (began, ended, rows) in [(10, 17, 3), (20, 22, 0), (30, 35, 1)] {
        runs.note(began, ended, rows);
    }
    let statistics = runs.statistics().unwrap();
    assert_eq!((statistics.count, statistics.last_began_ns), (3, 30));
    assert_eq!(statistics.elapsed_ns, Measured { total: 14, last: 5, least: 2, most: 7 });
    assert_eq!(statistics.rows, Measured { total: 4, last: 1, least: 0, most: 3 });
    runs.compiled(40);
    assert_eq!(runs.statistics(), None);
    runs.note(38, 43, 9);
    let statistics = runs.statistics().unwrap();
    assert_eq!((statistics.compiled_ns, statistics.compilations), (40, 2));
    assert_eq!((statistics.last_began_ns, statistics.elapsed_ns.last), (40, 3));
    assert_eq!(statistics.rows.least, 9);
}
