use std::sync::Arc;

use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IndexKind, TableDef};
use ir::function::Functions;
use ir::inst::Inst;

use crate::func::Library;
use crate::interp::frame::{Frame, TableSlot};
use crate::interp::local::{LocalShape, LocalTable};
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();

fn v(value: i64) -> Value {
    Value::Int(value)
}

/// Orders (id, customer null) and items (order, n): order k has k % 3 items.
fn with_table() -> (TestDatabase, Arc<TableDef>, Arc<TableDef>) {
    let orders = table_def(1, "orders", &[("id", INT, false), ("customer", INT, true)]);
    let orders = with_index(orders, IndexKind::Hash, true, &[0]);
    let orders = Arc::new(with_index(orders, IndexKind::NonClustered, false, &[1, -1]));
    let items = table_def(2, "items", &[("order_id", INT, false), ("n", INT, false)]);
    let items = Arc::new(with_index(items, IndexKind::NonClustered, true, &[0, 1]));
    let mut db = TestDatabase::new();
    db.create(&orders);
    db.create(&items);
    let order = |k: i64| vec![v(k), if k % 4 == 0 { Value::Null } else { v(k % 5) }];
    db.fill(&orders, &(1..=10).map(order).collect::<Vec<_>>()).unwrap();
    let item = |k: i64| (0..k % 3).map(move |n| vec![v(k), v(n)]);
    db.fill(&items, &(1..=10).flat_map(item).collect::<Vec<_>>()).unwrap();
    (db, orders, items)
}

fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    rows.sort_by_key(|r| format!("{r:?}"));
    rows
}

fn seek(def: &Arc<TableDef>, first: u32, access: Access) -> Node {
    let source = Source::Table { database: DB, table: def.clone() };
    let (mut scan, _) = scan_of(source, def, first, None);
    scan.access = access;
    Node::Scan(Box::new(scan))
}

fn firsts(rows: &[Vec<Value>]) -> Vec<Value> {
    rows.iter().map(|r| r[0].clone()).collect()
}

#[test]
fn scans_filter_and_seek() {
    let (mut db, orders, _) = with_table();
    let (scan, columns) = scan_all(&orders, 0);
    let filter = Node::Filter {
        input: Box::new(scan),
        predicate: Pred::And(vec![
            Pred::Compare(CompareOp::Gt, col(0, INT), int(3)),
            eq(col(1, INT), int(1)),
        ]),
    };
    assert_eq!(db.query(filter, &columns).unwrap(), [vec![v(6), v(1)]]);
    let by_id = seek(&orders, 0, Access::Seek { index: 0, key: vec![int(7)] });
    assert_eq!(db.query(by_id, &columns).unwrap(), [vec![v(7), v(2)]]);
    let none = seek(&orders, 0, Access::Seek { index: 0, key: vec![null(INT)] });
    assert!(db.query(none, &columns).unwrap().is_empty());
}

#[test]
fn ranges_go_both_ways() {
    let (mut db, orders, _) = with_table();
    let columns = scan_all(&orders, 0).1;
    let range = |prefix: Vec<Expr>, lower, upper, backward| {
        seek(&orders, 0, Access::Range { index: 1, prefix, lower, upper, backward })
    };
    let bound = |value, inclusive| Some(Bound { value: int(value), inclusive });
    // (customer, id descending): NULLs first.
    let all = db.query(range(vec![], None, None, false), &columns).unwrap();
    assert_eq!(firsts(&all), [8, 4, 10, 5, 6, 1, 7, 2, 3, 9].map(v));
    let back = db.query(range(vec![], None, None, true), &columns).unwrap();
    assert_eq!(firsts(&back), [9, 3, 2, 7, 1, 6, 5, 10, 4, 8].map(v));
    let some = db.query(range(vec![], bound(1, false), bound(3, true), false), &columns);
    assert_eq!(firsts(&some.unwrap()), [7, 2, 3].map(v));
    let below = db.query(range(vec![], None, bound(1, false), false), &columns).unwrap();
    assert_eq!(firsts(&below), [10, 5].map(v));
    let within = db.query(range(vec![int(2)], bound(3, true), None, false), &columns).unwrap();
    assert_eq!(firsts(&within), [7].map(v));
}

fn nested(kind: JoinKind, outer: Node, inner: Node, predicate: Option<Pred>) -> Node {
    Node::NestedLoop { kind, outer: Box::new(outer), inner: Box::new(inner), predicate }
}

fn hashed(kind: JoinKind, probe: Node, build: Node, keys: Vec<(Expr, Expr)>) -> Node {
    Node::HashJoin {
        kind,
        probe: Box::new(probe),
        build: Box::new(build),
        keys,
        null_equal: false,
        residual: None,
    }
}

#[test]
fn joins_agree_whatever_the_algorithm() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let on = || eq(col(0, INT), col(10, INT));
    let keys = || vec![(col(0, INT), col(10, INT))];
    let pairs = [(ColId(0), INT), (ColId(11), INT)];
    let left = [(ColId(0), INT)];
    for kind in [JoinKind::Inner, JoinKind::LeftOuter] {
        let a = nested(kind, o.clone(), i.clone(), Some(on()));
        let b = hashed(kind, o.clone(), i.clone(), keys());
        let (a, b) = (db.query(a, &pairs).unwrap(), db.query(b, &pairs).unwrap());
        assert_eq!(sorted(a.clone()), sorted(b), "{kind:?}");
        assert_eq!(a.len(), if kind == JoinKind::Inner { 10 } else { 13 });
    }
    for kind in [JoinKind::Semi, JoinKind::Anti, JoinKind::AntiNullAware] {
        let a = nested(kind, o.clone(), i.clone(), Some(on()));
        let b = hashed(kind, o.clone(), i.clone(), keys());
        let (a, b) = (db.query(a, &left).unwrap(), db.query(b, &left).unwrap());
        assert_eq!(sorted(a.clone()), sorted(b), "{kind:?}");
        assert_eq!(a.len(), if kind == JoinKind::Semi { 7 } else { 3 });
    }
}

#[test]
fn full_joins_keep_both_sides() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    // Orders by customer, items by number: 0 and 1 of items match customers 0 and 1.
    let keys = || vec![(col(1, INT), col(11, INT))];
    let columns = [(ColId(0), INT), (ColId(10), INT), (ColId(11), INT)];
    let full = hashed(JoinKind::FullOuter, o.clone(), i.clone(), keys());
    let rows = db.query(full, &columns).unwrap();
    // Customers 0 (two orders) and 1 (two) meet seven and three items.
    assert_eq!(rows.len(), 2 * 7 + 2 * 3 + 6);
    let mut filtered = hashed(JoinKind::RightOuter, o.clone(), i.clone(), keys());
    if let Node::HashJoin { residual, .. } = &mut filtered {
        *residual = Some(eq(col(10, INT), int(2)));
    }
    let rows = db.query(filtered, &columns).unwrap();
    let unmatched = rows.iter().filter(|r| r[0].is_null()).count();
    assert_eq!((rows.len(), unmatched), (4 + 8, 8));
    let swapped = hashed(JoinKind::LeftOuter, i, o, vec![(col(11, INT), col(1, INT))]);
    assert_eq!(db.query(swapped, &columns).unwrap().len(), 20);
}

#[test]
fn outer_joins_nest() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let (j, _) = scan_all(&items, 20);
    let double = Node::Compute {
        input: Box::new(j),
        columns: vec![(ColId(30), arith(ArithOp::Multiply, col(21, INT), int(2)))],
    };
    let first = nested(JoinKind::LeftOuter, o, i, Some(eq(col(0, INT), col(10, INT))));
    let second = hashed(JoinKind::LeftOuter, first, double, vec![(col(11, INT), col(21, INT))]);
    let third = nested(
        JoinKind::LeftOuter,
        second,
        Node::Values { columns: vec![ColId(40)], rows: vec![vec![int(2)], vec![int(3)]] },
        Some(eq(col(30, INT), col(40, INT))),
    );
    let columns = [(ColId(0), INT), (ColId(11), INT), (ColId(30), INT), (ColId(40), INT)];
    let rows = db.query(third, &columns).unwrap();
    // 3 orders without items, 7 items numbered 0 and 3 numbered 1 that each meet their equals.
    assert_eq!(rows.len(), 3 + 7 * 7 + 3 * 3);
    assert!(rows.iter().all(|r| (r[2] == v(2)) == (r[3] == v(2))));
}

#[test]
fn not_in_knows_nulls() {
    let (mut db, orders, items) = with_table();
    let (i, columns) = scan_all(&items, 10);
    let (o, _) = scan_all(&orders, 0);
    let keys = || vec![(col(11, INT), col(1, INT))];
    // Some customers are NULL: nothing is known not to be among them.
    let rows = hashed(JoinKind::AntiNullAware, i.clone(), o.clone(), keys());
    assert!(db.query(rows, &columns).unwrap().is_empty());
    let known = Node::Filter {
        input: Box::new(o.clone()),
        predicate: Pred::Not(Box::new(Pred::IsNull(col(1, INT)))),
    };
    let rows = hashed(JoinKind::AntiNullAware, i.clone(), known, keys());
    assert!(db.query(rows, &columns).unwrap().is_empty());
    let ones = Node::Filter { input: Box::new(o.clone()), predicate: eq(col(1, INT), int(1)) };
    let rows = hashed(JoinKind::AntiNullAware, i.clone(), ones, keys());
    assert_eq!(db.query(rows, &columns).unwrap().len(), 7);
    let nothing = Node::Filter { input: Box::new(o), predicate: Pred::Const(Some(false)) };
    let rows = hashed(JoinKind::AntiNullAware, i, nothing, keys());
    assert_eq!(db.query(rows, &columns).unwrap().len(), 10);
}

fn order_by(keys: &[(u32, bool)]) -> Vec<SortKey> {
    keys.iter().map(|&(id, descending)| SortKey { expr: col(id, INT), descending }).collect()
}

fn sort(input: Node, keys: &[(u32, bool)], limit: Option<i64>, columns: &[u32]) -> Node {
    Node::Sort {
        input: Box::new(input),
        keys: order_by(keys),
        limit: limit.map(|l| constant(SqlType::bigint(), v(l))),
        columns: columns.iter().map(|&c| ColId(c)).collect(),
    }
}

fn top(input: Node, count: i64, ties: Option<Vec<ColId>>) -> Node {
    let count = constant(SqlType::bigint(), v(count));
    Node::Top { input: Box::new(input), count, percent: false, ties }
}

#[test]
fn sorting_limits_and_offsets() {
    let (mut db, orders, _) = with_table();
    let (o, columns) = scan_all(&orders, 0);
    let by_customer = [(1, true), (0, false)];
    let all = db.query(sort(o.clone(), &by_customer, None, &[0, 1]), &columns).unwrap();
    assert_eq!(firsts(&all), [9, 3, 2, 7, 1, 6, 5, 10, 4, 8].map(v));
    let three = db.query(sort(o.clone(), &by_customer, Some(3), &[0, 1]), &columns).unwrap();
    assert_eq!(firsts(&three), [9, 3, 2].map(v));
    let with_ties = top(sort(o.clone(), &by_customer, None, &[0, 1]), 3, Some(vec![ColId(1)]));
    assert_eq!(firsts(&db.query(with_ties, &columns).unwrap()), [9, 3, 2, 7].map(v));
    let nulls = top(sort(o.clone(), &[(1, false)], None, &[0, 1]), 1, Some(vec![ColId(1)]));
    assert_eq!(db.query(nulls, &columns).unwrap().len(), 2);
    let page = Node::Offset {
        input: Box::new(sort(o.clone(), &[(0, false)], None, &[0, 1])),
        offset: constant(SqlType::bigint(), v(8)),
        fetch: Some(constant(SqlType::bigint(), v(5))),
    };
    assert_eq!(firsts(&db.query(page, &columns).unwrap()), [9, 10].map(v));
    let percent = Node::Top {
        input: Box::new(sort(o.clone(), &[(0, false)], None, &[0, 1])),
        count: constant(SqlType::float(), Value::Float(25.0)),
        percent: true,
        ties: None,
    };
    assert_eq!(firsts(&db.query(percent, &columns).unwrap()), [1, 2, 3].map(v));
    assert_eq!(db.query(top(o.clone(), 0, None), &columns).unwrap().len(), 0);
    assert_eq!(db.query(top(o.clone(), -1, None), &columns).unwrap_err().number(), 127);
    let bad = Node::Top {
        input: Box::new(o),
        count: null(SqlType::bigint()),
        percent: false,
        ties: None,
    };
    assert_eq!(db.query(bad, &columns).unwrap_err().number(), 1014);
}

#[test]
fn a_top_stops_what_is_below_it() {
    let mut db = TestDatabase::new();
    // The second row would fail.
    let rows = vec![vec![int(1)], vec![arith(ArithOp::Divide, int(1), int(0))]];
    let values = Node::Values { columns: vec![ColId(0)], rows };
    assert_eq!(db.query(top(values.clone(), 1, None), &[(ColId(0), INT)]).unwrap().len(), 1);
    assert_eq!(db.query(values, &[(ColId(0), INT)]).unwrap_err().number(), 8134);
}

#[test]
fn unions_and_distinct() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let union = Node::Union {
        inputs: vec![
            (o, vec![ColId(1)]),
            (i, vec![ColId(11)]),
            (Node::Values { columns: vec![ColId(30)], rows: vec![] }, vec![ColId(30)]),
        ],
        columns: vec![ColId(40)],
    };
    let columns = [(ColId(40), INT)];
    assert_eq!(db.query(union.clone(), &columns).unwrap().len(), 20);
    let distinct = Node::Distinct { input: Box::new(union), columns: vec![ColId(40)] };
    let rows = sorted(db.query(distinct, &columns).unwrap());
    assert_eq!(firsts(&rows), [v(0), v(1), v(2), v(3), v(4), Value::Null]);
}

#[test]
fn recursion_runs_in_rounds() {
    let mut db = TestDatabase::new();
    let work = WorktableId(0);
    let recursive = |max_rounds, until| Node::Recursive {
        worktable: work,
        anchor: Box::new((
            Node::Values { columns: vec![ColId(0)], rows: vec![vec![int(1)]] },
            vec![ColId(0)],
        )),
        step: Box::new((
            Node::Compute {
                input: Box::new(Node::Filter {
                    input: Box::new(Node::Worktable { worktable: work, columns: vec![ColId(1)] }),
                    predicate: Pred::Compare(CompareOp::Lt, col(1, INT), int(until)),
                }),
                columns: vec![(ColId(2), arith(ArithOp::Add, col(1, INT), int(1)))],
            },
            vec![ColId(2)],
        )),
        columns: vec![ColId(3)],
        max_rounds,
    };
    let columns = [(ColId(3), INT)];
    let rows = db.query(recursive(100, 50), &columns).unwrap();
    assert_eq!(firsts(&rows), (1..=50).map(v).collect::<Vec<_>>());
    assert_eq!(db.query(recursive(10, 11), &columns).unwrap().len(), 11);
    assert_eq!(db.query(recursive(10, 12), &columns).unwrap_err().number(), 530);
    assert_eq!(db.query(recursive(0, 2000), &columns).unwrap().len(), 2000);
}

#[test]
fn spools_are_filled_once() {
    let mut db = TestDatabase::new();
    db.functions.insert(base::ids::ObjectId(1), |_| {
        use std::sync::atomic::{AtomicI64, Ordering};
        static CALLS: AtomicI64 = AtomicI64::new(0);
        Ok(Value::Int(CALLS.fetch_add(1, Ordering::Relaxed)))
    });
    let call = Expr {
        kind: ExprKind::UserFunction { function: base::ids::ObjectId(1), args: vec![] },
        ty: INT,
        nullable: true,
    };
    let work = WorktableId(9);
    let read = |id| Node::Worktable { worktable: work, columns: vec![ColId(id)] };
    let spool = Node::Spool {
        worktable: work,
        input: Box::new((
            Node::Values { columns: vec![ColId(0)], rows: vec![vec![call.clone()], vec![call]] },
            vec![ColId(0)],
        )),
        body: Box::new(nested(JoinKind::Inner, read(1), read(2), None)),
    };
    let rows = db.query(spool, &[(ColId(1), INT), (ColId(2), INT)]).unwrap();
    let expected = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|r| r.map(v).to_vec());
    assert_eq!(sorted(rows), expected);
}

fn scalar_subquery(plan: Node, column: u32, correlated: bool) -> Expr {
    let subquery = Subquery { plan, column: ColId(column), correlated, implied: false };
    Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty: INT, nullable: true }
}

#[test]
fn subqueries_in_expressions() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let mine = Node::Filter {
        input: Box::new(i.clone()),
        predicate: Pred::And(vec![eq(col(10, INT), col(0, INT)), eq(col(11, INT), int(1))]),
    };
    let with = Node::Compute {
        input: Box::new(o.clone()),
        columns: vec![(ColId(50), scalar_subquery(mine, 10, true))],
    };
    let rows = db.query(with, &[(ColId(0), INT), (ColId(50), INT)]).unwrap();
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|r| match &r[1] {
        Value::Null => r[0] != v(2) && r[0] != v(5) && r[0] != v(8),
        found => *found == r[0],
    }));
    let many = scalar_subquery(i.clone(), 10, false);
    let with = Node::Compute { input: Box::new(o.clone()), columns: vec![(ColId(50), many)] };
    assert_eq!(db.query(with, &[(ColId(50), INT)]).unwrap_err().number(), 512);
    let exists = |plan, correlated| {
        Pred::Exists(Box::new(Subquery { plan, column: ColId(10), correlated, implied: false }))
    };
    let theirs =
        Node::Filter { input: Box::new(i.clone()), predicate: eq(col(10, INT), col(0, INT)) };
    let having = Node::Filter { input: Box::new(o.clone()), predicate: exists(theirs, true) };
    assert_eq!(db.query(having, &[(ColId(0), INT)]).unwrap().len(), 7);
    let never = Node::Filter { input: Box::new(i), predicate: Pred::Const(Some(false)) };
    let none =
        Node::Filter { input: Box::new(o), predicate: Pred::Not(Box::new(exists(never, false))) };
    assert_eq!(db.query(none, &[(ColId(0), INT)]).unwrap().len(), 10);
}

#[test]
fn quantified_comparisons() {
    let (mut db, orders, items) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let mut count = |op, all, correlated, left: Expr, plan: Node, column: u32| {
        let subquery =
            Box::new(Subquery { plan, column: ColId(column), correlated, implied: false });
        let predicate = Pred::Quantified { op, all, left, subquery };
        let filter = Node::Filter { input: Box::new(i.clone()), predicate };
        db.query(filter, &[(ColId(10), INT)]).unwrap().len()
    };
    let known = || Node::Filter {
        input: Box::new(o.clone()),
        predicate: Pred::Compare(CompareOp::Ge, col(1, INT), int(1)),
    };
    for correlated in [false, true] {
        // n IN (customers from 1 on): the three items numbered 1.
        let n = || col(11, INT);
        assert_eq!(count(CompareOp::Eq, false, correlated, n(), known(), 1), 3);
        assert_eq!(count(CompareOp::Ne, true, correlated, n(), known(), 1), 7);
        assert_eq!(count(CompareOp::Eq, false, correlated, n(), o.clone(), 1), 10);
        assert_eq!(count(CompareOp::Ne, true, correlated, n(), o.clone(), 1), 0);
        assert_eq!(count(CompareOp::Lt, true, correlated, n(), known(), 1), 7);
        assert_eq!(count(CompareOp::Le, true, correlated, n(), known(), 1), 10);
        assert_eq!(count(CompareOp::Gt, false, correlated, n(), o.clone(), 1), 3);
        let empty = Node::Values { columns: vec![ColId(1)], rows: vec![] };
        assert_eq!(count(CompareOp::Ne, true, correlated, null(INT), empty.clone(), 1), 10);
        assert_eq!(count(CompareOp::Eq, false, correlated, null(INT), empty, 1), 0);
    }
}

#[test]
fn assignments_go_row_by_row() {
    let (mut db, orders, _) = with_table();
    let (o, _) = scan_all(&orders, 0);
    let ordered = sort(o, &[(0, false)], None, &[0, 1]);
    let compute = Node::Compute {
        input: Box::new(ordered),
        columns: vec![(ColId(60), arith(ArithOp::Add, var(0, INT), col(0, INT)))],
    };
    let plan = Plan::Select(SelectPlan {
        root: compute,
        output: vec![],
        destination: Destination::Variables(vec![(VarId(0), ColId(60))]),
    });
    let mut frame = Frame::new([INT]);
    frame.set(VarId(0), base::ValueRef::Int(0));
    let (_, outcome) = db.run(&plan, &mut frame).unwrap();
    assert_eq!(outcome.rows, 10);
    assert_eq!(frame.get(VarId(0)), base::ValueRef::Int(55));
}

#[test]
fn table_variables_are_sought_like_tables() {
    let def = table_def(3, "@t", &[("id", INT, false), ("g", INT, true)]);
    let def = with_index(def, IndexKind::Hash, true, &[0]);
    let def = Arc::new(with_index(def, IndexKind::NonClustered, false, &[1]));
    let mut frame = Frame::default();
    let table = LocalTable::new(LocalShape::of(&def));
    let var = frame.declare_table(TableSlot::Own(Box::new(table)));
    let mut db = TestDatabase::new();
    let rows: Vec<Vec<Value>> = (1..=9).map(|i| vec![v(i), v(i % 3)]).collect();
    let target = Target::TableVar(var, def.clone());
    let insert = insert_values(target, &def, &rows);
    assert_eq!(db.run(&insert, &mut frame).unwrap().1.rows, 9);
    let error = db.run(&insert, &mut frame).unwrap_err();
    assert_eq!(error.number(), 2601);
    assert!(error.text().contains("(1)"), "{error}");
    let scan = |access| {
        let source = Source::TableVar(var, def.clone());
        let (mut scan, columns) = scan_of(source, &def, 0, None);
        scan.access = access;
        select(Node::Scan(Box::new(scan)), &columns)
    };
    let mut query = |access| sorted(db.run(&scan(access), &mut frame).unwrap().0.rows);
    assert_eq!(query(Access::Full).len(), 9);
    assert_eq!(query(Access::Seek { index: 0, key: vec![int(4)] }), [[v(4), v(1)].to_vec()]);
    let prefix = vec![int(2)];
    let range = Access::Range { index: 1, prefix, lower: None, upper: None, backward: true };
    assert_eq!(firsts(&query(range)), [2, 5, 8].map(v));
}

#[test]
fn rowsets_are_made_when_asked_for() {
    let def = Arc::new(table_def(4, "f", &[("n", INT, true)]));
    let mut db = TestDatabase::new();
    let scan = |args: Vec<Option<Expr>>, first| {
        let source = Source::UserFunction(base::ids::ObjectId(1), args, def.clone());
        Node::Scan(Box::new(scan_of(source, &def, first, None).0))
    };
    let rows = db.query(scan(vec![Some(int(3))], 0), &[(ColId(0), INT)]).unwrap();
    assert_eq!(firsts(&rows), [1, 2, 3].map(v));
    // APPLY: called for each outer row.
    let apply = nested(
        JoinKind::LeftOuter,
        Node::Values { columns: vec![ColId(5)], rows: vec![vec![int(0)], vec![int(2)]] },
        scan(vec![Some(col(5, INT))], 6),
        None,
    );
    let rows = db.query(apply, &[(ColId(5), INT), (ColId(6), INT)]).unwrap();
    assert_eq!(rows, [vec![v(0), Value::Null], vec![v(2), v(1)], vec![v(2), v(2)]]);
}

#[test]
fn memory_beyond_the_grant_is_error_701() {
    let (mut db, orders, items) = with_table();
    let (o, columns) = scan_all(&orders, 0);
    let (i, _) = scan_all(&items, 10);
    let (j, _) = scan_all(&items, 20);
    let many = nested(JoinKind::Inner, nested(JoinKind::Inner, o, i, None), j, None);
    let big = sort(many, &[(0, false)], None, &[0, 1]);
    db.limit_memory(20 << 10);
    assert_eq!(db.query(big.clone(), &columns).unwrap_err().number(), 701);
    assert_eq!(db.memory_used(), 0);
    db.limit_memory(20 << 20);
    assert_eq!(db.query(big, &columns).unwrap().len(), 1000);
    assert_eq!(db.memory_used(), 0);
}

#[test]
fn a_row_limit_ends_a_statement() {
    let (mut db, orders, _) = with_table();
    let (o, columns) = scan_all(&orders, 0);
    db.row_limit = Some(4);
    assert_eq!(db.query(o, &columns).unwrap().len(), 4);
}

#[test]
fn strings_survive_their_loops() {
    // A subquery's string is made in a loop that turns once more before it is used.
    let ty = SqlType::varbinary(40);
    let piece = |t: &str| constant(ty, Value::Bytes(t.as_bytes().into()));
    let concat = |a: Expr, b: Expr| Expr {
        kind: ExprKind::Concat(Box::new(a), Box::new(b)),
        ty,
        nullable: true,
    };
    let inner = Node::Compute {
        input: Box::new(Node::Filter {
            input: Box::new(nested(
                JoinKind::Inner,
                Node::Values {
                    columns: vec![ColId(1)],
                    rows: vec![vec![piece("x")], vec![piece("y")], vec![piece("z")]],
                },
                Node::Values {
                    columns: vec![ColId(2)],
                    rows: vec![vec![piece("1")], vec![piece("2")]],
                },
                None,
            )),
            predicate: Pred::And(vec![
                eq(col(1, ty), piece("x")),
                eq(concat(col(1, ty), col(2, ty)), piece("x1")),
            ]),
        }),
        columns: vec![(
            ColId(3),
            concat(concat(col(1, ty), col(2, ty)), concat(col(0, ty), piece("!"))),
        )],
    };
    let subquery = Subquery { plan: inner, column: ColId(3), correlated: true, implied: false };
    let root = Node::Compute {
        input: Box::new(Node::Values {
            columns: vec![ColId(0)],
            rows: vec![vec![piece("a")], vec![piece("b")]],
        }),
        columns: vec![(
            ColId(4),
            Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty, nullable: true },
        )],
    };
    let rows = TestDatabase::new().query(root, &[(ColId(4), ty)]).unwrap();
    let text = |t: &str| Value::Bytes(t.as_bytes().into());
    assert_eq!(rows, [vec![text("x1a!")], vec![text("x1b!")]]);
}

#[test]
fn rows_that_are_only_counted_are_counted_at_once() {
    let (mut db, orders, _) = with_table();
    let aggregates = ["COUNT", "COUNT_BIG"].map(|name| {
        let function = Library.aggregate(name).expect("it is there");
        Aggregate { function, args: Vec::new(), distinct: false, order: Vec::new(), ty: INT }
    });
    let columns = [(ColId(20), INT), (ColId(21), INT)];
    let counted = |input: Node| Node::Aggregate {
        input: Box::new(input),
        groups: Vec::new(),
        aggregates: columns.iter().map(|column| column.0).zip(aggregates.clone()).collect(),
        grouping_sets: Vec::new(),
        grouping_id: None,
        ordered: false,
    };
    let of_customer = |customer: Expr, backward| Access::Range {
        index: 1,
        prefix: vec![customer],
        lower: None,
        upper: None,
        backward,
    };
    for (access, expected) in [
        (Access::Full, 10),
        (of_customer(int(1), false), 2),
        (of_customer(int(1), true), 2),
        (of_customer(int(77), false), 0),
        (Access::Seek { index: 0, key: vec![int(7)] }, 1),
        (Access::Seek { index: 0, key: vec![null(INT)] }, 0),
    ] {
        let is_point = matches!(access, Access::Seek { .. });
        let node = counted(seek(&orders, 0, access));
        let unit =
            compile::lower::statement(&select(node.clone(), &columns), Default::default()).unwrap();
        let at_once = unit.code.iter().any(|inst| matches!(inst, Inst::GroupCount { .. }));
        assert_eq!(at_once, !is_point, "{}", ir::print::unit(&unit));
        assert_eq!(db.query(node, &columns).unwrap(), [vec![v(expected), v(expected)]]);
    }
}
