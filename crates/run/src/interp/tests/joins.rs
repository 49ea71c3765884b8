//! Joins by hashing whose memory is used up must yield what they yield with all the memory they
//! want, whatever their keys are.

use std::sync::Arc;

use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IndexKind, TableDef};
use env::sim::SplitMix;
use ir::function::Functions;

use super::differential::{keys, seeds};
use crate::func::Library;
use crate::interp::frame::Frame;
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();
const TEXT: SqlType = SqlType::varbinary(100);

/// How the keys of a table are spread.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Unique,
    Few(u64),
    /// One key, and some others.
    Skewed,
    Nothing,
}

const SPREADS: [Spread; 6] = [
    Spread::Unique,
    Spread::Unique,
    Spread::Few(40),
    Spread::Few(1),
    Spread::Skewed,
    Spread::Nothing,
];

/// Rows (id, key, text), of which some keys are NULL.
fn table(
    db: &mut TestDatabase,
    number: i32,
    rows: i64,
    spread: Spread,
    random: &mut SplitMix,
) -> Arc<TableDef> {
    let columns = [("id", INT, false), ("k", INT, true), ("text", TEXT, true)];
    let name = format!("t{number}");
    let def = table_def(number, &name, &columns);
    let def = Arc::new(with_index(def, IndexKind::Hash, true, &[0]));
    db.create(&def);
    let mut key = |n: i64| match spread {
        Spread::Nothing => Value::Null,
        _ if random.below(20) == 0 => Value::Null,
        Spread::Unique => Value::Int(n * 7919 % 1_000_003),
        Spread::Few(keys) => Value::Int(random.below(keys) as i64),
        Spread::Skewed if random.below(3) == 0 => Value::Int(n),
        Spread::Skewed => Value::Int(7),
    };
    let rows: Vec<Vec<Value>> = (0..rows)
        .map(|n| {
            let text = Value::Bytes(vec![n as u8; (n % 40) as usize].into());
            vec![Value::Int(n), key(n), text]
        })
        .collect();
    for rows in rows.chunks(100) {
        db.fill(&def, rows).unwrap();
    }
    def
}

/// A join of two tables on their keys, and its columns.
fn join(
    kind: JoinKind,
    tables: [&Arc<TableDef>; 2],
    null_equal: bool,
    residual: Option<Pred>,
) -> (Node, Vec<(ColId, SqlType)>) {
    let (probe, mut columns) = scan_all(tables[0], 0);
    let (build, build_columns) = scan_all(tables[1], 10);
    // A column of the probe side that is in a register, not in the row.
    let sum = arith(ArithOp::Add, col(0, INT), int(1));
    let probe = Node::Compute { input: Box::new(probe), columns: vec![(ColId(5), sum)] };
    columns.push((ColId(5), INT));
    if !matches!(kind, JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware) {
        columns.extend(build_columns);
    }
    let (probe, build) = (Box::new(probe), Box::new(build));
    let keys = vec![(col(1, INT), col(11, INT))];
    (Node::HashJoin { kind, probe, build, keys, null_equal, residual }, columns)
}

#[test]
fn random_joins_yield_the_same_rows_with_and_without_memory() {
    use JoinKind::*;
    let kinds = [Inner, LeftOuter, RightOuter, FullOuter, Semi, Anti, AntiNullAware];
    let mut spilled = [0; 7];
    for seed in seeds(200) {
        let mut random = SplitMix::new(seed);
        let place = SpillPlace::new(256, random.below(2) as usize * 3000);
        let mut db = TestDatabase::new();
        let pick = |random: &mut SplitMix| SPREADS[random.below(6) as usize];
        let spreads = [pick(&mut random), pick(&mut random)];
        let rows = [random.below(300), 20 + random.below(400)].map(|rows| rows as i64);
        let a = table(&mut db, 1, rows[0], spreads[0], &mut random);
        let b = table(&mut db, 2, rows[1], spreads[1], &mut random);
        let which = random.below(7) as usize;
        let null_equal = kinds[which] != AntiNullAware && random.below(4) == 0;
        let less = Pred::Compare(CompareOp::Lt, col(2, TEXT), col(12, TEXT));
        let residual = (kinds[which] != AntiNullAware && random.below(2) == 0).then_some(less);
        let (node, columns) = join(kinds[which], [&a, &b], null_equal, residual);
        let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
        let unit = compile::lower::statement(&select(node, &columns), Default::default()).unwrap();
        let (expected, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
        db.spill(random.below(3) as usize * random.below(20_000) as usize, &place.space);
        let (found, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
        let what = format!("seed {seed}: {:?} of {spreads:?} {rows:?}", kinds[which]);
        assert!(
            keys(&found.rows, &types) == keys(&expected.rows, &types),
            "{what}: {} rows instead of {}\n{}",
            found.rows.len(),
            expected.rows.len(),
            ir::print::unit(&unit)
        );
        spilled[which] += u32::from(place.space.usage().written_bytes > 0);
        assert_eq!((db.memory_used(), place.space.usage().bytes), (0, 0), "{what}");
        db.limit_memory(64 << 20);
        place.end();
    }
    if std::env::var("THERMOCLINE_SEEDS").is_err() {
        assert!(spilled.iter().all(|joins| *joins > 10), "{spilled:?}");
    }
}

#[test]
fn a_join_that_ends_early_leaves_neither_files_nor_memory() {
    let place = SpillPlace::new(1024, 0);
    let mut db = TestDatabase::new();
    let mut random = SplitMix::new(1);
    let a = table(&mut db, 1, 1000, Spread::Few(40), &mut random);
    let b = table(&mut db, 2, 1000, Spread::Few(40), &mut random);
    for kind in [JoinKind::Inner, JoinKind::FullOuter] {
        let (node, columns) = join(kind, [&a, &b], false, None);
        db.spill(8 << 10, &place.space);
        for limit in [1, 30, 300] {
            db.row_limit = Some(limit);
            assert_eq!(db.query(node.clone(), &columns).unwrap().len() as u64, limit);
            assert_eq!((db.memory_used(), place.space.usage().bytes), (0, 0));
        }
        db.row_limit = None;
        // 1000 / (id - 900) fails for one of the rows that come late.
        let less = arith(ArithOp::Subtract, col(0, INT), int(900));
        let quotient = arith(ArithOp::Divide, int(1000), less);
        let failing = Node::Compute { input: Box::new(node), columns: vec![(ColId(9), quotient)] };
        assert_eq!(db.query(failing, &[(ColId(9), INT)]).unwrap_err().number(), 8134);
        assert_eq!((db.memory_used(), place.space.usage().bytes), (0, 0));
    }
    assert!(place.space.usage().written_bytes > 100 << 10);
    db.limit_memory(64 << 20);
    place.end();
}

/// However the parts of the build side compare to what is granted, a row is written a few times and
/// no more.
#[test]
fn what_a_join_writes_is_in_proportion_to_its_rows() {
    let mut db = TestDatabase::new();
    let mut random = SplitMix::new(1);
    let [a, b] = [1, 2].map(|n| table(&mut db, n, 30_000, Spread::Unique, &mut random));
    let (node, columns) = join(JoinKind::Anti, [&a, &b], false, None);
    let expected = db.query(node.clone(), &columns).unwrap().len();
    for granted in (64..320).step_by(32) {
        let place = SpillPlace::new(256, 0);
        db.spill(granted << 10, &place.space);
        assert_eq!(db.query(node.clone(), &columns).unwrap().len(), expected);
        let written = place.space.usage().written_bytes;
        let most = if granted < 128 { 8 } else { 4 };
        assert!((1 << 20..most << 20).contains(&written), "{granted} KB: {written} written");
        db.limit_memory(64 << 20);
        place.end();
    }
}

/// A million pairs of rows with one key, on each side many times what fits: parts never get
/// smaller.
#[test]
fn a_join_on_one_key_many_times_its_grant_ends() {
    let place = SpillPlace::new(4096, 6000);
    let mut db = TestDatabase::new();
    let mut random = SplitMix::new(1);
    let a = table(&mut db, 1, 1000, Spread::Few(1), &mut random);
    let b = table(&mut db, 2, 1000, Spread::Few(1), &mut random);
    let (input, _) = join(JoinKind::FullOuter, [&a, &b], false, None);
    let function = Library.aggregate("COUNT").expect("it is there");
    let count = |col: Expr| Aggregate {
        function,
        args: vec![col],
        distinct: false,
        order: Vec::new(),
        ty: INT,
    };
    let node = Node::Aggregate {
        input: Box::new(input),
        groups: Vec::new(),
        aggregates: vec![(ColId(20), count(col(0, INT))), (ColId(21), count(col(10, INT)))],
        grouping_sets: Vec::new(),
        grouping_id: None,
        ordered: false,
    };
    let columns = [(ColId(20), INT), (ColId(21), INT)];
    let expected = db.query(node.clone(), &columns).unwrap();
    db.spill(16 << 10, &place.space);
    assert_eq!(db.query(node, &columns).unwrap(), expected);
    assert!(place.space.usage().written_bytes > 200 << 10, "{:?}", place.space.usage());
    db.limit_memory(64 << 20);
    place.end();
}
