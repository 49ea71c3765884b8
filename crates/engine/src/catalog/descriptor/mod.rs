//! Descriptors: the bytes in which a definition lies in its row.
//!
//! ```text
//! descriptor   format version: u8 | message
//! message      (tag: varint | length: varint | payload)*
//! payload      of a number: varint, zigzag if signed
//!              of a text: UTF-8
//!              of a list: (length: varint | payload)*
//!              of a structure: message
//! ```
//!
//! A field that has the value it would have if it were missing (zero, false, empty, none) is left
//! out, so new fields can be added for which that is the right value in old rows. A tag that is
//! not known comes from a newer server, and its row is refused: nothing is dropped silently. Tags
//! are never given a new meaning.
//!
//! Reading never panics, whatever the bytes are.

mod definitions;
mod values;

use std::fmt;
use std::sync::Arc;

/// The format version of descriptors.
const VERSION: u8 = 1;

/// Why bytes are not a descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Malformed {
    /// The bytes end within a field.
    Truncated,
    /// A newer server wrote it: this format version or tag is not known.
    Newer(u64),
    /// A field without which there is no such definition is missing.
    Missing(u64),
    /// A value makes no sense where it stands.
    Invalid(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Truncated => write!(f, "the descriptor is cut off"),
            Malformed::Newer(what) => {
                write!(f, "the descriptor was written by a newer server ({what})")
            }
            Malformed::Missing(tag) => write!(f, "the descriptor has no field {tag}"),
            Malformed::Invalid(what) => write!(f, "the descriptor holds an invalid {what}"),
        }
    }
}

/// Something that can be part of a descriptor.
pub(super) trait Field: Sized {
    /// Appends the payload.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads a payload, of which `bytes` holds nothing less and nothing more.
    fn read(bytes: &[u8]) -> Result<Self, Malformed>;

    /// The value of a field that is missing, if it may be.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether this is that value, and can be left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// The descriptor of a definition.
pub(super) fn encode<T: Field>(definition: &T) -> Vec<u8> {
    let mut out = vec![VERSION];
    definition.write(&mut out);
    out
}

/// The definition of a descriptor.
pub(super) fn decode<T: Field>(descriptor: &[u8]) -> Result<T, Malformed> {
    match descriptor.split_first() {
        Some((&VERSION, message)) => T::read(message),
        Some((&version, _)) => Err(Malformed::Newer(version.into())),
        None => Err(Malformed::Truncated),
    }
}

/// Reads numbers and stretches of bytes from the front.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.0.split_first().ok_or(Malformed::Truncated)?;
        self.0 = rest;
        Ok(byte)
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Malformed::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u128, Malformed> {
        let mut value = 0u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            value |= u128::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::Invalid("number"))
    }

    /// A length and that many bytes.
    fn payload(&mut self) -> Result<&'b [u8], Malformed> {
        let len = usize::try_from(self.varint()?).map_err(|_| Malformed::Truncated)?;
        self.take(len)
    }

    fn end(&self) -> Result<(), Malformed> {
        if self.is_empty() { Ok(()) } else { Err(Malformed::Invalid("length")) }
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and the bytes that `write` appends.
fn put_payload(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut payload = Vec::new();
    write(&mut payload);
    put_varint(out, payload.len() as u128);
    out.extend_from_slice(&payload);
}

/// Appends a field, unless it can be left out.
fn put_field<T: Field>(out: &mut Vec<u8>, tag: u64, field: &T) {
    if !field.is_absent() {
        put_varint(out, tag.into());
        put_payload(out, |payload| field.write(payload));
    }
}

/// The fields of a message by tag.
struct Fields<'b>(Vec<(u64, &'b [u8])>);

impl<'b> Fields<'b> {
    fn parse(bytes: &'b [u8], known: &[u64]) -> Result<Fields<'b>, Malformed> {
        let mut reader = Reader(bytes);
        let mut fields = Vec::with_capacity(known.len());
        while !reader.is_empty() {
            let tag = u64::try_from(reader.varint()?).map_err(|_| Malformed::Invalid("tag"))?;
            if !known.contains(&tag) {
                return Err(Malformed::Newer(tag));
            }
            fields.push((tag, reader.payload()?));
        }
        Ok(Fields(fields))
    }

    fn get<T: Field>(&self, tag: u64) -> Result<T, Malformed> {
        match self.0.iter().find(|(t, _)| *t == tag) {
            Some((_, payload)) => T::read(payload),
            None => T::absent().ok_or(Malformed::Missing(tag)),
        }
    }
}

/// Makes a structure a message: `message! { Point { 1 x, 2 y } }`. Fields after `derived` are not
/// written and are empty when read.
macro_rules! message {
    ($($name:ident { $($tag:literal $field:ident),* $(; derived $($derived:ident),*)? })*) => {$(
        impl Field for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $(put_field(out, $tag, &self.$field);)*
            }

            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                let fields = Fields::parse(bytes, &[$($tag),*])?;
                Ok($name {
                    $($field: fields.get($tag)?,)*
                    $($($derived: Default::default(),)*)?
                })
            }
        }
    )*};
}
use message;

macro_rules! number {
    (unsigned $($unsigned:ty),*; signed $($signed:ty),*) => {
        $(impl Field for $unsigned {
            fn write(&self, out: &mut Vec<u8>) {
                put_varint(out, (*self).into());
            }
            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                let mut reader = Reader(bytes);
                let value = reader.varint()?;
                reader.end()?;
                value.try_into().map_err(|_| Malformed::Invalid("number"))
            }
            fn absent() -> Option<Self> {
                Some(0)
            }
            fn is_absent(&self) -> bool {
                *self == 0
            }
        })*
        $(impl Field for $signed {
            fn write(&self, out: &mut Vec<u8>) {
                let value = i128::from(*self);
                put_varint(out, ((value << 1) ^ (value >> 127)) as u128);
            }
            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                let mut reader = Reader(bytes);
                let value = reader.varint()?;
                reader.end()?;
                let value = (value >> 1) as i128 ^ -((value & 1) as i128);
                value.try_into().map_err(|_| Malformed::Invalid("number"))
            }
            fn absent() -> Option<Self> {
                Some(0)
            }
            fn is_absent(&self) -> bool {
                *self == 0
            }
        })*
    };
}

number! { unsigned u8, u16, u32, u64; signed i16, i32, i64, i128 }

impl Field for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Malformed::Invalid("truth value")),
        }
    }

    fn absent() -> Option<Self> {
        Some(false)
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl Field for Arc<str> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        std::str::from_utf8(bytes).map(Arc::from).map_err(|_| Malformed::Invalid("text"))
    }

    fn absent() -> Option<Self> {
        Some("".into())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Field for Box<[u8]> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        Ok(bytes.into())
    }

    fn absent() -> Option<Self> {
        Some(Box::default())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Field for [u8; 16] {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        bytes.try_into().map_err(|_| Malformed::Invalid("guid"))
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        T::read(bytes).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        for item in self {
            put_payload(out, |payload| item.write(payload));
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let mut items = Vec::new();
        while !reader.is_empty() {
            items.push(T::read(reader.payload()?)?);
        }
        Ok(items)
    }

    fn absent() -> Option<Self> {
        Some(Vec::new())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Field> Field for Arc<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        T::read(bytes).map(Arc::new)
    }
}

#[cfg(test)]
mod tests;
