//! Change tracking: which tables write down what is done to their rows.
//!
//! # Internal tables
//!
//! A tracked table has a *table of changes*, `sys.change_tracking_<id>`, with a row for each change
//! of a row. A database in which tracking has ever been on has a *commit table*,
//! `sys.syscommittab`, with a row for each commit of such changes. Nothing ever changes the
//! definition of the commit table: a commit that has the turn would wait for that.
//!
//! # What is not here
//!
//! Rows go into the table of changes by the plans of the statements that change the tracked table
//! (`compile::bind::dml::tracking`), and into the commit table by commits
//! (`engine::txn::tracking`). `CHANGETABLE` reads both (`compile::bind::change_table`). The
//! retention is kept by [`cleanup`].

pub mod cleanup;
mod database;

use base::ids::{DbId, ObjectId};
use base::message::Message;
use base::{SqlError, SqlType, TypeKind, Value, message};
use compile::bind::{COMMIT_TABLE, commit_table};
use engine::catalog::def::*;
use engine::catalog::{DefinitionKey, Schema};
use tsql::ast::{AlterTableAction, AlterTableDropKind, ColumnChange};

use super::alter::{Altered, put_table};
use super::failure::{DdlResult, Failure, raised};
use super::table::system_type;
use super::temporal;
use crate::context::Context;

pub(in crate::ddl) use database::set as set_database;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The newest version of a database.
const NEWEST: &str = "ISNULL((SELECT TOP (1) c.commit_ts FROM sys.syscommittab AS c \
    ORDER BY c.commit_ts DESC), 0)";

/// `ENABLE CHANGE_TRACKING`. Errors 1718, 4996, 4997, 4999, 10794, 13563.
pub(in crate::ddl) fn enable(
    context: &mut Context<'_>,
    altered: &Altered,
    columns: bool,
) -> DdlResult<()> {
    let (database, table, name) = (altered.database, &altered.old, altered.name());
    let fail = |message: &Message| Err(SqlError::new(message, &[&name]).into());
    let instance = context.instance();
    let def = instance.database_def(database);
    if def.as_ref().is_none_or(|def| def.options.change_tracking.is_none()) {
        let args: [Shown; 2] = [&instance.database_name(database), &name];
        return Err(SqlError::new(&message::TRACKING_OFF_IN_DATABASE, &args).into());
    }
    if table.tracking.is_some() {
        return fail(&message::TRACKING_ALREADY_ON);
    }
    if table.history_of.is_some() {
        let name = temporal::full_name(context, database, &altered.schema, table);
        return Err(SqlError::new(&message::TRACKING_OF_HISTORY, &[&name]).into());
    }
    if table.kind == TableKind::MemorySchemaOnly {
        let args: [Shown; 3] = [&"option", &"change tracking", &"DURABILITY = SCHEMA_ONLY"];
        return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
    }
    let Some(key) = table.primary_key() else {
        return fail(&message::TRACKING_WITHOUT_KEY);
    };
    let key: Vec<&ColumnDef> = key.key.iter().filter_map(|k| table.column(k.column)).collect();
    if key.iter().any(|column| column.ty.kind == TypeKind::RowVersion) {
        return fail(&message::TRACKING_KEY_TIMESTAMP);
    }
    let changes = make_changes(context, altered, &key)?;
    let mut new = altered.copy(context);
    new.tracking = Some(TrackingDef { changes, columns, begin: 0 });
    put_table(context, database, new.clone())?;
    // The table's gate is closed now: what other transactions did to it came before this version.
    let begin = newest_version(context, database)?;
    new.tracking = Some(TrackingDef { changes, columns, begin });
    put_table(context, database, new)
}

/// `DISABLE CHANGE_TRACKING`. Error 4998.
pub(in crate::ddl) fn disable(context: &mut Context<'_>, altered: &Altered) -> DdlResult<()> {
    let Some(tracking) = altered.old.tracking else {
        let name = altered.name();
        return Err(SqlError::new(&message::TRACKING_NOT_ON, &[&name]).into());
    };
    let mut new = altered.copy(context);
    new.tracking = None;
    put_table(context, altered.database, new)?;
    drop_changes(context, altered.database, tracking)
}

/// Drops the table of changes of a table that is no longer tracked, or no longer there.
pub(in crate::ddl) fn drop_changes(
    context: &mut Context<'_>,
    database: DbId,
    tracking: TrackingDef,
) -> DdlResult<()> {
    let key = DefinitionKey::Object(tracking.changes);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// After `TRUNCATE TABLE`: what was known of the rows is gone, and changes are known from now on.
pub(in crate::ddl) fn truncated(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table) else { return Ok(()) };
    let Some(tracking) = table.tracking else { return Ok(()) };
    let changes = tracking.changes;
    context.change(database, |task, txn, edit| edit.truncate_table(task, txn, changes))?;
    let begin = newest_version(context, database)?;
    let mut new = TableDef::clone(table);
    new.tracking = Some(TrackingDef { begin, ..tracking });
    put_table(context, database, new)
}

/// What `ALTER TABLE` may not do to a tracked table. Errors 3735, 22113.
pub(in crate::ddl) fn refuse_altered(
    altered: &Altered,
    action: &AlterTableAction,
) -> DdlResult<()> {
    let table = &altered.old;
    let (Some(_), Some(key)) = (table.tracking, table.primary_key()) else { return Ok(()) };
    let same = |name: &str, other: &str| altered.schema.same_name(name, other);
    match action {
        AlterTableAction::Drop(drops) => {
            let is_key =
                |kind, name: &str| kind == AlterTableDropKind::Constraint && same(name, &key.name);
            if drops.iter().any(|drop| is_key(drop.kind, &drop.name.name)) {
                let args: [Shown; 2] = [&key.name, &altered.name()];
                let error = SqlError::new(&message::DROP_KEY_OF_TRACKED, &args);
                let failed = raised(&message::DROP_CONSTRAINT_FAILED, 0);
                return Err(Failure::from(error).then(failed));
            }
            Ok(())
        }
        AlterTableAction::AlterColumn(change) => {
            let is_key = |column: &ColumnDef| key.key.iter().any(|k| k.column == column.id);
            let found = table.columns.iter().find(|c| same(&c.name, &change.name.name));
            let changes_type = !matches!(change.change, ColumnChange::Property(..));
            if changes_type && found.is_some_and(is_key) {
                let what = "ALTER TABLE ALTER COLUMN of a primary key column";
                return Err(SqlError::new(&message::NOT_WHILE_TRACKED, &[&what]).into());
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The newest version that a commit has taken.
fn newest_version(context: &mut Context<'_>, database: DbId) -> DdlResult<i64> {
    match cleanup::value(context, database, NEWEST)? {
        Value::Int(version) => Ok(version),
        _ => Err(ir::internal("a version is a number").into()),
    }
}

/// Makes the table of changes: what was done, and the columns of the key.
fn make_changes(
    context: &mut Context<'_>,
    altered: &Altered,
    key: &[&ColumnDef],
) -> DdlResult<ObjectId> {
    let mut columns = vec![
        ("sys_change_xdes_id".to_string(), SqlType::bigint(), false),
        ("sys_change_xdes_id_seq".to_string(), SqlType::bigint(), false),
        ("sys_change_operation".to_string(), SqlType::binary(1), false),
        ("sys_change_columns".to_string(), SqlType::varbinary(4100), true),
        ("sys_change_context".to_string(), SqlType::varbinary(128), true),
    ];
    let fixed = columns.len();
    columns.extend((1..).zip(key).map(|(at, c)| (format!("k{at}"), c.ty, c.nullable)));
    let all = (fixed..columns.len()).collect();
    let name = format!("change_tracking_{}", altered.old.id());
    let of = Some(altered.old.id());
    make_internal(context, altered.database, &name, of, columns, [vec![0], all])
}

/// Makes the commit table of a database, if there is none.
fn make_commit_table(context: &mut Context<'_>, database: DbId) -> DdlResult<()> {
    context.lock_edit(database)?;
    if commit_table(&*context.schema(database)?).is_some() {
        return Ok(());
    }
    let columns = vec![
        ("commit_ts".to_string(), SqlType::bigint(), false),
        ("xdes_id".to_string(), SqlType::bigint(), false),
        ("commit_time".to_string(), SqlType::datetime2(7), false),
    ];
    make_internal(context, database, COMMIT_TABLE, None, columns, [vec![0], vec![1]])?;
    Ok(())
}

/// Makes an internal table with a clustered and another index, of columns by their places.
fn make_internal(
    context: &mut Context<'_>,
    database: DbId,
    name: &str,
    changes_of: Option<ObjectId>,
    columns: Vec<(String, SqlType, bool)>,
    indexes: [Vec<usize>; 2],
) -> DdlResult<ObjectId> {
    let id = context.edit(database)?.1.new_object_id();
    let schema = context.schema(database)?;
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
    table.changes_of = changes_of;
    table.data_space = default_space(&schema);
    let column = |(number, (name, ty, nullable)): (i32, (String, SqlType, bool))| ColumnDef {
        id: ColumnId(number),
        name: name.into(),
        ty,
        user_type: system_type(&ty),
        nullable,
        identity: None,
        rowguidcol: false,
        computed: None,
        default: None,
        sparse: false,
        hidden: false,
        ansi_padded: true,
        column_set: false,
        mask: None,
        classification: None,
        bound_default: None,
        bound_rule: None,
    };
    table.columns = (1..).zip(columns).map(column).collect();
    table.max_column_id = ColumnId(table.columns.len() as i32);
    let kinds = [IndexKind::Clustered, IndexKind::NonClustered];
    for (number, (kind, places)) in (1..).zip(kinds.into_iter().zip(indexes)) {
        let name = format!("{name}_index_{number}").into();
        let mut index = IndexDef::new(IndexId(number), name, kind, false);
        index.data_space = table.data_space;
        let column =
            |place: usize| KeyColumn { column: ColumnId(place as i32 + 1), descending: false };
        index.key = places.into_iter().map(column).collect();
        table.indexes.push(index);
    }
    context.change(database, |task, txn, edit| edit.create_table(task, txn, table))?;
    Ok(id)
}

fn default_space(schema: &Schema) -> DataSpaceId {
    let groups = schema.file_groups().iter();
    let default = groups.filter(|g| g.kind == FileGroupKind::Rows).find(|g| g.default);
    default.map_or(DataSpaceId::PRIMARY, |g| g.id)
}
