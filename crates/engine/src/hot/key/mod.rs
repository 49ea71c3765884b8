//! Normalized keys: bytes that compare as the columns of an index do.
//!
//! # Form
//!
//! Column after column, most significant first, so that a leading part of the columns gives a
//! prefix of the bytes:
//!
//! | column | bytes |
//! |---|---|
//! | nullable | first 0 for NULL or 1; a NULL of constant width goes on with zeros |
//! | integers, money, dates, times, decimals | big-endian, sign bit flipped |
//! | float, real | big-endian; negative ones inverted, others with the sign bit flipped; -0 is 0 |
//! | datetimeoffset | its instant; the offset does not count |
//! | uniqueidentifier | bytes 10–15, 8–9, 6–7, 4–5, 0–3 |
//! | binary(n), rowversion | as they are |
//! | varbinary | without trailing zeros, escaped and terminated |
//! | strings | the collation's sort key, escaped and terminated |
//! | sql_variant | see [`variant`] |
//!
//! A descending column has all its bytes inverted.
//!
//! # Invariants
//!
//! * K1: equal columns give equal bytes, and the bytes of unequal columns compare (`memcmp`) as the
//!   columns do.
//! * K2: no key is a proper prefix of another key of the same specification. So the keys that start
//!   with the bytes of some leading columns are those where these columns are equal.
//! * K3: a key all of whose columns have constant width has constant width.
//!
//! A key of one or two NOT NULL columns that fit eight bytes each is also readable as [`KeyWord`]s
//! straight from a row, so that hash indexes need not encode it.

mod bytes;
mod hash;
mod range;
mod variant;
mod word;

use base::ValueRef;
use base::collation;
use base::types::{Repr, SqlType};

pub use bytes::KeyBuf;
pub use hash::hash_bytes;
pub use range::{KeyRange, ScanRange};
pub use word::KeyWord;

use self::word::guid;
use crate::hot::row::{Place, RowLayout, fixed_width};

/// One column of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyColumn {
    /// Ordinal in the layout.
    pub column: usize,
    /// Whether greater values come first.
    pub descending: bool,
    /// Whether the column can be NULL. If this is `false`, it must never be NULL.
    pub nullable: bool,
}

impl KeyColumn {
    /// A column that is NOT NULL, smaller values first.
    pub const fn ascending(column: usize) -> KeyColumn {
        KeyColumn { column, descending: false, nullable: false }
    }

    /// A column that is NOT NULL, greater values first.
    pub const fn descending(column: usize) -> KeyColumn {
        KeyColumn { column, descending: true, nullable: false }
    }

    /// The same column, nullable.
    pub const fn or_null(self) -> KeyColumn {
        KeyColumn { nullable: true, ..self }
    }
}

/// Whether keys can be read as words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyClass {
    /// One NOT NULL column of at most eight bytes.
    One(KeyWord),
    /// Two NOT NULL columns of at most eight bytes each.
    Two(KeyWord, KeyWord),
    /// Anything else.
    General,
}

/// A whole key to search for.
#[derive(Clone, Copy, Debug)]
pub enum SeekKey<'k> {
    /// The number of a key of class [`KeyClass::One`].
    Word(u64),
    /// The normalized bytes of any key.
    Bytes(&'k [u8]),
}

/// How one column becomes bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    Word(KeyWord),
    /// A decimal of more than 18 digits.
    Wide,
    Guid,
    /// Constant width, as it is.
    Raw,
    Binary,
    Text,
    Variant,
}

#[derive(Clone, PartialEq, Debug)]
struct Part {
    column: usize,
    ty: SqlType,
    form: Form,
    /// Bytes of a value without the NULL byte, if constant.
    width: Option<usize>,
    nullable: bool,
    /// Combined with every byte by exclusive or: 0xFF if descending, else 0.
    mask: u8,
}

/// The columns of an index's key and how they become normalized bytes. See the module's header.
#[derive(Clone, PartialEq, Debug)]
pub struct KeySpec {
    parts: Box<[Part]>,
    class: KeyClass,
    constant_len: Option<usize>,
}

impl KeySpec {
    /// The specification of a key of these columns of rows of this layout.
    ///
    /// # Panics
    /// If there is no column, or one of a type that cannot be in a key: `(max)` types, text, image.
    pub fn new(layout: &RowLayout, columns: &[KeyColumn]) -> KeySpec {
        assert!(!columns.is_empty(), "a key has columns");
        let parts: Box<[Part]> = columns.iter().map(|c| Part::new(layout, c)).collect();
        let word = |part: &Part| match part.form {
            Form::Word(word) if !part.nullable => Some(word),
            _ => None,
        };
        let class = match &*parts {
            [one] => word(one).map(KeyClass::One),
            [first, second] => word(first).zip(word(second)).map(|(a, b)| KeyClass::Two(a, b)),
            _ => None,
        };
        let constant_len =
            parts.iter().map(|p| Some(p.width? + usize::from(p.nullable))).sum::<Option<usize>>();
        KeySpec { parts, class: class.unwrap_or(KeyClass::General), constant_len }
    }

    /// Whether keys can be read as words.
    #[inline]
    pub fn class(&self) -> KeyClass {
        self.class
    }

    /// Calls `f` with the normalized bytes of a whole key.
    #[inline]
    pub fn with_bytes<T>(&self, key: SeekKey<'_>, f: impl FnOnce(&[u8]) -> T) -> T {
        match (key, self.class) {
            (SeekKey::Bytes(key), _) => f(key),
            (SeekKey::Word(number), KeyClass::One(word)) => {
                f(&word.bytes_of(number)[..word.width()])
            }
            (SeekKey::Word(_), class) => unreachable!("a word for a key of {class:?}"),
        }
    }

    /// The length of every key, if it is constant.
    #[inline]
    pub fn constant_len(&self) -> Option<usize> {
        self.constant_len
    }

    /// How many columns the key has.
    pub fn columns(&self) -> usize {
        self.parts.len()
    }

    /// Encodes the key of a row, replacing what `out` held.
    #[inline]
    pub fn encode_row(&self, layout: &RowLayout, row: &[u8], out: &mut KeyBuf) {
        out.clear();
        match self.class {
            KeyClass::One(word) => word.append(word.read(row), out),
            _ => self.encode_parts(layout, row, out),
        }
    }

    /// Whether a row has this key.
    #[inline]
    pub fn matches(&self, layout: &RowLayout, row: &[u8], key: &[u8]) -> bool {
        match self.class {
            KeyClass::One(word) => word.in_key(key) == word.read(row),
            _ => {
                let mut own = KeyBuf::new();
                self.encode_row(layout, row, &mut own);
                *own == *key
            }
        }
    }

    fn encode_parts(&self, layout: &RowLayout, row: &[u8], out: &mut KeyBuf) {
        for part in &self.parts {
            if let (Form::Word(word), false) = (part.form, part.nullable) {
                word.append(word.read(row), out);
            } else {
                part.encode(layout.get(row, part.column), out);
            }
        }
    }

    /// Encodes a key from one value for each column, or a prefix of keys from values for leading
    /// columns; replaces what `out` held. The values are of the columns' types.
    ///
    /// # Panics
    /// If there are more values than columns.
    pub fn encode_values(&self, values: &[ValueRef<'_>], out: &mut KeyBuf) {
        assert!(values.len() <= self.parts.len(), "a value for each column at most");
        out.clear();
        for (part, value) in self.parts.iter().zip(values) {
            // A short path for by far the most keys. `encode` takes a copy of the value; that would
            // be loaded wider than it was stored, which stalls the processor.
            if let (Form::Word(word), false, ValueRef::Int(v)) = (part.form, part.nullable, value) {
                word.append(word.of_number(*v as u64), out);
            } else {
                part.encode(*value, out);
            }
        }
    }
}

impl KeySpec {
    /// A range that holds every key that has these values in its leading columns and whose next
    /// column, a string, starts with this one under the column's collation. It may hold others.
    ///
    /// # Panics
    /// If the next column is not a string.
    pub fn starting_with(&self, values: &[ValueRef<'_>], text: ValueRef<'_>) -> KeyRange {
        let mut prefix = KeyBuf::new();
        self.encode_values(values, &mut prefix);
        let part = &self.parts[values.len()];
        assert_eq!(part.form, Form::Text, "only strings start with others");
        let start = prefix.len();
        if part.nullable {
            prefix.extend(&[1]);
        }
        prefix.escape_from(|key| collation::prefix_key(part.ty.collation, text, key));
        prefix.invert(start, part.mask);
        KeyRange::prefix(&prefix)
    }
}

impl Part {
    fn new(layout: &RowLayout, key: &KeyColumn) -> Part {
        let column = &layout.columns()[key.column];
        let ty = column.ty;
        assert!(!ty.is_max(), "{ty:?} cannot be in a key");
        let form = match (column.place, ty.kind.repr()) {
            (_, Repr::Chars | Repr::Unicode) => Form::Text,
            (_, Repr::Variant) => Form::Variant,
            (_, Repr::Guid) => Form::Guid,
            (Place::Variable { .. }, _) => Form::Binary,
            (_, Repr::Bytes) => Form::Raw,
            (Place::Fixed { offset, .. }, _) => match KeyWord::new(&ty, offset, key.descending) {
                Some(word) => Form::Word(word),
                None => Form::Wide,
            },
        };
        let width = match form {
            Form::Word(word) => Some(word.width()),
            Form::Wide | Form::Guid => Some(16),
            Form::Raw => fixed_width(&ty).map(|w| w as usize),
            Form::Binary | Form::Text | Form::Variant => None,
        };
        let mask = if key.descending { 0xFF } else { 0 };
        Part { column: key.column, ty, form, width, nullable: key.nullable, mask }
    }

    fn encode(&self, value: ValueRef<'_>, out: &mut KeyBuf) {
        let start = out.len();
        if self.nullable {
            out.extend(&[u8::from(!value.is_null())]);
        }
        match (self.form, value) {
            (_, ValueRef::Null) => out.extend_zeros(self.width.unwrap_or(0)),
            (Form::Word(word), value) => {
                // The word is inverted already if the column is descending; the NULL byte is not.
                out.invert(start, self.mask);
                return word.append(word.of(value), out);
            }
            (Form::Wide, ValueRef::Decimal(v)) => {
                out.extend(&(v as u128 ^ 1 << 127).to_be_bytes());
            }
            (Form::Guid, ValueRef::Guid(v)) => out.extend(&guid(v)),
            (Form::Raw, ValueRef::Bytes(v)) => out.extend(v),
            (Form::Binary, ValueRef::Bytes(v)) => out.extend_binary(v),
            (Form::Text, value) => {
                out.escape_from(|key| collation::sort_key(self.ty.collation, value, key));
                out.terminate();
            }
            (Form::Variant, value) => variant::encode(value, out),
            (form, value) => unreachable!("{value:?} in a key column of {:?} ({form:?})", self.ty),
        }
        out.invert(start, self.mask);
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
