//! Transactions.

use super::{Ident, Variable};

/// The name of a transaction or savepoint.
#[derive(Clone, Debug)]
pub enum TransactionName {
    /// As written.
    Name(Ident),
    /// In a variable.
    Variable(Variable),
}

/// `BEGIN TRANSACTION`.
#[derive(Clone, Debug)]
pub struct BeginTransaction {
    /// `DISTRIBUTED`.
    pub distributed: bool,
    /// Its name.
    pub name: Option<TransactionName>,
    /// `WITH MARK 'description'`; the description may be missing.
    pub mark: Option<Option<Box<str>>>,
}

/// `COMMIT`.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The name, which means nothing.
    pub name: Option<TransactionName>,
    /// `WITH (DELAYED_DURABILITY = ON)`.
    pub delayed_durability: Option<bool>,
}
