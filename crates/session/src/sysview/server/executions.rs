//! What has run how often and how long: statements and modules of the plan cache.
//!
//! Elapsed times are shown as times on a processor too: those would cost a system call each. Pages,
//! memory grants and further threads are not counted: their columns are zero. The counts are of
//! runs that have succeeded, and are dropped with the plan.

use std::ops::Range;

use base::{SqlResult, SqlType, Value};
use engine::catalog::def::ModuleKind;
use ir::Unit;
use ir::runs::{Measured, RunStatistics};

use super::super::cells::*;
use super::super::{FillContext, FilledView, RowsetColumn};
use super::texts;
use crate::instance::Instance;
use crate::plan_cache::CachedProgram;
use crate::program::ProgramKind;

const HANDLE: SqlType = SqlType::varbinary(64);

/// The four columns of something that is measured.
macro_rules! measure {
    ($what:literal) => {
        [
            column(concat!("total_", $what), BIG, true),
            column(concat!("last_", $what), BIG, true),
            column(concat!("min_", $what), BIG, true),
            column(concat!("max_", $what), BIG, true),
        ]
    };
}

const STATEMENT: [RowsetColumn; 8] = [
    column("sql_handle", HANDLE, false),
    column("statement_start_offset", INT, false),
    column("statement_end_offset", INT, false),
    column("plan_generation_num", BIG, false),
    column("plan_handle", HANDLE, false),
    column("creation_time", WHEN, true),
    column("last_execution_time", WHEN, true),
    column("execution_count", BIG, false),
];
const HASHES: [RowsetColumn; 2] = [
    column("query_hash", SqlType::binary(8), true),
    column("query_plan_hash", SqlType::binary(8), true),
];
const CONTEXT: [RowsetColumn; 2] =
    [column("statement_sql_handle", HANDLE, true), column("statement_context_id", BIG, true)];
/// What only this server has: whether the statement has machine code, and how much.
const MACHINE_CODE: [RowsetColumn; 2] =
    [column("is_machine_code", BIT, false), column("machine_code_bytes", BIG, false)];

static QUERY_COLUMNS: [RowsetColumn; 90] = joined([
    &STATEMENT,
    &measure!("worker_time"),
    &measure!("physical_reads"),
    &measure!("logical_writes"),
    &measure!("logical_reads"),
    &measure!("clr_time"),
    &measure!("elapsed_time"),
    &HASHES,
    &measure!("rows"),
    &CONTEXT,
    &measure!("dop"),
    &measure!("grant_kb"),
    &measure!("used_grant_kb"),
    &measure!("ideal_grant_kb"),
    &measure!("reserved_threads"),
    &measure!("used_threads"),
    &measure!("columnstore_segment_reads"),
    &measure!("columnstore_segment_skips"),
    &measure!("spills"),
    &measure!("num_physical_reads"),
    &measure!("page_server_reads"),
    &measure!("num_page_server_reads"),
    &MACHINE_CODE,
]);

pub static DM_EXEC_QUERY_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_query_stats",
    columns: &QUERY_COLUMNS,
    fill: |cx| {
        for cached in cx.instance.plans.entries() {
            let program = cached.program();
            for step in &program.steps {
                let Some(runs) = step.runs.statistics() else { continue };
                let plan = step.plan();
                let code = plan.as_ref().map_or(0, |plan| code_bytes(&plan.unit));
                let handle = bytes(&cached.plan_handle());
                push_statement(cx, &cached, step.place(), &runs, handle, code);
            }
            let native = program.native.lock().unwrap_or_else(|p| p.into_inner()).clone();
            let Some(native) = native else { continue };
            let code = code_bytes(&native.unit);
            for statement in &native.unit.statements {
                if let (Some(place), Some(mut runs)) =
                    (statement.place.clone(), statement.runs.statistics())
                {
                    let whole = program.runs.compiled_at();
                    (runs.compiled_ns, runs.compilations) = (whole, 1);
                    // There is no plan of a native module's statement.
                    push_statement(cx, &cached, place, &runs, bytes(&[0]), code);
                }
            }
        }
        Ok(())
    },
};

/// Bytes of a unit's machine code; 0 if it is interpreted.
fn code_bytes(unit: &Unit) -> usize {
    unit.machine_code.get().map_or(0, |code| code.size())
}

fn push_statement(
    cx: &mut FillContext<'_>,
    cached: &CachedProgram,
    place: Range<u32>,
    runs: &RunStatistics,
    handle: Value,
    code_bytes: usize,
) {
    let offsets = texts::offsets(&cached.program().text, &place, cached.parameters());
    let start = [
        bytes(&cached.sql_handle()),
        int(offsets.0),
        int(offsets.1),
        number(runs.compilations),
        handle,
        moment(cx.instance, runs.compiled_ns),
        moment(cx.instance, runs.last_began_ns),
        number(runs.count),
    ];
    let time = time(&runs.elapsed_ns);
    let none: [Value; 4] = std::array::from_fn(|_| int(0));
    let text = &cached.program().text[place.start as usize..place.end as usize];
    let hashes = [bytes(&texts::shape_hash(text).to_be_bytes()), NULL];
    // Every statement runs on one thread.
    let one = counts(&Measured { total: runs.count, last: 1, least: 1, most: 1 });
    let code = [bit(code_bytes > 0), number(code_bytes as u64)];
    let mut parts: Vec<&[Value]> = vec![&start, &time];
    parts.extend([&none[..]; 4]);
    let rows = counts(&runs.rows);
    let context = [NULL, NULL];
    parts.extend([&time[..], &hashes, &rows, &context, &one]);
    parts.extend([&none[..]; 11]);
    parts.push(&code);
    cx.push_parts(&parts);
}

const MODULE: [RowsetColumn; 9] = [
    column("database_id", INT, false),
    column("object_id", INT, false),
    column("type", fix(2), true),
    column("type_desc", nvar(60), true),
    column("sql_handle", HANDLE, false),
    column("plan_handle", HANDLE, false),
    column("cached_time", WHEN, true),
    column("last_execution_time", WHEN, true),
    column("execution_count", BIG, false),
];

static MODULE_COLUMNS: [RowsetColumn; 45] = joined([
    &MODULE,
    &measure!("worker_time"),
    &measure!("physical_reads"),
    &measure!("logical_writes"),
    &measure!("logical_reads"),
    &measure!("elapsed_time"),
    &measure!("spills"),
    &measure!("num_physical_reads"),
    &measure!("page_server_reads"),
    &measure!("num_page_server_reads"),
]);

static FUNCTION_COLUMNS: [RowsetColumn; 41] = joined([
    &MODULE,
    &measure!("worker_time"),
    &measure!("physical_reads"),
    &measure!("logical_writes"),
    &measure!("logical_reads"),
    &measure!("elapsed_time"),
    &measure!("num_physical_reads"),
    &measure!("page_server_reads"),
    &measure!("num_page_server_reads"),
]);

pub static DM_EXEC_PROCEDURE_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_procedure_stats",
    columns: &MODULE_COLUMNS,
    fill: |cx| modules(cx, ProgramKind::Procedure, 4),
};

pub static DM_EXEC_TRIGGER_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_trigger_stats",
    columns: &MODULE_COLUMNS,
    fill: |cx| modules(cx, ProgramKind::Trigger, 4),
};

pub static DM_EXEC_FUNCTION_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_function_stats",
    columns: &FUNCTION_COLUMNS,
    fill: |cx| modules(cx, ProgramKind::ScalarFunction, 3),
};

/// The modules of a kind. `last` is how many measures of nothing stand after the elapsed time.
fn modules(cx: &mut FillContext<'_>, kind: ProgramKind, last: usize) -> SqlResult<()> {
    for cached in cx.instance.plans.entries() {
        let program = cached.program();
        let (Some(module), Some(runs)) = (&program.module, program.runs.statistics()) else {
            continue;
        };
        if program.kind != kind {
            continue;
        }
        let (code_of_type, description) = match &module.kind {
            ModuleKind::Procedure { .. } => ("P", "SQL_STORED_PROCEDURE"),
            ModuleKind::Trigger(_) | ModuleKind::EventTrigger(_) => ("TR", "SQL_TRIGGER"),
            _ => ("FN", "SQL_SCALAR_FUNCTION"),
        };
        let plan = if module.native { bytes(&[0]) } else { bytes(&cached.plan_handle()) };
        let start = [
            database(program.database),
            object(module.id()),
            code(code_of_type),
            text(description),
            bytes(&cached.sql_handle()),
            plan,
            moment(cx.instance, runs.compiled_ns),
            moment(cx.instance, runs.last_began_ns),
            number(runs.count),
        ];
        let time = time(&runs.elapsed_ns);
        let none: [Value; 4] = std::array::from_fn(|_| int(0));
        let mut parts: Vec<&[Value]> = vec![&start, &time];
        parts.extend([&none[..]; 3]);
        parts.push(&time);
        parts.extend(std::iter::repeat_n(&none[..], last));
        cx.push_parts(&parts);
    }
    Ok(())
}

pub static DM_EXEC_CACHED_PLANS: FilledView = FilledView {
    schema: "sys",
    name: "dm_exec_cached_plans",
    columns: &[
        column("bucketid", INT, false),
        column("refcounts", INT, false),
        column("usecounts", INT, false),
        column("size_in_bytes", INT, false),
        column("memory_object_address", SqlType::varbinary(8), false),
        column("cacheobjtype", nvar(34), false),
        column("objtype", nvar(16), false),
        column("plan_handle", HANDLE, false),
        column("pool_id", INT, false),
        column("parent_plan_handle", HANDLE, true),
    ],
    fill: |cx| {
        for cached in cx.instance.plans.entries() {
            let program = cached.program();
            let kind = match program.kind {
                ProgramKind::Trigger => "Trigger",
                kind if kind.is_module() => "Proc",
                _ if !cached.parameters().is_empty() => "Prepared",
                _ => "Adhoc",
            };
            let small = |count: u64| int(i32::try_from(count).unwrap_or(i32::MAX));
            cx.push([
                small(cached.shard() as u64),
                // The cache's own, and one for each session that runs it.
                small(std::sync::Arc::strong_count(program) as u64),
                small(cached.uses()),
                small(cached.bytes() as u64),
                // Addresses only tell the entries apart.
                bytes(&cached.number().to_be_bytes()),
                text("Compiled Plan"),
                text(kind),
                bytes(&cached.plan_handle()),
                int(2),
                NULL,
            ]);
        }
        Ok(())
    },
};

fn number(count: u64) -> Value {
    int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn counts(measured: &Measured) -> [Value; 4] {
    [measured.total, measured.last, measured.least, measured.most].map(number)
}

/// In microseconds.
fn time(measured: &Measured) -> [Value; 4] {
    [measured.total, measured.last, measured.least, measured.most].map(|ns| number(ns / 1000))
}

fn moment(instance: &Instance, ns: u64) -> Value {
    utc(instance.utc_at(ns))
}
