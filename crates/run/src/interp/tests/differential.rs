//! Random plans, run as units and evaluated by the reference: both must give the same rows.

use base::{Account, SqlType, Value};
use compile::plan::testing::generate::Generator;
use compile::plan::testing::*;
use ir::key::{ChargedKey, KeyShape};

use super::reference::{Env, Reference, TOO_MUCH};
use crate::interp::frame::Frame;
use crate::interp::testing::*;

/// Rows as bytes that are equal where values are, in order.
pub fn keys(rows: &[Vec<Value>], types: &[SqlType]) -> Vec<Vec<u8>> {
    let shape = KeyShape::of(types);
    let (mut key, account) = (ChargedKey::new(), Account::new(usize::MAX, "default"));
    let mut keys: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| {
            let values: Vec<_> = row.iter().map(Value::as_ref).collect();
            shape.encode(&values, &mut key, &account).unwrap();
            key.to_vec()
        })
        .collect();
    keys.sort();
    keys
}

/// How many seeds are tried; the environment may ask for more.
pub fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    first..first + number("THERMOCLINE_SEEDS").unwrap_or(default)
}

#[test]
fn units_agree_with_the_reference() {
    let (mut compared, mut nonempty) = (0, 0);
    for seed in seeds(1500) {
        let mut generator = Generator::new(seed, &crate::func::Library);
        let mut db = TestDatabase::new();
        let mut reference = Reference::default();
        for (def, rows) in generator.make_tables() {
            db.create(&def);
            if !rows.is_empty() {
                db.fill(&def, &rows).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            reference.tables.insert(def.header.name.clone(), rows);
        }
        let (root, columns) = generator.node(3, &[]);
        let expected = match reference.rows(&root, &Env::new()) {
            Ok(expected) => expected,
            Err(error) if error.number() == TOO_MUCH => continue,
            Err(error) => panic!("seed {seed}: the reference fails: {error}"),
        };
        let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
        let expected: Vec<Vec<Value>> = expected
            .iter()
            .map(|env| columns.iter().map(|c| env[&c.0].clone()).collect())
            .collect();
        let plan = select(root, &columns);
        let unit = compile::lower::statement(&plan, Default::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let found = db.run_unit(&unit, &mut Frame::default());
        let (found, _) =
            found.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", ir::print::unit(&unit)));
        assert!(
            keys(&found.rows, &types) == keys(&expected, &types),
            "seed {seed}: found {:?}\nexpected {expected:?}\n{}",
            found.rows,
            ir::print::unit(&unit)
        );
        compared += 1;
        nonempty += u32::from(!expected.is_empty());
        assert_eq!(db.memory_used(), 0, "seed {seed}: memory is left");
    }
    assert!(nonempty * 4 > compared, "most plans yield nothing: {nonempty} of {compared}");
}
