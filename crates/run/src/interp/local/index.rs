//! Indexes of local tables: from normalized keys to rows.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use engine::hot::key::{KeyBuf, KeyColumn, KeyRange, KeySpec};
use engine::hot::row::RowLayout;
use smallvec::SmallVec;

use crate::interp::local::table::RowId;

/// What an index is made from.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalIndexSpec {
    /// The key columns, by place in the layout.
    pub columns: Vec<KeyColumn>,
    /// Whether rows are found by the whole key only.
    pub hash: bool,
    /// Whether two rows may not have the same key.
    pub unique: bool,
}

type Key = SmallVec<[u8; 24]>;
type Rows = SmallVec<[RowId; 2]>;

/// An index.
#[derive(Debug)]
pub struct LocalIndex {
    map: Map,
    /// Bytes of keys and rows, roughly.
    bytes: usize,
}

#[derive(Debug)]
enum Map {
    Hash(HashMap<Key, Rows>),
    Ordered(BTreeMap<Key, Rows>),
}

/// Bytes that a key takes beside its own, roughly.
const ENTRY: usize = 64;

impl LocalIndex {
    pub fn new(spec: &LocalIndexSpec) -> LocalIndex {
        let map = match spec.hash {
            true => Map::Hash(HashMap::new()),
            false => Map::Ordered(BTreeMap::new()),
        };
        LocalIndex { map, bytes: 0 }
    }

    /// The rows with this key.
    pub fn get(&self, key: &[u8]) -> &[RowId] {
        match &self.map {
            Map::Hash(map) => map.get(key).map_or(&[], |rows| rows),
            Map::Ordered(map) => map.get(key).map_or(&[], |rows| rows),
        }
    }

    /// Adds a row.
    pub fn insert(&mut self, key: &[u8], row: RowId) {
        let known = match &mut self.map {
            Map::Hash(map) => map.get_mut(key),
            Map::Ordered(map) => map.get_mut(key),
        };
        if let Some(rows) = known {
            rows.push(row);
            return;
        }
        self.bytes += ENTRY + key.len();
        let (key, rows) = (Key::from_slice(key), SmallVec::from_slice(&[row]));
        match &mut self.map {
            Map::Hash(map) => drop(map.insert(key, rows)),
            Map::Ordered(map) => drop(map.insert(key, rows)),
        }
    }

    /// Removes a row.
    pub fn remove(&mut self, key: &[u8], row: RowId) {
        let rows = match &mut self.map {
            Map::Hash(map) => map.get_mut(key),
            Map::Ordered(map) => map.get_mut(key),
        };
        let Some(rows) = rows else { return };
        rows.retain(|r| *r != row);
        if rows.is_empty() {
            self.bytes -= ENTRY + key.len();
            match &mut self.map {
                Map::Hash(map) => drop(map.remove(key)),
                Map::Ordered(map) => drop(map.remove(key)),
            }
        }
    }

    /// The rows whose keys lie in a range, in order; a hash index has none.
    pub fn range(&self, range: &KeyRange, backward: bool, out: &mut Vec<RowId>) {
        let Map::Ordered(map) = &self.map else { return };
        if range.is_empty() {
            return;
        }
        let upper = range.upper.as_ref().map_or(Bound::Unbounded, |key| Bound::Excluded(&key[..]));
        let found = map.range::<[u8], _>((Bound::Included(&range.lower[..]), upper));
        let found = found.map(|(_, rows)| rows);
        match backward {
            false => found.for_each(|rows| out.extend_from_slice(rows)),
            true => found.rev().for_each(|rows| out.extend(rows.iter().rev())),
        }
    }

    pub fn clear(&mut self) {
        self.bytes = 0;
        match &mut self.map {
            Map::Hash(map) => map.clear(),
            Map::Ordered(map) => map.clear(),
        }
    }

    pub fn allocated(&self) -> usize {
        self.bytes
    }
}

/// The specification of an index's keys.
pub fn key_spec(layout: &RowLayout, spec: &LocalIndexSpec) -> KeySpec {
    KeySpec::new(layout, &spec.columns)
}

/// The key of a row.
pub fn encode(key: &KeySpec, layout: &RowLayout, row: &[u8], out: &mut KeyBuf) {
    key.encode_row(layout, row, out);
}
