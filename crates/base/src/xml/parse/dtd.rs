//! The internal subset of a DTD, as far as style 2 of CONVERT reads it: entities of plain text.
//!
//! Declarations of elements and notations, comments and instructions are passed over. What would
//! change the document otherwise is error 9480: defaults of attributes, parameter entities,
//! external entities, and entities that contain markup. What entities expand to is bounded.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Fault;
use super::chars::{Name, Reference, name_end, reference, skip_white};
use crate::message;

/// Bytes of an entity's text.
const ENTITY_MAX: usize = 64 << 10;

/// Bytes of all texts of entities that a document refers to.
const EXPANDED_MAX: usize = 1 << 20;

/// The entities that a document declares.
#[derive(Default)]
pub(super) struct Entities {
    numbers: HashMap<String, usize>,
    texts: Vec<String>,
    expanded: usize,
}

impl Entities {
    /// The number of an entity.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The text of an entity, to which there is a reference at a place.
    pub(super) fn expand(&mut self, number: usize, at: usize) -> Result<Cow<'static, str>, Fault> {
        let text = &self.texts[number];
        self.expanded += text.len();
        match self.expanded {
            0..=EXPANDED_MAX => Ok(Cow::Owned(text.clone())),
            _ => Err(unsupported(at)),
        }
    }

    /// Reads what stands between `<!DOCTYPE` and its `>`.
    pub(super) fn read(&mut self, text: &str, start: usize, end: usize) -> Result<(), Fault> {
        let syntax = |at| Fault::At(&message::XML_DOCTYPE_SYNTAX, at);
        let name = skip_white(text, start);
        let Name::Ends(after) = name_end(text, name) else { return Err(syntax(name)) };
        if name == start {
            return Err(Fault::At(&message::XML_WHITESPACE_EXPECTED, name));
        }
        let next = skip_white(text, after);
        if next >= end {
            return Ok(());
        }
        if !text[next..].starts_with('[') {
            // An external subset is not read.
            return match text[next..].starts_with("SYSTEM") || text[next..].starts_with("PUBLIC") {
                true => Err(unsupported(next)),
                false => Err(syntax(next)),
            };
        }
        let mut at = skip_white(text, next + 1);
        while !text[at..].starts_with(']') {
            if at >= end {
                return Err(syntax(at.min(text.len())));
            }
            at = self.declaration(text, at, end)?;
            at = skip_white(text, at);
        }
        match skip_white(text, at + 1) {
            close if close == end => Ok(()),
            close => Err(syntax(close)),
        }
    }

    /// One declaration, and what follows it.
    fn declaration(&mut self, text: &str, at: usize, end: usize) -> Result<usize, Fault> {
        let rest = &text[at..end];
        let passed = |close: &str| match rest.find(close) {
            Some(found) => Ok(at + found + close.len()),
            None => Err(Fault::At(&message::XML_DOCTYPE_SYNTAX, at)),
        };
        if rest.starts_with("<!ENTITY") {
            self.entity(text, at + "<!ENTITY".len())
        } else if rest.starts_with("<!--") {
            passed("-->")
        } else if rest.starts_with("<?") {
            passed("?>")
        } else if rest.starts_with("<!ELEMENT") || rest.starts_with("<!NOTATION") {
            passed(">")
        } else if rest.starts_with("<!ATTLIST") {
            let close = passed(">")?;
            match text[at..close].contains(['"', '\'']) {
                true => Err(unsupported(at)),
                false => Ok(close),
            }
        } else if rest.starts_with('%') {
            Err(unsupported(at))
        } else {
            Err(Fault::At(&message::XML_DOCTYPE_SYNTAX, at))
        }
    }

    fn entity(&mut self, text: &str, start: usize) -> Result<usize, Fault> {
        let syntax = |at| Err(Fault::At(&message::XML_ENTITY_SYNTAX, at));
        let bytes = text.as_bytes();
        let at = skip_white(text, start);
        if at == start {
            return Err(Fault::At(&message::XML_WHITESPACE_EXPECTED, at));
        }
        if bytes.get(at) == Some(&b'%') {
            return Err(unsupported(at));
        }
        let Name::Ends(after) = name_end(text, at) else { return syntax(at) };
        let open = skip_white(text, after);
        let quote = match bytes.get(open) {
            Some(quote @ (b'"' | b'\'')) => char::from(*quote),
            Some(b'S' | b'P') => return Err(unsupported(open)),
            _ => return syntax(open),
        };
        let Some(length) = text[open + 1..].find(quote) else { return syntax(text.len()) };
        let close = open + 1 + length;
        let value = self.replaced(text, open + 1, close)?;
        let end = skip_white(text, close + 1);
        if bytes.get(end) != Some(&b'>') {
            return syntax(end);
        }
        // The first declaration of an entity is the one that counts.
        let number = self.texts.len();
        if *self.numbers.entry(text[at..after].to_owned()).or_insert(number) == number {
            self.texts.push(value);
        }
        Ok(end + 1)
    }

    /// The text of an entity of which references are replaced; it may refer to those before it.
    fn replaced(&self, text: &str, start: usize, end: usize) -> Result<String, Fault> {
        let mut value = String::new();
        let mut at = start;
        while at < end {
            let plain = text[at..end].find(['&', '%', '<']).map_or(end, |found| at + found);
            value.push_str(&text[at..plain].replace("\r\n", "\n").replace('\r', "\n"));
            at = plain;
            if at == end {
                break;
            }
            if bytes_at(text, at) != b'&' {
                return Err(unsupported(at));
            }
            let (found, next) = reference(text, at, self)?;
            match found {
                Reference::Character(c) => value.push(c),
                Reference::Entity(number) => value.push_str(&self.texts[number]),
            }
            at = next;
            if value.len() > ENTITY_MAX {
                return Err(unsupported(at));
            }
        }
        match value.len() {
            0..=ENTITY_MAX => Ok(value),
            _ => Err(unsupported(start)),
        }
    }
}

fn bytes_at(text: &str, at: usize) -> u8 {
    text.as_bytes()[at]
}

#[cold]
fn unsupported(at: usize) -> Fault {
    Fault::At(&message::XML_UNSUPPORTED, at)
}
