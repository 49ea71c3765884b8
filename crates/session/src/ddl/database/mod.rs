//! Databases: made, altered, dropped. Outside of transactions.

mod all_tables;
mod attach;
mod availability;
mod containment;
mod files;
mod options;
mod row_storage;
mod state;

use std::sync::Arc;

use base::ids::DbId;
use base::{Collation, SqlError, message};
use engine::catalog::Definition;
use engine::catalog::def::*;
use engine::instance::{InstanceError, NewDatabase};
use tsql::ast::{self, AlterDatabaseAction};

pub(crate) use attach::detach;
pub(crate) use containment::admit as admit_contained;
pub use row_storage::disk_init;

use super::failure::DdlResult;
use super::within;
use crate::context::{Context, catalog_error, engine_error};

type Shown<'a> = &'a dyn std::fmt::Display;

/// The system databases have the ids up to this one.
const SYSTEM_LAST: DbId = DbId::MSDB;

pub(super) fn is_system(id: DbId) -> bool {
    id <= SYSTEM_LAST
}

/// Refuses the statement inside a transaction. Error 226.
fn refuse_transaction(context: &Context<'_>, statement: &str) -> DdlResult<()> {
    match context.in_user_transaction() {
        true => Err(SqlError::new(&message::NOT_ALLOWED_IN_TRANSACTION, &[&statement]).into()),
        false => Ok(()),
    }
}

/// An error of making, altering or dropping a database.
fn instance_error(error: InstanceError) -> SqlError {
    use engine::error::EngineError;
    match error {
        InstanceError::Catalog(error) => catalog_error(error),
        InstanceError::Engine(EngineError::Txn(error)) => engine_error(&error),
        other => {
            let reason = other.to_string();
            let args: [Shown; 2] = [&reason, &""];
            SqlError::new(&message::FILE_CREATE_ERROR, &args)
        }
    }
}

/// `CREATE DATABASE`.
pub fn create(context: &mut Context<'_>, create: &ast::CreateDatabase) -> DdlResult<()> {
    refuse_transaction(context, "CREATE DATABASE")?;
    if !context.login_may(Permission::CreateAnyDatabase) {
        let args: [Shown; 2] = [&"CREATE DATABASE", &"master"];
        return Err(SqlError::new(&message::DATABASE_PERMISSION_DENIED, &args).into());
    }
    let refused = if create.snapshot_of.is_some() {
        Some("AS SNAPSHOT OF")
    } else if create.copy_of.is_some() {
        Some("AS COPY OF")
    } else if create.attach == Some(ast::Attach::AttachForceRebuildLog) {
        Some("FOR ATTACH_FORCE_REBUILD_LOG")
    } else {
        None
    };
    if let Some(what) = refused {
        return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
    }
    let instance = context.instance();
    let name = create.name.name.clone();
    if instance.find_database(&name).is_some() {
        return Err(SqlError::new(&message::DATABASE_EXISTS, &[&name]).into());
    }
    if create.attach.is_some() {
        return attach::attach(context, create);
    }
    let collation = match &create.collation {
        Some(collation) => collation_of(&collation.name)?,
        None => instance.databases().collation(),
    };
    let mut database_options = model_options(context);
    database_options.contained = create.containment == Some(true);
    if database_options.contained {
        admit_contained(context, "create")?;
    }
    for option in &create.options {
        options::check(context, option)?;
        containment::check_option(option, database_options.contained)?;
        options::set(&mut database_options, option, &name)?;
    }
    let layout = files::layout(context, create)?;
    let new = NewDatabase {
        name: name.clone(),
        owner_sid: context.session.identity.login().sid.clone(),
        created: context.now(),
        collation,
        options: database_options,
        file_groups: layout.groups,
        files: layout.files,
    };
    let owner = context.session.entry.owner.clone();
    let made = instance.databases().create_database(context.task, &owner, new);
    made.map_err(instance_error)?;
    instance.note_database_change();
    context.session.refresh_databases();
    if let Some(def) = instance.find_database(&name) {
        files::tell_mapped(context, def.id, &layout.asked)?;
    }
    Ok(())
}

/// A new database has model's options.
fn model_options(context: &Context<'_>) -> DatabaseOptions {
    let model = context.instance().database_def(DbId::MODEL);
    model.map_or_else(DatabaseOptions::default, |def| def.options.clone())
}

fn collation_of(name: &str) -> DdlResult<Collation> {
    let found = Collation::by_name(name);
    let found = found.map_err(|_| SqlError::new(&message::INVALID_COLLATION, &[&name]))?;
    Ok(found.of_database()?)
}

/// `DROP DATABASE`.
pub fn drop(context: &mut Context<'_>, drop: &ast::DropStatement) -> DdlResult<()> {
    refuse_transaction(context, "DROP DATABASE")?;
    for name in &drop.names {
        let instance = context.instance();
        let found = instance.find_database(&name.name.name);
        let found = found.filter(|def| may_alter(context, def));
        let Some(def) = found else {
            if drop.if_exists {
                continue;
            }
            return Err(super::drop::missing("drop", "database", &name.name.name).into());
        };
        if is_system(def.id) {
            let args: [Shown; 4] = [&"drop", &"database", &def.name, &"database"];
            return Err(SqlError::new(&message::CANNOT_DROP_SYSTEM_DATABASE, &args).into());
        }
        let session = context.session.id();
        let mine = context.session.is_in_database(def.id);
        if mine || !instance.usage.try_exclusive(def.id, session) {
            let message = &message::CANNOT_DROP_DATABASE_IN_USE;
            return Err(SqlError::new(message, &[&def.name]).with_state(3).into());
        }
        let owner = context.session.entry.owner.clone();
        let dropped = instance.databases().drop_database(context.task, &owner, &def);
        instance.usage.set_single(def.id, false);
        instance.usage.release(def.id);
        dropped.map_err(instance_error)?;
        instance.note_gone(def.id);
        context.session.refresh_databases();
    }
    Ok(())
}

/// Drops a database that the session has just made and a trigger refuses. Nothing is left to tell
/// if another session uses it by now: it stays.
pub(crate) fn drop_new(context: &mut Context<'_>, name: &Name) {
    let span = ast::Span::default();
    let name = ast::ObjectName::bare(ast::Ident { name: name.clone(), quoted: true, span });
    let kind = ast::DropKind::Database;
    let dropped = drop(context, &ast::DropStatement { kind, if_exists: true, names: vec![name] });
    if let Err(failure) = dropped {
        context.instance().note(&failure.error);
    }
}

/// Whether the session may alter or drop a database: its owner and administrators.
pub(crate) fn may_alter(context: &Context<'_>, def: &DatabaseDef) -> bool {
    context.login_may(Permission::AlterAnyDatabase)
        || context.user(def.id).is_ok_and(|user| user.is_owner)
}

/// `ALTER DATABASE`. Errors are followed by 5069, but for 5011 about a database that is not there.
pub fn alter(context: &mut Context<'_>, alter: &ast::AlterDatabase) -> DdlResult<()> {
    refuse_transaction(context, "ALTER DATABASE")?;
    let failed = || SqlError::new(&message::ALTER_DATABASE_FAILED, &[]);
    let instance = context.instance();
    let found = match &alter.name {
        Some(name) => instance.find_database(&name.name),
        None => instance.database_def(context.database()),
    };
    let Some(def) = found.filter(|def| may_alter(context, def)) else {
        let name = alter.name.as_ref().map_or("", |n| &n.name);
        let error = SqlError::new(&message::ALTER_DATABASE_NOT_FOUND, &[&name]);
        return Err(super::Failure::from(error).then(failed()));
    };
    if def.options.state == DatabaseState::Restoring {
        let error = SqlError::new(&message::ALTER_DATABASE_RESTORING, &[&"Restoring"]);
        return Err(super::Failure::from(error).then(failed()));
    }
    let available = match &alter.action {
        AlterDatabaseAction::Set { options, .. } => availability::asked(options),
        _ => None,
    };
    if def.options.state == DatabaseState::Offline && available.is_none() {
        let error = SqlError::new(&message::ALTER_DATABASE_RESTORING, &[&"Offline"]);
        return Err(super::Failure::from(error).then(failed()));
    }
    let result = match &alter.action {
        AlterDatabaseAction::Set { options, termination } => match available {
            Some(online) => availability::set(context, &def, online, options, *termination),
            None => options::set_all(context, &def, options, *termination),
        },
        AlterDatabaseAction::ModifyName(name) => rename(context, &def, &name.name),
        AlterDatabaseAction::Collate(collation) => collate(context, &def, &collation.name),
        AlterDatabaseAction::SetAllTables { property, on } => {
            all_tables::set(context, &def, *property, *on)
        }
        AlterDatabaseAction::RowStorage(cache) => {
            row_storage::set(context, &def, cache.as_ref().map(|cache| &*cache.name))
        }
        AlterDatabaseAction::ImrsLog { on } => row_storage::imrs_log(context, &def, *on),
        AlterDatabaseAction::RebuildLog(_) => {
            Err(SqlError::new(&message::ALTER_DATABASE_NOT_SUPPORTED, &[]).into())
        }
        action => files::alter(context, &def, action),
    };
    result.map_err(|failure| failure.then(failed()))
}

/// Changes a database's own definition.
pub(super) fn put_database(context: &mut Context<'_>, def: DatabaseDef) -> DdlResult<()> {
    within(context, |context| {
        context.lock_edit(DbId::MASTER)?;
        context.change(DbId::MASTER, |task, txn, edit| {
            edit.put(task, txn, Definition::Database(Arc::new(def.clone())))
        })?;
        Ok(())
    })
}

/// `MODIFY NAME`, and what `sp_renamedb` does.
pub(super) fn rename(context: &mut Context<'_>, def: &DatabaseDef, name: &Name) -> DdlResult<()> {
    if is_system(def.id) {
        return Err(SqlError::new(&message::SYSTEM_DATABASE_RENAME, &[&def.name]).into());
    }
    let instance = context.instance();
    if instance.find_database(name).is_some_and(|other| other.id != def.id) {
        return Err(SqlError::new(&message::DATABASE_EXISTS, &[name]).into());
    }
    let session = context.session.id();
    if !instance.usage.try_exclusive(def.id, session) {
        return Err(SqlError::new(&message::DATABASE_LOCK_FAILED, &[]).into());
    }
    let done = put_database(context, DatabaseDef { name: name.clone(), ..def.clone() });
    state::release(context, def.id, def.options.user_access);
    done?;
    instance.note_database_change();
    context.session.refresh_databases();
    let args: [Shown; 2] = [&"database", name];
    context.inform(SqlError::new(&message::NAME_HAS_BEEN_SET, &args))?;
    Ok(())
}

/// `COLLATE`. Errors 5030, 5072, 41335.
fn collate(context: &mut Context<'_>, def: &DatabaseDef, name: &str) -> DdlResult<()> {
    let collation = collation_of(name)?;
    if is_system(def.id) {
        let args: [Shown; 2] = [&def.name, &name];
        return Err(SqlError::new(&message::COLLATION_CHANGE_FAILED, &args).into());
    }
    let schema = context.schema(def.id)?;
    let in_memory = |t: &Arc<TableDef>| t.kind.is_memory_optimized();
    if schema.tables().any(in_memory) || schema.modules().any(|m| m.native) {
        return Err(SqlError::new(&message::COLLATION_CHANGE_NOT_ALLOWED, &[]).into());
    }
    let instance = context.instance();
    let session = context.session.id();
    if !instance.usage.try_exclusive(def.id, session) {
        return Err(SqlError::new(&message::DATABASE_LOCK_FAILED, &[]).into());
    }
    let owner = context.session.entry.owner.clone();
    let databases = instance.databases();
    let changed = databases.change_collation(context.task, &owner, def, collation);
    state::release(context, def.id, def.options.user_access);
    changed.map_err(instance_error)?;
    instance.note_gone(def.id);
    context.session.refresh_databases();
    Ok(())
}

/// `ON` or `OFF`. Error 102.
fn switch(option: &ast::DatabaseOption) -> DdlResult<bool> {
    match option.value {
        ast::OptionValue::Switch(on) => Ok(on),
        _ => {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&option.name]);
            Err(error.at_line(option.span.line).into())
        }
    }
}

/// `ROW_CACHE_TUNING = ON | OFF`, which takes effect at once.
fn row_cache_tuning(context: &mut Context<'_>, database: DbId, on: bool) -> DdlResult<()> {
    let instance = context.instance();
    let Some(def) = instance.database_def(database) else { return Ok(()) };
    let options = DatabaseOptions { row_cache_tuning_off: !on, ..def.options.clone() };
    put_database(context, DatabaseDef { options, ..DatabaseDef::clone(&def) })?;
    instance.note_database_change();
    instance.databases().set_row_caches();
    Ok(())
}

/// `IDENTITY_CACHE = ON | OFF`.
fn identity_cache(context: &mut Context<'_>, database: DbId, on: bool) -> DdlResult<()> {
    let instance = context.instance();
    let Some(def) = instance.database_def(database) else { return Ok(()) };
    let options = DatabaseOptions { identity_cache_off: !on, ..def.options.clone() };
    let def = DatabaseDef { options, ..DatabaseDef::clone(&def) };
    put_database(context, def.clone())?;
    instance.note_database_change();
    let configured = context.catalog(database)?.configure(context.task, &def);
    let end = configured.map_err(|error| instance.engine_error(database, &error))?;
    context.session.access(database)?.place.note_shown(end);
    Ok(())
}

/// `ALTER DATABASE SCOPED CONFIGURATION`: `IDENTITY_CACHE`, `ROW_CACHE_TUNING`, and settings of an
/// optimizer that this server does not have, accepted if SQL Server knows them.
pub fn scoped_configuration(
    context: &mut Context<'_>,
    change: &ast::ScopedConfiguration,
) -> DdlResult<()> {
    const KNOWN: &[&str] = &[
        "MAXDOP",
        "LEGACY_CARDINALITY_ESTIMATION",
        "PARAMETER_SNIFFING",
        "QUERY_OPTIMIZER_HOTFIXES",
        "OPTIMIZE_FOR_AD_HOC_WORKLOADS",
        "XTP_PROCEDURE_EXECUTION_STATISTICS",
        "XTP_QUERY_EXECUTION_STATISTICS",
        "INTERLEAVED_EXECUTION_TVF",
        "BATCH_MODE_MEMORY_GRANT_FEEDBACK",
        "BATCH_MODE_ADAPTIVE_JOINS",
        "BATCH_MODE_ON_ROWSTORE",
        "ROW_MODE_MEMORY_GRANT_FEEDBACK",
        "DEFERRED_COMPILATION_TV",
        "TSQL_SCALAR_UDF_INLINING",
        "ACCELERATED_PLAN_FORCING",
        "LIGHTWEIGHT_QUERY_PROFILING",
        "LAST_QUERY_PLAN_STATS",
        "VERBOSE_TRUNCATION_WARNINGS",
        "GLOBAL_TEMPORARY_TABLE_AUTO_DROP",
        "ELEVATE_ONLINE",
        "ELEVATE_RESUMABLE",
        "ISOLATE_SECURITY_POLICY_CARDINALITY",
        "DW_COMPATIBILITY_LEVEL",
        "EXEC_QUERY_STATS_FOR_SCALAR_FUNCTIONS",
        "PARAMETER_SENSITIVE_PLAN_OPTIMIZATION",
        "CE_FEEDBACK",
        "DOP_FEEDBACK",
        "MEMORY_GRANT_FEEDBACK_PERSISTENCE",
        "MEMORY_GRANT_FEEDBACK_PERCENTILE_GRANT",
        "OPTIMIZED_PLAN_FORCING",
        "PAUSED_RESUMABLE_INDEX_ABORT_DURATION_MINUTES",
    ];
    let database = context.database();
    context.demand_on_database(database, Permission::Alter)?;
    match &change.action {
        ast::ScopedConfigurationAction::Set(option) if &*option.name == "IDENTITY_CACHE" => {
            identity_cache(context, database, switch(option)?)?;
        }
        ast::ScopedConfigurationAction::Set(option) if &*option.name == "ROW_CACHE_TUNING" => {
            row_cache_tuning(context, database, switch(option)?)?;
        }
        ast::ScopedConfigurationAction::Set(option) => {
            if !KNOWN.contains(&&*option.name) {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&option.name]);
                return Err(error.at_line(option.span.line).into());
            }
        }
        ast::ScopedConfigurationAction::ClearProcedureCache(_) => {
            context.instance().plans.forget_database(database);
        }
    }
    Ok(())
}
