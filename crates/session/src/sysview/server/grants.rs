//! Memory that statements have been granted, or wait for.

use std::sync::atomic::Ordering::Relaxed;

use base::{SqlType, Value};
use run::interp::grants::{Ask, Holder};

use super::super::cells::*;
use super::super::{FillContext, FilledView};
use crate::handle;

/// What waits for a lease are called.
pub(super) const WAIT_TYPE: &str = "RESOURCE_SEMAPHORE";
/// Below this, statements are small.
const SMALL_BYTES: usize = 5 << 20;
/// The workload group and the resource pool `default`.
const DEFAULT: i32 = 2;

fn kilobytes(bytes: usize) -> Value {
    int((bytes >> 10) as i64)
}

pub static DM_EXEC_QUERY_MEMORY_GRANTS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_query_memory_grants",
    columns: &[
        ("session_id", SMALL, true),
        ("request_id", INT, true),
        ("scheduler_id", INT, true),
        ("dop", SMALL, true),
        ("request_time", WHEN, true),
        ("grant_time", WHEN, true),
        ("requested_memory_kb", BIG, true),
        ("granted_memory_kb", BIG, true),
        ("required_memory_kb", BIG, true),
        ("used_memory_kb", BIG, true),
        ("max_used_memory_kb", BIG, true),
        ("query_cost", SqlType::float(), true),
        ("timeout_sec", INT, true),
        ("resource_semaphore_id", SMALL, true),
        ("queue_id", SMALL, true),
        ("wait_order", INT, true),
        ("is_next_candidate", BIT, true),
        ("wait_time_ms", BIG, true),
        ("plan_handle", SqlType::varbinary(64), true),
        ("sql_handle", SqlType::varbinary(64), true),
        ("group_id", INT, true),
        ("pool_id", INT, true),
        ("is_small", TINY, true),
        ("ideal_memory_kb", BIG, true),
        ("reserved_worker_count", INT, true),
        ("used_worker_count", INT, true),
        ("max_used_worker_count", INT, true),
        ("reserved_node_bitmap", BIG, true),
    ],
    fill: |cx| {
        for holder in cx.instance.grants.holders() {
            show(cx, &holder.ask, holder.asked_ns, Ok(&holder));
        }
        for (place, waiting) in cx.instance.grants.waiting().iter().enumerate() {
            show(cx, &waiting.ask, waiting.asked_ns, Err(place));
        }
        Ok(())
    },
};

/// One statement: what it has, or its place in the queue.
fn show(cx: &mut FillContext<'_>, ask: &Ask, asked_ns: u64, state: Result<&Holder, usize>) {
    if !cx.sees(ask.session) {
        return;
    }
    let instance = cx.instance;
    let now = instance.env().clock().now_ns();
    let entry = instance.sessions.get(ask.session);
    let text = entry.and_then(|e| e.status().request.as_ref().map(|r| r.text.clone()));
    let (holder, place) = (state.ok(), state.err());
    let waited_ns = holder.map_or(now, |h| h.granted_ns).saturating_sub(asked_ns);
    let row: [Value; 28] = [
        int(ask.session.0),
        int(0),
        int(0),
        int(1),
        utc(instance.utc_at(asked_ns)),
        or_null(holder, |h| utc(instance.utc_at(h.granted_ns))),
        kilobytes(ask.wanted),
        or_null(holder, |h| kilobytes(h.granted)),
        kilobytes(ask.required),
        or_null(holder, |h| kilobytes(h.usage.bytes.load(Relaxed))),
        or_null(holder, |h| kilobytes(h.usage.most.load(Relaxed))),
        // Costs are counted in rows here, not in seconds.
        NULL,
        int((ask.timeout_ns / 1_000_000_000) as i64),
        int(0),
        or_null(place, |_| int(0)),
        or_null(place, |place| int(place as i64)),
        or_null(place, |place| bit(place == 0)),
        int((waited_ns / 1_000_000) as i64),
        NULL,
        or_null(text, |text| bytes(&handle::of_text(&text))),
        int(DEFAULT),
        int(DEFAULT),
        int(i64::from(ask.wanted < SMALL_BYTES)),
        kilobytes(ask.ideal),
        int(1),
        int(1),
        int(1),
        NULL,
    ];
    cx.push(row);
}

pub static DM_EXEC_QUERY_RESOURCE_SEMAPHORES: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_query_resource_semaphores",
    columns: &[
        ("resource_semaphore_id", SMALL, true),
        ("target_memory_kb", BIG, true),
        ("max_target_memory_kb", BIG, true),
        ("total_memory_kb", BIG, true),
        ("available_memory_kb", BIG, true),
        ("granted_memory_kb", BIG, true),
        ("used_memory_kb", BIG, true),
        ("grantee_count", INT, true),
        ("waiter_count", INT, true),
        ("timeout_error_count", BIG, true),
        ("forced_grant_count", BIG, true),
        ("pool_id", INT, true),
    ],
    fill: |cx| {
        let pool = cx.instance.grants.clone();
        let (holders, taken) = (pool.holders(), pool.taken());
        let used = holders.iter().map(|holder| holder.usage.bytes.load(Relaxed)).sum();
        let row: [Value; 12] = [
            int(0),
            kilobytes(pool.limit()),
            kilobytes(pool.limit()),
            kilobytes(pool.limit()),
            kilobytes(pool.limit().saturating_sub(taken)),
            kilobytes(taken),
            kilobytes(used),
            int(holders.len() as i64),
            int(pool.waiting().len() as i64),
            int(pool.counts().timeouts as i64),
            int(0),
            int(DEFAULT),
        ];
        cx.push(row);
        Ok(())
    },
};
