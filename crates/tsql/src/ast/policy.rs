//! Security policies.

use super::{CreateAction, Expr, ObjectName, Span};

/// `CREATE SECURITY POLICY` and `ALTER SECURITY POLICY`.
#[derive(Clone, Debug)]
pub struct SecurityPolicyStatement {
    /// `Create` or `Alter`.
    pub action: CreateAction,
    /// Its name.
    pub name: ObjectName,
    /// What happens to its predicates, in order.
    pub changes: Vec<PredicateChange>,
    /// `STATE = ON` or `OFF`.
    pub state: Option<bool>,
    /// `SCHEMABINDING = ON` or `OFF`.
    pub schema_binding: Option<bool>,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// A change of one predicate of a policy.
#[derive(Clone, Debug)]
pub struct PredicateChange {
    /// Where it stands.
    pub span: Span,
    /// What is done.
    pub action: PredicateAction,
    /// `BLOCK`; else `FILTER`.
    pub block: bool,
    /// The table that the predicate is about.
    pub table: ObjectName,
    /// The operation that is blocked; all of them when missing.
    pub operation: Option<BlockedOperation>,
}

/// What is done to a predicate.
#[derive(Clone, Debug)]
pub enum PredicateAction {
    /// `ADD … PREDICATE function(arguments)`.
    Add(PredicateCall),
    /// `ALTER … PREDICATE function(arguments)`.
    Alter(PredicateCall),
    /// `DROP … PREDICATE`.
    Drop,
}

/// The function that decides, with its arguments.
#[derive(Clone, Debug)]
pub struct PredicateCall {
    /// The function.
    pub function: ObjectName,
    /// Its arguments: expressions over the columns of the table.
    pub arguments: Vec<Expr>,
}

/// What a `BLOCK PREDICATE` looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockedOperation {
    /// `AFTER INSERT`: new rows.
    AfterInsert,
    /// `AFTER UPDATE`: rows with their new values.
    AfterUpdate,
    /// `BEFORE UPDATE`: rows with their old values.
    BeforeUpdate,
    /// `BEFORE DELETE`: rows that are deleted.
    BeforeDelete,
}
