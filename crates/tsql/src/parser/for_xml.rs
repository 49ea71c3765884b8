//! `FOR XML`: its mode and options.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{ForOption, ForXml, NullElements, XmlMode, XmlSchema};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `XML mode, options`. An option that stands there twice is an error near `XML`, one that does
    /// not exist an error near itself. Error 6859.
    #[inline(never)]
    pub(super) fn for_xml(&mut self) -> SqlResult<ForXml> {
        let line = self.expect(K::Xml)?.span.line;
        let near_mode = self.unexpected();
        let ForOption { name, value: row } = self.for_option()?;
        let mode = match &*name {
            "RAW" => XmlMode::Raw,
            "AUTO" => XmlMode::Auto,
            "PATH" => XmlMode::Path,
            "EXPLICIT" => XmlMode::Explicit,
            _ => return Err(near_mode),
        };
        if row.is_some() && matches!(mode, XmlMode::Auto | XmlMode::Explicit) {
            return Err(SqlError::new(&message::FOR_XML_ROW_NAME, &[]).at_line(line));
        }
        let mut clause = ForXml {
            mode,
            row,
            root: None,
            elements: None,
            typed: false,
            base64: false,
            schema: None,
        };
        let mut options = 0;
        while self.eat_token(TokenKind::Comma) {
            options += 1;
            self.turn(options)?;
            let (near, near_next) = (self.unexpected(), self.at_text("BINARY"));
            let near = match near_next {
                true => self.unexpected_at(1),
                false => near,
            };
            let option = self.for_option()?;
            if clause.add(option).ok_or(near)? {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"XML"]);
                return Err(error.at_line(line));
            }
        }
        Ok(clause)
    }
}

impl ForXml {
    /// Adds an option, and says whether it was there before; nothing for one that does not exist.
    fn add(&mut self, option: ForOption) -> Option<bool> {
        let ForOption { name, value } = option;
        Some(match (&*name, value) {
            ("ROOT", name) => self.root.replace(name).is_some(),
            ("ELEMENTS" | "ELEMENTS ABSENT", None) => {
                self.elements.replace(NullElements::Absent).is_some()
            }
            ("ELEMENTS XSINIL", None) => self.elements.replace(NullElements::Nil).is_some(),
            ("TYPE", None) => std::mem::replace(&mut self.typed, true),
            ("BINARY BASE64", None) => std::mem::replace(&mut self.base64, true),
            ("XMLDATA", None) => self.schema.replace(XmlSchema::Data).is_some(),
            ("XMLSCHEMA", uri) => self.schema.replace(XmlSchema::Schema(uri)).is_some(),
            _ => return None,
        })
    }
}
