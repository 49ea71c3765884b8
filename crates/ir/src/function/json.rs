//! What the binder tells the functions that write JSON, as constants among their arguments.
//!
//! A value's type does not say whether it is JSON text, which is written as it is, or a string,
//! which is quoted. The binder knows ([`super::ArgType::json`]), and says so in [`Marks`] or in a
//! [`RowShape`].

use base::json::escape::write_escaped;

/// The name of the column in which a statement with `FOR JSON` returns its document.
pub const DOCUMENT_COLUMN: &str = "JSON_F52E2B61-18A1-11d1-B105-00805F49916B";

/// UTF-16 units of a document in one row of a statement's result.
pub const PIECE_UNITS: usize = 2033;

/// The calls that the binder makes of what has syntax of its own.
pub mod names {
    /// (document, path, NULL of a type): what `JSON_VALUE(document, path RETURNING type)` means.
    pub const VALUE_RETURNING: &str = "JSON_VALUE RETURNING";
    /// (values…, [`super::RowShape`]): the object of one row.
    pub const ROW: &str = "FOR JSON ROW";
    /// (document): of how many pieces it consists.
    pub const PIECES: &str = "FOR JSON PIECES";
    /// (document, n): its n-th piece, counted from 1.
    pub const PIECE: &str = "FOR JSON PIECE";
    /// The aggregate of (opening, [`super::Frame`], one text for each level): the document.
    pub const DOCUMENT: &str = "FOR JSON";
    /// (value, marks): an element of what `JSON_ARRAYAGG` makes.
    pub const ELEMENT: &str = "JSON ELEMENT";
    /// (key, value, marks): a property of what `JSON_OBJECTAGG` makes.
    pub const MEMBER: &str = "JSON MEMBER";

    /// Whether a function has such a name, which a text can quote, but not call.
    pub fn is_internal(name: &str) -> bool {
        let all = [VALUE_RETURNING, ROW, PIECES, PIECE, DOCUMENT, ELEMENT, MEMBER];
        all.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Which arguments of a call are JSON text, and what it does with NULL.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'m>(&'m [u8]);

impl<'m> Marks<'m> {
    /// The constant for a call.
    pub fn encode(keeps_nulls: bool, json: impl Iterator<Item = bool>) -> Vec<u8> {
        std::iter::once(keeps_nulls).chain(json).map(u8::from).collect()
    }

    /// What a constant says.
    pub fn of(bytes: &'m [u8]) -> Marks<'m> {
        Marks(bytes)
    }

    /// Whether NULL becomes `null`; else it is left out.
    pub fn keeps_nulls(self) -> bool {
        self.0.first() == Some(&1)
    }

    /// Whether the argument in this place, counted from 0, is JSON text.
    pub fn is_json(self, place: usize) -> bool {
        self.0.get(place + 1) == Some(&1)
    }
}

/// What the object of a row consists of: properties in order, objects in it, and whether it stays
/// open for an array of objects of the next level.
#[derive(Clone, Debug)]
pub struct RowShape(Vec<u8>);

/// A part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowPart<'s> {
    /// An object begins, as a property of this name, which is written with quotation marks and a
    /// colon (UTF-16LE).
    Open(&'s [u8]),
    /// The object that began last ends.
    Close,
    /// The next value is a property.
    Value {
        /// Its name, likewise.
        name: &'s [u8],
        /// Whether the value is JSON text.
        json: bool,
    },
    /// Last of all: a property of this name that is an array, which stays open like the object
    /// itself.
    Array(&'s [u8]),
}

const OPEN: u8 = 0;
const CLOSE: u8 = 1;
const STRING: u8 = 2;
const JSON: u8 = 3;
const ARRAY: u8 = 4;

impl RowShape {
    /// An object without parts so far.
    pub fn new(keeps_nulls: bool) -> RowShape {
        RowShape(vec![u8::from(keeps_nulls)])
    }

    /// See [`RowPart::Open`].
    pub fn open(&mut self, name: &str) {
        self.named(OPEN, name);
    }

    /// See [`RowPart::Close`].
    pub fn close(&mut self) {
        self.0.push(CLOSE);
    }

    /// See [`RowPart::Value`].
    pub fn value(&mut self, name: &str, json: bool) {
        self.named(if json { JSON } else { STRING }, name);
    }

    /// See [`RowPart::Array`].
    pub fn array(&mut self, name: &str) {
        self.named(ARRAY, name);
    }

    fn named(&mut self, part: u8, name: &str) {
        let mut text = vec![b'"', 0];
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        write_escaped(&units, &mut text);
        text.extend_from_slice(&[b'"', 0, b':', 0]);
        self.0.push(part);
        self.0.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.0.extend_from_slice(&text);
    }

    /// The constant for a call.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Whether a constant says that NULL becomes `null`; else it is left out.
    pub fn keeps_nulls(bytes: &[u8]) -> bool {
        bytes.first() == Some(&1)
    }

    /// The parts that a constant lists.
    pub fn parts(bytes: &[u8]) -> impl Iterator<Item = RowPart<'_>> {
        let mut rest = bytes.get(1..).unwrap_or_default();
        std::iter::from_fn(move || next_part(&mut rest))
    }
}

fn next_part<'s>(rest: &mut &'s [u8]) -> Option<RowPart<'s>> {
    let (&part, after) = rest.split_first()?;
    if part == CLOSE {
        *rest = after;
        return Some(RowPart::Close);
    }
    let (bytes, after) = after.split_first_chunk::<4>()?;
    let (name, after) = after.split_at_checked(u32::from_le_bytes(*bytes) as usize)?;
    *rest = after;
    Some(match part {
        OPEN => RowPart::Open(name),
        ARRAY => RowPart::Array(name),
        _ => RowPart::Value { name, json: part == JSON },
    })
}

/// What stands around the objects of a document. The rest of the constant is as long as what the
/// aggregate keeps and writes for a row besides the texts, so that room for it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// `[` and `]`.
    pub array: bool,
    /// `{` and `}`, with the array as a property.
    pub root: bool,
}

impl Frame {
    /// The constant for a document of so many levels.
    pub fn encode(self, levels: usize) -> Vec<u8> {
        const LEVEL: usize = 16;
        let mut bytes = vec![0; 1 + LEVEL * levels];
        bytes[0] = u8::from(self.array) | u8::from(self.root) << 1;
        bytes
    }

    /// What a constant, or its first byte, says.
    pub fn of(byte: u8) -> Frame {
        Frame { array: byte & 1 != 0, root: byte & 2 != 0 }
    }
}
