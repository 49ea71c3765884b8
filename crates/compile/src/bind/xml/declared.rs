//! The namespaces of `WITH XMLNAMESPACES`.

use base::{SqlError, message};
use tsql::ast::XmlNamespace;

use super::names::{code_of, first_fault};

/// The namespace of the prefix `xml`, which is declared everywhere.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The prefix of `xsi:nil`, and its namespace.
const XSI: &str = "xsi";
const XSI_URI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Errors 6869 to 6872 and 6874 about declarations.
pub(in crate::bind) fn check(namespaces: &[XmlNamespace]) -> Result<(), SqlError> {
    for (at, namespace) in namespaces.iter().enumerate() {
        match namespace.prefix.as_deref() {
            Some("xmlns") => {
                return Err(SqlError::new(&message::NAMESPACE_PREFIX_RESERVED, &[&"xmlns"]));
            }
            Some("xml") if *namespace.uri != *XML => {
                return Err(SqlError::new(&message::NAMESPACE_XML, &[]));
            }
            Some("xml") => {}
            _ if *namespace.uri == *XML => {
                return Err(SqlError::new(&message::NAMESPACE_XML, &[]).with_state(2));
            }
            Some(prefix) => {
                if let Some(fault) = first_fault(prefix) {
                    let args: [&dyn std::fmt::Display; 3] = [&prefix, &fault, &code_of(fault)];
                    return Err(SqlError::new(&message::NAMESPACE_PREFIX_INVALID, &args));
                }
            }
            None => {}
        }
        if namespaces[..at].iter().any(|before| before.prefix == namespace.prefix) {
            let prefix = namespace.prefix.as_deref().unwrap_or("default");
            return Err(SqlError::new(&message::NAMESPACE_REDEFINED, &[&prefix]));
        }
        if namespace.uri.is_empty() {
            return Err(SqlError::new(&message::NAMESPACE_EMPTY, &[]));
        }
    }
    Ok(())
}

/// The declarations as a start tag has them: the last one first. Error 6873.
pub(super) fn declarations(namespaces: &[XmlNamespace], nils: bool) -> Result<String, SqlError> {
    let mut text = String::new();
    if nils {
        if namespaces.iter().any(|namespace| namespace.prefix.as_deref() == Some(XSI)) {
            return Err(SqlError::new(&message::NAMESPACE_XSI, &[]));
        }
        text = xsi();
    }
    for namespace in namespaces.iter().rev() {
        let name = match namespace.prefix.as_deref() {
            Some("xml") => continue,
            Some(prefix) => format!("xmlns:{prefix}"),
            None => "xmlns".to_owned(),
        };
        text.push_str(&format!(" {name}=\"{}\"", attribute(&namespace.uri)));
    }
    Ok(text)
}

/// The declaration of `xsi`.
pub(super) fn xsi() -> String {
    format!(" xmlns:{XSI}=\"{XSI_URI}\"")
}

/// A text as it stands in an attribute.
pub(super) fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#x{:02X};", u32::from(character))),
            other => out.push(other),
        }
    }
    out
}
