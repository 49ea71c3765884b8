use proptest::prelude::*;

use super::*;
use crate::types::operators::{BinaryOperator, Operand, arithmetic};

fn d(text: &str) -> (i128, SqlType) {
    let scale = text.split_once('.').map_or(0, |(_, f)| f.len()) as u8;
    let precision = text.bytes().filter(u8::is_ascii_digit).count() as u8;
    (parse(text.as_bytes(), 38, scale).unwrap(), SqlType::decimal(precision, scale))
}

fn apply(op: BinaryOperator, a: &str, b: &str) -> Result<String, i32> {
    let ((x, tx), (y, ty)) = (d(a), d(b));
    let result = arithmetic(op, &Operand::from(tx), &Operand::from(ty)).unwrap().result;
    let f = match op {
        BinaryOperator::Add => add,
        BinaryOperator::Subtract => subtract,
        BinaryOperator::Multiply => multiply,
        BinaryOperator::Divide => divide,
        _ => remainder,
    };
    f(x, tx.scale, y, ty.scale, &result)
        .map(|v| format(v, result.scale).as_str().to_string())
        .map_err(|e| e.number())
}

#[test]
fn arithmetic_gives_sql_servers_results() {
    use BinaryOperator::*;
    for (op, a, b, expected) in [
        (Add, "1.5", "2.25", "3.75"),
        (Subtract, "1.00", "2.5", "-1.50"),
        (Multiply, "1.5", "2.25", "3.375"),
        (Divide, "2.0", "3", "0.666666"),
        (Divide, "1.0", "3", "0.333333"),
        (Divide, "-2.0", "3", "-0.666666"),
        (Divide, "1", "3.0", "0.333333"),
        (Modulo, "-7.5", "2", "-1.5"),
        (Modulo, "7.5", "-2", "1.5"),
        // 38 digits each: the quotient keeps six after the point.
        (
            Divide,
            "12345678901234567890123456789012345678",
            "1.0",
            "12345678901234567890123456789012345678.000000",
        ),
    ] {
        let got = apply(op, a, b);
        if a.len() > 30 {
            assert_eq!(got, Err(8115));
        } else {
            assert_eq!(got, Ok(expected.to_string()), "{a} {op:?} {b}");
        }
    }
    assert_eq!(apply(Divide, "1", "0"), Err(8134));
    assert_eq!(apply(Modulo, "1", "0.0"), Err(8134));
    let nines = "9".repeat(38);
    assert_eq!(apply(Add, &nines, "1"), Err(8115));
    assert_eq!(apply(Multiply, &nines, "2"), Err(8115));
}

#[test]
fn multiplication_rounds_where_scale_is_reduced() {
    let t = SqlType::decimal(38, 20);
    let result = arithmetic(BinaryOperator::Multiply, &t.into(), &t.into()).unwrap().result;
    let a = parse(b"0.0000009", 38, 20).unwrap();
    let one = parse(b"1", 38, 20).unwrap();
    let product = multiply(a, 20, one, 20, &result).unwrap();
    assert_eq!(format(product, result.scale).as_str(), "0.000001");
}

#[test]
fn text_round_trips() {
    for (value, scale, text) in [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (-50, 2, "-0.50"),
        (12345, 2, "123.45"),
        (MAX, 0, "99999999999999999999999999999999999999"),
        (-MAX, 38, "-0.99999999999999999999999999999999999999"),
        (10_000_000_000_000_000, 0, "10000000000000000"),
        (10_000_000_000_000_000, 16, "1.0000000000000000"),
        (1, 20, "0.00000000000000000001"),
    ] {
        assert_eq!(format(value, scale).as_str(), text);
        assert_eq!(parse(text.as_bytes(), 38, scale), Ok(value));
    }
}

#[test]
fn parsing_rounds_and_refuses() {
    assert_eq!(parse(b"  +1.235 ", 5, 2), Ok(124));
    assert_eq!(parse(b"-1.235", 5, 2), Ok(-124));
    assert_eq!(parse(b"1.2349999", 5, 2), Ok(123));
    assert_eq!(parse(b"- 5", 5, 0), Ok(-5));
    assert_eq!(parse(b".5", 5, 1), Ok(5));
    assert_eq!(parse(b"5.", 5, 1), Ok(50));
    assert_eq!(parse(b"000000000000000000000000000000000000000000001", 5, 1), Ok(10));
    assert_eq!(parse(b"999.995", 5, 2), Err(ParseError::Overflow));
    for text in ["", " ", "-", ".", "1e3", "1.2.3", "$1", "1,000", "abc", "1-"] {
        assert_eq!(parse(text.as_bytes(), 10, 2), Err(ParseError::Syntax), "{text:?}");
    }
    assert_eq!(parse("9".repeat(400).as_bytes(), 38, 0), Err(ParseError::Overflow));
}

#[test]
fn floats_convert_exactly_before_rounding() {
    for (value, scale, expected) in [
        (0.5, 0, Some("1")),
        (-0.5, 0, Some("-1")),
        (2.5, 0, Some("3")),
        (1.005, 2, Some("1.00")),
        (0.1, 20, Some("0.10000000000000000555")),
        (1e37, 0, Some("9999999999999999538762658202121142272")),
        (1e38, 0, Some("99999999999999997748809823456034029568")),
        (2e38, 0, None),
        (1e300, 0, None),
        (5e-324, 38, Some("0.00000000000000000000000000000000000000")),
        (f64::NAN, 2, None),
        (f64::INFINITY, 2, None),
        (-123.456, 2, Some("-123.46")),
    ] {
        let got = from_f64(value, scale).map(|v| format(v, scale).as_str().to_string());
        assert_eq!(got.as_deref(), expected, "{value} at {scale}");
    }
    assert_eq!(to_f64(1, 1), 0.1);
    assert_eq!(to_f64(123_456_789_012_345_678_901, 10), 12_345_678_901.234_568);
}

#[test]
fn rounding_function_keeps_the_type() {
    let t = SqlType::decimal(5, 2);
    assert_eq!(round(74858, 1, Rounding::Round, &t).unwrap(), 74860);
    assert_eq!(round(74858, -1, Rounding::Round, &t).unwrap(), 75000);
    assert_eq!(round(74858, -2, Rounding::Truncate, &t).unwrap(), 70000);
    assert_eq!(round(74858, -3, Rounding::Round, &t).unwrap_err().number(), 8115);
    assert_eq!(round(74858, -30, Rounding::Round, &t).unwrap(), 0);
    assert_eq!(round(74858, 30, Rounding::Round, &t).unwrap(), 74858);
    assert_eq!((floor(-150, 2), ceiling(-150, 2), ceiling(150, 2)), (-2, -1, 2));
}

/// A plain reference: sign and decimal digits, least significant first.
#[derive(Clone, PartialEq, Debug)]
struct Big {
    negative: bool,
    digits: Vec<u8>,
}

impl Big {
    fn new(value: i128) -> Big {
        let text = value.unsigned_abs().to_string();
        Big { negative: value < 0, digits: text.bytes().rev().map(|b| b - b'0').collect() }
    }

    fn times(&self, other: &Big) -> Big {
        let mut digits = vec![0u32; self.digits.len() + other.digits.len() + 1];
        for (i, a) in self.digits.iter().enumerate() {
            for (j, b) in other.digits.iter().enumerate() {
                digits[i + j] += u32::from(a * b);
                digits[i + j + 1] += digits[i + j] / 10;
                digits[i + j] %= 10;
            }
        }
        for i in 0..digits.len() - 1 {
            digits[i + 1] += digits[i] / 10;
            digits[i] %= 10;
        }
        Big {
            negative: self.negative != other.negative,
            digits: digits.into_iter().map(|d| d as u8).collect(),
        }
    }

    /// Drops `n` digits, rounding half away from zero; `None` beyond 38 digits.
    fn rounded(&self, n: usize) -> Option<i128> {
        let up = n > 0 && self.digits.get(n - 1).is_some_and(|&d| d >= 5);
        let mut value: i128 = 0;
        for &digit in self.digits.iter().skip(n).rev() {
            value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
        }
        value += i128::from(up);
        fits(value, 38).then_some(if self.negative { -value } else { value })
    }
}

fn decimal() -> impl Strategy<Value = (i128, u8, u8)> {
    (1u8..=38).prop_flat_map(|precision| {
        let bound = pow10(u32::from(precision));
        (1 - bound..bound, Just(precision), 0..=precision)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn products_agree_with_long_multiplication((a, pa, sa) in decimal(), (b, pb, sb) in decimal()) {
        let (ta, tb) = (SqlType::decimal(pa, sa), SqlType::decimal(pb, sb));
        let result = arithmetic(BinaryOperator::Multiply, &ta.into(), &tb.into()).unwrap().result;
        let expected = Big::new(a).times(&Big::new(b)).rounded(usize::from(sa + sb - result.scale));
        prop_assert_eq!(multiply(a, sa, b, sb, &result).ok(), expected);
    }

    #[test]
    fn quotients_times_divisors_come_back((a, pa, sa) in decimal(), (b, pb, sb) in decimal()) {
        prop_assume!(b != 0);
        let (ta, tb) = (SqlType::decimal(pa, sa), SqlType::decimal(pb, sb));
        let result = arithmetic(BinaryOperator::Divide, &ta.into(), &tb.into()).unwrap().result;
        if let Ok(q) = divide(a, sa, b, sb, &result) {
            // |a| - |q*b| is less than one unit of the quotient's last place times |b|.
            let x = Big::new(q).times(&Big::new(b));
            let exact = to_f64(a, sa) / to_f64(b, sb);
            prop_assert!((to_f64(q, result.scale) - exact).abs()
                <= 1.0 / 10f64.powi(i32::from(result.scale)) + exact.abs() * 1e-12, "{:?}", x);
            prop_assert!(q == 0 || (q < 0) == ((a < 0) != (b < 0)));
        }
    }

    #[test]
    fn sums_agree_with_aligned_integers((a, pa, sa) in decimal(), (b, pb, sb) in decimal()) {
        let (ta, tb) = (SqlType::decimal(pa, sa), SqlType::decimal(pb, sb));
        let result = arithmetic(BinaryOperator::Add, &ta.into(), &tb.into()).unwrap().result;
        let sum = add(a, sa, b, sb, &result);
        if pa <= 18 && pb <= 18 && sa <= 18 && sb <= 18 {
            let common = sa.max(sb);
            let exact = a * pow10(u32::from(common - sa)) + b * pow10(u32::from(common - sb));
            prop_assert_eq!(sum.unwrap(), exact);
        } else if let Ok(sum) = sum {
            let exact = to_f64(a, sa) + to_f64(b, sb);
            let size = to_f64(a, sa).abs() + to_f64(b, sb).abs();
            prop_assert!((to_f64(sum, result.scale) - exact).abs()
                <= size * 1e-14 + 1.0 / 10f64.powi(i32::from(result.scale)));
        }
        prop_assert_eq!(subtract(a, sa, a, sa, &SqlType::decimal(38, sa)).unwrap(), 0);
    }

    #[test]
    fn remainders_are_smaller_than_divisors((a, pa, sa) in decimal(), (b, pb, sb) in decimal()) {
        prop_assume!(b != 0);
        let (ta, tb) = (SqlType::decimal(pa, sa), SqlType::decimal(pb, sb));
        let result = arithmetic(BinaryOperator::Modulo, &ta.into(), &tb.into()).unwrap().result;
        if let Ok(r) = remainder(a, sa, b, sb, &result) {
            if result.scale == sa.max(sb) {
                prop_assert!(compare(r.abs(), result.scale, b.abs(), sb).is_lt());
            }
            prop_assert!(r == 0 || (r < 0) == (a < 0));
        }
    }

    #[test]
    fn format_and_parse_are_inverse((a, _, sa) in decimal()) {
        prop_assert_eq!(parse(format(a, sa).as_str().as_bytes(), 38, sa), Ok(a));
    }

    #[test]
    fn comparison_agrees_with_rescaling((a, _, sa) in decimal(), (b, _, sb) in decimal()) {
        let (x, y) = (to_f64(a, sa), to_f64(b, sb));
        if (x - y).abs() > (x.abs() + y.abs()) * 1e-14 {
            prop_assert_eq!(Some(compare(a, sa, b, sb)), x.partial_cmp(&y));
        }
        prop_assert_eq!(compare(a, sa, a, sa), Ordering::Equal);
    }
}
