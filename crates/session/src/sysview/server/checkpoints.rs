//! Checkpoint files, and what checkpoints have done.

use base::{SqlType, Value};
use engine::catalog::def::FileKind as DatabaseFileKind;
use engine::checkpoint::{CheckpointFile, Effort, FileKind, FileState};

use super::super::FilledView;
use super::super::cells::*;

const LSN: SqlType = SqlType::numeric(38, 0);

fn number(count: u64) -> Value {
    int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn lsn(position: u64) -> Value {
    Value::Decimal(position.into())
}

/// Names a file of a database: its number, in the place of the last bytes of the database's own
/// name.
fn file_guid(database: u128, id: u64) -> Value {
    let mut bytes = database.to_le_bytes();
    bytes[8..].copy_from_slice(&id.to_be_bytes());
    guid(bytes)
}

fn kind(file: &CheckpointFile) -> &'static str {
    match file.kind {
        FileKind::Data => "DATA",
        FileKind::Delta => "DELTA",
        FileKind::Root => "ROOT",
    }
}

fn state(file: &CheckpointFile) -> &'static str {
    match file.state {
        FileState::UnderConstruction => "UNDER CONSTRUCTION",
        FileState::Active => "ACTIVE",
        FileState::MergeTarget => "MERGE TARGET",
        FileState::WaitingForLogTruncation => "WAITING FOR LOG TRUNCATION",
    }
}

pub static DM_DB_XTP_CHECKPOINT_FILES: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_checkpoint_files",
    columns: &[
        column("container_id", INT, false),
        column("container_guid", GUID, false),
        column("checkpoint_file_id", GUID, false),
        column("relative_file_path", nvar(256), false),
        column("file_type", SMALL, false),
        column("file_type_desc", nvar(60), false),
        column("internal_storage_slot", INT, true),
        column("checkpoint_pair_file_id", GUID, true),
        column("file_size_in_bytes", BIG, false),
        column("file_size_used_in_bytes", BIG, false),
        column("logical_row_count", BIG, true),
        column("state", INT, false),
        column("state_desc", nvar(60), false),
        column("lower_bound_tsn", BIG, true),
        column("upper_bound_tsn", BIG, true),
        column("begin_checkpoint_id", BIG, true),
        column("end_checkpoint_id", BIG, true),
        column("last_updated_checkpoint_id", BIG, true),
        column("encryption_status", INT, false),
        column("encryption_status_desc", nvar(60), false),
    ],
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        let database = catalog.database();
        let (uuid, dir) = (database.identity().uuid, &database.identity().dir);
        let schema = catalog.current();
        let container = schema.files().iter().find(|file| file.kind == DatabaseFileKind::Container);
        let container = container.map_or(CONTAINER, |file| i64::from(file.id.0));
        for (slot, file) in database.checkpoint_files().iter().enumerate() {
            let path = file.path.strip_prefix(dir).unwrap_or(&file.path);
            let open = file.state == FileState::UnderConstruction;
            let made = matches!(file.state, FileState::Active | FileState::WaitingForLogTruncation);
            let is_root = file.kind == FileKind::Root;
            let rows = (!is_root).then_some(file.rows);
            cx.push([
                int(container),
                guid(uuid.to_le_bytes()),
                file_guid(uuid, file.id),
                text(&path.to_string_lossy()),
                int(file.kind as i64),
                text(kind(file)),
                int(slot as i64),
                or_null(file.pair, |id| file_guid(uuid, id)),
                number(file.bytes),
                number(file.bytes),
                or_null(rows, number),
                int(file.state as i64),
                text(state(file)),
                number(file.range.from.0),
                or_null((!open).then_some(file.range.to.0), number),
                number(file.begun),
                or_null(made.then_some(file.begun), number),
                number(file.begun),
                int(0),
                text("UNENCRYPTED"),
            ]);
        }
        Ok(())
    },
};

/// The folder of checkpoint files of a database without a container, under the number that SQL
/// Server gives the first.
const CONTAINER: i64 = 65537;

const NS_PER_S: u128 = 1_000_000_000;

pub static DM_DB_XTP_CHECKPOINT_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_checkpoint_stats",
    columns: &[
        column("last_lsn_processed", BIG, false),
        column("end_of_log_lsn", LSN, false),
        column("bytes_to_end_of_log", BIG, false),
        column("log_consumption_rate", BIG, false),
        column("active_scan_time_in_ms", BIG, false),
        column("total_wait_time_in_ms", BIG, false),
        column("waits_for_io", BIG, false),
        column("io_wait_time_in_ms", BIG, false),
        column("waits_for_new_log_count", BIG, false),
        column("new_log_wait_time_in_ms", BIG, false),
        column("idle_attempts_count", BIG, false),
        column("tx_segments_dispatched_count", BIG, false),
        column("segment_bytes_dispatched", BIG, false),
        column("bytes_serialized", BIG, false),
        column("xtp_log_bytes_consumed", BIG, false),
        column("checkpoints_closed", BIG, false),
        column("last_closed_checkpoint_ts", BIG, false),
        column("hardened_recovery_lsn", LSN, false),
        column("hardened_root_file_guid", GUID, true),
        column("hardened_truncation_lsn", LSN, false),
        column("log_bytes_since_last_close", BIG, false),
        column("time_since_last_close_in_ms", BIG, true),
        column("current_checkpoint_id", BIG, false),
        column("internal_error_code", BIG, false),
    ],
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        let database = catalog.database();
        let Some(stats) = database.checkpoint_stats() else { return Ok(()) };
        let durable = database.manager().log().durable().0;
        let now = cx.instance.env().clock().utc_ticks();
        let made = stats.last > 0;
        let since_ms = made.then(|| now.saturating_sub(stats.last_ticks) / 10_000);
        let Effort { count: reads, ns: reading } = stats.reads;
        let Effort { count: batches, ns: gathering } = stats.scans;
        let Effort { count: pauses, ns: pausing } = stats.pauses;
        let ms = |ns: u64| number(ns / 1_000_000);
        let busy = reading + gathering;
        let rate = u128::from(stats.log_bytes) * NS_PER_S / u128::from(busy.max(1)) / 1024;
        cx.push([
            number(stats.through.0),
            lsn(durable),
            number(stats.lag_bytes),
            number(rate.try_into().unwrap_or(u64::MAX)),
            ms(gathering),
            ms(reading + pausing),
            number(reads),
            ms(reading),
            number(pauses),
            ms(pausing),
            number(stats.idle),
            number(batches),
            number(stats.log_bytes),
            number(stats.data_bytes + stats.delta_bytes),
            number(stats.log_bytes),
            number(stats.checkpoints),
            number(stats.through.0),
            lsn(stats.through.0),
            or_null(made.then_some(stats.last), |id| file_guid(database.identity().uuid, id)),
            lsn(stats.log_start.0),
            number(stats.lag_bytes),
            or_null(since_ms, number),
            number(stats.last + 1),
            number(stats.failures),
        ]);
        Ok(())
    },
};
