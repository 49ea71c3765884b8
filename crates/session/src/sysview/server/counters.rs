//! What the server counts: only counters that are really kept are shown.

use engine::catalog::Catalog;
use engine::cold::{PAGE_BYTES, PoolStats};

use super::super::cells::*;
use super::super::{FillContext, FilledView};

/// A value at a moment.
const RAW: i32 = 65_792;
/// A sum since the start, of which clients make a rate.
const RATE: i32 = 272_696_576;
/// A part of the base that follows.
const FRACTION: i32 = 537_003_264;
/// The base of a fraction.
const BASE: i32 = 1_073_939_712;

/// Counters of one object, all of one instance.
struct Object<'a> {
    name: &'a str,
    instance: &'a str,
}

impl Object<'_> {
    fn show(&self, cx: &mut FillContext<'_>, counters: &[(&str, u64, i32)]) {
        let wide = |part: &str| text(&format!("{part:<128}"));
        for (name, value, kind) in counters {
            cx.push([
                wide(&format!("SQLServer:{}", self.name)),
                wide(name),
                wide(self.instance),
                int(i64::try_from(*value).unwrap_or(i64::MAX)),
                int(*kind),
            ]);
        }
    }
}

pub static DM_OS_PERFORMANCE_COUNTERS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_performance_counters",
    columns: &[
        column("object_name", nfix(128), false),
        column("counter_name", nfix(128), false),
        column("instance_name", nfix(128), true),
        column("cntr_value", BIG, false),
        column("cntr_type", INT, false),
    ],
    fill: |cx| {
        of_server(cx);
        of_databases(cx);
        Ok(())
    },
};

fn of_server(cx: &mut FillContext<'_>) {
    let instance = cx.instance;
    let counted = instance.counters();
    let since_start = |count: i32| u64::try_from(count).unwrap_or(0);
    let in_transaction = |entry: &_| {
        let entry: &std::sync::Arc<crate::instance::sessions::SessionEntry> = entry;
        entry.status().transaction.is_some()
    };
    let transactions = instance.sessions.all().iter().filter(|e| in_transaction(e)).count();
    let general = [
        ("User Connections", instance.sessions.len() as u64, RAW),
        ("Logins/sec", since_start(counted.connections), RATE),
        ("Transactions", transactions as u64, RAW),
        ("Processes blocked", instance.host().graph.waits().len() as u64, RAW),
    ];
    Object { name: "General Statistics", instance: "" }.show(cx, &general);
    let batches = [("Batch Requests/sec", instance.sessions.requests(), RATE)];
    Object { name: "SQL Statistics", instance: "" }.show(cx, &batches);
    let errors = [("Errors/sec", since_start(instance.errors_sent()), RATE)];
    Object { name: "SQL Errors", instance: "_Total" }.show(cx, &errors);
    let memory = [
        ("Target Server Memory (KB)", instance.target_bytes() >> 10, RAW),
        ("Total Server Memory (KB)", instance.resident_bytes() >> 10, RAW),
    ];
    Object { name: "Memory Manager", instance: "" }.show(cx, &memory);
    of_pages(cx);
    // No session is suspended for a latch: pages and rows have none.
    let latches = [("Latch Waits/sec", 0, RATE), ("Total Latch Wait Time (ms)", 0, RATE)];
    Object { name: "Latches", instance: "" }.show(cx, &latches);
    let cache = instance.plans.statistics();
    let plans = [
        ("Cache Hit Ratio", cache.hits, FRACTION),
        ("Cache Hit Ratio Base", cache.hits + cache.misses, BASE),
        ("Cache Pages", cache.bytes.div_ceil(8192) as u64, RAW),
        ("Cache Object Counts", cache.entries as u64, RAW),
    ];
    Object { name: "Plan Cache", instance: "_Total" }.show(cx, &plans);
    let code = [("Code Size (Bytes)", instance.compiler.code_bytes() as u64, RAW)];
    Object { name: "Machine Code", instance: "" }.show(cx, &code);
}

/// Copies of rows of disk tables, in all databases.
fn of_row_caches(cx: &mut FillContext<'_>) {
    let pages = &cx.instance.host().pages;
    let (mut hits, mut asked, mut admitted, mut evicted) = (0, 0, 0, 0);
    for catalog in cx.instance.databases().catalogs() {
        let tables = catalog.database().manager().tables().all();
        let stats = tables.iter().filter_map(|table| table.cold()?.row_cache_stats());
        for of in stats {
            let own: u64 = of.indexes.iter().map(|index| index.hits).sum();
            hits += own;
            asked += own + of.indexes.iter().map(|index| index.tree_hits).sum::<u64>();
            admitted += of.admitted + of.left;
            evicted += of.evicted;
        }
    }
    let [used, limit] = pages.row_cache_bytes();
    let counters = [
        ("Row cache hit ratio", hits, FRACTION),
        ("Row cache hit ratio base", asked, BASE),
        ("Row cache size (KB)", used / 1024, RAW),
        ("Row cache target size (KB)", limit / 1024, RAW),
        ("Row admissions/sec", admitted, RATE),
        ("Row evictions/sec", evicted, RATE),
    ];
    Object { name: "Row Cache", instance: "" }.show(cx, &counters);
}

/// Pages of disk tables, in memory and in the extension.
fn of_pages(cx: &mut FillContext<'_>) {
    let pages = &cx.instance.host().pages;
    // Before there is a data file there is no pool, which has then done nothing.
    let target = pages.limit_bytes() / PAGE_BYTES as u64;
    let unused = || PoolStats { limit_frames: target, ..PoolStats::default() };
    let of = pages.stats().unwrap_or_else(unused);
    let counters = [
        ("Buffer cache hit ratio", of.hits, FRACTION),
        ("Buffer cache hit ratio base", of.look_ups, BASE),
        ("Page lookups/sec", of.look_ups, RATE),
        ("Database pages", of.used_frames, RAW),
        ("Target pages", of.limit_frames, RAW),
        ("Page reads/sec", of.reads, RATE),
        ("Readahead pages/sec", of.read_ahead, RATE),
        ("Page writes/sec", of.writes, RATE),
        ("Lazy writes/sec", of.lazy_writes, RATE),
        ("Page life expectancy", of.page_life_expectancy_s, RAW),
    ];
    let manager = Object { name: "Buffer Manager", instance: "" };
    manager.show(cx, &counters);
    of_row_caches(cx);
    // Without an extension they are zero, so that a monitor finds them before there is one.
    let of = pages.extension().map(|(_, of)| of).unwrap_or_default();
    let counters = [
        ("Extension page reads/sec", of.reads, RATE),
        ("Extension page writes/sec", of.writes, RATE),
        ("Extension outstanding IO counter", of.outstanding, RAW),
        ("Extension page evictions/sec", of.evictions, RATE),
        ("Extension allocated pages", of.pages, RAW),
        ("Extension free pages", of.slots - of.pages.min(of.slots), RAW),
        ("Extension in use as percentage", of.pages * 100 / of.slots.max(1), RAW),
        ("Extension page unreferenced time", of.page_stay_s, RAW),
    ];
    manager.show(cx, &counters);
}

const OF_DATABASE: [(&str, i32); 8] = [
    ("Active Transactions", RAW),
    ("Log Bytes Flushed/sec", RATE),
    ("Log File(s) Size (KB)", RAW),
    ("Log Flush Wait Time", RAW),
    ("Log Flush Waits/sec", RATE),
    ("Log Flushes/sec", RATE),
    ("XTP Memory Used (KB)", RAW),
    ("Disk Table Memory Used (KB)", RAW),
];

/// What rows of disk tables take in memory.
fn disk_table_bytes(catalog: &Catalog) -> u64 {
    let schema = catalog.current();
    let disk = schema.tables().filter(|table| !table.kind.is_memory_optimized());
    disk.filter_map(|table| catalog.table(table)).map(|table| table.memory().used_bytes).sum()
}

fn of_databases(cx: &mut FillContext<'_>) {
    let mut total = [0; OF_DATABASE.len()];
    let show = |cx: &mut FillContext<'_>, instance: &str, values: &[u64; OF_DATABASE.len()]| {
        let row = |at: usize| (OF_DATABASE[at].0, values[at], OF_DATABASE[at].1);
        let counters: [_; OF_DATABASE.len()] = std::array::from_fn(row);
        Object { name: "Databases", instance }.show(cx, &counters);
    };
    for catalog in cx.instance.databases().catalogs() {
        let manager = catalog.database().manager();
        let log = manager.log().stats();
        let values = [
            manager.transactions().len() as u64,
            log.bytes,
            log.store_bytes >> 10,
            log.wait_ns / 1_000_000,
            log.waits,
            log.batches,
            manager.pool().total() >> 10,
            disk_table_bytes(&catalog) >> 10,
        ];
        for (sum, value) in total.iter_mut().zip(values) {
            *sum += value;
        }
        show(cx, &cx.instance.database_name(manager.id()), &values);
    }
    show(cx, "_Total", &total);
}

/// There are no classes of latches, since no session waits for one.
pub static DM_OS_LATCH_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_latch_stats",
    columns: &[
        column("latch_class", nvar(60), false),
        column("waiting_requests_count", BIG, false),
        column("wait_time_ms", BIG, false),
        column("max_wait_time_ms", BIG, false),
    ],
    fill: |_| Ok(()),
};

pub static DM_OS_WAIT_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_wait_stats",
    columns: &[
        column("wait_type", nvar(60), false),
        column("waiting_tasks_count", BIG, false),
        column("wait_time_ms", BIG, false),
        column("max_wait_time_ms", BIG, false),
        column("signal_wait_time_ms", BIG, false),
    ],
    fill: |cx| {
        let logs = cx.instance.databases().catalogs();
        let logs = logs.iter().map(|own| own.database().manager().log().stats());
        let (waits, ns) =
            logs.fold((0, 0), |(waits, ns), log| (waits + log.waits, ns + log.wait_ns));
        let grants = cx.instance.grants.counts();
        let pages = cx.instance.host().pages.stats().unwrap_or_default();
        let kinds = [
            // The longest wait is not kept.
            ("WRITELOG", waits, ns, 0),
            (super::grants::WAIT_TYPE, grants.waits, grants.wait_ns, grants.wait_ns_max),
            // A writer reads a page before it changes it. Images never change, so that there is no
            // other latch.
            ("PAGEIOLATCH_SH", pages.waits, pages.wait_ns, pages.wait_ns_max),
        ];
        for (wait_type, waits, ns, ns_max) in kinds {
            let milliseconds = |ns: u64| int((ns / 1_000_000) as i64);
            let (all, longest) = (milliseconds(ns), milliseconds(ns_max));
            cx.push([text(wait_type), int(waits as i64), all, longest, int(0)]);
        }
        Ok(())
    },
};
