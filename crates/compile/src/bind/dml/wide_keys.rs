//! Indexes whose columns can hold more than an entry may have: the length of each row's entry is
//! checked.

use std::sync::Arc;

use base::{SqlType, Value};
use engine::catalog::def::{ColumnId, IndexDef, TableDef};
use ir::operator::CompareOp;
use tsql::ast::BinaryOp;

use super::effects::{Write, stored_places};
use super::{BindResult, Binder, Changing};
use crate::bind::key_limit::{KeyLimit, is_variable};
use crate::bind::scalar::Scalar;
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::tree::{CheckPlan, CheckedBy};

impl Binder<'_> {
    /// What new rows must hold for their entries in indexes to be short enough: error 1946. Nothing
    /// for tables whose columns are never too long together.
    pub(super) fn entry_lengths(
        &mut self,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Vec<CheckPlan>> {
        let table = changing.table.clone();
        let mut plans = Vec::new();
        for index in &table.indexes {
            let Some(limit) = KeyLimit::of(&table, index) else { continue };
            let columns: Vec<ColumnId> = index.key.iter().map(|key| key.column).collect();
            if limit.holds(&table, index) || !write.gives_values(&stored_places(&table, &columns)) {
                continue;
            }
            let length = self.entry_length(changing, &table, index)?;
            let text = |text: &str, binder: &Binder<'_>| {
                let ty = SqlType::nvarchar(128, binder.collation());
                Scalar::constant(ty, Value::unicode(text))
            };
            let args = vec![
                length,
                text(&index.name, self),
                number(limit.bytes as i64),
                text(limit.kind, self),
            ];
            let entry = self.library_call("INDEX ENTRY", args)?.expr;
            let predicate = Pred::Compare(CompareOp::Ge, entry, number(0).expr);
            plans.push(CheckPlan { by: CheckedBy::CheckOption, column: None, predicate });
        }
        Ok(plans)
    }

    /// The bytes of a new row's entry in an index.
    fn entry_length(
        &mut self,
        changing: &Changing,
        table: &Arc<TableDef>,
        index: &IndexDef,
    ) -> BindResult<Scalar> {
        let mut fixed = 0;
        let mut length: Option<Scalar> = None;
        for key in &index.key {
            let Some(ordinal) = table.column_ordinal(key.column) else { continue };
            let column = &table.columns[ordinal];
            let position = table.layout_position(ordinal).filter(|_| is_variable(column));
            let Some(position) = position else {
                fixed += column.ty.byte_limit() as i64;
                continue;
            };
            let own = super::column(changing.new[position], column.ty, column.nullable);
            let own = self.library_call("DATALENGTH", vec![Scalar::computed(own)])?;
            let own = self.isnull(own, number(0))?;
            length = Some(match length {
                None => own,
                Some(before) => self.binary(BinaryOp::Add, before, own)?,
            });
        }
        match length {
            None => Ok(number(fixed)),
            Some(length) => self.binary(BinaryOp::Add, length, number(fixed)),
        }
    }
}

fn number(value: i64) -> Scalar {
    let kind = ExprKind::Constant(Value::Int(value));
    Scalar::computed(Expr { kind, ty: SqlType::int(), nullable: false })
}
