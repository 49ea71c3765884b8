//! The machine.

use super::super::FilledView;
use super::super::cells::*;
use base::Value;

/// What `stack_size_in_bytes` shows: the stack of a statement.
const STACK_BYTES: i64 = 2 << 20;
/// Addresses that a process may have.
const ADDRESSES_BYTES: u64 = 137_438_953_344 << 10;

fn kb(bytes: u64) -> Value {
    int(i64::try_from(bytes >> 10).unwrap_or(i64::MAX))
}

pub static DM_OS_PROCESS_MEMORY: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_process_memory",
    columns: &[
        column("physical_memory_in_use_kb", BIG, false),
        column("large_page_allocations_kb", BIG, false),
        column("locked_page_allocations_kb", BIG, false),
        column("total_virtual_address_space_kb", BIG, false),
        column("virtual_address_space_reserved_kb", BIG, false),
        column("virtual_address_space_committed_kb", BIG, false),
        column("virtual_address_space_available_kb", BIG, false),
        column("page_fault_count", BIG, false),
        column("memory_utilization_percentage", INT, false),
        column("available_commit_limit_kb", BIG, false),
        column("process_physical_memory_low", BIT, false),
        column("process_virtual_memory_low", BIT, false),
    ],
    fill: |cx| {
        let (resident, target) = (cx.instance.resident_bytes(), cx.instance.target_bytes());
        let reserved = env::memory::reserved_bytes(cx.instance.env()).unwrap_or(resident);
        // The server locks nothing, and all that it holds is in memory.
        cx.push([
            kb(resident),
            int(0),
            int(0),
            kb(ADDRESSES_BYTES),
            kb(reserved),
            kb(resident),
            kb(ADDRESSES_BYTES.saturating_sub(reserved)),
            int(0),
            int(100),
            kb(target.saturating_sub(resident)),
            bit(resident > target),
            bit(false),
        ]);
        Ok(())
    },
};

pub static DM_OS_SYS_INFO: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_sys_info",
    columns: &[
        column("cpu_ticks", BIG, false),
        column("ms_ticks", BIG, false),
        column("cpu_count", INT, false),
        column("hyperthread_ratio", INT, false),
        column("physical_memory_kb", BIG, false),
        column("virtual_memory_kb", BIG, false),
        column("committed_kb", BIG, false),
        column("committed_target_kb", BIG, false),
        column("visible_target_kb", BIG, false),
        column("stack_size_in_bytes", INT, false),
        column("os_quantum", BIG, false),
        column("os_error_mode", INT, false),
        column("os_priority_class", INT, true),
        column("max_workers_count", INT, false),
        column("scheduler_count", INT, false),
        column("scheduler_total_count", INT, false),
        column("deadlock_monitor_serial_number", INT, false),
        column("sqlserver_start_time_ms_ticks", BIG, false),
        column("sqlserver_start_time", WHEN, false),
        column("affinity_type", INT, false),
        column("affinity_type_desc", var(60), false),
        column("process_kernel_time_ms", BIG, true),
        column("process_user_time_ms", BIG, true),
        column("time_source", INT, false),
        column("time_source_desc", nvar(60), false),
        column("virtual_machine_type", INT, false),
        column("virtual_machine_type_desc", nvar(60), false),
        column("softnuma_configuration", INT, false),
        column("softnuma_configuration_desc", nvar(60), false),
        column("process_physical_affinity", nvar(3072), false),
        column("sql_memory_model", INT, false),
        column("sql_memory_model_desc", nvar(120), false),
        column("socket_count", INT, false),
        column("cores_per_socket", INT, false),
        column("numa_node_count", INT, false),
        column("container_type", INT, false),
        column("container_type_desc", nvar(60), false),
    ],
    fill: |cx| {
        let facts = cx.instance.facts().clone();
        let env = cx.instance.env();
        let (started_ns, started_utc) = cx.instance.started();
        let now_ms = (env.clock().now_ns() / 1_000_000) as i64;
        let target = kb(cx.instance.target_bytes());
        let cpus = i64::from(facts.cpu_count);
        let start: [Value; 19] = [
            int((env.clock().now_ns()) as i64),
            int(now_ms),
            int(cpus),
            int(cpus),
            kb(facts.memory_bytes),
            kb(ADDRESSES_BYTES),
            kb(cx.instance.resident_bytes()),
            target.clone(),
            target,
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

pub static DM_OS_HOST_INFO: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_host_info",
    columns: &[
        column("host_platform", nvar(256), false),
        column("host_distribution", nvar(256), false),
        column("host_release", nvar(256), false),
        column("host_service_pack_level", nvar(256), false),
        column("host_sku", INT, true),
        column("os_language_version", INT, false),
        column("host_architecture", nvar(256), false),
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
