//! The views by which the server describes itself.

use base::{SqlResult, SqlType};

/// A view whose rows are made when it is read.
#[derive(Debug)]
pub struct SystemRowset {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its columns: name, type, whether it may be NULL.
    pub columns: &'static [(&'static str, SqlType, bool)],
    /// Makes the rows.
    pub fill: fn(&mut FillContext<'_>) -> SqlResult<()>,
}

/// What a view may ask, and where its rows go.
pub struct FillContext<'a> {
    /// Receives the rows, as bytes in the row format.
    pub rows: &'a mut Vec<Box<[u8]>>,
}
