//! Text into documents.
//!
//! quick-xml finds where tokens begin and end; everything within them is read here, so that errors
//! are SQL Server's, with the places that it reports. A token that quick-xml refuses is read here
//! too, up to its fault.
//!
//! White space that stands alone between tags is dropped unless it is to be preserved; references
//! and CDATA sections always stay.

mod chars;
mod declaration;
mod dtd;
mod fault;
mod tag;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::Event;

pub(crate) use chars::{begins_name, continues_name};
pub(crate) use declaration::{Declaration, declaration};
pub(crate) use fault::Fault;
pub use fault::{Refused, is_of_text};

use self::chars::{Name, is_white, name_end, reference};
use self::dtd::Entities;
use self::tag::Attribute;
use super::tree::{Builder, Document};
use crate::account::Account;
use crate::error::SqlResult;
use crate::message;
use crate::pace::{Pace, STRIDE, Stride};

/// Elements within each other.
pub const DEPTH_MAX: usize = 128;

/// How text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// White space that stands alone stays.
    pub preserve: bool,
    /// A DTD may define entities.
    pub internal_subset: bool,
}

/// Reads a document or fragment, which is UTF-8. Errors 6335, 6359 and 9400 to 9480.
pub fn parse(
    text: &[u8],
    options: ParseOptions,
    account: Option<&Arc<Account>>,
    pace: &dyn Pace,
) -> SqlResult<Document> {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let valid = String::from_utf8_lossy(&text[..error.valid_up_to()]);
            return Err(Fault::At(&message::XML_CHARACTER_ILLEGAL, valid.len()).error(&valid));
        }
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut parser = Parser::new(text, options, account, pace);
    match parser.document() {
        Ok(()) => Ok(parser.builder.finish()),
        Err(fault) => Err(fault.error(text)),
    }
}

/// As [`parse`], with what is known of the place of a fault.
pub fn parse_or_explain(
    text: &[u8],
    options: ParseOptions,
    account: Option<&Arc<Account>>,
    pace: &dyn Pace,
) -> Result<Document, Box<Refused>> {
    let refused = |fault, text: &str| Box::new(Refused::new(fault, text, std::iter::empty()));
    let text = std::str::from_utf8(text).map_err(|error| {
        let valid = String::from_utf8_lossy(&text[..error.valid_up_to()]);
        refused(Fault::At(&message::XML_CHARACTER_ILLEGAL, valid.len()), &valid)
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut parser = Parser::new(text, options, account, pace);
    match parser.document() {
        Ok(()) => Ok(parser.builder.finish()),
        Err(fault) => {
            let open = parser.open.iter().map(|open| open.name);
            let mut refused = Refused::new(fault, text, open);
            if !parser.undeclared.is_empty() {
                refused.name = parser.undeclared;
            }
            Err(Box::new(refused))
        }
    }
}

/// What the XML declaration of a text says, as names and values; nothing if it has none.
pub fn declared(text: &[u8]) -> Vec<(Box<str>, Box<str>)> {
    let end = text.iter().position(|byte| *byte == b'>').map_or(text.len(), |at| at + 1);
    let head = std::str::from_utf8(&text[..end]).unwrap_or_default();
    let head = head.strip_prefix('\u{FEFF}').unwrap_or(head);
    let Ok(Some(found)) = declaration(head) else { return Vec::new() };
    let parts = [
        ("version", Some(found.version)),
        ("encoding", found.encoding),
        ("standalone", found.standalone),
    ];
    let given = parts.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into())));
    given.collect()
}

/// Reads a value of the type xml.
pub fn parse_value(
    text: &[u8],
    account: Option<&Arc<Account>>,
    pace: &dyn Pace,
) -> SqlResult<Document> {
    parse(text, ParseOptions { preserve: true, internal_subset: false }, account, pace)
}

/// An element that has begun.
struct Open<'t> {
    name: &'t str,
    /// How many bindings there were before it.
    bindings: usize,
    preserve: bool,
}

struct Parser<'t, 'p> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    options: ParseOptions,
    builder: Builder,
    stride: Stride<'p>,
    open: Vec<Open<'t>>,
    /// Prefixes and URIs that open elements declare, inner ones last.
    bindings: Vec<(&'t str, Cow<'t, str>)>,
    /// Attributes of the tag that is being read.
    attributes: Vec<Attribute<'t>>,
    entities: Entities,
    /// White space of a text of which nothing else was seen.
    white: Vec<&'t str>,
    /// The text that is being read stays.
    stays: bool,
    /// Something other than white space, comments and instructions was seen.
    begun: bool,
    has_doctype: bool,
    /// The prefix that is not declared, if that is what is wrong.
    undeclared: String,
}

impl<'t, 'p> Parser<'t, 'p> {
    fn new(
        text: &'t str,
        options: ParseOptions,
        account: Option<&Arc<Account>>,
        pace: &'p dyn Pace,
    ) -> Parser<'t, 'p> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        config.trim_markup_names_in_closing_tags = false;
        Parser {
            text,
            reader,
            options,
            builder: Builder::new(account),
            stride: Stride::new(pace),
            open: Vec::new(),
            bindings: Vec::new(),
            attributes: Vec::new(),
            entities: Entities::default(),
            white: Vec::new(),
            stays: false,
            begun: false,
            has_doctype: false,
            undeclared: String::new(),
        }
    }

    fn document(&mut self) -> Result<(), Fault> {
        loop {
            let start = self.reader.buffer_position() as usize;
            let event = self.reader.read_event();
            let end = self.reader.buffer_position() as usize;
            self.stride.step(32)?;
            let Ok(event) = event else { return self.broken(start) };
            match event {
                Event::Text(_) => self.characters(start, end)?,
                Event::GeneralRef(_) => self.referred(start)?,
                Event::CData(_) => self.cdata(start, end)?,
                Event::Start(_) | Event::Empty(_) => self.start_tag(start, end)?,
                Event::End(_) => self.end_tag(start)?,
                Event::Comment(_) => self.comment(start, end)?,
                Event::PI(_) => self.instruction(start, end)?,
                Event::Decl(_) => self.declared(start)?,
                Event::DocType(_) => self.doctype(start, end)?,
                Event::Eof => break,
            }
        }
        self.end_text();
        if !self.open.is_empty() {
            return Err(self.at_end(&message::XML_UNEXPECTED_END));
        }
        Ok(())
    }

    fn at_end(&self, message: &'static message::Message) -> Fault {
        Fault::At(message, self.text.len())
    }

    /// What is wrong with the markup at a place, which quick-xml does not take for a token.
    #[cold]
    fn broken(&mut self, start: usize) -> Result<(), Fault> {
        self.end_text();
        let (end, rest) = (self.text.len(), &self.text[start..]);
        if rest.starts_with("<!--") {
            self.comment(start, end)?;
        } else if rest.starts_with("<![CDATA[") {
            return Err(self.at_end(&message::XML_CDATA_SYNTAX));
        } else if rest.starts_with("<![") {
            let wrong = rest.bytes().zip(*b"<![CDATA[").take_while(|(a, b)| a == b).count();
            return Err(Fault::At(&message::XML_CDATA_SYNTAX, start + wrong));
        } else if rest.starts_with("<!-") {
            return Err(Fault::At(&message::XML_COMMENT_SYNTAX, start + 3));
        } else if rest.starts_with("<!D") && self.may_have_doctype() {
            return Err(match self.options.internal_subset {
                true => self.at_end(&message::XML_DOCTYPE_SYNTAX),
                false => fault::dtd_not_allowed(),
            });
        } else if rest.starts_with("<!") {
            return Err(Fault::At(&message::XML_DOCUMENT_SYNTAX, start + 2));
        } else if rest.starts_with("<?xml") && start == 0 {
            declaration(self.text)?;
        } else if rest.starts_with("<?") {
            self.target(start)?;
            return Err(self.at_end(&message::XML_INSTRUCTION_SYNTAX));
        } else if rest.starts_with("</") {
            self.end_tag(start)?;
        } else if rest.starts_with('<') {
            self.start_tag(start, end)?;
        }
        Err(self.at_end(&message::XML_UNEXPECTED_END))
    }

    fn preserves(&self) -> bool {
        self.open.last().map_or(self.options.preserve, |open| open.preserve)
    }

    /// Text that is written as such.
    fn characters(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        if self.text.as_bytes()[start] == b'&' {
            // A reference that does not end.
            reference(self.text, start, &self.entities)?;
        }
        let has_returns = self.check(start, end, true)?;
        let text = &self.text[start..end];
        if !self.stays && !self.preserves() && is_white(text) {
            self.white.push(text);
            return Ok(());
        }
        self.keep_text()?;
        self.put_text(text, has_returns)
    }

    /// Checks that there are only characters that XML has, and no end of a CDATA section where
    /// there is none. Whether there are carriage returns.
    fn check(&mut self, start: usize, end: usize, is_content: bool) -> Result<bool, Fault> {
        let bytes = self.text.as_bytes();
        let mut has_returns = false;
        let mut from = start;
        while from < end {
            let to = end.min(from + STRIDE);
            self.stride.step(to - from)?;
            let mut at = from;
            while let Some(found) = bytes[at..to].iter().position(|b| chars::is_special(*b)) {
                at += found;
                match bytes[at] {
                    b'\r' => has_returns = true,
                    b']' => {
                        if is_content && bytes[at..end].starts_with(b"]]>") {
                            return Err(Fault::At(&message::XML_CDATA_END, at));
                        }
                    }
                    0xEF if !matches!(bytes[at + 1..at + 3], [0xBF, 0xBE | 0xBF]) => {}
                    _ => return Err(Fault::At(&message::XML_CHARACTER_ILLEGAL, at)),
                }
                at += 1;
            }
            from = to;
        }
        Ok(has_returns)
    }

    /// The text that has begun is not only white space.
    fn keep_text(&mut self) -> Result<(), Fault> {
        self.begun = true;
        if !std::mem::replace(&mut self.stays, true) {
            for white in std::mem::take(&mut self.white) {
                self.put_text(white, true)?;
            }
        }
        Ok(())
    }

    /// Appends text, of which ends of lines become line feeds.
    fn put_text(&mut self, text: &str, has_returns: bool) -> Result<(), Fault> {
        if !has_returns {
            return Ok(self.builder.text(text)?);
        }
        let mut lines = text.split('\r');
        self.builder.text(lines.next().unwrap_or_default())?;
        for line in lines {
            self.stride.step(line.len() + 32)?;
            if !line.starts_with('\n') {
                self.builder.text("\n")?;
            }
            self.builder.text(line)?;
        }
        Ok(())
    }

    /// Text ends where markup begins.
    fn end_text(&mut self) {
        self.white.clear();
        self.stays = false;
    }

    fn referred(&mut self, start: usize) -> Result<(), Fault> {
        let (found, _) = reference(self.text, start, &self.entities)?;
        self.keep_text()?;
        match found {
            chars::Reference::Character(c) => {
                self.builder.text(c.encode_utf8(&mut [0; 4]))?;
            }
            chars::Reference::Entity(number) => {
                let text = self.entities.expand(number, start)?;
                self.stride.step(text.len())?;
                self.builder.text(&text)?;
            }
        }
        Ok(())
    }

    fn cdata(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        let (start, end) = (start + "<![CDATA[".len(), end - "]]>".len());
        let has_returns = self.check(start, end, false)?;
        self.keep_text()?;
        self.put_text(&self.text[start..end], has_returns)
    }

    fn comment(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        self.end_text();
        let inner = start + "<!--".len();
        let Some(hyphens) = self.text[inner..].find("--").map(|at| inner + at) else {
            return Err(self.at_end(&message::XML_COMMENT_SYNTAX));
        };
        if !self.text[hyphens + 2..].starts_with('>') {
            return Err(Fault::At(&message::XML_GREATER_EXPECTED, hyphens + 2));
        }
        debug_assert_eq!(hyphens + 3, end);
        let has_returns = self.check(inner, hyphens, false)?;
        self.builder.comment(&lines(&self.text[inner..hyphens], has_returns))?;
        Ok(())
    }

    /// The target of an instruction, and where it ends.
    fn target(&self, start: usize) -> Result<&'t str, Fault> {
        let inner = start + "<?".len();
        let end = match name_end(self.text, inner) {
            Name::Ends(end) => end,
            Name::Wrong if inner == self.text.len() => {
                return Err(self.at_end(&message::XML_UNEXPECTED_END));
            }
            Name::Wrong => return Err(Fault::At(&message::XML_NAME_CHARACTER, inner)),
        };
        let target = &self.text[inner..end];
        if target == "xml" {
            return Err(Fault::At(&message::XML_DECLARATION_PLACE, end));
        }
        if target.eq_ignore_ascii_case("xml") {
            return Err(Fault::At(&message::XML_NAME_RESERVED, end));
        }
        match self.text.as_bytes().get(end) {
            None => Err(self.at_end(&message::XML_INSTRUCTION_SYNTAX)),
            Some(b':') => Err(Fault::At(&message::XML_COLON, end)),
            Some(b' ' | b'\t' | b'\n' | b'\r' | b'?') => Ok(target),
            Some(_) => Err(Fault::At(&message::XML_NAME_CHARACTER, end)),
        }
    }

    fn instruction(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        self.end_text();
        let target = self.target(start)?;
        let inner = start + "<?".len() + target.len();
        let has_returns = self.check(inner, end - "?>".len(), false)?;
        let text = self.text[inner..end - "?>".len()].trim_start_matches(chars::WHITE);
        if inner < end - 2 && !is_white(&self.text[inner..inner + 1]) {
            return Err(Fault::At(&message::XML_INSTRUCTION_SYNTAX, inner + 1));
        }
        self.builder.instruction(target, &lines(text, has_returns))?;
        Ok(())
    }

    fn declared(&mut self, start: usize) -> Result<(), Fault> {
        if start > 0 {
            return Err(Fault::At(&message::XML_DECLARATION_PLACE, start + "<?xml".len()));
        }
        declaration(self.text)?;
        Ok(())
    }

    fn may_have_doctype(&self) -> bool {
        !self.begun && !self.has_doctype && self.open.is_empty()
    }

    fn doctype(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        self.end_text();
        let is_written_so = self.text[start..].starts_with("<!DOCTYPE");
        if !is_written_so || !self.may_have_doctype() {
            return Err(Fault::At(&message::XML_DOCUMENT_SYNTAX, start + 2));
        }
        if !self.options.internal_subset {
            return Err(fault::dtd_not_allowed());
        }
        self.has_doctype = true;
        self.check(start, end, false)?;
        self.entities.read(self.text, start + "<!DOCTYPE".len(), end - 1)
    }
}

/// Text with line feeds at the ends of lines.
fn lines(text: &str, has_returns: bool) -> Cow<'_, str> {
    match has_returns {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}
