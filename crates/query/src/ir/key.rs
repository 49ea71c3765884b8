//! Normalized keys of register values: bytes that are equal, and ordered, as the values are.
//!
//! Hash tables, sets, groups and sorters look at values through these alone, so that collations,
//! padding, negative zero and the byte order of uniqueidentifiers are no concern of theirs. The
//! encoding is the engine's for index keys ([`engine::hot::key`]); every column is nullable here, and
//! `(max)` types are allowed.

use std::collections::HashSet;

use base::{SqlResult, SqlType, Value, ValueRef};
use engine::hot::key::{KeyBuf, KeyColumn, KeySpec};
use engine::hot::row::RowLayout;

/// How values of some types become a key.
#[derive(Clone, Debug)]
pub struct KeyShape {
    /// `None` for a key of no columns.
    spec: Option<KeySpec>,
}

impl KeyShape {
    /// Keys of columns of these types; `true` for those whose order is descending.
    pub fn new(columns: impl IntoIterator<Item = (SqlType, bool)>) -> KeyShape {
        let (types, keys): (Vec<SqlType>, Vec<KeyColumn>) = (columns.into_iter().enumerate())
            .map(|(column, (ty, descending))| {
                (bounded(ty), KeyColumn { column, descending, nullable: true })
            })
            .unzip();
        if types.is_empty() {
            return KeyShape { spec: None };
        }
        KeyShape { spec: Some(KeySpec::new(&RowLayout::new(&types), &keys)) }
    }

    /// Keys of columns of these types, in ascending order.
    pub fn of(types: &[SqlType]) -> KeyShape {
        KeyShape::new(types.iter().map(|&ty| (ty, false)))
    }

    /// Encodes one value per column, replacing what `out` held.
    pub fn encode(&self, values: &[ValueRef<'_>], out: &mut KeyBuf) {
        match &self.spec {
            Some(spec) => spec.encode_values(values, out),
            None => out.clear(),
        }
    }
}

/// A type whose keys are the same and that an index could have.
fn bounded(mut ty: SqlType) -> SqlType {
    use base::TypeKind::*;
    ty.kind = match ty.kind {
        Text => VarChar,
        NText => NVarChar,
        Image => VarBinary,
        kind => kind,
    };
    if ty.is_max() {
        ty.length = 8000;
    }
    ty
}

/// A set of constants of one type, for `IN`.
#[derive(Debug)]
pub struct ConstantSet {
    /// The type.
    pub ty: SqlType,
    lookup: Lookup,
}

#[derive(Debug)]
enum Lookup {
    /// Integers and what is kept as such, in order.
    Sorted(Box<[i64]>),
    /// Anything else, by its key.
    Keys { shape: KeyShape, keys: HashSet<Box<[u8]>> },
}

impl ConstantSet {
    /// The set of these values, none of which is NULL.
    pub fn new(ty: SqlType, values: Vec<Value>) -> SqlResult<ConstantSet> {
        let ints: Option<Vec<i64>> = (values.iter())
            .map(|v| match v {
                Value::Int(v) => Some(*v),
                _ => None,
            })
            .collect();
        let lookup = match ints {
            Some(mut ints) => {
                ints.sort_unstable();
                ints.dedup();
                Lookup::Sorted(ints.into())
            }
            None => {
                let shape = KeyShape::of(&[ty]);
                let mut key = KeyBuf::new();
                let keys = (values.iter())
                    .map(|value| {
                        shape.encode(&[value.as_ref()], &mut key);
                        Box::from(&key[..])
                    })
                    .collect();
                Lookup::Keys { shape, keys }
            }
        };
        Ok(ConstantSet { ty, lookup })
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        match &self.lookup {
            Lookup::Sorted(ints) => ints.len(),
            Lookup::Keys { keys, .. } => keys.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a value that is not NULL is in the set. `key` is working space.
    pub fn contains(&self, value: ValueRef<'_>, key: &mut KeyBuf) -> bool {
        match (&self.lookup, value) {
            (Lookup::Sorted(ints), ValueRef::Int(v)) => ints.binary_search(&v).is_ok(),
            (Lookup::Sorted(_), _) => false,
            (Lookup::Keys { shape, keys }, value) => {
                shape.encode(&[value], key);
                keys.contains(&key[..])
            }
        }
    }
}
