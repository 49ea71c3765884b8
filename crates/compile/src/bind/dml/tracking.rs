//! Tracked tables: what is written down of each changed row.
//!
//! A change of a row is a row of the table of changes: the number of the transaction and the place
//! of the statement in it, what was done, which columns were set, the context, and the key. Where
//! an `UPDATE` sets a column of the key, the row with the old key is deleted, and one with the new
//! key inserted, whether the values differ or not.

use std::sync::Arc;

use base::{SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::def::{ColumnDef, ColumnId, SchemaId, TableDef};
use engine::catalog::{Object, Schema};
use ir::operator::CastMode;
use tsql::ast;

use super::effects::Write;
use super::{AtLine, BindResult, Binder, Changing, column};
use crate::plan::expr::{ColId, Expr, ExprKind};
use crate::plan::tree::{InsertPlan, NewValue, Node, RowEffects, Target, TrackingPlan};

/// The most bytes of a context.
const CONTEXT_MAX: u16 = 128;
/// The most bytes of a list of columns: as many as a table may have, after four bytes of zero.
const COLUMNS_MAX: u16 = 4100;

/// The name of the commit table, in the schema `sys`.
pub const COMMIT_TABLE: &str = "syscommittab";

/// The commit table of a database, which is there once change tracking has been on.
pub fn commit_table(schema: &Schema) -> Option<&Arc<TableDef>> {
    match schema.find_object(SchemaId::SYS, COMMIT_TABLE)? {
        Object::Table(table) => Some(table),
        _ => None,
    }
}

/// Where rows of changes go, and what all of them have.
struct Changes<'c> {
    changing: &'c Changing,
    table: Arc<TableDef>,
    commits: Arc<TableDef>,
    key: Vec<(usize, ColumnDef)>,
}

impl Binder<'_> {
    /// Runs a function for a statement that changes rows, with the context that its `WITH` says.
    /// Error 22109.
    pub fn in_context<T>(
        &mut self,
        with: Option<&ast::With>,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let context = match with.and_then(|with| with.context.as_deref()) {
            Some(expr) => Some(self.change_context(expr).at(expr.span.line)?),
            None => None,
        };
        let outer = std::mem::replace(&mut self.change_context, context);
        let result = f(self);
        self.change_context = outer;
        result
    }

    fn change_context(&mut self, expr: &ast::Expr) -> BindResult<Expr> {
        let value = self.scalar(expr)?;
        let ty = value.expr.ty;
        let fits = matches!(ty.kind, TypeKind::Binary | TypeKind::VarBinary)
            && !ty.is_max()
            && ty.length <= CONTEXT_MAX;
        if !fits {
            return Err(SqlError::new(&message::CHANGE_CONTEXT_TYPE, &[]).into());
        }
        Ok(self.cast(value.expr, SqlType::varbinary(CONTEXT_MAX), CastMode::Explicit))
    }

    /// What is written down of the changes that a statement makes.
    pub(super) fn tracking(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Option<Box<TrackingPlan>>> {
        let table = &changing.table;
        let Some(tracking) = table.tracking else { return Ok(None) };
        let (changes, commits) = (schema.table(tracking.changes), commit_table(schema));
        let (Some(changes), Some(commits), Some(key)) = (changes, commits, table.primary_key())
        else {
            return Err(ir::internal("a tracked table has a key and a table of changes").into());
        };
        let key = key.key.iter().filter_map(|key| {
            let ordinal = table.column_ordinal(key.column)?;
            Some((table.layout_position(ordinal)?, table.columns[ordinal].clone()))
        });
        let key = key.collect();
        let changes = Changes { changing, table: changes.clone(), commits: commits.clone(), key };
        self.note_object(changing.database, schema, changes.table.id());
        self.note_object(changing.database, schema, changes.commits.id());
        let (old, new) = (&changing.old, &changing.new);
        let mut plan = TrackingPlan::default();
        if write.insert {
            plan.inserted = Some(self.change(&changes, b'I', new, None));
        }
        if write.delete {
            plan.deleted = Some(self.change(&changes, b'D', old, None));
        }
        if let Some(set) = &write.update {
            let moves = changes.key.iter().any(|(position, _)| set.contains(position));
            plan.updated = match moves {
                true => vec![
                    self.change(&changes, b'D', old, None),
                    self.change(&changes, b'I', new, None),
                ],
                false => {
                    let columns = tracking.columns.then(|| columns_set(&changes, set)).flatten();
                    vec![self.change(&changes, b'U', new, columns)]
                }
            };
        }
        Ok(Some(Box::new(plan)))
    }

    /// An insert of what has been done to a row whose columns have these names.
    fn change(
        &mut self,
        changes: &Changes<'_>,
        operation: u8,
        row: &[ColId],
        columns: Option<Vec<u8>>,
    ) -> InsertPlan {
        let database = changes.changing.database;
        let binary = |ty: SqlType, value: Option<Vec<u8>>| Expr {
            nullable: value.is_none(),
            kind: ExprKind::Constant(value.map_or(Value::Null, |bytes| Value::Bytes(bytes.into()))),
            ty,
        };
        let context = match &self.change_context {
            Some(context) => context.clone(),
            None => binary(SqlType::varbinary(CONTEXT_MAX), None),
        };
        let mut values = vec![
            NewValue::ChangeNumber { database, commits: changes.commits.clone() },
            NewValue::ChangeStep,
            NewValue::Expr(binary(SqlType::binary(1), Some(vec![operation]))),
            NewValue::Expr(binary(SqlType::varbinary(COLUMNS_MAX), columns)),
            NewValue::Expr(context),
        ];
        values.extend(
            changes
                .key
                .iter()
                .map(|(position, of)| NewValue::Expr(column(row[*position], of.ty, of.nullable))),
        );
        InsertPlan {
            target: Target::Table { database, table: changes.table.clone() },
            source: Node::OneRow,
            values,
            converted: Vec::new(),
            effects: RowEffects::default(),
            lock: None,
        }
    }
}

/// The list of columns that an `UPDATE` sets, as `SYS_CHANGE_COLUMNS` shows it; nothing if these
/// are all columns but those of the key.
fn columns_set(changes: &Changes<'_>, set: &[usize]) -> Option<Vec<u8>> {
    let table = &changes.changing.table;
    let is_key = |id: ColumnId| changes.key.iter().any(|(_, column)| column.id == id);
    let stored: Vec<&ColumnDef> = table.stored_columns().collect();
    let is_listed = |column: &ColumnDef| column.computed.is_none() && !is_key(column.id);
    let listed = set.iter().filter_map(|position| stored.get(*position));
    let listed: Vec<ColumnId> = listed.filter(|c| is_listed(c)).map(|c| c.id).collect();
    if stored.iter().filter(|c| is_listed(c)).all(|c| listed.contains(&c.id)) {
        return None;
    }
    let mut bytes = vec![0; 4];
    listed.iter().for_each(|id| bytes.extend(id.0.to_le_bytes()));
    Some(bytes)
}
