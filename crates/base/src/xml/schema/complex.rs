//! Complex types, model groups and attribute groups.

use std::sync::Arc;

use super::Identity;
use super::compile::{Compiler, Kind, Place};
use super::content::PARTICLES_MAX;
use super::model::*;
use super::place::bad_value;
use crate::error::{SqlError, SqlResult};
use crate::message;

/// The largest `minOccurs` and `maxOccurs`.
const OCCURS_MAX: u32 = i32::MAX as u32;
/// Attributes of a type.
const ATTRIBUTES_MAX: usize = 4_096;

/// What a complex type, an extension or a restriction holds.
#[derive(Default)]
pub(super) struct Parts {
    particle: Option<Arc<Particle>>,
    attributes: Vec<(AttributeId, Option<AttributeUse>)>,
    any: Option<Wildcard>,
}

impl Compiler<'_> {
    pub(super) fn define_complex(&mut self, id: TypeId, place: Place) -> SqlResult<()> {
        let is_abstract = self.boolean(place, "abstract")?;
        let (is_final, block) = (self.barred(place, "final")?, self.barred(place, "block")?);
        let own = &mut self.made.types[id.number()];
        own.is_abstract = is_abstract;
        (own.is_final, own.block) = (is_final, block);
        let is_mixed = self.boolean(place, "mixed")?;
        if let Some(content) = self.child(place, &["simpleContent"])? {
            self.check_alone(place)?;
            return self.simple_content(id, content);
        }
        if let Some(content) = self.child(place, &["complexContent"])? {
            self.check_alone(place)?;
            let is_mixed = match self.attribute(content, "mixed") {
                Some(_) => self.boolean(content, "mixed")?,
                None => is_mixed,
            };
            return self.complex_content(id, content, is_mixed);
        }
        let parts = self.parts(place)?;
        let complex = self.restricted(id, TypeId::ANY, parts, is_mixed)?;
        self.finish(id, TypeId::ANY, Derivation::Restriction, complex)
    }

    /// `simpleContent` and `complexContent` have no siblings. Error 2297.
    fn check_alone(&self, place: Place) -> SqlResult<()> {
        match self.children(place)[..] {
            [_] => Ok(()),
            [.., other] => {
                let (name, at) = (self.local(other), self.path(place));
                Err(SqlError::new(&message::SCHEMA_ELEMENT_MISPLACED, &[&name, &at]))
            }
            [] => Ok(()),
        }
    }

    /// The `restriction` or `extension` of a content, how it derives and from what.
    fn derivation(&mut self, content: Place) -> SqlResult<(Place, Derivation, TypeId)> {
        let Some(place) = self.child(content, &["restriction", "extension"])? else {
            let args: [&dyn std::fmt::Display; 2] = [&"restriction", &self.local(content)];
            return Err(SqlError::new(&message::SCHEMA_ELEMENT_REQUIRED, &args));
        };
        let derivation = match self.local(place) {
            "extension" => Derivation::Extension,
            _ => Derivation::Restriction,
        };
        let Some(base) = self.attribute(place, "base") else {
            return Err(self.at(&message::SCHEMA_BASE_MISSING, place));
        };
        let base = self.type_ref(place, base)?;
        self.need(base)?;
        Ok((place, derivation, base))
    }

    /// Enters a type's body. Errors 6943, 6970.
    fn finish(
        &mut self,
        id: TypeId,
        base: TypeId,
        derivation: Derivation,
        complex: Complex,
    ) -> SqlResult<()> {
        if self.made.ty(base).is_final.bars(derivation) {
            return Err(self.wrong(&message::SCHEMA_FINAL, id));
        }
        let is_id = |one: &&AttributeUse| {
            let ty = self.made.attribute(one.attribute).ty;
            self.made.identity(ty) == Some(Identity::Id)
        };
        if complex.attributes.iter().filter(is_id).count() > 1 {
            return Err(self.wrong(&message::SCHEMA_IDS, id));
        }
        let own = &mut self.made.types[id.number()];
        (own.base, own.derivation) = (base, derivation);
        own.body = Body::Complex(complex);
        Ok(())
    }

    /// An error about a type.
    pub(super) fn wrong(&self, message: &message::Message, id: TypeId) -> SqlError {
        SqlError::new(message, &[&self.made.ty(id).shown()])
    }

    /// Errors 6941, 6942, 6968 and those of facets.
    fn simple_content(&mut self, id: TypeId, content: Place) -> SqlResult<()> {
        let (place, derivation, base) = self.derivation(content)?;
        let parts = self.parts(place)?;
        if parts.particle.is_some() {
            return Err(self.wrong(&message::SCHEMA_SIMPLE_BASE, id));
        }
        let base_text = self.made.text_type(base);
        let is_simple = self.made.ty(base).simple().is_some();
        let mut complex = match derivation {
            Derivation::Extension => {
                if base_text.is_none() {
                    return Err(self.wrong(&message::SCHEMA_SIMPLE_BASE, id));
                }
                self.extended(id, base, parts, false)?
            }
            _ if is_simple => return Err(self.wrong(&message::SCHEMA_COMPLEX_OF_SIMPLE, id)),
            _ => self.restricted(id, base, parts, false)?,
        };
        let text = match (derivation, base_text) {
            (Derivation::Extension, Some(text)) => text,
            (_, base_text) => self.content_type(id, place, base_text)?,
        };
        complex.particle = None;
        complex.content = Content::Simple(text);
        self.finish(id, base, derivation, complex)
    }

    /// The type of text that a restriction has. Error 2292 is 6942 where the base has no text.
    fn content_type(
        &mut self,
        id: TypeId,
        place: Place,
        base_text: Option<TypeId>,
    ) -> SqlResult<TypeId> {
        let embedded = match self.child(place, &["simpleType"])? {
            Some(child) => {
                let ty = self.new_type(child, None)?;
                self.need(ty)?;
                Some(ty)
            }
            None => None,
        };
        let Some(from) = embedded.or(base_text) else {
            return Err(self.wrong(&message::SCHEMA_SIMPLE_BASE, id));
        };
        if let Some(base) = base_text
            && !self.made.is_derived(from, base)
        {
            return Err(self.wrong(&message::SCHEMA_SIMPLE_BASE, id));
        }
        if !self.has_facets(place) {
            return Ok(from);
        }
        let simple = self.with_facets(id, from, place)?;
        let text = self.new_type(place, None)?;
        let own = &mut self.made.types[text.number()];
        own.base = from;
        own.body = Body::Simple(simple);
        self.is_made(text);
        Ok(text)
    }

    /// Errors 2237, 6941, 6967.
    fn complex_content(&mut self, id: TypeId, content: Place, is_mixed: bool) -> SqlResult<()> {
        let (place, derivation, base) = self.derivation(content)?;
        let Some(of) = self.made.ty(base).complex() else {
            return Err(self.wrong(&message::SCHEMA_COMPLEX_BASE, id));
        };
        let (base_mixed, base_empty) = (of.is_mixed, of.particle.is_none());
        if matches!(of.content, Content::Simple(_)) {
            return Err(self.wrong(&message::SCHEMA_COMPLEX_BASE, id));
        }
        let parts = self.parts(place)?;
        let complex = match derivation {
            Derivation::Extension => {
                if base == TypeId::ANY {
                    return Err(SqlError::new(&message::SCHEMA_ANY_TYPE_EXTENDED, &[]));
                }
                let is_mixed = is_mixed || (parts.particle.is_none() && base_mixed);
                if is_mixed != base_mixed && !base_empty {
                    return Err(self.wrong(&message::SCHEMA_MIXED, id));
                }
                self.extended(id, base, parts, is_mixed)?
            }
            _ => {
                if is_mixed && !base_mixed {
                    return Err(self.wrong(&message::SCHEMA_MIXED, id));
                }
                self.restricted(id, base, parts, is_mixed)?
            }
        };
        self.finish(id, base, derivation, complex)
    }

    /// What a type is that adds to its base. Errors 6958, 6976.
    fn extended(
        &mut self,
        id: TypeId,
        base: TypeId,
        parts: Parts,
        is_mixed: bool,
    ) -> SqlResult<Complex> {
        let none = Complex::default();
        let of = self.made.ty(base).complex().unwrap_or(&none);
        let mut attributes = of.attributes.clone();
        let (base_any, base_particle) = (of.any_attribute.clone(), of.particle.clone());
        for (attribute, own) in parts.attributes {
            let name = &self.made.attribute(attribute).name;
            let known = attributes.iter().any(|a| self.made.attribute(a.attribute).name == *name);
            let Some(own) = own else { continue };
            if known {
                let args: [&dyn std::fmt::Display; 2] = [name, &self.made.ty(id).shown()];
                return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_REDEFINED, &args));
            }
            attributes.push(own);
        }
        let particle = match (base_particle, parts.particle) {
            (Some(first), Some(second)) => {
                let has_all = |p: &Particle| matches!(p.term, Term::All(_)) && p.max != Some(0);
                if has_all(&first) || has_all(&second) {
                    return Err(self.wrong(&message::SCHEMA_ALL, id));
                }
                let term = Term::Sequence(vec![first, second]);
                Some(Arc::new(Particle { min: 1, max: Some(1), term }))
            }
            (first, second) => first.or(second),
        };
        let any_attribute = match (base_any, parts.any) {
            (Some(base), Some(own)) => Some(united(&base, &own)),
            (base, own) => own.or(base),
        };
        self.take_attributes(&attributes, any_attribute.as_ref())?;
        Ok(Complex { attributes, any_attribute, content: Content::Empty, is_mixed, particle })
    }

    /// What a type is that takes from its base. Errors 6971, 6972, 6973.
    fn restricted(
        &mut self,
        id: TypeId,
        base: TypeId,
        parts: Parts,
        is_mixed: bool,
    ) -> SqlResult<Complex> {
        let of = self.made.ty(base).complex().expect("the base was looked at");
        let (mut attributes, base_any) = (of.attributes.clone(), of.any_attribute.clone());
        for (attribute, own) in parts.attributes {
            let name = self.made.attribute(attribute).name.clone();
            let at = attributes
                .iter()
                .position(|known| self.made.attribute(known.attribute).name == name);
            let shown = self.made.ty(id).shown();
            let args: [&dyn std::fmt::Display; 2] = [&name, &shown];
            match (at, own) {
                (Some(at), Some(own)) => {
                    let known = &attributes[at];
                    let ty = |id: AttributeId| self.made.attribute(id).ty;
                    if !self.made.is_derived(ty(attribute), ty(known.attribute)) {
                        return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_TYPE, &args));
                    }
                    if known.is_required && !own.is_required {
                        return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_OPTIONAL, &args));
                    }
                    attributes[at] = own;
                }
                (Some(at), None) => {
                    if attributes[at].is_required {
                        return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_OPTIONAL, &args));
                    }
                    attributes.remove(at);
                }
                (None, Some(own)) => {
                    if !base_any.as_ref().is_some_and(|any| any.allows(&name.uri)) {
                        let args: [&dyn std::fmt::Display; 2] = [&shown, &name];
                        return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_NEW, &args));
                    }
                    attributes.push(own);
                }
                (None, None) => {}
            }
        }
        self.take_attributes(&attributes, parts.any.as_ref())?;
        Ok(Complex {
            attributes,
            any_attribute: parts.any,
            content: Content::Empty,
            is_mixed,
            particle: parts.particle,
        })
    }

    /// Counts the attributes of a type. Errors 701, 2362.
    fn take_attributes(
        &mut self,
        attributes: &[AttributeUse],
        any: Option<&Wildcard>,
    ) -> SqlResult<()> {
        if attributes.len() > ATTRIBUTES_MAX {
            return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]));
        }
        let listed = match any.map(|any| &any.namespaces) {
            Some(Namespaces::These(all)) => size_of_val(&**all),
            _ => 0,
        };
        self.room.take(size_of_val(attributes) + listed)
    }

    // Content.

    fn parts(&mut self, place: Place) -> SqlResult<Parts> {
        let mut parts = Parts::default();
        if let Some(content) = self.child(place, &["group", "all", "choice", "sequence"])? {
            parts.particle = self.particle(content, true)?;
        }
        self.attributes_of(place, &mut parts)?;
        Ok(parts)
    }

    /// Adds an attribute that has not come yet. Errors 2310, 2362.
    fn add_attribute(
        &self,
        parts: &mut Parts,
        id: AttributeId,
        own: Option<AttributeUse>,
    ) -> SqlResult<()> {
        let name = &self.made.attribute(id).name;
        let mut known = parts.attributes.iter();
        if known.any(|known| self.made.attribute(known.0).name == *name) {
            return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_TWICE, &[name]));
        }
        if parts.attributes.len() >= ATTRIBUTES_MAX {
            return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]));
        }
        parts.attributes.push((id, own));
        Ok(())
    }

    /// Attributes, those of groups too. Errors 2310, 2362.
    fn attributes_of(&mut self, place: Place, parts: &mut Parts) -> SqlResult<()> {
        for child in self.children(place) {
            match self.local(child) {
                "attribute" => {
                    let (id, own) = self.attribute_use(child)?;
                    self.add_attribute(parts, id, own)?;
                }
                "attributeGroup" => {
                    let (group, name) = self.group_ref(child, Kind::AttributeGroup)?;
                    let own = self.attribute_group(group, &name)?;
                    for (id, used) in own.attributes {
                        self.add_attribute(parts, id, used)?;
                    }
                    parts.any = match (parts.any.take(), own.any) {
                        (Some(a), Some(b)) => Some(intersected(&a, &b)),
                        (a, b) => a.or(b),
                    };
                }
                "anyAttribute" => {
                    let own = self.wildcard(child)?;
                    self.made.has_lax |= own.process == Process::Lax;
                    parts.any = Some(match parts.any.take() {
                        Some(known) => intersected(&known, &own),
                        None => own,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The group that an element refers to. Errors 2299, 2307, 2308.
    fn group_ref(&self, place: Place, kind: Kind) -> SqlResult<(Place, QName)> {
        let reference = self.attribute(place, "ref").ok_or_else(|| self.missing(place, "ref"))?;
        let name = self.resolve(place, reference)?;
        Ok((self.place_of(kind, &name)?, name))
    }

    /// The attributes of a group. Error 2366 if it is in itself.
    pub(super) fn attribute_group(&mut self, place: Place, name: &QName) -> SqlResult<Parts> {
        self.count_one()?;
        let key = (Kind::AttributeGroup, name.clone());
        if self.open_groups.contains(&key) {
            return Err(SqlError::new(&message::SCHEMA_CIRCULAR, &[name]));
        }
        self.open_groups.push(key);
        let mut parts = Parts::default();
        self.attributes_of(place, &mut parts)?;
        self.open_groups.pop();
        Ok(parts)
    }

    /// The particle of a group. Error 6954 if it is in itself.
    pub(super) fn group_named(&mut self, place: Place, name: &QName) -> SqlResult<Arc<Particle>> {
        if let Some(known) = self.groups.get(name) {
            return Ok(known.clone());
        }
        let key = (Kind::Group, name.clone());
        if self.open_groups.contains(&key) {
            return Err(SqlError::new(&message::SCHEMA_GROUP_RECURSIVE, &[name]));
        }
        self.open_groups.push(key);
        let Some(content) = self.child(place, &["all", "choice", "sequence"])? else {
            let args: [&dyn std::fmt::Display; 2] = [&"sequence", &"group"];
            return Err(SqlError::new(&message::SCHEMA_ELEMENT_REQUIRED, &args));
        };
        let empty = || Particle { min: 0, max: Some(0), term: Term::Sequence(Vec::new()) };
        let particle = self.particle(content, true)?.unwrap_or_else(|| Arc::new(empty()));
        self.open_groups.pop();
        self.groups.insert(name.clone(), particle.clone());
        Ok(particle)
    }

    /// A part of a content model; `None` if nothing may come for it. Errors 2293, 2382, 2383, 6958.
    fn particle(&mut self, place: Place, is_top: bool) -> SqlResult<Option<Arc<Particle>>> {
        self.count_one()?;
        let (min, max) = self.occurs(place)?;
        let once = (min, max) == (1, Some(1));
        let term = match self.local(place) {
            "element" => Term::Element(self.element_ref(place)?),
            "any" => Term::Any(self.wildcard(place)?),
            "group" => {
                let (group, name) = self.group_ref(place, Kind::Group)?;
                let own = self.group_named(group, &name)?;
                if matches!(own.term, Term::All(_)) && !(is_top && once) {
                    return Err(SqlError::new(&message::SCHEMA_ALL, &[&name]));
                }
                match once {
                    true => return Ok(Some(own)),
                    false => Term::Sequence(vec![own]),
                }
            }
            "all" => {
                let is_once = max == Some(1);
                if !is_top || !is_once {
                    return Err(SqlError::new(&message::SCHEMA_ALL, &[&""]));
                }
                let parts = self.particles(place)?;
                if parts.iter().any(|part| part.max.is_none_or(|max| max > 1)) {
                    return Err(SqlError::new(&message::SCHEMA_ALL, &[&""]));
                }
                Term::All(parts)
            }
            "choice" => {
                let parts = self.particles(place)?;
                if parts.is_empty() && min > 0 {
                    return Err(self.at(&message::SCHEMA_CHOICE_EMPTY, place));
                }
                Term::Choice(parts)
            }
            _ => Term::Sequence(self.particles(place)?),
        };
        Ok((max != Some(0)).then(|| Arc::new(Particle { min, max, term })))
    }

    fn particles(&mut self, place: Place) -> SqlResult<Vec<Arc<Particle>>> {
        let mut all = Vec::new();
        for child in self.children(place) {
            all.extend(self.particle(child, false)?);
        }
        match all.len() <= PARTICLES_MAX {
            true => Ok(all),
            false => Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[])),
        }
    }

    fn occurs(&self, place: Place) -> SqlResult<(u32, Option<u32>)> {
        let number = |name: &str, text: &str| {
            let value = text.trim_ascii().parse::<i64>().ok();
            let Some(value) = value else {
                return Err(SqlError::new(&message::SCHEMA_NUMBER, &[&name]));
            };
            let fits = u32::try_from(value).ok().filter(|value| *value <= OCCURS_MAX);
            fits.ok_or_else(|| {
                let args: [&dyn std::fmt::Display; 3] = [&text, &name, &OCCURS_MAX];
                SqlError::new(&message::SCHEMA_OCCURS_VALUE, &args)
            })
        };
        let min = match self.attribute(place, "minOccurs") {
            Some(text) => number("minOccurs", text)?,
            None => 1,
        };
        let max = match self.attribute(place, "maxOccurs") {
            Some("unbounded") => None,
            Some(text) => Some(number("maxOccurs", text)?),
            None => Some(1),
        };
        match max.is_none_or(|max| min <= max) {
            true => Ok((min, max)),
            false => Err(self.at(&message::SCHEMA_OCCURS, place)),
        }
    }

    fn wildcard(&self, place: Place) -> SqlResult<Wildcard> {
        let process = match self.attribute(place, "processContents") {
            None | Some("strict") => Process::Strict,
            Some("lax") => Process::Lax,
            Some("skip") => Process::Skip,
            Some(other) => return Err(bad_value("processContents", other)),
        };
        let target = &self.sources[place.source].target;
        let namespaces = match self.attribute(place, "namespace").map(str::trim_ascii) {
            None | Some("##any") => Namespaces::Any,
            Some("##other") => Namespaces::Other(target.clone()),
            Some(list) => {
                let mut all: Vec<Arc<str>> = Vec::new();
                for word in list.split_ascii_whitespace() {
                    all.push(match word {
                        "##targetNamespace" => target.clone(),
                        "##local" => "".into(),
                        _ if word.starts_with("##") => return Err(bad_value("namespace", word)),
                        uri => uri.into(),
                    });
                }
                Namespaces::These(all.into())
            }
        };
        Ok(Wildcard { namespaces, process })
    }
}

/// What both let in.
fn intersected(a: &Wildcard, b: &Wildcard) -> Wildcard {
    use Namespaces as N;
    let namespaces = match (&a.namespaces, &b.namespaces) {
        (N::Any, other) | (other, N::Any) => other.clone(),
        (N::These(all), _) => N::These(all.iter().filter(|uri| b.allows(uri)).cloned().collect()),
        (_, N::These(all)) => N::These(all.iter().filter(|uri| a.allows(uri)).cloned().collect()),
        (N::Other(_), N::Other(_)) => a.namespaces.clone(),
    };
    Wildcard { namespaces, process: a.process }
}

/// What one or the other lets in.
fn united(a: &Wildcard, b: &Wildcard) -> Wildcard {
    use Namespaces as N;
    let namespaces = match (&a.namespaces, &b.namespaces) {
        (N::These(a), N::These(b)) => {
            let added = b.iter().filter(|uri| !a.contains(uri));
            N::These(a.iter().chain(added).cloned().collect())
        }
        (N::Other(own), N::Other(other)) if own == other => N::Other(own.clone()),
        (N::Other(own), N::These(all)) | (N::These(all), N::Other(own)) => {
            match all.iter().any(|uri| uri == own || uri.is_empty()) {
                true => N::Any,
                false => N::Other(own.clone()),
            }
        }
        _ => N::Any,
    };
    Wildcard { namespaces, process: b.process }
}
