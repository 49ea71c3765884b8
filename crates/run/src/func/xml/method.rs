//! The methods of type xml. See `ir::function::method` for what they are told.

use std::sync::Arc;

use base::account::Account;
use base::collation::codepage::string_to_unicode;
use base::types::XmlUse;
use base::xml::schema::Collections as _;
use base::xml::{Document, NodeId, parse_value, write};
use base::{Pace, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{ANY_NUMBER, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::{COPIED, FnContext};
use ir::function::method::{MethodPlan, OuterValue, names, node_reference, referred};
use ir::function::rowset::{Emit, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::Call;
use xquery::{AtomicType, Context, External, Input, NodeShape, Outer, Purpose, Query};

use super::outer::{Held, held};
use crate::func::values::{bytes, bytes_or_none, flag, int};

/// The arguments before the outer values.
const NODE: usize = 0;
const DOCUMENT: usize = 1;
const PLAN: usize = 2;
const OUTER: usize = 3;

/// The methods that have a value.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    method(names::QUERY, types_of_query, query),
    method(names::VALUE, types_of_value, value),
    method(names::EXIST, types_of_exist, exist),
    method(names::MODIFY, types_of_query, modify),
];

const fn method(
    name: &'static str,
    infer: fn(&Call<'_>) -> SqlResult<Inferred>,
    eval: ir::function::descriptor::Evaluate,
) -> ScalarFunction {
    ScalarFunction::strict(name, (OUTER as u8, ANY_NUMBER), infer, eval).own_nulls()
}

/// `nodes()`
pub(in crate::func) static NODES: RowsetFunction = RowsetFunction {
    name: names::NODES,
    arguments: (OUTER as u8, ANY_NUMBER),
    columns: |_| vec![column("", SqlType::bigint(), false)],
    rows: RowsetRows::Filled(nodes),
    infer: |call| Ok(RowsetTypes { args: args(call), visible: 1 }),
};

fn args(call: &Call<'_>) -> Vec<SqlType> {
    let mut args = vec![SqlType::bigint(), SqlType::xml(), SqlType::varbinary(SqlType::MAX)];
    args.extend(call.args[OUTER..].iter().map(|outer| outer.ty));
    args
}

fn types_of_query(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::xml(), &args(call)))
}

fn types_of_exist(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::bit(), &args(call)))
}

fn types_of_value(call: &Call<'_>) -> SqlResult<Inferred> {
    let is_binary = match call.args[PLAN].constant {
        Some(base::Value::Bytes(plan)) => MethodPlan::is_binary(plan),
        _ => false,
    };
    let ty = match is_binary {
        true => SqlType::varbinary(SqlType::MAX),
        false => SqlType::nvarchar_max(call.collation),
    };
    Ok(call.types(ty, &args(call)))
}

/// What the functions keep of a plan.
struct Compiled {
    query: Query,
    is_binary: bool,
    target: String,
}

/// The outer values of a query, whose types the binder has seen.
struct Known<'p>(&'p [OuterValue]);

impl Known<'_> {
    fn find(&self, is_variable: bool, name: &str) -> Option<(usize, SqlType)> {
        let is_it = |outer: &OuterValue| outer.is_variable == is_variable && outer.name == name;
        let at = self.0.iter().position(is_it)?;
        Some((at, SqlType::of_kind(self.0[at].kind, base::Collation::DEFAULT)))
    }
}

impl External for Known<'_> {
    fn column(&self, name: &str) -> SqlResult<(usize, SqlType)> {
        let unknown = || SqlError::new(&message::INVALID_COLUMN, &[&name]);
        self.find(false, name).ok_or_else(unknown)
    }

    fn variable(&self, name: &str) -> SqlResult<Option<(usize, SqlType)>> {
        Ok(self.find(true, name))
    }
}

fn compiled(ctx: &FnContext<'_>, plan: ValueRef<'_>, purpose: Purpose) -> SqlResult<Arc<Compiled>> {
    match ctx.memo {
        Some(memo) => memo.get_or_make(|| compile(ctx, bytes_or_none(plan), purpose)),
        None => compile(ctx, bytes_or_none(plan), purpose).map(Arc::new),
    }
}

/// Documents of a collection of the statement's database.
fn shape(ctx: &FnContext<'_>, of: XmlUse) -> SqlResult<NodeShape> {
    let unknown = || SqlError::new(&message::COLLECTION_UNKNOWN, &[&of.collection]);
    let schema = ctx.facts.schema(ctx.facts.current_database()).ok_or_else(unknown)?;
    Ok(NodeShape::of_collection(schema.collection(of.collection, ctx)?, of.is_document))
}

fn compile(ctx: &FnContext<'_>, plan: &[u8], purpose: Purpose) -> SqlResult<Compiled> {
    let plan = MethodPlan::decode(plan).ok_or_else(|| ir::internal("the plan of a method"))?;
    let namespaces: Vec<(&str, &str)> =
        plan.namespaces.iter().map(|(prefix, uri)| (&**prefix, &**uri)).collect();
    let (last, before) =
        plan.levels.split_last().ok_or_else(|| ir::internal("a method has a query"))?;
    let mut shape = match plan.of {
        Some(of) => shape(ctx, of)?,
        None => NodeShape::default(),
    };
    let compile = |level: &ir::function::method::MethodQuery, purpose, shape: &NodeShape| {
        let external = Known(&level.outer);
        let receiver = &level.receiver;
        let (namespaces, external) = (&namespaces[..], &external);
        let context = Context { receiver, namespaces, external, shape, is_checked: true };
        Query::compile(&level.text, purpose, &context)
    };
    for level in before {
        shape = compile(level, Purpose::Nodes, &shape)?.shape();
    }
    let query = compile(last, purpose, &shape)?;
    Ok(Compiled { query, is_binary: plan.is_binary, target: plan.target })
}

/// The document and node that a method is applied to; the number that the session knows the
/// document by, or 0. `None` if one of them is NULL.
fn applied_to(
    ctx: &FnContext<'_>,
    args: &[ValueRef<'_>],
) -> SqlResult<Option<(Arc<Document>, NodeId, u32)>> {
    if args[NODE].is_null() || args[DOCUMENT].is_null() {
        return Ok(None);
    }
    let (number, node) = referred(int(args[NODE]));
    let (document, number) = document(ctx, number, bytes(args[DOCUMENT]))?;
    let node = document.numbered(node).ok_or_else(|| ir::internal("a node of its document"))?;
    Ok(Some((document, node, number)))
}

/// The document with this text, which has this number unless that is 0.
pub(super) fn document(
    ctx: &FnContext<'_>,
    number: u32,
    text: &[u8],
) -> SqlResult<(Arc<Document>, u32)> {
    let account = ctx.arena.account();
    let Some(documents) = ctx.facts.documents() else {
        return Ok((Arc::new(parse_value(text, account, ctx)?), 0));
    };
    if number == 0
        && let Some((number, document)) = documents.of_text(text)
    {
        return Ok((document, number));
    }
    if number != 0
        && let Some(document) = documents.numbered(number)
    {
        return Ok((document, number));
    }
    let document = Arc::new(parse_value(text, account, ctx)?);
    let number = (number != 0).then_some(number);
    let number = documents.keep(number, text, document.clone(), account)?;
    Ok((document, number))
}

/// Calls back with what a query is evaluated on. `None` if it is applied to NULL.
fn evaluate<T>(
    ctx: &FnContext<'_>,
    args: &[ValueRef<'_>],
    types: &[SqlType],
    query: &Query,
    f: impl FnOnce(Input<'_>, u32) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    let Some((document, node, number)) = applied_to(ctx, args)? else { return Ok(None) };
    let one = |outer: &Outer| {
        let at = OUTER + outer.index;
        held(ctx, args[at], &types[at])
    };
    let values: Vec<Held<'_>> = query.externals().iter().map(one).collect::<SqlResult<_>>()?;
    let externals: Vec<xquery::Value<'_>> = values.iter().map(Held::value).collect();
    let unlimited;
    let account = match ctx.arena.account() {
        Some(account) => account,
        None => {
            unlimited = Account::new(usize::MAX, "internal");
            &unlimited
        }
    };
    let input = Input { document: &document, node, externals: &externals, account, pace: ctx };
    f(input, number).map(Some)
}

/// A document as a value.
fn written<'a>(ctx: &FnContext<'a>, document: &Document) -> SqlResult<ValueRef<'a>> {
    let mut out = ctx.arena.buffer();
    write(document, Document::ROOT, &mut out, ctx)?;
    Ok(ValueRef::Chars(out.finish()))
}

fn query<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let compiled = compiled(ctx, args[PLAN], Purpose::Query)?;
    let query = &compiled.query;
    let found = evaluate(ctx, args, &types.args, query, |input, _| query.query(input))?;
    found.map_or(Ok(ValueRef::Null), |document| written(ctx, &document))
}

fn exist<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let compiled = compiled(ctx, args[PLAN], Purpose::Exist)?;
    let query = &compiled.query;
    let found = evaluate(ctx, args, &types.args, query, |input, _| query.exist(input))?;
    Ok(found.map_or(ValueRef::Null, flag))
}

fn value<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let compiled = compiled(ctx, args[PLAN], Purpose::Value)?;
    let query = &compiled.query;
    let found = evaluate(ctx, args, &types.args, query, |input, _| {
        let Some((ty, text)) = query.value(input)? else { return Ok(ValueRef::Null) };
        match compiled.is_binary {
            true => Ok(binary(ctx, ty, &text)?.map_or(ValueRef::Null, ValueRef::Bytes)),
            false => unicode(ctx, &text),
        }
    })?;
    Ok(found.unwrap_or(ValueRef::Null))
}

/// Text as `nvarchar(max)`.
pub(super) fn unicode<'a>(ctx: &FnContext<'a>, text: &str) -> SqlResult<ValueRef<'a>> {
    let mut out = ctx.room(2 * text.len().min(COPIED))?;
    let mut rest = text;
    while rest.len() > COPIED {
        let boundary = (0..=COPIED).rev().find(|at| rest.is_char_boundary(*at));
        let (piece, others) = rest.split_at(boundary.unwrap_or_default());
        out.admit(2 * piece.len())?;
        string_to_unicode(piece, &mut out);
        ctx.pace()?;
        rest = others;
    }
    out.admit(2 * rest.len())?;
    string_to_unicode(rest, &mut out);
    Ok(ValueRef::Unicode(out.finish()))
}

/// The bytes that a text writes, in hexadecimal digits or in base 64; `None` if it is no such text.
pub(super) fn binary<'a>(
    ctx: &FnContext<'a>,
    ty: AtomicType,
    text: &str,
) -> SqlResult<Option<&'a [u8]>> {
    use base64::Engine as _;
    let text = text.trim();
    if ty == AtomicType::HexBinary {
        let mut out = ctx.room(text.len() / 2)?;
        let digit = |digit: u8| char::from(digit).to_digit(16);
        for pair in text.as_bytes().chunks(2) {
            let (Some(high), Some(low)) = (digit(pair[0]), pair.get(1).and_then(|d| digit(*d)))
            else {
                return Ok(None);
            };
            out.try_extend(&[(high << 4 | low) as u8])?;
        }
        return Ok(Some(out.finish()));
    }
    let letters: Vec<u8>;
    let is_white = |byte: &u8| byte.is_ascii_whitespace();
    let text = match text.bytes().any(|byte| is_white(&byte)) {
        true => {
            ctx.arena.admit(text.len())?;
            letters = text.bytes().filter(|byte| !is_white(byte)).collect();
            &letters[..]
        }
        false => text.as_bytes(),
    };
    let len = base64::decoded_len_estimate(text.len());
    ctx.arena.admit(len)?;
    let room = ctx.arena.alloc_zeroed(len);
    let decoded = base64::prelude::BASE64_STANDARD.decode_slice(text, room);
    Ok(decoded.ok().map(|len| &room[..len]))
}

/// Error 5302 for NULL.
fn modify<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let compiled = compiled(ctx, args[PLAN], Purpose::Modify)?;
    let query = &compiled.query;
    match evaluate(ctx, args, &types.args, query, |input, _| query.modify(input))? {
        None => Err(SqlError::new(&message::MUTATOR_OF_NULL, &[&"modify()", &compiled.target])),
        Some(None) => Ok(args[DOCUMENT]),
        Some(Some(document)) => written(ctx, &document),
    }
}

fn nodes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let compiled = compiled(ctx, args[PLAN], Purpose::Nodes)?;
    let query = &compiled.query;
    evaluate(ctx, args, types, query, |input, number| {
        query
            .nodes(input, &mut |node| emit(&[ValueRef::Int(node_reference(number, node.number()))]))
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
