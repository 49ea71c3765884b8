//! What the binder tells the functions that make XML of rows, as constants among their arguments.
//!
//! [`RowShape`] says what the text of a row consists of, [`Frame`] what the aggregate over these
//! texts writes around them. Texts in both are UTF-16LE, as the document is.

use std::ops::Range;

/// The name of the column in which a statement with `FOR XML` returns its document.
pub const DOCUMENT_COLUMN: &str = "XML_F52E2B61-18A1-11d1-B105-00805F49916B";

/// The calls that the binder makes of `FOR XML`.
pub mod names {
    /// (values…, [`super::RowShape`]): the text of one row.
    pub const ROW: &str = "FOR XML ROW";
    /// (tag, parent, values…, [`super::RowShape`]): the text of one row of a universal table, with
    /// a [`super::Trailer`].
    pub const UNIVERSAL_ROW: &str = "FOR XML EXPLICIT ROW";
    /// As [`ROW`], but NULL where that is empty: the value of a column set.
    pub const SET: &str = "FOR XML COLUMN SET";
    /// (document, name, names): the text of the element with that name in the value of a column
    /// set. An element whose name is none of the names, which are UTF-8 with a zero byte after
    /// each, is an error; where there are none, none is checked.
    pub const SET_TEXT: &str = "COLUMN SET TEXT";
    /// As [`SET_TEXT`]: the bytes that the text writes in base 64.
    pub const SET_BYTES: &str = "COLUMN SET BYTES";
    /// As [`SET_TEXT`]: what is in the element, as xml.
    pub const SET_NODES: &str = "COLUMN SET NODES";
    /// The aggregate of (opening, [`super::Frame`], one text for each level): the document.
    pub const DOCUMENT: &str = "FOR XML";

    /// Whether a function has such a name, which a text can quote, but not call.
    pub fn is_internal(name: &str) -> bool {
        let all = [ROW, UNIVERSAL_ROW, DOCUMENT, SET, SET_TEXT, SET_BYTES, SET_NODES];
        all.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// What a row's text consists of.
#[derive(Clone, Debug)]
pub struct RowShape(Vec<u8>);

/// A part of a row's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowPart<'s> {
    /// An element begins, if anything in it is written: `<name`.
    Open(&'s [u8]),
    /// The element that began last ends: `</name>`.
    Close(&'s [u8]),
    /// Whatever has begun is written, even if it stays empty.
    Force,
    /// The start tag ends, for what the rows of the next level put after it.
    Stay,
    /// Of a universal table only: what follows is of rows with this tag.
    Tag(u32),
    /// Of a universal table only: text that is written for elements without a parent.
    Top(&'s [u8]),
    /// The next value is the argument in this place.
    At(u32),
    /// The next value.
    Value {
        /// What becomes of it.
        kind: ValueKind,
        /// The attribute, the target of an instruction; else the node that errors name.
        name: &'s [u8],
    },
    /// The next value only says by NULL that nothing is written up to the next part that is no
    /// [`RowPart::Key`]. The text begins an attribute, or stands in an element.
    Reference {
        /// What is written.
        text: &'s [u8],
        /// Whether it begins an attribute.
        attribute: bool,
    },
    /// The next value is written, and text after it.
    Key {
        /// What is written after the value.
        text: &'s [u8],
        /// Whether it stands in an attribute.
        attribute: bool,
    },
}

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ValueKind {
    /// An attribute.
    Attribute,
    /// Text.
    Text,
    /// Text; NULL makes its element, if it has nothing else, one with `xsi:nil`.
    TextOrNil,
    /// Text, with a space after the atom before it.
    Data,
    /// As `Data`, and `TextOrNil`.
    DataOrNil,
    /// Nodes, as they are written.
    Nodes,
    /// As `Nodes`, and `TextOrNil`.
    NodesOrNil,
    /// A comment.
    Comment,
    /// A processing instruction.
    Instruction,
    /// A CDATA section.
    Cdata,
    /// The attributes of an element, which stand in the start tag, but for some. The name is the
    /// column's that errors name, with the names of the others below it, one a line.
    OverflowAttributes,
    /// The content of an element. The name is the column's.
    OverflowContent,
    /// An element under another name, which stands in the line below the column's.
    OverflowElement,
    /// A value of an attribute that is a list. A row of a universal table with one is no element,
    /// but adds to the one before it.
    List,
}

impl ValueKind {
    const ALL: [ValueKind; 14] = [
        ValueKind::Attribute,
        ValueKind::Text,
        ValueKind::TextOrNil,
        ValueKind::Data,
        ValueKind::DataOrNil,
        ValueKind::Nodes,
        ValueKind::NodesOrNil,
        ValueKind::Comment,
        ValueKind::Instruction,
        ValueKind::Cdata,
        ValueKind::OverflowAttributes,
        ValueKind::OverflowContent,
        ValueKind::OverflowElement,
        ValueKind::List,
    ];
}

const OPEN: u8 = 32;
const CLOSE: u8 = 33;
const FORCE: u8 = 34;
const STAY: u8 = 35;
const TAG: u8 = 36;
const TOP: u8 = 37;
const AT: u8 = 38;
const REFERENCE: u8 = 39;
const REFERENCE_ATTRIBUTE: u8 = 40;
const KEY: u8 = 41;
const KEY_ATTRIBUTE: u8 = 42;

/// What a row's text says of itself: bits of the first byte of [`RowShape`].
const TYPED: u8 = 1;
const JOINED: u8 = 2;
const DEFAULT: u8 = 4;
const WITHIN: u8 = 8;

impl RowShape {
    /// Nothing so far. `typed`: the document is of type `xml`, so that characters that XML does
    /// not have are errors. `joined`: atoms at the borders of rows are told apart by a space, so
    /// that the text ends with [`Atoms`].
    pub fn new(typed: bool, joined: bool) -> RowShape {
        RowShape(vec![if typed { TYPED } else { 0 } | if joined { JOINED } else { 0 }])
    }

    /// Elements declare a default namespace, to which values of type xml do not belong. `within`:
    /// the whole row is in such an element.
    pub fn under_default(&mut self, within: bool) {
        self.0[0] |= DEFAULT | if within { WITHIN } else { 0 };
    }

    /// See [`RowPart::Open`]: the name, and what else stands in the start tag.
    pub fn open(&mut self, name: &str, declarations: &str) {
        self.part(OPEN, &format!("<{name}{declarations}"));
    }

    /// See [`RowPart::Close`].
    pub fn close(&mut self, name: &str) {
        self.part(CLOSE, &closing(name));
    }

    /// See [`RowPart::Force`].
    pub fn force(&mut self) {
        self.part(FORCE, "");
    }

    /// See [`RowPart::Stay`].
    pub fn stay(&mut self) {
        self.part(STAY, "");
    }

    /// See [`RowPart::Tag`].
    pub fn tag(&mut self, tag: u32) {
        self.number(TAG, tag);
    }

    /// See [`RowPart::Top`].
    pub fn top(&mut self, text: &str) {
        self.part(TOP, text);
    }

    /// See [`RowPart::At`].
    pub fn at(&mut self, place: u32) {
        self.number(AT, place);
    }

    /// See [`RowPart::Value`].
    pub fn value(&mut self, kind: ValueKind, name: &str) {
        self.part(kind as u8, name);
    }

    /// See [`RowPart::Reference`].
    pub fn reference(&mut self, text: &str, attribute: bool) {
        self.part(if attribute { REFERENCE_ATTRIBUTE } else { REFERENCE }, text);
    }

    /// See [`RowPart::Key`].
    pub fn key(&mut self, text: &str, attribute: bool) {
        self.part(if attribute { KEY_ATTRIBUTE } else { KEY }, text);
    }

    fn part(&mut self, part: u8, text: &str) {
        self.0.push(part);
        put_text(&mut self.0, text);
    }

    fn number(&mut self, part: u8, number: u32) {
        self.0.push(part);
        self.0.extend_from_slice(&4_u32.to_le_bytes());
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// The constant for a call.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Whether a constant says that the document is of type `xml`.
    pub fn is_typed(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|bits| bits & TYPED != 0)
    }

    /// Whether a constant says that the text ends with [`Atoms`].
    pub fn is_joined(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|bits| bits & JOINED != 0)
    }

    /// Whether values are under a default namespace in elements of the row; in all of it.
    pub fn is_under_default(bytes: &[u8]) -> (bool, bool) {
        let has = |bit| bytes.first().is_some_and(|bits| bits & bit != 0);
        (has(DEFAULT), has(WITHIN))
    }

    /// The parts that a constant lists.
    pub fn parts(bytes: &[u8]) -> impl Iterator<Item = RowPart<'_>> {
        let mut rest = bytes.get(1..).unwrap_or_default();
        std::iter::from_fn(move || next_part(&mut rest))
    }
}

fn next_part<'s>(rest: &mut &'s [u8]) -> Option<RowPart<'s>> {
    let (&part, after) = rest.split_first()?;
    *rest = after;
    let text = take_text(rest)?;
    let number = || text.try_into().map(u32::from_le_bytes).unwrap_or_default();
    Some(match part {
        OPEN => RowPart::Open(text),
        CLOSE => RowPart::Close(text),
        FORCE => RowPart::Force,
        STAY => RowPart::Stay,
        TAG => RowPart::Tag(number()),
        TOP => RowPart::Top(text),
        AT => RowPart::At(number()),
        REFERENCE | REFERENCE_ATTRIBUTE => {
            RowPart::Reference { text, attribute: part == REFERENCE_ATTRIBUTE }
        }
        KEY | KEY_ATTRIBUTE => RowPart::Key { text, attribute: part == KEY_ATTRIBUTE },
        kind => RowPart::Value { kind: *ValueKind::ALL.get(usize::from(kind))?, name: text },
    })
}

/// `</name>`.
fn closing(name: &str) -> String {
    format!("</{name}>")
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    out.extend_from_slice(&(units.len() as u32).to_le_bytes());
    out.extend_from_slice(&units);
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*bytes))
}

fn take_text<'s>(rest: &mut &'s [u8]) -> Option<&'s [u8]> {
    let len = take_number(rest)? as usize;
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(text)
}

/// At the end of a row's text: whether it begins and ends with an atom of `data()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Atoms {
    /// The first node is one.
    pub first: bool,
    /// The last node is one.
    pub last: bool,
}

impl Atoms {
    /// Bytes that it takes.
    pub const BYTES: usize = 2;

    /// As it stands at the end of a text.
    pub fn encode(self) -> [u8; Atoms::BYTES] {
        [u8::from(self.first) | u8::from(self.last) << 1, 0]
    }

    /// A text and what stands behind it.
    pub fn split(text: &[u8]) -> (&[u8], Atoms) {
        let (text, end) = text.split_at(text.len().saturating_sub(Atoms::BYTES));
        let bits = end.first().copied().unwrap_or(0);
        (text, Atoms { first: bits & 1 != 0, last: bits & 2 != 0 })
    }
}

/// At the end of the text of a row of a universal table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trailer {
    /// The row's tag.
    pub tag: u32,
    /// Its parent; 0 for none.
    pub parent: u32,
    /// Whether the start tag has no end so far.
    pub is_open: bool,
    /// Whether the text is that of attributes whose values are added to the element before it.
    pub is_list: bool,
}

impl Trailer {
    /// Bytes that it takes.
    pub const BYTES: usize = 10;

    /// As it stands at the end of a text.
    pub fn encode(self) -> [u8; Trailer::BYTES] {
        let mut bytes = [0; Trailer::BYTES];
        bytes[..4].copy_from_slice(&self.tag.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.parent.to_le_bytes());
        bytes[8] = u8::from(self.is_open) | u8::from(self.is_list) << 1;
        bytes
    }

    /// A text and what stands behind it.
    pub fn split(text: &[u8]) -> Option<(&[u8], Trailer)> {
        let (text, mut end) =
            text.split_last_chunk::<{ Trailer::BYTES }>().map(|(t, e)| (t, &e[..]))?;
        let (tag, parent) = (take_number(&mut end)?, take_number(&mut end)?);
        let (is_open, is_list) = (end[0] & 1 != 0, end[0] & 2 != 0);
        Some((text, Trailer { tag, parent, is_open, is_list }))
    }

    /// The attributes in a text, each with what is written before its value, and where that lies.
    pub fn attributes(text: &[u8]) -> impl Iterator<Item = (&[u8], Range<usize>)> {
        let mut quotes = places(text, b'"');
        let mut from = 0;
        std::iter::from_fn(move || {
            let (start, end) = (quotes.next()? + 2, quotes.next()?);
            let name = &text[from..start];
            from = end + 2;
            Some((name, start..end))
        })
    }

    /// Where a start tag ends of which this text begins inside.
    pub fn start_tag(text: &[u8]) -> usize {
        places(text, b'>').next().unwrap_or(text.len())
    }
}

/// Where a text in UTF-16LE has this character.
fn places(text: &[u8], character: u8) -> impl Iterator<Item = usize> {
    let units = text.chunks_exact(2).enumerate();
    units.filter(move |(_, unit)| **unit == [character, 0]).map(|(nth, _)| 2 * nth)
}

/// What stands around the texts of rows. The constant is longer than what the aggregate keeps and
/// writes for a row besides the texts, so that room for it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The rows are those of a universal table.
    pub universal: bool,
    /// The texts of rows end with [`Atoms`].
    pub joined: bool,
    /// The elements that stay open: of the outer levels, or of all tags.
    pub elements: Vec<FrameElement>,
    /// What ends the document.
    pub end: String,
}

/// An element that stays open for further rows.
#[derive(Clone, Debug)]
pub struct FrameElement {
    /// Its tag; of a level whether its values are never compared, so that each row has one.
    pub key: u32,
    /// Its name.
    pub name: String,
}

impl Frame {
    /// The constant for a document.
    pub fn encode(&self) -> Vec<u8> {
        const KEPT: usize = 16;
        let mut bytes = vec![u8::from(self.universal) | u8::from(self.joined) << 1];
        bytes.extend_from_slice(&(self.elements.len() as u32).to_le_bytes());
        put_text(&mut bytes, &self.end);
        for element in &self.elements {
            bytes.extend_from_slice(&element.key.to_le_bytes());
            put_text(&mut bytes, &closing(&element.name));
        }
        bytes.resize(bytes.len() + KEPT * (self.elements.len() + 1), 0);
        bytes
    }
}

/// What a constant says.
#[derive(Clone, Copy, Debug)]
pub struct FrameView<'f> {
    /// See [`Frame::universal`].
    pub universal: bool,
    /// See [`Frame::joined`].
    pub joined: bool,
    /// How many elements there are.
    pub count: usize,
    /// See [`Frame::end`].
    pub end: &'f [u8],
    elements: &'f [u8],
}

impl<'f> FrameView<'f> {
    /// Reads a constant.
    pub fn of(bytes: &'f [u8]) -> FrameView<'f> {
        let mut rest = bytes.get(1..).unwrap_or_default();
        let bits = bytes.first().copied().unwrap_or(0);
        let count = take_number(&mut rest).unwrap_or(0) as usize;
        let end = take_text(&mut rest).unwrap_or_default();
        let (universal, joined) = (bits & 1 != 0, bits & 2 != 0);
        FrameView { universal, joined, count, end, elements: rest }
    }

    /// The keys and the end tags of its elements.
    pub fn elements(&self) -> impl Iterator<Item = (u32, &'f [u8])> + use<'f> {
        let mut rest = self.elements;
        (0..self.count).map_while(move |_| Some((take_number(&mut rest)?, take_text(&mut rest)?)))
    }

    /// The end tag of an element, by its place or its tag.
    pub fn closing(&self, entry: u32) -> &'f [u8] {
        let mut elements = self.elements();
        let found = match self.universal {
            true => elements.find(|(tag, _)| *tag == entry),
            false => elements.nth(entry as usize),
        };
        found.map_or(&[], |(_, text)| text)
    }
}

#[cfg(test)]
mod tests;
