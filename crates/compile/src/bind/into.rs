//! `SELECT … INTO`: the rows of a query go into the table that was made of its columns.

use std::sync::Arc;

use base::ids::DbId;
use base::types::declare::Subject;
use base::{SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::def::{IdentityDef, TableDef};
use tsql::ast;

use super::binder::Binder;
use super::context::BindResult;
use super::query::scalar_of;
use super::scalar::{Origin, Scalar};
use super::select::{Output, Usage};
use crate::plan::expr::ExprKind;
use crate::plan::tree::{InsertPlan, NewValue, Plan, RowEffects, Target};

impl Binder<'_> {
    /// `IDENTITY(type, seed, increment)`: the column takes its values from the new table. Error
    /// 2749 for a type that cannot count.
    pub fn identity(&mut self, call: &ast::IdentityFunction, line: u32) -> BindResult<Scalar> {
        let ty = self.data_type(&call.ty, Subject::Type, 1, 1)?.ty;
        let counts = ty.kind.is_integer() && ty.kind != TypeKind::Bit
            || ty.kind.is_decimal() && ty.scale == 0;
        if !counts {
            let error = SqlError::new(&message::IDENTITY_TYPE_INVALID, &[&""]);
            return Err(error.at_line(line).into());
        }
        let mut number = |expr: &ast::Expr| -> BindResult<i64> {
            let value = self.scalar(expr)?;
            match self.coerce(value, SqlType::bigint())?.kind {
                ExprKind::Constant(Value::Int(number)) => Ok(number),
                _ => {
                    let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"IDENTITY"]);
                    Err(error.at_line(expr.span.line).into())
                }
            }
        };
        let (seed, increment) = match &call.values {
            Some(values) => (number(&values.seed)?, number(&values.increment)?),
            None => (1, 1),
        };
        let identity = IdentityDef { seed, increment, not_for_replication: false };
        self.identities.push(identity);
        // The value is not read: the table gives its own.
        let value = match ty.kind.is_decimal() {
            true => Value::Decimal(0),
            false => Value::Int(0),
        };
        let origin = Origin::Identity((self.identities.len() - 1) as u16);
        Ok(Scalar { origin, ..Scalar::constant(ty, value) })
    }

    /// The insert that fills the table. Error 213 if the query has changed its shape.
    pub fn select_into(
        &mut self,
        select: &ast::SelectStatement,
        database: DbId,
        table: &Arc<TableDef>,
    ) -> BindResult<Plan> {
        self.query_hints(&select.options)?;
        let output =
            self.with_tables(select.with.as_ref(), |b| b.query(&select.query, Usage::Statement))?;
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
                _ => NewValue::Expr(self.coerce_to_column(scalar_of(column), def.ty)?),
            });
        }
        let new_columns = columns.iter().map(|_| self.free_column()).collect();
        let effects = RowEffects { new_columns, not_null, ..RowEffects::default() };
        let target = Target::Table { database, table: table.clone() };
        Ok(Plan::Insert(Box::new(InsertPlan {
            target,
            source: node,
            values,
            converted: Vec::new(),
            effects,
            lock: None,
        })))
    }
}
