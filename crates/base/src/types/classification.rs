//! What is said about the sensitivity of a column: `ADD SENSITIVITY CLASSIFICATION`.

use std::sync::Arc;

/// A classification. Labels and types of information have names and ids, both as the user has
/// given them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Classification {
    /// `LABEL`.
    pub label: Option<Arc<str>>,
    /// `LABEL_ID`.
    pub label_id: Option<Arc<str>>,
    /// `INFORMATION_TYPE`.
    pub information_type: Option<Arc<str>>,
    /// `INFORMATION_TYPE_ID`.
    pub information_type_id: Option<Arc<str>>,
    /// The number of a `RANK`, one of [`Classification::RANKS`].
    pub rank: Option<i32>,
}

impl Classification {
    /// The ranks and their numbers.
    pub const RANKS: [(&str, i32); 5] =
        [("NONE", 0), ("LOW", 10), ("MEDIUM", 20), ("HIGH", 30), ("CRITICAL", 40)];

    /// The name of the rank.
    pub fn rank_name(&self) -> Option<&'static str> {
        let rank = self.rank?;
        Classification::RANKS.iter().find(|(_, number)| *number == rank).map(|(name, _)| *name)
    }
}
