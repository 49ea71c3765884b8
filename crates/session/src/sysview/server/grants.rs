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
        column("session_id", SMALL, true),
        column("request_id", INT, true),
        column("scheduler_id", INT, true),
        column("dop", SMALL, true),
        column("request_time", WHEN, true),
        column("grant_time", WHEN, true),
        column("requested_memory_kb", BIG, true),
        column("granted_memory_kb", BIG, true),
        column("required_memory_kb", BIG, true),
        column("used_memory_kb", BIG, true),
        column("max_used_memory_kb", BIG, true),
        column("query_cost", SqlType::float(), true),
        column("timeout_sec", INT, true),
        column("resource_semaphore_id", SMALL, true),
        column("queue_id", SMALL, true),
        column("wait_order", INT, true),
        column("is_next_candidate", BIT, true),
        column("wait_time_ms", BIG, true),
        column("plan_handle", SqlType::varbinary(64), true),
        column("sql_handle", SqlType::varbinary(64), true),
        column("group_id", INT, true),
        column("pool_id", INT, true),
        column("is_small", TINY, true),
        column("ideal_memory_kb", BIG, true),
        column("reserved_worker_count", INT, true),
        column("used_worker_count", INT, true),
        column("max_used_worker_count", INT, true),
        column("reserved_node_bitmap", BIG, true),
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
        column("resource_semaphore_id", SMALL, true),
        column("target_memory_kb", BIG, true),
        column("max_target_memory_kb", BIG, true),
        column("total_memory_kb", BIG, true),
        column("available_memory_kb", BIG, true),
        column("granted_memory_kb", BIG, true),
        column("used_memory_kb", BIG, true),
        column("grantee_count", INT, true),
        column("waiter_count", INT, true),
        column("timeout_error_count", BIG, true),
        column("forced_grant_count", BIG, true),
        column("pool_id", INT, true),
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
