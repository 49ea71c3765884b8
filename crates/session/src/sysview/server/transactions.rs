//! Transactions in databases.

use base::{SqlType, Value};
use engine::hot::status::Status;

use super::super::FilledView;
use super::super::cells::*;

const LSN: SqlType = SqlType::numeric(25, 0);
const ADDRESS: SqlType = SqlType::varbinary(8);

pub static DM_TRAN_DATABASE_TRANSACTIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_tran_database_transactions",
    columns: &[
        ("transaction_id", BIG, false),
        ("database_id", INT, false),
        ("database_transaction_begin_time", WHEN, true),
        ("database_transaction_type", INT, false),
        ("database_transaction_state", INT, false),
        ("database_transaction_status", INT, false),
        ("database_transaction_status2", INT, false),
        ("database_transaction_log_record_count", BIG, false),
        ("database_transaction_replicate_record_count", INT, false),
        ("database_transaction_log_bytes_used", BIG, false),
        ("database_transaction_log_bytes_reserved", BIG, false),
        ("database_transaction_log_bytes_used_system", INT, false),
        ("database_transaction_log_bytes_reserved_system", INT, false),
        ("database_transaction_begin_lsn", LSN, true),
        ("database_transaction_last_lsn", LSN, true),
        ("database_transaction_most_recent_savepoint_lsn", LSN, true),
        ("database_transaction_commit_lsn", LSN, true),
        ("database_transaction_last_rollback_lsn", LSN, true),
        ("database_transaction_next_undo_lsn", LSN, true),
    ],
    fill: |cx| {
        let sessions = cx.instance.sessions.all();
        for catalog in cx.instance.databases().catalogs() {
            let own = catalog.database().id();
            for part in catalog.database().manager().transactions() {
                let entry = sessions.iter().find(|entry| entry.owner.id() == part.owner);
                let transaction = entry.and_then(|entry| entry.status().transaction.clone());
                let Some(transaction) = transaction else { continue };
                // Nothing is in the log before the commit, so that there is nothing to count; begun
                // (4) is all that is known.
                let start = [
                    int(transaction.id as i64),
                    database(own),
                    utc(transaction.began_utc),
                    int(1),
                    int(4),
                    int(0),
                    int(0),
                ];
                cx.push_parts(&[&start, &[const { Value::Int(0) }; 6], &[NULL; 6]]);
            }
        }
        Ok(())
    },
};

pub static DM_DB_XTP_TRANSACTIONS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_transactions",
    columns: &[
        ("node_id", SMALL, true),
        ("xtp_transaction_id", BIG, false),
        ("transaction_id", BIG, false),
        ("session_id", SMALL, false),
        ("begin_tsn", BIG, true),
        ("end_tsn", BIG, true),
        ("state", INT, false),
        ("state_desc", nvar(16), false),
        ("result", INT, false),
        ("result_desc", nvar(24), false),
        ("last_error", INT, true),
        ("is_speculative", BIT, true),
        ("is_prepared", BIT, true),
        ("is_delayed_durability", BIT, true),
        ("memory_address", ADDRESS, true),
        ("database_address", ADDRESS, true),
        ("thread_id", INT, true),
        ("read_set_row_count", INT, true),
        ("write_set_row_count", INT, true),
        ("scan_set_count", INT, true),
        ("savepoint_garbage_count", INT, true),
        ("log_bytes_required", BIG, true),
        ("count_of_allocations", INT, true),
        ("allocated_bytes", INT, true),
        ("reserved_bytes", INT, true),
        ("commit_dependency_count", INT, true),
        ("commit_dependency_total_attempt_count", INT, true),
        ("scan_area", INT, true),
        ("scan_area_desc", nvar(16), true),
        ("scan_location", INT, true),
        ("dependent_1_address", ADDRESS, true),
        ("dependent_2_address", ADDRESS, true),
        ("dependent_3_address", ADDRESS, true),
        ("dependent_4_address", ADDRESS, true),
        ("dependent_5_address", ADDRESS, true),
        ("dependent_6_address", ADDRESS, true),
        ("dependent_7_address", ADDRESS, true),
        ("dependent_8_address", ADDRESS, true),
    ],
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        let sessions = cx.instance.sessions.all();
        for own in catalog.database().manager().transactions() {
            let entry = sessions.iter().find(|entry| entry.owner.id() == own.owner);
            let id = entry.and_then(|e| Some(e.status().transaction.as_ref()?.id)).unwrap_or(0);
            let (end, state, result) = match own.status {
                Status::Active => (None, (0, "ACTIVE"), (0, "IN PROGRESS")),
                Status::Preparing => (None, (3, "VALIDATING"), (0, "IN PROGRESS")),
                Status::Stamped(stamp) => (Some(stamp), (3, "VALIDATING"), (0, "IN PROGRESS")),
                Status::Committed(stamp) => (Some(stamp), (1, "COMMITTED"), (1, "SUCCESS")),
                Status::Aborted => (None, (2, "ABORTED"), (6, "ROLLBACK")),
            };
            let start = [
                int(0),
                int(own.number),
                int(id as i64),
                int(entry.map_or(0, |entry| entry.id.0)),
                or_null(own.snapshot, |lsn| int(lsn.0 as i64)),
                or_null(end, |lsn| int(lsn.0 as i64)),
                int(state.0),
                text(state.1),
                int(result.0),
                text(result.1),
            ];
            let progress = own.progress;
            let sets = [
                int(progress.error),
                // Snapshots see committed rows alone, so that no commit depends on another.
                bit(false),
                bit(progress.prepared),
                NULL,
                NULL,
                NULL,
                NULL,
                int(progress.reads),
                int(progress.writes),
                int(progress.scans),
                int(progress.undone),
                int(i64::try_from(progress.row_bytes).unwrap_or(i64::MAX)),
                NULL,
                int(own.set_bytes().min(i32::MAX as u64) as i64),
                NULL,
                int(0),
                int(0),
            ];
            cx.push_parts(&[&start, &sets, &[NULL; 11]]);
        }
        Ok(())
    },
};
