//! Constructors of nodes.

use base::error::SqlResult;
use base::message;

use super::scan::{Written, is_name_start, is_xml_char};
use super::{Parser, Typed};
use crate::atomic::Atomic;
use crate::expr::{Element, Expr, QName};
use crate::types::{NodeType, Type};

impl Parser<'_> {
    fn qname(&mut self, name: &Written, is_attribute: bool) -> QName {
        let uri = match is_attribute && name.prefix.is_empty() {
            true => String::new(),
            false => self.namespace(&name.prefix),
        };
        QName {
            prefix: name.prefix.as_str().into(),
            local: name.local.as_str().into(),
            uri: uri.into(),
        }
    }

    /// An element, comment or instruction as XML writes it.
    pub(super) fn direct_constructor(&mut self) -> SqlResult<Typed> {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            let expr = self.comment()?;
            return Ok(Typed { expr, ty: Type::constructed(NodeType::Comment) });
        }
        if rest.starts_with("<?") {
            let expr = self.instruction()?;
            return Ok(Typed { expr, ty: Type::constructed(NodeType::Instruction) });
        }
        if rest.starts_with("<!") {
            return Err(self.syntax()?);
        }
        self.element()
    }

    /// What comes before the next of these characters, which are skipped.
    fn until(&mut self, end: &str) -> Option<String> {
        let rest = self.rest();
        let at = rest.find(end)?;
        self.at += at + end.len();
        Some(rest[..at].to_string())
    }

    fn comment(&mut self) -> SqlResult<Expr> {
        self.at += 4;
        let Some(text) = self.until("--") else {
            return Err(self.error(&message::XQUERY_SYNTAX, &[&"<eof>"]));
        };
        if !self.rest().starts_with('>') {
            return Err(self.error(&message::XQUERY_COMMENT_DASHES, &[]));
        }
        self.at += 1;
        Ok(Expr::Comment(text.into()))
    }

    fn instruction(&mut self) -> SqlResult<Expr> {
        self.at += 2;
        let Some(target) = self.simple_name() else {
            let c = self.peek().map_or("<eof>".into(), |c| c.to_string());
            return Err(self.error(&message::XQUERY_TAG_START, &[&c]));
        };
        if target.eq_ignore_ascii_case("xml") {
            return Err(self.error(&message::XQUERY_PI_TARGET, &[]));
        }
        let is_apart =
            self.rest().starts_with("?>") || self.rest().starts_with([' ', '\t', '\r', '\n']);
        self.blank();
        match self.until("?>").filter(|_| is_apart) {
            Some(text) => Ok(Expr::Instruction(target.into(), text.into())),
            None => Err(self.error(&message::XQUERY_PI_END, &[])),
        }
    }

    fn element(&mut self) -> SqlResult<Typed> {
        self.enter()?;
        self.at += 1;
        let Some(name) = self.name() else {
            let c = self.peek().map_or("<eof>".into(), |c| c.to_string());
            return Err(self.error(&message::XQUERY_TAG_START, &[&c]));
        };
        let scope = self.namespaces.len();
        let mut attributes: Vec<(Written, Expr)> = Vec::new();
        let mut declared: Vec<(Box<str>, Box<str>)> = Vec::new();
        loop {
            let before = self.at;
            self.blank();
            if self.rest().starts_with('>') || self.rest().starts_with("/>") {
                break;
            }
            let name = if before < self.at { self.name() } else { None };
            let Some(name) = name else {
                return Err(self.syntax()?);
            };
            self.blank();
            if !self.rest().starts_with('=') {
                return Err(self.expected("=")?);
            }
            self.at += 1;
            self.blank();
            let value = self.attribute_value()?;
            let prefix = match (name.prefix.as_str(), name.local.as_str()) {
                ("", "xmlns") => Some(""),
                ("xmlns", local) => Some(local),
                _ => None,
            };
            let Some(prefix) = prefix else {
                attributes.push((name, value));
                continue;
            };
            let Expr::Constant(uri) = value else {
                return Err(self.error(&message::XQUERY_NAMESPACE_LITERAL, &[]));
            };
            let uri = uri.text().into_owned();
            if declared.iter().any(|(known, _)| **known == *prefix) {
                self.keep(&message::XQUERY_DUPLICATE_ATTRIBUTE, &[&name]);
            }
            if (prefix == "xml") != (uri == base::xml::tree::XML_URI) {
                self.keep(&message::XQUERY_XML_PREFIX, &[]);
            }
            declared.push((prefix.into(), uri.as_str().into()));
            self.namespaces.push((prefix.to_string(), uri));
        }
        let mut resolved: Vec<(QName, Expr)> = Vec::new();
        for (name, value) in attributes {
            let qname = self.qname(&name, true);
            let is_same = |other: &QName| other.local == qname.local && other.uri == qname.uri;
            if resolved.iter().any(|(other, _)| is_same(other)) {
                self.keep(&message::XQUERY_DUPLICATE_ATTRIBUTE, &[&name]);
            }
            resolved.push((qname, value));
        }
        let mut element = Element {
            name: self.qname(&name, false),
            namespaces: declared,
            attributes: resolved,
            content: Vec::new(),
        };
        if self.rest().starts_with("/>") {
            self.at += 2;
        } else {
            self.at += 1;
            element.content = self.content(&name)?;
        }
        self.namespaces.truncate(scope);
        self.depth -= 1;
        let ty = Type::constructed(NodeType::Element(name.to_string()));
        Ok(Typed { expr: Expr::Element(Box::new(element)), ty })
    }

    /// The value of an attribute: literal text as a constant, or one expression.
    fn attribute_value(&mut self) -> SqlResult<Expr> {
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            let token = self.token()?;
            return Err(self.error(&message::XQUERY_STRING_EXPECTED, &[&token]));
        };
        self.at += 1;
        let mut text = String::new();
        let mut expr: Option<Expr> = None;
        loop {
            let Some(c) = self.peek() else {
                return Err(self.error(&message::XQUERY_SYNTAX, &[&"<eof>"]));
            };
            let is_twice = self.rest()[c.len_utf8()..].starts_with(c);
            match c {
                '&' => {
                    text.push(self.reference()?);
                    continue;
                }
                '{' if !is_twice => {
                    if expr.is_some() || !text.is_empty() {
                        return Err(self.error(&message::XQUERY_ATTRIBUTE_MIXED, &[]));
                    }
                    expr = Some(self.enclosed(true)?.expr);
                    continue;
                }
                '}' if !is_twice => return Err(self.error(&message::XQUERY_BRACE, &[])),
                '<' => return Err(self.syntax()?),
                c if c == quote && !is_twice => break,
                c => text.push(if matches!(c, '\t' | '\r' | '\n') { ' ' } else { c }),
            }
            let is_doubled = c == quote || matches!(c, '{' | '}');
            self.at += c.len_utf8() * (1 + usize::from(is_doubled));
        }
        self.at += 1;
        match expr {
            Some(_) if !text.is_empty() => Err(self.error(&message::XQUERY_ATTRIBUTE_MIXED, &[])),
            Some(expr) => Ok(expr),
            None => Ok(Expr::Constant(Atomic::string(text))),
        }
    }

    /// `{expression}`, for its nodes or for its atomic values.
    fn enclosed(&mut self, is_atomic: bool) -> SqlResult<Typed> {
        self.expect("{")?;
        if self.takes("}")? {
            return Ok(Typed { expr: Expr::Sequence(Vec::new()), ty: Type::empty() });
        }
        let value = self.expr()?;
        self.expect("}")?;
        if is_atomic {
            self.atomized(&value.ty);
        } else if value.ty.item == crate::types::ItemKind::Xml {
            self.keep(&message::XQUERY_XML_SOURCE, &[]);
        }
        Ok(value)
    }

    /// What stands between the tags of an element, and the closing tag.
    fn content(&mut self, name: &Written) -> SqlResult<Vec<Expr>> {
        let mut content = Vec::new();
        let mut text = String::new();
        // White space between tags and expressions goes, unless a reference or CDATA wrote it.
        let mut is_kept = false;
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Err(self.error(&message::XQUERY_END_TAG, &[name]));
            };
            let is_twice = rest[c.len_utf8()..].starts_with(c);
            let is_text = match c {
                '<' => rest.starts_with("<![CDATA["),
                '{' | '}' => is_twice,
                _ => true,
            };
            if !is_text {
                if is_kept || !text.trim_ascii().is_empty() {
                    content.push(Expr::Literal(std::mem::take(&mut text).into()));
                }
                text.clear();
                is_kept = false;
            }
            if rest.starts_with("</") {
                self.at += 2;
                if self.name().as_ref() != Some(name) {
                    return Err(self.error(&message::XQUERY_END_TAG, &[name]));
                }
                self.blank();
                if !self.rest().starts_with('>') {
                    return Err(self.expected(">")?);
                }
                self.at += 1;
                return Ok(content);
            } else if rest.starts_with("<![CDATA[") {
                self.at += 9;
                match self.until("]]>") {
                    Some(piece) => text.push_str(&piece),
                    None => return Err(self.error(&message::XQUERY_CDATA_END, &[])),
                }
                is_kept = true;
            } else if c == '<' {
                let is_tag = rest[1..].starts_with(|c| is_name_start(c) || matches!(c, '!' | '?'));
                if !is_tag {
                    return Err(self.syntax()?);
                }
                content.push(self.direct_constructor()?.expr);
            } else if c == '&' {
                text.push(self.reference()?);
                is_kept = true;
            } else if c == '{' && !is_twice {
                content.push(self.enclosed(false)?.expr);
            } else if c == '}' && !is_twice {
                return Err(self.error(&message::XQUERY_BRACE, &[]));
            } else {
                if !is_xml_char(c) {
                    return Err(self.syntax()?);
                }
                text.push(c);
                self.at += c.len_utf8() * (1 + usize::from(matches!(c, '{' | '}')));
            }
        }
    }

    /// A computed constructor, if what follows this word makes it one.
    pub(super) fn computed_constructor(&mut self, word: &str) -> SqlResult<Option<Typed>> {
        let start = self.at;
        self.space()?;
        let is_brace = self.rest().starts_with('{');
        match word {
            "text" | "comment" | "validate" | "ordered" | "unordered" | "document" if is_brace => {}
            "element" | "attribute" | "processing-instruction" => {
                let name = if is_brace { None } else { self.name() };
                self.space()?;
                let is_constructor = is_brace || (name.is_some() && self.rest().starts_with('{'));
                if !is_constructor {
                    self.at = start;
                    return Ok(None);
                }
                if word == "processing-instruction" {
                    return Err(self.error(&message::XQUERY_COMPUTED_PI, &[]));
                }
                let Some(name) = name else {
                    return Err(self.error(&message::XQUERY_NAME_CONSTANT, &[]));
                };
                return self.computed(word, name).map(Some);
            }
            _ => {
                self.at = start;
                return Ok(None);
            }
        }
        match word {
            "comment" => Err(self.error(&message::XQUERY_COMPUTED_COMMENT, &[])),
            "text" => {
                self.expect("{")?;
                let value = self.single()?;
                if !self.takes("}")? {
                    return Err(self.error(&message::XQUERY_EXPECTED, &[&"}"]));
                }
                self.atomized(&value.ty);
                let ty = Type::constructed(NodeType::Text);
                Ok(Some(Typed { expr: Expr::Text(Box::new(value.expr)), ty }))
            }
            _ => Err(self.unsupported(word)),
        }
    }

    fn computed(&mut self, word: &str, name: Written) -> SqlResult<Typed> {
        let is_attribute = word == "attribute";
        if is_attribute && (name.local == "xmlns" || name.prefix == "xmlns") {
            return Err(self.error(&message::XQUERY_XMLNS_NAME, &[]));
        }
        let value = self.enclosed(is_attribute)?;
        let qname = self.qname(&name, is_attribute);
        if is_attribute {
            let expr = Expr::Attribute(Box::new(qname), Box::new(value.expr));
            let ty = Type::constructed(NodeType::Attribute(name.to_string()));
            return Ok(Typed { expr, ty });
        }
        let element = Element {
            name: qname,
            namespaces: Vec::new(),
            attributes: Vec::new(),
            content: vec![value.expr],
        };
        let ty = Type::constructed(NodeType::Element(name.to_string()));
        Ok(Typed { expr: Expr::Element(Box::new(element)), ty })
    }
}
