//! `ALTER DATABASE … SET property ON FOR ALL TABLES`.

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::TableProperty;

use super::{put_database, within};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::table::may_cache_rows;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Sets a property of all tables that can have it, and of those that are still to come. Errors
/// 3906, 5058.
pub(super) fn set(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    property: TableProperty,
    on: bool,
) -> DdlResult<()> {
    if def.options.read_only {
        return Err(SqlError::new(&message::DATABASE_READ_ONLY, &[&def.name]).into());
    }
    // An error that the database cannot be used comes before any change.
    context.schema(def.id)?;
    match property {
        TableProperty::RowCaching => row_caching(context, def, on),
        TableProperty::SnapshotIsolation => snapshot_isolation(context, def, on),
    }
}

/// The tables follow one by one, each in a transaction of its own, so that none waits for the
/// users of another. Where one fails, those before it stay as they are then.
fn row_caching(context: &mut Context<'_>, def: &DatabaseDef, on: bool) -> DdlResult<()> {
    if def.id == DbId::TEMPDB {
        let args: [Shown; 2] = [&"ROW_CACHING", &def.name];
        return Err(SqlError::new(&message::OPTION_CANNOT_BE_SET, &args).into());
    }
    put_options(context, def, |options| options.row_caching = on)?;
    let schema = context.schema(def.id)?;
    let differs = |t: &TableDef| may_cache_rows(t) && t.row_cached != on;
    let tables: Vec<ObjectId> =
        schema.tables().filter(|table| differs(table)).map(|table| table.id()).collect();
    for (done, table) in tables.iter().enumerate() {
        let switched = within(context, |context| switch(context, def.id, *table, on));
        if switched.is_err() {
            context.inform(altered("row_caching", done, done * 100 / tables.len()))?;
        }
        switched?;
    }
    context.inform(altered("row_caching", tables.len(), 100))?;
    Ok(())
}

/// Switches row caching of a table, if it is still there.
fn switch(context: &mut Context<'_>, database: DbId, table: ObjectId, on: bool) -> DdlResult<()> {
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let Some(old) = schema.table(table) else { return Ok(()) };
    let mut new = TableDef::clone(old);
    new.header.modified = context.now();
    new.row_cached = on;
    context.change(database, |task, txn, edit| edit.alter_table(task, txn, new.clone()))?;
    Ok(())
}

/// All tables keep versions; what they may be used for is the database's
/// `ALLOW_SNAPSHOT_ISOLATION`.
fn snapshot_isolation(context: &mut Context<'_>, def: &DatabaseDef, on: bool) -> DdlResult<()> {
    put_options(context, def, |options| options.snapshot_isolation = on)?;
    let tables = match def.options.snapshot_isolation == on {
        true => 0,
        false => context.schema(def.id)?.tables().filter(|table| may_cache_rows(table)).count(),
    };
    context.inform(altered("snapshot_isolation", tables, 100))?;
    Ok(())
}

fn put_options(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    change: impl FnOnce(&mut DatabaseOptions),
) -> DdlResult<()> {
    let mut new = def.clone();
    change(&mut new.options);
    put_database(context, new)?;
    context.instance().note_database_change();
    context.session.refresh_databases();
    Ok(())
}

/// SAP ASE's message 6813.
fn altered(property: &str, tables: usize, percent: usize) -> SqlError {
    let text =
        format!("Altered the property '{property}' for {tables} tables, {percent}% completed.");
    SqlError::custom(6813, 10, 1, text)
}
