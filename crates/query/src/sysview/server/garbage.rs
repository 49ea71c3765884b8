//! What the collector of old versions and deleted rows has done.

use base::{SqlType, Value};
use engine::hot::reclaim::{QueueStats, ReclaimStats};

use super::super::SystemRowset;
use super::super::cells::*;
use super::memory::{every_index, number};

pub static DM_XTP_GC_STATS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_xtp_gc_stats",
    columns: &[
        ("rows_examined", BIG, true),
        ("rows_no_sweep_needed", BIG, true),
        ("rows_first_in_bucket", BIG, true),
        ("rows_first_in_bucket_removed", BIG, true),
        ("rows_marked_for_unlink", BIG, true),
        ("parallel_assist_count", BIG, true),
        ("idle_worker_count", BIG, true),
        ("sweep_scans_started", BIG, true),
        ("sweep_scans_retries", BIG, true),
        ("sweep_rows_touched", BIG, true),
        ("sweep_rows_expiring", BIG, true),
        ("sweep_rows_expired", BIG, true),
        ("sweep_rows_expired_removed", BIG, true),
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

pub static DM_XTP_GC_QUEUE_STATS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_xtp_gc_queue_stats",
    columns: &[
        ("queue_id", INT, false),
        ("total_enqueues", BIG, false),
        ("total_dequeues", BIG, false),
        ("current_queue_depth", BIG, false),
        ("maximum_queue_depth", BIG, false),
        ("last_service_ticks", BIG, true),
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

pub static DM_DB_XTP_INDEX_STATS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_db_xtp_index_stats",
    columns: &[
        ("object_id", BIG, true),
        ("xtp_object_id", BIG, true),
        ("index_id", BIG, true),
        ("scans_started", BIG, true),
        ("scans_retries", BIG, true),
        ("rows_returned", BIG, true),
        ("rows_touched", BIG, true),
        ("rows_expiring", BIG, true),
        ("rows_expired", BIG, true),
        ("rows_expired_removed", BIG, true),
        ("phantom_scans_started", BIG, true),
        ("phantom_scans_retries", BIG, true),
        ("phantom_rows_touched", BIG, true),
        ("phantom_expiring_rows_encountered", BIG, true),
        ("phantom_expired_removed_rows_encountered", BIG, true),
        ("phantom_expired_rows_removed", BIG, true),
        ("object_address", SqlType::varbinary(8), true),
    ],
    fill: |cx| {
        every_index(cx, |cx, names, table, _| {
            // Who reads does not count: that would cost every search something. A dead row leaves all
            // indexes at once.
            let removed = table.removed_rows();
            let unknown: [Value; 5] = [const { NULL }; 5];
            let rest: [Value; 7] = [const { NULL }; 7];
            cx.push_parts(&[&names, &unknown, &[number(removed), number(removed)], &rest]);
        })
    },
};
