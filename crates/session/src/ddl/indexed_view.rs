//! Indexed views.
//!
//! The rows of an indexed view are an internal table with the view's name, schema and columns. Its
//! indexes are those of the view. It is made with the clustered index, and goes with it. The plans
//! of statements that change the view's tables keep it up (`compile::bind::dml::views`); while the
//! clustered index is disabled it is empty.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::{self, BindContext, FirstIndex};
use compile::lower;
use engine::catalog::def::*;
use engine::catalog::{DefinitionKey, Object, Schema};
use run::interp::Frame;
use tsql::ast::{self, IndexOptionKind};

use super::alter::rebuild::{self, Rebuild};
use super::alter::{Altered, verify_entries};
use super::failure::DdlResult;
use super::index::check_made_with;
use super::names::DefinitionNames;
use super::place::{self, Found};
use super::table::{Builder, IndexRequest, Purpose, Setting};
use crate::context::Context;
use crate::names::EngineStatistics;
use crate::program::plan::StepPlan;
use crate::program::{ProgramKind, bind_options};
use crate::security::owner_of;

type Shown<'a> = &'a dyn Display;

/// How often the statement that fills the table is compiled anew because tables have changed.
const COMPILATIONS_MAX: u32 = 8;

/// The view that was found, if it is one.
pub(super) fn view_of(found: &Found) -> Option<Arc<ModuleDef>> {
    match found.object() {
        Object::Module(module) if matches!(module.kind, ModuleKind::View { .. }) => {
            Some(module.clone())
        }
        _ => None,
    }
}

/// What is asked of every index of a view. Errors 1934, 1939, 1940, 1941, 1967, 1987, 1990, 10610.
pub(super) fn check_request(
    context: &Context<'_>,
    found: &Found,
    view: &ModuleDef,
    create: &ast::CreateIndex,
) -> DdlResult<()> {
    let what = "index";
    if !view.schema_bound {
        let args: [Shown; 2] = [&what, &view.header.name];
        return Err(SqlError::new(&message::INDEX_ON_VIEW_NOT_SCHEMA_BOUND, &args).into());
    }
    let name = place::qualified(&found.schema, view.header.schema, &view.header.name);
    let clustered = create.clustered == Some(true);
    if clustered && !create.unique {
        return Err(SqlError::new(&message::INDEXED_VIEW_NOT_UNIQUE, &[&name]).into());
    }
    if !clustered {
        let Some(rows) = found.indexed() else {
            let args: [Shown; 2] = [&what, &name];
            return Err(SqlError::new(&message::INDEXED_VIEW_NEEDS_CLUSTERED, &args).into());
        };
        if rows.clustered_index().is_some_and(|index| index.disabled) {
            let args: [Shown; 6] =
                [&"create", &what, &create.name.name, &"view", &name, &"clustered index"];
            return Err(SqlError::new(&message::INDEX_OF_DISABLED, &args).into());
        }
    }
    if create.filter.is_some() {
        let args: [Shown; 5] = [&what, &create.name.name, &name, &"indexes", &what];
        return Err(SqlError::new(&message::FILTERED_INDEX_ON_VIEW, &args).into());
    }
    for option in &create.options {
        let message = match option.kind {
            IndexOptionKind::IgnoreDupKey(true) => &message::INDEXED_VIEW_IGNORE_DUP_KEY,
            IndexOptionKind::Online(true) if clustered => &message::INDEXED_VIEW_ONLINE,
            _ => continue,
        };
        return Err(SqlError::new(message, &[]).at_line(option.span.line).into());
    }
    let options = bind_options(context.session.compile_options(None), ProgramKind::Batch);
    options.check_for_derived_indexes("CREATE INDEX")?;
    Ok(())
}

/// `CREATE UNIQUE CLUSTERED INDEX` on a view that has no index. Errors 1935, 1938 and those of
/// [`bind::indexed_view`].
pub(super) fn create(
    context: &mut Context<'_>,
    found: &Found,
    view: &Arc<ModuleDef>,
    create: &ast::CreateIndex,
) -> DdlResult<()> {
    let (database, name) = (found.database, &create.name.name);
    let tables = check_view(context, found, view, create)?;
    let rows = make_rows(context, database, view, tables)?;
    fill(context, database, rows)?;
    let altered = altered(context, database, rows)?;
    let (new, warnings) = {
        let names = DefinitionNames::new(context.session, database);
        let setting = Setting::new(context.session, &names, database)?;
        let copy = altered.copy(context);
        let mut builder = Builder::new(&setting, copy, Purpose::Table, Vec::new());
        builder.index(&IndexRequest::statement(create))?;
        (builder.table, builder.warnings)
    };
    put(context, &altered, new)?;
    verify_entries(context, database, rows, std::slice::from_ref(name))?;
    warnings.into_iter().try_for_each(|warning| context.inform(warning))?;
    Ok(())
}

/// The tables of a view that can have an index.
fn check_view(
    context: &Context<'_>,
    found: &Found,
    view: &Arc<ModuleDef>,
    create: &ast::CreateIndex,
) -> DdlResult<Vec<ObjectId>> {
    let (database, schema, header) = (found.database, &found.schema, &view.header);
    check_made_with(&header.name, view.uses_ansi_nulls, view.uses_quoted_identifier)?;
    let ModuleKind::View { columns, .. } = &view.kind else { return Ok(Vec::new()) };
    let mut key = Vec::with_capacity(create.columns.len());
    for written in &create.columns {
        let same = |c: &&ColumnDef| schema.same_name(&c.name, &written.name.name);
        let Some(column) = columns.iter().find(same) else {
            let error = SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[&written.name.name]);
            return Err(error.into());
        };
        key.push(column.id);
    }
    let place = place::qualified(schema, header.schema, &header.name);
    let shown = format!("{}.{place}", context.instance().database_name(database));
    let index = FirstIndex { view: &shown, name: &create.name.name, key: &key };
    let names = DefinitionNames::new(context.session, database);
    let statistics = EngineStatistics::new(context.session, context.task);
    let options = bind_options(context.session.compile_options(None), ProgramKind::Batch);
    let binding = BindContext { names: &names, options, statistics: &statistics };
    let tables = bind::indexed_view(&binding, database, view, index)?;
    for table in tables.iter().filter_map(|id| schema.table(*id)) {
        check_made_with(&table.header.name, table.ansi_nulls, true)?;
        let owner = |id: ObjectId| {
            let class = SecurableClass::Object;
            owner_of(schema, Securable { class, major: id.0, minor: 0 })
        };
        if owner(table.id()) != owner(view.id()) {
            let args: [Shown; 2] = [&shown, &table.header.name];
            return Err(SqlError::new(&message::INDEXED_VIEW_OWNER, &args).into());
        }
    }
    Ok(tables)
}

/// Makes the table for a view's rows. Until its clustered index is there, no plan keeps it up.
fn make_rows(
    context: &mut Context<'_>,
    database: DbId,
    view: &ModuleDef,
    tables: Vec<ObjectId>,
) -> DdlResult<ObjectId> {
    let id = context.edit(database)?.1.new_object_id();
    let now = context.now();
    let header = ObjectHeader { id, created: now, modified: now, ..view.header.clone() };
    let mut table = TableDef::new(header, TableKind::Disk, TableRole::Internal);
    for column in view.columns().unwrap_or_default() {
        let ColumnDef { id, name, ty, user_type, nullable, .. } = column.clone();
        let mut own = ColumnDef::new(id, name, ty, user_type);
        own.nullable = nullable;
        table.columns.push(own);
    }
    table.max_column_id = ColumnId(table.columns.len() as i32);
    table.rows_of = Some(ViewRowsDef { view: view.id(), tables });
    context.change(database, |task, txn, edit| edit.create_table(task, txn, table))?;
    Ok(id)
}

fn altered(context: &Context<'_>, database: DbId, rows: ObjectId) -> DdlResult<Altered> {
    let schema = context.schema(database)?;
    let old = schema.table(rows).cloned();
    let old = old.ok_or_else(|| ir::internal("an indexed view has rows"))?;
    Ok(Altered { database, schema, old })
}

/// Puts in the table with other indexes. Error 1505 where a unique one finds equal keys.
fn put(context: &mut Context<'_>, altered: &Altered, new: TableDef) -> DdlResult<()> {
    let (database, old, definition) = (altered.database, altered.old.clone(), new.clone());
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let statement = "CREATE INDEX";
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// Inserts the rows that the view shows.
fn fill(context: &mut Context<'_>, database: DbId, rows: ObjectId) -> DdlResult<()> {
    for _ in 0..COMPILATIONS_MAX {
        let plan = filling(context, database, rows)?;
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

fn filling(context: &Context<'_>, database: DbId, rows: ObjectId) -> DdlResult<StepPlan> {
    let session = &*context.session;
    let schema = context.schema(database)?;
    let rows = schema.table(rows);
    let view = rows.and_then(|rows| schema.module(rows.rows_of.as_ref()?.view));
    let (Some(rows), Some(view)) = (rows, view) else {
        return Err(ir::internal("an indexed view has rows").into());
    };
    let options = session.compile_options(None);
    let names = DefinitionNames::new(session, database);
    let statistics = EngineStatistics::new(session, context.task);
    let binding = BindContext {
        names: &names,
        options: bind_options(options, ProgramKind::Batch),
        statistics: &statistics,
    };
    let bound = bind::view_rows(&binding, database, view, rows)?;
    let unit = lower::statement(&bound.plan, options.lowering())?;
    let (facts, dependencies) = (bound.facts, bound.dependencies);
    Ok(StepPlan { unit, facts, dependencies, options })
}

/// `ALTER INDEX … REBUILD` of a view whose clustered index is disabled: its rows come back.
pub(super) fn rebuild(
    context: &mut Context<'_>,
    altered: &Altered,
    indexes: Vec<IndexDef>,
) -> DdlResult<()> {
    let (database, rows) = (altered.database, altered.old.id());
    // It is filled as a heap, so that equal keys are found as when the index was created.
    let mut heap = altered.copy(context);
    heap.indexes.clear();
    put(context, altered, heap)?;
    fill(context, database, rows)?;
    let filled = self::altered(context, database, rows)?;
    let names: Vec<Name> = indexes.iter().map(|index| index.name.clone()).collect();
    let new = TableDef { indexes, ..filled.copy(context) };
    put(context, &filled, new)?;
    verify_entries(context, database, rows, &names)
}

/// `ALTER INDEX … DISABLE` of the clustered index: the rows go, and all other indexes are disabled
/// with it.
pub(super) fn disable(context: &mut Context<'_>, altered: &Altered) -> DdlResult<()> {
    let (database, rows) = (altered.database, altered.old.id());
    context.change(database, |task, txn, edit| edit.truncate_table(task, txn, rows))?;
    let emptied = self::altered(context, database, rows)?;
    let mut new = emptied.copy(context);
    new.indexes.iter_mut().for_each(|index| index.disabled = true);
    put(context, &emptied, new)
}

/// Drops the rows and all indexes of a view that is dropped or altered, or whose clustered index is
/// dropped.
pub(super) fn remove(context: &mut Context<'_>, database: DbId, rows: ObjectId) -> DdlResult<()> {
    let key = DefinitionKey::Object(rows);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// Gives the rows of a view its name and schema, which have been changed.
pub fn follow(context: &mut Context<'_>, database: DbId, view: ObjectId) -> SqlResult<()> {
    let schema = context.schema(database)?;
    let Some(view) = schema.module(view) else { return Ok(()) };
    let Some(rows) = view.rows.and_then(|rows| schema.table(rows)) else { return Ok(()) };
    let mut new = TableDef::clone(rows);
    new.header = ObjectHeader { id: rows.id(), ..view.header.clone() };
    context.change(database, |task, txn, edit| edit.alter_table(task, txn, new))
}

/// The first indexed view that uses a table.
pub(super) fn first_on<'s>(schema: &'s Schema, table: &TableDef) -> Option<&'s Arc<ModuleDef>> {
    let rows = table.indexed_views.first().and_then(|rows| schema.table(*rows))?;
    schema.module(rows.rows_of.as_ref()?.view)
}
