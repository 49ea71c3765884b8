//! `CREATE`, `ALTER` and `DROP INDEX`; statistics.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::define;
use engine::catalog::Object;
use engine::catalog::def::*;
use tsql::ast::{self, AlterIndexAction, IndexOptionKind, ObjectName};

use super::alter::rebuild::{self, Rebuild};
use super::alter::{Altered, verify_entries};
use super::drop::missing;
use super::failure::DdlResult;
use super::names::DefinitionNames;
use super::place::{self, Found};
use super::table::{Builder, IndexRequest, Purpose, Setting, find_index, statistics_type_error};
use super::{derived_index, indexed_view, temporal};
use crate::context::Context;
use crate::program::{ProgramKind, bind_options};

type Shown<'a> = &'a dyn std::fmt::Display;

/// Error 10794: memory-optimized tables get their indexes by `ALTER TABLE`.
pub(super) fn refuse_memory(table: &TableDef, operation: &str) -> DdlResult<()> {
    if !table.kind.is_memory_optimized() {
        return Ok(());
    }
    let args: [Shown; 3] = [&"operation", &operation, &"memory optimized tables"];
    Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into())
}

/// The table that an index statement is about. Errors 1088, 1914, 1939, 1940.
fn target(context: &mut Context<'_>, name: &ObjectName, what: &str) -> DdlResult<Altered> {
    let not_there = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[name]).with_state(12);
    let found = place::find_to_change(context, name)?.ok_or_else(not_there)?;
    if !place::may_alter(context, &found) {
        return Err(not_there().into());
    }
    let Some(old) = found.indexed() else {
        return Err(not_a_table(&found, name, what).into());
    };
    Ok(Altered { database: found.database, schema: found.schema, old })
}

fn not_a_table(found: &Found, name: &ObjectName, what: &str) -> SqlError {
    let written = &name.name.name;
    match found.object() {
        Object::Module(module) if matches!(module.kind, ModuleKind::View { .. }) => {
            let args: [Shown; 2] = [&what, written];
            match module.schema_bound {
                false => SqlError::new(&message::INDEX_ON_VIEW_NOT_SCHEMA_BOUND, &args),
                true => {
                    let shown =
                        place::qualified(&found.schema, module.header.schema, &module.header.name);
                    let args: [Shown; 2] = [&what, &shown];
                    SqlError::new(&message::INDEXED_VIEW_NEEDS_CLUSTERED, &args)
                }
            }
        }
        _ => SqlError::new(&message::INDEX_ON_NON_TABLE, &[written]),
    }
}

/// Puts in a table with other indexes. Error 1505 where a unique one finds equal keys.
fn put(context: &mut Context<'_>, altered: &Altered, new: TableDef) -> DdlResult<()> {
    let old = altered.old.clone();
    let definition = new.clone();
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let (database, statement) = (altered.database, "CREATE INDEX");
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// What new indexes want of the session's options, and of those with which the objects that their
/// keys depend on were made. Errors 1934, 1935.
pub fn check_options(
    context: &Context<'_>,
    database: DbId,
    table: &TableDef,
    is_new: &dyn Fn(&IndexDef) -> bool,
    statement: &str,
) -> SqlResult<()> {
    let options = bind_options(context.session.compile_options(None), ProgramKind::Batch);
    options.check_for_indexes(table, is_new, statement)?;
    let schema = context.session.schema(database)?;
    let keys = table.indexes.iter().filter(|i| is_new(i)).flat_map(|index| &index.key);
    let computed = keys.filter_map(|key| table.column(key.column)?.computed.as_ref());
    for reference in computed.clone().flat_map(|computed| &computed.references) {
        let module = reference.id.and_then(|id| schema.module(ObjectId(id)));
        let Some(module) = module else { continue };
        let (ansi_nulls, quoted) = (module.uses_ansi_nulls, module.uses_quoted_identifier);
        check_made_with(&module.header.name, ansi_nulls, quoted)?;
    }
    match computed.count() {
        0 => Ok(()),
        _ => check_made_with(&table.header.name, table.ansi_nulls, true),
    }
}

/// Error 1935 about an object that was made without `ANSI_NULLS` or `QUOTED_IDENTIFIER`.
pub(super) fn check_made_with(
    name: &str,
    ansi_nulls: bool,
    quoted_identifier: bool,
) -> SqlResult<()> {
    let off = match (ansi_nulls, quoted_identifier) {
        (true, true) => return Ok(()),
        (false, true) => "ANSI_NULLS",
        (true, false) => "QUOTED_IDENTIFIER",
        (false, false) => "ANSI_NULLS, QUOTED_IDENTIFIER",
    };
    Err(SqlError::new(&message::CREATE_FAILED_SET_OPTIONS, &[&name, &off]))
}

/// `CREATE INDEX`.
pub fn create(context: &mut Context<'_>, create: &ast::CreateIndex) -> DdlResult<()> {
    let found = place::find_to_change(context, &create.table)?;
    let found = found.filter(|found| place::may_alter(context, found));
    if let Some(found) = &found
        && let Some(view) = indexed_view::view_of(found)
    {
        indexed_view::check_request(context, found, &view, create)?;
        if found.indexed().is_none() {
            return indexed_view::create(context, found, &view, create);
        }
    }
    let altered = target(context, &create.table, "index")?;
    refuse_memory(&altered.old, "CREATE INDEX")?;
    temporal::refuse_index(context, &altered, create.unique)?;
    if let Some(group) = &create.filestream_on {
        return Err(super::table::no_filestream(group).into());
    }
    let mut copy = altered.copy(context);
    let replaces =
        create.options.iter().any(|o| matches!(o.kind, IndexOptionKind::DropExisting(true)));
    if replaces {
        let Some(place) = find_index(&altered.schema, &copy, &create.name.name) else {
            let table = altered.name();
            let args: [Shown; 2] = [&create.name.name, &table];
            return Err(SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args).into());
        };
        copy.indexes.remove(place);
    }
    let (new, warnings) = {
        let names = DefinitionNames::new(context.session, altered.database);
        let setting = Setting::new(context.session, &names, altered.database)?;
        let mut builder = Builder::new(&setting, copy, Purpose::Table, Vec::new());
        let mut request = IndexRequest::statement(create);
        if replaces {
            let old = find_index(&altered.schema, &altered.old, &create.name.name);
            let old = old.map(|at| &altered.old.indexes[at]);
            request.constraint = old.and_then(|i| i.constraint.clone());
        }
        builder.index(&request)?;
        (builder.table, builder.warnings)
    };
    if new.rows_of.is_some() && new.clustered_index().is_none() {
        // It would replace the clustered one.
        let args: [Shown; 2] = [&"index", &create.table];
        return Err(SqlError::new(&message::INDEXED_VIEW_NEEDS_CLUSTERED, &args).into());
    }
    if replaces {
        let shown = format!("{}.{}", create.table, create.name.name);
        temporal::refuse_index_change(&altered.schema, &altered.old, &new, &shown)?;
    }
    let is_new = |index: &IndexDef| index.name == create.name.name;
    check_options(context, altered.database, &new, &is_new, "CREATE INDEX")?;
    let id = new.id();
    put(context, &altered, new)?;
    verify_entries(context, altered.database, id, std::slice::from_ref(&create.name.name))?;
    for warning in warnings {
        context.inform(warning)?;
    }
    Ok(())
}

/// `DROP INDEX`.
pub fn drop(context: &mut Context<'_>, drop: &ast::DropIndex) -> DdlResult<()> {
    for item in &drop.indexes {
        let line = item.name.span.line;
        drop_one(context, item, drop.if_exists).map_err(|f| f.at_line(line))?;
    }
    Ok(())
}

fn drop_one(
    context: &mut Context<'_>,
    item: &ast::DropIndexItem,
    if_exists: bool,
) -> DdlResult<()> {
    let shown = format!("{}.{}", item.table, item.name.name);
    let found = place::find_to_change(context, &item.table)?;
    let table = found.as_ref().and_then(Found::indexed);
    let place = match (&found, &table) {
        (Some(found), Some(table)) if place::may_alter(context, found) => {
            find_index(&found.schema, table, &item.name.name)
        }
        _ => None,
    };
    if let (Some(found), Some(table), None) = (&found, &table, place)
        && place::may_alter(context, found)
        && let Some(place) = derived_index::find(&found.schema, table, &item.name.name)
    {
        let (database, schema) = (found.database, found.schema.clone());
        let altered = Altered { database, schema, old: table.clone() };
        return derived_index::drop(context, &altered, place);
    }
    let (Some(found), Some(old), Some(place)) = (found, table, place) else {
        return match if_exists {
            true => Ok(()),
            false => Err(missing("drop", "index", &shown).with_state(7).into()),
        };
    };
    refuse_memory(&old, "DROP INDEX")?;
    let index = &old.indexes[place];
    if let Some(constraint) = &index.constraint {
        let kind = if constraint.primary { "PRIMARY KEY" } else { "UNIQUE KEY" };
        let args: [Shown; 2] = [&shown, &kind];
        return Err(SqlError::new(&message::DROP_INDEX_ENFORCES_CONSTRAINT, &args).into());
    }
    for incoming in &old.referenced_by {
        let Some(table) = found.schema.table(incoming.table) else { continue };
        let key = table.foreign_keys.iter().find(|k| k.header.id == incoming.constraint);
        if key.is_some_and(|k| k.referenced_index == index.id) {
            let args: [Shown; 2] = [&shown, &"FOREIGN KEY"];
            return Err(SqlError::new(&message::DROP_INDEX_ENFORCES_CONSTRAINT, &args).into());
        }
    }
    if old.rows_of.is_some() && index.kind == IndexKind::Clustered {
        return indexed_view::remove(context, found.database, old.id());
    }
    let altered = Altered { database: found.database, schema: found.schema, old };
    let mut new = altered.copy(context);
    new.indexes.remove(place);
    temporal::refuse_index_change(&altered.schema, &altered.old, &new, &shown)?;
    put(context, &altered, new)
}

/// `ALTER INDEX`.
pub fn alter(context: &mut Context<'_>, alter: &ast::AlterIndex) -> DdlResult<()> {
    let altered = target(context, &alter.table, "index")?;
    let name = alter.name.as_ref().map(|name| &*name.name);
    let derived: Vec<IndexId> = match name {
        Some(name) => {
            let found = derived_index::find(&altered.schema, &altered.old, name);
            found.map(|at| altered.old.derived_indexes[at].id).into_iter().collect()
        }
        None => altered.old.derived_indexes.iter().map(|index| index.id).collect(),
    };
    let is_plain = name.is_none() || derived.is_empty();
    if is_plain || !changes_derived_index(&alter.action) {
        let places = if is_plain { places(&altered, name)? } else { Vec::new() };
        alter_plain(context, &altered, name, &places, &alter.action)?;
    }
    for id in derived {
        let schema = context.schema(altered.database)?;
        let Some(old) = schema.table(altered.old.id()).cloned() else { break };
        let altered = Altered { database: altered.database, schema, old };
        derived_index::alter(context, &altered, id, &alter.action)?;
    }
    Ok(())
}

/// Whether something is done to XML and spatial indexes that is not the same for all indexes.
fn changes_derived_index(action: &AlterIndexAction) -> bool {
    use AlterIndexAction::*;
    matches!(action, Rebuild { partition: None, .. } | Disable | Set(_) | Paths(_))
}

fn alter_plain(
    context: &mut Context<'_>,
    altered: &Altered,
    name: Option<&str>,
    places: &[usize],
    action: &AlterIndexAction,
) -> DdlResult<()> {
    match action {
        AlterIndexAction::Rebuild { partition: None, options } => {
            refuse_memory(&altered.old, "ALTER INDEX REBUILD")?;
            rebuild(context, altered, name, options)
        }
        AlterIndexAction::Reorganize { partition: None, .. } => {
            refuse_memory(&altered.old, "ALTER INDEX REORGANIZE")
        }
        AlterIndexAction::Disable => {
            refuse_memory(&altered.old, "ALTER INDEX DISABLE")?;
            disable(context, altered, places)
        }
        AlterIndexAction::Set(options) => set(context, altered, places, options),
        AlterIndexAction::Paths(_) => {
            let args: [Shown; 2] = [&name.unwrap_or("ALL"), &altered.name()];
            Err(SqlError::new(&message::SELECTIVE_NOT_FOUND, &args).into())
        }
        AlterIndexAction::Rebuild { .. } | AlterIndexAction::Reorganize { .. } => {
            Err(SqlError::new(&message::UNIMPLEMENTED, &[&"PARTITION"]).into())
        }
        AlterIndexAction::Resume(_) | AlterIndexAction::Pause | AlterIndexAction::Abort => {
            let text = "There is no pending resumable index operation for the index";
            let table = altered.name();
            let name = name.unwrap_or("ALL");
            let text = format!("{text} '{name}' on '{table}'.");
            Err(SqlError::custom(10638, 16, 2, text).into())
        }
    }
}

/// The places of an index, or of all. Error 2727.
fn places(altered: &Altered, name: Option<&str>) -> DdlResult<Vec<usize>> {
    let Some(name) = name else { return Ok((0..altered.old.indexes.len()).collect()) };
    match find_index(&altered.schema, &altered.old, name) {
        Some(place) => Ok(vec![place]),
        None => Err(SqlError::new(&message::INDEX_NAME_NOT_FOUND, &[&name]).into()),
    }
}

/// `REBUILD`: new options, and disabled indexes are good again.
pub fn rebuild(
    context: &mut Context<'_>,
    altered: &Altered,
    name: Option<&str>,
    options: &[ast::IndexOption],
) -> DdlResult<()> {
    let places = places(altered, name)?;
    let is_empty = altered.old.rows_of.is_some()
        && altered.old.clustered_index().is_some_and(|index| index.disabled);
    if !is_empty {
        return put_changed(context, altered, &places, options, |index| index.disabled = false);
    }
    let clustered = |at: &usize| altered.old.indexes[*at].kind == IndexKind::Clustered;
    if !places.iter().any(clustered) {
        let index = altered.old.indexes.iter().find(|i| i.kind == IndexKind::Clustered);
        let name = place::qualified(&altered.schema, altered.old.header.schema, &altered.name());
        let of = index.map_or("", |index| &index.name);
        let args: [Shown; 3] = [&"view", &name, &of];
        return Err(SqlError::new(&message::CLUSTERED_INDEX_DISABLED, &args).into());
    }
    let (new, warnings) =
        changed(context, altered, &places, options, |index| index.disabled = false)?;
    indexed_view::rebuild(context, altered, new.indexes)?;
    warnings.into_iter().try_for_each(|warning| context.inform(warning))?;
    Ok(())
}

fn set(
    context: &mut Context<'_>,
    altered: &Altered,
    places: &[usize],
    options: &[ast::IndexOption],
) -> DdlResult<()> {
    put_changed(context, altered, places, options, |_| {})
}

/// Puts in a table whose indexes at these places have other options.
fn put_changed(
    context: &mut Context<'_>,
    altered: &Altered,
    places: &[usize],
    options: &[ast::IndexOption],
    change: impl Fn(&mut IndexDef),
) -> DdlResult<()> {
    let (new, warnings) = changed(context, altered, places, options, change)?;
    put(context, altered, new)?;
    warnings.into_iter().try_for_each(|warning| context.inform(warning))?;
    Ok(())
}

fn changed(
    context: &Context<'_>,
    altered: &Altered,
    places: &[usize],
    options: &[ast::IndexOption],
    change: impl Fn(&mut IndexDef),
) -> DdlResult<(TableDef, Vec<SqlError>)> {
    let names = DefinitionNames::new(context.session, altered.database);
    let setting = Setting::new(context.session, &names, altered.database)?;
    let copy = altered.copy(context);
    let mut builder = Builder::new(&setting, copy, Purpose::Table, Vec::new());
    for &place in places {
        let mut index = builder.table.indexes[place].clone();
        for option in options {
            builder.option(&mut index, &option.kind)?;
        }
        change(&mut index);
        builder.table.indexes[place] = index;
    }
    Ok((builder.table, builder.warnings))
}

/// `DISABLE`. Foreign keys onto a key that is disabled are disabled with it.
fn disable(context: &mut Context<'_>, altered: &Altered, places: &[usize]) -> DdlResult<()> {
    let mut new = altered.copy(context);
    for &place in places {
        new.indexes[place].disabled = true;
    }
    let disables = |i: &IndexDef| i.kind == IndexKind::Clustered && i.disabled;
    if new.rows_of.is_some() && new.indexes.iter().any(disables) {
        return indexed_view::disable(context, altered);
    }
    if new.indexes.iter().any(disables) {
        // Nothing could be read any more; SQL Server allows that, and everything fails with 8655.
        let what = "ALTER INDEX DISABLE of a clustered index";
        return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
    }
    let disabled: Vec<IndexId> = places.iter().map(|at| altered.old.indexes[*at].id).collect();
    put(context, altered, new)?;
    disable_keys(context, altered.database, &altered.old, &disabled)
}

fn disable_keys(
    context: &mut Context<'_>,
    database: DbId,
    table: &Arc<TableDef>,
    disabled: &[IndexId],
) -> DdlResult<()> {
    for incoming in &table.referenced_by {
        let schema = context.schema(database)?;
        let Some(other) = schema.table(incoming.table) else { continue };
        let mut new = TableDef::clone(other);
        let mut warned = None;
        for key in &mut new.foreign_keys {
            if key.header.id == incoming.constraint && disabled.contains(&key.referenced_index) {
                key.disabled = true;
                key.not_trusted = true;
                warned = Some(key.header.name.clone());
            }
        }
        if let Some(name) = warned {
            super::alter::put_table(context, database, new)?;
            let text = format!(
                "Warning: Foreign key '{name}' on table '{}' referencing table '{}' was disabled \
                 as a result of disabling the index.",
                other.header.name, table.header.name
            );
            context.inform(SqlError::custom(1997, 10, 1, text))?;
        }
    }
    Ok(())
}

/// `CREATE STATISTICS`. The planner counts rows and keys where they are; what is kept is what was
/// asked for. Errors 1088, 1909, 1911, 1927.
pub fn create_statistics(
    context: &mut Context<'_>,
    create: &ast::CreateStatistics,
) -> DdlResult<()> {
    let altered = target(context, &create.table, "statistics")?;
    let name = &create.name.name;
    let same = |s: &StatisticsDef| altered.schema.same_name(&s.name, name);
    let taken = find_index(&altered.schema, &altered.old, name).is_some()
        || derived_index::find(&altered.schema, &altered.old, name).is_some();
    if taken || altered.old.statistics.iter().any(same) {
        let table = altered.name();
        let args: [Shown; 2] = [&table, name];
        return Err(SqlError::new(&message::STATISTICS_EXISTS, &args).into());
    }
    let mut columns = Vec::with_capacity(create.columns.len());
    for written in &create.columns {
        let same = |c: &&ColumnDef| altered.schema.same_name(&c.name, &written.name);
        let Some(column) = altered.old.columns.iter().find(same) else {
            return Err(SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[&written.name]).into());
        };
        if columns.contains(&column.id) {
            let args: [Shown; 2] = [&"statistics", &column.name];
            return Err(SqlError::new(&message::INDEX_DUPLICATE_COLUMN, &args).into());
        }
        if column.ty.kind.is_incomparable() {
            return Err(statistics_type_error(column, &altered.name()).into());
        }
        columns.push(column.id);
    }
    let filter = match &create.filter {
        Some(filter) => {
            let names = DefinitionNames::new(context.session, altered.database);
            let setting = Setting::new(context.session, &names, altered.database)?;
            let bind = setting.bind();
            Some(define::filter(&bind, &altered.old, "statistics", name, filter)?)
        }
        None => None,
    };
    let no_recompute =
        create.options.iter().any(|o| matches!(o, ast::StatisticsOption::NoRecompute));
    let mut new = altered.copy(context);
    let id = new.next_index_id(IndexKind::NonClustered);
    let place = new.statistics.partition_point(|other| other.id < id);
    let statistics = StatisticsDef { id, name: name.clone(), columns, filter, no_recompute };
    new.statistics.insert(place, statistics);
    super::alter::put_table(context, altered.database, new)
}

/// `DROP STATISTICS`. Error 3739 for those of an index.
pub fn drop_statistics(context: &mut Context<'_>, names: &[ObjectName]) -> DdlResult<()> {
    names.iter().try_for_each(|name| drop_one_statistics(context, name))
}

fn drop_one_statistics(context: &mut Context<'_>, name: &ObjectName) -> DdlResult<()> {
    // `table.statistics`: what looks like a schema is the table.
    let table = ObjectName {
        server: None,
        database: name.server.clone(),
        schema: name.database.clone(),
        name: name.schema.clone().unwrap_or_else(|| name.name.clone()),
        span: name.span,
    };
    let found = place::find_to_change(context, &table)?;
    let Some(found) = found.filter(|f| place::may_alter(context, f)) else {
        return Err(missing("drop", "statistics", name).into());
    };
    let Some(old) = found.indexed() else {
        return Err(missing("drop", "statistics", name).into());
    };
    let same = |s: &StatisticsDef| found.schema.same_name(&s.name, &name.name.name);
    let Some(at) = old.statistics.iter().position(same) else {
        let error = match find_index(&found.schema, &old, &name.name.name) {
            Some(_) => {
                let text = format!(
                    "Cannot DROP the index '{name}' because it is not a statistics collection."
                );
                SqlError::custom(3739, 11, 1, text)
            }
            None => missing("drop", "statistics", name),
        };
        return Err(error.into());
    };
    let altered = Altered { database: found.database, schema: found.schema, old };
    let mut new = altered.copy(context);
    new.statistics.remove(at);
    super::alter::put_table(context, altered.database, new)
}

/// `UPDATE STATISTICS`: they are always of now. Errors 1088, 2767.
pub fn update_statistics(
    context: &mut Context<'_>,
    update: &ast::UpdateStatistics,
) -> DdlResult<()> {
    let database = place::database_of(context.session, &update.table)?;
    let not_there = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[&update.table]);
    let found = place::find_in(context, database, &update.table)?.ok_or_else(not_there)?;
    if !place::may_alter(context, &found) {
        return Err(not_there().into());
    }
    let Some(table) = found.indexed() else { return Ok(()) };
    for name in &update.names {
        let same = |s: &StatisticsDef| found.schema.same_name(&s.name, &name.name);
        let known = find_index(&found.schema, &table, &name.name).is_some()
            || table.statistics.iter().any(same);
        if !known {
            return Err(SqlError::new(&message::STATISTICS_NOT_FOUND, &[&name.name]).into());
        }
    }
    Ok(())
}
