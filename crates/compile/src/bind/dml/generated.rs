//! System-versioned tables: the columns of the period, and the history that old rows go to.

use std::sync::Arc;

use base::{SqlError, SqlType, Value, message};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnDef, Generated, Permission, TriggerEventKind};
use ir::operator::{CastMode, CompareOp};

use super::{BindResult, Binder, Changing, column};
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::tree::{HistoryPlan, InsertPlan, NewValue, Node, RowEffects, Target};

/// The last moment of the calendar, in ticks of 100 ns since the first.
const END_OF_TIME: i64 = 3_155_378_975_999_999_999;

impl Changing {
    /// What the server puts into a column of a row that is written.
    pub(super) fn generated(&self, column: &ColumnDef) -> Option<Generated> {
        match self.target {
            Target::Table { .. } => self.table.generated(column.id),
            _ => None,
        }
    }
}

impl Binder<'_> {
    /// What the server puts into a column of the period: when the transaction began, or the end of
    /// time.
    pub(super) fn generated_value(
        &mut self,
        column: &ColumnDef,
        generated: Generated,
    ) -> BindResult<Expr> {
        match generated {
            Generated::RowStart => self.transaction_time(column.ty),
            Generated::RowEnd => {
                let unit = 10_i64.pow(7 - u32::from(column.ty.scale.min(7)));
                let value = Value::DateTime2(END_OF_TIME - END_OF_TIME % unit);
                Ok(Expr { kind: ExprKind::Constant(value), ty: column.ty, nullable: false })
            }
        }
    }

    /// When the transaction began.
    fn transaction_time(&mut self, ty: SqlType) -> BindResult<Expr> {
        let time = self.library_call("TRANSACTION TIME", Vec::new())?;
        let time = self.cast(time.expr, ty, CastMode::Explicit);
        Ok(Expr { nullable: false, ..time })
    }

    /// Where old rows of a system-versioned table go.
    pub(super) fn history(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
    ) -> BindResult<Option<Box<HistoryPlan>>> {
        let table = &changing.table;
        let (Some(versioning), Some(period)) = (table.versioning, table.period) else {
            return Ok(None);
        };
        let Some(history) = schema.table(versioning.history).cloned() else {
            let name = super::qualified(schema, table);
            return Err(SqlError::new(&message::INVALID_OBJECT, &[&name]).into());
        };
        let database = changing.database;
        self.note_object(database, schema, history.id());
        let ids = changing.by_ordinal(&changing.old);
        let mut values = Vec::with_capacity(history.columns.len());
        let mut earlier = None;
        for (ordinal, (own, to)) in table.columns.iter().zip(&history.columns).enumerate() {
            let value = match ids[ordinal] {
                Some(id) => column(id, own.ty, own.nullable),
                None => self.value_over(database, table, ids.clone(), ordinal)?,
            };
            let value = if own.id == period.end {
                self.transaction_time(to.ty)?
            } else {
                if own.id == period.start {
                    let time = self.transaction_time(own.ty)?;
                    earlier = Some(Pred::Compare(CompareOp::Ge, time, value.clone()));
                }
                self.cast(value, to.ty, CastMode::Explicit)
            };
            values.push(NewValue::Expr(value));
        }
        let Some(in_order) = earlier else {
            return Err(ir::internal("a period has a start").into());
        };
        let insert = InsertPlan {
            target: Target::Table { database, table: history },
            source: Node::OneRow,
            values,
            converted: Vec::new(),
            effects: RowEffects::default(),
            lock: None,
        };
        Ok(Some(Box::new(HistoryPlan { in_order, insert })))
    }

    /// Errors 13559 to 13562: only the server writes a history.
    pub(super) fn refuse_history(
        &mut self,
        changing: &Changing,
        permission: Permission,
        events: &[TriggerEventKind],
    ) -> BindResult<()> {
        let Target::Table { .. } = changing.target else { return Ok(()) };
        let is_history = changing.table.history_of.is_some();
        if !is_history || events.is_empty() || self.options.writes_history {
            return Ok(());
        }
        let message = match permission {
            Permission::Insert => &message::HISTORY_INSERT,
            Permission::Update => &message::HISTORY_UPDATE,
            Permission::Delete => &message::HISTORY_DELETE,
            _ => &message::HISTORY_MERGE,
        };
        let name = self.full_name(changing.database, &changing.table)?;
        Err(SqlError::new(message, &[&name]).into())
    }
}
