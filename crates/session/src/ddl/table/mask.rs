//! `MASKED WITH (FUNCTION = 'text')`.

use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::def::{MaskDef, MaskingFunction, Name};

use crate::ddl::failure::DdlResult;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The digits after the point of money.
const MONEY_SCALE: u8 = 4;

/// The mask that a text means for a column of a type. Errors 16002 to 16006.
pub fn read(text: &str, column: &str, ty: &SqlType) -> DdlResult<MaskDef> {
    let refuse = |message, name: &str| {
        let args: [Shown; 2] = [&name, &column];
        DdlResult::Err(SqlError::new(message, &args).into())
    };
    let unknown = || SqlError::new(&message::MASK_FUNCTION_INVALID, &[&column]);
    if text.is_empty() {
        return Err(unknown().into());
    }
    let Some((name, rest)) = text.split_once('(') else {
        return refuse(&message::MASK_FORMAT_INVALID, text);
    };
    let Some((inside, after)) = rest.rsplit_once(')') else {
        return refuse(&message::MASK_FORMAT_INVALID, name);
    };
    if !after.is_empty() {
        return refuse(&message::MASK_PARAMETER_COUNT, name);
    }
    let all = MaskingFunction::ALL.iter().copied();
    let mut named = all.filter(|f| f.description().eq_ignore_ascii_case(name));
    let function = named.next().ok_or_else(unknown)?;
    if !fits(function, ty) {
        let args: [Shown; 2] = [&column, &function.description()];
        return Err(SqlError::new(&message::MASK_TYPE_UNSUPPORTED, &args).into());
    }
    let given = arguments(inside);
    if given.len() != parameters(function) {
        return refuse(&message::MASK_PARAMETER_COUNT, name);
    }
    match checked(function, &given, ty) {
        Some(arguments) => Ok(MaskDef { function, arguments }),
        None => refuse(&message::MASK_ARGUMENT_INVALID, name),
    }
}

/// Whether a function masks values of a type.
fn fits(function: MaskingFunction, ty: &SqlType) -> bool {
    use TypeKind as K;
    match function {
        MaskingFunction::Default => true,
        MaskingFunction::Email | MaskingFunction::Partial => {
            matches!(ty.kind, K::Char | K::VarChar | K::NChar | K::NVarChar)
        }
        MaskingFunction::Random => ty.kind.is_numeric(),
        MaskingFunction::DateTime => ty.kind.is_temporal(),
    }
}

fn parameters(function: MaskingFunction) -> usize {
    match function {
        MaskingFunction::Default | MaskingFunction::Email => 0,
        MaskingFunction::DateTime => 1,
        MaskingFunction::Random => 2,
        MaskingFunction::Partial => 3,
    }
}

/// What stands between commas that are not in quotes, without blanks around it.
fn arguments(text: &str) -> Vec<&str> {
    if text.trim_ascii().is_empty() {
        return Vec::new();
    }
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    });
    parts.map(str::trim_ascii).collect()
}

/// The arguments in their canonical form, if they are what a function takes.
fn checked(function: MaskingFunction, given: &[&str], ty: &SqlType) -> Option<Vec<Name>> {
    let length = |text: &str| -> Option<Name> {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let number: i32 = text.parse().ok().filter(|_| digits)?;
        Some(number.to_string().into())
    };
    Some(match (function, given) {
        (MaskingFunction::Partial, [before, padding, after]) => {
            vec![length(before)?, quoted(padding)?.into(), length(after)?]
        }
        (MaskingFunction::Random, [low, high]) => {
            let (low, high) = (number(low, ty)?, number(high, ty)?);
            if low.value > high.value {
                return None;
            }
            vec![low.text.into(), high.text.into()]
        }
        (MaskingFunction::DateTime, [part]) => {
            let part = quoted(part)?;
            let date = matches!(&*part, "Y" | "M" | "D") && ty.kind != TypeKind::Time;
            let time = matches!(&*part, "h" | "m" | "s") && ty.kind != TypeKind::Date;
            if !date && !time {
                return None;
            }
            vec![part.into()]
        }
        _ => Vec::new(),
    })
}

/// The text in double quotes.
fn quoted(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"').filter(|_| text.len() > 1)?;
    let plain = inside.replace("\"\"", "");
    (!plain.contains('"')).then(|| inside.replace("\"\"", "\""))
}

/// A number of a column's type.
struct Number {
    value: f64,
    text: String,
}

/// A number without an exponent that values of a type can be.
fn number(text: &str, ty: &SqlType) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() && part.is_empty() || !plain(whole) || !plain(part) {
        return None;
    }
    let scaled = |scale: u8| -> Option<i128> {
        let kept = part.get(..part.len().min(scale.into()))?;
        let zeros = "0".repeat(usize::from(scale) - kept.len());
        let value: i128 = format!("0{whole}{kept}{zeros}").parse().ok()?;
        let next = part.as_bytes().get(usize::from(scale)).is_some_and(|digit| *digit >= b'5');
        let value = value + i128::from(next);
        Some(if text.starts_with('-') { -value } else { value })
    };
    let shown = |value: i128, scale: u8, trims: bool| {
        let unit = 10_i128.pow(scale.into());
        let sign = if value < 0 { "-" } else { "" };
        let (whole, rest) = (value.abs() / unit, value.abs() % unit);
        let rest = format!("{rest:0width$}", width = usize::from(scale));
        let rest = if trims { rest.trim_end_matches('0') } else { &rest };
        match scale == 0 || rest.is_empty() {
            true => format!("{sign}{whole}"),
            false => format!("{sign}{whole}.{rest}"),
        }
    };
    let within = |value: i128, low: i128, high: i128| (low..=high).contains(&value);
    let whole_between = |low: i128, high: i128| {
        let value = scaled(0).filter(|value| part.is_empty() && within(*value, low, high))?;
        Some(Number { value: value as f64, text: value.to_string() })
    };
    match ty.kind {
        TypeKind::Bit => whole_between(0, 1),
        TypeKind::TinyInt => whole_between(0, 255),
        TypeKind::SmallInt => whole_between(i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int => whole_between(i32::MIN.into(), i32::MAX.into()),
        TypeKind::BigInt => whole_between(i64::MIN.into(), i64::MAX.into()),
        TypeKind::Decimal | TypeKind::Numeric => {
            let most = 10_i128.checked_pow(ty.precision.into())?;
            let value = scaled(ty.scale).filter(|value| value.abs() < most)?;
            let unit = 10_f64.powi(ty.scale.into());
            Some(Number { value: value as f64 / unit, text: shown(value, ty.scale, false) })
        }
        TypeKind::Money | TypeKind::SmallMoney => {
            let value = scaled(MONEY_SCALE)?;
            let fits = match ty.kind {
                TypeKind::SmallMoney => within(value, i32::MIN.into(), i32::MAX.into()),
                _ => within(value, i64::MIN.into(), i64::MAX.into()),
            };
            let text = shown(value, MONEY_SCALE, true);
            fits.then_some(Number { value: value as f64 / 10_000.0, text })
        }
        _ => {
            let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
            Some(Number { value, text: value.to_string() })
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Collation;

    use super::*;

    fn shown(text: &str, ty: SqlType) -> String {
        match read(text, "a", &ty) {
            Ok(mask) => mask.to_string(),
            Err(failure) => failure.error.number().to_string(),
        }
    }

    #[test]
    fn texts_get_their_canonical_form() {
        let text = SqlType::varchar(20, Collation::DEFAULT);
        assert_eq!(shown("EMAIL()", text), "email()");
        assert_eq!(shown("default( )", text), "default()");
        assert_eq!(shown("PARTIAL( 01 , \"a\"\"b,)\" , 0 )", text), "partial(1, \"a\"\"b,)\", 0)");
        assert_eq!(shown("random(1.555, 3)", SqlType::decimal(6, 2)), "random(1.56, 3.00)");
        assert_eq!(shown("random(-1, 2.12345)", SqlType::money()), "random(-1, 2.1235)");
        assert_eq!(shown("random(1.50, 2.500)", SqlType::float()), "random(1.5, 2.5)");
        assert_eq!(shown("Random( 01 , 003 )", SqlType::int()), "random(1, 3)");
        assert_eq!(shown("datetime(\"D\")", SqlType::date()), "datetime(\"D\")");
    }

    #[test]
    fn what_is_no_mask_is_refused() {
        let text = SqlType::varchar(9, Collation::DEFAULT);
        for (given, ty, number) in [
            ("", text, "16002"),
            ("foo()", text, "16002"),
            (" default()", text, "16002"),
            ("partial(1,\"x\",1)", SqlType::int(), "16003"),
            ("random(1,2)", text, "16003"),
            ("  Default ( ) ", text, "16004"),
            ("default(1)", text, "16004"),
            ("random(1,2,3)", SqlType::int(), "16004"),
            ("partial(-1,\"x\",1)", text, "16005"),
            ("partial(1,x,1)", text, "16005"),
            ("partial(1,\",1)", text, "16004"),
            ("random(10,1)", SqlType::int(), "16005"),
            ("random(1.5,2)", SqlType::int(), "16005"),
            ("random(1,1e3)", SqlType::float(), "16005"),
            ("random(,)", SqlType::float(), "16005"),
            ("random(0,2)", SqlType::bit(), "16005"),
            ("random(1,99999)", SqlType::decimal(6, 2), "16005"),
            ("datetime(\"y\")", SqlType::datetime(), "16005"),
            ("datetime(\"h\")", SqlType::date(), "16005"),
            ("default", text, "16006"),
            ("default)", text, "16006"),
            ("partial(1,\"x\",1", text, "16006"),
        ] {
            assert_eq!(shown(given, ty), number, "{given}");
        }
    }
}
