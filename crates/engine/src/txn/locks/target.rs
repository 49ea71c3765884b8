//! What can be locked, and for how long.

use std::hash::{Hash, Hasher};

use crate::hot::key::{KeyBuf, KeyRange, ScanRange};
use crate::sync::Arc;

/// The target of a lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// The table.
    Whole,
    /// A row, by its name (`KeysOf::name`).
    Row(u64),
    /// Rows of a range of an index and the gaps between them.
    Span(Span),
    /// The place of a new row in every index. Never held: the row itself is the lock from then on.
    Insert,
    /// A name: application locks.
    Name(Arc<str>),
    /// Something that has a definition.
    Definition(LockedDefinition),
}

/// A range of an index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The index's ordinal.
    pub index: usize,
    /// Its first key.
    pub lower: KeyBuf,
    /// The first key after it, if it has an end.
    pub upper: Option<KeyBuf>,
}

impl Hash for Span {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
        self.lower.as_ref().hash(state);
    }
}

impl Span {
    /// The span of a cursor over this range of an index. Without an order a range of keys is the
    /// whole index.
    pub fn of(index: usize, range: &ScanRange, ordered: bool) -> Span {
        let KeyRange { lower, upper } = match range {
            ScanRange::Key(key) => KeyRange::prefix(key),
            ScanRange::Keys(keys) if ordered => keys.clone(),
            ScanRange::Keys(_) | ScanRange::All => KeyRange::all(),
        };
        Span { index, lower, upper }
    }

    pub(super) fn holds(&self, key: &[u8]) -> bool {
        *key >= *self.lower && self.upper.as_ref().is_none_or(|upper| *key < **upper)
    }

    pub(super) fn meets(&self, other: &Span) -> bool {
        let before = |a: &Span, b: &Span| a.upper.as_ref().is_some_and(|end| *end <= b.lower);
        self.index == other.index && !before(self, other) && !before(other, self)
    }

    pub(super) fn contains(&self, other: &Span) -> bool {
        let ends_behind = match (&self.upper, &other.upper) {
            (None, _) => true,
            (Some(own), Some(others)) => own >= others,
            (Some(_), None) => false,
        };
        self.index == other.index && self.lower <= other.lower && ends_behind
    }
}

/// How long a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lifetime {
    /// Until the statement ends.
    Statement,
    /// Until the transaction ends.
    Transaction,
    /// Until it is released, or the session ends.
    Session,
}

/// Something in a database that changes of definitions lock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LockedDefinition {
    /// All definitions. A transaction that changes some of them takes an intent lock; one that
    /// needs them all unchanged takes a shared lock.
    All,
    /// All definitions of a kind that is checked as a whole.
    Kind(DefinitionKind),
    /// One definition, by its ids.
    One(DefinitionKind, [i32; 4]),
    /// A name among those of a kind, within the schema with this id.
    Name(DefinitionKind, i32, Arc<[u8]>),
}

/// Kinds of definitions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum DefinitionKind {
    Object,
    Type,
    XmlCollection,
    Schema,
    Principal,
    /// The login that a user stands for.
    Sid,
    Permissions,
    Properties,
    FileGroup,
    File,
    Database,
    Login,
    ServerPermissions,
    Configuration,
    Message,
    ResourcePool,
    RowCache,
    Setting,
}
