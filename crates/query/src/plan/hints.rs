//! What a statement's hints demand of its plan.

use smallvec::SmallVec;

use crate::plan::expr::ColId;

/// How a join is to be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinMethod {
    /// For each outer row, the inner side: `LOOP`.
    Loop,
    /// By hashing: `HASH`; `MERGE`, too, since there is no merging join.
    Hash,
}

/// Hints of a whole statement, and of its joins.
#[derive(Clone, Debug, Default)]
pub struct PlanHints {
    /// `OPTION (FORCE ORDER)`, `SET FORCEPLAN`, or a join that has a hint of its own: joins happen in
    /// the order written.
    pub force_order: bool,
    /// `OPTION (LOOP JOIN, HASH JOIN)`: the methods allowed; all when empty.
    pub methods: SmallVec<[JoinMethod; 2]>,
    /// Joins that have a hint of their own, by a column that the binder added to their right sides.
    pub joins: SmallVec<[(ColId, JoinMethod); 2]>,
    /// `OPTION (HASH GROUP)` or `ORDER GROUP` (false).
    pub hash_group: Option<bool>,
}
