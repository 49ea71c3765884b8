//! OPENXML: rows and columns of a prepared document.

use std::borrow::Cow;
use std::sync::Arc;

use base::account::{Account, UNASKED};
use base::collation::codepage::{string_to_unicode, unicode_to_string};
use base::xml::tree::XML_URI;
use base::xml::{Builder, Document, NodeId, NodeKind, write};
use base::{Pace, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::ANY_NUMBER;
use ir::function::facts::FnContext;
use ir::function::open_xml::{
    ATTRIBUTES, BEFORE_COLUMNS, ELEMENTS, OpenColumn, OpenValue, UNCONSUMED,
};
use ir::function::prepared::{PROPERTIES, PreparedDocument};
use ir::function::rowset::{Emit, RowsetColumn, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::Call;
use xquery::xpath::{PathInput, XPath};

use super::edges;
use crate::func::values::{bytes, bytes_or_none, optional_int};

/// The name in messages.
const NAME: &str = "OPENXML";

/// The places of arguments.
const HANDLE: usize = 0;
const ROWS: usize = 1;
const FLAGS: usize = 2;

/// The most bytes of a string in a `sql_variant`.
const VARIANT_MAX: usize = 8000;

/// `OPENXML` with columns.
pub(in crate::func) static OPEN_WITH: RowsetFunction = RowsetFunction {
    name: NAME,
    arguments: (BEFORE_COLUMNS as u8, ANY_NUMBER),
    columns: |args| {
        let text = SqlType::nvarchar_max(args[ROWS].collation);
        args[BEFORE_COLUMNS..].iter().map(|_| column("", text, true)).collect()
    },
    rows: RowsetRows::Filled(rows),
    infer: |call| Ok(types(call, call.args.len() - BEFORE_COLUMNS)),
};

/// `OPENXML` without columns: an edge table.
pub(in crate::func) static OPEN_EDGES: RowsetFunction = RowsetFunction {
    name: NAME,
    arguments: (BEFORE_COLUMNS as u8, BEFORE_COLUMNS as u8),
    columns: edge_columns,
    rows: RowsetRows::Filled(edge_rows),
    infer: |call| Ok(types(call, EDGE_COLUMNS)),
};

const EDGE_COLUMNS: usize = 9;

fn edge_columns(args: &[SqlType]) -> Vec<RowsetColumn> {
    let name = SqlType::nvarchar(4000, args[ROWS].collation);
    vec![
        column("id", SqlType::bigint(), true),
        column("parentid", SqlType::bigint(), true),
        column("nodetype", SqlType::int(), true),
        column("localname", name, true),
        column("prefix", name, true),
        column("namespaceuri", name, true),
        column("datatype", name, true),
        column("prev", SqlType::bigint(), true),
        column("text", SqlType::of_kind(base::TypeKind::NText, args[ROWS].collation), true),
    ]
}

fn types(call: &Call<'_>, visible: usize) -> RowsetTypes {
    let text = SqlType::nvarchar_max(call.collation);
    let mut args = vec![SqlType::int(), text, SqlType::int()];
    args.extend(call.args[BEFORE_COLUMNS..].iter().map(|column| column.ty));
    RowsetTypes { args, visible }
}

/// A prepared document, and what selects its rows.
pub(super) struct Opened<'c> {
    pub prepared: Arc<PreparedDocument>,
    rows: XPath,
    flags: i64,
    account: Arc<Account>,
    pace: &'c dyn Pace,
}

impl<'c> Opened<'c> {
    /// Errors 6603, 6607 and 8179.
    fn new(ctx: &'c FnContext<'_>, args: &[ValueRef<'_>]) -> SqlResult<Opened<'c>> {
        let handle = optional_int(args[HANDLE]).unwrap_or_default() as i32;
        let found = ctx.facts.prepared_documents().and_then(|documents| documents.get(handle));
        let Some(prepared) = found else {
            let error = SqlError::new(&message::PREPARED_HANDLE_NOT_FOUND, &[&handle]);
            return Err(error.with_state(NO_DOCUMENT));
        };
        let invalid = |parameter: usize| {
            SqlError::new(&message::XML_PARAMETER_INVALID, &[&NAME, &(parameter + 1)])
        };
        if args[ROWS].is_null() {
            return Err(invalid(ROWS));
        }
        let flags = optional_int(args[FLAGS]).unwrap_or_default();
        if flags & !(ATTRIBUTES | ELEMENTS | UNCONSUMED) != 0 {
            return Err(invalid(FLAGS));
        }
        let rows = compiled(&prepared, &unicode_to_string(bytes(args[ROWS])))?;
        let account = match ctx.arena.account() {
            Some(account) => account.clone(),
            None => Account::new(usize::MAX, "internal"),
        };
        Ok(Opened { prepared, rows, flags, account, pace: ctx })
    }

    fn input(&self) -> PathInput<'_> {
        PathInput::new(self.prepared.document(), &self.account, self.pace)
    }
}

/// The state of error 8179 for a handle of no document.
const NO_DOCUMENT: u8 = 5;

/// The longest pattern.
const PATTERN_MAX: usize = UNASKED;

/// Error 6603.
fn compiled(prepared: &PreparedDocument, pattern: &str) -> SqlResult<XPath> {
    if pattern.len() > PATTERN_MAX {
        return Err(SqlError::new(&message::XML_PATTERN_INVALID, &[&"The pattern is too long."]));
    }
    XPath::compile(pattern, &|prefix| prepared.namespace(prefix))
}

fn edge_rows<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let opened = Opened::new(ctx, args)?;
    let mut edges = edges::Edges::new(&opened.prepared, ctx);
    opened.rows.each(&opened.input(), Document::ROOT, &mut |node| edges.below(node, emit))
}

/// What a node's number, name and place say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Id,
    LocalName,
    NamespaceUri,
    Prefix,
    Previous,
    Text,
    ParentId,
    ParentLocalName,
    ParentNamespaceUri,
    ParentPrefix,
}

impl Property {
    const ALL: [(&'static str, Property); 10] = [
        ("id", Property::Id),
        ("localname", Property::LocalName),
        ("namespaceuri", Property::NamespaceUri),
        ("prefix", Property::Prefix),
        ("prev", Property::Previous),
        ("xmltext", Property::Text),
        ("parentid", Property::ParentId),
        ("parentlocalname", Property::ParentLocalName),
        ("parentnamespaceuri", Property::ParentNamespaceUri),
        ("parentprefix", Property::ParentPrefix),
    ];
}

/// How a column is found.
enum By<'p> {
    /// An attribute or element of this name.
    Name(&'p str),
    Path(XPath),
    /// A property of a node; none if there is no such property.
    Property(XPath, Option<Property>),
}

struct Column<'p> {
    by: By<'p>,
    value: OpenValue,
    name: &'p str,
    /// For `@mp:prev`.
    siblings: edges::Siblings,
}

impl<'p> Column<'p> {
    /// Errors 6603, 6630.
    fn new(opened: &Opened<'_>, constant: &'p [u8]) -> SqlResult<Column<'p>> {
        let column = OpenColumn::decode(constant).ok_or_else(|| ir::internal("a column"))?;
        let by = match column.pattern {
            None if column.value == OpenValue::Xml && opened.flags & ELEMENTS == 0 => {
                return Err(SqlError::new(&message::OPENXML_XML_ELEMENTS, &[]));
            }
            None => By::Name(column.node),
            Some(pattern) => {
                match compiled(&opened.prepared, pattern)?.split_attribute(PROPERTIES) {
                    Ok((path, name)) => {
                        let mut all = Property::ALL.into_iter();
                        let found = all.find(|(own, _)| **own == *name);
                        By::Property(path, found.map(|(_, property)| property))
                    }
                    Err(path) => By::Path(path),
                }
            }
        };
        let siblings = edges::Siblings::default();
        Ok(Column { by, value: column.value, name: column.name, siblings })
    }
}

fn rows<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let opened = Opened::new(ctx, args)?;
    let mut columns: Vec<Column<'_>> = args[BEFORE_COLUMNS..]
        .iter()
        .map(|constant| Column::new(&opened, bytes_or_none(*constant)))
        .collect::<SqlResult<_>>()?;
    let mut memory = ctx.arena.beside();
    let input = opened.input();
    opened.rows.each(&input, Document::ROOT, &mut |node| {
        input.work(WORK_OF_COLUMN * (columns.len() + 1))?;
        memory.reset();
        let ctx = &FnContext { arena: &memory, ..*ctx };
        let row = Row { opened: &opened, input: &input, ctx, node };
        emit(&row.values(&mut columns)?)
    })
}

/// What a column counts beside what its pattern looks at.
const WORK_OF_COLUMN: usize = 32;

/// A row that is being made.
struct Row<'c, 'a> {
    opened: &'c Opened<'c>,
    input: &'c PathInput<'c>,
    ctx: &'c FnContext<'a>,
    node: NodeId,
}

impl<'c, 'a> Row<'c, 'a> {
    fn document(&self) -> &'c Document {
        self.opened.prepared.document()
    }

    fn values(&self, columns: &mut [Column<'_>]) -> SqlResult<Vec<ValueRef<'a>>> {
        let mut found = Vec::with_capacity(columns.len());
        for column in &*columns {
            found.push(self.find(column)?);
        }
        let mut consumed: Vec<NodeId> = Vec::new();
        if self.opened.flags & UNCONSUMED != 0 {
            let is_plain = |column: &Column<'_>| !matches!(column.by, By::Property(..));
            let plain = columns.iter().zip(&found).filter(|(column, _)| is_plain(column));
            consumed.extend(plain.filter_map(|(_, node)| *node));
            consumed.sort_unstable();
        }
        let pairs = columns.iter_mut().zip(found);
        pairs
            .map(|(column, node)| match node {
                Some(node) => self.value(column, node, &consumed),
                None => Ok(ValueRef::Null),
            })
            .collect()
    }

    /// The node that a column is made of.
    fn find(&self, column: &Column<'_>) -> SqlResult<Option<NodeId>> {
        match &column.by {
            By::Name(name) => self.named(name),
            By::Path(path) | By::Property(path, _) => path.first(self.input, self.node),
        }
    }

    /// The attribute or element of a name, as the flags say.
    fn named(&self, name: &str) -> SqlResult<Option<NodeId>> {
        let document = self.document();
        let flags = self.opened.flags & (ATTRIBUTES | ELEMENTS);
        for at in document.below(self.node) {
            self.input.work(1)?;
            let is_wanted = match document.kind(at) {
                NodeKind::Namespace => false,
                NodeKind::Attribute => flags != ELEMENTS,
                // There are no more attributes.
                _ if flags & ELEMENTS == 0 => break,
                kind => kind == NodeKind::Element,
            };
            let own = document.name(at);
            if is_wanted && own.local == name && own.uri.is_empty() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// What a column makes of its node. Errors 6625, 6629.
    fn value(
        &self,
        column: &mut Column<'_>,
        node: NodeId,
        consumed: &[NodeId],
    ) -> SqlResult<ValueRef<'a>> {
        let value = match (&column.by, column.value) {
            (By::Property(_, None), _) => ValueRef::Null,
            (By::Property(_, Some(Property::Text)), _) => self.written(node, consumed)?,
            (By::Property(_, Some(property)), _) => {
                self.property(*property, node, &mut column.siblings)?
            }
            (_, OpenValue::Xml) => match self.document().kind(node) {
                NodeKind::Attribute | NodeKind::Namespace => {
                    return Err(SqlError::new(&message::OPENXML_NOT_XML, &[&column.name]));
                }
                _ => self.written(node, &[])?,
            },
            _ => self.text(node)?,
        };
        match column.value == OpenValue::Variant && value.byte_len() > VARIANT_MAX {
            true => Err(SqlError::new(&message::OPENXML_VARIANT_LENGTH, &[&column.name])),
            false => Ok(value),
        }
    }

    fn property(
        &self,
        property: Property,
        node: NodeId,
        siblings: &mut edges::Siblings,
    ) -> SqlResult<ValueRef<'a>> {
        let document = self.document();
        let prepared = &self.opened.prepared;
        let of = match property {
            Property::ParentId
            | Property::ParentLocalName
            | Property::ParentNamespaceUri
            | Property::ParentPrefix => document.parent(node),
            _ => Some(node),
        };
        let Some(of) = of.filter(|of| *of != Document::ROOT) else { return Ok(ValueRef::Null) };
        let number = |of: Option<NodeId>| of.map(|of| Cow::Owned(prepared.number(of).to_string()));
        let names = edges::Names::of(document, of);
        let text = match property {
            Property::Id | Property::ParentId => number(Some(of)),
            Property::Previous => number(siblings.before(document, of, self.ctx)?),
            Property::LocalName | Property::ParentLocalName => names.local.map(Cow::Borrowed),
            Property::Prefix | Property::ParentPrefix => names.prefix.map(Cow::Borrowed),
            Property::NamespaceUri | Property::ParentNamespaceUri => names.uri.map(Cow::Borrowed),
            Property::Text => None,
        };
        text.map_or(Ok(ValueRef::Null), |text| unicode(self.ctx, &[&text]))
    }

    /// The text of a node. That of elements and texts is without the white space around it, unless
    /// `xml:space` preserves that.
    fn text(&self, node: NodeId) -> SqlResult<ValueRef<'a>> {
        let document = self.document();
        let is_whole = matches!(document.kind(node), NodeKind::Root | NodeKind::Element);
        let is_content = is_whole || document.kind(node) == NodeKind::Text;
        let below = (document.after(node).number() - node.number()) as usize;
        if below > KEPT_UNASKED {
            self.ctx.arena.admit(below * size_of::<&str>())?;
        }
        let mut pieces: Vec<&str> = Vec::new();
        for at in document.subtree(node) {
            self.input.work(1)?;
            if !is_whole || document.kind(at) == NodeKind::Text {
                pieces.push(document.value(at));
            }
        }
        if is_content && !self.preserves_space(node)? {
            const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];
            for piece in &mut pieces {
                *piece = piece.trim_start_matches(WHITE);
                if !piece.is_empty() {
                    break;
                }
            }
            for piece in pieces.iter_mut().rev() {
                *piece = piece.trim_end_matches(WHITE);
                if !piece.is_empty() {
                    break;
                }
            }
        }
        unicode(self.ctx, &pieces)
    }

    /// Whether the nearest `xml:space` is `preserve`.
    fn preserves_space(&self, node: NodeId) -> SqlResult<bool> {
        let document = self.document();
        for above in std::iter::successors(Some(node), |node| document.parent(*node)) {
            if document.kind(above) != NodeKind::Element {
                continue;
            }
            for at in document.attributes(above) {
                self.input.work(1)?;
                let name = document.name(at);
                if name.local == "space" && name.uri == XML_URI {
                    return Ok(document.value(at) == "preserve");
                }
            }
        }
        Ok(false)
    }

    /// A node as it is written, without what columns have found in it.
    fn written(&self, node: NodeId, consumed: &[NodeId]) -> SqlResult<ValueRef<'a>> {
        let document = self.document();
        let inside = |at: &&NodeId| **at != node && document.contains(node, **at);
        let mut out = self.ctx.arena.buffer();
        if node == Document::ROOT && !self.opened.prepared.declaration().is_empty() {
            out.try_extend(b"<?xml")?;
            for (name, value) in self.opened.prepared.declaration() {
                out.try_extend(format!(" {name}=\"{value}\"").as_bytes())?;
            }
            out.try_extend(b"?>")?;
        }
        match consumed.iter().any(|at| inside(&at)) {
            false => write(document, node, &mut out, self.ctx)?,
            true => {
                let rest = without(document, node, consumed, &self.opened.account, self.ctx)?;
                write(&rest, Document::ROOT, &mut out, self.ctx)?;
            }
        }
        let text = std::str::from_utf8(out.finish()).map_err(|_| ir::internal("XML is UTF-8"))?;
        unicode(self.ctx, &[text.trim_start_matches(' ')])
    }
}

/// A copy of a node without others below it, which are in document order.
fn without(
    document: &Document,
    node: NodeId,
    others: &[NodeId],
    account: &Arc<Account>,
    pace: &dyn Pace,
) -> SqlResult<Document> {
    let mut builder = Builder::new(Some(account));
    let mut ends: Vec<NodeId> = Vec::new();
    let mut skipped_to = node;
    let mut count = 0_usize;
    for at in document.subtree(node) {
        count += 1;
        if count % 256 == 0 {
            pace.pace()?;
        }
        if at < skipped_to {
            continue;
        }
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
            builder.end();
        }
        if at != node && others.binary_search(&at).is_ok() {
            skipped_to = document.after(at);
            continue;
        }
        let (name, value) = (document.name(at), document.value(at));
        match document.kind(at) {
            NodeKind::Root => {}
            NodeKind::Element => {
                builder.start(name)?;
                ends.push(document.after(at));
            }
            NodeKind::Namespace => drop(builder.namespace(name.local, value)?),
            NodeKind::Attribute => drop(builder.attribute(name, value)?),
            NodeKind::Text => builder.text(value)?,
            NodeKind::Comment => drop(builder.comment(value)?),
            NodeKind::Instruction => drop(builder.instruction(name.local, value)?),
        }
    }
    ends.iter().for_each(|_| builder.end());
    Ok(builder.finish())
}

/// How many pieces of a text are kept without asking for memory.
const KEPT_UNASKED: usize = 4096;

/// Pieces of text as `nvarchar(max)`.
pub(super) fn unicode<'a>(ctx: &FnContext<'a>, pieces: &[&str]) -> SqlResult<ValueRef<'a>> {
    const PIECE: usize = 16 << 10;
    let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut out = ctx.room(2 * bytes.min(PIECE))?;
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let end = (0..=rest.len().min(PIECE)).rev().find(|at| rest.is_char_boundary(*at));
            let end = end.unwrap_or_default();
            out.admit(2 * end)?;
            string_to_unicode(&rest[..end], &mut out);
            rest = &rest[end..];
            if bytes > PIECE {
                ctx.pace()?;
            }
        }
    }
    Ok(ValueRef::Unicode(out.finish()))
}
