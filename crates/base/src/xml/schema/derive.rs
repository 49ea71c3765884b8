//! Simple types: restrictions, lists and unions.

use super::compile::{Compiler, Place};
use super::model::*;
use super::simple::{Identity, Simple, Variety};
use crate::error::{SqlError, SqlResult};
use crate::message;

/// Types of a union.
const MEMBERS_MAX: usize = 1_000;

impl Compiler<'_> {
    pub(super) fn define_simple(&mut self, id: TypeId, place: Place) -> SqlResult<()> {
        let is_final = self.barred(place, "final")?;
        let made = self.child(place, &["restriction", "list", "union"])?;
        let Some(made) = made else {
            let args: [&dyn std::fmt::Display; 2] = [&"restriction", &"simpleType"];
            return Err(SqlError::new(&message::SCHEMA_ELEMENT_REQUIRED, &args));
        };
        let (base, derivation, simple) = match self.local(made) {
            "list" => (TypeId::ANY_SIMPLE, Derivation::List, self.list(id, made)?),
            "union" => (TypeId::ANY_SIMPLE, Derivation::Union, self.union(id, made)?),
            _ => {
                let (base, simple) = self.restriction(id, made)?;
                (base, Derivation::Restriction, simple)
            }
        };
        if self.made.ty(base).is_final.bars(derivation) {
            return Err(self.wrong(&message::SCHEMA_FINAL, id));
        }
        let own = &mut self.made.types[id.number()];
        own.is_final = is_final;
        (own.base, own.derivation) = (base, derivation);
        own.body = Body::Simple(simple);
        Ok(())
    }

    /// Errors 2316, 2358, 2361, 6910.
    fn restriction(&mut self, id: TypeId, place: Place) -> SqlResult<(TypeId, Simple)> {
        let has_base = self.attribute(place, "base").is_some();
        let child = self.child(place, &["simpleType"])?;
        if has_base && child.is_some() {
            return Err(self.at(&message::SCHEMA_BASE_TWICE, place));
        }
        let Some(base) = self.simple_of(place, "base")? else {
            return Err(self.at(&message::SCHEMA_BASE_MISSING, place));
        };
        let Some(simple) = self.made.ty(base).simple() else {
            return Err(SqlError::new(&message::SCHEMA_BASE_NOT_SIMPLE, &[]));
        };
        if matches!(simple.variety, Variety::Union(_)) {
            return Err(self.wrong(&message::SCHEMA_UNION_RESTRICTED, id));
        }
        for child in self.children(place) {
            let structure = [
                "group",
                "all",
                "choice",
                "sequence",
                "attribute",
                "attributeGroup",
                "anyAttribute",
            ];
            let name = self.local(child);
            if structure.contains(&name) {
                let at = self.path(place);
                return Err(SqlError::new(&message::SCHEMA_ELEMENT_MISPLACED, &[&name, &at]));
            }
        }
        Ok((base, self.with_facets(id, base, place)?))
    }

    /// Errors 2367, 2393, 6978.
    fn list(&mut self, id: TypeId, place: Place) -> SqlResult<Simple> {
        let Some(item) = self.simple_of(place, "itemType")? else {
            return Err(self.at(&message::SCHEMA_ITEM_MISSING, place));
        };
        let Some(simple) = self.made.ty(item).simple() else {
            return Err(self.at(&message::SCHEMA_LIST_NOT_SIMPLE, place));
        };
        let is_list = |ty: TypeId| {
            let simple = self.made.ty(ty).simple();
            simple.is_some_and(|simple| matches!(simple.variety, Variety::List(_)))
        };
        let has_list = match &simple.variety {
            Variety::List(_) => true,
            Variety::Union(members) => members.iter().any(|member| is_list(*member)),
            Variety::Atomic(_) => false,
        };
        if has_list || simple.identity == Some(Identity::Id) {
            return Err(self.wrong(&message::SCHEMA_LIST_ITEM, id));
        }
        if self.made.ty(item).is_final.list {
            return Err(self.wrong(&message::SCHEMA_FINAL, id));
        }
        Ok(Simple::made(Variety::List(item)))
    }

    /// The members of unions in a union are its own, so that a union holds none. Errors 2339, 6977.
    fn union(&mut self, id: TypeId, place: Place) -> SqlResult<Simple> {
        let mut all = Vec::new();
        for written in self.attribute(place, "memberTypes").unwrap_or("").split_ascii_whitespace() {
            all.push(self.type_ref(place, written)?);
        }
        for child in self.children(place) {
            all.push(self.new_type(child, None)?);
        }
        if all.is_empty() {
            return Err(self.at(&message::SCHEMA_MEMBERS_MISSING, place));
        }
        let mut members = Vec::new();
        for member in all {
            self.need(member)?;
            let ty = self.made.ty(member);
            if ty.is_final.union {
                return Err(self.wrong(&message::SCHEMA_FINAL, id));
            }
            let Some(simple) = ty.simple() else {
                let args: [&dyn std::fmt::Display; 2] = [&ty.shown(), &self.made.ty(id).shown()];
                return Err(SqlError::new(&message::SCHEMA_UNION_MEMBER, &args));
            };
            match &simple.variety {
                Variety::Union(own) => members.extend(own.iter().copied()),
                _ => members.push(member),
            }
            if members.len() > MEMBERS_MAX {
                return Err(self.wrong(&message::SCHEMA_MODEL_COMPLEX, id));
            }
        }
        self.room.take(size_of_val(&*members))?;
        Ok(Simple::made(Variety::Union(members)))
    }
}
