//! `FOR XML`: the text of a row.

use base::arena::ArenaBuffer;
use base::collation::codepage::unicode_to_string;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{ANY_NUMBER, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;
use ir::function::xml::{Atoms, RowPart, RowShape, Trailer, ValueKind, names};
use smallvec::SmallVec;

use super::overflow::Overflow;
use super::render::{self, Escaping, Style};
use super::undeclare::undeclared;
use crate::func::json::render::ascii;
use crate::func::json::rows::types_of_row as types_of_values;
use crate::func::values::bytes_or_none;

/// The binder's own functions for `FOR XML`.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(names::ROW, (1, ANY_NUMBER), types_of_row, row).own_nulls(),
    ScalarFunction::strict(names::SET, (1, ANY_NUMBER), types_of_set, set).own_nulls(),
    ScalarFunction::strict(names::UNIVERSAL_ROW, (3, ANY_NUMBER), types_of_universal, universal)
        .own_nulls(),
];

/// Bytes that most rows have.
const ROOM: usize = 512;

/// Values of any type, and the shape. Error 6865.
fn types_of_row(call: &Call<'_>) -> SqlResult<Inferred> {
    match call.args.iter().any(|arg| arg.ty.kind.is_clr()) {
        true => Err(SqlError::new(&message::FOR_XML_CLR, &[])),
        false => types_of_values(call),
    }
}

/// A column set is NULL where all of its columns are.
fn types_of_set(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(Inferred { nullable: true, ..types_of_row(call)? })
}

/// A tag, a parent, values of any type, and the shape.
fn types_of_universal(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = types_of_row(call)?;
    types.args[0] = SqlType::int();
    types.args[1] = SqlType::int();
    Ok(types)
}

fn row<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (shape, values) = args.split_last().expect("a row has a shape");
    let shape = bytes_or_none(*shape);
    let out = ctx.room(ROOM)?;
    let mut text = RowText::new(ctx, out, RowShape::is_typed(shape));
    (text.has_default, text.is_within) = RowShape::is_under_default(shape);
    let mut values = Values { values, types: &types.args, next: 0 };
    for part in RowShape::parts(shape) {
        text.part(part, &mut values)?;
    }
    if RowShape::is_joined(shape) {
        let atoms = Atoms { first: text.first_is_atom == Some(true), last: text.after_atom };
        render::put(&mut text.out, &atoms.encode())?;
    }
    Ok(ValueRef::Unicode(text.out.finish()))
}

/// The text of a column set; NULL if all its columns are.
fn set<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let text = row(ctx, args, types)?;
    Ok(if text.byte_len() == 0 { ValueRef::Null } else { text })
}

/// The text of a row of a universal table. Errors 6803, 6804, 6806, 6807.
fn universal<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (shape, args) = args.split_last().expect("a row has a shape");
    let shape = bytes_or_none(*shape);
    let invalid = |message| move || SqlError::new(message, &[]).with_state(2);
    let tag = id(args[0]).filter(|tag| *tag > 0);
    let tag = tag.ok_or_else(invalid(&message::FOR_XML_EXPLICIT_TAG))?;
    let parent = match args[1] {
        ValueRef::Null => 0,
        parent => id(parent).ok_or_else(invalid(&message::FOR_XML_EXPLICIT_PARENT))?,
    };
    let declares = |id: u32| RowShape::parts(shape).any(|part| part == RowPart::Tag(id));
    if !declares(tag) {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_TAG_UNDECLARED, &[&tag]));
    }
    if parent != 0 && !declares(parent) {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_PARENT_UNDECLARED, &[&parent]));
    }
    let out = ctx.room(ROOM)?;
    let mut text = RowText::new(ctx, out, RowShape::is_typed(shape));
    text.is_top = parent == 0;
    let mut values = Values { values: args, types: &types.args, next: 0 };
    let parts = || {
        let parts = RowShape::parts(shape).skip_while(|part| *part != RowPart::Tag(tag)).skip(1);
        parts.take_while(|part| !matches!(part, RowPart::Tag(_)))
    };
    for part in parts() {
        if matches!(part, RowPart::At(_) | RowPart::Value { kind: ValueKind::List, .. }) {
            text.part(part, &mut values)?;
        }
    }
    let is_list = !text.out.is_empty();
    if !is_list {
        for part in parts() {
            text.part(part, &mut values)?;
        }
    }
    let trailer = Trailer { tag, parent, is_open: text.in_tag, is_list };
    render::put(&mut text.out, &trailer.encode())?;
    Ok(ValueRef::Unicode(text.out.finish()))
}

fn id(value: ValueRef<'_>) -> Option<u32> {
    match value {
        ValueRef::Int(id) => u32::try_from(id).ok(),
        _ => None,
    }
}

/// Whether a value is written as nothing.
fn is_empty(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Chars(text) | ValueRef::Unicode(text) | ValueRef::Bytes(text) => text.is_empty(),
        _ => false,
    }
}

/// A row's values, in turn.
struct Values<'v, 'a> {
    values: &'v [ValueRef<'a>],
    types: &'v [SqlType],
    next: usize,
}

impl<'v, 'a> Values<'v, 'a> {
    fn take(&mut self) -> (ValueRef<'a>, &'v SqlType) {
        let at = self.next;
        self.next += 1;
        // A plan that asks for more than there is was not made by the binder; the rest is NULL.
        let ty = self.types.get(at).unwrap_or(&self.types[0]);
        (self.values.get(at).copied().unwrap_or(ValueRef::Null), ty)
    }
}

/// The text of a row that is being written.
struct RowText<'c, 'a, 's> {
    ctx: &'c FnContext<'a>,
    out: ArenaBuffer<'a>,
    strict: bool,
    /// Elements that have begun and have nothing yet: if it stays so, they are left out.
    waiting: SmallVec<[&'s [u8]; 4]>,
    /// Whether the start tag before has no end so far.
    in_tag: bool,
    /// Whether the node before is an atom.
    after_atom: bool,
    /// Whether the first node is an atom.
    first_is_atom: Option<bool>,
    /// Whether the element has no parent.
    is_top: bool,
    /// Whether the reference that is being written is left out.
    skips: bool,
    /// How many elements of the row are open.
    depth: usize,
    /// Whether they declare a default namespace; whether one around the row does.
    has_default: bool,
    is_within: bool,
}

impl<'c, 'a, 's> RowText<'c, 'a, 's> {
    fn new(ctx: &'c FnContext<'a>, out: ArenaBuffer<'a>, strict: bool) -> RowText<'c, 'a, 's> {
        RowText {
            ctx,
            out,
            strict,
            waiting: SmallVec::new(),
            in_tag: false,
            after_atom: false,
            first_is_atom: None,
            is_top: false,
            skips: false,
            depth: 0,
            has_default: false,
            is_within: false,
        }
    }

    fn part(&mut self, part: RowPart<'s>, values: &mut Values<'_, 'a>) -> SqlResult<()> {
        match part {
            RowPart::Open(text) => {
                self.waiting.push(text);
                self.depth += 1;
            }
            RowPart::Close(text) => {
                self.close(text)?;
                self.depth -= 1;
            }
            RowPart::Force => self.begin()?,
            RowPart::Stay => self.content(false)?,
            RowPart::Tag(_) => {}
            RowPart::Top(text) => {
                if self.is_top {
                    render::put(&mut self.out, text)?;
                }
            }
            RowPart::At(place) => values.next = place as usize,
            RowPart::Value { kind, name } => {
                let (value, ty) = values.take();
                match value {
                    ValueRef::Null => self.null(kind)?,
                    value => self.value(kind, name, ty, value)?,
                }
            }
            RowPart::Reference { text, attribute } => {
                self.skips = values.take().0.is_null();
                if !self.skips {
                    match attribute {
                        true => self.begin()?,
                        false => self.content(false)?,
                    }
                    render::put(&mut self.out, text)?;
                }
            }
            RowPart::Key { text, attribute } => {
                let (value, ty) = values.take();
                if !self.skips {
                    let escaping = if attribute { Escaping::Attribute } else { Escaping::Text };
                    self.text(ty, value, escaping, &[])?;
                    render::put(&mut self.out, text)?;
                }
            }
        }
        Ok(())
    }

    /// Begins the elements that wait.
    fn begin(&mut self) -> SqlResult<()> {
        for start in std::mem::take(&mut self.waiting) {
            self.node(false);
            self.end_tag()?;
            render::put(&mut self.out, start)?;
            self.in_tag = true;
        }
        Ok(())
    }

    /// Begins what stands in an element.
    fn content(&mut self, atom: bool) -> SqlResult<()> {
        self.begin()?;
        self.end_tag()?;
        self.node(atom);
        Ok(())
    }

    fn node(&mut self, atom: bool) {
        self.first_is_atom.get_or_insert(atom);
        self.after_atom = atom;
    }

    fn end_tag(&mut self) -> SqlResult<()> {
        match std::mem::take(&mut self.in_tag) {
            true => ascii(&mut self.out, ">"),
            false => Ok(()),
        }
    }

    fn close(&mut self, text: &[u8]) -> SqlResult<()> {
        if self.waiting.pop().is_some() {
            return Ok(());
        }
        self.node(false);
        match std::mem::take(&mut self.in_tag) {
            true => ascii(&mut self.out, "/>"),
            false => render::put(&mut self.out, text),
        }
    }

    /// NULL is left out, or makes an element that has nothing else so far one that says so.
    fn null(&mut self, kind: ValueKind) -> SqlResult<()> {
        let nil =
            matches!(kind, ValueKind::TextOrNil | ValueKind::DataOrNil | ValueKind::NodesOrNil);
        if nil && !self.waiting.is_empty() {
            self.begin()?;
            ascii(&mut self.out, " xsi:nil=\"true\"")?;
        }
        Ok(())
    }

    fn value(
        &mut self,
        kind: ValueKind,
        name: &[u8],
        ty: &SqlType,
        value: ValueRef<'a>,
    ) -> SqlResult<()> {
        match kind {
            ValueKind::Attribute | ValueKind::List => {
                self.begin()?;
                ascii(&mut self.out, " ")?;
                render::put(&mut self.out, name)?;
                ascii(&mut self.out, "=\"")?;
                self.text(ty, value, Escaping::Attribute, name)?;
                ascii(&mut self.out, "\"")
            }
            // Canonical text has no element with an end tag and nothing in it.
            ValueKind::Text | ValueKind::TextOrNil if self.strict && is_empty(value) => {
                self.begin()
            }
            ValueKind::Text | ValueKind::TextOrNil => {
                self.content(false)?;
                self.text(ty, value, Escaping::Text, name)
            }
            ValueKind::Data | ValueKind::DataOrNil => {
                // What waits begins a new run.
                let follows = self.after_atom && self.waiting.is_empty();
                self.content(true)?;
                if follows {
                    ascii(&mut self.out, " ")?;
                }
                self.text(ty, value, Escaping::Text, name)
            }
            ValueKind::Nodes | ValueKind::NodesOrNil => {
                if is_empty(value) {
                    return self.begin();
                }
                self.content(false)?;
                let value = match value {
                    ValueRef::Chars(text)
                        if self.has_default
                            && ty.kind == TypeKind::Xml
                            && (self.is_within || self.depth > 0) =>
                    {
                        ValueRef::Chars(undeclared(self.ctx, text)?)
                    }
                    value => value,
                };
                self.text(ty, value, Escaping::Verbatim, name)
            }
            ValueKind::OverflowAttributes => {
                let names = unicode_to_string(name);
                let (column, without) = names.split_once('\n').unwrap_or((&names, ""));
                let overflow = Overflow::read(self.ctx, value, ty, column)?;
                self.begin()?;
                let attributes = overflow.attributes(self.ctx, without)?;
                self.utf8(attributes.finish())
            }
            ValueKind::OverflowContent => {
                let overflow = Overflow::read(self.ctx, value, ty, &unicode_to_string(name))?;
                self.content(false)?;
                let content = overflow.content(self.ctx)?;
                self.utf8(content.finish())
            }
            ValueKind::OverflowElement => {
                let names = unicode_to_string(name);
                let (column, element) = names.split_once('\n').unwrap_or((&names, ""));
                let overflow = Overflow::read(self.ctx, value, ty, column)?;
                self.content(false)?;
                self.utf8(format!("<{element}").as_bytes())?;
                self.utf8(overflow.attributes(self.ctx, "")?.finish())?;
                let content = overflow.content(self.ctx)?.finish();
                if content.is_empty() {
                    return ascii(&mut self.out, "/>");
                }
                ascii(&mut self.out, ">")?;
                self.utf8(content)?;
                self.utf8(format!("</{element}>").as_bytes())
            }
            ValueKind::Comment => self.comment(ty, value),
            ValueKind::Instruction => {
                self.content(false)?;
                ascii(&mut self.out, "<?")?;
                render::put(&mut self.out, name)?;
                ascii(&mut self.out, " ")?;
                self.text(ty, value, Escaping::Verbatim, name)?;
                ascii(&mut self.out, "?>")
            }
            ValueKind::Cdata => self.cdata(ty, value),
        }
    }

    fn text(
        &mut self,
        ty: &SqlType,
        value: ValueRef<'a>,
        escaping: Escaping,
        node: &[u8],
    ) -> SqlResult<()> {
        let style = Style { escaping, strict: self.strict, node };
        render::value(self.ctx, &mut self.out, ty, value, style)
    }

    /// Text of XML as it is.
    fn utf8(&mut self, text: &[u8]) -> SqlResult<()> {
        let style = Style { escaping: Escaping::Verbatim, strict: false, node: &[] };
        render::value(self.ctx, &mut self.out, &SqlType::xml(), ValueRef::Chars(text), style)
    }

    /// `<!--…-->`. Error 9322.
    fn comment(&mut self, ty: &SqlType, value: ValueRef<'a>) -> SqlResult<()> {
        const DASH: [u8; 2] = [b'-', 0];
        self.content(false)?;
        ascii(&mut self.out, "<!--")?;
        let start = self.out.len();
        self.text(ty, value, Escaping::Verbatim, &[])?;
        let written = &self.out.as_bytes()[start..];
        let units = || written.chunks_exact(2);
        let dashes = || SqlError::new(&message::XQUERY_COMMENT_DASHES, &[&""]).with_state(2);
        if units().zip(units().skip(1)).any(|(a, b)| a == DASH && b == DASH) {
            return Err(dashes());
        }
        if units().next_back().is_some_and(|last| last == DASH) {
            return Err(dashes().with_state(3));
        }
        ascii(&mut self.out, "-->")
    }

    /// `<![CDATA[…]]>`; what would end the section is divided between two.
    fn cdata(&mut self, ty: &SqlType, value: ValueRef<'a>) -> SqlResult<()> {
        const END: &[u8; 6] = b"]\0]\0>\0";
        self.content(false)?;
        let mut section = self.ctx.arena.buffer();
        let style = Style { escaping: Escaping::Verbatim, strict: false, node: &[] };
        render::value(self.ctx, &mut section, ty, value, style)?;
        let section = section.finish();
        ascii(&mut self.out, "<![CDATA[")?;
        let mut start = 0;
        for at in (0..section.len()).step_by(2) {
            if section[at..].starts_with(END) {
                render::put(&mut self.out, &section[start..at + 2])?;
                ascii(&mut self.out, "]]><![CDATA[")?;
                start = at + 2;
            }
        }
        render::put(&mut self.out, &section[start..])?;
        ascii(&mut self.out, "]]>")
    }
}
