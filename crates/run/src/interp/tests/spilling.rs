//! Statements whose memory is used up at once go on in files: they must yield what they yield with
//! all the memory they want.

use std::sync::Arc;

use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::hints::{JoinMethod, PlanHints};
use compile::plan::ids::Ids;
use compile::plan::optimize::{self, PlanContext};
use compile::plan::statistics::NoStatistics;
use compile::plan::testing::generate::Generator;
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IndexKind, TableDef};
use ir::function::Functions;

use super::differential::{keys, seeds};
use crate::func::Library;
use crate::interp::frame::Frame;
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();
const TEXT: SqlType = SqlType::varbinary(100);

#[test]
fn random_plans_yield_the_same_rows_with_and_without_memory() {
    let place = SpillPlace::new(256, 0);
    let space = &place.space;
    let mut spilled = 0;
    for seed in seeds(600) {
        let mut generator = Generator::new(seed, &crate::func::Library);
        let mut db = TestDatabase::new();
        db.fill_tables_of(&mut generator);
        let (root, columns) = generator.node(3, &[]);
        let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
        let plan = select(root, &columns);
        let unit = compile::lower::statement(&plan, Default::default()).unwrap();
        let (expected, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
        let before = space.usage().written_bytes;
        db.spill(0, space);
        let (found, _) = db
            .run_unit(&unit, &mut Frame::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", ir::print::unit(&unit)));
        let (found, expected): (Vec<Vec<Value>>, _) = (found.rows, expected.rows);
        assert!(
            keys(&found, &types) == keys(&expected, &types),
            "seed {seed}: found {found:?}\nexpected {expected:?}\n{}",
            ir::print::unit(&unit)
        );
        spilled += u32::from(space.usage().written_bytes > before);
        assert_eq!(db.memory_used(), 0, "seed {seed}: memory is left");
        assert_eq!(space.usage().bytes, 0, "seed {seed}: a file is left");
    }
    assert!(spilled > 100, "only {spilled} plans spilled");
    place.end();
}

/// Rows (n, n * 7919 % 10007, a text) for sorts and joins over many times their grant.
fn many(db: &mut TestDatabase, rows: i64) -> Arc<TableDef> {
    let columns = [("id", INT, false), ("k", INT, false), ("text", TEXT, true)];
    let def = Arc::new(with_index(table_def(1, "t", &columns), IndexKind::Hash, true, &[0]));
    db.create(&def);
    let text = |n: i64| match n % 11 {
        0 => Value::Null,
        _ => Value::Bytes(vec![n as u8; (n % 90) as usize].into()),
    };
    let row = |n: i64| vec![Value::Int(n), Value::Int(n * 7919 % 10007), text(n)];
    // A unit for each hundred, since a unit says every value.
    for first in (0..rows).step_by(100) {
        db.fill(&def, &(first..first + 100).map(row).collect::<Vec<_>>()).unwrap();
    }
    def
}

/// The peak of a grant is not watched here; that nothing is kept is.
fn both(db: &mut TestDatabase, root: &Node, columns: &[(ColId, SqlType)]) -> Vec<Vec<Value>> {
    let place = SpillPlace::new(4096, 6000);
    let space = &place.space;
    let unit =
        compile::lower::statement(&select(root.clone(), columns), Default::default()).unwrap();
    let (expected, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
    db.spill(128 << 10, space);
    let (found, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
    assert!(space.usage().written_bytes > 1 << 20, "{:?}", space.usage());
    assert_eq!((db.memory_used(), space.usage().bytes), (0, 0));
    let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
    assert!(keys(&found.rows, &types) == keys(&expected.rows, &types));
    db.limit_memory(64 << 20);
    place.end();
    found.rows
}

#[test]
fn a_sort_of_ten_times_its_grant_is_in_order() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let key = SortKey { expr: col(1, INT), descending: false };
    let root = Node::Sort {
        input: Box::new(scan),
        keys: vec![key],
        limit: None,
        columns: columns.iter().map(|c| c.0).collect(),
    };
    let rows = both(&mut db, &root, &columns);
    assert!(rows.windows(2).all(|w| int_of(&w[0][1]) <= int_of(&w[1][1])));
}

/// The planner left the sort out, since the probe side came in order. Where the join found no room
/// for its build side, probe rows that were put off came last.
#[test]
fn what_a_join_yields_is_sorted_although_the_probe_side_was() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (input, mut columns) = scan_all(&def, 1);
    let (inner, more) = scan_all(&def, 4);
    columns.extend(more);
    let function = WindowFunction { kind: WindowKind::RowNumber, ty: SqlType::bigint() };
    let numbered = Node::Window {
        input: Box::new(input),
        partition: Vec::new(),
        order: Vec::new(),
        functions: vec![(ColId(7), function)],
        columns: (1..=3).map(ColId).collect(),
    };
    columns.push((ColId(7), SqlType::bigint()));
    let join = Node::NestedLoop {
        kind: JoinKind::Inner,
        outer: Box::new(numbered),
        inner: Box::new(inner),
        predicate: Some(Pred::Compare(CompareOp::Eq, col(1, INT), col(4, INT))),
    };
    let root = Node::Sort {
        input: Box::new(join),
        keys: vec![SortKey { expr: col(7, SqlType::bigint()), descending: false }],
        limit: None,
        columns: columns.iter().map(|c| c.0).collect(),
    };
    let mut plan = select(root, &columns);
    let mut hints = PlanHints { force_order: true, ..PlanHints::default() };
    hints.methods.push(JoinMethod::Hash);
    let mut context =
        PlanContext { ids: &mut Ids::default(), hints: &hints, statistics: &NoStatistics };
    optimize::statement(&mut plan, &mut context).unwrap();
    let Plan::Select(SelectPlan { root, .. }) = plan else { panic!("it is a query") };
    let rows = both(&mut db, &root, &columns);
    assert!(rows.windows(2).all(|w| int_of(&w[0][6]) < int_of(&w[1][6])));
}

#[test]
fn a_statement_that_ends_early_leaves_neither_files_nor_memory() {
    let place = SpillPlace::new(4096, 6000);
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let key = SortKey { expr: col(1, INT), descending: false };
    let sort = Node::Sort {
        input: Box::new(scan),
        keys: vec![key],
        limit: None,
        columns: columns.iter().map(|c| c.0).collect(),
    };
    // 1000 / (id - 7000) fails in the middle of what comes out of the sort.
    let less = arith(ArithOp::Subtract, col(0, INT), int(7000));
    let quotient = arith(ArithOp::Divide, int(1000), less);
    let failing =
        Node::Compute { input: Box::new(sort.clone()), columns: vec![(ColId(9), quotient)] };
    db.spill(128 << 10, &place.space);
    let error = db.query(failing, &[(ColId(9), INT)]).unwrap_err();
    assert_eq!(error.number(), 8134);
    assert_eq!((db.memory_used(), place.space.usage().bytes), (0, 0));
    db.row_limit = Some(3);
    assert_eq!(db.query(sort, &columns).unwrap().len(), 3);
    assert_eq!((db.memory_used(), place.space.usage().bytes), (0, 0));
    db.limit_memory(64 << 20);
    place.end();
}

fn int_of(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is no integer"),
    }
}

/// An aggregate of a column, as another one.
fn aggregate(name: &str, from: u32, ty: SqlType, distinct: bool, to: u32) -> (ColId, Aggregate) {
    let function = Library.aggregate(name).expect("it is there");
    let args = vec![col(from, ty)];
    (ColId(to), Aggregate { function, args, distinct, order: Vec::new(), ty: INT })
}

#[test]
fn groups_of_ten_times_their_grant_are_all_there() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let node = Node::Aggregate {
        input: Box::new(scan),
        groups: vec![(ColId(10), col(1, INT)), (ColId(11), col(2, TEXT))],
        aggregates: vec![
            aggregate("COUNT", 0, INT, false, 12),
            aggregate("SUM", 0, INT, false, 13),
            aggregate("COUNT", 2, TEXT, true, 14),
        ],
        grouping_sets: Vec::new(),
        grouping_id: None,
        ordered: false,
    };
    let columns: Vec<_> = [(10, INT), (11, columns[2].1), (12, INT), (13, INT), (14, INT)]
        .map(|c| (ColId(c.0), c.1))
        .into();
    let rows = both(&mut db, &node, &columns);
    assert!(rows.len() > 10_000);
}

#[test]
fn distinct_rows_of_ten_times_their_grant_come_once() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let columns = columns[1..].to_vec();
    let node =
        Node::Distinct { input: Box::new(scan), columns: columns.iter().map(|c| c.0).collect() };
    let rows = both(&mut db, &node, &columns);
    assert!(rows.len() > 10_000);
}

/// Several distinct aggregates of one group, or of some: sets that are many times their grant,
/// while the groups themselves fit.
#[test]
fn distinct_aggregates_of_ten_times_their_grant_count_each_value_once() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let third = arith(ArithOp::Modulo, col(0, INT), int(3));
    for groups in [vec![], vec![(ColId(10), third)]] {
        let node = Node::Aggregate {
            input: Box::new(scan.clone()),
            groups: groups.clone(),
            aggregates: vec![
                aggregate("COUNT", 0, INT, true, 12),
                aggregate("SUM", 0, INT, false, 13),
                aggregate("COUNT", 1, INT, true, 14),
                aggregate("COUNT", 2, columns[2].1, true, 15),
                aggregate("SUM", 1, INT, true, 16),
            ],
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        let columns: Vec<_> = groups.iter().map(|g| g.0.0).chain(12..=16).collect();
        let columns: Vec<_> = columns.into_iter().map(|id| (ColId(id), INT)).collect();
        let rows = both(&mut db, &node, &columns);
        assert_eq!(rows.len(), if groups.is_empty() { 1 } else { 3 });
    }
}

/// Objects are used again by other statements of the session, with fewer aggregates, too.
#[test]
fn groups_that_are_used_again_serve_fewer_distinct_aggregates() {
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, _) = scan_all(&def, 0);
    for distinct in [4, 2, 3] {
        let node = Node::Aggregate {
            input: Box::new(scan.clone()),
            groups: Vec::new(),
            aggregates: (0..distinct).map(|n| aggregate("COUNT", 1, INT, true, 10 + n)).collect(),
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        let columns: Vec<_> = (0..distinct).map(|n| (ColId(10 + n), INT)).collect();
        let rows = both(&mut db, &node, &columns);
        assert_eq!(rows, [vec![Value::Int(10_007); distinct as usize]]);
    }
}

/// A hash table that doubles takes three times its memory while it does, and twice afterwards: it
/// must not do that first and ask then.
#[test]
fn hash_tables_ask_before_they_grow() {
    const GRANT: usize = 400 << 10;
    const BLOCKS: usize = 100 << 10;
    let mut db = TestDatabase::new();
    let def = many(&mut db, 20_000);
    let (scan, columns) = scan_all(&def, 0);
    let distinct = Node::Distinct { input: Box::new(scan.clone()), columns: vec![columns[1].0] };
    let count = Node::Aggregate {
        input: Box::new(scan),
        groups: Vec::new(),
        aggregates: vec![aggregate("COUNT", 1, INT, true, 10)],
        grouping_sets: Vec::new(),
        grouping_id: None,
        ordered: false,
    };
    for (node, column, rows) in [(distinct, columns[1].0, 10_007), (count, ColId(10), 1)] {
        let place = SpillPlace::new(4096, 6000);
        db.spill(GRANT, &place.space);
        assert_eq!(db.query(node, &[(column, INT)]).unwrap().len(), rows);
        assert!(place.space.usage().written_bytes > 0);
        assert!(db.memory_most() <= GRANT + BLOCKS, "{} bytes", db.memory_most());
        db.limit_memory(64 << 20);
        place.end();
    }
}
