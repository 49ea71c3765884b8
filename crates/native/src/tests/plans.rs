//! Random queries over random tables.

use query::interp::Frame;
use query::interp::generate::Generator;
use query::interp::testing::{World, select};

use super::{compile, seeds};

#[test]
fn random_queries_give_the_same_rows() {
    let (mut count, mut yielding) = (0, 0);
    for seed in seeds(300) {
        let mut generator = Generator::new(seed);
        let mut world = World::new();
        for (def, rows) in generator.make_tables() {
            world.create(&def);
            if !rows.is_empty() {
                world.fill(&def, &rows).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
        }
        let (root, columns) = generator.node(3, &[]);
        let plan = select(root, &columns);
        let lower =
            || query::lower::statement(&plan, Default::default()).expect("it can be lowered");
        let mut run = |compiled| {
            let unit = lower();
            if compiled {
                compile(&unit);
            }
            let ran = world.run_unit(&unit, &mut Frame::default());
            assert_eq!(world.memory_used(), 0, "seed {seed}: memory is left");
            ran.map(|(sent, outcome)| (sent.rows, sent.messages, outcome.rows))
                .map_err(|e| (e.number(), e.to_string()))
        };
        let expected = run(false);
        assert_eq!(run(true), expected, "seed {seed}\n{plan}");
        count += 1;
        yielding += i32::from(expected.is_ok_and(|(rows, ..)| !rows.is_empty()));
    }
    assert!(yielding * 20 > count, "{yielding} of {count} yield rows");
}
