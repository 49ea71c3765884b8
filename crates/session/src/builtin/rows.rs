//! Result sets of native procedures.

use base::{Collation, SqlResult, SqlType, Value, ValueRef};
pub use ir::function::rowset::{RowsetColumn, column};
use ir::site::{ResultColumn, ResultSite};
use run::interp::ValueRow;

use crate::context::Context;
use crate::response::command;

/// `sysname`
pub const NAME: SqlType = SqlType::sysname(Collation::DEFAULT);

/// A result set.
pub struct ResultSet {
    site: ResultSite,
}

impl ResultSet {
    /// One of these columns.
    pub fn new(columns: &[RowsetColumn]) -> ResultSet {
        let column = |own: &RowsetColumn| ResultColumn {
            name: own.name.into(),
            ty: own.ty,
            nullable: own.nullable,
            base: None,
            schemas: None,
            classified: None,
        };
        ResultSet { site: ResultSite { columns: columns.iter().map(column).collect() } }
    }

    /// Sends the rows.
    pub fn send(&self, context: &mut Context<'_>, rows: &[Vec<Value>]) -> SqlResult<()> {
        let task = context.task;
        context.writer.start(task, &self.site)?;
        for row in rows {
            let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            let row = ValueRow::new(&self.site.columns, &values);
            context.writer.row(task, &row.row())?;
        }
        context.done(command::SELECT, Some(rows.len() as u64))
    }
}

/// A bit or integer.
pub fn int(value: impl Into<i64>) -> Value {
    Value::Int(value.into())
}

/// A string, or NULL.
pub fn text(value: Option<&str>) -> Value {
    value.map_or(Value::Null, Value::unicode)
}
