//! `sp_xtp_merge_checkpoint_files` and `sp_xtp_checkpoint_force_garbage_collection`.

use base::ids::Lsn;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::Permission;
use engine::checkpoint::CommitRange;
use engine::database::Database;

use super::Arguments;
use crate::context::{Context, checkpoint_error};

/// Merges the checkpoint file pairs of a database that lie within a range of transactions, or all
/// of them; says so if there are none. Errors 911, 262.
pub fn merge(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let bound = |name, or: Lsn| {
        arguments.int(name).map_or(or, |tsn| Lsn(u64::try_from(tsn).unwrap_or_default()))
    };
    let range = CommitRange {
        from: bound("@transaction_lower_bound", CommitRange::ALL.from),
        to: bound("@transaction_upper_bound", CommitRange::ALL.to),
    };
    let name = arguments.text("@database_name").unwrap_or_default();
    let task = context.task;
    let run = |database: &Database| database.merge_checkpoint_files(task, range);
    if !with_database(context, Some(name), run)? {
        // SQL Server's own text for this is not known.
        let text =
            "There are no checkpoint files to be merged within the transactions that were named.";
        context.inform(SqlError::custom(0, 10, 1, text))?;
    }
    Ok(0)
}

/// Removes the checkpoint files of a database, the current one by default, that wait for the next
/// checkpoint. Errors 911 and 262.
pub fn collect_garbage(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let (task, name) = (context.task, arguments.text("@dbname"));
    with_database(context, name, |database| database.collect_checkpoint_garbage(task))?;
    Ok(0)
}

fn with_database<T>(
    context: &mut Context<'_>,
    name: Option<String>,
    run: impl FnOnce(&Database) -> Result<T, engine::error::EngineError>,
) -> SqlResult<T> {
    let id = match &name {
        None => context.session.database,
        Some(name) => {
            let found = context.instance().databases().find(name);
            let missing = || SqlError::new(&message::DATABASE_NOT_FOUND, &[name]);
            found.ok_or_else(missing)?.id
        }
    };
    context.demand_on_database(id, Permission::Checkpoint)?;
    let catalog = context.catalog(id)?;
    run(catalog.database()).map_err(|error| checkpoint_error(&error))
}
