//! Whether the content of a restriction is a part of its base's content: "Particle Valid
//! (Restriction)" of XML Schema 1.0, part 1, 3.9.6.
//!
//! Particles are compared pair by pair, as they stand; that one lets in no more than the other does
//! not suffice. Groups that change nothing are left out first ([`View`]).

use super::Collection;
use super::model::*;
use crate::error::{SqlError, SqlResult};
use crate::message::{self, Message};
use crate::pace::Pace;

/// Pairs of particles that are compared for a type.
const PAIRS_MAX: usize = 1_000_000;
/// Pairs between two questions to the pace.
const PAIRS: usize = 1_024;

/// Checks the content of a type that is a restriction. Errors 6979 to 6991, 6998.
pub(super) fn check(made: &Collection, ty: &Type, pace: &dyn Pace) -> SqlResult<()> {
    let base = made.ty(ty.base);
    let is_any = ty.base == TypeId::ANY;
    let (true, Some(own), Some(of)) =
        (ty.derivation == Derivation::Restriction && !is_any, ty.complex(), base.complex())
    else {
        return Ok(());
    };
    if [own, of].iter().any(|complex| matches!(complex.content, Content::Simple(_))) {
        return Ok(());
    }
    let mut check = Check { made, pace, left: PAIRS_MAX };
    let found = match (&own.particle, &of.particle) {
        (None, None) => Ok(()),
        (None, Some(of)) => match View::of(of).range().0 {
            0 => Ok(()),
            _ => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_EMPTY)),
        },
        (Some(own), None) => match View::of(own).is_nothing() {
            true => Ok(()),
            false => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_EMPTY)),
        },
        (Some(own), Some(of)) => {
            let (own, of) = (View::of(own), View::of(of));
            match own.is_nothing() {
                true if of.range().0 == 0 => Ok(()),
                true => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_EMPTY)),
                false => check.pair(&own, &of),
            }
        }
    };
    found.map_err(|fault| match fault {
        Fault::Rule(message) => SqlError::new(message, &[&ty.shown()]),
        Fault::Error(error) => error,
    })
}

/// Why a restriction is refused.
enum Fault {
    /// The rule that it breaks.
    Rule(&'static Message),
    /// The check itself has ended.
    Error(SqlError),
}

type Checked = Result<(), Fault>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    Choice,
    All,
}

enum Part<'p> {
    Element(ElementId),
    Any(&'p Wildcard),
    Group(Kind, Vec<View<'p>>),
}

/// A particle without groups that change nothing: empty ones, those of one particle that come
/// once, and sequences in sequences or choices in choices that come once.
struct View<'p> {
    min: u32,
    max: Option<u32>,
    part: Part<'p>,
}

impl<'p> View<'p> {
    fn of(particle: &'p Particle) -> View<'p> {
        let (kind, all) = match &particle.term {
            Term::Element(id) => return View::new(particle, Part::Element(*id)),
            Term::Any(wildcard) => return View::new(particle, Part::Any(wildcard)),
            Term::Sequence(all) => (Kind::Sequence, all),
            Term::Choice(all) => (Kind::Choice, all),
            Term::All(all) => (Kind::All, all),
        };
        let mut members = Vec::with_capacity(all.len());
        for member in all.iter().map(|member| View::of(member)).filter(|m| !m.is_nothing()) {
            match member.part {
                Part::Group(own, inner)
                    if own == kind && (member.min, member.max) == (1, Some(1)) =>
                {
                    members.extend(inner);
                }
                _ => members.push(member),
            }
        }
        if (particle.min, particle.max, members.len()) == (1, Some(1), 1) {
            return members.remove(0);
        }
        View::new(particle, Part::Group(kind, members))
    }

    fn new(particle: &Particle, part: Part<'p>) -> View<'p> {
        View { min: particle.min, max: particle.max, part }
    }

    /// Whether it lets in nothing at all.
    fn is_nothing(&self) -> bool {
        self.max == Some(0) || matches!(&self.part, Part::Group(_, members) if members.is_empty())
    }

    /// How many elements it lets in, at least and at most: its effective total range.
    fn range(&self) -> (u64, Option<u64>) {
        let (least, most) = match &self.part {
            Part::Element(_) | Part::Any(_) => (1, Some(1)),
            Part::Group(Kind::Choice, members) => {
                let ranges = || members.iter().map(View::range);
                let most = ranges().try_fold(0, |most: u64, range| Some(most.max(range.1?)));
                (ranges().map(|range| range.0).min().unwrap_or(0), most)
            }
            Part::Group(_, members) => {
                let ranges = || members.iter().map(View::range);
                let sum = |a: u64, b: u64| a.saturating_add(b);
                let most = ranges().try_fold(0, |most, range| Some(sum(most, range.1?)));
                (ranges().map(|range| range.0).fold(0, sum), most)
            }
        };
        let most = match (self.max, most) {
            (_, Some(0)) => Some(0),
            (Some(max), Some(most)) => Some(most.saturating_mul(max.into())),
            _ => None,
        };
        (least.saturating_mul(self.min.into()), most)
    }
}

/// Whether what comes so often comes no less and no more than that often.
fn is_within(own: (u64, Option<u64>), of: (u64, Option<u64>)) -> bool {
    own.0 >= of.0 && of.1.is_none_or(|most| own.1.is_some_and(|own| own <= most))
}

fn occurs(view: &View<'_>) -> (u64, Option<u64>) {
    (view.min.into(), view.max.map(u64::from))
}

/// Error 6980.
fn occurs_within(own: &View<'_>, of: &View<'_>) -> Checked {
    match is_within(occurs(own), occurs(of)) {
        true => Ok(()),
        false => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_OCCURS)),
    }
}

struct Check<'c> {
    made: &'c Collection,
    pace: &'c dyn Pace,
    /// How many more pairs may be compared.
    left: usize,
}

impl Check<'_> {
    fn step(&mut self) -> Checked {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Fault::Error(SqlError::new(&message::SCHEMA_MODEL_COMPLEX, &[&"restriction"]))
        })?;
        match self.left % PAIRS {
            0 => self.pace.pace().map_err(Fault::Error),
            _ => Ok(()),
        }
    }

    /// Whether a particle is a restriction of another one.
    fn pair(&mut self, own: &View<'_>, of: &View<'_>) -> Checked {
        use Kind::*;
        self.step()?;
        let fail = |message| Err(Fault::Rule(message));
        match (&own.part, &of.part) {
            (Part::Element(a), Part::Element(b)) => {
                self.elements(*a, *b)?;
                occurs_within(own, of)
            }
            (Part::Element(id), Part::Any(any)) => {
                match any.allows(&self.made.element(*id).name.uri) {
                    true => occurs_within(own, of),
                    false => fail(&message::SCHEMA_RESTRICTED_NAMESPACE),
                }
            }
            (Part::Any(a), Part::Any(b)) => {
                if !is_subset(a, b) {
                    return fail(&message::SCHEMA_RESTRICTED_WILDCARD);
                }
                occurs_within(own, of)
            }
            (Part::Group(_, members), Part::Any(any)) => {
                // How often each comes is a matter of the whole group.
                let part = Part::Any(any);
                let often = View { min: 0, max: None, part };
                members.iter().try_for_each(|member| self.pair(member, &often))?;
                match is_within(own.range(), occurs(of)) {
                    true => Ok(()),
                    false => fail(&message::SCHEMA_RESTRICTED_RANGE),
                }
            }
            (Part::Element(_), Part::Group(kind, members)) => {
                // As if it were the only one of such a group.
                if !is_within((1, Some(1)), occurs(of)) {
                    return fail(&message::SCHEMA_RESTRICTED_OCCURS);
                }
                let own = std::slice::from_ref(own);
                self.in_order(own, members, *kind != Choice)
            }
            (Part::Group(Sequence, a), Part::Group(All, b)) => {
                occurs_within(own, of)?;
                self.in_any_order(a, b)
            }
            (Part::Group(Sequence, a), Part::Group(Choice, b)) => {
                for member in a {
                    self.one_of(member, b)?;
                }
                let count = a.len() as u64;
                let (least, most) = occurs(own);
                let own = (least.saturating_mul(count), most.map(|m| m.saturating_mul(count)));
                match is_within(own, occurs(of)) {
                    true => Ok(()),
                    false => fail(&message::SCHEMA_RESTRICTED_OCCURS),
                }
            }
            (Part::Group(a_kind, a), Part::Group(b_kind, b)) if a_kind == b_kind => {
                occurs_within(own, of)?;
                self.in_order(a, b, *a_kind != Choice)
            }
            (_, Part::Element(_)) => fail(&message::SCHEMA_RESTRICTED_ELEMENT),
            (_, Part::Group(All, _)) => fail(&message::SCHEMA_RESTRICTED_ALL),
            (_, Part::Group(Choice, _)) => fail(&message::SCHEMA_RESTRICTED_CHOICE),
            (_, Part::Group(Sequence, _)) => fail(&message::SCHEMA_RESTRICTED_SEQUENCE),
        }
    }

    /// Whether each particle is a restriction of one of the others, in their order; if `all`, those
    /// that are passed over may be missing.
    fn in_order(&mut self, own: &[View<'_>], of: &[View<'_>], all: bool) -> Checked {
        let mut others = of.iter();
        for member in own {
            loop {
                let Some(other) = others.next() else {
                    return Err(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP));
                };
                match self.pair(member, other) {
                    Ok(()) => break,
                    Err(Fault::Rule(message)) => {
                        if self.is_same_name(member, other) {
                            return Err(Fault::Rule(message));
                        }
                        if all && other.range().0 > 0 {
                            return Err(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP));
                        }
                    }
                    error => return error,
                }
            }
        }
        match all && others.any(|other| other.range().0 > 0) {
            true => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP)),
            false => Ok(()),
        }
    }

    /// Whether each particle is a restriction of another one of the others, and those that are left
    /// may be missing.
    fn in_any_order(&mut self, own: &[View<'_>], of: &[View<'_>]) -> Checked {
        let mut taken = vec![false; of.len()];
        for member in own {
            let mut found = None;
            for (at, other) in of.iter().enumerate().filter(|(at, _)| !taken[*at]) {
                match self.pair(member, other) {
                    Ok(()) => {
                        found = Some(at);
                        break;
                    }
                    Err(Fault::Rule(message)) if self.is_same_name(member, other) => {
                        return Err(Fault::Rule(message));
                    }
                    Err(Fault::Rule(_)) => {}
                    error => return error,
                }
            }
            let at = found.ok_or(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP))?;
            taken[at] = true;
        }
        let mut left = of.iter().zip(&taken).filter(|(_, taken)| !**taken);
        match left.any(|(other, _)| other.range().0 > 0) {
            true => Err(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP)),
            false => Ok(()),
        }
    }

    /// Whether a particle is a restriction of one of the others.
    fn one_of(&mut self, member: &View<'_>, of: &[View<'_>]) -> Checked {
        for other in of {
            match self.pair(member, other) {
                Err(Fault::Rule(message)) if self.is_same_name(member, other) => {
                    return Err(Fault::Rule(message));
                }
                Err(Fault::Rule(_)) => {}
                result => return result,
            }
        }
        Err(Fault::Rule(&message::SCHEMA_RESTRICTED_GROUP))
    }

    /// Whether both are elements of one name, so that what is wrong with the pair is what is wrong
    /// with the restriction.
    fn is_same_name(&self, own: &View<'_>, of: &View<'_>) -> bool {
        match (&own.part, &of.part) {
            (Part::Element(a), Part::Element(b)) => {
                self.made.element(*a).name_id == self.made.element(*b).name_id
            }
            _ => false,
        }
    }

    /// Whether an element is a restriction of another one. Errors 6979, 6981 to 6983.
    fn elements(&self, own: ElementId, of: ElementId) -> Checked {
        let (made, (a, b)) = (self.made, (self.made.element(own), self.made.element(of)));
        let stands_for = made.substitutes.get(&of).is_some_and(|all| all.contains(&own));
        let is_named = a.name_id == b.name_id || stands_for;
        // An extension is no restriction.
        let steps = made.derivation(a.ty, b.ty);
        let is_typed = steps.is_some_and(|steps| !steps.extension) || b.ty == TypeId::ANY;
        let fixed = |e: &Element| e.value.clone().filter(|value| value.is_fixed);
        let is_fixed = fixed(b).is_none_or(|value| fixed(a) == Some(value));
        let blocks = |a: bool, b: bool| a || !b;
        let is_blocked = blocks(a.block.extension, b.block.extension)
            && blocks(a.block.restriction, b.block.restriction)
            && blocks(a.block.substitution, b.block.substitution);
        let rules = [
            (is_named && is_typed, &message::SCHEMA_RESTRICTED_ELEMENT),
            (b.is_nillable || !a.is_nillable, &message::SCHEMA_RESTRICTED_NIL),
            (is_fixed, &message::SCHEMA_RESTRICTED_FIXED),
            (is_blocked, &message::SCHEMA_RESTRICTED_BLOCK),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, message)) => Err(Fault::Rule(message)),
            None => Ok(()),
        }
    }
}

/// Whether a wildcard lets in no more than another one, and looks at it no less.
fn is_subset(own: &Wildcard, of: &Wildcard) -> bool {
    let strictness = |process| match process {
        Process::Skip => 0,
        Process::Lax => 1,
        Process::Strict => 2,
    };
    let fits = match (&own.namespaces, &of.namespaces) {
        (_, Namespaces::Any) => true,
        (Namespaces::Other(a), Namespaces::Other(b)) => a == b,
        (Namespaces::These(all), _) => all.iter().all(|uri| of.allows(uri)),
        _ => false,
    };
    fits && strictness(own.process) >= strictness(of.process)
}
