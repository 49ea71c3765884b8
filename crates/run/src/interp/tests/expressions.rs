use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::testing::*;

use crate::interp::frame::Frame;
use crate::interp::testing::*;

fn eval(expr: &Expr) -> Result<Value, i32> {
    TestDatabase::new().value(expr, &mut Frame::default()).map_err(|e| e.number())
}

fn int_of(v: i64) -> Result<Value, i32> {
    Ok(Value::Int(v))
}

#[test]
fn integers_overflow_by_width() {
    let big = |v| constant(SqlType::bigint(), Value::Int(v));
    assert_eq!(eval(&arith(ArithOp::Add, int(2), int(3))), int_of(5));
    assert_eq!(eval(&arith(ArithOp::Add, int(i32::MAX.into()), int(1))), Err(8115));
    assert_eq!(eval(&arith(ArithOp::Add, big(i32::MAX.into()), big(1))), int_of(1 << 31));
    assert_eq!(eval(&arith(ArithOp::Multiply, big(i64::MAX), big(2))), Err(8115));
    assert_eq!(eval(&arith(ArithOp::Divide, int(7), int(0))), Err(8134));
    assert_eq!(eval(&arith(ArithOp::Modulo, int(-7), int(3))), int_of(-1));
}

#[test]
fn null_operands_give_null() {
    let n = || null(SqlType::int());
    assert_eq!(eval(&arith(ArithOp::Add, n(), int(3))), Ok(Value::Null));
    let nested = arith(ArithOp::Add, arith(ArithOp::Multiply, int(2), n()), int(3));
    assert_eq!(eval(&nested), Ok(Value::Null));
    // The division is never reached, since its operand is NULL.
    let skipped = arith(ArithOp::Divide, n(), int(0));
    assert_eq!(eval(&skipped), Ok(Value::Null));
}

#[test]
fn decimals_keep_their_scales() {
    let d = |p, s, v| constant(SqlType::decimal(p, s), Value::Decimal(v));
    let mut sum = arith(ArithOp::Add, d(5, 2, 150), d(6, 3, 2250));
    sum.ty = SqlType::decimal(7, 3);
    assert_eq!(eval(&sum), Ok(Value::Decimal(3750)));
    let wide = cast(int(12), SqlType::decimal(9, 2), CastMode::Explicit);
    assert_eq!(eval(&wide), Ok(Value::Decimal(1200)));
    let narrow = cast(int(12), SqlType::decimal(3, 2), CastMode::Explicit);
    assert_eq!(eval(&narrow), Err(8115));
}

#[test]
fn conversions_fail_or_give_null() {
    let text = |t: &str| {
        constant(SqlType::varchar(20, base::Collation(1)), Value::Chars(t.as_bytes().into()))
    };
    let to_int = |e, mode| cast(e, SqlType::int(), mode);
    assert_eq!(eval(&to_int(text("17"), CastMode::Explicit)), int_of(17));
    assert_eq!(eval(&to_int(text("abc"), CastMode::Explicit)), Err(245));
    assert_eq!(eval(&to_int(text("abc"), CastMode::Try)), Ok(Value::Null));
    assert_eq!(eval(&cast(int(300), SqlType::tinyint(), CastMode::Explicit)), Err(220));
    assert_eq!(eval(&cast(int(300), SqlType::tinyint(), CastMode::Try)), Ok(Value::Null));
    assert_eq!(eval(&cast(int(2), SqlType::bit(), CastMode::Explicit)), int_of(1));
}

#[test]
fn case_takes_the_first_true_branch() {
    let case = |n: Expr| Expr {
        kind: ExprKind::Case {
            branches: vec![
                (Pred::Compare(CompareOp::Gt, n.clone(), int(10)), int(1)),
                (Pred::IsNull(n.clone()), int(2)),
                (Pred::Compare(CompareOp::Lt, n, int(0)), null(SqlType::int())),
            ],
            otherwise: Some(Box::new(int(3))),
        },
        ty: SqlType::int(),
        nullable: true,
    };
    assert_eq!(eval(&case(int(11))), int_of(1));
    assert_eq!(eval(&case(null(SqlType::int()))), int_of(2));
    assert_eq!(eval(&case(int(-1))), Ok(Value::Null));
    assert_eq!(eval(&case(int(5))), int_of(3));
}

#[test]
fn variables_are_read_and_kept() {
    let mut frame = Frame::new([SqlType::int(), SqlType::varbinary(10)]);
    frame.set(VarId(0), base::ValueRef::Int(20));
    let mut db = TestDatabase::new();
    let sum = arith(ArithOp::Add, var(0, SqlType::int()), int(1));
    assert_eq!(db.value(&sum, &mut frame).unwrap(), Value::Int(21));
    let unit = compile::lower::assignment(VarId(0), &sum, Default::default()).unwrap();
    db.run_unit(&unit, &mut frame).unwrap();
    db.run_unit(&unit, &mut frame).unwrap();
    assert_eq!(frame.get(VarId(0)), base::ValueRef::Int(22));
}

#[test]
fn a_string_grows_in_its_own_variable() {
    let ty = SqlType::varbinary(100);
    let mut frame = Frame::new([ty]);
    frame.set(VarId(0), base::ValueRef::Bytes(b"a"));
    let tail = constant(ty, Value::Bytes(b"b".as_slice().into()));
    let grown =
        Expr { kind: ExprKind::Concat(Box::new(var(0, ty)), Box::new(tail)), ty, nullable: true };
    let unit = compile::lower::assignment(VarId(0), &grown, Default::default()).unwrap();
    let mut db = TestDatabase::new();
    (0..3).for_each(|_| drop(db.run_unit(&unit, &mut frame).unwrap()));
    assert_eq!(frame.get(VarId(0)), base::ValueRef::Bytes(b"abbb"));
}

/// True, false and unknown as the condition's three ways show them: through `CASE` on the
/// condition, on its negation, and neither.
fn truth(pred: Pred) -> Option<bool> {
    let mut db = TestDatabase::new();
    let is = db.holds(&pred, &mut Frame::default()).unwrap();
    let is_not = db.holds(&Pred::Not(Box::new(pred)), &mut Frame::default()).unwrap();
    match (is, is_not) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
        (true, true) => panic!("true and false"),
    }
}

#[test]
fn conditions_have_three_values() {
    let values = [Some(true), Some(false), None];
    // Not folded away: a comparison with a constant.
    let term = |v: Option<bool>| match v {
        Some(true) => eq(int(1), int(1)),
        Some(false) => eq(int(1), int(2)),
        None => eq(null(SqlType::int()), int(1)),
    };
    for a in values {
        for b in values {
            let and = match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
            let or = match (a, b) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
            assert_eq!(truth(Pred::And(vec![term(a), term(b)])), and, "{a:?} AND {b:?}");
            assert_eq!(truth(Pred::Or(vec![term(a), term(b)])), or, "{a:?} OR {b:?}");
            // Where all three ways differ, as in a condition inside another one.
            let nested = Pred::Or(vec![
                Pred::Not(Box::new(Pred::And(vec![term(a), term(b)]))),
                Pred::And(vec![Pred::Or(vec![term(a), term(b)]), term(a)]),
            ]);
            truth(nested);
        }
    }
}

#[test]
fn lists_know_unknown() {
    let n = || null(SqlType::int());
    let many = |extra: Vec<Expr>| (1..=8).map(int).chain(extra).collect::<Vec<_>>();
    assert_eq!(truth(Pred::In(int(5), many(vec![]))), Some(true));
    assert_eq!(truth(Pred::In(int(50), many(vec![]))), Some(false));
    assert_eq!(truth(Pred::In(int(50), many(vec![n()]))), None);
    assert_eq!(truth(Pred::In(int(5), many(vec![n()]))), Some(true));
    assert_eq!(truth(Pred::In(n(), many(vec![]))), None);
    let sum = arith(ArithOp::Add, n(), int(1));
    assert_eq!(truth(Pred::In(int(9), vec![int(1), sum.clone()])), None);
    assert_eq!(truth(Pred::In(int(1), vec![sum, int(1)])), Some(true));
}

#[test]
fn distinctness_is_never_unknown() {
    let n = || null(SqlType::int());
    assert_eq!(truth(Pred::NotDistinct(n(), n())), Some(true));
    assert_eq!(truth(Pred::NotDistinct(n(), int(1))), Some(false));
    assert_eq!(truth(Pred::NotDistinct(int(1), n())), Some(false));
    assert_eq!(truth(Pred::NotDistinct(int(1), int(1))), Some(true));
    assert_eq!(truth(Pred::IsNull(n())), Some(true));
    assert_eq!(truth(Pred::IsNull(int(1))), Some(false));
}

#[test]
fn patterns_match_by_collation() {
    let ty = SqlType::varchar(20, base::Collation(1));
    let text = |t: &str| constant(ty, Value::Chars(t.as_bytes().into()));
    let like = |s: &str, p: Expr, e: Option<Expr>| {
        truth(Pred::Like { subject: text(s), pattern: p, escape: e })
    };
    assert_eq!(like("Hello", text("h%O"), None), Some(true));
    assert_eq!(like("Hello", text("x%"), None), Some(false));
    assert_eq!(like("Hello", null(ty), None), None);
    assert_eq!(like("50%", text("50!%"), Some(text("!"))), Some(true));
    let mut frame = Frame::new([ty]);
    frame.set(VarId(0), base::ValueRef::Chars(b"_ello"));
    let dynamic = Pred::Like { subject: text("hello"), pattern: var(0, ty), escape: None };
    assert!(TestDatabase::new().holds(&dynamic, &mut frame).unwrap());
}

#[test]
fn arithmetic_errors_give_null_where_the_session_wants_it() {
    let options =
        compile::lower::Options { arithmetic_errors_are_null: true, ..Default::default() };
    let sum = arith(ArithOp::Add, arith(ArithOp::Divide, int(1), int(0)), int(5));
    let unit = compile::lower::scalar(&sum, options).unwrap();
    let mut db = TestDatabase::new();
    let (_, _) = db.run_unit(&unit, &mut Frame::default()).unwrap();
    let unit = compile::lower::condition(&Pred::IsNull(sum), options).unwrap();
    let mut frame = Frame::default();
    let (_, outcome) = db.run_unit(&unit, &mut frame).unwrap();
    assert_eq!(outcome.rows, 0);
}

#[test]
fn user_functions_are_called_with_their_defaults() {
    let mut db = TestDatabase::new();
    let id = base::ids::ObjectId(77);
    db.functions.insert(id, |args| {
        assert_eq!(args.len(), 2);
        match (&args[0], &args[1]) {
            (Value::Int(a), Value::Null) => Ok(Value::Int(a * 2)),
            other => panic!("{other:?}"),
        }
    });
    let call = Expr {
        kind: ExprKind::UserFunction { function: id, args: vec![Some(int(21)), None] },
        ty: SqlType::int(),
        nullable: true,
    };
    assert_eq!(db.value(&call, &mut Frame::default()).unwrap(), Value::Int(42));
}
