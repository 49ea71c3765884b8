//! What the binder tells the functions that run the methods of type xml, as constants among their
//! arguments.
//!
//! A method's query is a literal. The binder has compiled it, for its errors and for what it wants
//! of the statement around; the function compiles the same text once for each place where a plan
//! calls it ([`super::Memo`]).

use base::TypeKind;
use base::types::XmlUse;

/// The calls that the binder makes of methods. Each takes (node, document, [`super::MethodPlan`],
/// outer values…). The node is a number in the document, with the number that the session knows the
/// document by above it ([`node_reference`]); 0 is the document itself.
pub mod names {
    /// `query()`
    pub const QUERY: &str = "XML QUERY";
    /// `value()`: the value's text, or its bytes if [`super::MethodPlan::is_binary`].
    pub const VALUE: &str = "XML VALUE";
    /// `exist()`
    pub const EXIST: &str = "XML EXIST";
    /// `modify()`: the changed document.
    pub const MODIFY: &str = "XML MODIFY";
    /// `nodes()`
    pub const NODES: &str = "XML NODES";
    /// (value): what an XML index has of a value that `exist()` compares with.
    pub const INDEX_VALUE: &str = "XML INDEX VALUE";
    /// (value, relative margin, absolute margin): the bound of numbers in an XML index that it is,
    /// moved by the margins in the direction of their signs.
    pub const INDEX_BOUND: &str = "XML INDEX BOUND";
    /// (document, the selection of a selective index or NULL): its entries in an XML index.
    pub const INDEX_ENTRIES: &str = "XML INDEX ENTRIES";

    /// Whether a function has such a name, which a text can quote, but not call.
    pub fn is_internal(name: &str) -> bool {
        let all = [QUERY, VALUE, EXIST, MODIFY, NODES, INDEX_VALUE, INDEX_BOUND, INDEX_ENTRIES];
        all.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// What stands for a node of a document.
pub fn node_reference(document: u32, node: u32) -> i64 {
    (u64::from(document) << 32 | u64::from(node)) as i64
}

/// The document and the node that such a number stands for.
pub fn referred(reference: i64) -> (u32, u32) {
    ((reference as u64 >> 32) as u32, reference as u32)
}

/// The query of a method, with those of `nodes()` before it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MethodPlan {
    /// Whether the value of `value()` becomes a binary.
    pub is_binary: bool,
    /// How the document uses a schema collection, if it has one.
    pub of: Option<XmlUse>,
    /// What `modify()` changes, as it is written.
    pub target: String,
    /// Prefixes and URIs of `WITH XMLNAMESPACES`.
    pub namespaces: Vec<(String, String)>,
    /// The query, after those of `nodes()` whose nodes it is applied to, the outermost first.
    pub levels: Vec<MethodQuery>,
}

/// A query.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MethodQuery {
    /// What messages call the method.
    pub receiver: String,
    /// The query.
    pub text: String,
    /// What it wants of the statement around.
    pub outer: Vec<OuterValue>,
}

/// A column or variable of the statement around a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OuterValue {
    /// `sql:variable`; else `sql:column`.
    pub is_variable: bool,
    /// Its name as it is written.
    pub name: String,
    /// The kind of its type.
    pub kind: TypeKind,
}

impl MethodPlan {
    /// The constant for a call.
    pub fn encode(&self) -> Vec<u8> {
        let is_document = self.of.is_some_and(|of| of.is_document);
        let flags = [self.is_binary, self.of.is_some(), is_document];
        let flags = flags.iter().rev().fold(0, |all, flag| all << 1 | u8::from(*flag));
        let mut out = vec![flags];
        put_number(&mut out, self.of.map_or(0, |of| of.collection.into()));
        put_text(&mut out, &self.target);
        put_number(&mut out, self.namespaces.len());
        for (prefix, uri) in &self.namespaces {
            put_text(&mut out, prefix);
            put_text(&mut out, uri);
        }
        put_number(&mut out, self.levels.len());
        for level in &self.levels {
            put_text(&mut out, &level.receiver);
            put_text(&mut out, &level.text);
            put_number(&mut out, level.outer.len());
            for outer in &level.outer {
                let kind = TypeKind::ALL.iter().position(|kind| *kind == outer.kind);
                out.push(u8::from(outer.is_variable));
                put_number(&mut out, kind.expect("every kind is in the list"));
                put_text(&mut out, &outer.name);
            }
        }
        out
    }

    /// What a constant says; `None` if it is none.
    pub fn decode(bytes: &[u8]) -> Option<MethodPlan> {
        let (&flags, mut rest) = bytes.split_first()?;
        let rest = &mut rest;
        let collection = u16::try_from(number(rest)?).ok()?;
        let target = text(rest)?;
        let namespaces = list(rest, |rest| Some((text(rest)?, text(rest)?)))?;
        let levels = list(rest, |rest| {
            let (receiver, text) = (text(rest)?, text(rest)?);
            Some(MethodQuery { receiver, text, outer: list(rest, outer)? })
        })?;
        let is_document = flags & 4 != 0;
        let of = (flags & 2 != 0).then_some(XmlUse { collection, is_document });
        Some(MethodPlan { is_binary: flags & 1 != 0, of, target, namespaces, levels })
    }

    /// [`MethodPlan::is_binary`] of a constant.
    pub fn is_binary(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|flags| flags & 1 != 0)
    }
}

fn outer(rest: &mut &[u8]) -> Option<OuterValue> {
    let (&is_variable, after) = rest.split_first()?;
    *rest = after;
    let kind = *TypeKind::ALL.get(number(rest)?)?;
    Some(OuterValue { is_variable: is_variable == 1, name: text(rest)?, kind })
}

fn put_number(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*bytes) as usize)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let len = number(rest)?;
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

fn list<T>(rest: &mut &[u8], one: impl Fn(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    let count = number(rest)?;
    (0..count).map(|_| one(rest)).collect()
}

#[cfg(test)]
mod tests;
