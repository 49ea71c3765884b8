//! The state of an aggregate: four words, and more on the heap only where values are strings.

use base::types::Repr;
use base::value::{DateTime, DateTimeOffset};
use base::{Arena, SqlType, ValueRef};

use super::quantiles::Quantiles;
use super::sketch::Sketch;

/// The state of an aggregate for one group. Each function uses the parts that it needs.
#[derive(Clone, Debug, Default)]
pub struct AggregateState {
    /// A sum of 128 bits, two floats, or a value of fixed size.
    words: [u64; 2],
    /// How many values were taken in.
    pub count: i64,
    /// What does not fit into words.
    pub more: More,
}

/// What does not fit into words.
#[derive(Clone, Debug, Default)]
pub enum More {
    /// Nothing.
    #[default]
    Nothing,
    /// A string or binary; boxed, so that states of numbers stay small.
    Bytes(Box<Vec<u8>>),
    /// A sketch of the values seen, which estimates their number.
    Sketch(Box<Sketch>),
    /// A sketch of their order.
    Quantiles(Box<Quantiles>),
}

/// Bytes that a state keeps without charging them before.
const FEW: usize = 8000;

impl AggregateState {
    /// Bytes on the heap, for memory accounting.
    pub fn heap_bytes(&self) -> usize {
        match &self.more {
            More::Nothing => 0,
            More::Bytes(bytes) => bytes.capacity() + size_of::<Vec<u8>>(),
            More::Sketch(sketch) => sketch.heap_bytes() + size_of::<Sketch>(),
            More::Quantiles(values) => values.heap_bytes() + size_of::<Quantiles>(),
        }
    }

    /// Whether the state keeps a string or binary, which may become long.
    #[inline]
    pub fn collects(&self) -> bool {
        matches!(self.more, More::Bytes(_))
    }

    /// The capacity that the state needs to keep this many bytes more, if its buffer must grow
    /// beyond `FEW` bytes for them.
    pub fn room_for(&self, more: usize) -> Option<usize> {
        let (len, capacity) = match &self.more {
            More::Bytes(bytes) => (bytes.len(), bytes.capacity()),
            _ => (0, 0),
        };
        let needed = len + more;
        let grows = needed > capacity && needed > FEW;
        grows.then(|| needed.max(capacity + capacity / 2))
    }

    /// Grows the buffer to a capacity that [`AggregateState::room_for`] has returned.
    pub fn make_room(&mut self, capacity: usize) {
        let bytes = self.bytes();
        bytes.reserve_exact(capacity - bytes.len());
    }

    /// The words as one integer.
    pub fn sum(&self) -> i128 {
        (u128::from(self.words[1]) << 64 | u128::from(self.words[0])) as i128
    }

    /// Keeps one integer.
    pub fn set_sum(&mut self, sum: i128) {
        self.words = [sum as u64, (sum as u128 >> 64) as u64];
    }

    /// The words as two floats.
    pub fn floats(&self) -> [f64; 2] {
        self.words.map(f64::from_bits)
    }

    /// Keeps two floats.
    pub fn set_floats(&mut self, floats: [f64; 2]) {
        self.words = floats.map(f64::to_bits);
    }

    /// The value kept, of type `ty`; NULL if there is none.
    pub fn value<'s>(&'s self, ty: &SqlType) -> ValueRef<'s> {
        if self.count == 0 {
            return ValueRef::Null;
        }
        let [low, high] = self.words;
        match (ty.kind.repr(), &self.more) {
            (Repr::Int, _) => ValueRef::Int(low as i64),
            (Repr::Money, _) => ValueRef::Money(low as i64),
            (Repr::Decimal, _) => ValueRef::Decimal(self.sum()),
            (Repr::Float, _) => ValueRef::Float(f64::from_bits(low)),
            (Repr::Date, _) => ValueRef::Date(low as i32),
            (Repr::Time, _) => ValueRef::Time(low as i64),
            (Repr::DateTime2, _) => ValueRef::DateTime2(low as i64),
            (Repr::SmallDateTime, _) => ValueRef::SmallDateTime(low as i64),
            (Repr::DateTime, _) => {
                ValueRef::DateTime(DateTime { days: low as i32, ticks: high as u32 })
            }
            (Repr::DateTimeOffset, _) => ValueRef::DateTimeOffset(DateTimeOffset {
                utc_ticks: low as i64,
                offset_minutes: high as i16,
            }),
            (Repr::Guid, _) => ValueRef::Guid(self.sum().to_le_bytes()),
            (Repr::Chars, More::Bytes(bytes)) => ValueRef::Chars(bytes),
            (Repr::Unicode, More::Bytes(bytes)) => ValueRef::Unicode(bytes),
            (Repr::Bytes | Repr::Variant, More::Bytes(bytes)) => ValueRef::Bytes(bytes),
            (repr, more) => unreachable!("{repr:?} is kept as bytes, not as {more:?}"),
        }
    }

    /// Keeps a value that is not NULL instead of the one before.
    pub fn set_value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Int(v)
            | ValueRef::Money(v)
            | ValueRef::Time(v)
            | ValueRef::DateTime2(v)
            | ValueRef::SmallDateTime(v) => self.words[0] = v as u64,
            ValueRef::Decimal(v) => self.set_sum(v),
            ValueRef::Float(v) => self.words[0] = v.to_bits(),
            ValueRef::Date(v) => self.words[0] = v as u64,
            ValueRef::DateTime(v) => self.words = [v.days as u64, u64::from(v.ticks)],
            ValueRef::DateTimeOffset(v) => {
                self.words = [v.utc_ticks as u64, v.offset_minutes as u64];
            }
            ValueRef::Guid(v) => self.set_sum(i128::from_le_bytes(v)),
            ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => {
                let kept = self.bytes();
                kept.clear();
                kept.extend_from_slice(b);
            }
            ValueRef::Null | ValueRef::Variant(_) => {
                unreachable!("{value:?} is not kept: NULL is ignored and variants are encoded")
            }
        }
    }

    /// The bytes on the heap, made if there are none yet.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        if !matches!(self.more, More::Bytes(_)) {
            self.more = More::Bytes(Box::default());
        }
        match &mut self.more {
            More::Bytes(bytes) => bytes,
            _ => unreachable!("they have just been made"),
        }
    }
}

/// A value that does not borrow from its state.
pub fn copied<'a>(value: ValueRef<'_>, arena: &'a Arena) -> ValueRef<'a> {
    match value {
        ValueRef::Chars(b) => ValueRef::Chars(arena.alloc_bytes(b)),
        ValueRef::Unicode(b) => ValueRef::Unicode(arena.alloc_bytes(b)),
        ValueRef::Bytes(b) => ValueRef::Bytes(arena.alloc_bytes(b)),
        ValueRef::Null => ValueRef::Null,
        ValueRef::Int(v) => ValueRef::Int(v),
        ValueRef::Money(v) => ValueRef::Money(v),
        ValueRef::Decimal(v) => ValueRef::Decimal(v),
        ValueRef::Float(v) => ValueRef::Float(v),
        ValueRef::Date(v) => ValueRef::Date(v),
        ValueRef::Time(v) => ValueRef::Time(v),
        ValueRef::DateTime(v) => ValueRef::DateTime(v),
        ValueRef::SmallDateTime(v) => ValueRef::SmallDateTime(v),
        ValueRef::DateTime2(v) => ValueRef::DateTime2(v),
        ValueRef::DateTimeOffset(v) => ValueRef::DateTimeOffset(v),
        ValueRef::Guid(v) => ValueRef::Guid(v),
        ValueRef::Variant(_) => unreachable!("variants are kept in their encoding"),
    }
}
