//! `SELECT … INTO`: the rows of a query go into the table that was made of its columns.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::TableDef;
use tsql::ast;

use super::binder::Binder;
use super::context::BindResult;
use super::query::scalar_of;
use super::scalar::Origin;
use super::select::{Output, Usage};
use crate::plan::tree::{InsertPlan, NewValue, Plan, RowEffects, Target};

impl Binder<'_> {
    /// The insert that fills the table. Error 213 if the query has changed its shape.
    pub fn select_into(
        &mut self,
        select: &ast::SelectStatement,
        database: DbId,
        table: &Arc<TableDef>,
    ) -> BindResult<Plan> {
        self.query_hints(&select.options)?;
        let output = self
            .with_tables(select.with.as_ref(), |b| b.query(&select.query, Usage::Statement))?;
        let Output { node, columns, .. } = output;
        if columns.len() != table.columns.len() {
            return Err(SqlError::new(&message::COLUMN_COUNT_MISMATCH, &[]).into());
        }
        self.note_written(database, table);
        let mut values = Vec::with_capacity(columns.len());
        let mut not_null = Vec::new();
        for (at, (column, def)) in columns.iter().zip(&table.columns).enumerate() {
            if !def.nullable {
                not_null.push(at);
            }
            values.push(match column.origin {
                Origin::Identity(_) => NewValue::Identity,
                _ => {
                    let name = || table.header.name.to_string();
                    NewValue::Expr(self.coerce_to_column(scalar_of(column), def.ty, &name, &def.name)?)
                }
            });
        }
        let new_columns = columns.iter().map(|_| self.free_column()).collect();
        let effects = RowEffects { new_columns, not_null, ..RowEffects::default() };
        let target = Target::Table { database, table: table.clone() };
        Ok(Plan::Insert(Box::new(InsertPlan { target, source: node, values, effects })))
    }
}
