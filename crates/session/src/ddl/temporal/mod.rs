//! System versioning: a table whose replaced and deleted row versions go to another table, its
//! history.
//!
//! # Two tables
//!
//! The table says which one is its history and how long that is kept ([`VersioningDef`]), and the
//! history says whose it is; both are changed by one statement. Columns correspond by their order.
//! While versioning is on, statements change the history only through the table: `ALTER TABLE` of
//! the table is followed by the same change of the history ([`follow`]).
//!
//! # What is not here
//!
//! Rows go to the history by the plans of the statements that change the table
//! (`compile::bind::dml::generated`), and are read with `FOR SYSTEM_TIME`
//! (`compile::bind::system_time`). The retention is kept by [`cleanup`].

pub mod cleanup;
mod follow;
mod history;
mod refuse;

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::*;
use tsql::ast::{self, TableOptionKind};

use super::alter::put_table;
use super::failure::DdlResult;
use super::place;
use super::table::shown_name;
use crate::context::Context;

pub(super) use follow::follow;
pub(super) use history::kept_column;
pub(super) use refuse::{
    refuse_altered, refuse_index, refuse_index_change, refuse_removal, refuse_rename,
    refuse_trigger,
};

type Shown<'a> = &'a dyn std::fmt::Display;

/// The longest period, in months, that fits the calendar.
const RETENTION_MONTHS_MAX: i64 = 9999 * 12;

/// `database.schema.table`, as messages about system versioning show it.
pub fn full_name(
    context: &Context<'_>,
    database: DbId,
    schema: &Schema,
    table: &TableDef,
) -> String {
    let shown = place::qualified(schema, table.header.schema, &shown_name(&table.header.name));
    format!("{}.{shown}", context.instance().database_name(database))
}

/// A table in quotes, for a query.
pub fn quoted(schema: &Schema, table: &TableDef) -> String {
    let place = schema.schemas().get(table.header.schema).map_or("dbo", |s| &s.name);
    let name = tsql::quote_identifier(&table.header.name);
    format!("{}.{name}", tsql::quote_identifier(place))
}

/// What the options of a table say of system versioning; `Some(None)` turns it off. Error 13512.
pub fn option_of(
    options: &[ast::TableOption],
) -> DdlResult<Option<Option<&ast::SystemVersioning>>> {
    let mut found = options.iter().filter_map(|option| match &option.kind {
        TableOptionKind::SystemVersioning(versioning) => Some((versioning.as_deref(), option.span)),
        _ => None,
    });
    let first = found.next().map(|(versioning, _)| versioning);
    match found.next() {
        Some((_, span)) => {
            let error = SqlError::new(&message::VERSIONING_TWICE, &[]);
            Err(error.at_line(span.line).into())
        }
        None => Ok(first),
    }
}

/// `HISTORY_RETENTION_PERIOD`. Errors 13743, 13749.
fn retention(written: Option<&ast::HistoryRetention>) -> DdlResult<Option<RetentionDef>> {
    let Some(ast::HistoryRetention::Period(number, unit)) = written else { return Ok(None) };
    let (unit, months, shown) = match unit {
        ast::RetentionUnit::Day => (RetentionUnit::Day, 30, "days"),
        ast::RetentionUnit::Week => (RetentionUnit::Week, 4, "weeks"),
        ast::RetentionUnit::Month => (RetentionUnit::Month, 1, "months"),
        ast::RetentionUnit::Year => (RetentionUnit::Year, 12, "years"),
    };
    let count = number.parse::<i32>().ok().filter(|count| *count > 0);
    let count = count.ok_or_else(|| SqlError::new(&message::RETENTION_INVALID, &[number]))?;
    let months = match unit {
        RetentionUnit::Month | RetentionUnit::Year => i64::from(count) * months,
        RetentionUnit::Day | RetentionUnit::Week => i64::from(count) / months,
    };
    if months > RETENTION_MONTHS_MAX {
        let args: [Shown; 2] = [&count, &shown];
        return Err(SqlError::new(&message::RETENTION_TOO_BIG, &args).into());
    }
    Ok(Some(RetentionDef { count, unit }))
}

/// A table and what is known of it while its versioning changes.
struct Subject {
    database: DbId,
    schema: Arc<Schema>,
    table: Arc<TableDef>,
    name: String,
}

impl Subject {
    fn new(context: &Context<'_>, database: DbId, id: ObjectId) -> DdlResult<Option<Subject>> {
        let schema = context.schema(database)?;
        let Some(table) = schema.table(id).cloned() else { return Ok(None) };
        let name = full_name(context, database, &schema, &table);
        Ok(Some(Subject { database, schema, table, name }))
    }

    /// An error that names the table.
    fn fail<T>(&self, message: &message::Message) -> DdlResult<T> {
        Err(SqlError::new(message, &[&self.name]).into())
    }
}

/// `SYSTEM_VERSIONING` of a table that is there. Errors 13510 to 13596, 13738, 13739, 13743, 13749,
/// 13757, 13765.
pub fn set(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    versioning: Option<&ast::SystemVersioning>,
) -> DdlResult<()> {
    let Some(subject) = Subject::new(context, database, table)? else { return Ok(()) };
    match (versioning, subject.table.versioning) {
        (None, None) => subject.fail(&message::VERSIONING_NOT_ON),
        (None, Some(on)) => switch_off(context, &subject, on),
        (Some(asked), None) => switch_on(context, &subject, asked),
        (Some(asked), Some(on)) => keep_on(context, &subject, asked, on),
    }
}

fn switch_off(context: &mut Context<'_>, subject: &Subject, on: VersioningDef) -> DdlResult<()> {
    let mut new = changed(context, &subject.table);
    new.versioning = None;
    put_table(context, subject.database, new)?;
    if let Some(history) = subject.schema.table(on.history) {
        let mut new = changed(context, history);
        new.history_of = None;
        put_table(context, subject.database, new)?;
    }
    Ok(())
}

fn switch_on(
    context: &mut Context<'_>,
    subject: &Subject,
    asked: &ast::SystemVersioning,
) -> DdlResult<()> {
    let table = &subject.table;
    if table.column_set().is_some() {
        let what = "SYSTEM_VERSIONING of a table with a column set";
        return Err(base::SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
    }
    if subject.database == DbId::TEMPDB {
        return subject.fail(&message::TEMPORAL_IN_TEMPDB);
    }
    if table.period.is_none() {
        return Err(SqlError::new(&message::VERSIONING_WITHOUT_PERIOD, &[]).into());
    }
    if table.primary_key().is_none() {
        return subject.fail(&message::VERSIONING_WITHOUT_PRIMARY_KEY);
    }
    if table.kind == TableKind::MemorySchemaOnly {
        return subject.fail(&message::TEMPORAL_SCHEMA_ONLY);
    }
    if has_instead_of(&subject.schema, table) {
        return subject.fail(&message::TRIGGER_ON_TEMPORAL);
    }
    let retention = retention(asked.retention.as_ref())?;
    let (history, is_new) = history::find_or_make(context, subject, asked.history.as_ref())?;
    let name = history::checked(context, subject, &history, is_new)?;
    if !is_new && asked.consistency_check != Some(false) {
        history::check_rows(context, subject, &history, &name)?;
    }
    check_retention(subject, &history, &name, retention)?;
    let mut new = changed(context, table);
    new.versioning = Some(VersioningDef { history: history.id(), retention });
    put_table(context, subject.database, new)?;
    let mut new = changed(context, &history);
    new.history_of = Some(table.id());
    put_table(context, subject.database, new)
}

/// `ON` where it is: another retention, or the rows are checked. Errors 13595, 13596, 13757, 13765.
fn keep_on(
    context: &mut Context<'_>,
    subject: &Subject,
    asked: &ast::SystemVersioning,
    on: VersioningDef,
) -> DdlResult<()> {
    if asked.history.is_none() && asked.retention.is_none() {
        return subject.fail(&message::VERSIONING_ALREADY_ON);
    }
    let Some(history) = subject.schema.table(on.history).cloned() else { return Ok(()) };
    if let Some(name) = &asked.history {
        let found = place::find_in(context, subject.database, name)?;
        match found.map(|found| found.id) {
            None => return subject.fail(&message::HISTORY_ALREADY_DEFINED),
            Some(id) if id != history.id() => {
                let args: [Shown; 2] = [name, &subject.name];
                return Err(SqlError::new(&message::HISTORY_NAME_WRONG, &args).into());
            }
            Some(_) => {}
        }
    }
    let name = full_name(context, subject.database, &subject.schema, &history);
    if asked.consistency_check == Some(true) {
        history::check_rows(context, subject, &history, &name)?;
    }
    let Some(written) = &asked.retention else { return Ok(()) };
    let retention = retention(Some(written))?;
    check_retention(subject, &history, &name, retention)?;
    let mut new = changed(context, &subject.table);
    new.versioning = Some(VersioningDef { retention, ..on });
    put_table(context, subject.database, new)
}

/// Error 13765: rows leave a history by its clustered index, which must begin with their end.
fn check_retention(
    subject: &Subject,
    history: &TableDef,
    name: &str,
    retention: Option<RetentionDef>,
) -> DdlResult<()> {
    if retention.is_none() {
        return Ok(());
    }
    let state = match history.clustered_index() {
        None => 1,
        Some(_) if cleanup::index_of(&subject.table, history).is_none() => 2,
        Some(_) => return Ok(()),
    };
    let args: [Shown; 2] = [&subject.name, &name];
    let error = SqlError::new(&message::RETENTION_NEEDS_INDEX, &args);
    Err(error.with_state(state).into())
}

fn has_instead_of(schema: &Schema, table: &TableDef) -> bool {
    let triggers = table.triggers.iter().filter_map(|id| schema.module(*id)?.trigger());
    triggers.into_iter().any(|trigger| trigger.instead_of)
}

/// A copy of a definition to be changed, with the date of now.
fn changed(context: &Context<'_>, table: &TableDef) -> TableDef {
    let mut new = table.clone();
    new.header.modified = context.now();
    new
}

/// Checks what is in a table that gets a period: all rows are current ones, and none begins in the
/// future. Errors 13542, 13575.
pub fn check_period(context: &mut Context<'_>, database: DbId, table: ObjectId) -> DdlResult<()> {
    let Some(subject) = Subject::new(context, database, table)? else { return Ok(()) };
    let Some(period) = subject.table.period else { return Ok(()) };
    let column = |id| subject.table.column(id);
    let (Some(start), Some(end)) = (column(period.start), column(period.end)) else {
        return Ok(());
    };
    let name = quoted(&subject.schema, &subject.table);
    let name = match subject.table.is_temporary() {
        true => tsql::quote_identifier(&shown_name(&subject.table.header.name)),
        false => name,
    };
    let digits = usize::from(end.ty.scale);
    let point = if digits > 0 { "." } else { "" };
    let last = format!("9999-12-31 23:59:59{point}{}", "9".repeat(digits));
    let query = format!(
        "SELECT 1 AS x FROM {name} WHERE {} <> CAST('{last}' AS {})",
        tsql::quote_identifier(&end.name),
        end.ty
    );
    if super::data::exists(context, database, &query)? {
        return subject.fail(&message::PERIOD_END_NOT_MAX);
    }
    let query = format!(
        "SELECT 1 AS x FROM {name} WHERE {} > CAST(SYSUTCDATETIME() AS {})",
        tsql::quote_identifier(&start.name),
        start.ty
    );
    match super::data::exists(context, database, &query)? {
        true => subject.fail(&message::PERIOD_START_IN_FUTURE),
        false => Ok(()),
    }
}
