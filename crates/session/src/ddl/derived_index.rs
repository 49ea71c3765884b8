//! XML and spatial indexes: what both have.
//!
//! Such an index is a hidden table with what is derived from the values of a column, each entry
//! with the primary key of its row: of documents their nodes (`xquery::index`), of shapes the cells
//! that they meet (`spatial::Grid`). A secondary XML index is an index of that table. Rows get and
//! lose their entries by the plans of the statements that change them
//! (`compile::bind::dml::derived_index`); what is disabled has none.

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use compile::bind::{self, BindContext};
use compile::lower;
use engine::catalog::def::*;
use engine::catalog::{DefinitionKey, Schema};
use ir::function::rowset::RowsetColumn;
use run::interp::Frame;
use tsql::ast::{AlterIndexAction, IndexOption, IndexOptionKind};

use super::alter::rebuild::{self, Rebuild};
use super::alter::{Altered, put_table};
use super::failure::DdlResult;
use super::names::DefinitionNames;
use super::place;
use super::table::{Builder, Purpose, Setting, system_type};
use super::{temporal, xml_selective};
use crate::context::Context;
use crate::names::EngineStatistics;
use crate::program::plan::StepPlan;
use crate::program::{ProgramKind, bind_options};

type Shown<'a> = &'a dyn std::fmt::Display;

/// How often the statement that fills an index is compiled anew because tables have changed.
const COMPILATIONS_MAX: u32 = 8;

/// The place of an XML or spatial index of this name.
pub(super) fn find(schema: &Schema, table: &TableDef, name: &str) -> Option<usize> {
    table.derived_indexes.iter().position(|i| schema.same_name(&i.name, name))
}

/// The tables with the entries of a table's XML and spatial indexes.
pub(super) fn nodes_of(table: &TableDef) -> impl Iterator<Item = ObjectId> + '_ {
    let own = table.derived_indexes.iter().filter(|i| i.kind.has_entries());
    own.map(|index| index.nodes)
}

pub(super) fn unimplemented<T>(what: &str) -> DdlResult<T> {
    Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into())
}

/// Error 1973.
pub(super) fn refuse_disabled(altered: &Altered, index: &DerivedIndexDef) -> DdlResult<()> {
    if !index.disabled {
        return Ok(());
    }
    let place = place::qualified(&altered.schema, altered.old.header.schema, &altered.name());
    let args: [Shown; 3] = [&index.name, &"table", &place];
    Err(SqlError::new(&message::INDEX_DISABLED, &args).into())
}

/// The table without the index that `DROP_EXISTING` replaces.
pub(super) fn replaced(
    context: &mut Context<'_>,
    altered: Altered,
    name: &str,
) -> DdlResult<Altered> {
    let Altered { database, schema, old } = altered;
    let Some(place) = find(&schema, &old, name) else {
        return Ok(Altered { database, schema, old });
    };
    let id = old.id();
    drop(context, &Altered { database, schema, old }, place)?;
    let schema = context.schema(database)?;
    let old = schema.table(id).cloned().expect("only an index was dropped");
    Ok(Altered { database, schema, old })
}

/// Makes the table for the entries of an index: these columns, then those of the primary key.
pub(super) fn make_entries(
    context: &mut Context<'_>,
    altered: &Altered,
    name: &str,
    entries: &[RowsetColumn],
    more: impl FnOnce(&mut TableDef),
) -> DdlResult<ObjectId> {
    let (database, old) = (altered.database, &altered.old);
    let id = context.edit(database)?.1.new_object_id();
    let now = context.now();
    let header = ObjectHeader {
        id,
        schema: SchemaId::SYS,
        name: name.into(),
        owner: None,
        created: now,
        modified: now,
        ms_shipped: true,
    };
    let mut table = TableDef::new(header, TableKind::Disk, TableRole::Internal);
    table.data_space = old.data_space;
    for entry in entries {
        let id = ColumnId(table.columns.len() as i32 + 1);
        let (name, ty) = (entry.name.into(), entry.ty);
        let mut column = ColumnDef::new(id, name, ty, system_type(&ty));
        column.nullable = entry.nullable;
        table.columns.push(column);
    }
    let keys = old.primary_key().map_or(&[][..], |key| &key.key);
    for (at, key) in keys.iter().enumerate() {
        let id = ColumnId(table.columns.len() as i32 + 1);
        let Some(column) = old.column(key.column) else { continue };
        let kept = temporal::kept_column(column, id);
        let (name, ty) = (format!("pk{}", at + 1).into(), kept.ty);
        let mut column = ColumnDef::new(id, name, ty, system_type(&ty));
        column.nullable = false;
        table.columns.push(column);
    }
    table.max_column_id = ColumnId(table.columns.len() as i32);
    let mut rows =
        IndexDef::new(IndexId(1), table.header.name.clone(), IndexKind::Clustered, false);
    let key = |column: &ColumnDef| KeyColumn { column: column.id, descending: false };
    rows.key = table.columns[entries.len()..].iter().chain(&table.columns[..1]).map(key).collect();
    rows.data_space = table.data_space;
    table.indexes.push(rows);
    more(&mut table);
    context.change(database, |task, txn, edit| edit.create_table(task, txn, table))?;
    Ok(id)
}

/// Adds what a secondary index finds entries by: an index of their values, and for some one of
/// their numbers.
pub(super) fn add_to_nodes(
    context: &mut Context<'_>,
    database: DbId,
    index: &DerivedIndexDef,
) -> DdlResult<()> {
    change_nodes(context, database, index.nodes, |nodes| {
        let column = |at: usize| nodes.columns.get(at).map(|c| c.id);
        let (path, value, number) = (column(1), column(2), column(NUMBER));
        let keys = nodes.columns.iter().skip(NUMBER + 1).map(|c| c.id);
        let orders: Vec<Vec<ColumnId>> = match index.kind {
            DerivedIndexKind::Value => vec![
                value.into_iter().chain(path).collect(),
                number.into_iter().chain(path).collect(),
            ],
            DerivedIndexKind::Property => vec![keys.chain(path).chain(value).collect()],
            _ => vec![
                path.into_iter().chain(value).collect(),
                path.into_iter().chain(number).collect(),
            ],
        };
        for (order, name) in orders.into_iter().zip(own_names(index.id)) {
            let id = nodes.next_index_id(IndexKind::NonClustered);
            let mut own = IndexDef::new(id, name.into(), IndexKind::NonClustered, false);
            own.data_space = nodes.data_space;
            if order.iter().any(|column| Some(*column) == number) {
                own.filter = number.map(has_number);
            }
            let key = |column| KeyColumn { column, descending: false };
            own.key = order.into_iter().map(key).collect();
            let place = nodes.indexes.partition_point(|other| other.id < own.id);
            nodes.indexes.insert(place, own);
        }
    })
}

/// The place of the number among the columns of entries.
const NUMBER: usize = 3;

/// The names of the indexes of entries that a secondary index has.
fn own_names(index: IndexId) -> [String; 2] {
    [index.to_string(), format!("{index} number")]
}

/// `number IS NOT NULL`
fn has_number(column: ColumnId) -> FilterDef {
    let terms = vec![FilterTerm { column, test: FilterTest::IsNotNull }];
    FilterDef { definition: "([number] IS NOT NULL)".into(), terms }
}

/// Removes secondary indexes from the entries.
fn take_from_nodes(
    context: &mut Context<'_>,
    database: DbId,
    nodes: ObjectId,
    gone: &[IndexId],
) -> DdlResult<()> {
    let names: Vec<String> = gone.iter().flat_map(|index| own_names(*index)).collect();
    change_nodes(context, database, nodes, |nodes| {
        nodes.indexes.retain(|i| !names.iter().any(|name| **name == *i.name));
    })
}

fn change_nodes(
    context: &mut Context<'_>,
    database: DbId,
    nodes: ObjectId,
    change: impl FnOnce(&mut TableDef),
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(old) = schema.table(nodes).cloned() else { return Ok(()) };
    let mut new = TableDef::clone(&old);
    change(&mut new);
    let definition = new.clone();
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let statement = "CREATE INDEX";
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// Inserts the entries of all rows.
pub(super) fn fill(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    index: IndexId,
) -> DdlResult<()> {
    for _ in 0..COMPILATIONS_MAX {
        let plan = filling(context, database, table, index)?;
        let Some(plan) = plan else { return Ok(()) };
        let mut frame = Frame::default();
        let ran = context.run_plan(&plan, &mut frame, |context, unit, frame| {
            context.run_unit_and_triggers(unit, frame)
        });
        if ran.map_err(|fault| fault.error)?.is_some() {
            return Ok(());
        }
    }
    Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]).into())
}

fn filling(
    context: &Context<'_>,
    database: DbId,
    table: ObjectId,
    index: IndexId,
) -> DdlResult<Option<StepPlan>> {
    let session = &*context.session;
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table) else { return Ok(None) };
    let Some(index) = table.derived_indexes.iter().find(|i| i.id == index) else { return Ok(None) };
    let options = session.compile_options(None);
    let names = DefinitionNames::new(session, database);
    let statistics = EngineStatistics::new(session, context.task);
    let binding = BindContext {
        names: &names,
        options: bind_options(options, ProgramKind::Batch),
        statistics: &statistics,
    };
    let bound = bind::derived_index_entries(&binding, database, table, index)?;
    let unit = lower::statement(&bound.plan, options.lowering())?;
    let (facts, dependencies) = (bound.facts, bound.dependencies);
    Ok(Some(StepPlan { unit, facts, dependencies, options }))
}

/// Empties the entries of an index.
pub(super) fn empty(context: &mut Context<'_>, database: DbId, nodes: ObjectId) -> DdlResult<()> {
    context.change(database, |task, txn, edit| edit.truncate_table(task, txn, nodes))?;
    Ok(())
}

/// Empties the entries of a table that has been truncated.
pub(super) fn truncate(
    context: &mut Context<'_>,
    database: DbId,
    table: &TableDef,
) -> DdlResult<()> {
    nodes_of(table).try_for_each(|nodes| empty(context, database, nodes))
}

/// Drops the entries of a table that has been dropped.
pub(super) fn remove(context: &mut Context<'_>, database: DbId, table: &TableDef) -> DdlResult<()> {
    nodes_of(table).try_for_each(|nodes| drop_nodes(context, database, nodes))
}

fn drop_nodes(context: &mut Context<'_>, database: DbId, nodes: ObjectId) -> DdlResult<()> {
    let key = DefinitionKey::Object(nodes);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// `DROP INDEX` of the index at a place; a primary XML index takes the others with it.
pub(super) fn drop(context: &mut Context<'_>, altered: &Altered, place: usize) -> DdlResult<()> {
    let index = &altered.old.derived_indexes[place];
    let mut new = altered.copy(context);
    new.derived_indexes.retain(|i| i.id != index.id && i.primary != index.id);
    put_table(context, altered.database, new)?;
    match index.kind.has_entries() {
        true => drop_nodes(context, altered.database, index.nodes),
        false => take_from_nodes(context, altered.database, index.nodes, &[index.id]),
    }
}

/// `ALTER INDEX` of the index with this id. Errors 155, 401, 1973, and those of selective ones.
pub(super) fn alter(
    context: &mut Context<'_>,
    altered: &Altered,
    id: IndexId,
    action: &AlterIndexAction,
) -> DdlResult<()> {
    let Some(place) = altered.old.derived_indexes.iter().position(|i| i.id == id) else {
        return Ok(());
    };
    match action {
        AlterIndexAction::Rebuild { partition: None, options } => {
            let options = Options::read(context, altered, options, "ALTER INDEX REBUILD")?;
            rebuild_one(context, altered, place, &options)
        }
        AlterIndexAction::Disable => disable(context, altered, place),
        AlterIndexAction::Paths(changes) => {
            xml_selective::change_paths(context, altered, place, changes)
        }
        AlterIndexAction::Set(options) => {
            let options = Options::read(context, altered, options, "ALTER INDEX SET")?;
            let mut new = altered.copy(context);
            options.apply(&mut new.derived_indexes[place]);
            put_table(context, altered.database, new)
        }
        _ => Ok(()),
    }
}

fn rebuild_one(
    context: &mut Context<'_>,
    altered: &Altered,
    place: usize,
    options: &Options,
) -> DdlResult<()> {
    let (database, index) = (altered.database, &altered.old.derived_indexes[place]);
    let mut new = altered.copy(context);
    options.apply(&mut new.derived_indexes[place]);
    new.derived_indexes[place].disabled = false;
    if index.kind.has_entries() {
        empty(context, database, index.nodes)?;
        put_table(context, database, new)?;
        return fill(context, database, altered.old.id(), index.id);
    }
    let primary = altered.old.derived_indexes.iter().find(|i| i.id == index.primary);
    primary.map_or(Ok(()), |primary| refuse_disabled(altered, primary))?;
    if index.disabled {
        add_to_nodes(context, database, index)?;
    }
    put_table(context, database, new)
}

/// A disabled index has no entries; a primary XML index disables those that are made of it.
fn disable(context: &mut Context<'_>, altered: &Altered, place: usize) -> DdlResult<()> {
    let (database, index) = (altered.database, &altered.old.derived_indexes[place]);
    let owns = index.kind.has_entries();
    let mut new = altered.copy(context);
    let mut gone = Vec::new();
    for other in &mut new.derived_indexes {
        if other.id == index.id || owns && other.primary == index.id {
            other.disabled = true;
            gone.push(other.id);
        }
    }
    put_table(context, database, new)?;
    if owns {
        empty(context, database, index.nodes)?;
    }
    take_from_nodes(context, database, index.nodes, &gone)
}

/// What `WITH (…)` says.
pub(super) struct Options {
    own: IndexDef,
    set: Vec<IndexOptionKind>,
    pub drops_existing: bool,
}

impl Options {
    /// Errors 129, 155, 401.
    pub fn read(
        context: &Context<'_>,
        altered: &Altered,
        options: &[IndexOption],
        statement: &str,
    ) -> DdlResult<Options> {
        use IndexOptionKind as O;
        let names = DefinitionNames::new(context.session, altered.database);
        let setting = Setting::new(context.session, &names, altered.database)?;
        let table = TableDef::clone(&altered.old);
        let mut builder = Builder::new(&setting, table, Purpose::Table, Vec::new());
        let mut own = IndexDef::new(IndexId(0), "".into(), IndexKind::NonClustered, false);
        let (mut set, mut drops_existing) = (Vec::new(), false);
        for option in options {
            let unknown = |name: &str| {
                let error = SqlError::new(&message::UNRECOGNIZED_OPTION, &[&name, &statement]);
                DdlResult::Err(error.at_line(option.span.line).into())
            };
            match &option.kind {
                O::IgnoreDupKey(true) => return unknown("ignore_dup_key"),
                O::Online(true) => return unknown("online"),
                O::Resumable(true) => return unknown("resumable"),
                O::XmlCompression(true) => return unimplemented("XML_COMPRESSION"),
                O::DropExisting(on) => drops_existing = *on,
                kind => {
                    let read = builder.option(&mut own, kind);
                    read.map_err(|failure| failure.at_line(option.span.line))?;
                    set.push(kind.clone());
                }
            }
        }
        Ok(Options { own, set, drops_existing })
    }

    pub fn apply(&self, index: &mut DerivedIndexDef) {
        for option in &self.set {
            match option {
                IndexOptionKind::AllowRowLocks(on) => index.allow_row_locks = *on,
                IndexOptionKind::AllowPageLocks(on) => index.allow_page_locks = *on,
                IndexOptionKind::PadIndex(on) => index.padded = *on,
                IndexOptionKind::FillFactor(_) => index.fill_factor = self.own.fill_factor,
                _ => {}
            }
        }
    }
}
