//! Numbers by standard (`N2`) and custom (`#,##0.00`) formats.

use base::decimal;
use base::{SqlType, TypeKind, ValueRef};

use super::super::culture::{Culture, Grouping};

/// A decimal number: 0.digits × 10^point.
#[derive(Clone, Debug)]
struct Decimal {
    negative: bool,
    /// Digits without leading zeros; empty for zero.
    digits: Vec<u8>,
    /// How many digits stand before the point; negative for zeros after it.
    point: i32,
    /// Whether it came from an integer type.
    integer: bool,
}

/// Digits that a float shows.
const FLOAT_DIGITS: usize = 15;
/// Digits that a real shows.
const REAL_DIGITS: usize = 7;
/// Digits after the point of numbers and percentages, unless a format says how many.
const DECIMALS: usize = 2;
/// The largest precision that a standard format may ask for.
const PRECISION_MAX: usize = 99;

impl Decimal {
    fn of(value: ValueRef<'_>, ty: &SqlType) -> Option<Decimal> {
        Some(match value {
            ValueRef::Int(v) => Decimal::parse(&v.to_string(), true),
            ValueRef::Money(v) => Decimal::parse(decimal::format(v.into(), 4).as_str(), false),
            ValueRef::Decimal(v) => Decimal::parse(decimal::format(v, ty.scale).as_str(), false),
            ValueRef::Float(v) => {
                let digits = if ty.kind == TypeKind::Real { REAL_DIGITS } else { FLOAT_DIGITS };
                return Decimal::of_float(v, digits);
            }
            _ => return None,
        })
    }

    /// A float to this many digits.
    fn of_float(value: f64, digits: usize) -> Option<Decimal> {
        let text = format!("{:.*e}", digits - 1, value);
        let (mantissa, exponent) = text.split_once('e')?;
        let mut number = Decimal::parse(mantissa, false);
        number.point += exponent.parse::<i32>().ok()?;
        number.trim();
        Some(number)
    }

    fn parse(text: &str, integer: bool) -> Decimal {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.bytes().chain(fraction.bytes()).collect();
        let mut number = Decimal { negative, digits, point: whole.len() as i32, integer };
        number.drop_leading_zeros();
        number
    }

    fn drop_leading_zeros(&mut self) {
        let zeros = self.digits.iter().take_while(|d| **d == b'0').count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
    }

    /// Drops zeros at the end.
    fn trim(&mut self) {
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|d| *d == b'0')
    }

    /// Rounds half away from zero to this many digits after the point.
    fn round(&mut self, decimals: i32) {
        let keep = self.point + decimals;
        if keep >= self.digits.len() as i32 {
            return;
        }
        let up = keep >= 0 && self.digits[keep as usize] >= b'5';
        self.digits.truncate(keep.max(0) as usize);
        if !up {
            return;
        }
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
        self.point += 1;
    }

    /// The digit at this power of ten.
    fn digit(&self, power: i32) -> u8 {
        let at = self.point - 1 - power;
        usize::try_from(at).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(b'0')
    }

    /// Whole digits, without leading zeros.
    fn whole_digits(&self) -> i32 {
        if self.is_zero() { 0 } else { self.point.max(0) }
    }

    /// The number with this many digits after the point, in groups if asked for.
    fn fixed(&self, decimals: usize, grouping: Option<Grouping>, point: char) -> String {
        let mut number = self.clone();
        number.round(decimals as i32);
        let mut out = String::new();
        for power in (0..number.whole_digits().max(1)).rev() {
            out.push(char::from(number.digit(power)));
            if let Some(grouping) = grouping.filter(|own| own.follows(power)) {
                out.push(grouping.separator);
            }
        }
        if decimals > 0 {
            out.push(point);
            out.extend((1..=decimals as i32).map(|place| char::from(number.digit(-place))));
        }
        out
    }

    /// Whether anything but zeros is left at this many digits.
    fn rounds_to_zero(&self, decimals: usize) -> bool {
        let mut number = self.clone();
        number.round(decimals as i32);
        number.is_zero()
    }
}

/// A number by a format; `None` for a format that does not exist or fit.
pub(super) fn format(
    value: ValueRef<'_>,
    ty: &SqlType,
    pattern: &str,
    culture: &Culture,
) -> Option<String> {
    let number = Decimal::of(value, ty)?;
    let mut chars = pattern.chars();
    let letter = chars.next().unwrap_or('G');
    let rest = chars.as_str();
    if letter.is_ascii_alphabetic() && rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit()) {
        return standard(&number, value, ty, letter, rest.parse().ok(), culture);
    }
    Some(custom(&number, pattern, culture))
}

fn standard(
    number: &Decimal,
    value: ValueRef<'_>,
    ty: &SqlType,
    letter: char,
    precision: Option<usize>,
    culture: &Culture,
) -> Option<String> {
    let usual = if letter.eq_ignore_ascii_case(&'C') { culture.currency_digits } else { DECIMALS };
    let decimals = precision.unwrap_or(usual).min(PRECISION_MAX);
    let signed = |text: String| match number.negative && !number.rounds_to_zero(decimals) {
        true => format!("-{text}"),
        false => text,
    };
    Some(match letter.to_ascii_uppercase() {
        'C' => {
            let digits = number.fixed(decimals, Some(culture.grouping), culture.point);
            let negative = number.negative && !number.rounds_to_zero(decimals);
            let (plus, minus) = culture.currency;
            (if negative { minus } else { plus }).replace('#', &digits)
        }
        'F' => signed(number.fixed(decimals, None, culture.point)),
        'N' => signed(number.fixed(decimals, Some(culture.grouping), culture.point)),
        'P' => {
            let mut hundredfold = number.clone();
            hundredfold.point += 2;
            let digits = hundredfold.fixed(decimals, Some(culture.grouping), culture.point);
            let text = culture.percent.replace('#', &digits);
            let negative = number.negative && !hundredfold.rounds_to_zero(decimals);
            if negative { format!("-{text}") } else { text }
        }
        'D' if number.integer => {
            let digits = number.fixed(0, None, culture.point);
            let sign = if number.negative { "-" } else { "" };
            format!("{sign}{digits:0>width$}", width = precision.unwrap_or(1))
        }
        'X' if number.integer => hexadecimal(value, ty, letter, precision.unwrap_or(1)),
        'E' => scientific(number, letter, precision.unwrap_or(6), culture),
        'G' => general(number, ty, precision.filter(|p| *p > 0), culture),
        'R' => round_trip(value, ty, culture)?,
        _ => return None,
    })
}

fn hexadecimal(value: ValueRef<'_>, ty: &SqlType, letter: char, width: usize) -> String {
    let ValueRef::Int(value) = value else { return String::new() };
    // Negative numbers show the bits that their type has.
    let bits = match ty.kind {
        TypeKind::BigInt => value as u64,
        TypeKind::SmallInt => u64::from(value as u16),
        _ => u64::from(value as u32),
    };
    if letter == 'X' { format!("{bits:0>width$X}") } else { format!("{bits:0>width$x}") }
}

/// A float with as many digits as it takes to read the same one back; nothing else has this format.
fn round_trip(value: ValueRef<'_>, ty: &SqlType, culture: &Culture) -> Option<String> {
    let ValueRef::Float(float) = value else { return None };
    let (usual, most) = match ty.kind {
        TypeKind::Real => (REAL_DIGITS, 9),
        _ => (FLOAT_DIGITS, 17),
    };
    let text = format!("{:.*e}", usual - 1, float);
    let same = match ty.kind {
        TypeKind::Real => text.parse::<f32>().is_ok_and(|read| read == float as f32),
        _ => text.parse::<f64>().is_ok_and(|read| read == float),
    };
    let number = Decimal::of_float(float, if same { usual } else { most })?;
    Some(general(&number, ty, None, culture))
}

/// `1.234500E+003`
fn scientific(number: &Decimal, letter: char, decimals: usize, culture: &Culture) -> String {
    let (mantissa, exponent) = mantissa(number, decimals);
    let sign = if number.negative && !number.is_zero() { "-" } else { "" };
    let digits = mantissa.fixed(decimals, None, culture.point);
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{digits}{letter}{exponent_sign}{:03}", exponent.abs())
}

/// The number as one digit before the point, this many after it, and an exponent.
fn mantissa(number: &Decimal, decimals: usize) -> (Decimal, i32) {
    let mut mantissa = number.clone();
    if number.is_zero() {
        return (mantissa, 0);
    }
    let exponent = number.point - 1;
    mantissa.point = 1;
    mantissa.round(decimals as i32);
    let carried = mantissa.point - 1;
    mantissa.point = 1;
    (mantissa, exponent + carried)
}

/// The shorter of fixed and scientific.
fn general(number: &Decimal, ty: &SqlType, precision: Option<usize>, culture: &Culture) -> String {
    let mut number = number.clone();
    if let Some(precision) = precision {
        let point = number.point;
        number.round(precision as i32 - point);
        number.trim();
    }
    let sign = if number.negative && !number.is_zero() { "-" } else { "" };
    // Exact numbers are written without an exponent unless a precision is asked for.
    let limit = precision.or(match ty.kind {
        TypeKind::Real => Some(REAL_DIGITS),
        TypeKind::Float => Some(FLOAT_DIGITS),
        _ => None,
    });
    let is_long = |limit: usize| number.point > limit as i32 || number.point < -3;
    if !number.is_zero() && limit.is_some_and(is_long) {
        let mut digits = number.clone();
        digits.trim();
        let decimals = digits.digits.len().saturating_sub(1);
        let (mantissa, exponent) = mantissa(&digits, decimals);
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        let digits = mantissa.fixed(decimals, None, culture.point);
        return format!("{sign}{digits}E{exponent_sign}{:02}", exponent.abs());
    }
    let decimals = (number.digits.len() as i32 - number.point).max(0) as usize;
    format!("{sign}{}", number.fixed(decimals, None, culture.point))
}

/// A piece of a custom format.
#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// `0`
    Zero,
    /// `#`
    Digit,
    /// `.`, the first one.
    Point,
    /// `E+0`: the letter, whether a plus is shown, least digits.
    Exponent(char, bool, usize),
    /// Anything else.
    Literal(String),
}

/// One of the parts between semicolons.
#[derive(Default, Debug)]
struct Section {
    tokens: Vec<Token>,
    /// Placeholders before and after the point.
    whole: usize,
    decimals: usize,
    /// Digits are grouped.
    grouped: bool,
    /// The number is multiplied by ten to this power.
    shift: i32,
}

fn custom(number: &Decimal, pattern: &str, culture: &Culture) -> String {
    let sections = split_sections(pattern);
    let first = Section::parse(sections.first().map_or("", String::as_str));
    let at = |i: usize| sections.get(i).filter(|s| !s.is_empty()).map(|s| Section::parse(s));
    let shown_as_zero = |section: &Section| {
        let mut shifted = number.clone();
        shifted.point += section.shift;
        number.is_zero() || shifted.rounds_to_zero(section.decimals)
    };
    if number.negative && !number.is_zero() {
        if let Some(negative) = at(1) {
            if !(shown_as_zero(&negative) && sections.len() > 2) {
                return negative.print(number, culture);
            }
        }
    }
    if shown_as_zero(&first) {
        return at(2).unwrap_or(first).print(number, culture);
    }
    let text = first.print(number, culture);
    if number.negative { format!("-{text}") } else { text }
}

/// The parts between semicolons that are not quoted.
fn split_sections(pattern: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut quote = None;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let last = sections.len() - 1;
        match (c, quote) {
            (';', None) => {
                sections.push(String::new());
                continue;
            }
            ('\\', None) => {
                sections[last].push(c);
                sections[last].extend(chars.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        sections[last].push(c);
    }
    sections
}

impl Section {
    fn parse(text: &str) -> Section {
        let mut section = Section::default();
        let mut chars = text.chars().peekable();
        let mut behind_point = false;
        // Commas since the last placeholder before the point.
        let mut commas = 0;
        while let Some(c) = chars.next() {
            match c {
                '0' | '#' => {
                    let token = if c == '0' { Token::Zero } else { Token::Digit };
                    section.tokens.push(token);
                    if behind_point {
                        section.decimals += 1;
                    } else {
                        section.grouped |= commas > 0 && section.whole > 0;
                        commas = 0;
                        section.whole += 1;
                    }
                }
                '.' if !behind_point => {
                    behind_point = true;
                    section.tokens.push(Token::Point);
                }
                '.' => {}
                ',' if !behind_point => commas += 1,
                ',' => {}
                '%' | '‰' => {
                    section.shift += if c == '%' { 2 } else { 3 };
                    section.literal(c);
                }
                '\\' => chars.next().into_iter().for_each(|c| section.literal(c)),
                '\'' | '"' => {
                    chars.by_ref().take_while(|own| *own != c).for_each(|own| section.literal(own));
                }
                'E' | 'e' => section.exponent(c, &mut chars),
                _ => section.literal(c),
            }
        }
        // Commas after the last placeholder divide by a thousand each.
        section.shift -= 3 * commas;
        section
    }

    fn literal(&mut self, c: char) {
        match self.tokens.last_mut() {
            Some(Token::Literal(text)) => text.push(c),
            _ => self.tokens.push(Token::Literal(c.into())),
        }
    }

    /// `E0`, `E+0` or `E-0` with any number of zeros; a letter otherwise.
    fn exponent(&mut self, letter: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        let mut ahead = chars.clone();
        let plus = ahead.next_if_eq(&'+').is_some();
        let minus = !plus && ahead.next_if_eq(&'-').is_some();
        let mut zeros = 0;
        while ahead.next_if_eq(&'0').is_some() {
            zeros += 1;
        }
        if zeros == 0 {
            self.literal(letter);
            return;
        }
        debug_assert!(!(plus && minus), "one sign was taken");
        self.tokens.push(Token::Exponent(letter, plus, zeros));
        *chars = ahead;
    }

    fn print(&self, number: &Decimal, culture: &Culture) -> String {
        let mut number = number.clone();
        number.point += self.shift;
        let mut exponent = 0;
        if self.tokens.iter().any(|t| matches!(t, Token::Exponent(..))) && !number.is_zero() {
            let whole = self.whole as i32;
            exponent = number.point - whole;
            number.point = whole;
            number.round(self.decimals as i32);
            exponent += number.point - whole;
            number.point = whole;
        } else {
            number.round(self.decimals as i32);
        }
        let mut out = String::new();
        self.emit(&number, exponent, culture, &mut out);
        out
    }

    fn emit(&self, number: &Decimal, exponent: i32, culture: &Culture, out: &mut String) {
        let is_place = |t: &&Token| matches!(t, Token::Zero | Token::Digit);
        let places: Vec<&Token> = self.tokens.iter().filter(is_place).collect();
        let (whole, behind) = places.split_at(self.whole);
        // From the first zero on every place has a digit; up to the last one after the point.
        let first_zero = whole.iter().position(|t| **t == Token::Zero);
        let least = first_zero.map_or(0, |at| self.whole - at) as i32;
        let shown = number.whole_digits().max(least);
        let last_zero = behind.iter().rposition(|t| **t == Token::Zero).map_or(0, |at| at + 1);
        let last_digit = (1..=self.decimals as i32).rev().find(|p| number.digit(-p) != b'0');
        let decimals = last_zero.max(last_digit.unwrap_or(0) as usize);
        let put = |power: i32, out: &mut String| {
            out.push(char::from(number.digit(power)));
            if self.grouped && culture.grouping.follows(power) {
                out.push(culture.grouping.separator);
            }
        };
        let (mut at, mut place) = (self.whole as i32, 0);
        let mut behind_point = false;
        for token in &self.tokens {
            match token {
                Token::Zero | Token::Digit if behind_point => {
                    place += 1;
                    if place <= decimals {
                        out.push(char::from(number.digit(-(place as i32))));
                    }
                }
                Token::Zero | Token::Digit => {
                    // The first place takes all digits that have no place of their own.
                    if at == self.whole as i32 {
                        (at..shown).rev().for_each(|power| put(power, out));
                    }
                    at -= 1;
                    if at < shown {
                        put(at, out);
                    }
                }
                Token::Point => {
                    if self.whole == 0 {
                        (0..shown).rev().for_each(|power| put(power, out));
                    }
                    behind_point = true;
                    if decimals > 0 {
                        out.push(culture.point);
                    }
                }
                Token::Exponent(letter, plus, least) => {
                    let sign = match exponent {
                        i32::MIN..0 => "-",
                        _ if *plus => "+",
                        _ => "",
                    };
                    out.push_str(&format!("{letter}{sign}{:0>least$}", exponent.abs()));
                }
                Token::Literal(text) => out.push_str(text),
            }
        }
    }
}
