//! Numbers: signs, groups, points and currencies, as the types of .NET read them.

use base::TypeKind;

use super::super::culture::Culture;

/// What a type takes beside digits, a point and a sign before them.
struct Styles {
    /// Groups of digits, and a sign after them.
    groups: bool,
    /// An exponent.
    exponent: bool,
    /// The currency's sign, and brackets for what is negative.
    currency: bool,
}

fn styles_of(kind: TypeKind) -> Styles {
    match kind {
        TypeKind::Money | TypeKind::SmallMoney => {
            Styles { groups: true, exponent: false, currency: true }
        }
        TypeKind::Float | TypeKind::Real => {
            Styles { groups: false, exponent: true, currency: false }
        }
        _ => Styles { groups: true, exponent: false, currency: false },
    }
}

/// The number in the form that conversions read: `-1234.5`, `1.5E3`.
pub(super) fn parse(text: &str, kind: TypeKind, culture: &Culture) -> Option<String> {
    let styles = styles_of(kind);
    let (mut rest, mut negative, mut signed) = (text.trim(), false, false);
    if let Some(inside) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
        if !styles.currency {
            return None;
        }
        (rest, negative, signed) = (inside, true, true);
    }
    let mut currency_seen = !styles.currency;
    // Signs stand before and after the digits, each once.
    loop {
        rest = rest.trim();
        let sign = rest.chars().next().filter(|c| matches!(c, '+' | '-'));
        if let Some(sign) = sign.filter(|_| !signed) {
            (negative, signed) = (sign == '-', true);
            rest = &rest[1..];
        } else if let Some(after) = rest.strip_suffix(['+', '-']).filter(|_| !signed) {
            if !styles.groups {
                return None;
            }
            (negative, signed) = (rest.ends_with('-'), true);
            rest = after;
        } else if let Some(other) = without_currency(rest, culture).filter(|_| !currency_seen) {
            currency_seen = true;
            rest = other;
        } else {
            break;
        }
    }
    let digits = digits(rest, &styles, culture)?;
    let digits = if kind.is_integer() { without_zero_fraction(&digits)? } else { &digits };
    Some(format!("{}{digits}", if negative { "-" } else { "" }))
}

fn without_currency<'t>(text: &'t str, culture: &Culture) -> Option<&'t str> {
    let sign = culture.currency_sign();
    text.strip_prefix(sign).or_else(|| text.strip_suffix(sign))
}

/// Digits with the culture's point and groups, in the form that conversions read.
fn digits(text: &str, styles: &Styles, culture: &Culture) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut any, mut behind_point) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '0'..='9' => {
                any = true;
                out.push(c);
            }
            _ if c == culture.point && !behind_point => {
                behind_point = true;
                out.push('.');
            }
            _ if styles.groups && any && !behind_point && is_group(c, culture) => {}
            'e' | 'E' if styles.exponent && any => {
                let exponent: String = chars.collect();
                let number = exponent.strip_prefix(['+', '-']).unwrap_or(&exponent);
                let fine = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
                return fine.then(|| format!("{out}E{exponent}"));
            }
            _ => return None,
        }
    }
    any.then_some(out)
}

/// A blank serves where the culture writes one that does not break.
fn is_group(c: char, culture: &Culture) -> bool {
    let own = culture.grouping.separator;
    c == own || own == '\u{A0}' && matches!(c, ' ' | '\u{202F}') || own == '\'' && c == '’'
}

/// An integer may be written with a fraction of zeros.
fn without_zero_fraction(digits: &str) -> Option<&str> {
    match digits.split_once('.') {
        Some((whole, fraction)) => fraction.bytes().all(|b| b == b'0').then_some(whole),
        None => Some(digits),
    }
}
