//! What is checked and done for each row that a statement writes: constraints, foreign keys of both
//! sides with their cascades, triggers' copies.

use std::sync::Arc;

use base::ids::ObjectId;
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    BlockedOperation, ColumnId, ForeignKeyColumn, ForeignKeyDef, IncomingKey, ReferentialAction,
    TableDef, TriggerEventKind,
};

use super::instead::instead_effects;
use super::look_up::KeyValue;
use super::{BindResult, Binder, Changing};
use crate::bind::define::{definition_options, substitute};
use crate::plan::expr::{ColId, Expr, Pred};
use crate::plan::tree::{
    BlockPlan, CheckPlan, CheckedBy, DeletePlan, NewValue, Node, ReferencePlan, ReferencedAction,
    ReferencedPlan, RowEffects, Target, UpdatePlan,
};

/// How deep cascades may nest. Foreign keys cannot make cycles of them, so this is for broken
/// catalogs only.
const CASCADE_DEPTH_MAX: u32 = 64;

/// What a statement does to rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Write {
    /// It may insert.
    pub insert: bool,
    /// It may update these columns, by layout position.
    pub update: Option<Vec<usize>>,
    /// It may delete.
    pub delete: bool,
    /// How many cascades have led here.
    pub depth: u32,
    /// The foreign key along which a change has come: its new values are those of the row that it
    /// refers to.
    pub followed: Option<ObjectId>,
}

impl Write {
    /// `INSERT`.
    pub fn insert() -> Write {
        Write { insert: true, ..Write::default() }
    }

    /// `UPDATE` of these columns.
    pub fn update(set: &[(usize, NewValue)]) -> Write {
        Write { update: Some(set.iter().map(|s| s.0).collect()), ..Write::default() }
    }

    /// `DELETE`.
    pub fn delete() -> Write {
        Write { delete: true, ..Write::default() }
    }

    /// Whether rows may come to have other values in these columns, by layout position.
    pub(super) fn gives_values(&self, columns: &[usize]) -> bool {
        let sets = |set: &Vec<usize>| columns.iter().any(|c| set.contains(c));
        self.insert || self.update.as_ref().is_some_and(sets)
    }

    /// Whether rows with values in these columns may be deleted, or lose the values.
    fn takes_values(&self, columns: &[usize]) -> bool {
        let sets = |set: &Vec<usize>| columns.iter().any(|c| set.contains(c));
        self.delete || self.update.as_ref().is_some_and(sets)
    }

    fn events(&self) -> impl Iterator<Item = TriggerEventKind> {
        let insert = self.insert.then_some(TriggerEventKind::Insert);
        let update = self.update.is_some().then_some(TriggerEventKind::Update);
        let delete = self.delete.then_some(TriggerEventKind::Delete);
        [insert, update, delete].into_iter().flatten()
    }
}

/// The rows that a cascade changes.
struct CascadeRows {
    /// Yields them.
    input: Node,
    /// The column that names the row.
    row: ColId,
    /// What must still hold when another transaction has changed the row meanwhile.
    still_refers: Pred,
}

impl Binder<'_> {
    /// What follows from writing rows of a table.
    pub(super) fn effects(&mut self, changing: &Changing, write: &Write) -> BindResult<RowEffects> {
        let writes_new = write.insert || write.update.is_some();
        let writes_old = write.delete || write.update.is_some();
        if let Target::Instead { .. } = changing.target {
            return Ok(instead_effects(changing, writes_new, writes_old));
        }
        let table = &changing.table;
        let mut effects = RowEffects::default();
        if writes_new {
            effects.new_columns.clone_from(&changing.new);
            effects.not_null = not_null(table, write);
            effects.checks = self.checks(changing, write)?;
        }
        if writes_old {
            effects.old_columns.clone_from(&changing.old);
        }
        if write.insert {
            let indexes = table.indexes.iter().enumerate();
            effects.ignore_duplicates =
                indexes.filter(|(_, i)| i.ignore_dup_key).map(|(at, _)| at).collect();
        }
        if let Target::Table { database, .. } = changing.target {
            let schema = self.schema_of(database)?;
            effects.keep_transitions =
                !self.options.skip_triggers && self.fires_triggers(&schema, table, write);
            if writes_new {
                effects.references = self.references(&schema, changing, write)?;
            }
            if writes_old {
                effects.referenced_by = self.referenced_by(&schema, changing, write)?;
                effects.history = self.history(&schema, changing)?;
            }
            effects.derived_indexes = self.derived_indexes(&schema, changing, write)?;
            if !table.indexed_views.is_empty() {
                effects.views = self.views(&schema, changing, write)?;
            }
            effects.blocks = self.blocks(changing, write)?;
            effects.tracking = self.tracking(&schema, changing, write)?;
        }
        Ok(effects)
    }

    /// Whether triggers run when the statement is done.
    fn fires_triggers(&mut self, schema: &Schema, table: &TableDef, write: &Write) -> bool {
        let enabled = self.enabled_triggers(schema, &table.triggers);
        let mut enabled = enabled.iter().filter(|t| !t.instead_of);
        enabled.any(|t| write.events().any(|event| t.events.iter().any(|e| e.kind == event)))
    }

    /// What security policies ask of rows that are written. Changed rows are judged by their new
    /// values only where a predicate uses columns that are set.
    fn blocks(&mut self, changing: &Changing, write: &Write) -> BindResult<Vec<BlockPlan>> {
        use BlockedOperation::{AfterInsert, AfterUpdate, BeforeDelete, BeforeUpdate};
        let updates = write.update.is_some();
        let operations = [
            (AfterInsert, write.insert),
            (AfterUpdate, updates),
            (BeforeUpdate, updates),
            (BeforeDelete, write.delete),
        ];
        let (table, set) = (&changing.table, write.update.as_deref().unwrap_or_default());
        let mut blocks = Vec::new();
        if table.policies.is_empty() {
            return Ok(blocks);
        }
        for (operation, _) in operations.into_iter().filter(|(_, does)| *does) {
            let names = match operation {
                AfterInsert | AfterUpdate => changing.by_ordinal(&changing.new),
                BeforeUpdate | BeforeDelete => changing.by_ordinal(&changing.old),
            };
            let found = self.block_predicates(changing.database, table, operation, &names)?;
            for (predicate, columns) in found {
                let places = stored_places(table, &columns);
                let unused = !places.is_empty() && !places.iter().any(|at| set.contains(at));
                if operation != AfterUpdate || !unused {
                    blocks.push(BlockPlan { operation, predicate });
                }
            }
        }
        Ok(blocks)
    }

    /// The `CHECK` constraints that new rows may violate.
    fn checks(&mut self, changing: &Changing, write: &Write) -> BindResult<Vec<CheckPlan>> {
        let table = &changing.table;
        let mut plans = self.rules(changing, write)?;
        for check in table.checks.iter().filter(|c| !c.disabled) {
            let columns = stored_places(table, &check.columns);
            if !columns.is_empty() && !write.gives_values(&columns) {
                continue;
            }
            let condition = tsql::parse_condition(&check.definition, definition_options())?;
            let ids = changing.by_ordinal(&changing.new);
            let database = changing.database;
            let (mut predicate, scan) =
                self.over_row(database, table, ids, |b| b.condition(&condition))?;
            substitute(&mut predicate, &scan.computed);
            let column = check.column.and_then(|c| table.column(c));
            plans.push(CheckPlan {
                by: CheckedBy::Constraint(check.header.name.clone()),
                column: column.map(|c| c.name.clone()),
                predicate,
            });
        }
        plans.extend(self.entry_lengths(changing, write)?);
        Ok(plans)
    }

    /// The rules that are bound to columns which rows may come to have other values in.
    fn rules(&mut self, changing: &Changing, write: &Write) -> BindResult<Vec<CheckPlan>> {
        let mut plans = Vec::new();
        for (place, column) in changing.table.stored_columns().enumerate() {
            let Some(rule) = &column.bound_rule else { continue };
            if !write.gives_values(&[place]) {
                continue;
            }
            let value = super::column(changing.new[place], column.ty, column.nullable);
            let predicate = self.rule(changing.database, &changing.table, rule, value)?;
            let column = Some(column.name.clone());
            plans.push(CheckPlan { by: CheckedBy::Rule, column, predicate });
        }
        Ok(plans)
    }

    /// The foreign keys that new rows must satisfy.
    fn references(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Vec<ReferencePlan>> {
        let table = &changing.table;
        let mut plans = Vec::new();
        for key in table.foreign_keys.iter().filter(|f| !f.disabled) {
            let own: Vec<ColumnId> = key.columns.iter().map(|c| c.own).collect();
            let columns = stored_places(table, &own);
            if !write.gives_values(&columns) || write.followed == Some(key.header.id) {
                continue;
            }
            let Some(referenced) = schema.table(key.referenced).cloned() else { continue };
            self.note_object(changing.database, schema, key.referenced);
            let pairs = key.columns.iter().map(|c| (c.own, c.referenced));
            let values = changing.key_values(&changing.new, pairs);
            let exprs = values.iter().map(|v| v.value.clone()).collect();
            let lookup = self.referenced_row(changing.database, &referenced, values);
            plans.push(ReferencePlan {
                name: key.header.name.clone(),
                referenced_name: qualified(schema, &referenced),
                column_name: single_column(&referenced, key.columns.iter().map(|c| c.referenced)),
                lookup,
                key: exprs,
                // Above a cascade, rows of any table may be about to be deleted or inserted.
                deferred: key.referenced == table.id() || write.depth > 0,
                same_table: key.referenced == table.id(),
                columns,
            });
        }
        Ok(plans)
    }

    /// The foreign keys onto old rows.
    fn referenced_by(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Vec<ReferencedPlan>> {
        let mut plans = Vec::new();
        for incoming in &changing.table.referenced_by {
            let Some((referencing, key)) = foreign_key(schema, incoming) else { continue };
            let own: Vec<ColumnId> = key.columns.iter().map(|c| c.referenced).collect();
            let columns = stored_places(&changing.table, &own);
            if key.disabled || !write.takes_values(&columns) {
                continue;
            }
            self.note_object(changing.database, schema, referencing.id());
            let name = key.header.name.clone();
            let referencing_name = qualified(schema, &referencing);
            let column_name = single_column(&referencing, key.columns.iter().map(|c| c.own));
            let updates = Write { delete: false, ..write.clone() }.takes_values(&columns);
            // A MERGE may both delete and update.
            let actions = [(write.delete, key.on_delete, false), (updates, key.on_update, true)];
            for (_, action, updated) in actions.into_iter().filter(|a| a.0) {
                let action =
                    self.referenced_action(changing, &referencing, &key, action, updated, write)?;
                plans.push(ReferencedPlan {
                    name: name.clone(),
                    referencing_name: referencing_name.clone(),
                    column_name: column_name.clone(),
                    columns: columns.clone(),
                    on_delete: !updated,
                    on_update: updated,
                    action,
                });
            }
        }
        Ok(plans)
    }

    /// What happens to the rows of another table that refer to an old row.
    fn referenced_action(
        &mut self,
        changing: &Changing,
        referencing: &Arc<TableDef>,
        key: &ForeignKeyDef,
        action: ReferentialAction,
        updated: bool,
        write: &Write,
    ) -> BindResult<ReferencedAction> {
        if write.depth == CASCADE_DEPTH_MAX {
            return Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]).into());
        }
        let database = changing.database;
        let pairs = key.columns.iter().map(|c| (c.referenced, c.own));
        let values = changing.key_values(&changing.old, pairs);
        if action == ReferentialAction::NoAction {
            let names = (Vec::new(), None);
            let referencing = self.referencing_rows(database, referencing, values, names);
            let own = key.columns.iter().map(|c| (c.referenced, c.referenced));
            let values = changing.key_values(&changing.old, own);
            let referenced = self.referenced_row(database, &changing.table, values);
            return Ok(ReferencedAction::Refuse { referencing, referenced });
        }
        let other = self.changing_table(database, referencing);
        self.note_changed(database, referencing);
        // The user need not see the rows that a cascade changes.
        let is_masked = referencing.columns.iter().any(|column| column.mask.is_some());
        self.facts.hides_keys |= is_masked || !referencing.policies.is_empty();
        let row = self.free_column();
        let columns = other.old.iter().copied().enumerate().collect();
        let still_refers = self.has_values(&other, &other.old, &values);
        let input = self.referencing_rows(database, referencing, values, (columns, Some(row)));
        let rows = CascadeRows { input, row, still_refers };
        let depth = write.depth + 1;
        if action == ReferentialAction::Cascade && !updated {
            let write = Write { delete: true, depth, ..Write::default() };
            let plan = self.cascaded_delete(&other, rows, &write)?;
            return Ok(ReferencedAction::Delete(Box::new(plan)));
        }
        let mut set = Vec::with_capacity(key.columns.len());
        for &ForeignKeyColumn { own, referenced } in &key.columns {
            let Some(at) = referencing.column_ordinal(own) else { continue };
            let Some(position) = referencing.layout_position(at) else { continue };
            let column = &referencing.columns[at];
            let value = match action {
                ReferentialAction::Cascade => changing.value_of(&changing.new, referenced),
                ReferentialAction::SetDefault => {
                    let value = self.default_of(database, referencing, column)?;
                    Some(self.coerce_to_column(value, column.ty)?)
                }
                _ => Some(super::null_of(&column.ty)),
            };
            let Some(value) = value else { continue };
            let value = self.cast(value, column.ty, self.column_mode());
            set.push((position, NewValue::Expr(value)));
        }
        let followed = (action == ReferentialAction::Cascade).then_some(key.header.id);
        let write = Write { depth, followed, ..Write::default() };
        let plan = self.cascaded_update(&other, rows, set, write)?;
        Ok(ReferencedAction::Update(Box::new(plan)))
    }

    fn cascaded_delete(
        &mut self,
        other: &Changing,
        CascadeRows { input, row, still_refers }: CascadeRows,
        write: &Write,
    ) -> BindResult<DeletePlan> {
        let effects = self.effects(other, write)?;
        Ok(DeletePlan {
            target: other.target.clone(),
            input,
            row,
            old_columns: other.old.iter().copied().enumerate().collect(),
            recheck: Some(still_refers),
            effects,
        })
    }

    fn cascaded_update(
        &mut self,
        other: &Changing,
        CascadeRows { input, row, still_refers }: CascadeRows,
        mut set: Vec<(usize, NewValue)>,
        write: Write,
    ) -> BindResult<UpdatePlan> {
        self.set_dependent_columns(other, &mut set)?;
        let write = Write { update: Write::update(&set).update, ..write };
        let effects = self.effects(other, &write)?;
        Ok(UpdatePlan {
            target: other.target.clone(),
            input,
            row,
            old_columns: other.old.clone(),
            set,
            assign: Vec::new(),
            recheck: Some(still_refers),
            effects,
        })
    }
}

/// The columns that must not be NULL in new rows, by layout position.
fn not_null(table: &TableDef, write: &Write) -> Vec<usize> {
    let required = |(at, column): (usize, &engine::catalog::def::ColumnDef)| {
        (!column.nullable && write.gives_values(&[at])).then_some(at)
    };
    table.stored_columns().enumerate().filter_map(required).collect()
}

/// The stored columns behind some columns, by layout position: those of a computed column that
/// rows do not hold are the ones that it is made of.
pub(super) fn stored_places(table: &TableDef, columns: &[ColumnId]) -> Vec<usize> {
    let mut places = Vec::with_capacity(columns.len());
    for column in columns {
        let Some(at) = table.column_ordinal(*column) else { continue };
        match (table.layout_position(at), &table.columns[at].computed) {
            (Some(place), _) => places.push(place),
            (None, Some(computed)) => places.extend(stored_places(table, &computed.columns)),
            (None, None) => {}
        }
    }
    places
}

/// A foreign key with its table.
fn foreign_key(schema: &Schema, incoming: &IncomingKey) -> Option<(Arc<TableDef>, ForeignKeyDef)> {
    let table = schema.table(incoming.table)?;
    let key = table.foreign_keys.iter().find(|f| f.header.id == incoming.constraint)?;
    Some((table.clone(), key.clone()))
}

/// `schema.table`, as message 547 shows it.
pub(in crate::bind) fn qualified(schema: &Schema, table: &TableDef) -> Arc<str> {
    let place = schema.schemas().get(table.header.schema);
    let place = place.map_or("dbo", |s| &*s.name);
    format!("{place}.{}", table.header.name).into()
}

/// The name of a key's column, if it has but one.
fn single_column(table: &TableDef, mut key: impl Iterator<Item = ColumnId>) -> Option<Arc<str>> {
    let first = key.next()?;
    match key.next() {
        Some(_) => None,
        None => table.column(first).map(|c| c.name.clone()),
    }
}

impl Changing {
    /// A stored column of the row under one of its sets of names.
    pub(super) fn value_of(&self, names: &[ColId], column: ColumnId) -> Option<Expr> {
        let at = self.table.column_ordinal(column)?;
        let position = self.table.layout_position(at)?;
        let def = &self.table.columns[at];
        Some(super::column(*names.get(position)?, def.ty, def.nullable))
    }

    /// Values of this row's columns for a look-up by columns of another table: pairs of a column
    /// here and one there.
    pub(super) fn key_values(
        &self,
        names: &[ColId],
        pairs: impl Iterator<Item = (ColumnId, ColumnId)>,
    ) -> Vec<KeyValue> {
        pairs
            .filter_map(|(own, there)| {
                Some(KeyValue { column: there, value: self.value_of(names, own)? })
            })
            .collect()
    }

    /// One of the sets of names by place in `TableDef::columns`.
    pub(super) fn by_ordinal(&self, names: &[ColId]) -> Vec<Option<ColId>> {
        let place = |at| self.table.layout_position(at).and_then(|p| names.get(p).copied());
        (0..self.table.columns.len()).map(place).collect()
    }
}
