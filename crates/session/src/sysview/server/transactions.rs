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
        column("transaction_id", BIG, false),
        column("database_id", INT, false),
        column("database_transaction_begin_time", WHEN, true),
        column("database_transaction_type", INT, false),
        column("database_transaction_state", INT, false),
        column("database_transaction_status", INT, false),
        column("database_transaction_status2", INT, false),
        column("database_transaction_log_record_count", BIG, false),
        column("database_transaction_replicate_record_count", INT, false),
        column("database_transaction_log_bytes_used", BIG, false),
        column("database_transaction_log_bytes_reserved", BIG, false),
        column("database_transaction_log_bytes_used_system", INT, false),
        column("database_transaction_log_bytes_reserved_system", INT, false),
        column("database_transaction_begin_lsn", LSN, true),
        column("database_transaction_last_lsn", LSN, true),
        column("database_transaction_most_recent_savepoint_lsn", LSN, true),
        column("database_transaction_commit_lsn", LSN, true),
        column("database_transaction_last_rollback_lsn", LSN, true),
        column("database_transaction_next_undo_lsn", LSN, true),
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
        column("node_id", SMALL, true),
        column("xtp_transaction_id", BIG, false),
        column("transaction_id", BIG, false),
        column("session_id", SMALL, false),
        column("begin_tsn", BIG, true),
        column("end_tsn", BIG, true),
        column("state", INT, false),
        column("state_desc", nvar(16), false),
        column("result", INT, false),
        column("result_desc", nvar(24), false),
        column("last_error", INT, true),
        column("is_speculative", BIT, true),
        column("is_prepared", BIT, true),
        column("is_delayed_durability", BIT, true),
        column("memory_address", ADDRESS, true),
        column("database_address", ADDRESS, true),
        column("thread_id", INT, true),
        column("read_set_row_count", INT, true),
        column("write_set_row_count", INT, true),
        column("scan_set_count", INT, true),
        column("savepoint_garbage_count", INT, true),
        column("log_bytes_required", BIG, true),
        column("count_of_allocations", INT, true),
        column("allocated_bytes", INT, true),
        column("reserved_bytes", INT, true),
        column("commit_dependency_count", INT, true),
        column("commit_dependency_total_attempt_count", INT, true),
        column("scan_area", INT, true),
        column("scan_area_desc", nvar(16), true),
        column("scan_location", INT, true),
        column("dependent_1_address", ADDRESS, true),
        column("dependent_2_address", ADDRESS, true),
        column("dependent_3_address", ADDRESS, true),
        column("dependent_4_address", ADDRESS, true),
        column("dependent_5_address", ADDRESS, true),
        column("dependent_6_address", ADDRESS, true),
        column("dependent_7_address", ADDRESS, true),
        column("dependent_8_address", ADDRESS, true),
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
