//! What is older than the retention leaves the internal tables.
//!
//! 1. The *cutoff* is the first version that stays: the first that is young enough, or the newest.
//! 2. A row of the commit table with version 0 says that all before the cutoff may be missing; its
//!    number is the last such version, negative. So no reader takes what follows for all there was.
//! 3. Changes of transactions before the cutoff are deleted, table by table.
//! 4. If that was done for all tables, so are these transactions' rows of the commit table. The
//!    newest stays, with which the counters go on after a restart.
//!
//! Each statement is a transaction of its own, unless there is one. A pass that was interrupted is
//! finished by the next one.

use base::ids::DbId;
use base::{SqlResult, SqlType, Value};
use compile::bind::{self, BindContext, BindOptions};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::TableDef;

use super::database::minutes;
use crate::context::Context;
use crate::ddl::data::evaluate;
use crate::ddl::failure::DdlResult;
use crate::ddl::names::DefinitionNames;
use crate::ddl::temporal::cleanup::run_text;
use crate::fault::Run;

/// Rows that one statement deletes at most.
const BATCH_ROWS: u64 = 10_000;

/// The value of an expression over internal tables, as `bigint`.
pub(super) fn value(context: &mut Context<'_>, database: DbId, text: &str) -> DdlResult<Value> {
    let options = tsql::ParseOptions { quoted_identifier: true };
    let expr = tsql::parse_expression(text, options)?;
    let names = DefinitionNames::new(context.session, database);
    let options = BindOptions { writes_history: true, ..BindOptions::default() };
    let bind = BindContext { names: &names, options, statistics: &NoStatistics };
    let bound = bind::expression(&bind, &expr, Some(SqlType::bigint()))?;
    evaluate(context, bound)
}

/// Removes what is older than the retention of the database: of all tracked tables, or of one.
/// Returns how many changes.
pub fn remove(context: &mut Context<'_>, database: DbId, only: Option<&TableDef>) -> Run<u64> {
    let schema = context.schema(database)?;
    let Some(text) = cutoff_text(context, database) else { return Ok(0) };
    if bind::commit_table(&schema).is_none() {
        return Ok(0);
    }
    let found = value(context, database, &text).map_err(|failure| failure.error)?;
    let Value::Int(cutoff) = found else { return Ok(0) };
    let last = cutoff - 1;
    if last <= 0 {
        return Ok(0);
    }
    let marked = "-ISNULL((SELECT TOP (1) c.xdes_id FROM sys.syscommittab AS c \
                  WHERE c.xdes_id < 0 ORDER BY c.xdes_id), 0)";
    let marked = value(context, database, marked).map_err(|failure| failure.error)?;
    if matches!(marked, Value::Int(marked) if marked < last) {
        let text = format!(
            "INSERT INTO sys.syscommittab (commit_ts, xdes_id, commit_time) \
             VALUES (0, -{last}, SYSUTCDATETIME())"
        );
        run_text(context, database, |_| Ok(Some(text.clone())))?;
        let text = format!("DELETE FROM sys.syscommittab WHERE xdes_id > -{last} AND xdes_id < 0");
        run_text(context, database, |_| Ok(Some(text.clone())))?;
    }
    let tracked = schema.tables().filter(|table| table.tracking.is_some());
    let tracked = tracked.filter(|table| only.is_none_or(|only| only.id() == table.id()));
    let mut removed = 0;
    for table in tracked {
        let name = tsql::quote_identifier(&format!("change_tracking_{}", table.id()));
        let rows = format!(
            "DELETE TOP ({BATCH_ROWS}) FROM sys.{name} WHERE sys_change_xdes_id IN (SELECT \
             c.xdes_id FROM sys.syscommittab AS c WHERE c.commit_ts > 0 AND c.commit_ts < {cutoff})"
        );
        let id = table.id();
        removed += in_batches(context, database, &|context| {
            // A table that is dropped or no longer tracked meanwhile takes its changes with it.
            let schema = context.schema(database)?;
            let is_tracked = schema.table(id).is_some_and(|table| table.tracking.is_some());
            Ok(is_tracked.then(|| rows.clone()))
        })?;
    }
    if only.is_none() {
        let rows = format!(
            "DELETE TOP ({BATCH_ROWS}) FROM sys.syscommittab \
             WHERE commit_ts > 0 AND commit_ts < {cutoff}"
        );
        in_batches(context, database, &|_| Ok(Some(rows.clone())))?;
    }
    Ok(removed)
}

fn in_batches(
    context: &mut Context<'_>,
    database: DbId,
    write: &dyn Fn(&Context<'_>) -> SqlResult<Option<String>>,
) -> Run<u64> {
    let mut removed = 0;
    loop {
        let rows = run_text(context, database, write)?;
        removed += rows;
        if rows < BATCH_ROWS {
            return Ok(removed);
        }
    }
}

/// The expression of the cutoff, if tracking is on.
fn cutoff_text(context: &Context<'_>, database: DbId) -> Option<String> {
    let def = context.instance().database_def(database)?;
    let tracking = def.options.change_tracking?;
    let minutes = i64::from(tracking.retention) * i64::from(minutes(tracking.unit));
    Some(format!(
        "ISNULL((SELECT TOP (1) c.commit_ts FROM sys.syscommittab AS c WHERE c.commit_ts > 0 \
         AND c.commit_time >= DATEADD(minute, -{minutes}, SYSUTCDATETIME()) ORDER BY c.commit_ts), \
         (SELECT TOP (1) c.commit_ts FROM sys.syscommittab AS c ORDER BY c.commit_ts DESC))"
    ))
}
