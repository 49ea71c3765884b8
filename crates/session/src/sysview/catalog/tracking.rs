//! Change tracking: which databases and tables are tracked, the tables that the server keeps for
//! that, and the commits.

use std::sync::Arc;

use base::{SqlResult, SqlType, Value};
use compile::bind::commit_table;
use engine::catalog::def::TableDef;
use engine::hot::table::Table;
use engine::txn::commit_table::{NUMBER, VERSION};
use engine::txn::{Commit, read_commits};

use super::super::cells::*;
use super::super::{FillContext, FilledView};

pub static CHANGE_TRACKING_DATABASES: FilledView = FilledView {
    schema: "sys",
    name: "change_tracking_databases",
    columns: &[
        column("database_id", INT, false),
        column("is_auto_cleanup_on", BIT, true),
        column("retention_period", INT, true),
        column("retention_period_units", TINY, true),
        column("retention_period_units_desc", nvar(60), true),
        column("max_cleanup_version", BIG, true),
    ],
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for def in master.server().databases().iter() {
            let Some(tracking) = def.options.change_tracking else { continue };
            let removed = match def.id == cx.database {
                true => Value::Int(removed(cx)?),
                false => NULL,
            };
            cx.push([
                int(def.id.0),
                bit(tracking.auto_cleanup),
                int(tracking.retention),
                int(tracking.unit.code()),
                text(tracking.unit.description()),
                removed,
            ]);
        }
        Ok(())
    },
};

pub static CHANGE_TRACKING_TABLES: FilledView = FilledView {
    schema: "sys",
    name: "change_tracking_tables",
    columns: &[
        column("object_id", INT, false),
        column("is_track_columns_updated_on", BIT, false),
        column("min_valid_version", BIG, true),
        column("begin_version", BIG, true),
        column("cleanup_version", BIG, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let tracked = |table: &Arc<TableDef>| Some((table.id(), table.tracking?));
        let mut tracked = schema.tables().filter_map(tracked).peekable();
        if tracked.peek().is_none() {
            return Ok(());
        }
        let removed = removed(cx)?;
        for (id, tracking) in tracked {
            cx.push([
                object(id),
                bit(tracking.columns),
                Value::Int(tracking.begin.max(removed)),
                Value::Int(tracking.begin),
                Value::Int(removed),
            ]);
        }
        Ok(())
    },
};

pub static DM_TRAN_COMMIT_TABLE: FilledView = FilledView {
    schema: "sys",
    name: "dm_tran_commit_table",
    columns: &[
        column("commit_ts", BIG, false),
        column("xdes_id", BIG, false),
        column("commit_lbn", BIG, false),
        column("commit_csn", BIG, false),
        column("commit_time", SqlType::datetime(), false),
    ],
    fill: |cx| {
        let Some(commits) = commits(cx) else { return Ok(()) };
        let (task, place, rows) = (cx.task, cx.place, &mut *cx.rows);
        let read =
            read_commits(place, task, &commits, VERSION, |Commit { version, number, time }| {
                if version > 0 {
                    let cells = [
                        Value::Int(version),
                        Value::Int(number),
                        Value::Int(0),
                        Value::Int(version),
                        utc(time as u64),
                    ];
                    let cells: Vec<_> = cells.iter().map(Value::as_ref).collect();
                    rows.push_values(&cells);
                }
                true
            });
        read.map_err(|error| cx.instance.engine_error(cx.database, &error))
    },
};

/// The commit table of the database, if it has one.
fn commits(cx: &FillContext<'_>) -> Option<Arc<Table>> {
    let commits = commit_table(cx.schema)?.clone();
    cx.instance.catalog(cx.database).ok()?.table(&commits)
}

/// The last version that is no longer known: the number of a row of version 0, negative.
fn removed(cx: &FillContext<'_>) -> SqlResult<i64> {
    let Some(commits) = commits(cx) else { return Ok(0) };
    let mut removed = 0;
    let read = read_commits(cx.place, cx.task, &commits, NUMBER, |commit| {
        removed = (-commit.number).max(0);
        false
    });
    read.map_err(|error| cx.instance.engine_error(cx.database, &error))?;
    Ok(removed)
}
