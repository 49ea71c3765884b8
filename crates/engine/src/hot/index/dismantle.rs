//! Taking the index of a dropped table apart: step by step, and without a search for each row,
//! since no other thread uses the index any more.

/// How far an index has been taken apart. A caller that begins must go on to the end.
#[derive(Debug, Default)]
pub enum Dismantling {
    /// It has not been touched yet.
    #[default]
    Whole,
    /// This word leads to the rest of a hash index's list; the index itself is empty.
    List(u64),
    /// These nodes of a range index are left, with all below them; the index itself is empty.
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
