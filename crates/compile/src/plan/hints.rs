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
    /// `OPTION (FORCE ORDER)`, `SET FORCEPLAN`, or a join that has a hint of its own: joins happen
    /// in the order written.
    pub force_order: bool,
    /// `OPTION (LOOP JOIN, HASH JOIN)`: the methods allowed; all when empty.
    pub methods: SmallVec<[JoinMethod; 2]>,
    /// Joins that have a hint of their own, by a column that the binder added to their right sides.
    pub joins: SmallVec<[(ColId, JoinMethod); 2]>,
    /// `OPTION (HASH GROUP)` or `ORDER GROUP` (false).
    pub hash_group: Option<bool>,
    /// `OPTION (FAST n)`: the first rows count more than all of them.
    pub first_rows: bool,
    /// `OPTION (MIN_GRANT_PERCENT = n)`
    pub min_grant: Option<f64>,
    /// `OPTION (MAX_GRANT_PERCENT = n)`
    pub max_grant: Option<f64>,
}

/// What hints demand of how the rows of one source are found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccessHint {
    /// `INDEX`: by one of these, by place in `TableDef::indexes`; by none of all for `INDEX (0)`.
    pub indexes: Option<SmallVec<[usize; 2]>>,
    /// `FORCESEEK` or `FORCESCAN`.
    pub forced: Option<ForcedAccess>,
    /// `FORCESEEK (index (a, b))`: the seek uses at least this many key columns.
    pub key_columns: usize,
}

/// How a hint demands that rows are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForcedAccess {
    /// By the key of an index: `FORCESEEK`.
    Seek,
    /// By a scan: `FORCESCAN`.
    Scan,
}

impl AccessHint {
    /// Whether the keys of an index may find the rows, or it may be read as a whole.
    pub fn allows(&self, index: usize) -> bool {
        self.indexes.as_ref().is_none_or(|of| of.contains(&index))
    }

    /// Whether the hint asks for an index by its name or number.
    pub fn names(&self, index: usize) -> bool {
        self.indexes.as_ref().is_some_and(|of| of.contains(&index))
    }

    /// `FORCESEEK`.
    pub fn seeks(&self) -> bool {
        self.forced == Some(ForcedAccess::Seek)
    }

    /// `FORCESCAN`.
    pub fn scans(&self) -> bool {
        self.forced == Some(ForcedAccess::Scan)
    }
}
