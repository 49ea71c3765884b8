//! What needs all declarations and types: substitution groups, values, content models.

use super::compile::{Compiler, Place, Target};
use super::content::Model;
use super::model::*;
use super::place::undefined;
use super::restrict;
use super::{COMPONENTS_MAX, Identity};
use crate::error::{SqlError, SqlResult};
use crate::message;

impl Compiler<'_> {
    /// Puts elements into their substitution groups. Errors 2308, 2322, 2366, 6925.
    pub(super) fn link_heads(&mut self) -> SqlResult<()> {
        for (id, head) in std::mem::take(&mut self.heads) {
            let Some(found) = self.made.find_element(&head.uri, &head.local) else {
                return Err(undefined(&head));
            };
            self.made.elements[id.number()].head = Some(found);
            let (own, first) = (self.pieces.get(&id), self.pieces.get(&found));
            if own > first {
                let name = &self.made.element(id).name;
                return Err(SqlError::new(&message::SCHEMA_SUBSTITUTION_ADDED, &[name]));
            }
        }
        let all: Vec<ElementId> = self.made.elements().map(|(id, _)| id).collect();
        let mut steps = 0;
        for id in all.iter().copied() {
            let mut at = id;
            while let Some(head) = self.made.element(at).head {
                steps += 1;
                if head == id {
                    let name = &self.made.element(id).name;
                    return Err(SqlError::new(&message::SCHEMA_CIRCULAR, &[name]));
                }
                if steps > COMPONENTS_MAX {
                    return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]));
                }
                if self.untyped.contains(&id) && !self.untyped.contains(&head) {
                    self.made.elements[id.number()].ty = self.made.element(head).ty;
                    self.untyped.remove(&id);
                }
                self.made.substitutes.entry(head).or_default().push(id);
                at = head;
            }
        }
        for id in all {
            self.check_head(id)?;
        }
        let made = &self.made;
        let may = |head: &ElementId, id: &ElementId| {
            let (head, own) = (made.element(*head), made.element(*id));
            let barred = Barred {
                extension: head.block.extension || made.ty(head.ty).block.extension,
                restriction: head.block.restriction || made.ty(head.ty).block.restriction,
                ..Barred::default()
            };
            let steps = made.derivation(own.ty, head.ty).unwrap_or_default();
            let is_barred = head.block.substitution
                || (barred.extension && steps.extension)
                || (barred.restriction && steps.restriction);
            !is_barred
        };
        let allowed = made.substitutes.iter().map(|(head, all)| {
            (*head, all.iter().copied().filter(|id| may(head, id)).collect::<Vec<_>>())
        });
        self.made.substitutes = allowed.collect();
        Ok(())
    }

    fn check_head(&self, id: ElementId) -> SqlResult<()> {
        let own = self.made.element(id);
        let Some(head) = own.head.map(|head| self.made.element(head)) else { return Ok(()) };
        let is_barred = self.made.derivation(own.ty, head.ty).is_none_or(|steps| {
            (steps.extension && head.is_final.extension)
                || (steps.restriction && head.is_final.restriction)
        });
        match is_barred {
            true => Err(SqlError::new(&message::SCHEMA_SUBSTITUTION_TYPE, &[])),
            false => Ok(()),
        }
    }

    /// Reads a default or fixed value. Errors 6927, 6938, 6962.
    pub(super) fn read_value(&mut self, target: Target, place: Place) -> SqlResult<()> {
        match target {
            Target::Attribute(id) => {
                let attribute = self.made.attribute(id);
                let ty = attribute.ty;
                let Some(value) = attribute.value.clone() else { return Ok(()) };
                self.made.attributes[id.number()].value = Some(self.canonical(place, ty, value)?);
            }
            Target::Element(id) => {
                let element = self.made.element(id);
                let (ty, name) = (element.ty, element.name.clone());
                let Some(value) = self.value_of(place, ty, &name)? else { return Ok(()) };
                let value = match self.made.text_type(ty) {
                    Some(ty) => self.canonical(place, ty, value)?,
                    None if self.made.ty(ty).complex().is_some_and(|c| c.is_mixed) => value,
                    None => return Err(SqlError::new(&message::SCHEMA_DEFAULT, &[&name])),
                };
                self.made.elements[id.number()].value = Some(value);
            }
        }
        Ok(())
    }

    /// Error 6995: no element is of type `ID` or `IDREF`.
    pub(super) fn check_elements(&mut self) -> SqlResult<()> {
        for (_, element) in self.made.elements() {
            let text = self.made.text_type(element.ty);
            let identity = text.and_then(|ty| self.made.identity(ty));
            if matches!(identity, Some(Identity::Id | Identity::Reference)) {
                return Err(SqlError::new(&message::SCHEMA_ID_ELEMENT, &[&element.name]));
            }
        }
        self.made.has_lax |= self.made.elements.iter().any(|element| element.ty == TypeId::ANY);
        Ok(())
    }

    /// Checks that restrictions let in no more than their bases. Errors 6979 to 6991, 6998.
    pub(super) fn check_restrictions(&mut self) -> SqlResult<()> {
        for at in 0..self.made.types.len() {
            self.pace.pace()?;
            restrict::check(&self.made, &self.made.types[at], self.pace)?;
        }
        Ok(())
    }

    /// Makes the content models of all types. Errors 2362, 6916, 6992, 6998.
    pub(super) fn make_models(&mut self) -> SqlResult<()> {
        for at in 0..self.made.types.len() {
            self.pace.pace()?;
            let ty = &self.made.types[at];
            let Some(complex) = ty.complex() else { continue };
            let Some(particle) = complex.particle.clone() else { continue };
            let model = Model::new(&self.made, &mut self.room, &particle, &ty.shown())?;
            if let Body::Complex(complex) = &mut self.made.types[at].body
                && let Some(model) = model
            {
                let is_lax = model.elements().1.iter().any(|any| any.process == Process::Lax);
                self.made.has_lax |= is_lax && at != TypeId::ANY.number();
                complex.content = Content::Elements(Box::new(model));
            }
        }
        Ok(())
    }
}
