//! What the retention of histories says: versions leave a history some time after their end.

use std::sync::Arc;

use base::convert::display;
use base::datetime::DatePart;
use base::datetime::part::date_add;
use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use compile::bind::{self, BindContext};
use compile::lower;
use engine::catalog::Schema;
use engine::catalog::def::*;
use run::interp::Frame;

use super::{full_name, quoted};
use crate::context::Context;
use crate::ddl::names::DefinitionNames;
use crate::fault::Run;
use crate::names::EngineStatistics;
use crate::program::plan::StepPlan;
use crate::program::{ProgramKind, bind_options};

/// How often a statement is compiled anew because tables have changed.
const COMPILATIONS_MAX: u32 = 8;

/// The clustered index of a history that begins with the end of the period.
pub fn index_of(table: &TableDef, history: &TableDef) -> Option<usize> {
    let end = table.column_ordinal(table.period?.end)?;
    let end = history.columns.get(end)?.id;
    let leads = |i: &IndexDef| i.key.first().is_some_and(|k| k.column == end);
    history.indexes.iter().position(|i| i.kind == IndexKind::Clustered && leads(i))
}

/// Removes rows from the history of a table that are older than its retention, at most so many.
/// Returns how many. Errors 13746 and 13747.
pub fn remove(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    rows_max: Option<u64>,
) -> Run<u64> {
    run_text(context, database, |context| text(context, database, table, rows_max))
}

/// Runs a statement that the server writes, which may change histories and internal tables. It is
/// written anew where tables have changed. Returns how many rows it has changed.
pub(in crate::ddl) fn run_text(
    context: &mut Context<'_>,
    database: DbId,
    write: impl Fn(&Context<'_>) -> SqlResult<Option<String>>,
) -> Run<u64> {
    for _ in 0..COMPILATIONS_MAX {
        let Some(text) = write(context)? else { return Ok(0) };
        let plan = plan(context, database, &text)?;
        let mut frame = Frame::default();
        let ran = context.run_plan(&plan, &mut frame, |context, unit, frame| {
            context.run_unit_and_triggers(unit, frame)
        })?;
        if let Some(outcome) = ran {
            return Ok(outcome.rows);
        }
    }
    Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]).into())
}

fn plan(context: &Context<'_>, database: DbId, text: &str) -> SqlResult<StepPlan> {
    let batch = tsql::parse_batch(text, tsql::ParseOptions { quoted_identifier: true })?;
    let Some(statement) = batch.statements.first() else {
        return Err(ir::internal("a DELETE was written"));
    };
    let session = &*context.session;
    let options = session.compile_options(None);
    let names = DefinitionNames::new(session, database);
    let statistics = EngineStatistics::new(session, context.task);
    let binding = BindContext {
        names: &names,
        options: bind::BindOptions {
            writes_history: true,
            sees_all_rows: true,
            ..bind_options(options, ProgramKind::Batch)
        },
        statistics: &statistics,
    };
    let bound = bind::statement(&binding, statement)?;
    let unit = lower::statement(&bound.plan, options.lowering())?;
    let mut facts = bound.facts;
    // A user that may keep versions may say for how long.
    facts.accesses.clear();
    Ok(StepPlan { unit, facts, dependencies: bound.dependencies, options })
}

/// The text of the `DELETE`; none while the retention reaches back before the calendar.
fn text(
    context: &Context<'_>,
    database: DbId,
    table: ObjectId,
    rows_max: Option<u64>,
) -> SqlResult<Option<String>> {
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table) else {
        return Err(SqlError::new(&message::NOT_TEMPORAL, &[&table]));
    };
    let name = full_name(context, database, &schema, table);
    let history = table.versioning.and_then(|v| schema.table(v.history));
    let parts = table.versioning.zip(history).zip(table.period);
    let Some(((versioning, history), period)) = parts else {
        return Err(SqlError::new(&message::NOT_TEMPORAL, &[&name]));
    };
    let Some(retention) = versioning.retention else {
        return Err(SqlError::new(&message::RETENTION_INFINITE, &[&name]));
    };
    let Some(limit) = limit(context, retention)? else { return Ok(None) };
    let end = table.column_ordinal(period.end).and_then(|at| history.columns.get(at));
    let end = end.map_or(String::new(), |column| tsql::quote_identifier(&column.name));
    let top = rows_max.map_or(String::new(), |rows| format!("TOP ({rows}) "));
    let history = quoted(&schema, history);
    Ok(Some(format!("DELETE {top}FROM {history} WHERE {end} < CAST('{limit}' AS datetime2)")))
}

/// The end before which versions are aged; none if that is before the calendar.
fn limit(context: &Context<'_>, retention: RetentionDef) -> SqlResult<Option<String>> {
    let now = context.instance().env().clock().utc_ticks();
    let (now, ty) = (ValueRef::DateTime2(now as i64), SqlType::datetime2(7));
    let part = DatePart::parse(retention.unit.description(), "dateadd")?;
    let limit = date_add(part, -i64::from(retention.count), now, &ty);
    Ok(limit.ok().map(|limit| display(limit, &ty)))
}

/// The tables with a retention, each with a batch that removes aged rows from its history, so many
/// by a transaction. An error must end the batch.
pub fn batches(schema: &Schema, rows_max: u32) -> Vec<(Name, String)> {
    let has_retention = |t: &&Arc<TableDef>| t.versioning.is_some_and(|v| v.retention.is_some());
    let literal = |text: &str| format!("N'{}'", text.replace('\'', "''"));
    let batch = |table: &Arc<TableDef>| {
        let place = schema.schemas().get(table.header.schema)?;
        let text = format!(
            "DECLARE @n int = {rows_max} WHILE @n = {rows_max} \
             EXEC sys.sp_cleanup_temporal_history {}, {}, @n OUTPUT, {rows_max}",
            literal(&place.name),
            literal(&table.header.name)
        );
        Some((table.header.name.clone(), text))
    };
    schema.tables().filter(has_retention).filter_map(batch).collect()
}
