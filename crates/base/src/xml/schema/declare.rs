//! Declarations of attributes and elements, and their values.

use super::compile::{Compiler, Kind, Place, Target, VALUE_MAX};
use super::model::*;
use super::place::{bad_value, check_name};
use super::simple::{NoValue, Scope};
use super::{Identity, Primitive};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::Stride;

impl Compiler<'_> {
    pub(super) fn attribute_named(&mut self, place: Place, name: &QName) -> SqlResult<AttributeId> {
        if let Some(id) = self.made.find_attribute(&name.uri, &name.local) {
            return Ok(id);
        }
        let id = self.new_attribute(place, name.clone(), true)?;
        enter(&mut self.made.global_attributes, name, id);
        Ok(id)
    }

    pub(super) fn new_attribute(
        &mut self,
        place: Place,
        name: QName,
        is_global: bool,
    ) -> SqlResult<AttributeId> {
        self.count_one()?;
        let ty = self.simple_of(place, "type")?.unwrap_or(TypeId::ANY_SIMPLE);
        if self.made.ty(ty).simple().is_none() {
            let shown = self.made.ty(ty).shown();
            return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_NOT_SIMPLE, &[&shown]));
        }
        let id = AttributeId(self.made.attributes.len() as u32);
        let value = self.value_of(place, ty, &name)?;
        self.made.attributes.push(Attribute { name, ty, is_global, value });
        if self.made.attributes[id.number()].value.is_some() {
            self.values.push((Target::Attribute(id), place));
        }
        Ok(id)
    }

    /// An attribute of a type; `None` if it is prohibited.
    pub(super) fn attribute_use(
        &mut self,
        place: Place,
    ) -> SqlResult<(AttributeId, Option<AttributeUse>)> {
        let id = match (self.attribute(place, "name"), self.attribute(place, "ref")) {
            (Some(_), Some(_)) => return Err(self.at(&message::SCHEMA_NAME_AND_REF, place)),
            (None, Some(reference)) => {
                if self.attribute(place, "type").is_some() {
                    return Err(self.at(&message::SCHEMA_REF_AND_TYPE, place));
                }
                let name = self.resolve(place, reference)?;
                match self.made.find_attribute(&name.uri, &name.local) {
                    Some(id) => id,
                    None => {
                        let global = self.place_of(Kind::Attribute, &name)?;
                        self.attribute_named(global, &name)?
                    }
                }
            }
            (Some(local), None) => {
                check_name(local)?;
                if local == "xmlns" {
                    return Err(SqlError::new(&message::SCHEMA_NAME_INVALID, &[&local]));
                }
                let uri = match self.is_qualified(place, "attributeFormDefault")? {
                    true => self.sources[place.source].target.clone(),
                    false => "".into(),
                };
                self.new_attribute(place, QName { uri, local: local.into() }, false)?
            }
            (None, None) => return Err(self.missing(place, "name")),
        };
        let is_required = match self.attribute(place, "use") {
            None | Some("optional") => false,
            Some("required") => true,
            Some("prohibited") => return Ok((id, None)),
            Some(other) => return Err(bad_value("use", other)),
        };
        if is_required && self.attribute(place, "default").is_some() {
            return Err(bad_value("use", "required"));
        }
        let declared = &self.made.attributes[id.number()];
        let (ty, name) = (declared.ty, declared.name.clone());
        let mut value = declared.value.clone();
        if self.attribute(place, "ref").is_some()
            && let Some(own) = self.value_of(place, ty, &name)?
        {
            value = Some(self.canonical(place, ty, own)?);
        } else if value.is_some() {
            // It is read now, since uses have it too.
            let own = value.take().expect("it was looked at");
            value = Some(self.canonical(place, ty, own)?);
        }
        Ok((id, Some(AttributeUse { attribute: id, is_required, value })))
    }

    /// `default` or `fixed` as written. Errors 6932, 6963, 6999.
    pub(super) fn value_of(
        &self,
        place: Place,
        ty: TypeId,
        name: &QName,
    ) -> SqlResult<Option<ValueConstraint>> {
        let (default, fixed) = (self.attribute(place, "default"), self.attribute(place, "fixed"));
        if default.is_some() {
            self.refuse(place, &["fixed"])?;
        }
        let Some(text) = default.or(fixed) else { return Ok(None) };
        if text.chars().count() > VALUE_MAX {
            return Err(SqlError::new(&message::SCHEMA_DEFAULT_LONG, &[&name]));
        }
        let text_type = self.made.text_type(ty).unwrap_or(ty);
        let simple = self.made.ty(text_type).simple();
        if simple.is_some_and(|simple| simple.identity == Some(Identity::Id)) {
            return Err(SqlError::new(&message::SCHEMA_ID_VALUE, &[&name]));
        }
        if simple.is_some_and(|simple| simple.primitive() == Some(Primitive::QName)) {
            return Err(SqlError::new(&message::SCHEMA_QNAME_VALUE, &[&name]));
        }
        Ok(Some(ValueConstraint { text: text.into(), is_fixed: fixed.is_some() }))
    }

    /// A value in canonical form. Errors 6927, 6938.
    pub(super) fn canonical(
        &self,
        place: Place,
        ty: TypeId,
        value: ValueConstraint,
    ) -> SqlResult<ValueConstraint> {
        let document = self.document(place);
        let uri = |prefix: &str| document.namespace_of(place.node, prefix).map(String::from);
        let mut scope = Scope { uri: &uri, stride: &mut Stride::new(self.pace) };
        let text = match self.made.read(ty, &value.text, &mut scope) {
            Ok(parsed) => parsed.text.as_ref().into(),
            Err(NoValue::Stopped(error)) => return Err(error),
            Err(NoValue::NotCanonical) => {
                return Err(SqlError::new(&message::SCHEMA_CANONICAL, &[&value.text]));
            }
            Err(_) => return Err(SqlError::new(&message::SCHEMA_VALUE, &[&value.text])),
        };
        Ok(ValueConstraint { text, ..value })
    }

    // Elements.

    pub(super) fn element_named(&mut self, place: Place, name: &QName) -> SqlResult<ElementId> {
        if let Some(id) = self.made.find_element(&name.uri, &name.local) {
            return Ok(id);
        }
        let id = self.new_element(place, name.clone(), true)?;
        enter(&mut self.made.global_elements, name, id);
        self.pieces.insert(id, self.sources[place.source].piece);
        Ok(id)
    }

    pub(super) fn new_element(
        &mut self,
        place: Place,
        name: QName,
        is_global: bool,
    ) -> SqlResult<ElementId> {
        self.count_one()?;
        let name_id = self.made.name_id(&name);
        let id = ElementId(self.made.elements.len() as u32);
        self.made.elements.push(Element {
            name,
            name_id,
            ty: TypeId::ANY,
            is_global,
            is_nillable: false,
            is_abstract: false,
            value: None,
            block: Barred::default(),
            is_final: Barred::default(),
            head: None,
        });
        self.pending_elements.push_back((id, place));
        Ok(id)
    }

    /// The element of a particle. Errors 2299, 2360, 2387.
    pub(super) fn element_ref(&mut self, place: Place) -> SqlResult<ElementId> {
        match (self.attribute(place, "name"), self.attribute(place, "ref")) {
            (Some(_), Some(_)) => Err(self.at(&message::SCHEMA_NAME_AND_REF, place)),
            (None, Some(reference)) => {
                if self.attribute(place, "type").is_some() {
                    return Err(self.at(&message::SCHEMA_REF_AND_TYPE, place));
                }
                self.refuse(place, &["nillable", "default", "fixed", "form", "block", "abstract"])?;
                let name = self.resolve(place, reference)?;
                let global = self.place_of(Kind::Element, &name)?;
                self.element_named(global, &name)
            }
            (Some(local), None) => {
                check_name(local)?;
                self.refuse(place, &["substitutionGroup", "final", "abstract"])?;
                let uri = match self.is_qualified(place, "elementFormDefault")? {
                    true => self.sources[place.source].target.clone(),
                    false => "".into(),
                };
                self.new_element(place, QName { uri, local: local.into() }, false)
            }
            (None, None) => Err(self.missing(place, "name")),
        }
    }

    pub(super) fn define_element(&mut self, id: ElementId, place: Place) -> SqlResult<()> {
        let child = self.child(place, &["simpleType", "complexType"])?;
        let ty = match (self.attribute(place, "type"), child) {
            (Some(_), Some(_)) => return Err(self.at(&message::SCHEMA_TYPE_TWICE, place)),
            (Some(name), None) => Some(self.type_ref(place, name)?),
            (None, Some(child)) => Some(self.new_type(child, None)?),
            (None, None) => None,
        };
        let is_nillable = self.boolean(place, "nillable")?;
        let is_abstract = self.boolean(place, "abstract")?;
        let (block, is_final) = (self.barred(place, "block")?, self.barred(place, "final")?);
        if let Some(head) = self.attribute(place, "substitutionGroup") {
            let head = self.resolve(place, head)?;
            self.heads.push((id, head));
            if ty.is_none() {
                self.untyped.insert(id);
            }
        }
        let has_value =
            self.attribute(place, "default").is_some() || self.attribute(place, "fixed").is_some();
        if has_value {
            self.values.push((Target::Element(id), place));
        }
        let element = &mut self.made.elements[id.number()];
        element.ty = ty.unwrap_or(TypeId::ANY);
        element.is_nillable = is_nillable;
        element.is_abstract = is_abstract;
        (element.block, element.is_final) = (block, is_final);
        if is_nillable && self.attribute(place, "fixed").is_some() {
            let name = self.made.elements[id.number()].name.clone();
            return Err(SqlError::new(&message::SCHEMA_NIL_FIXED, &[&name]));
        }
        Ok(())
    }
}
