//! What may not be done to system-versioned tables and their histories.

use base::ids::DbId;
use base::message::Message;
use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::*;
use tsql::ast::{AlterTableAction, AlterTableDropKind, ColumnChange, ColumnProperty};

use super::{cleanup, full_name};
use crate::context::Context;
use crate::ddl::alter::Altered;
use crate::ddl::failure::DdlResult;
use crate::ddl::place::Found;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `DROP TABLE` and `TRUNCATE TABLE`: errors 13545 and 13552.
pub(in crate::ddl) fn refuse_removal(
    context: &Context<'_>,
    found: &Found,
    message: &'static Message,
) -> DdlResult<()> {
    let Some(table) = found.table() else { return Ok(()) };
    match table.temporal_type() {
        TemporalType::NonTemporal => Ok(()),
        TemporalType::History | TemporalType::SystemVersioned => {
            let name = full_name(context, found.database, &found.schema, &table);
            Err(SqlError::new(message, &[&name]).into())
        }
    }
}

/// Error 13569: a history has no triggers, and what is system-versioned is written itself.
pub(in crate::ddl) fn refuse_trigger(
    context: &Context<'_>,
    found: &Found,
    table: &TableDef,
    instead_of: bool,
) -> DdlResult<()> {
    let refused = match table.temporal_type() {
        TemporalType::NonTemporal => false,
        TemporalType::History => true,
        TemporalType::SystemVersioned => instead_of,
    };
    if !refused {
        return Ok(());
    }
    let name = full_name(context, found.database, &found.schema, table);
    Err(SqlError::new(&message::TRIGGER_ON_TEMPORAL, &[&name]).into())
}

/// Error 13741: a history may hold equal rows.
pub(in crate::ddl) fn refuse_index(
    context: &Context<'_>,
    altered: &Altered,
    unique: bool,
) -> DdlResult<()> {
    if altered.old.history_of.is_none() || !unique {
        return Ok(());
    }
    let name = full_name(context, altered.database, &altered.schema, &altered.old);
    Err(SqlError::new(&message::UNIQUE_INDEX_ON_HISTORY, &[&name]).into())
}

/// Error 13766: aged rows would not be found any more by an index of the history.
pub(in crate::ddl) fn refuse_index_change(
    schema: &Schema,
    table: &TableDef,
    new: &TableDef,
    shown: &str,
) -> DdlResult<()> {
    let current = table.history_of.and_then(|id| schema.table(id));
    let Some(current) = current else { return Ok(()) };
    let is_kept = current.versioning.is_some_and(|v| v.retention.is_some());
    match is_kept && cleanup::index_of(current, new).is_none() {
        true => Err(SqlError::new(&message::RETENTION_INDEX_IN_USE, &[&shown]).into()),
        false => Ok(()),
    }
}

/// What `ALTER TABLE` may not do. Errors 13548, 13551, 13557, 13588, 13592 to 13594, 13599, 13735.
pub(in crate::ddl) fn refuse_altered(
    context: &Context<'_>,
    altered: &Altered,
    action: &AlterTableAction,
) -> DdlResult<()> {
    let name = || full_name(context, altered.database, &altered.schema, &altered.old);
    match action {
        AlterTableAction::AlterColumn(change) => {
            let line = change.name.span.line;
            refuse_change(altered, &change.name.name, &change.change, &name)
                .map_err(|failure| failure.at_line(line))
        }
        AlterTableAction::Drop(drops) => {
            for drop in drops {
                let line = drop.name.span.line;
                refuse_drop(altered, drop.kind, &drop.name.name, &name)
                    .map_err(|failure| failure.at_line(line))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn refuse_change(
    altered: &Altered,
    column: &str,
    change: &ColumnChange,
    name: &dyn Fn() -> String,
) -> DdlResult<()> {
    let table = &altered.old;
    let same = |c: &&ColumnDef| altered.schema.same_name(&c.name, column);
    let Some(found) = table.columns.iter().find(same) else { return Ok(()) };
    let generated = table.generated(found.id).is_some();
    let is_hidden = matches!(change, ColumnChange::Property(_, ColumnProperty::Hidden));
    let message = match () {
        () if table.history_of.is_some() => &message::ALTER_COLUMN_TEMPORAL,
        () if is_hidden && !generated => &message::HIDDEN_NOT_GENERATED,
        () if generated && !is_hidden => &message::ALTER_PERIOD_COLUMN,
        () => return Ok(()),
    };
    let args: [Shown; 2] = [&found.name, &name()];
    Err(SqlError::new(message, &args).into())
}

fn refuse_drop(
    altered: &Altered,
    kind: AlterTableDropKind,
    dropped: &str,
    name: &dyn Fn() -> String,
) -> DdlResult<()> {
    let table = &altered.old;
    let same = |other: &str| altered.schema.same_name(other, dropped);
    let fail = |message: &Message, args: &[Shown]| Err(SqlError::new(message, args).into());
    match kind {
        AlterTableDropKind::Column => {
            let Some(column) = table.columns.iter().find(|c| same(&c.name)) else { return Ok(()) };
            if table.history_of.is_some() {
                return fail(&message::DROP_COLUMN_TEMPORAL, &[&name()]);
            }
            match table.generated(column.id) {
                Some(_) => fail(&message::DROP_PERIOD_COLUMN, &[&column.name, &name()]),
                None => Ok(()),
            }
        }
        AlterTableDropKind::Constraint => {
            let key = table.primary_key().filter(|key| same(&key.name));
            match key.filter(|_| table.versioning.is_some()) {
                Some(_) => fail(&message::DROP_PRIMARY_KEY_TEMPORAL, &[&name()]),
                None => Ok(()),
            }
        }
        AlterTableDropKind::Period => {
            if !dropped.eq_ignore_ascii_case("SYSTEM_TIME") {
                return fail(&message::PERIOD_UNKNOWN, &[&name(), &dropped]);
            }
            match (table.period, table.versioning) {
                (_, Some(_)) => fail(&message::DROP_PERIOD_WHILE_VERSIONED, &[&name()]),
                (None, None) => fail(&message::NO_PERIOD_TO_DROP, &[&name()]),
                (Some(_), None) => Ok(()),
            }
        }
        AlterTableDropKind::Index => Ok(()),
    }
}

/// Error 13759: columns of a history are renamed with those of its table.
pub(in crate::ddl) fn refuse_rename(
    context: &Context<'_>,
    database: DbId,
    schema: &Schema,
    table: &TableDef,
) -> base::SqlResult<()> {
    if table.history_of.is_none() {
        return Ok(());
    }
    let name = full_name(context, database, schema, table);
    Err(SqlError::new(&message::RENAME_HISTORY_COLUMN, &[&name]))
}
