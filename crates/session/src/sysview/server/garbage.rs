//! What the collector of old versions and deleted rows has done.

use base::{SqlType, Value};
use engine::hot::index::Index;
use engine::hot::reclaim::{QueueStats, ReclaimStats};

use super::super::FilledView;
use super::super::cells::*;
use super::memory::{address_of, every_index, number};

pub static DM_XTP_GC_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_xtp_gc_stats",
    columns: &[
        column("rows_examined", BIG, true),
        column("rows_no_sweep_needed", BIG, true),
        column("rows_first_in_bucket", BIG, true),
        column("rows_first_in_bucket_removed", BIG, true),
        column("rows_marked_for_unlink", BIG, true),
        column("parallel_assist_count", BIG, true),
        column("idle_worker_count", BIG, true),
        column("sweep_scans_started", BIG, true),
        column("sweep_scans_retries", BIG, true),
        column("sweep_rows_touched", BIG, true),
        column("sweep_rows_expiring", BIG, true),
        column("sweep_rows_expired", BIG, true),
        column("sweep_rows_expired_removed", BIG, true),
    ],
    fill: |cx| {
        let mut sum = ReclaimStats::default();
        for catalog in cx.instance.databases().catalogs() {
            let own = catalog.database().manager().reclaim_stats();
            sum.dequeued += own.dequeued;
            sum.assisted += own.assisted;
        }
        // Whatever a commit leaves behind is queued: no index is swept for it.
        let start: [Value; 7] = [
            number(sum.dequeued),
            number(sum.dequeued),
            NULL,
            NULL,
            NULL,
            number(sum.assisted),
            number(sum.dequeued - sum.assisted),
        ];
        cx.push_two(start, [const { Value::Int(0) }; 6]);
        Ok(())
    },
};

pub static DM_XTP_GC_QUEUE_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_xtp_gc_queue_stats",
    columns: &[
        column("queue_id", INT, false),
        column("total_enqueues", BIG, false),
        column("total_dequeues", BIG, false),
        column("current_queue_depth", BIG, false),
        column("maximum_queue_depth", BIG, false),
        column("last_service_ticks", BIG, true),
    ],
    fill: |cx| {
        for catalog in cx.instance.databases().catalogs() {
            let id = catalog.database().id();
            let own = catalog.database().manager().reclaim_queues();
            for (at, queue) in (0_i64..).zip(own) {
                let QueueStats { enqueued, dequeued, depth_max, .. } = queue;
                cx.push([
                    // Each database has queues of its own.
                    int(i64::from(id.0) * QUEUES_PER_DATABASE + at),
                    number(enqueued),
                    number(dequeued),
                    number(queue.depth()),
                    number(depth_max),
                    NULL,
                ]);
            }
        }
        Ok(())
    },
};

/// More than a database can have.
const QUEUES_PER_DATABASE: i64 = 10_000;

pub static DM_DB_XTP_INDEX_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_index_stats",
    columns: &[
        column("object_id", BIG, true),
        column("xtp_object_id", BIG, true),
        column("index_id", BIG, true),
        column("scans_started", BIG, true),
        column("scans_retries", BIG, true),
        column("rows_returned", BIG, true),
        column("rows_touched", BIG, true),
        column("rows_expiring", BIG, true),
        column("rows_expired", BIG, true),
        column("rows_expired_removed", BIG, true),
        column("phantom_scans_started", BIG, true),
        column("phantom_scans_retries", BIG, true),
        column("phantom_rows_touched", BIG, true),
        column("phantom_expiring_rows_encountered", BIG, true),
        column("phantom_expired_removed_rows_encountered", BIG, true),
        column("phantom_expired_rows_removed", BIG, true),
        column("object_address", SqlType::varbinary(8), true),
    ],
    fill: |cx| {
        let task = cx.task;
        every_index(cx, |cx, names, table, at| {
            let used = table.index_use(at).unwrap_or_default();
            // A reader of a hash index never has to begin again.
            let retries = match table.index_at(at) {
                Index::Range(index) => index.stats(&task.pin()).reads_again,
                Index::Hash(_) => 0,
            };
            // A dead row leaves all indexes at once.
            let removed = table.removed_rows();
            let own = [
                number(used.scans),
                number(retries),
                number(used.returned),
                number(used.touched),
                number(used.touched.saturating_sub(used.returned)),
                number(removed),
                number(removed),
                number(used.validations),
                NULL,
                number(used.validated),
                NULL,
                NULL,
                NULL,
                address_of(table),
            ];
            cx.push_two(names, own);
        })
    },
};
