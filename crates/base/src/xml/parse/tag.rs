//! Tags: names, attributes, namespaces.

use std::borrow::Cow;
use std::collections::HashSet;

use super::chars::{Name, Reference, name_end, reference, skip_white};
use super::{DEPTH_MAX, Fault, Open, Parser, fault};
use crate::message;
use crate::xml::tree::{self, XML_URI};

/// The namespace of the prefix xmlns.
const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

/// Attributes that are compared with each other one by one.
const COMPARED_MAX: usize = 8;

/// An attribute as it is written.
pub(super) struct Attribute<'t> {
    name: QName<'t>,
    value: Cow<'t, str>,
}

#[derive(Clone, Copy)]
pub(super) struct QName<'t> {
    prefix: &'t str,
    local: &'t str,
}

impl<'t> Attribute<'t> {
    /// The prefix that it declares.
    fn declares(&self) -> Option<&'t str> {
        match (self.name.prefix, self.name.local) {
            ("", "xmlns") => Some(""),
            ("xmlns", prefix) => Some(prefix),
            _ => None,
        }
    }
}

impl<'t> Parser<'t, '_> {
    /// A name with or without prefix, and where it ends.
    fn qualified(&self, at: usize) -> Result<(QName<'t>, usize), Fault> {
        let text = self.text;
        let first = self.part(at)?;
        if text.as_bytes().get(first) != Some(&b':') {
            return Ok((QName { prefix: "", local: &text[at..first] }, first));
        }
        let end = self.part(first + 1)?;
        if text.as_bytes().get(end) == Some(&b':') {
            return Err(Fault::At(&message::XML_COLONS, end));
        }
        Ok((QName { prefix: &text[at..first], local: &text[first + 1..end] }, end))
    }

    fn part(&self, at: usize) -> Result<usize, Fault> {
        match name_end(self.text, at) {
            Name::Ends(end) => Ok(end),
            Name::Wrong if at == self.text.len() => Err(self.at_end(&message::XML_UNEXPECTED_END)),
            Name::Wrong => Err(Fault::At(&message::XML_QUALIFIED_NAME_CHARACTER, at)),
        }
    }

    /// A start tag, or the tag of an empty element.
    pub(super) fn start_tag(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        self.end_text();
        let bytes = self.text.as_bytes();
        self.attributes.clear();
        let (name, mut at) = self.qualified(start + 1)?;
        let full = &self.text[start + 1..at];
        let mut is_name = true;
        let is_empty = loop {
            let next = skip_white(self.text, at);
            match bytes.get(next) {
                None => return Err(self.at_end(&message::XML_UNEXPECTED_END)),
                Some(b'>') => {
                    at = next;
                    break false;
                }
                Some(b'/') if bytes.get(next + 1) == Some(&b'>') => {
                    at = next + 1;
                    break true;
                }
                Some(b'/') => return Err(Fault::At(&message::XML_GREATER_EXPECTED, next + 1)),
                Some(_) if next == at => {
                    return Err(Fault::At(
                        match is_name {
                            true => &message::XML_QUALIFIED_NAME_CHARACTER,
                            false => &message::XML_WHITESPACE_EXPECTED,
                        },
                        next,
                    ));
                }
                Some(_) => at = self.attribute(next)?,
            }
            is_name = false;
        };
        debug_assert_eq!(at + 1, end);
        self.stride.step(end - start)?;
        self.begun = true;
        self.element(name, full, at)?;
        if is_empty {
            self.end();
        }
        Ok(())
    }

    /// Reads an attribute, and says where it ends.
    fn attribute(&mut self, at: usize) -> Result<usize, Fault> {
        let bytes = self.text.as_bytes();
        let (name, end) = self.qualified(at)?;
        let equal = skip_white(self.text, end);
        if bytes.get(equal) != Some(&b'=') {
            return Err(Fault::At(&message::XML_EQUAL_EXPECTED, equal));
        }
        let open = skip_white(self.text, equal + 1);
        let quote = match bytes.get(open) {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => return Err(Fault::At(&message::XML_LITERAL_EXPECTED, open)),
        };
        let (value, end) = self.value(open + 1, quote)?;
        self.attributes.push(Attribute { name, value });
        Ok(end)
    }

    /// The value of an attribute, and what follows its closing quote.
    fn value(&mut self, start: usize, quote: u8) -> Result<(Cow<'t, str>, usize), Fault> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let is_plain = |byte: u8| {
            byte != quote && byte >= 0x20 && byte != b'<' && byte != b'&' && byte != 0xEF
        };
        let mut value = Cow::Borrowed("");
        let (mut copied, mut at) = (start, start);
        loop {
            let Some(next) = bytes[at..].iter().position(|byte| !is_plain(*byte)) else {
                return Err(self.at_end(&message::XML_UNEXPECTED_END));
            };
            at += next;
            let (replaced, end) = match bytes[at] {
                byte if byte == quote => break,
                b'<' => return Err(Fault::At(&message::XML_LESS_IN_ATTRIBUTE, at)),
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => (Cow::Borrowed(" "), at + 2),
                b'\t' | b'\n' | b'\r' => (Cow::Borrowed(" "), at + 1),
                b'&' => match reference(text, at, &self.entities)? {
                    (Reference::Character(c), end) => (Cow::Owned(c.to_string()), end),
                    (Reference::Entity(number), end) => {
                        let text = self.entities.expand(number, at)?;
                        (Cow::Owned(text.replace(['\t', '\n', '\r'], " ")), end)
                    }
                },
                0xEF if !matches!(bytes[at + 1..at + 3], [0xBF, 0xBE | 0xBF]) => {
                    at += 3;
                    continue;
                }
                _ => return Err(Fault::At(&message::XML_CHARACTER_ILLEGAL, at)),
            };
            let owned = value.to_mut();
            owned.push_str(&text[copied..at]);
            owned.push_str(&replaced);
            self.stride.step(end - at)?;
            (copied, at) = (end, end);
        }
        let rest = &text[copied..at];
        match &mut value {
            Cow::Borrowed(_) => value = Cow::Borrowed(rest),
            Cow::Owned(owned) => owned.push_str(rest),
        }
        Ok((value, at + 1))
    }

    /// Begins an element with the attributes that were read; its tag ends at this place.
    fn element(&mut self, name: QName<'t>, full: &'t str, end: usize) -> Result<(), Fault> {
        if self.open.len() == DEPTH_MAX {
            return Err(fault::too_deep());
        }
        let bindings = self.bindings.len();
        let mut attributes = std::mem::take(&mut self.attributes);
        let mut preserve = self.preserves();
        for attribute in &mut attributes {
            if let Some(prefix) = attribute.declares() {
                let uri = std::mem::take(&mut attribute.value);
                self.bind(prefix, uri, bindings, end)?;
            }
        }
        let uri = self.uri(name.prefix, end)?;
        let element = tree::Name { prefix: name.prefix, local: name.local, uri: &uri };
        self.builder.start(element)?;
        for (prefix, uri) in &self.bindings[bindings..] {
            self.builder.namespace(prefix, uri)?;
        }
        attributes.retain(|attribute| attribute.declares().is_none());
        let mut uris = Vec::new();
        for attribute in &attributes {
            let QName { prefix, .. } = attribute.name;
            uris.push(if prefix.is_empty() { Cow::Borrowed("") } else { self.uri(prefix, end)? });
        }
        check_different(&attributes, &uris, end)?;
        for (attribute, uri) in attributes.iter().zip(&uris) {
            let QName { prefix, local } = attribute.name;
            if (prefix, local) == ("xml", "space") {
                preserve = match &*attribute.value {
                    "preserve" => true,
                    "default" => self.options.preserve,
                    _ => return Err(Fault::At(&message::XML_SPACE_VALUE, end)),
                };
            }
            self.builder.attribute(tree::Name { prefix, local, uri }, &attribute.value)?;
        }
        self.attributes = attributes;
        self.open.push(Open { name: full, bindings, preserve });
        Ok(())
    }

    /// Declares a prefix, for an element whose declarations begin at a number.
    fn bind(
        &mut self,
        prefix: &'t str,
        uri: Cow<'t, str>,
        own: usize,
        end: usize,
    ) -> Result<(), Fault> {
        let fault = |message| Err(Fault::At(message, end));
        self.stride.step(8 * (self.bindings.len() - own))?;
        match (prefix, &*uri) {
            ("xml", XML_URI) => return Ok(()),
            ("xml", _) => return fault(&message::XML_PREFIX_XML),
            ("xmlns", _) => return fault(&message::XML_PREFIX_XMLNS),
            (_, XML_URI) => return fault(&message::XML_URI_XML),
            (_, XMLNS_URI) => return fault(&message::XML_URI_XMLNS),
            (_, "") if !prefix.is_empty() => return fault(&message::XML_NAMESPACE_EMPTY),
            _ if self.bindings[own..].iter().any(|(declared, _)| *declared == prefix) => {
                return fault(&message::XML_PREFIX_REDECLARED);
            }
            _ => self.bindings.push((prefix, uri)),
        }
        Ok(())
    }

    /// The namespace that a prefix stands for.
    fn uri(&mut self, prefix: &str, end: usize) -> Result<Cow<'t, str>, Fault> {
        if prefix == "xml" {
            return Ok(Cow::Borrowed(XML_URI));
        }
        self.stride.step(self.bindings.len())?;
        match self.bindings.iter().rev().find(|(declared, _)| *declared == prefix) {
            Some((_, uri)) => Ok(uri.clone()),
            None if prefix.is_empty() => Ok(Cow::Borrowed("")),
            None => {
                self.undeclared = super::Refused::shown(prefix);
                Err(Fault::At(&message::XML_PREFIX_UNDECLARED, end))
            }
        }
    }

    /// An end tag.
    pub(super) fn end_tag(&mut self, start: usize) -> Result<(), Fault> {
        self.end_text();
        if self.open.is_empty() && !self.begun {
            return Err(Fault::At(&message::XML_QUALIFIED_NAME_CHARACTER, start + 1));
        }
        let (_, end) = self.qualified(start + 2)?;
        let name = &self.text[start + 2..end];
        if self.open.last().is_none_or(|open| open.name != name) {
            return Err(Fault::At(&message::XML_END_TAG_MISMATCH, end));
        }
        let close = skip_white(self.text, end);
        if self.text.as_bytes().get(close) != Some(&b'>') {
            return Err(Fault::At(&message::XML_GREATER_EXPECTED, close));
        }
        self.end();
        Ok(())
    }

    fn end(&mut self) {
        let open = self.open.pop().expect("an element is open");
        self.bindings.truncate(open.bindings);
        self.builder.end();
    }
}

/// Error 9437 if two attributes have the same name.
fn check_different(
    attributes: &[Attribute<'_>],
    uris: &[Cow<'_, str>],
    end: usize,
) -> Result<(), Fault> {
    let names = || attributes.iter().map(|attribute| attribute.name.local).zip(uris);
    let are_different = if attributes.len() <= COMPARED_MAX {
        names().enumerate().all(|(at, name)| names().take(at).all(|other| other != name))
    } else {
        let mut seen = HashSet::with_capacity(attributes.len());
        names().all(|name| seen.insert(name))
    };
    if are_different { Ok(()) } else { Err(Fault::At(&message::XML_ATTRIBUTE_DUPLICATE, end)) }
}
