//! The machine.

use super::super::SystemRowset;
use super::super::cells::*;
use base::Value;

/// What `stack_size_in_bytes` shows: the stack of a statement.
const STACK_BYTES: i64 = 2 << 20;

pub static DM_OS_SYS_INFO: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_os_sys_info",
    columns: &[
        ("cpu_ticks", BIG, false),
        ("ms_ticks", BIG, false),
        ("cpu_count", INT, false),
        ("hyperthread_ratio", INT, false),
        ("physical_memory_kb", BIG, false),
        ("virtual_memory_kb", BIG, false),
        ("committed_kb", BIG, false),
        ("committed_target_kb", BIG, false),
        ("visible_target_kb", BIG, false),
        ("stack_size_in_bytes", INT, false),
        ("os_quantum", BIG, false),
        ("os_error_mode", INT, false),
        ("os_priority_class", INT, true),
        ("max_workers_count", INT, false),
        ("scheduler_count", INT, false),
        ("scheduler_total_count", INT, false),
        ("deadlock_monitor_serial_number", INT, false),
        ("sqlserver_start_time_ms_ticks", BIG, false),
        ("sqlserver_start_time", WHEN, false),
        ("affinity_type", INT, false),
        ("affinity_type_desc", var(60), false),
        ("process_kernel_time_ms", BIG, true),
        ("process_user_time_ms", BIG, true),
        ("time_source", INT, false),
        ("time_source_desc", nvar(60), false),
        ("virtual_machine_type", INT, false),
        ("virtual_machine_type_desc", nvar(60), false),
        ("softnuma_configuration", INT, false),
        ("softnuma_configuration_desc", nvar(60), false),
        ("process_physical_affinity", nvar(3072), false),
        ("sql_memory_model", INT, false),
        ("sql_memory_model_desc", nvar(120), false),
        ("socket_count", INT, false),
        ("cores_per_socket", INT, false),
        ("numa_node_count", INT, false),
        ("container_type", INT, false),
        ("container_type_desc", nvar(60), false),
    ],
    fill: |cx| {
        let facts = cx.instance.facts().clone();
        let env = cx.instance.env();
        let (started_ns, started_utc) = cx.instance.started();
        let now_ms = (env.clock().now_ns() / 1_000_000) as i64;
        let pool = &cx.instance.host().pool;
        let kb = |bytes: u64| int(i64::try_from(bytes >> 10).unwrap_or(i64::MAX));
        let limit = kb(pool.limit().min(facts.memory_bytes));
        let cpus = i64::from(facts.cpu_count);
        let start: [Value; 19] = [
            int((env.clock().now_ns()) as i64),
            int(now_ms),
            int(cpus),
            int(cpus),
            kb(facts.memory_bytes),
            int(137_438_953_344_i64),
            kb(pool.total()),
            limit.clone(),
            limit,
            int(STACK_BYTES),
            int(4),
            int(0),
            NULL,
            int(i64::from(facts.worker_count)),
            int(i64::from(facts.worker_count)),
            int(i64::from(facts.worker_count)),
            int(0),
            int((started_ns / 1_000_000) as i64),
            utc(started_utc),
        ];
        let rest: [Value; 18] = [
            int(2),
            chars("AUTO"),
            NULL,
            NULL,
            int(1),
            text("MULTIMEDIA_TIMER"),
            int(0),
            text("NONE"),
            int(0),
            text("OFF"),
            text(""),
            int(1),
            text("CONVENTIONAL"),
            int(1),
            int(cpus),
            int(1),
            int(0),
            text("NONE"),
        ];
        cx.push_two(start, rest);
        Ok(())
    },
};

pub static DM_OS_HOST_INFO: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_os_host_info",
    columns: &[
        ("host_platform", nvar(256), false),
        ("host_distribution", nvar(256), false),
        ("host_release", nvar(256), false),
        ("host_service_pack_level", nvar(256), false),
        ("host_sku", INT, true),
        ("os_language_version", INT, false),
        ("host_architecture", nvar(256), false),
    ],
    fill: |cx| {
        let facts = cx.instance.facts().clone();
        cx.push([
            text("Linux"),
            text(&facts.operating_system),
            text(""),
            text(""),
            NULL,
            int(1033),
            text(std::env::consts::ARCH),
        ]);
        Ok(())
    },
};
