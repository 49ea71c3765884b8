//! What is known of a system view whose rows are made when it is read.

use crate::function::rowset::RowsetColumn;

/// Names a system view to the session, which makes its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowsetId(pub u16);

/// A view whose rows the session makes when it is read.
#[derive(Clone, Copy, Debug)]
pub struct SystemRowset {
    /// Its id.
    pub id: RowsetId,
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [RowsetColumn],
}
