//! Normalized keys of register values: bytes that are equal, and ordered, as the values are.
//!
//! Hash tables, sets, groups and sorters look at values through these alone, so that collations,
//! padding, negative zero and the byte order of uniqueidentifiers do not concern them. The encoding
//! is the engine's for index keys ([`engine::hot::key`]); every column is nullable here, and
//! `(max)` types are allowed.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

use base::{Account, Charged, SqlResult, SqlType, UNASKED, Value, ValueRef};
use engine::hot::key::{KeyBuf, KeyColumn, KeySpec};
use engine::hot::row::RowLayout;

/// How values of some types become a key.
#[derive(Clone, Debug)]
pub struct KeyShape {
    /// `None` for a key of no columns.
    spec: Option<KeySpec>,
    /// Whether values may be longer than an index's.
    may_be_long: bool,
}

impl KeyShape {
    /// Keys of columns of these types; `true` for those whose order is descending.
    pub fn new(columns: impl IntoIterator<Item = (SqlType, bool)>) -> KeyShape {
        let mut may_be_long = false;
        let (types, keys): (Vec<SqlType>, Vec<KeyColumn>) = (columns.into_iter().enumerate())
            .map(|(column, (ty, descending))| {
                may_be_long |= bounded(ty) != ty;
                (bounded(ty), KeyColumn { column, descending, nullable: true })
            })
            .unzip();
        let spec = (!types.is_empty()).then(|| KeySpec::new(&RowLayout::new(&types), &keys));
        KeyShape { spec, may_be_long }
    }

    /// Keys of columns of these types, in ascending order.
    pub fn of(types: &[SqlType]) -> KeyShape {
        KeyShape::new(types.iter().map(|&ty| (ty, false)))
    }

    /// Encodes one value per column, replacing what `out` held. Error 701 where the account has no
    /// room for a long key.
    #[inline]
    pub fn encode(
        &self,
        values: &[ValueRef<'_>],
        out: &mut ChargedKey,
        account: &Arc<Account>,
    ) -> SqlResult<()> {
        if !self.may_be_long {
            self.encode_into(values, &mut out.key);
            return Ok(());
        }
        let bytes = values.iter().map(ValueRef::byte_len).sum();
        out.make(bytes, account, |out| self.encode_into(values, out))
    }

    fn encode_into(&self, values: &[ValueRef<'_>], out: &mut KeyBuf) {
        match &self.spec {
            Some(spec) => spec.encode_values(values, out),
            None => out.clear(),
        }
    }
}

/// A key that is encoded again and again. What a long one takes is charged for as long as it is
/// kept.
#[derive(Debug, Default)]
pub struct ChargedKey {
    key: KeyBuf,
    charged: Option<Charged>,
}

/// What a key takes of memory while it is encoded, about, for each byte of its values: it is built
/// twice, in memory that doubles when it grows.
const WHILE_ENCODED: usize = 4;

impl ChargedKey {
    /// An empty key.
    pub fn new() -> ChargedKey {
        ChargedKey::default()
    }

    /// Makes this key a copy of another. Error 701 where the account has no room for a long one.
    pub fn copy_from(&mut self, key: &[u8], account: &Arc<Account>) -> SqlResult<()> {
        self.make(key.len(), account, |out| out.set(key))
    }

    /// Makes the key by `encode`, of values that have this many bytes.
    fn make(
        &mut self,
        bytes: usize,
        account: &Arc<Account>,
        encode: impl FnOnce(&mut KeyBuf),
    ) -> SqlResult<()> {
        if self.charged.is_some() {
            *self = ChargedKey::new();
        }
        if bytes <= UNASKED {
            encode(&mut self.key);
            return Ok(());
        }
        self.key = KeyBuf::new();
        let mut charged = Charged::take(account, WHILE_ENCODED * bytes)?;
        encode(&mut self.key);
        if let Err(error) = charged.resize(self.key.allocated()) {
            self.key = KeyBuf::new();
            return Err(error);
        }
        self.charged = Some(charged);
        Ok(())
    }

    /// Empties the key.
    pub fn clear(&mut self) {
        match self.charged {
            Some(_) => *self = ChargedKey::new(),
            None => self.key.clear(),
        }
    }

    /// Adds bytes at the end, a few.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.key.extend(bytes);
    }
}

impl Deref for ChargedKey {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.key
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
                        shape.encode_into(&[value.as_ref()], &mut key);
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

    /// Whether a value that is not NULL is in the set. `key` is working space. Error 701 for a long
    /// value.
    pub fn contains(
        &self,
        value: ValueRef<'_>,
        key: &mut ChargedKey,
        account: &Arc<Account>,
    ) -> SqlResult<bool> {
        match (&self.lookup, value) {
            (Lookup::Sorted(ints), ValueRef::Int(v)) => Ok(ints.binary_search(&v).is_ok()),
            (Lookup::Sorted(_), _) => Ok(false),
            (Lookup::Keys { shape, keys }, value) => {
                shape.encode(&[value], key, account)?;
                Ok(keys.contains(&key[..]))
            }
        }
    }
}
