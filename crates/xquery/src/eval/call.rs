//! Functions.

use std::borrow::Cow;
use std::collections::HashSet;

use base::decimal;
use base::error::SqlResult;
use base::types::SqlType;

use super::{Bag, Flow, Focus, Item, ON, Run, STOP, Visit, as_number};
use crate::atomic::{self, Atomic, SCALE, UNIT};
use crate::expr::{Expr, Function, Operator};
use crate::types::{AtomicType, Class};

impl<'r> Run<'r> {
    pub(super) fn call(
        &self,
        function: Function,
        ty: AtomicType,
        arguments: &'r [Expr],
        focus: &Focus<'r>,
    ) -> SqlResult<Option<Atomic<'r>>> {
        use Function as F;
        let text = |at: usize| self.text(&arguments[at], focus);
        Ok(Some(match function {
            F::True => Atomic::Boolean(true),
            F::False => Atomic::Boolean(false),
            F::Not => Atomic::Boolean(!self.is_true(&arguments[0], focus)?),
            F::Empty => Atomic::Boolean(self.first(&arguments[0], focus)?.is_none()),
            F::Position => Atomic::integer(focus.position),
            F::Last => Atomic::integer(focus.last),
            F::Count => {
                let mut count = 0;
                let _ = self.each(&arguments[0], focus, &mut |_| {
                    count += 1;
                    Ok(ON)
                })?;
                Atomic::integer(count)
            }
            F::String => Atomic::string(text(0)?),
            F::Contains => {
                let (whole, part) = (text(0)?, text(1)?);
                self.work(whole.len())?;
                Atomic::Boolean(whole.contains(&*part))
            }
            F::StringLength => Atomic::integer(units(&text(0)?)),
            F::LowerCase => Atomic::string(text(0)?.to_lowercase()),
            F::UpperCase => Atomic::string(text(0)?.to_uppercase()),
            F::Concat => {
                let mut out = String::new();
                for argument in arguments {
                    let piece = self.text(argument, focus)?;
                    self.meter.admit(out.len() + piece.len())?;
                    out.push_str(&piece);
                }
                Atomic::string(out)
            }
            F::Substring => return self.substring(arguments, focus),
            F::LocalName | F::NamespaceUri => match self.first(&arguments[0], focus)? {
                Some(Item::Node(node)) => {
                    let name = self.document.name(node);
                    Atomic::string(if function == F::LocalName { name.local } else { name.uri })
                }
                _ => Atomic::string(""),
            },
            F::Number => {
                let value = self.value(&arguments[0], focus)?;
                return Ok(value.and_then(|value| value.cast(AtomicType::Double)));
            }
            F::Floor | F::Ceiling | F::Round => {
                let value = self.number(&arguments[0], focus)?;
                return Ok(value.map(|value| rounded(function, value)));
            }
            F::Sum | F::Avg => return self.sum(function == F::Avg, ty, &arguments[0], focus),
            F::Max | F::Min => return self.extreme(function == F::Max, &arguments[0], focus),
            F::ExpandedQName => Atomic::QName(text(0)?, text(1)?),
            F::LocalNameFromQName | F::NamespaceUriFromQName => {
                let value = self.value(&arguments[0], focus)?;
                let Some(Atomic::QName(uri, local)) = value else {
                    return Ok(None);
                };
                Atomic::string(if function == F::LocalNameFromQName { local } else { uri })
            }
            F::Data | F::DistinctValues => return self.value(&arguments[0], focus),
        }))
    }

    fn substring(&self, arguments: &'r [Expr], focus: &Focus<'r>) -> SqlResult<Option<Atomic<'r>>> {
        let text = self.text(&arguments[0], focus)?;
        let round = |value: Option<Atomic<'r>>| {
            value.and_then(as_number).and_then(|v| v.number()).map(|v| (v + 0.5).floor())
        };
        let Some(first) = round(self.value(&arguments[1], focus)?) else {
            return Ok(None);
        };
        let end = match arguments.get(2) {
            Some(length) => match round(self.value(length, focus)?) {
                Some(length) => first + length,
                None => return Ok(None),
            },
            None => f64::INFINITY,
        };
        // Positions count UTF-16 units, from 1.
        let (mut from, mut to) = (text.len(), text.len());
        let mut position = 1usize;
        for (at, c) in text.char_indices() {
            if (position as f64) >= end {
                to = at;
                break;
            }
            if from == text.len() && position as f64 >= first {
                from = at;
            }
            position += c.len_utf16();
            self.work(1)?;
        }
        let (from, to) = (from.min(to), to);
        Ok(Some(Atomic::string(match text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
            Cow::Owned(text) => Cow::Owned(text[from..to].to_string()),
        })))
    }

    fn sum(
        &self,
        is_average: bool,
        ty: AtomicType,
        argument: &'r Expr,
        focus: &Focus<'r>,
    ) -> SqlResult<Option<Atomic<'r>>> {
        let mut total: Option<Atomic<'r>> = None;
        let mut count = 0usize;
        let mut is_wrong = false;
        let _ = self.each_atomic(argument, focus, &mut |value| {
            let next = as_number(value).and_then(|value| match total.take() {
                Some(total) => atomic::calculate(Operator::Add, ty, &total, &value),
                None => Some(value),
            });
            count += 1;
            is_wrong = next.is_none();
            total = next;
            Ok(if is_wrong { STOP } else { ON })
        })?;
        let Some(total) = total else {
            return Ok((!is_wrong && !is_average).then(|| Atomic::integer(0)));
        };
        if !is_average {
            return Ok(Some(total));
        }
        let count = count as i128 * UNIT;
        Ok(match total {
            Atomic::Exact(_, total) => {
                let to = SqlType::decimal(38, SCALE);
                let average = decimal::divide(total, SCALE, count, SCALE, &to).ok();
                average.map(|average| Atomic::Exact(AtomicType::Decimal, average))
            }
            total => {
                let count = Atomic::Exact(AtomicType::Integer, count);
                atomic::calculate(Operator::Divide, ty, &total, &count)
            }
        })
    }

    fn extreme(
        &self,
        is_max: bool,
        argument: &'r Expr,
        focus: &Focus<'r>,
    ) -> SqlResult<Option<Atomic<'r>>> {
        let mut best: Option<Atomic<'r>> = None;
        let mut is_wrong = false;
        let _ = self.each_atomic(argument, focus, &mut |value| {
            let value = match value.ty().class() {
                Class::Untyped => value.cast(AtomicType::Double),
                _ => Some(value),
            };
            let order = match (&value, &best) {
                (None, _) => None,
                (Some(_), None) => Some(std::cmp::Ordering::Greater),
                (Some(value), Some(best)) => {
                    let order = value.compare(best, Class::Any);
                    order.map(|order| if is_max { order } else { order.reverse() })
                }
            };
            is_wrong = order.is_none();
            if order.is_some_and(std::cmp::Ordering::is_gt) {
                best = value;
            }
            Ok(if is_wrong { STOP } else { ON })
        })?;
        Ok(best.filter(|_| !is_wrong))
    }

    pub(super) fn distinct(
        &self,
        argument: &'r Expr,
        focus: &Focus<'r>,
        visit: Visit<'_, 'r>,
    ) -> SqlResult<Flow> {
        let mut seen: HashSet<(bool, String)> = HashSet::new();
        // What is seen is charged as if it were kept here.
        let mut charged: Bag<()> = Bag::new();
        self.each_atomic(argument, focus, &mut |value| {
            let key = (value.ty().is_numeric(), value.text().into_owned());
            let bytes = key.1.len() + 64;
            if !seen.insert(key) {
                return Ok(ON);
            }
            charged.push((), bytes, self.meter.account)?;
            visit(Item::Atomic(value))
        })
    }
}

/// The length in UTF-16 units.
fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn rounded(function: Function, value: Atomic<'_>) -> Atomic<'_> {
    let real = |value: f64| match function {
        Function::Floor => value.floor(),
        Function::Ceiling => value.ceil(),
        _ => (value + 0.5).floor(),
    };
    match value {
        Atomic::Exact(ty, value) => {
            let value = match function {
                Function::Floor => value.div_euclid(UNIT) * UNIT,
                Function::Ceiling => -((-value).div_euclid(UNIT) * UNIT),
                _ => (value + UNIT / 2).div_euclid(UNIT) * UNIT,
            };
            Atomic::Exact(ty, value)
        }
        Atomic::Double(value) => Atomic::Double(real(value)),
        Atomic::Float(value) => Atomic::Float(real(f64::from(value)) as f32),
        other => other,
    }
}
