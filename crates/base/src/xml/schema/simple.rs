//! Simple types: how text becomes a value, and facets.
//!
//! A value is read by its type's white space, its lexical form and its facets, and is written in
//! canonical form. Recursion goes from lists and unions to their members, whose definitions end.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::Collection;
use super::model::{QName, SCHEMA_URI, TypeId};
use super::pattern::Pattern;
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::pace::{Stride, Unpaced};
use crate::xml::canonical::{self, MomentKind, SCALE};

/// The types that are not derived from others, but from `anySimpleType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// `xs:anySimpleType` itself, whose values are of no special type.
    AnySimple,
    /// `xs:string`
    String,
    /// `xs:boolean`
    Boolean,
    /// `xs:decimal`
    Decimal,
    /// `xs:float`
    Float,
    /// `xs:double`
    Double,
    /// `xs:duration`
    Duration,
    /// `xs:dateTime` and the like.
    Moment(MomentKind),
    /// `xs:hexBinary`
    HexBinary,
    /// `xs:base64Binary`
    Base64Binary,
    /// `xs:anyURI`
    AnyUri,
    /// `xs:QName`
    QName,
}

/// What happens with white space before a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhiteSpace {
    /// Nothing.
    Preserve,
    /// Each becomes a space.
    Replace,
    /// One space between words.
    Collapse,
}

/// What the text of a string must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexical {
    /// Anything.
    Any,
    /// `xs:language`
    Language,
    /// `xs:NMTOKEN`
    NameToken,
    /// `xs:Name`
    Name,
    /// `xs:NCName`
    NoColonName,
    /// `xs:integer`
    Integer,
}

/// What a type has to do with the ids of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// `xs:ID`
    Id,
    /// `xs:IDREF`
    Reference,
    /// `xs:IDREFS`
    References,
}

/// What a simple type is made of.
#[derive(Clone, Debug)]
pub enum Variety {
    /// One value.
    Atomic(Primitive),
    /// Values of a type with spaces between.
    List(TypeId),
    /// A value of one of the types.
    Union(Vec<TypeId>),
}

/// A bound of an ordered type.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Its value.
    pub value: Value<'static>,
    /// Whether it belongs to the type.
    pub is_inclusive: bool,
}

/// A simple type.
#[derive(Clone, Debug)]
pub struct Simple {
    /// What its values are.
    pub variety: Variety,
    /// `whiteSpace`
    pub white_space: WhiteSpace,
    /// The form of its text.
    pub lexical: Lexical,
    /// Whether its values are ids or refer to them.
    pub identity: Option<Identity>,
    /// `length` and `minLength`
    pub min_length: Option<u64>,
    /// `length` and `maxLength`
    pub max_length: Option<u64>,
    /// `totalDigits`
    pub total_digits: Option<u64>,
    /// `fractionDigits`
    pub fraction_digits: Option<u64>,
    /// `minInclusive` or `minExclusive`
    pub low: Option<Bound>,
    /// `maxInclusive` or `maxExclusive`
    pub high: Option<Bound>,
    /// `enumeration`
    pub values: Option<Arc<[Value<'static>]>>,
    /// `pattern`: of each list one must fit.
    pub patterns: Vec<Arc<[Pattern]>>,
    /// The names of facets that derived types may not change.
    pub fixed: Vec<&'static str>,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    /// Text of any kind.
    Text(Cow<'t, str>),
    /// Truth.
    Boolean(bool),
    /// In units of 10⁻¹⁰.
    Exact(i128),
    /// A floating-point number.
    Float(f64),
    /// A place in time, of this type.
    Moment(MomentKind, i128),
    /// Months and units of 100 ns.
    Duration(i128, i128),
    /// A name: URI and local name.
    Name(String, String),
    /// Several.
    List(Vec<Value<'t>>),
}

impl Value<'_> {
    fn owned(self) -> Value<'static> {
        match self {
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Boolean(value) => Value::Boolean(value),
            Value::Exact(value) => Value::Exact(value),
            Value::Float(value) => Value::Float(value),
            Value::Moment(kind, ticks) => Value::Moment(kind, ticks),
            Value::Duration(months, ticks) => Value::Duration(months, ticks),
            Value::Name(uri, local) => Value::Name(uri, local),
            Value::List(all) => Value::List(all.into_iter().map(Value::owned).collect()),
        }
    }

    /// Whether both are the same value.
    pub fn is_same(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Name(a, b), Value::Name(c, d)) => a == c && b == d,
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Value::Duration(a, b), Value::Duration(c, d)) => a == c && b == d,
            (a, b) => a.order(b) == Some(Ordering::Equal),
        }
    }

    /// The order of values of ordered types.
    pub fn order(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Value::Exact(a), Value::Exact(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => match (a.is_nan(), b.is_nan()) {
                (true, true) => Some(Ordering::Equal),
                _ => a.partial_cmp(b),
            },
            (Value::Moment(a, b), Value::Moment(c, d)) => (a == c).then(|| b.cmp(d)),
            (Value::Duration(a, b), Value::Duration(c, d)) => {
                // Ordered only where months of any length agree.
                let day = 864_000_000_000i128;
                let least = (a - c) * 28 * day + (b - d);
                let most = (a - c) * 31 * day + (b - d);
                match (least.cmp(&0), most.cmp(&0)) {
                    (x, y) if x == y => Some(x),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// A text that was read.
#[derive(Debug)]
pub struct Parsed<'t> {
    /// Its value.
    pub value: Value<'t>,
    /// Its canonical text.
    pub text: Cow<'t, str>,
}

impl Parsed<'_> {
    /// The same for as long as anybody wants it.
    pub fn owned(self) -> Parsed<'static> {
        Parsed { value: self.value.owned(), text: Cow::Owned(self.text.into_owned()) }
    }
}

/// Why a text is no value of a type.
#[derive(Clone, Debug)]
pub enum NoValue {
    /// It is none.
    Invalid,
    /// It is one, but its canonical form is not.
    NotCanonical,
    /// A prefix in it is not declared.
    Prefix,
    /// The statement ends, with this error.
    Stopped(SqlError),
}

impl From<SqlError> for NoValue {
    fn from(error: SqlError) -> NoValue {
        NoValue::Stopped(error)
    }
}

/// What is around a text that is read.
pub struct Scope<'s, 'p> {
    /// What prefixes stand for.
    pub uri: &'s dyn Fn(&str) -> Option<String>,
    /// Counts the work.
    pub stride: &'s mut Stride<'p>,
}

impl Collection {
    /// Reads a text as of a simple type.
    pub fn read<'t>(
        &self,
        ty: TypeId,
        text: &'t str,
        scope: &mut Scope<'_, '_>,
    ) -> Result<Parsed<'t>, NoValue> {
        scope.stride.step(16 + text.len())?;
        let simple = self.ty(ty).simple().expect("the type was checked to be simple");
        let text = simple.white_space.applied(text);
        let parsed = match &simple.variety {
            Variety::Atomic(primitive) => atomic(*primitive, simple.lexical, text.clone(), scope)?,
            Variety::List(item) => self.list(*item, &text, scope)?,
            Variety::Union(members) => self.member(members, text.clone(), scope)?,
        };
        simple.check_facets(&parsed, &text, scope.stride)?;
        Ok(parsed)
    }

    fn list<'t>(
        &self,
        item: TypeId,
        text: &str,
        scope: &mut Scope<'_, '_>,
    ) -> Result<Parsed<'t>, NoValue> {
        let mut values = Vec::new();
        let mut written = String::with_capacity(text.len());
        for word in text.split_ascii_whitespace() {
            let parsed = self.read(item, word, scope)?.owned();
            if !values.is_empty() {
                written.push(' ');
            }
            written.push_str(&parsed.text);
            values.push(parsed.value);
        }
        Ok(Parsed { value: Value::List(values), text: Cow::Owned(written) })
    }

    /// A value of the first type that takes the text.
    fn member<'t>(
        &self,
        members: &[TypeId],
        text: Cow<'t, str>,
        scope: &mut Scope<'_, '_>,
    ) -> Result<Parsed<'t>, NoValue> {
        let mut failed = NoValue::Invalid;
        for member in members {
            match self.read(*member, &text, scope) {
                Ok(parsed) => return Ok(parsed.owned()),
                Err(NoValue::Invalid) => {}
                Err(NoValue::Stopped(error)) => return Err(error.into()),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

impl WhiteSpace {
    fn applied(self, text: &str) -> Cow<'_, str> {
        let is_white = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        match self {
            WhiteSpace::Preserve => Cow::Borrowed(text),
            WhiteSpace::Replace if !text.contains(['\t', '\n', '\r']) => Cow::Borrowed(text),
            WhiteSpace::Replace => {
                Cow::Owned(text.chars().map(|c| if is_white(c) { ' ' } else { c }).collect())
            }
            WhiteSpace::Collapse => {
                let trimmed = text.trim_matches(is_white);
                if !trimmed.contains(['\t', '\n', '\r']) && !trimmed.contains("  ") {
                    return Cow::Borrowed(trimmed);
                }
                let mut words = String::with_capacity(trimmed.len());
                for word in trimmed.split(is_white).filter(|word| !word.is_empty()) {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(word);
                }
                Cow::Owned(words)
            }
        }
    }
}

fn atomic<'t>(
    primitive: Primitive,
    lexical: Lexical,
    text: Cow<'t, str>,
    scope: &Scope<'_, '_>,
) -> Result<Parsed<'t>, NoValue> {
    let shown = |value, text: String| Parsed { value, text: Cow::Owned(text) };
    let parsed = match primitive {
        Primitive::AnySimple | Primitive::String | Primitive::AnyUri => {
            lexical.fits(&text).then(|| Parsed { value: Value::Text(text.clone()), text })
        }
        Primitive::Boolean => match &*text {
            "true" | "1" => Some(shown(Value::Boolean(true), "true".into())),
            "false" | "0" => Some(shown(Value::Boolean(false), "false".into())),
            _ => None,
        },
        Primitive::Decimal => exact(&text, lexical == Lexical::Integer)
            .map(|value| shown(Value::Exact(value), canonical::exact_text(value))),
        Primitive::Double | Primitive::Float => float(&text, primitive == Primitive::Float),
        Primitive::Duration => canonical::duration(&text)
            .map(|found| shown(Value::Duration(found.months, found.ticks), found.text)),
        Primitive::Moment(kind) => canonical::moment(&text, kind)
            .map(|found| shown(Value::Moment(kind, found.ticks), found.text)),
        Primitive::HexBinary => {
            let is_hex = text.len() % 2 == 0 && text.bytes().all(|c| c.is_ascii_hexdigit());
            let upper = text.to_ascii_uppercase();
            is_hex.then(|| shown(Value::Text(upper.clone().into()), upper))
        }
        Primitive::Base64Binary => {
            let text: String = text.split_ascii_whitespace().collect();
            let body = text.trim_end_matches('=');
            let is_one = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/');
            let is_base64 =
                text.len() % 4 == 0 && text.len() - body.len() <= 2 && body.bytes().all(is_one);
            is_base64.then(|| shown(Value::Text(text.clone().into()), text))
        }
        Primitive::QName => {
            let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
            let is_name = |name: &str| Lexical::NoColonName.fits(name);
            if !is_name(local) || (!is_name(prefix) && text.contains(':')) {
                return Err(NoValue::Invalid);
            }
            let uri = (scope.uri)(prefix);
            if uri.is_none() && !prefix.is_empty() {
                return Err(NoValue::Prefix);
            }
            let value = Value::Name(uri.unwrap_or_default(), local.into());
            Some(Parsed { value, text })
        }
    };
    parsed.ok_or(NoValue::Invalid)
}

/// A decimal or integer of at most 28 digits before the point; digits behind it beyond ten are cut.
fn exact(text: &str, is_integer: bool) -> Option<i128> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some(_) if is_integer => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (unsigned, ""),
    };
    let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !has_digits || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 28 {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(usize::from(SCALE))];
    let sign = if text.starts_with('-') { "-" } else { "" };
    decimal::parse(format!("{sign}{whole:0>1}.{fraction:0<1}").as_bytes(), 38, SCALE).ok()
}

fn float(text: &str, is_short: bool) -> Option<Parsed<'static>> {
    let value = match text {
        "NaN" => f64::NAN,
        _ => canonical::parse_double(text)?,
    };
    let (value, precision) = match is_short {
        true => (f64::from(value as f32), 7),
        false => (value, 15),
    };
    if value.is_infinite() && !text.ends_with("INF") {
        return None;
    }
    let text = canonical::double_text(value, precision);
    Some(Parsed { value: Value::Float(value), text: Cow::Owned(text) })
}

impl Lexical {
    /// Whether a text has this form; that of integers is looked at where numbers are read.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Lexical::Any | Lexical::Integer => true,
            Lexical::Language => {
                let mut parts = text.split('-');
                let first = parts.next().unwrap_or_default();
                let is_part = |part: &str, is_letter: fn(u8) -> bool| {
                    (1..=8).contains(&part.len()) && part.bytes().all(is_letter)
                };
                is_part(first, |c| c.is_ascii_alphabetic())
                    && parts.all(|part| is_part(part, |c| c.is_ascii_alphanumeric()))
            }
            Lexical::NameToken => {
                !text.is_empty() && text.chars().all(|c| c == ':' || super::continues_name(c))
            }
            Lexical::Name => {
                text.split(':').enumerate().all(|(at, part)| match at {
                    0 => part.is_empty() || super::is_name(part),
                    _ => part.chars().all(super::continues_name),
                }) && !text.is_empty()
            }
            Lexical::NoColonName => super::is_name(text),
        }
    }
}

impl Simple {
    /// A type of a primitive one without facets.
    pub fn of(primitive: Primitive, white_space: WhiteSpace, lexical: Lexical) -> Simple {
        Simple {
            variety: Variety::Atomic(primitive),
            white_space,
            lexical,
            identity: None,
            min_length: None,
            max_length: None,
            total_digits: None,
            fraction_digits: None,
            low: None,
            high: None,
            values: None,
            patterns: Vec::new(),
            fixed: Vec::new(),
        }
    }

    /// A list or union without facets.
    pub fn made(variety: Variety) -> Simple {
        let made = Simple::of(Primitive::AnySimple, WhiteSpace::Collapse, Lexical::Any);
        let white_space = match variety {
            Variety::Union(_) => WhiteSpace::Preserve,
            _ => WhiteSpace::Collapse,
        };
        Simple { variety, white_space, ..made }
    }

    /// The primitive type of its values, if it has one.
    pub fn primitive(&self) -> Option<Primitive> {
        match self.variety {
            Variety::Atomic(primitive) => Some(primitive),
            _ => None,
        }
    }

    fn check_facets(
        &self,
        parsed: &Parsed<'_>,
        text: &str,
        stride: &mut Stride<'_>,
    ) -> Result<(), NoValue> {
        if !self.fits_patterns(text, stride)? {
            return Err(NoValue::Invalid);
        }
        stride.step(self.values.as_ref().map_or(0, |values| values.len()))?;
        self.check_value(&parsed.value, &parsed.text)?;
        // What is written must be readable again.
        match *parsed.text == *text || self.fits_patterns(&parsed.text, stride)? {
            true => Ok(()),
            false => Err(NoValue::NotCanonical),
        }
    }

    fn fits_patterns(&self, text: &str, stride: &mut Stride<'_>) -> SqlResult<bool> {
        for any in &self.patterns {
            let mut fits = false;
            for pattern in any.iter() {
                fits = fits || pattern.matches(text, stride)?;
            }
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All facets but patterns.
    fn check_value(&self, value: &Value<'_>, text: &str) -> Result<(), NoValue> {
        let is_long = self.min_length.is_some() || self.max_length.is_some();
        if is_long && let Some(length) = self.length(value, text) {
            let is_short = self.min_length.is_some_and(|least| length < least);
            if is_short || self.max_length.is_some_and(|most| length > most) {
                return Err(NoValue::Invalid);
            }
        }
        if self.total_digits.is_some() || self.fraction_digits.is_some() {
            let digits = text.bytes().filter(u8::is_ascii_digit).count() as u64;
            let fraction = text.split_once('.').map_or(0, |(_, fraction)| fraction.len()) as u64;
            let significant =
                if text.trim_start_matches('-').starts_with("0.") { digits - 1 } else { digits };
            if self.total_digits.is_some_and(|most| significant > most)
                || self.fraction_digits.is_some_and(|most| fraction > most)
            {
                return Err(NoValue::Invalid);
            }
        }
        let is_in = |bound: &Option<Bound>, beyond: Ordering| match bound {
            None => true,
            Some(bound) => match value.order(&bound.value) {
                Some(Ordering::Equal) => bound.is_inclusive,
                Some(order) => order == beyond,
                None => false,
            },
        };
        if !is_in(&self.low, Ordering::Greater) || !is_in(&self.high, Ordering::Less) {
            return Err(NoValue::Invalid);
        }
        match &self.values {
            Some(values) if !values.iter().any(|one| one.is_same(value)) => Err(NoValue::Invalid),
            _ => Ok(()),
        }
    }

    /// The length of a value in the units of its type.
    fn length(&self, value: &Value<'_>, text: &str) -> Option<u64> {
        Some(match (&self.variety, value) {
            (Variety::List(_), Value::List(all)) => all.len() as u64,
            (Variety::Atomic(Primitive::HexBinary), _) => text.len() as u64 / 2,
            (Variety::Atomic(Primitive::Base64Binary), _) => {
                let body = text.trim_end_matches('=');
                body.len() as u64 * 3 / 4
            }
            (Variety::Atomic(Primitive::QName), _) => return None,
            _ => text.chars().count() as u64,
        })
    }
}

/// A built-in type: its name, the name of its base, and what it is.
pub(super) struct Builtin {
    pub(super) name: QName,
    pub(super) base: TypeId,
    pub(super) simple: Simple,
}

/// The built-in simple types in the order of their ids, which begin after `anyType`.
pub(super) fn builtins() -> Vec<Builtin> {
    use Lexical as L;
    use Primitive as P;
    use WhiteSpace::{Collapse, Preserve, Replace};
    let mut all: Vec<Builtin> = Vec::new();
    let id_of = |all: &[Builtin], name: &str| {
        let at = all.iter().position(|known| &*known.name.local == name);
        at.map_or(TypeId::ANY, |at| TypeId(at as u32 + 1))
    };
    let mut add = |name: &str, base: &str, simple: Simple| {
        let base = id_of(&all, base);
        all.push(Builtin { name: QName::new(SCHEMA_URI, name), base, simple });
    };
    let of = Simple::of;
    add("anySimpleType", "", of(P::AnySimple, Preserve, L::Any));
    add("string", "anySimpleType", of(P::String, Preserve, L::Any));
    add("normalizedString", "string", of(P::String, Replace, L::Any));
    add("token", "normalizedString", of(P::String, Collapse, L::Any));
    add("language", "token", of(P::String, Collapse, L::Language));
    add("NMTOKEN", "token", of(P::String, Collapse, L::NameToken));
    add("Name", "token", of(P::String, Collapse, L::Name));
    let no_colon = of(P::String, Collapse, L::NoColonName);
    add("NCName", "Name", no_colon.clone());
    for (name, identity) in
        [("ID", Some(Identity::Id)), ("IDREF", Some(Identity::Reference)), ("ENTITY", None)]
    {
        add(name, "NCName", Simple { identity, ..no_colon.clone() });
    }
    add("boolean", "anySimpleType", of(P::Boolean, Collapse, L::Any));
    add("decimal", "anySimpleType", of(P::Decimal, Collapse, L::Any));
    let integers: [(&str, &str, Option<i128>, Option<i128>); 13] = [
        ("integer", "decimal", None, None),
        ("nonPositiveInteger", "integer", None, Some(0)),
        ("negativeInteger", "nonPositiveInteger", None, Some(-1)),
        ("long", "integer", Some(i64::MIN.into()), Some(i64::MAX.into())),
        ("int", "long", Some(i32::MIN.into()), Some(i32::MAX.into())),
        ("short", "int", Some(i16::MIN.into()), Some(i16::MAX.into())),
        ("byte", "short", Some(i8::MIN.into()), Some(i8::MAX.into())),
        ("nonNegativeInteger", "integer", Some(0), None),
        ("unsignedLong", "nonNegativeInteger", Some(0), Some(u64::MAX.into())),
        ("unsignedInt", "unsignedLong", Some(0), Some(u32::MAX.into())),
        ("unsignedShort", "unsignedInt", Some(0), Some(u16::MAX.into())),
        ("unsignedByte", "unsignedShort", Some(0), Some(u8::MAX.into())),
        ("positiveInteger", "nonNegativeInteger", Some(1), None),
    ];
    for (name, base, low, high) in integers {
        let bound = |value: i128| Bound {
            value: Value::Exact(value * canonical::UNIT),
            is_inclusive: true,
        };
        let mut simple = of(P::Decimal, Collapse, L::Integer);
        (simple.low, simple.high) = (low.map(bound), high.map(bound));
        simple.fraction_digits = Some(0);
        add(name, base, simple);
    }
    let others = [
        ("float", P::Float),
        ("double", P::Double),
        ("duration", P::Duration),
        ("dateTime", P::Moment(MomentKind::DateTime)),
        ("time", P::Moment(MomentKind::Time)),
        ("date", P::Moment(MomentKind::Date)),
        ("gYearMonth", P::Moment(MomentKind::YearMonth)),
        ("gYear", P::Moment(MomentKind::Year)),
        ("gMonthDay", P::Moment(MomentKind::MonthDay)),
        ("gDay", P::Moment(MomentKind::Day)),
        ("gMonth", P::Moment(MomentKind::Month)),
        ("hexBinary", P::HexBinary),
        ("base64Binary", P::Base64Binary),
        ("anyURI", P::AnyUri),
        ("QName", P::QName),
    ];
    for (name, primitive) in others {
        add(name, "anySimpleType", of(primitive, Collapse, L::Any));
    }
    for (name, item) in [("NMTOKENS", "NMTOKEN"), ("IDREFS", "IDREF"), ("ENTITIES", "ENTITY")] {
        let item = id_of(&all, item);
        let mut simple = Simple::made(Variety::List(item));
        simple.min_length = Some(1);
        simple.identity = (name == "IDREFS").then_some(Identity::References);
        let base = TypeId::ANY_SIMPLE;
        all.push(Builtin { name: QName::new(SCHEMA_URI, name), base, simple });
    }
    all
}

impl Collection {
    /// Whether a text would be read if the type had no bounds.
    pub(super) fn reads_without_bounds(&self, simple: &Simple, text: &str) -> bool {
        let Variety::Atomic(primitive) = simple.variety else { return false };
        let text = simple.white_space.applied(text);
        let scope = Scope { uri: &|_| None, stride: &mut Stride::new(&Unpaced) };
        atomic(primitive, simple.lexical, text, &scope).is_ok()
    }
}
