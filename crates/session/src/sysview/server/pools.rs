//! The resource governor's pools.

use base::Value;
use engine::catalog::def::ResourcePoolDef;

use super::super::cells::*;
use super::super::{FilledView, ViewColumn};

fn number(count: u64) -> Value {
    int(i64::try_from(count).unwrap_or(i64::MAX))
}

pub static RESOURCE_GOVERNOR_CONFIGURATION: FilledView = FilledView {
    schema: "sys",
    name: "resource_governor_configuration",
    columns: &[
        ("classifier_function_id", INT, false),
        ("is_enabled", BIT, false),
        ("max_outstanding_io_per_volume", INT, false),
    ],
    fill: |cx| {
        cx.push([int(0), bit(cx.instance.is_governor_enabled()), int(0)]);
        Ok(())
    },
};

pub static RESOURCE_GOVERNOR_RESOURCE_POOLS: FilledView = FilledView {
    schema: "sys",
    name: "resource_governor_resource_pools",
    columns: &[
        ("pool_id", INT, false),
        ("name", SYSNAME, false),
        ("min_cpu_percent", INT, false),
        ("max_cpu_percent", INT, false),
        ("min_memory_percent", INT, false),
        ("max_memory_percent", INT, false),
        ("cap_cpu_percent", INT, false),
        ("min_iops_per_volume", INT, false),
        ("max_iops_per_volume", INT, false),
    ],
    fill: |cx| {
        for pool in cx.instance.resource_pools() {
            cx.push([
                int(pool.id),
                text(&pool.name),
                int(pool.cpu_min),
                int(pool.cpu_max),
                int(pool.memory_min),
                int(pool.memory_max),
                int(pool.cpu_cap),
                int(pool.iops_min),
                int(pool.iops_max),
            ]);
        }
        Ok(())
    },
};

const IN_USE: [ViewColumn; 23] = [
    ("pool_id", INT, false),
    ("name", SYSNAME, false),
    ("statistics_start_time", WHEN, true),
    ("total_cpu_usage_ms", BIG, true),
    ("cache_memory_kb", BIG, true),
    ("compile_memory_kb", BIG, true),
    ("used_memgrant_kb", BIG, true),
    ("total_memgrant_count", BIG, true),
    ("total_memgrant_timeout_count", BIG, true),
    ("active_memgrant_count", INT, true),
    ("active_memgrant_kb", BIG, true),
    ("memgrant_waiter_count", INT, true),
    ("max_memory_kb", BIG, false),
    ("used_memory_kb", BIG, false),
    ("target_memory_kb", BIG, false),
    ("out_of_memory_count", BIG, true),
    ("min_cpu_percent", INT, false),
    ("max_cpu_percent", INT, false),
    ("min_memory_percent", INT, false),
    ("max_memory_percent", INT, false),
    ("cap_cpu_percent", INT, false),
    ("min_iops_per_volume", INT, true),
    ("max_iops_per_volume", INT, true),
];

pub static DM_RESOURCE_GOVERNOR_RESOURCE_POOLS: FilledView = FilledView {
    schema: "sys",
    name: "dm_resource_governor_resource_pools",
    columns: &IN_USE,
    fill: |cx| {
        let pools = cx.instance.resource_pools();
        let in_use = |pool: &ResourcePoolDef| pool.active || pool.id < ResourcePoolDef::FIRST;
        for pool in pools.iter().filter(|pool| in_use(pool)) {
            let memory = cx.instance.pool_memory(pool);
            let start: [Value; 2] = [int(pool.id), text(&pool.name)];
            let unknown: [Value; 10] = [const { NULL }; 10];
            let rest = [
                number(memory.limit / 1024),
                number(memory.used.div_ceil(1024)),
                number(memory.limit / 1024),
                number(memory.refused),
                int(pool.cpu_min),
                int(pool.cpu_max),
                int(pool.memory_min),
                int(pool.memory_in_use),
                int(pool.cpu_cap),
                int(pool.iops_min),
                int(pool.iops_max),
            ];
            cx.push_parts(&[&start, &unknown, &rest]);
        }
        Ok(())
    },
};
