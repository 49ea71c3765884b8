//! Keys of `sql_variant` columns: the family of the type, then a form that all types of the family
//! share.
//!
//! | family | bytes |
//! |---|---|
//! | uniqueidentifier, binary | as columns of these types |
//! | strings | rank of the collation, sort key as Unicode |
//! | integers, money, decimals | sign, place of the first digit, pairs of digits |
//! | float | as a float column |
//! | dates and times | the instant |

use base::collation;
use base::datetime::Moment;
use base::variant::{Family, content, family};
use base::{Arena, Collation, ConvertOptions, SqlType, ValueRef, convert};

use super::KeyBuf;
use super::word::{guid, ordered_float};

/// Adds the key of a variant that is not NULL.
pub(super) fn encode(value: ValueRef<'_>, out: &mut KeyBuf) {
    let (ty, value) = content(value).expect("rows hold variants as they were encoded");
    let family = family(ty.kind);
    out.extend(&[family as u8]);
    match (family, value) {
        (Family::Guid, ValueRef::Guid(v)) => out.extend(&guid(v)),
        (Family::Binary, ValueRef::Bytes(v)) => out.extend_binary(v),
        (Family::Character, text) => character(&ty, text, out),
        (Family::Exact, ValueRef::Int(v)) => exact(i128::from(v), 0, out),
        (Family::Exact, ValueRef::Money(v)) => exact(i128::from(v), 4, out),
        (Family::Exact, ValueRef::Decimal(v)) => exact(v, ty.scale, out),
        (Family::Approximate, ValueRef::Float(v)) => {
            out.extend(&ordered_float(v.to_bits()).to_be_bytes())
        }
        (Family::Temporal, moment) => {
            let ticks = Moment::of(moment).utc_total();
            out.extend(&(ticks as u64 ^ 1 << 63).to_be_bytes());
        }
        (family, value) => unreachable!("{value:?} in the family {family:?}"),
    }
}

/// Adds the key of a string. Strings in variants compare by collation first, and then as Unicode.
fn character(ty: &SqlType, text: ValueRef<'_>, out: &mut KeyBuf) {
    let Collation(id) = ty.collation;
    let info = ty.collation.info();
    out.extend(&info.lcid.to_be_bytes());
    out.extend(&[info.version]);
    out.extend(&(info.flags.comparison_style() as u32 ^ 1 << 31).to_be_bytes());
    out.extend(&[info.sort_id]);
    out.extend(&id.to_be_bytes());
    let arena = Arena::new();
    let wide = SqlType::nvarchar_max(ty.collation);
    let text = convert(text, ty, &wide, &ConvertOptions::default(), &arena)
        .expect("every string can be nvarchar(max)");
    out.escape_from(|key| collation::sort_key(ty.collation, text, key));
    out.terminate();
}

/// Adds the key of the number `value` · 10^-`scale`. Equal numbers of different scales have equal
/// keys.
///
/// A number other than 0 is 0.d₁d₂d₃… · 10^e. Its key has the exponent, then pairs of digits, each
/// plus one, and a zero at the end; all inverted for negative numbers.
fn exact(value: i128, scale: u8, out: &mut KeyBuf) {
    const NEGATIVE: u8 = 0;
    const ZERO: u8 = 1;
    const POSITIVE: u8 = 2;
    /// Makes every exponent positive: it is above every scale.
    const BIAS: i16 = 64;
    if value == 0 {
        return out.extend(&[ZERO]);
    }
    let mut digits = [0u8; 40];
    let mut n = 0;
    let mut rest = value.unsigned_abs();
    while rest > 0 {
        digits[n] = (rest % 10) as u8;
        rest /= 10;
        n += 1;
    }
    digits[..n].reverse();
    let last = digits.iter().rposition(|&d| d != 0).expect("the value is not 0");
    out.extend(&[if value < 0 { NEGATIVE } else { POSITIVE }]);
    let start = out.len();
    out.extend(&[(n as i16 - i16::from(scale) + BIAS) as u8]);
    for pair in digits[..=last].chunks(2) {
        out.extend(&[1 + 10 * pair[0] + pair.get(1).copied().unwrap_or(0)]);
    }
    out.extend(&[0]);
    out.invert(start, if value < 0 { 0xFF } else { 0 });
}
