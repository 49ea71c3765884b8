//! What clients have done and seen.

/// A list or a set: lists are rows whose value grows, sets are rows that share a group.
pub type Key = u32;
/// What is appended or added. No value is written twice.
pub type Element = u64;

/// One step of a transaction, with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An element was put at the end of a list.
    Append(Key, Element),
    /// A list was read.
    List(Key, Vec<Element>),
    /// An element was added to a set.
    Add(Key, Element),
    /// A set was read, by a predicate.
    Set(Key, Vec<Element>),
}

/// A transaction and how it ended.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// What it did and saw, in order.
    pub steps: Vec<Step>,
    /// Whether its commit was acknowledged; otherwise it was rolled back.
    pub committed: bool,
}

/// What a level of isolation promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// No cycle of writes and reads of what other transactions wrote (G0, G1).
    ReadCommitted,
    /// That, and no cycle without two anti-dependencies in a row (G-SI).
    Snapshot,
    /// No cycle of dependencies between rows (G2-item); sets may have phantoms.
    RepeatableRead,
    /// No cycle at all (G2).
    Serializable,
}
