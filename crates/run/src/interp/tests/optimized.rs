//! Random plans, run as they are and optimized: both must yield the same rows.

use base::{SqlType, Value};
use compile::plan::hints::PlanHints;
use compile::plan::ids::Ids;
use compile::plan::optimize::{self, PlanContext};
use compile::plan::statistics::NoStatistics;
use compile::plan::testing::generate::Generator;
use compile::plan::testing::*;
use compile::plan::tree::Plan;

use super::differential::{keys, seeds};
use crate::interp::frame::Frame;
use crate::interp::testing::*;

/// Names that are none of the generator's.
fn ids() -> Ids {
    let mut ids = Ids::default();
    for _ in 0..2000 {
        ids.column();
        ids.worktable();
    }
    ids
}

/// A statement after optimization.
pub fn optimized(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let (mut ids, hints) = (ids(), PlanHints::default());
    let mut context = PlanContext { ids: &mut ids, hints: &hints, statistics: &NoStatistics };
    optimize::statement(&mut plan, &mut context).expect("no hint forbids it");
    plan
}

#[test]
fn optimized_plans_yield_the_same_rows() {
    for seed in seeds(500) {
        let mut generator = Generator::new(seed, &crate::func::Library);
        let mut db = TestDatabase::new();
        db.fill_tables_of(&mut generator);
        let (root, columns) = generator.node(3, &[]);
        let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
        let plan = select(root, &columns);
        let unit = compile::lower::statement(&plan, Default::default()).unwrap();
        let (expected, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
        let better = optimized(&plan);
        let found = db.run(&better, &mut Frame::default());
        let (found, _) = found.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{plan}\n{better}"));
        let (found, expected): (Vec<Vec<Value>>, _) = (found.rows, expected.rows);
        assert!(
            keys(&found, &types) == keys(&expected, &types),
            "seed {seed}: found {found:?}\nexpected {expected:?}\n{plan}\n{better}"
        );
        assert_eq!(db.memory_used(), 0, "seed {seed}: memory is left");
    }
}
