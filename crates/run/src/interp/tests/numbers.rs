//! Rows that are numbered as they come, of which none is kept.

use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::testing::*;
use compile::plan::tree::*;

use super::series::{nested, series, top};
use crate::interp::testing::*;

const BIGINT: SqlType = SqlType::bigint();

fn numbered(input: Node, columns: &[u32], number: u32) -> Node {
    let function = WindowFunction { kind: WindowKind::RowNumber, ty: BIGINT };
    Node::Window {
        input: Box::new(input),
        partition: Vec::new(),
        order: Vec::new(),
        functions: vec![(ColId(number), function)],
        columns: columns.iter().map(|c| ColId(*c)).collect(),
    }
}

fn number(v: i64) -> Expr {
    constant(BIGINT, Value::Int(v))
}

fn rows<const N: usize, const M: usize>(values: [[i64; N]; M]) -> Vec<Vec<Value>> {
    values.map(|row| row.map(Value::Int).to_vec()).to_vec()
}

/// All rows were collected before the first one had its number.
#[test]
fn numbers_take_no_memory_and_no_rows_that_are_not_asked_for() {
    let mut db = TestDatabase::new();
    db.limit_memory(20 << 10);
    let endless = |column| series(vec![number(5), number(i64::MAX)], column);
    let pairs = nested(JoinKind::Inner, endless(0), endless(1));
    let columns = [(ColId(0), BIGINT), (ColId(1), BIGINT), (ColId(2), BIGINT)];
    let firsts = db.query(top(numbered(pairs, &[0, 1], 2), 3), &columns).unwrap();
    assert_eq!(firsts, rows([[5, 5, 1], [5, 6, 2], [5, 7, 3]]));
    // More rows than the memory would hold.
    let many = Node::Filter {
        input: Box::new(numbered(series(vec![number(1), number(100_000)], 0), &[0], 1)),
        predicate: Pred::Compare(CompareOp::Gt, col(1, BIGINT), number(99_999)),
    };
    assert_eq!(db.query(many, &columns[1..2]).unwrap(), rows([[100_000]]));
    assert_eq!(db.memory_used(), 0);
}

#[test]
fn each_evaluation_numbers_from_1() {
    let columns = [(ColId(0), BIGINT), (ColId(1), BIGINT), (ColId(2), BIGINT)];
    let outer = || series(vec![number(1), number(3)], 0);
    // Left early, at its end, and without any row.
    let inner = numbered(series(vec![col(0, BIGINT), number(4), number(1)], 1), &[1], 2);
    let apply = nested(JoinKind::Inner, outer(), top(inner.clone(), 2));
    let found = TestDatabase::new().query(apply, &columns).unwrap();
    assert_eq!(found, rows([[1, 1, 1], [1, 2, 2], [2, 2, 1], [2, 3, 2], [3, 3, 1], [3, 4, 2]]));
    let above_2 = Pred::Compare(CompareOp::Gt, col(2, BIGINT), number(2));
    let third = Node::Filter { input: Box::new(inner), predicate: above_2 };
    let apply = nested(JoinKind::LeftOuter, outer(), third);
    let mut expected = rows([[1, 3, 3], [1, 4, 4], [2, 4, 3]]);
    expected.push(vec![Value::Int(3), Value::Null, Value::Null]);
    assert_eq!(TestDatabase::new().query(apply, &columns).unwrap(), expected);
}

/// Rows of an outer join reach what is above it on two ways, and are counted together.
#[test]
fn rows_with_and_without_a_match_are_numbered_together() {
    let columns = [(ColId(0), BIGINT), (ColId(1), BIGINT), (ColId(2), BIGINT)];
    let left = series(vec![number(1), number(3)], 0);
    let right = series(vec![number(2), number(2)], 1);
    let kind = JoinKind::LeftOuter;
    let predicate = Some(Pred::Compare(CompareOp::Eq, col(0, BIGINT), col(1, BIGINT)));
    let (outer, inner) = (Box::new(left.clone()), Box::new(right.clone()));
    let looped = Node::NestedLoop { kind, outer, inner, predicate };
    let keys = vec![(col(0, BIGINT), col(1, BIGINT))];
    let (probe, build) = (Box::new(left), Box::new(right));
    let hashed = Node::HashJoin { kind, probe, build, keys, null_equal: false, residual: None };
    for join in [looped, hashed] {
        let found = TestDatabase::new().query(numbered(join, &[0, 1], 2), &columns).unwrap();
        let (v, none) = (Value::Int, Value::Null);
        let expected = [[v(1), none.clone(), v(1)], [v(2), v(2), v(2)], [v(3), none, v(3)]];
        assert_eq!(found, expected.map(Vec::from));
    }
}
