//! Ranges of keys.

use std::ops::Bound;

use base::ValueRef;

use super::{KeyBuf, KeySpec};

/// The keys from a lower bound on and below an upper one, in the order of the index.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct KeyRange {
    /// The first byte string in the range.
    pub lower: KeyBuf,
    /// The first byte string after the range, or `None` if it has no end.
    pub upper: Option<KeyBuf>,
}

impl KeyRange {
    /// All keys.
    pub fn all() -> KeyRange {
        KeyRange::default()
    }

    /// The keys that start with these bytes.
    pub fn prefix(bytes: &[u8]) -> KeyRange {
        let mut upper = KeyBuf::from(bytes);
        let bounded = upper.increment();
        KeyRange { lower: KeyBuf::from(bytes), upper: bounded.then_some(upper) }
    }

    /// Whether the bounds exclude every key.
    pub fn is_empty(&self) -> bool {
        self.upper.as_ref().is_some_and(|upper| *upper <= self.lower)
    }

    /// Whether the range holds this key.
    pub fn contains(&self, key: &[u8]) -> bool {
        *key >= *self.lower && self.upper.as_ref().is_none_or(|upper| *key < **upper)
    }
}

impl KeySpec {
    /// The keys between two bounds on leading columns. An included bound includes, and an excluded
    /// one excludes, all keys whose leading columns equal it. The bounds are given in the order of
    /// the index: for a descending column the lower bound is the greater value. An unbounded start
    /// includes NULL, so that `c < 5` has the lower bound `Excluded(&[Null])` if `c` is nullable
    /// and ascending.
    pub fn range(&self, lower: Bound<&[ValueRef<'_>]>, upper: Bound<&[ValueRef<'_>]>) -> KeyRange {
        let mut range = KeyRange::all();
        let mut beyond_all = false;
        match lower {
            Bound::Unbounded => {}
            Bound::Included(values) => self.encode_values(values, &mut range.lower),
            Bound::Excluded(values) => {
                self.encode_values(values, &mut range.lower);
                beyond_all = !range.lower.increment();
            }
        }
        if beyond_all {
            range.upper = Some(KeyBuf::new());
            return range;
        }
        match upper {
            Bound::Unbounded => {}
            Bound::Excluded(values) => {
                let mut end = KeyBuf::new();
                self.encode_values(values, &mut end);
                range.upper = Some(end);
            }
            Bound::Included(values) => {
                let mut end = KeyBuf::new();
                self.encode_values(values, &mut end);
                range.upper = end.increment().then_some(end);
            }
        }
        range
    }
}

/// The part of an index that a cursor goes through. Keys are encoded by the index's [`KeySpec`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScanRange {
    /// All rows.
    All,
    /// The rows with this whole key.
    Key(KeyBuf),
    /// The rows whose keys are in this range, in a range index.
    Keys(KeyRange),
}

impl ScanRange {
    /// The range as bounds of keys. A byte string that begins with a key of the range is within the
    /// bounds, too, and no other is.
    pub(crate) fn keys(&self) -> KeyRange {
        match self {
            ScanRange::All => KeyRange::all(),
            ScanRange::Key(key) => KeyRange::prefix(key),
            ScanRange::Keys(range) => range.clone(),
        }
    }
}
