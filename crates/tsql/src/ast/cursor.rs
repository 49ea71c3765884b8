//! Cursors.

use super::{ColumnRef, Expr, Ident, SelectStatement, Span, Variable};

/// Which cursor a statement means.
#[derive(Clone, Debug)]
pub enum CursorRef {
    /// By name; without `GLOBAL` a local one of that name comes first.
    Name {
        /// `GLOBAL`.
        global: bool,
        /// Its name.
        name: Ident,
    },
    /// By a cursor variable.
    Variable(Variable),
}

/// `DECLARE name CURSOR`, in both its forms.
#[derive(Clone, Debug)]
pub struct DeclareCursor {
    /// Its name.
    pub name: Ident,
    /// What it is.
    pub definition: CursorDefinition,
}

/// `SET @v = CURSOR …`. (`SET @v = other` is a [`super::SetVariable`].)
#[derive(Clone, Debug)]
pub struct SetCursor {
    /// The cursor variable.
    pub variable: Variable,
    /// What it is.
    pub definition: CursorDefinition,
}

/// What a cursor is.
#[derive(Clone, Debug)]
pub struct CursorDefinition {
    /// From the options to the end of the query.
    pub span: Span,
    /// `GLOBAL` (true) or `LOCAL` (false); otherwise the database's default.
    pub global: Option<bool>,
    /// `SCROLL` (true) or `FORWARD_ONLY` (false).
    pub scroll: Option<bool>,
    /// `STATIC` and the like.
    pub model: Option<CursorModel>,
    /// `READ_ONLY` and the like.
    pub concurrency: Option<CursorConcurrency>,
    /// `TYPE_WARNING`.
    pub type_warning: bool,
    /// The query.
    pub query: Box<SelectStatement>,
    /// `FOR UPDATE`: no clause, or its columns (empty for all); `FOR READ ONLY` is in
    /// `concurrency`.
    pub update_of: Option<Vec<ColumnRef>>,
}

/// What a cursor sees of changes. `INSENSITIVE` is `Static`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CursorModel {
    Static,
    Keyset,
    Dynamic,
    FastForward,
}

/// Whether rows can be changed through a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CursorConcurrency {
    ReadOnly,
    ScrollLocks,
    Optimistic,
}

/// `FETCH`.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Which row.
    pub orientation: FetchOrientation,
    /// Of which cursor.
    pub cursor: CursorRef,
    /// `INTO`; empty when the row goes to the client.
    pub into: Vec<Variable>,
}

/// Which row `FETCH` asks for.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum FetchOrientation {
    Next,
    Prior,
    First,
    Last,
    /// From the start, or from the end when negative.
    Absolute(Expr),
    /// From the current one.
    Relative(Expr),
}
