//! Queries over small documents. Expected results are those of SQL Server.

mod errors;
mod modify;
mod query;
mod schema;

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use base::account::Account;
use base::error::{SqlError, SqlResult};
use base::pace::Unpaced;
use base::types::{Collation, SqlType};
use base::xml::{Builder, Document, Name, NodeId, NodeKind};

use crate::*;

/// Reads well-formed XML without entities other than the predefined ones.
pub(crate) fn read(text: &str) -> Document {
    let mut builder = Builder::new(None);
    let mut scopes: Vec<Vec<(String, String)>> = vec![Vec::new()];
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("<!--") {
            let (text, after) = comment.split_once("-->").unwrap();
            builder.comment(text).unwrap();
            rest = after;
        } else if let Some(instruction) = rest.strip_prefix("<?") {
            let (text, after) = instruction.split_once("?>").unwrap();
            let (target, text) = text.split_once(' ').unwrap_or((text, ""));
            builder.instruction(target, text).unwrap();
            rest = after;
        } else if rest.starts_with("</") {
            rest = rest.split_once('>').unwrap().1;
            scopes.pop();
            builder.end();
        } else if let Some(tag) = rest.strip_prefix('<') {
            let (tag, after) = tag.split_once('>').unwrap();
            rest = after;
            let (tag, is_empty) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            start(&mut builder, &mut scopes, tag);
            if is_empty {
                scopes.pop();
                builder.end();
            }
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            builder.text(&unescaped(&rest[..end])).unwrap();
            rest = &rest[end..];
        }
    }
    builder.finish()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn start(builder: &mut Builder, scopes: &mut Vec<Vec<(String, String)>>, tag: &str) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    let mut scope = scopes.last().unwrap().clone();
    while let Some((key, after)) = rest.trim_start().split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap();
        attributes.push((key, unescaped(value)));
        rest = after;
    }
    let declared = |key: &str| match key.split_once(':') {
        Some(("xmlns", prefix)) => Some(prefix.to_string()),
        None if key == "xmlns" => Some(String::new()),
        _ => None,
    };
    for (key, value) in &attributes {
        if let Some(prefix) = declared(key) {
            scope.push((prefix, value.clone()));
        }
    }
    let uri = |prefix: &str| {
        let found = scope.iter().rev().find(|(known, _)| known == prefix);
        found.map_or("", |(_, uri)| uri)
    };
    let named = |key| match str::split_once(key, ':') {
        Some((prefix, local)) => Name { prefix, local, uri: uri(prefix) },
        None => Name::local(key),
    };
    let mut own = named(name);
    if own.prefix.is_empty() {
        own.uri = uri("");
    }
    builder.start(own).unwrap();
    for (key, value) in &attributes {
        if let Some(prefix) = declared(key) {
            builder.namespace(&prefix, value).unwrap();
        }
    }
    for (key, value) in attributes.iter().filter(|(key, _)| declared(key).is_none()) {
        builder.attribute(named(key), value).unwrap();
    }
    scopes.push(scope.clone());
}

/// Writes a node with all below it.
fn write(document: &Document, node: NodeId, out: &mut String) {
    let name = |name: Name<'_>| match name.prefix {
        "" => name.local.to_string(),
        prefix => format!("{prefix}:{}", name.local),
    };
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let value = document.value(node);
    match document.kind(node) {
        NodeKind::Root => document.children(node).for_each(|child| write(document, child, out)),
        NodeKind::Text => out.push_str(&escaped(value)),
        NodeKind::Comment => write!(out, "<!--{value}-->").unwrap(),
        NodeKind::Instruction => {
            write!(out, "<?{} {value}?>", document.name(node).local).unwrap();
        }
        NodeKind::Namespace | NodeKind::Attribute => unreachable!(),
        NodeKind::Element => {
            let own = name(document.name(node));
            write!(out, "<{own}").unwrap();
            for declared in document.namespaces(node) {
                let prefix = document.name(declared).local;
                let colon = if prefix.is_empty() { "" } else { ":" };
                write!(out, " xmlns{colon}{prefix}=\"{}\"", document.value(declared)).unwrap();
            }
            for own in document.attributes(node) {
                let value = escaped(document.value(own)).replace('"', "&quot;");
                write!(out, " {}=\"{value}\"", name(document.name(own))).unwrap();
            }
            if document.children(node).next().is_none() {
                return out.push_str("/>");
            }
            out.push('>');
            document.children(node).for_each(|child| write(document, child, out));
            write!(out, "</{own}>").unwrap();
        }
    }
}

fn written(document: &Document) -> String {
    let mut out = String::new();
    write(document, Document::ROOT, &mut out);
    out
}

/// Variables by name; columns are as well.
struct Outside(&'static [(&'static str, SqlType)]);

impl External for Outside {
    fn column(&self, name: &str) -> SqlResult<(usize, SqlType)> {
        let found = self.0.iter().position(|(known, _)| *known == name);
        let error = || SqlError::new(&base::message::INVALID_COLUMN, &[&name]);
        found.map(|at| (at, self.0[at].1)).ok_or_else(error)
    }

    fn variable(&self, name: &str) -> SqlResult<Option<(usize, SqlType)>> {
        let found = self.0.iter().position(|(known, _)| *known == name);
        Ok(found.map(|at| (at, self.0[at].1)))
    }
}

const NOTHING: Outside = Outside(&[]);

fn compile_with(text: &str, purpose: Purpose, external: &dyn External) -> SqlResult<Query> {
    let receiver = match purpose {
        Purpose::Query => "query()",
        Purpose::Value => "value()",
        Purpose::Exist => "exist()",
        Purpose::Nodes => "nodes()",
        Purpose::Modify => "modify()",
    };
    let shape = NodeShape::default();
    let context = Context { receiver, namespaces: &[], external, shape: &shape, is_checked: false };
    Query::compile(text, purpose, &context)
}

fn compile(text: &str, purpose: Purpose) -> SqlResult<Query> {
    compile_with(text, purpose, &NOTHING)
}

fn input<'a>(
    document: &'a Document,
    values: &'a [Value<'a>],
    account: &'a Arc<Account>,
) -> Input<'a> {
    Input { document, node: Document::ROOT, externals: values, account, pace: &Unpaced }
}

fn account() -> Arc<Account> {
    Account::new(64 << 20, "default")
}

/// The result of `query()`.
fn query(document: &str, text: &str) -> String {
    try_query(document, text).unwrap()
}

fn try_query(document: &str, text: &str) -> SqlResult<String> {
    let (document, account) = (read(document), account());
    let query = compile(text, Purpose::Query)?;
    query.query(input(&document, &[], &account)).map(|result| written(&result))
}

/// The result of `value()`.
fn value(document: &str, text: &str) -> Option<String> {
    value_with(document, text, &NOTHING, &[])
}

fn value_with(
    document: &str,
    text: &str,
    outside: &Outside,
    values: &[Value<'_>],
) -> Option<String> {
    let (document, account) = (read(document), account());
    let query = compile_with(text, Purpose::Value, outside).unwrap();
    let result = query.value(input(&document, values, &account)).unwrap();
    result.map(|(_, text)| text.into_owned())
}

/// The result of `exist()`.
fn exist(document: &str, text: &str) -> bool {
    let (document, account) = (read(document), account());
    let query = compile(text, Purpose::Exist).unwrap();
    query.exist(input(&document, &[], &account)).unwrap()
}

/// The result of `modify()`.
fn modify(document: &str, text: &str) -> String {
    try_modify(document, text).unwrap()
}

fn try_modify(document: &str, text: &str) -> SqlResult<String> {
    let (document, account) = (read(document), account());
    let query = compile(text, Purpose::Modify)?;
    let result = query.modify(input(&document, &[], &account))?;
    Ok(written(result.as_ref().unwrap_or(&document)))
}

/// The error that compiling a query gives.
#[track_caller]
fn fails(purpose: Purpose, text: &str, number: i32, message: &str) {
    let error = compile(text, purpose).expect_err(text);
    assert_eq!((error.number(), error.text()), (number, message), "{text}");
}

/// Counts how often it is asked.
pub(crate) struct Counting(pub(crate) Cell<usize>);

impl Pace for Counting {
    fn pace(&self) -> SqlResult<()> {
        self.0.set(self.0.get() + 1);
        Ok(())
    }
}
