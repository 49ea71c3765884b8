//! Taking the index of a dropped table apart: a share at a time, and without looking for each row,
//! since no other thread uses it any more.

/// How far an index has been taken apart. A caller that begins goes on to the end.
#[derive(Debug, Default)]
pub enum Dismantling {
    /// It has not been touched yet.
    #[default]
    Whole,
    /// The rest of a hash index's list is behind this word; the index is empty.
    List(u64),
    /// Nodes of a range index that are left, with what is below them; the index is empty.
    Nodes(Vec<u64>),
    /// Nothing is left.
    Over,
}

impl Dismantling {
    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        matches!(self, Dismantling::Over)
    }
}
