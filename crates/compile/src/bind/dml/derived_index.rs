//! XML and spatial indexes: the entries of rows that are written.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnId, DerivedIndexDef, DerivedIndexKind, TableDef, TessellationDef, XmlPathDef,
};
use ir::function::clr::spatial::encode_grid;
use ir::operator::CastMode;
use ir::read::ReadOptions;
use xquery::index::selective::{Pattern, Selected, Selection};

use super::effects::{Write, stored_places};
use super::{BindResult, Binder, Changing, column};
use crate::plan::expr::{ColId, Expr, ExprKind};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{
    Access, DeletePlan, DerivedIndexPlan, InsertPlan, JoinKind, NewValue, Node, RowEffects, Scan,
    Source, Target,
};

/// The columns of an index's entries before those of the table's primary key.
pub(in crate::bind) const fn entry_columns(kind: DerivedIndexKind) -> usize {
    match kind {
        // `cell`
        DerivedIndexKind::Spatial => 1,
        // `id`, `hid`, `value` and `number`.
        _ => 4,
    }
}

/// The columns of a table's primary key.
pub(in crate::bind) fn key_columns(table: &TableDef) -> impl Iterator<Item = ColumnId> + '_ {
    table.primary_key().into_iter().flat_map(|key| key.key.iter().map(|k| k.column))
}

/// The grid of a spatial index as an argument.
pub(in crate::bind) fn grid(tessellation: &TessellationDef) -> Expr {
    let bytes = Value::Bytes(encode_grid(tessellation).into());
    Expr { kind: ExprKind::Constant(bytes), ty: SqlType::varbinary_max(), nullable: false }
}

impl Binder<'_> {
    /// What follows for the XML and spatial indexes of a table from writing its rows.
    pub(super) fn derived_indexes(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Vec<DerivedIndexPlan>> {
        let mut plans = Vec::new();
        let table = &changing.table;
        let own = |i: &&DerivedIndexDef| i.kind.has_entries() && !i.disabled;
        for index in table.derived_indexes.iter().filter(own) {
            let own: Vec<ColumnId> = key_columns(table).chain([index.column]).collect();
            let columns = stored_places(table, &own);
            let sets = |set: &Vec<usize>| columns.iter().any(|c| set.contains(c));
            let updates = write.update.as_ref().is_some_and(sets);
            if !write.insert && !write.delete && !updates {
                continue;
            }
            let nodes = schema.table(index.nodes).cloned();
            let nodes = nodes.ok_or_else(|| ir::internal("an index has entries"))?;
            self.note_object(changing.database, schema, nodes.id());
            self.note_changed(changing.database, &nodes);
            let mut plan = DerivedIndexPlan { columns, delete: None, insert: None };
            if write.delete || updates {
                plan.delete = Some(self.delete_entries(changing, &nodes, index.kind));
            }
            if write.insert || updates {
                let values = own.iter().filter_map(|c| changing.value_of(&changing.new, *c));
                plan.insert = Some(self.insert_entries(
                    changing.database,
                    &nodes,
                    index,
                    values.collect(),
                    None,
                )?);
            }
            plans.push(plan);
        }
        Ok(plans)
    }

    /// Deletes the entries of the old row.
    fn delete_entries(
        &mut self,
        changing: &Changing,
        nodes: &Arc<TableDef>,
        kind: DerivedIndexKind,
    ) -> DeletePlan {
        let database = changing.database;
        let other = self.changing_table(database, nodes);
        let there = nodes.columns[entry_columns(kind)..].iter().map(|c| c.id);
        let values = changing.key_values(&changing.old, key_columns(&changing.table).zip(there));
        let row = self.free_column();
        let old: Vec<(usize, ColId)> = other.old.iter().copied().enumerate().collect();
        let still_there = self.has_values(&other, &other.old, &values);
        let input = self.referencing_rows(database, nodes, values, (old.clone(), Some(row)));
        DeletePlan {
            target: other.target,
            input,
            row,
            old_columns: old,
            recheck: Some(still_there),
            effects: RowEffects::default(),
        }
    }

    /// Inserts the entries of a row with these values of the primary key and, as the last one, of
    /// the column; or of each row of `rows`.
    fn insert_entries(
        &mut self,
        database: DbId,
        nodes: &Arc<TableDef>,
        index: &DerivedIndexDef,
        mut values: Vec<Expr>,
        rows: Option<Node>,
    ) -> BindResult<InsertPlan> {
        let value = values.pop().ok_or_else(|| ir::internal("an index has a column"))?;
        let (function, args) = match &index.tessellation {
            Some(tessellation) => {
                let shape = self.cast(value, SqlType::varbinary_max(), CastMode::Explicit);
                (self.names.functions().spatial_cells(), vec![shape, grid(tessellation)])
            }
            None => {
                let document = self.cast(value, SqlType::xml(), CastMode::Explicit);
                (self.names.functions().xml_index_entries(), vec![document, selection(index)?])
            }
        };
        let count = entry_columns(index.kind);
        let columns: Vec<(usize, ColId)> = (0..count).map(|at| (at, self.free_column())).collect();
        let entry = |(at, id): &(usize, ColId)| {
            column(*id, nodes.columns[*at].ty, nodes.columns[*at].nullable)
        };
        let mut new: Vec<Expr> = columns.iter().map(entry).collect();
        for (value, to) in values.into_iter().zip(&nodes.columns[count..]) {
            new.push(self.cast(value, to.ty, CastMode::Explicit));
        }
        let entries = Node::Scan(Box::new(Scan {
            source: Source::Function(function, args),
            columns,
            access: Access::Full,
            residual: None,
            row: None,
            options: ReadOptions::default(),
            hint: AccessHint::default(),
        }));
        let source = match rows {
            Some(rows) => Node::NestedLoop {
                kind: JoinKind::Inner,
                outer: Box::new(rows),
                inner: Box::new(entries),
                predicate: None,
            },
            None => entries,
        };
        Ok(InsertPlan {
            target: Target::Table { database, table: nodes.clone() },
            source,
            values: new.into_iter().map(NewValue::Expr).collect(),
            converted: Vec::new(),
            effects: RowEffects::default(),
            lock: None,
        })
    }

    /// Inserts the entries of all rows of a table.
    pub(in crate::bind) fn fill_derived_index(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        index: &DerivedIndexDef,
    ) -> BindResult<InsertPlan> {
        let schema = self.schema_of(database)?;
        let nodes = schema.table(index.nodes).cloned();
        let nodes = nodes.ok_or_else(|| ir::internal("an index has entries"))?;
        // The rows as they are when no other transaction is changing them, at every level.
        let options = ReadOptions { newest: true, ..ReadOptions::default() };
        self.note_table(database, table, &options);
        self.note_object(database, &schema, table.id());
        self.note_object(database, &schema, nodes.id());
        self.note_changed(database, &nodes);
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for own in key_columns(table).chain([index.column]) {
            let at = table.column_ordinal(own);
            let place = at.and_then(|at| Some((at, table.layout_position(at)?)));
            let (at, place) = place.ok_or_else(|| ir::internal("a key's columns are stored"))?;
            let (id, def) = (self.free_column(), &table.columns[at]);
            columns.push((place, id));
            values.push(column(id, def.ty, def.nullable));
        }
        let rows = Node::Scan(Box::new(Scan {
            source: Source::Table { database, table: table.clone() },
            columns,
            access: Access::Full,
            residual: None,
            row: None,
            options,
            hint: AccessHint::default(),
        }));
        self.insert_entries(database, &nodes, index, values, Some(rows))
    }
}

/// What a selective index knows, as an argument; NULL for one that knows everything.
fn selection(index: &DerivedIndexDef) -> BindResult<Expr> {
    let value = match index.kind {
        DerivedIndexKind::Selective => {
            let mut paths = Vec::with_capacity(index.paths.len());
            for path in &index.paths {
                paths.push(Selected {
                    name: path.name.to_string(),
                    pattern: pattern_of(index, path)?,
                    is_singleton: path.is_singleton,
                    max_length: path.max_length.and_then(|length| u32::try_from(length).ok()),
                });
            }
            Value::Bytes(Selection { index: index.name.to_string(), paths }.encode().into())
        }
        _ => Value::Null,
    };
    let nullable = value == Value::Null;
    Ok(Expr { kind: ExprKind::Constant(value), ty: SqlType::varbinary(SqlType::MAX), nullable })
}

/// The pattern of a path that was read when the index was made.
pub(in crate::bind) fn pattern_of(
    index: &DerivedIndexDef,
    path: &XmlPathDef,
) -> BindResult<Pattern> {
    let namespaces: Vec<(&str, &str)> = (index.namespaces.iter())
        .map(|declared| (declared.prefix.as_deref().unwrap_or_default(), &*declared.uri))
        .collect();
    let read = Pattern::parse(&path.path, &namespaces);
    read.map_err(|_| ir::internal("the path of a selective index").into())
}
