//! The schemas of XML schema collections.

use base::xml::schema::SCHEMA_URI;
use base::xml::{Builder, Document, NodeId, NodeKind, parse_value, write};
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::object::text_argument;

pub(super) fn types(call: &Call<'_>) -> SqlResult<Inferred> {
    let name = SqlType::nvarchar(4000, call.collation);
    Ok(call.types(SqlType::xml(), &vec![name; call.args.len()]))
}

/// `XML_SCHEMA_NAMESPACE(schema, collection [, namespace])`: the schemas as they were given,
/// without annotations. Errors 6312, 6314.
pub(super) fn schema_namespace<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (Some(place), Some(name)) = (text_argument(args, types, 0), text_argument(args, types, 1))
    else {
        return Ok(ValueRef::Null);
    };
    let wanted = text_argument(args, types, 2);
    if args.len() > 2 && wanted.is_none() {
        return Ok(ValueRef::Null);
    }
    let schema = ctx.facts.schema(ctx.facts.current_database());
    let found = schema
        .as_ref()
        .and_then(|schema| schema.find_xml_collection(schema.find_schema(&place)?.id, &name));
    let found = found.ok_or_else(|| SqlError::new(&message::COLLECTION_UNKNOWN, &[&name]))?;
    let mut builder = Builder::new(ctx.arena.account());
    let mut is_there = false;
    for text in &found.texts {
        let document = parse_value(text.as_bytes(), ctx.arena.account(), ctx)?;
        for node in document.children(Document::ROOT) {
            let is_schema = document.kind(node) == NodeKind::Element;
            let own = target(&document, node);
            if is_schema && wanted.as_deref().is_none_or(|wanted| wanted == own) {
                is_there = true;
                copy(&mut builder, &document, node)?;
            }
        }
    }
    if let Some(wanted) = wanted.filter(|_| !is_there) {
        return Err(SqlError::new(&message::COLLECTION_NO_NAMESPACE, &[&wanted, &name]));
    }
    let bytes: usize = found.texts.iter().map(|text| text.len()).sum();
    let mut out = ctx.room(bytes)?;
    write(&builder.finish(), Document::ROOT, &mut out, ctx)?;
    Ok(ValueRef::Chars(out.finish()))
}

/// A schema's target namespace.
fn target(document: &Document, schema: NodeId) -> &str {
    let mut all = document.attributes(schema);
    let found = all.find(|at| document.name(*at).local == "targetNamespace");
    found.map_or("", |at| document.value(at))
}

/// A schema without annotations and comments.
fn copy(builder: &mut Builder, document: &Document, schema: NodeId) -> SqlResult<()> {
    let mut ends: Vec<NodeId> = Vec::new();
    let mut passed = schema;
    for node in document.subtree(schema) {
        if node < passed {
            continue;
        }
        while ends.last().is_some_and(|end| *end <= node) {
            ends.pop();
            builder.end();
        }
        let (name, value) = (document.name(node), document.value(node));
        match document.kind(node) {
            NodeKind::Element if name.uri == SCHEMA_URI && name.local == "annotation" => {
                passed = document.after(node);
            }
            NodeKind::Element => {
                builder.start(name)?;
                ends.push(document.after(node));
            }
            NodeKind::Namespace => drop(builder.namespace(name.local, value)?),
            NodeKind::Attribute => drop(builder.attribute(name, value)?),
            _ => {}
        }
    }
    ends.iter().for_each(|_| builder.end());
    Ok(())
}
