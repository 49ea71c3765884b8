//! Random queries over random tables.

use compile::plan::testing::generate::Generator;
use compile::plan::testing::{RunsPlans, select};
use run::interp::Frame;
use run::interp::testing::{SpillPlace, TestDatabase};

use super::{compile, seeds};

#[test]
fn random_queries_give_the_same_rows() {
    let (mut count, mut yielding) = (0, 0);
    let place = SpillPlace::new(256, 0);
    for seed in seeds(300) {
        let mut generator = Generator::new(seed, &run::func::Library);
        let mut db = TestDatabase::new();
        db.fill_tables_of(&mut generator);
        let (root, columns) = generator.node(3, &[]);
        let plan = select(root, &columns);
        let lower =
            || compile::lower::statement(&plan, Default::default()).expect("it can be lowered");
        let mut run = |compiled, spilling| {
            let unit = lower();
            if spilling {
                db.spill(0, &place.space);
            }
            if compiled {
                compile(&unit);
            }
            let ran = db.run_unit(&unit, &mut Frame::default());
            assert_eq!(db.memory_used(), 0, "seed {seed}: memory is left");
            ran.map(|(sent, outcome)| (sent.rows, sent.messages, outcome.rows))
                .map_err(|e| (e.number(), e.to_string()))
        };
        let expected = run(false, false);
        assert_eq!(run(true, false), expected, "seed {seed}\n{plan}");
        // What was spilled comes in another order, on which may depend what is found: which of two
        // strings that are equal is the least.
        assert_eq!(run(true, true), run(false, true), "seed {seed}, spilling\n{plan}");
        count += 1;
        count += 1;
        yielding += i32::from(expected.is_ok_and(|(rows, ..)| !rows.is_empty()));
    }
    assert!(yielding * 20 > count, "{yielding} of {count} yield rows");
    assert!(place.space.usage().written_bytes > 0, "some of them spill");
    place.end();
}
