use std::cmp::Ordering;

use proptest::prelude::*;

use super::*;
use crate::convert::{ConvertOptions, convert};
use crate::types::Collation;
use crate::types::operators::{Operand, arithmetic};
use crate::value::DateTime;

const C: Collation = Collation::DEFAULT;

/// Types the operator, converts the operands and evaluates it; the result as text.
fn run(
    op: BinaryOperator,
    left: (ValueRef<'_>, SqlType),
    right: (ValueRef<'_>, SqlType),
) -> String {
    let arena = Arena::new();
    let options = ConvertOptions::default();
    let signature = arithmetic(op, &Operand::from(left.1), &Operand::from(right.1)).unwrap();
    let l = convert(left.0, &left.1, &signature.left, &options, &arena).unwrap();
    let r = convert(right.0, &right.1, &signature.right, &options, &arena).unwrap();
    let value = match evaluate(op, l, r, &signature, &arena) {
        Ok(value) => value,
        Err(e) => return format!("{} {}", e.number(), e.text()),
    };
    if value.is_null() {
        return "NULL".into();
    }
    let style = signature.result.kind.is_money().then_some(2);
    let options = ConvertOptions { style, ..options };
    let text = SqlType::varchar(100, C);
    match convert(value, &signature.result, &text, &options, &arena).unwrap() {
        ValueRef::Chars(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        other => format!("{other:?}"),
    }
}

fn int(v: i64) -> (ValueRef<'static>, SqlType) {
    (ValueRef::Int(v), SqlType::int())
}

fn money(v: i64) -> (ValueRef<'static>, SqlType) {
    (ValueRef::Money(v), SqlType::money())
}

fn float(v: f64) -> (ValueRef<'static>, SqlType) {
    (ValueRef::Float(v), SqlType::float())
}

fn text(t: &'static str) -> (ValueRef<'static>, SqlType) {
    (ValueRef::Chars(t.as_bytes()), SqlType::varchar(20, C))
}

#[test]
fn operators_give_sql_servers_results() {
    use BinaryOperator::*;
    let min = i64::from(i32::MIN);
    let tiny = |v| (ValueRef::Int(v), SqlType::tinyint());
    let day = |days, ticks| (ValueRef::DateTime(DateTime { days, ticks }), SqlType::datetime());
    let null = (ValueRef::Null, SqlType::int());
    for (op, left, right, expected) in [
        (Divide, int(7), int(2), "3"),
        (Divide, int(-7), int(2), "-3"),
        (Modulo, int(-7), int(2), "-1"),
        (Divide, int(1), int(0), "8134 Divide by zero error encountered."),
        (Modulo, int(1), int(0), "8134 Divide by zero error encountered."),
        (
            Add,
            int(2_147_483_647),
            int(1),
            "8115 Arithmetic overflow error converting expression to data type int.",
        ),
        (
            Divide,
            int(min),
            int(-1),
            "8115 Arithmetic overflow error converting expression to data type int.",
        ),
        (Modulo, int(min), int(-1), "0"),
        (
            Add,
            tiny(200),
            tiny(100),
            "8115 Arithmetic overflow error converting expression to data type tinyint.",
        ),
        (BitXor, int(5), int(1), "4"),
        (Add, int(5), null, "NULL"),
        (Divide, money(20_000), money(30_000), "0.6666"),
        (Multiply, money(5555), money(5555), "0.3086"),
        (
            Multiply,
            money(i64::MAX),
            money(20_000),
            "8115 Arithmetic overflow error converting expression to data type money.",
        ),
        (Divide, money(1), int(0), "8134 Divide by zero error encountered."),
        (Divide, float(1.0), float(0.0), "8134 Divide by zero error encountered."),
        (
            Multiply,
            float(1e300),
            float(1e300),
            "8115 Arithmetic overflow error converting expression to data type float.",
        ),
        (Add, text("1"), int(2), "3"),
        (Add, text("ab "), text("cd"), "ab cd"),
        (Add, day(0, 0), int(1), "Jan  2 1900 12:00AM"),
        (Subtract, day(10, 0), day(3, 0), "Jan  8 1900 12:00AM"),
        (Add, day(0, 0), float(0.5), "Jan  1 1900 12:00PM"),
        (
            Add,
            day(2_958_463, 0),
            int(1),
            "8115 Arithmetic overflow error converting expression to data type datetime.",
        ),
        (Subtract, day(0, 0), int(1), "Dec 31 1899 12:00AM"),
    ] {
        assert_eq!(run(op, left, right), expected, "{left:?} {op:?} {right:?}");
    }
}

#[test]
fn real_rounds_after_every_operation() {
    let real = (ValueRef::Float(f64::from(0.1f32)), SqlType::real());
    let signature = arithmetic(BinaryOperator::Add, &real.1.into(), &real.1.into()).unwrap();
    let arena = Arena::new();
    let sum = evaluate(BinaryOperator::Add, real.0, real.0, &signature, &arena).unwrap();
    assert_eq!(sum, ValueRef::Float(f64::from(0.2f32)));
}

#[test]
fn unary_operators_keep_their_ranges() {
    use UnaryOperator::*;
    let v = ValueRef::Int;
    assert_eq!(negate(Minus, v(200), &SqlType::tinyint()).unwrap(), v(-200));
    let e = negate(Minus, v(i64::from(i32::MIN)), &SqlType::int()).unwrap_err();
    assert_eq!(e.number(), 8115);
    assert_eq!(negate(BitNot, v(1), &SqlType::bit()).unwrap(), v(0));
    assert_eq!(negate(BitNot, v(1), &SqlType::tinyint()).unwrap(), v(254));
    assert_eq!(negate(BitNot, v(1), &SqlType::int()).unwrap(), v(-2));
    assert_eq!(negate(Minus, ValueRef::Null, &SqlType::int()).unwrap(), ValueRef::Null);
}

#[test]
fn guids_compare_from_the_last_group() {
    let ty = SqlType::uniqueidentifier();
    let with = |at: usize, value| {
        let mut guid = [0u8; 16];
        guid[at] = value;
        ValueRef::Guid(guid)
    };
    for (low, high) in [
        (with(0, 255), with(4, 1)),
        (with(3, 1), with(0, 1)),
        (with(4, 255), with(6, 1)),
        (with(6, 255), with(8, 1)),
        (with(9, 255), with(15, 1)),
        (with(15, 255), with(10, 1)),
    ] {
        assert_eq!(compare(low, high, &ty), Some(Ordering::Less), "{low:?} {high:?}");
    }
}

#[test]
fn binaries_compare_as_if_padded_by_zeros() {
    let ty = SqlType::varbinary(10);
    let b = |bytes: &'static [u8]| ValueRef::Bytes(bytes);
    assert!(equal(b(&[1]), b(&[1, 0]), &ty));
    assert!(equal(b(&[]), b(&[0, 0]), &ty));
    assert_eq!(hash(b(&[1]), &ty), hash(b(&[1, 0]), &ty));
    assert_eq!(compare(b(&[1]), b(&[1, 0, 1]), &ty), Some(Ordering::Less));
    assert_eq!(compare(b(&[2]), b(&[1, 5]), &ty), Some(Ordering::Greater));
}

#[test]
fn variants_compare_by_family_then_value() {
    let arena = Arena::new();
    let variant = SqlType::sql_variant();
    let wrap = |value, ty: SqlType| {
        convert(value, &ty, &variant, &ConvertOptions::default(), &arena).unwrap()
    };
    let rising = [
        wrap(ValueRef::Guid([255; 16]), SqlType::uniqueidentifier()),
        wrap(ValueRef::Bytes(&[1]), SqlType::varbinary(1)),
        wrap(ValueRef::Chars(b"zzz"), SqlType::varchar(3, C)),
        wrap(ValueRef::Int(-5), SqlType::int()),
        wrap(ValueRef::Decimal(150), SqlType::decimal(5, 2)),
        wrap(ValueRef::Int(2), SqlType::bigint()),
        wrap(ValueRef::Float(-1.0), SqlType::float()),
        wrap(ValueRef::Date(0), SqlType::date()),
        wrap(ValueRef::DateTime(DateTime { days: 0, ticks: 0 }), SqlType::datetime()),
    ];
    for pair in rising.windows(2) {
        assert_eq!(compare(pair[0], pair[1], &variant), Some(Ordering::Less));
    }
    let a = wrap(ValueRef::Decimal(200), SqlType::decimal(5, 2));
    assert!(equal(a, rising[5], &variant));
    assert_eq!(hash(a, &variant), hash(rising[5], &variant));
    let narrow = wrap(ValueRef::Chars(b"AB"), SqlType::varchar(3, C));
    let wide = wrap(ValueRef::Unicode(&[97, 0, 98, 0]), SqlType::nvarchar(3, C));
    assert!(equal(narrow, wide, &variant));
    assert_eq!(hash(narrow, &variant), hash(wide, &variant));
}

#[test]
fn null_compares_with_nothing() {
    let ty = SqlType::int();
    assert_eq!(compare(ValueRef::Null, ValueRef::Null, &ty), None);
    assert!(!equal(ValueRef::Null, ValueRef::Int(1), &ty));
    assert_eq!(
        hash(ValueRef::Float(0.0), &SqlType::float()),
        hash(ValueRef::Float(-0.0), &SqlType::float())
    );
}

proptest! {
    #[test]
    fn integers_overflow_exactly_beyond_their_range(a in any::<i64>(), b in any::<i64>(), shift in 0u32..64) {
        let (a, b) = (a >> shift, b >> shift);
        for (kind, low, high) in [
            (TypeKind::BigInt, i128::from(i64::MIN), i128::from(i64::MAX)),
            (TypeKind::Int, i128::from(i32::MIN), i128::from(i32::MAX)),
            (TypeKind::SmallInt, -32_768, 32_767),
        ] {
            let (x, y) = (i128::from(a), i128::from(b));
            for (op, exact) in [
                (BinaryOperator::Add, x + y),
                (BinaryOperator::Subtract, x - y),
                (BinaryOperator::Multiply, x * y),
            ] {
                let expected = (low..=high).contains(&exact).then_some(exact as i64);
                prop_assert_eq!(integer::apply(op, kind, a, b).ok(), expected);
            }
        }
    }
}
