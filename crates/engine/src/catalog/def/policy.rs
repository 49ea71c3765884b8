//! Security policies: which rows of tables statements see and may write.

use base::ids::ObjectId;

use super::{Name, ObjectHeader, Reference, coded};

/// A security policy.
#[derive(Clone, PartialEq, Debug)]
pub struct SecurityPolicyDef {
    /// Id, schema, name and dates.
    pub header: ObjectHeader,
    /// `STATE = ON`: its predicates hold.
    pub enabled: bool,
    /// `SCHEMABINDING = ON`: the functions stay as they are, and nothing need be permitted to be
    /// judged by them.
    pub schema_bound: bool,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
    /// The highest id that a predicate has had.
    pub max_predicate_id: i32,
    /// The predicates by ascending id.
    pub predicates: Vec<PredicateDef>,
}

/// One predicate of a security policy.
#[derive(Clone, PartialEq, Debug)]
pub struct PredicateDef {
    /// `security_predicate_id`.
    pub id: i32,
    /// The table whose rows it is about.
    pub table: ObjectId,
    /// What it decides.
    pub kind: PredicateKind,
    /// What a `BLOCK` predicate looks at; `None` for all operations, and of a `FILTER`.
    pub operation: Option<BlockedOperation>,
    /// The schema of the function.
    pub schema: Name,
    /// The function's name.
    pub function: Name,
    /// What the function is called with: expressions over the columns of the table.
    pub arguments: Vec<Name>,
    /// The function, and the table and its columns that the arguments mention.
    pub references: Vec<Reference>,
}

coded! {
    /// `predicate_type`.
    PredicateKind: u8 {
        /// Rows for which it is not true are not seen.
        Filter = 0 "FILTER",
        /// Writing rows for which it is not true fails.
        Block = 1 "BLOCK",
    }
}

coded! {
    /// `operation` of a `BLOCK` predicate.
    BlockedOperation: u8 {
        /// New rows.
        AfterInsert = 1 "AFTER INSERT",
        /// Changed rows with their new values.
        AfterUpdate = 2 "AFTER UPDATE",
        /// Changed rows with their old values.
        BeforeUpdate = 3 "BEFORE UPDATE",
        /// Deleted rows.
        BeforeDelete = 4 "BEFORE DELETE",
    }
}

impl SecurityPolicyDef {
    /// The tables that it is about, each once.
    pub fn tables(&self) -> Vec<ObjectId> {
        let mut tables: Vec<ObjectId> = self.predicates.iter().map(|p| p.table).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

impl PredicateDef {
    /// What `sys.security_predicates` shows as `predicate_definition`.
    pub fn definition(&self) -> String {
        let quoted = |name: &str| format!("[{}]", name.replace(']', "]]"));
        let (schema, function) = (quoted(&self.schema), quoted(&self.function));
        format!("({schema}.{function}({}))", self.arguments.join(","))
    }

    /// Whether it looks at an operation.
    pub fn blocks(&self, operation: BlockedOperation) -> bool {
        self.kind == PredicateKind::Block && self.operation.is_none_or(|own| own == operation)
    }
}
