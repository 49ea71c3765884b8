//! What may stand where in a schema document.
//!
//! Each element of XML Schema has a list of attributes and of elements that may stand in it; the
//! whole document is checked against these lists before anything is made of it. Annotations are
//! passed over.

use super::model::SCHEMA_URI;
use super::validate::path_of;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::xml::tree::{Document, NodeId, NodeKind};

struct Rule {
    name: &'static str,
    attributes: &'static str,
    required: &'static str,
    children: &'static str,
}

const fn rule(
    name: &'static str,
    attributes: &'static str,
    required: &'static str,
    children: &'static str,
) -> Rule {
    Rule { name, attributes, required, children }
}

const GROUPS: &str = "annotation element group choice sequence any";
const FACETS: &str = "annotation simpleType minExclusive minInclusive maxExclusive maxInclusive \
                      totalDigits fractionDigits length minLength maxLength enumeration whiteSpace \
                      pattern group all choice sequence attribute attributeGroup anyAttribute";

/// Every element has `id` besides.
const RULES: &[Rule] = &[
    rule(
        "schema",
        "targetNamespace elementFormDefault attributeFormDefault blockDefault finalDefault version",
        "",
        "annotation import simpleType complexType group attributeGroup element attribute include \
         redefine notation",
    ),
    rule("import", "namespace schemaLocation", "", "annotation"),
    rule(
        "element",
        "name ref type default fixed nillable abstract final block form substitutionGroup minOccurs \
         maxOccurs",
        "",
        "annotation simpleType complexType key keyref unique",
    ),
    rule("attribute", "name ref type default fixed form use", "", "annotation simpleType"),
    rule("simpleType", "name final", "", "annotation restriction list union"),
    rule(
        "complexType",
        "name abstract final block mixed",
        "",
        "annotation simpleContent complexContent group all choice sequence attribute attributeGroup \
         anyAttribute",
    ),
    rule("simpleContent", "", "", "annotation restriction extension"),
    rule("complexContent", "mixed", "", "annotation restriction extension"),
    rule("restriction", "base", "", FACETS),
    rule(
        "extension",
        "base",
        "base",
        "annotation group all choice sequence attribute attributeGroup anyAttribute",
    ),
    rule("list", "itemType", "", "annotation simpleType"),
    rule("union", "memberTypes", "", "annotation simpleType"),
    rule("group", "name ref minOccurs maxOccurs", "", "annotation all choice sequence"),
    rule("all", "minOccurs maxOccurs", "", "annotation element"),
    rule("choice", "minOccurs maxOccurs", "", GROUPS),
    rule("sequence", "minOccurs maxOccurs", "", GROUPS),
    rule("any", "namespace processContents minOccurs maxOccurs", "", "annotation"),
    rule("attributeGroup", "name ref", "", "annotation attribute attributeGroup anyAttribute"),
    rule("anyAttribute", "namespace processContents", "", "annotation"),
    rule("minExclusive", "value fixed", "value", "annotation"),
    rule("minInclusive", "value fixed", "value", "annotation"),
    rule("maxExclusive", "value fixed", "value", "annotation"),
    rule("maxInclusive", "value fixed", "value", "annotation"),
    rule("totalDigits", "value fixed", "value", "annotation"),
    rule("fractionDigits", "value fixed", "value", "annotation"),
    rule("length", "value fixed", "value", "annotation"),
    rule("minLength", "value fixed", "value", "annotation"),
    rule("maxLength", "value fixed", "value", "annotation"),
    rule("enumeration", "value", "value", "annotation"),
    rule("whiteSpace", "value fixed", "value", "annotation"),
    rule("pattern", "value", "value", "annotation"),
];

/// What SQL Server does not take.
const UNSUPPORTED: &[&str] = &["include", "key", "keyref", "unique", "notation"];

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

/// Whether a node is an element of XML Schema.
pub(super) fn is_schema_element(document: &Document, node: NodeId) -> bool {
    document.kind(node) == NodeKind::Element && document.name(node).uri == SCHEMA_URI
}

/// Checks a schema element with all below it. Errors 2297, 2298, 2299, 2391, 9336.
pub(super) fn check(document: &Document, schema: NodeId) -> SqlResult<()> {
    let mut passed = schema;
    for node in document.subtree(schema) {
        if node < passed || document.kind(node) != NodeKind::Element {
            check_text(document, node, passed)?;
            continue;
        }
        let name = document.name(node);
        if name.uri == SCHEMA_URI && name.local == "annotation" {
            passed = document.after(node);
            continue;
        }
        if name.uri == SCHEMA_URI && UNSUPPORTED.contains(&name.local) {
            return Err(SqlError::new(&message::SCHEMA_UNSUPPORTED, &[&name.local]));
        }
        if name.uri == SCHEMA_URI && name.local == "redefine" {
            return Err(SqlError::new(&message::SCHEMA_REDEFINE, &[]));
        }
        let rule = RULES.iter().find(|rule| name.uri == SCHEMA_URI && rule.name == name.local);
        let above = document.parent(node).filter(|_| node != schema);
        let fits = match above {
            Some(above) => {
                let above = document.name(above).local;
                let around = RULES.iter().find(|rule| rule.name == above);
                around.is_some_and(|around| lists(around.children, name.local))
            }
            None => name.local == "schema",
        };
        let Some(rule) = rule.filter(|_| fits) else {
            let place = path_of(document, above.unwrap_or(node));
            let is_global = above.is_some_and(|above| document.name(above).local == "schema");
            return Err(match is_global && name.uri == SCHEMA_URI {
                true => SqlError::new(&message::SCHEMA_GLOBAL_SCOPE, &[&name.local]),
                false => SqlError::new(&message::SCHEMA_ELEMENT_MISPLACED, &[&name.local, &place]),
            });
        };
        check_attributes(document, node, rule)?;
    }
    Ok(())
}

/// Text stands in annotations only.
fn check_text(document: &Document, node: NodeId, passed: NodeId) -> SqlResult<()> {
    let is_text = node >= passed && document.kind(node) == NodeKind::Text;
    if is_text && !document.value(node).trim_ascii().is_empty() {
        return Err(SqlError::new(&message::SCHEMA_DOCUMENT_EXPECTED, &[]));
    }
    Ok(())
}

fn check_attributes(document: &Document, node: NodeId, rule: &Rule) -> SqlResult<()> {
    for attribute in document.attributes(node) {
        let name = document.name(attribute);
        let is_known = match name.uri {
            "" => name.local == "id" || lists(rule.attributes, name.local),
            uri => uri != SCHEMA_URI,
        };
        if !is_known {
            let place = path_of(document, node);
            let args: [&dyn std::fmt::Display; 2] = [&name.local, &place];
            return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_MISPLACED, &args));
        }
    }
    for required in rule.required.split_ascii_whitespace() {
        if attribute(document, node, required).is_none() {
            let args: [&dyn std::fmt::Display; 2] = [&required, &rule.name];
            return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_REQUIRED, &args));
        }
    }
    Ok(())
}

/// The value of an attribute in no namespace.
pub(super) fn attribute<'d>(document: &'d Document, node: NodeId, name: &str) -> Option<&'d str> {
    let mut all = document.attributes(node);
    let found = all.find(|at| {
        let own = document.name(*at);
        own.uri.is_empty() && own.local == name
    });
    found.map(|at| document.value(at))
}
