//! The resource governor's pools.

use base::Value;
use engine::catalog::def::ResourcePoolDef;

use super::super::cells::*;
use super::super::{FilledView, RowsetColumn};

fn number(count: u64) -> Value {
    int(i64::try_from(count).unwrap_or(i64::MAX))
}

pub static RESOURCE_GOVERNOR_CONFIGURATION: FilledView = FilledView {
    schema: "sys",
    name: "resource_governor_configuration",
    columns: &[
        column("classifier_function_id", INT, false),
        column("is_enabled", BIT, false),
        column("max_outstanding_io_per_volume", INT, false),
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
        column("pool_id", INT, false),
        column("name", SYSNAME, false),
        column("min_cpu_percent", INT, false),
        column("max_cpu_percent", INT, false),
        column("min_memory_percent", INT, false),
        column("max_memory_percent", INT, false),
        column("cap_cpu_percent", INT, false),
        column("min_iops_per_volume", INT, false),
        column("max_iops_per_volume", INT, false),
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

const IN_USE: [RowsetColumn; 23] = [
    column("pool_id", INT, false),
    column("name", SYSNAME, false),
    column("statistics_start_time", WHEN, true),
    column("total_cpu_usage_ms", BIG, true),
    column("cache_memory_kb", BIG, true),
    column("compile_memory_kb", BIG, true),
    column("used_memgrant_kb", BIG, true),
    column("total_memgrant_count", BIG, true),
    column("total_memgrant_timeout_count", BIG, true),
    column("active_memgrant_count", INT, true),
    column("active_memgrant_kb", BIG, true),
    column("memgrant_waiter_count", INT, true),
    column("max_memory_kb", BIG, false),
    column("used_memory_kb", BIG, false),
    column("target_memory_kb", BIG, false),
    column("out_of_memory_count", BIG, true),
    column("min_cpu_percent", INT, false),
    column("max_cpu_percent", INT, false),
    column("min_memory_percent", INT, false),
    column("max_memory_percent", INT, false),
    column("cap_cpu_percent", INT, false),
    column("min_iops_per_volume", INT, true),
    column("max_iops_per_volume", INT, true),
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
