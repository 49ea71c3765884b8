//! Values on the wire: where one ends ([`frame`]), what its bytes mean ([`decode`], [`variant`],
//! [`temporal`]), and the way back ([`encode`]).

pub mod decode;
pub mod encode;
pub mod frame;
pub mod temporal;
pub mod variant;

use base::{Value, ValueRef};

/// A value that was received: borrowed from the message where its bytes lie there as they are,
/// owned where they had to be put together.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum<'a> {
    /// Points into the message, or is of fixed size.
    Borrowed(ValueRef<'a>),
    /// A value in several chunks, a padded one, or a variant.
    Owned(Value),
}

impl Datum<'_> {
    /// SQL NULL.
    pub const NULL: Datum<'static> = Datum::Borrowed(ValueRef::Null);

    /// The value, borrowed.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Datum::Borrowed(value) => *value,
            Datum::Owned(value) => value.as_ref(),
        }
    }

    /// The value, owned.
    pub fn into_value(self) -> Value {
        match self {
            Datum::Borrowed(value) => value.to_owned(),
            Datum::Owned(value) => value,
        }
    }

    /// Whether the value is NULL.
    pub fn is_null(&self) -> bool {
        self.as_ref().is_null()
    }
}
