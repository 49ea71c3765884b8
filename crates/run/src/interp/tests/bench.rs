//! How fast units run. Not tests of speed: they check their answers and print figures.
//!
//! `cargo test --release -p thermocline-run bench -- --ignored --nocapture --test-threads 1`

use std::sync::Arc;
use std::time::Instant;

use base::{SqlType, Value, ValueRef};
use compile::lower;
use compile::plan::expr::*;
use compile::plan::native::*;
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IndexKind, TableDef};
use ir::function::Functions;

use crate::func::Library;
use crate::interp::frame::Frame;
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();
const BIGINT: SqlType = SqlType::bigint();

fn big(value: i64) -> Expr {
    constant(BIGINT, Value::Int(value))
}

/// Runs `f` five times; prints the median time per step.
fn figure(name: &str, steps: u64, mut f: impl FnMut()) {
    let mut times: Vec<u128> = (0..5)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let per_step = |t: u128| t as f64 / steps as f64;
    let (low, mid, high) = (per_step(times[0]), per_step(times[2]), per_step(times[4]));
    println!("{name:<44} {mid:9.1} ns  ({low:.1} to {high:.1})");
}

#[test]
#[ignore = "a benchmark"]
fn bench_native_loop_of_adds() {
    const ROUNDS: i64 = 10_000_000;
    let at = |line, kind| NativeStatement { line, kind };
    let add =
        |v: u32, e: Expr| NativeKind::Assign(VarId(v), arith(ArithOp::Add, var(v, BIGINT), e));
    let module = NativeModule {
        variables: vec![BIGINT, BIGINT],
        body: vec![at(
            1,
            NativeKind::While(
                Pred::Compare(CompareOp::Lt, var(0, BIGINT), big(ROUNDS)),
                vec![at(2, add(0, big(1))), at(3, add(1, var(0, BIGINT)))],
            ),
        )],
        isolation: Isolation::Snapshot,
        delayed_durability: false,
    };
    let unit = lower::native(&module, Default::default()).unwrap();
    let mut db = TestDatabase::new();
    figure("WHILE with two additions, a round", ROUNDS as u64, || {
        let mut frame = Frame::new([BIGINT, BIGINT]);
        frame.set(VarId(0), ValueRef::Int(0));
        frame.set(VarId(1), ValueRef::Int(0));
        db.run_unit(&unit, &mut frame).unwrap();
        assert_eq!(frame.get(VarId(1)), ValueRef::Int(ROUNDS * (ROUNDS + 1) / 2));
    });
}

/// A table (id, group, amount) of a million rows, by hash on id and by order on (group, id).
fn million() -> (TestDatabase, Arc<TableDef>) {
    const ROWS: i64 = 1_000_000;
    let columns = [("id", INT, false), ("g", INT, false), ("amount", BIGINT, true)];
    let def = with_index(table_def(1, "t", &columns), IndexKind::Hash, true, &[0]);
    let def = Arc::new(with_index(def, IndexKind::NonClustered, true, &[1, 0]));
    let mut db = TestDatabase::new();
    db.create(&def);
    let digits: Vec<Vec<Expr>> = (0..1000).map(|d| vec![big(d)]).collect();
    let values = |col| Node::Values { columns: vec![ColId(col)], rows: digits.clone() };
    let source = Node::NestedLoop {
        kind: JoinKind::Inner,
        outer: Box::new(values(1)),
        inner: Box::new(values(2)),
        predicate: None,
    };
    let thousand = arith(ArithOp::Multiply, col(1, BIGINT), big(1000));
    let number = arith(ArithOp::Add, thousand, col(2, BIGINT));
    let as_int = |e| cast(e, INT, CastMode::Assign);
    let plan = Plan::Insert(Box::new(InsertPlan {
        target: table_target(&def),
        source,
        values: vec![
            NewValue::Expr(as_int(number.clone())),
            NewValue::Expr(as_int(col(2, BIGINT))),
            NewValue::Expr(number),
        ],
        converted: Vec::new(),
        effects: RowEffects::default(),
        lock: None,
    }));
    let start = Instant::now();
    let (_, outcome) = db.run(&plan, &mut Frame::default()).unwrap();
    assert_eq!(outcome.rows, ROWS as u64);
    let each = start.elapsed().as_nanos() as f64 / ROWS as f64;
    println!("{:<44} {each:9.1} ns", "INSERT … SELECT with two indexes, a row");
    (db, def)
}

fn scan(def: &Arc<TableDef>, residual: Option<Pred>) -> Scan {
    let source = Source::Table { database: DB, table: def.clone() };
    let (mut scan, _) = scan_of(source, def, 10, None);
    scan.residual = residual;
    scan
}

fn aggregate(input: Node, groups: Vec<(ColId, Expr)>, names: &[(&str, Expr)]) -> Node {
    let aggregates = (names.iter().zip(90..))
        .map(|((name, arg), id)| {
            let function = Library.aggregate(name).unwrap();
            let args = vec![arg.clone()];
            let aggregate =
                Aggregate { function, args, distinct: false, order: vec![], ty: BIGINT };
            (ColId(id), aggregate)
        })
        .collect();
    Node::Aggregate {
        input: Box::new(input),
        groups,
        aggregates,
        grouping_sets: vec![],
        grouping_id: None,
        ordered: false,
    }
}

#[test]
#[ignore = "a benchmark"]
fn bench_scans_and_seeks() {
    let (mut db, def) = million();
    let half = Pred::Compare(CompareOp::Lt, col(11, INT), int(500));
    let sum = |residual| {
        let input = Node::Scan(Box::new(scan(&def, residual)));
        aggregate(input, vec![], &[("SUM", col(12, BIGINT))])
    };
    let unit = |root, column| {
        lower::statement(&select(root, &[(ColId(column), BIGINT)]), Default::default()).unwrap()
    };
    let all = unit(sum(None), 90);
    figure("SUM over a scan, a row", 1_000_000, || {
        let (found, _) = db.run_unit(&all, &mut Frame::default()).unwrap();
        assert_eq!(found.rows, [[Value::Int(499_999_500_000)]]);
    });
    let filtered = unit(sum(Some(half)), 90);
    figure("SUM over a filtered scan, a row", 1_000_000, || {
        let (found, _) = db.run_unit(&filtered, &mut Frame::default()).unwrap();
        assert_eq!(found.rows, [[Value::Int(249_874_750_000)]]);
    });
    let group = vec![(ColId(80), col(11, INT))];
    let input = Node::Scan(Box::new(scan(&def, None)));
    let grouped = aggregate(input, group, &[("SUM", col(12, BIGINT)), ("COUNT_BIG", int(1))]);
    let grouped = unit(grouped, 91);
    figure("GROUP BY a thousand groups, a row", 1_000_000, || {
        let (found, _) = db.run_unit(&grouped, &mut Frame::default()).unwrap();
        assert!(found.rows.len() == 1000 && found.rows[0] == [Value::Int(1000)]);
    });
    let keys = vec![SortKey { expr: col(12, BIGINT), descending: true }];
    let sort = Node::Sort {
        input: Box::new(Node::Scan(Box::new(scan(&def, None)))),
        keys,
        limit: None,
        columns: vec![ColId(12)],
    };
    let last = Node::Top { input: Box::new(sort), count: big(1), percent: false, ties: None };
    let sort = unit(last, 12);
    db.limit_memory(1 << 30);
    figure("Sort, a row", 1_000_000, || {
        let (found, _) = db.run_unit(&sort, &mut Frame::default()).unwrap();
        assert_eq!(found.rows, [[Value::Int(999_999)]]);
    });
    // A million seeks by the hash index: a nested loop whose inner side is looked up.
    let mut inner = scan(&def, None);
    inner.access = Access::Seek { index: 0, key: vec![col(21, INT)] };
    let source = Source::Table { database: DB, table: def.clone() };
    let (mut outer, _) = scan_of(source, &def, 20, None);
    outer.columns = vec![(0, ColId(21)), (2, ColId(22))];
    let seeks = Node::NestedLoop {
        kind: JoinKind::Inner,
        outer: Box::new(Node::Scan(Box::new(outer.clone()))),
        inner: Box::new(Node::Scan(Box::new(inner))),
        predicate: None,
    };
    let seeks = unit(aggregate(seeks, vec![], &[("SUM", col(12, BIGINT))]), 90);
    figure("Nested loop of hash seeks, a seek", 1_000_000, || {
        let (found, _) = db.run_unit(&seeks, &mut Frame::default()).unwrap();
        assert_eq!(found.rows, [[Value::Int(499_999_500_000)]]);
    });
    let hashed = Node::HashJoin {
        kind: JoinKind::Inner,
        probe: Box::new(Node::Scan(Box::new(scan(&def, None)))),
        build: Box::new(Node::Scan(Box::new(outer))),
        keys: vec![(col(10, INT), col(21, INT))],
        null_equal: false,
        residual: None,
    };
    let hashed = unit(aggregate(hashed, vec![], &[("SUM", col(22, BIGINT))]), 90);
    figure("Hash join, a pair", 1_000_000, || {
        let (found, _) = db.run_unit(&hashed, &mut Frame::default()).unwrap();
        assert_eq!(found.rows, [[Value::Int(499_999_500_000)]]);
    });
    point_statements(&mut db, &def);
}

/// Statements that touch one row, and the cost of starting a unit.
fn point_statements(db: &mut TestDatabase, def: &Arc<TableDef>) {
    const TIMES: i64 = 200_000;
    let mut frame = Frame::new([INT]);
    let sum = arith(ArithOp::Add, var(0, INT), int(1));
    let start = lower::scalar(&sum, Default::default()).unwrap();
    frame.set(VarId(0), ValueRef::Int(4));
    db.batch(&mut frame, |run| {
        figure("An expression's unit", TIMES as u64, || {
            (0..TIMES).for_each(|_| run(&start));
        });
    });
    let mut seek = scan(def, None);
    seek.access = Access::Seek { index: 0, key: vec![var(0, INT)] };
    let source = select(Node::Scan(Box::new(seek)), &[(ColId(12), BIGINT)]);
    let seek = lower::statement(&source, Default::default()).unwrap();
    frame.set(VarId(0), ValueRef::Int(777));
    db.batch(&mut frame, |run| {
        figure("SELECT of one row by hash, in a statement", TIMES as u64, || {
            (0..TIMES).for_each(|_| run(&seek));
        });
    });
}
