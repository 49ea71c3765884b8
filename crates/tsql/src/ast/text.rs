//! Statements about single values of the types `text`, `ntext` and `image`.

use super::{Expr, Ident, ObjectName};

/// `READTEXT`, `WRITETEXT`, `UPDATETEXT`.
#[derive(Clone, Debug)]
pub struct TextStatement {
    /// The value.
    pub place: TextPlace,
    /// What is done with it.
    pub action: TextAction,
}

/// `table.column pointer`: a value.
#[derive(Clone, Debug)]
pub struct TextPlace {
    /// The table.
    pub table: ObjectName,
    /// The column.
    pub column: Ident,
    /// The pointer: a variable or a binary literal.
    pub pointer: Expr,
}

/// What such a statement does. Numbers and data are literals, variables or `NULL`.
#[derive(Clone, Debug)]
pub enum TextAction {
    /// `READTEXT … offset size`.
    Read {
        /// Where it begins.
        offset: Expr,
        /// How much is read; all with 0.
        size: Expr,
        /// `HOLDLOCK`.
        hold_lock: bool,
    },
    /// `WRITETEXT … data`.
    Write(Expr),
    /// `UPDATETEXT … offset length data`.
    Update {
        /// Where it begins; NULL is the end.
        offset: Expr,
        /// How much is deleted; NULL is all.
        length: Expr,
        /// What is inserted.
        data: TextData,
    },
}

/// What `UPDATETEXT` inserts.
#[derive(Clone, Debug)]
pub enum TextData {
    /// Nothing.
    None,
    /// A literal or variable.
    Value(Expr),
    /// Another value of such a type.
    Copy(TextPlace),
}
