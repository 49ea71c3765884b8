//! Every operator on every type, with the values at the edges, and NULL.

use base::value::DateTime;
use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::testing::{arith, cast, constant, var};
use ir::Unit;
use run::interp::Frame;
use run::interp::testing::TestDatabase;

use super::compile;

const TYPES: [fn() -> SqlType; 17] = [
    SqlType::bit,
    SqlType::tinyint,
    SqlType::smallint,
    SqlType::int,
    SqlType::bigint,
    || SqlType::decimal(5, 2),
    || SqlType::decimal(18, 0),
    || SqlType::decimal(38, 10),
    SqlType::money,
    SqlType::real,
    SqlType::float,
    SqlType::date,
    SqlType::datetime,
    || SqlType::datetime2(7),
    SqlType::uniqueidentifier,
    || SqlType::varchar(20, base::Collation(1)),
    || SqlType::varbinary(20),
];

/// Values of a type: the smallest, the greatest, and some between them.
fn values(ty: &SqlType) -> Vec<Value> {
    use base::TypeKind::*;
    let ints = |values: &[i64]| values.iter().map(|v| Value::Int(*v)).collect();
    let nines = |digits: u8| 10i128.pow(u32::from(digits)) - 1;
    let mut values: Vec<Value> = match ty.kind {
        Bit => ints(&[0, 1]),
        TinyInt => ints(&[0, 1, 2, 254, 255]),
        SmallInt => ints(&[i16::MIN.into(), -7, -1, 0, 1, 7, i16::MAX.into()]),
        Int => ints(&[i32::MIN.into(), -7, -1, 0, 1, 7, 46_341, i32::MAX.into()]),
        BigInt => ints(&[i64::MIN, -7, -1, 0, 1, 7, 1 << 40, i64::MAX - 1, i64::MAX]),
        Decimal => [-nines(ty.precision), -150, -1, 0, 1, 250, nines(ty.precision)]
            .map(Value::Decimal)
            .to_vec(),
        Money => [i64::MIN, -15_000, 0, 1, 25_000, i64::MAX].map(Value::Money).to_vec(),
        Real => [f64::from(f32::MIN), -1.5, 0.0, 1e-30, 2.5, f64::from(f32::MAX)]
            .map(Value::Float)
            .to_vec(),
        Float => [f64::MIN, -1.5, -0.0, 0.0, 1e-300, 2.5, f64::MAX].map(Value::Float).to_vec(),
        Date => [0, 1, 700_000, 3_652_058].map(Value::Date).to_vec(),
        DateTime => [(-53_690, 0), (0, 1), (40_000, 25_919_999)]
            .map(|(days, ticks)| Value::DateTime(self::DateTime { days, ticks }))
            .to_vec(),
        DateTime2 => [0, 1, 600_000_000_000_000_000].map(Value::DateTime2).to_vec(),
        UniqueIdentifier => [[0; 16], [1; 16], [255; 16]].map(Value::Guid).to_vec(),
        VarChar => {
            ["", "a", "A ", "12", "-3.5", "x"].map(|t| Value::Chars(t.as_bytes().into())).to_vec()
        }
        VarBinary => [&[][..], &[0], &[1, 2, 3]].map(|b| Value::Bytes(b.into())).to_vec(),
        other => panic!("{other:?} is not tried"),
    };
    values.push(Value::Null);
    values
}

/// An expression's unit twice: interpreted and compiled.
struct Pair {
    interpreted: Unit,
    compiled: Unit,
}

impl Pair {
    fn new(expr: &Expr) -> Pair {
        let lower = || compile::lower::scalar(expr, Default::default()).expect("it can be lowered");
        let pair = Pair { interpreted: lower(), compiled: lower() };
        compile(&pair.compiled);
        pair
    }

    /// Both results for these variables, which must agree.
    fn check(
        &self,
        db: &mut TestDatabase,
        types: &[SqlType],
        values: &[&Value],
        what: &dyn Fn() -> String,
    ) -> bool {
        let mut run = |unit: &Unit| {
            let mut frame = Frame::new(types.iter().copied());
            for (at, value) in values.iter().enumerate() {
                frame.set_owned(VarId(at as u32), value);
            }
            let value = db.evaluate_unit(unit, &mut frame);
            value.map(|v| format!("{v:?}")).map_err(|e| (e.number(), e.state(), e.to_string()))
        };
        let expected = run(&self.interpreted);
        assert_eq!(run(&self.compiled), expected, "{} of {values:?}", what());
        expected.is_ok()
    }
}

/// The result of arithmetic on two operands of one type, and whether there is such arithmetic.
fn result_of(op: ArithOp, ty: &SqlType) -> Option<SqlType> {
    use base::types::Repr;
    let bits = matches!(op, ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor);
    let (p, s) = (ty.precision, ty.scale);
    match ty.kind.repr() {
        Repr::Int => (bits || ty.kind != base::TypeKind::Bit).then_some(*ty),
        Repr::Money if !bits => Some(*ty),
        Repr::Float if !bits && op != ArithOp::Modulo => Some(*ty),
        Repr::Decimal => match op {
            ArithOp::Add | ArithOp::Subtract => Some(SqlType::decimal((p + 1).min(38), s)),
            ArithOp::Multiply if 2 * p < 38 => Some(SqlType::decimal(2 * p + 1, 2 * s)),
            ArithOp::Multiply => Some(SqlType::decimal(38, s)),
            ArithOp::Divide => Some(SqlType::decimal(38, s.max(6))),
            ArithOp::Modulo => Some(*ty),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn arithmetic_agrees() {
    use ArithOp::*;
    let mut db = TestDatabase::new();
    let (mut right, mut wrong) = (0, 0);
    for ty in TYPES.map(|ty| ty()) {
        for op in [Add, Subtract, Multiply, Divide, Modulo, BitAnd, BitOr, BitXor] {
            let Some(result) = result_of(op, &ty) else { continue };
            let mut expr = arith(op, var(0, ty), var(1, ty));
            expr.ty = result;
            let pair = Pair::new(&expr);
            for a in &values(&ty) {
                for b in &values(&ty) {
                    let what = || format!("{op:?} of {ty:?}");
                    match pair.check(&mut db, &[ty, ty], &[a, b], &what) {
                        true => right += 1,
                        false => wrong += 1,
                    }
                }
            }
        }
    }
    assert!(right > 1000 && wrong > 100, "{right} results, {wrong} errors");
}

#[test]
fn decimals_of_different_scales_agree() {
    let mut db = TestDatabase::new();
    for (left, right) in [((9, 2), (7, 5)), ((5, 0), (18, 4)), ((18, 9), (18, 0))] {
        let (left, right) = (SqlType::decimal(left.0, left.1), SqlType::decimal(right.0, right.1));
        let scale = left.scale.max(right.scale);
        let whole = (left.precision - left.scale).max(right.precision - right.scale);
        let sum = SqlType::decimal(whole + scale + 1, scale);
        let product =
            SqlType::decimal(left.precision + right.precision + 1, left.scale + right.scale);
        for (op, ty) in
            [(ArithOp::Add, sum), (ArithOp::Subtract, sum), (ArithOp::Multiply, product)]
        {
            let mut expr = arith(op, var(0, left), var(1, right));
            expr.ty = ty;
            let pair = Pair::new(&expr);
            for a in &values(&left) {
                for b in &values(&right) {
                    pair.check(&mut db, &[left, right], &[a, b], &|| format!("{op:?}"));
                }
            }
        }
    }
}

#[test]
fn comparisons_agree() {
    use CompareOp::*;
    let mut db = TestDatabase::new();
    for ty in TYPES.map(|ty| ty()) {
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            let number = |n| constant(SqlType::int(), Value::Int(n));
            let condition = Pred::Compare(op, var(0, ty), var(1, ty));
            let inverse = Pred::Not(Box::new(condition.clone()));
            let branches = vec![(condition, number(1)), (inverse, number(0))];
            let kind = ExprKind::Case { branches, otherwise: None };
            let pair = Pair::new(&Expr { kind, ty: SqlType::int(), nullable: true });
            for a in &values(&ty) {
                for b in &values(&ty) {
                    pair.check(&mut db, &[ty, ty], &[a, b], &|| format!("{op:?} of {ty:?}"));
                }
            }
        }
    }
}

#[test]
fn conversions_agree() {
    let mut db = TestDatabase::new();
    let (mut right, mut wrong) = (0, 0);
    for from in TYPES.map(|ty| ty()) {
        for to in TYPES.map(|ty| ty()) {
            for mode in [CastMode::Explicit, CastMode::Assign, CastMode::Try] {
                let expr = cast(var(0, from), to, mode);
                let Ok(unit) = compile::lower::scalar(&expr, Default::default()) else { continue };
                drop(unit);
                let pair = Pair::new(&expr);
                for value in &values(&from) {
                    let what = || format!("{mode:?} of {from:?} to {to:?}");
                    match pair.check(&mut db, &[from], &[value], &what) {
                        true => right += 1,
                        false => wrong += 1,
                    }
                }
            }
        }
    }
    assert!(right > 1000 && wrong > 100, "{right} results, {wrong} errors");
}

#[test]
fn units_that_give_null_for_errors_stay_interpreted() {
    use ir::machine_code::CodeGenerator;
    let sum = arith(ArithOp::Add, var(0, SqlType::int()), var(1, SqlType::int()));
    let options =
        compile::lower::Options { arithmetic_errors_are_null: true, ..Default::default() };
    let unit = compile::lower::scalar(&sum, options).expect("it can be lowered");
    let generator = crate::Generator::new().expect("this machine is known");
    assert!(generator.generate(&unit).is_err());
}
