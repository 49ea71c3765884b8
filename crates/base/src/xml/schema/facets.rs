//! Facets: what a restriction takes from the values of its base.

use std::cmp::Ordering;

use super::compile::{Compiler, Place, VALUE_MAX};
use super::model::TypeId;
use super::pattern::Pattern;
use super::place::bad_value;
use super::simple::{Bound, Lexical, Primitive, Scope, Simple, Value, Variety, WhiteSpace};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Stride, Unpaced};

const FACETS: [&str; 12] = [
    "minExclusive",
    "minInclusive",
    "maxExclusive",
    "maxInclusive",
    "totalDigits",
    "fractionDigits",
    "length",
    "minLength",
    "maxLength",
    "enumeration",
    "whiteSpace",
    "pattern",
];

/// Values that an enumeration may have.
const VALUES_MAX: usize = 10_000;
/// Patterns that a type may have, with those that it takes over.
const PATTERNS_MAX: usize = 1_000;

/// Whether a type may have a facet.
fn takes(simple: &Simple, facet: &str) -> bool {
    use Primitive as P;
    let is_length = matches!(facet, "length" | "minLength" | "maxLength");
    let is_bound = facet.starts_with("minE")
        || facet.starts_with("minI")
        || facet.starts_with("maxE")
        || facet.starts_with("maxI");
    let primitive = match simple.variety {
        Variety::List(_) => {
            return is_length || matches!(facet, "enumeration" | "pattern" | "whiteSpace");
        }
        Variety::Union(_) => return matches!(facet, "enumeration" | "pattern"),
        Variety::Atomic(primitive) => primitive,
    };
    match facet {
        "pattern" | "whiteSpace" => true,
        "enumeration" => primitive != P::Boolean,
        "totalDigits" | "fractionDigits" => primitive == P::Decimal,
        _ if is_length => {
            matches!(primitive, P::String | P::AnyUri | P::HexBinary | P::Base64Binary | P::QName)
        }
        _ if is_bound => {
            matches!(primitive, P::Decimal | P::Float | P::Double | P::Duration | P::Moment(_))
        }
        _ => false,
    }
}

impl Compiler<'_> {
    pub(super) fn has_facets(&self, place: Place) -> bool {
        self.children(place).iter().any(|child| FACETS.contains(&self.local(*child)))
    }

    /// A simple type with the facets that stand in an element. Errors 2319, 2320, 6944 to 6952,
    /// 6956, 6960, 6964, 6996, 6998.
    pub(super) fn with_facets(
        &mut self,
        id: TypeId,
        base: TypeId,
        place: Place,
    ) -> SqlResult<Simple> {
        let of = self.made.ty(base).simple().expect("the base was looked at").clone();
        let mut simple = of.clone();
        let mut patterns = Vec::new();
        let mut values: Vec<Value<'static>> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for facet in self.children(place) {
            let name = self.local(facet);
            if !FACETS.contains(&name) {
                continue;
            }
            self.pace.pace()?;
            let at = || self.path(place);
            if !takes(&of, name) {
                return Err(SqlError::new(&message::SCHEMA_FACET_NOT_OF_TYPE, &[&name, &at()]));
            }
            let may_repeat = matches!(name, "enumeration" | "pattern");
            if seen.contains(&name) && !may_repeat {
                return Err(SqlError::new(&message::SCHEMA_FACET_TWICE, &[&name, &at()]));
            }
            if !seen.contains(&name) {
                seen.push(name);
            }
            let text = self.attribute(facet, "value").unwrap_or_default();
            if text.chars().count() > VALUE_MAX {
                return Err(SqlError::new(&message::SCHEMA_FACET_LONG, &[&name]));
            }
            match name {
                "pattern" => {
                    let pattern = Pattern::new(text).ok_or_else(|| self.bad_facet(name, id))?;
                    self.room.take(pattern.bytes())?;
                    patterns.push(pattern);
                }
                "enumeration" => values.push(self.facet_value(id, base, facet, name)?),
                _ => self.set(&mut simple, id, base, facet, name)?,
            }
            let is_changed = of.fixed.contains(&name) && !self.is_same(&of, &simple, name);
            if is_changed {
                let args: [&dyn std::fmt::Display; 2] = [&self.made.ty(id).shown(), &name];
                return Err(SqlError::new(&message::SCHEMA_FACET_FIXED, &args));
            }
            if self.boolean(facet, "fixed")?
                && let Some(known) = FACETS.iter().find(|known| **known == name)
                && !simple.fixed.contains(known)
            {
                simple.fixed.push(known);
            }
        }
        if !patterns.is_empty() {
            simple.patterns.push(patterns.into());
        }
        let pattern_count = simple.patterns.iter().map(|all| all.len()).sum::<usize>();
        if values.len() > VALUES_MAX || pattern_count > PATTERNS_MAX {
            return Err(self.wrong(&message::SCHEMA_MODEL_COMPLEX, id));
        }
        self.room.take(size_of_val(&*simple.patterns))?;
        if !values.is_empty() {
            simple.values = Some(values.into());
        }
        let has = |name: &str| seen.contains(&name);
        if (has("minInclusive") && has("minExclusive"))
            || (has("maxInclusive") && has("maxExclusive"))
        {
            return Err(self.wrong(&message::SCHEMA_FACETS_BOTH, id));
        }
        self.check_facets(id, &of, &simple)?;
        Ok(simple)
    }

    fn bad_facet(&self, name: &str, id: TypeId) -> SqlError {
        SqlError::new(&message::SCHEMA_FACET_VALUE, &[&name, &self.made.ty(id).shown()])
    }

    fn facet_value(
        &self,
        id: TypeId,
        base: TypeId,
        facet: Place,
        name: &str,
    ) -> SqlResult<Value<'static>> {
        let text = self.attribute(facet, "value").unwrap_or_default();
        let document = self.document(facet);
        let uri = |prefix: &str| document.namespace_of(facet.node, prefix).map(String::from);
        // A facet is short, so that its value is read without asking.
        let mut scope = Scope { uri: &uri, stride: &mut Stride::new(&Unpaced) };
        match self.made.read(base, text, &mut scope) {
            Ok(parsed) => Ok(parsed.owned().value),
            Err(_) => Err(self.bad_facet(name, id)),
        }
    }

    fn set(
        &self,
        simple: &mut Simple,
        id: TypeId,
        base: TypeId,
        facet: Place,
        name: &str,
    ) -> SqlResult<()> {
        let text = self.attribute(facet, "value").unwrap_or_default().trim_ascii();
        let number = || text.parse::<u64>().map_err(|_| self.bad_facet(name, id));
        match name {
            "length" => {
                (simple.min_length, simple.max_length) = (Some(number()?), Some(number()?));
            }
            "minLength" => simple.min_length = Some(number()?),
            "maxLength" => simple.max_length = Some(number()?),
            "totalDigits" => {
                let digits = number()?;
                if digits == 0 {
                    return Err(self.bad_facet(name, id));
                }
                simple.total_digits = Some(digits);
            }
            "fractionDigits" => {
                let digits = number()?;
                let is_whole = simple.lexical == Lexical::Integer;
                if is_whole && digits != 0 {
                    return Err(self.bad_facet(name, id));
                }
                if digits > u64::from(crate::xml::canonical::SCALE) {
                    let shown = self.made.ty(id).shown();
                    return Err(SqlError::new(&message::SCHEMA_FACET_RANGE, &[&shown]));
                }
                simple.fraction_digits = Some(digits);
            }
            "whiteSpace" => {
                simple.white_space = match text {
                    "preserve" => WhiteSpace::Preserve,
                    "replace" => WhiteSpace::Replace,
                    "collapse" => WhiteSpace::Collapse,
                    other => return Err(bad_value("value", other)),
                }
            }
            _ => {
                let value = match self.facet_value(id, base, facet, name) {
                    Ok(value) => value,
                    Err(_) => {
                        // A value that only the base's own facets refuse would take them back.
                        let of = self.made.ty(base).simple().expect("it was looked at");
                        let shown = self.made.ty(id).shown();
                        return Err(match self.made.reads_without_bounds(of, text) {
                            true => SqlError::new(&message::SCHEMA_FACET_WIDER, &[&shown, &name]),
                            false => self.bad_facet(name, id),
                        });
                    }
                };
                let bound = Some(Bound { value, is_inclusive: name.ends_with("Inclusive") });
                match name.starts_with("min") {
                    true => simple.low = bound,
                    false => simple.high = bound,
                }
            }
        }
        Ok(())
    }

    fn is_same(&self, a: &Simple, b: &Simple, facet: &str) -> bool {
        let same = |a: &Option<Bound>, b: &Option<Bound>| match (a, b) {
            (Some(a), Some(b)) => a.value.is_same(&b.value) && a.is_inclusive == b.is_inclusive,
            (a, b) => a.is_none() && b.is_none(),
        };
        match facet {
            "length" => a.min_length == b.min_length && a.max_length == b.max_length,
            "minLength" => a.min_length == b.min_length,
            "maxLength" => a.max_length == b.max_length,
            "totalDigits" => a.total_digits == b.total_digits,
            "fractionDigits" => a.fraction_digits == b.fraction_digits,
            "whiteSpace" => a.white_space == b.white_space,
            _ if facet.starts_with("min") => same(&a.low, &b.low),
            _ if facet.starts_with("max") => same(&a.high, &b.high),
            _ => true,
        }
    }

    /// That facets agree with each other and take nothing back.
    fn check_facets(&self, id: TypeId, of: &Simple, simple: &Simple) -> SqlResult<()> {
        let wider = |facet: &str| {
            let args: [&dyn std::fmt::Display; 2] = [&self.made.ty(id).shown(), &facet];
            Err(SqlError::new(&message::SCHEMA_FACET_WIDER, &args))
        };
        let less = |own: Option<u64>, base: Option<u64>| base.is_some_and(|base| own < Some(base));
        let more =
            |own: Option<u64>, base: Option<u64>| base.is_some_and(|b| own.is_none_or(|o| o > b));
        if simple.white_space < of.white_space {
            return wider("whiteSpace");
        }
        if less(simple.min_length, of.min_length) {
            return wider("minLength");
        }
        if more(simple.max_length, of.max_length) {
            return wider("maxLength");
        }
        if more(simple.total_digits, of.total_digits) {
            return wider("totalDigits");
        }
        if more(simple.fraction_digits, of.fraction_digits) {
            return wider("fractionDigits");
        }
        if simple.min_length.zip(simple.max_length).is_some_and(|(min, max)| min > max) {
            return Err(self.wrong(&message::SCHEMA_MIN_LENGTH, id));
        }
        if simple.total_digits.zip(simple.fraction_digits).is_some_and(|(all, part)| part > all) {
            return Err(self.wrong(&message::SCHEMA_DIGITS, id));
        }
        if let (Some(low), Some(high)) = (&simple.low, &simple.high) {
            let is_empty = match low.value.order(&high.value) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => low.is_inclusive != high.is_inclusive,
                _ => false,
            };
            if is_empty {
                return Err(match low.is_inclusive {
                    true => self.wrong(&message::SCHEMA_MIN_INCLUSIVE, id),
                    false => self.wrong(&message::SCHEMA_MIN_EXCLUSIVE, id),
                });
            }
        }
        Ok(())
    }
}
