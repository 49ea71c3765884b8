//! Series: which numbers they have, and that they are never all in memory.

use base::decimal::pow10;
use base::types::Repr;
use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::hints::AccessHint;
use compile::plan::testing::*;
use compile::plan::tree::*;
use ir::function::Functions;

use crate::func::Library;
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();
const BIGINT: SqlType = SqlType::bigint();

/// The numbers of a series, one after the other.
pub fn numbers(args: &[Value], ty: &SqlType) -> Vec<Value> {
    let units: Option<Vec<i128>> = (args.iter())
        .map(|value| match value {
            Value::Int(v) => Some(i128::from(*v)),
            Value::Decimal(v) => Some(*v),
            _ => None,
        })
        .collect();
    let Some(units) = units else { return Vec::new() };
    let (start, stop) = (units[0], units[1]);
    let decimal = ty.kind.repr() == Repr::Decimal;
    let one = if decimal { pow10(ty.scale.into()) } else { 1 };
    let step = units.get(2).copied().unwrap_or(if start <= stop { one } else { -one });
    let count =
        if (stop - start).signum() == -step.signum() { 0 } else { (stop - start) / step + 1 };
    (0..count)
        .map(|at| start + at * step)
        .map(|v| if decimal { Value::Decimal(v) } else { Value::Int(v as i64) })
        .collect()
}

pub fn series(args: Vec<Expr>, column: u32) -> Node {
    let function = Library.rowset("GENERATE_SERIES").unwrap();
    Node::Scan(Box::new(Scan {
        source: Source::Function(function, args),
        columns: vec![(0, ColId(column))],
        access: Access::Full,
        residual: None,
        row: None,
        options: ReadOptions::default(),
        hint: AccessHint::default(),
    }))
}

pub fn top(input: Node, count: i64) -> Node {
    let count = constant(BIGINT, Value::Int(count));
    Node::Top { input: Box::new(input), count, percent: false, ties: None }
}

/// The first numbers of a series.
fn found(ty: SqlType, args: &[Value]) -> Result<Vec<Value>, i32> {
    let args = args.iter().map(|value| constant(ty, value.clone())).collect();
    let rows = TestDatabase::new().query(top(series(args, 0), 9), &[(ColId(0), ty)]);
    rows.map(|rows| rows.into_iter().flatten().collect()).map_err(|error| error.number())
}

#[track_caller]
fn check_ints(ty: SqlType, args: &[i64], expected: &[i64]) {
    let values = |of: &[i64]| -> Vec<Value> { of.iter().map(|v| Value::Int(*v)).collect() };
    assert_eq!(found(ty, &values(args)), Ok(values(expected)));
}

#[track_caller]
fn check_decimals(ty: SqlType, args: &[i128], expected: &[i128]) {
    let values = |of: &[i128]| -> Vec<Value> { of.iter().map(|v| Value::Decimal(*v)).collect() };
    assert_eq!(found(ty, &values(args)), Ok(values(expected)));
}

#[test]
fn series_go_from_start_to_stop() {
    check_ints(INT, &[1, 4], &[1, 2, 3, 4]);
    check_ints(INT, &[4, 1], &[4, 3, 2, 1]);
    check_ints(INT, &[7, 7], &[7]);
    check_ints(INT, &[7, 7, -5], &[7]);
    check_ints(INT, &[1, 10, 4], &[1, 5, 9]);
    check_ints(INT, &[10, 1, -4], &[10, 6, 2]);
    check_ints(INT, &[1, 5, -1], &[]);
    check_ints(INT, &[5, 1, 1], &[]);
    check_decimals(SqlType::decimal(1, 1), &[0, 5, 2], &[0, 2, 4]);
    check_decimals(SqlType::decimal(3, 1), &[-5, 16], &[-5, 5, 15]);
    check_decimals(SqlType::decimal(3, 1), &[16, -5], &[16, 6, -4]);
}

#[test]
fn a_series_ends_where_its_type_does() {
    check_ints(SqlType::tinyint(), &[254, 255], &[254, 255]);
    check_ints(SqlType::tinyint(), &[1, 0], &[1, 0]);
    check_ints(SqlType::tinyint(), &[200, 255, 100], &[200]);
    check_ints(BIGINT, &[i64::MAX - 1, i64::MAX], &[i64::MAX - 1, i64::MAX]);
    check_ints(BIGINT, &[i64::MIN + 1, i64::MIN], &[i64::MIN + 1, i64::MIN]);
    check_ints(BIGINT, &[i64::MIN, i64::MAX, i64::MAX], &[i64::MIN, -1, i64::MAX - 1]);
    check_ints(BIGINT, &[i64::MAX, i64::MIN, i64::MIN], &[i64::MAX, -1]);
    let most = pow10(38) - 1;
    let widest = SqlType::decimal(38, 0);
    check_decimals(widest, &[most - 1, most], &[most - 1, most]);
    check_decimals(widest, &[-most, most, most], &[-most, 0, most]);
    check_decimals(widest, &[most, -most, -most], &[most, 0, -most]);
    // 1 is none of its numbers.
    check_decimals(SqlType::decimal(38, 38), &[most - 1, most], &[most - 1]);
    check_decimals(SqlType::decimal(38, 38), &[most, -most], &[most, -1]);
}

#[test]
fn null_makes_no_series_and_a_step_of_0_is_an_error() {
    let one = Value::Int(1);
    for at in 0..3 {
        let mut args = [one.clone(), one.clone(), Value::Int(0)];
        args[at] = Value::Null;
        assert_eq!(found(INT, &args), Ok(Vec::new()));
    }
    assert_eq!(found(INT, &[one.clone(), one, Value::Int(0)]), Err(9830));
    let zero = Value::Decimal(0);
    assert_eq!(found(SqlType::decimal(5, 2), &[zero.clone(), zero.clone(), zero]), Err(9830));
}

/// All rows of a series were made in memory before the first was looked at.
#[test]
fn a_series_takes_no_memory_and_no_time_for_numbers_that_are_not_asked_for() {
    let mut db = TestDatabase::new();
    db.limit_memory(20 << 10);
    let number = |v| constant(BIGINT, Value::Int(v));
    let endless = |column| series(vec![number(1), number(i64::MAX)], column);
    let columns = [(ColId(0), BIGINT), (ColId(1), BIGINT)];
    let firsts = db.query(top(endless(0), 3), &columns[..1]).unwrap();
    assert_eq!(firsts, [1, 2, 3].map(|v| vec![Value::Int(v)]));
    // Each of these starts the inner one over, and leaves it early.
    let inner = top(series(vec![col(0, BIGINT), number(i64::MIN)], 1), 2);
    let kinds = [JoinKind::Inner, JoinKind::LeftOuter];
    for kind in kinds {
        let apply = nested(kind, endless(0), inner.clone());
        let rows = db.query(top(apply, 4), &columns).unwrap();
        assert_eq!(rows, [[1, 1], [1, 0], [2, 2], [2, 1]].map(|r| r.map(Value::Int).to_vec()));
    }
    let some = series(vec![number(1), number(5)], 0);
    let rows = db.query(nested(JoinKind::Semi, some, endless(1)), &columns[..1]).unwrap();
    assert_eq!(rows.len(), 5);
    // More numbers than the memory would hold.
    let many = Node::Filter {
        input: Box::new(series(vec![number(1), number(100_000)], 0)),
        predicate: Pred::Compare(CompareOp::Gt, col(0, BIGINT), number(99_999)),
    };
    assert_eq!(db.query(many, &columns[..1]).unwrap(), [[Value::Int(100_000)]]);
    assert_eq!(db.memory_used(), 0);
}

pub fn nested(kind: JoinKind, outer: Node, inner: Node) -> Node {
    Node::NestedLoop { kind, outer: Box::new(outer), inner: Box::new(inner), predicate: None }
}

#[test]
fn an_outer_row_without_numbers_stays_in_an_outer_apply() {
    let columns = [(ColId(0), INT), (ColId(1), INT)];
    let outer = Node::Values {
        columns: vec![ColId(0)],
        rows: vec![vec![int(0)], vec![null(INT)], vec![int(2)]],
    };
    let inner = series(vec![int(1), col(0, INT), int(1)], 1);
    let rows =
        TestDatabase::new().query(nested(JoinKind::LeftOuter, outer, inner), &columns).unwrap();
    let (v, none) = (Value::Int, Value::Null);
    let expected = [[v(0), none.clone()], [none.clone(), none], [v(2), v(1)], [v(2), v(2)]];
    assert_eq!(rows, expected.map(Vec::from));
}
