//! Memory: of tables and their indexes, and of the server's parts.

use base::{SqlResult, SqlType, Value};
use engine::catalog::def::{IndexDef, TableDef};
use engine::hot::index::Index;
use engine::hot::table::Table;

use super::super::cells::*;
use super::super::{FillContext, FilledView};

pub(super) fn number(count: u64) -> Value {
    int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn kb(bytes: u64) -> Value {
    number(bytes.div_ceil(1024))
}

/// Calls `each` for every memory-optimized table.
pub(super) fn every_table(
    cx: &mut FillContext<'_>,
    mut each: impl FnMut(&mut FillContext<'_>, &TableDef, &Table),
) -> SqlResult<()> {
    let schema = cx.schema.clone();
    let catalog = cx.instance.catalog(cx.database)?;
    for definition in schema.tables().filter(|table| table.kind.is_memory_optimized()) {
        if let Some(table) = catalog.table(definition) {
            each(cx, definition, &table);
        }
    }
    Ok(())
}

/// Calls `each` for every index of memory-optimized tables, with what the views of indexes begin
/// with, its table and its ordinal there.
pub(super) fn every_index(
    cx: &mut FillContext<'_>,
    mut each: impl FnMut(&mut FillContext<'_>, [Value; 3], &Table, usize),
) -> SqlResult<()> {
    every_table(cx, |cx, definition, table| {
        for (at, own) in definition.indexes.iter().enumerate() {
            each(cx, names_of(definition, own), table, at);
        }
    })
}

/// What tells tables apart where SQL Server shows where in memory they are.
pub(super) fn address_of(table: &Table) -> Value {
    bytes(&table.storage().0.to_be_bytes())
}

/// `object_id`, `xtp_object_id`, `index_id`
fn names_of(table: &TableDef, index: &IndexDef) -> [Value; 3] {
    [object(table.id()), number(table.storage.0), int(index.id.0)]
}

pub static DM_DB_XTP_TABLE_MEMORY_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_table_memory_stats",
    columns: &[
        column("object_id", INT, true),
        column("memory_allocated_for_table_kb", BIG, true),
        column("memory_used_by_table_kb", BIG, true),
        column("memory_allocated_for_indexes_kb", BIG, true),
        column("memory_used_by_indexes_kb", BIG, true),
    ],
    fill: |cx| {
        every_table(cx, |cx, definition, table| {
            let memory = table.memory();
            let indexes = || (0..definition.indexes.len()).map(|at| table.index_at(at).memory());
            cx.push([
                object(definition.id()),
                kb(memory.allocated_bytes),
                kb(memory.used_bytes),
                kb(indexes().map(|index| index.allocated_bytes).sum()),
                kb(indexes().map(|index| index.used_bytes).sum()),
            ]);
        })
    },
};

pub static DM_DB_XTP_HASH_INDEX_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_hash_index_stats",
    columns: &[
        column("object_id", INT, false),
        column("xtp_object_id", BIG, false),
        column("index_id", INT, false),
        column("total_bucket_count", BIG, false),
        column("empty_bucket_count", BIG, true),
        column("avg_chain_length", BIG, false),
        column("max_chain_length", BIG, false),
    ],
    fill: |cx| {
        /// Keys that are counted before other sessions get a turn.
        const STEP: usize = 10_000;
        let task = cx.task;
        every_index(cx, |cx, names, table, at| {
            let Index::Hash(index) = table.index_at(at) else { return };
            let mut walk = index.start_stats();
            let stats = loop {
                if let Some(stats) = index.step_stats(&task.pin(), &mut walk, STEP) {
                    break stats;
                }
            };
            // Rows with the same key follow one another, as in SQL Server's chains.
            let own = [
                number(stats.total_buckets),
                number(stats.empty_buckets),
                number(stats.average_rows()),
                number(stats.rows_max),
            ];
            cx.push_two(names, own);
        })
    },
};

pub static DM_DB_XTP_NONCLUSTERED_INDEX_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_nonclustered_index_stats",
    columns: &[
        column("object_id", INT, false),
        column("xtp_object_id", BIG, false),
        column("index_id", INT, false),
        column("delta_pages", BIG, true),
        column("internal_pages", BIG, true),
        column("leaf_pages", BIG, true),
        column("outstanding_retired_nodes", BIG, true),
        column("page_update_count", BIG, true),
        column("page_update_retry_count", BIG, true),
        column("page_consolidation_count", BIG, true),
        column("page_consolidation_retry_count", BIG, true),
        column("page_split_count", BIG, true),
        column("page_split_retry_count", BIG, true),
        column("key_split_count", BIG, true),
        column("key_split_retry_count", BIG, true),
        column("page_merge_count", BIG, true),
        column("page_merge_retry_count", BIG, true),
        column("key_merge_count", BIG, true),
        column("key_merge_retry_count", BIG, true),
    ],
    fill: |cx| {
        let task = cx.task;
        every_index(cx, |cx, names, table, at| {
            let Index::Range(index) = table.index_at(at) else { return };
            let stats = index.stats(&task.pin());
            // Each row that was ever taken out had been put in.
            let updates = table.index_at(at).len() + 2 * table.removed_rows();
            // Nodes are changed in place: there are no delta pages, and nothing to consolidate. A
            // key goes into the node above, or out of it, in the same step as the split or merge.
            let own: [Value; 16] = [
                int(0),
                number(stats.inner_nodes),
                number(stats.leaf_nodes),
                number(stats.retired_nodes),
                number(updates),
                number(stats.updates_again),
                int(0),
                int(0),
                number(stats.splits),
                number(stats.splits_again),
                NULL,
                NULL,
                number(stats.merges),
                number(stats.merges_again),
                NULL,
                NULL,
            ];
            cx.push_two(names, own);
        })
    },
};

pub static DM_DB_XTP_OBJECT_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_object_stats",
    columns: &[
        column("object_id", BIG, true),
        column("row_insert_attempts", BIG, true),
        column("row_update_attempts", BIG, true),
        column("row_delete_attempts", BIG, true),
        column("write_conflicts", BIG, true),
        column("unique_constraint_violations", BIG, true),
        column("object_address", SqlType::varbinary(8), true),
    ],
    fill: |cx| {
        every_table(cx, |cx, definition, table| {
            let attempts = table.attempts();
            cx.push([
                object(definition.id()),
                number(attempts.inserts),
                number(attempts.updates),
                number(attempts.deletes),
                number(table.counters().write_conflicts()),
                number(table.counters().duplicates()),
                address_of(table),
            ]);
        })
    },
};

pub static DM_OS_MEMORY_CLERKS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_memory_clerks",
    columns: &[
        column("memory_clerk_address", SqlType::varbinary(8), false),
        column("type", nvar(60), false),
        column("name", nvar(256), false),
        column("memory_node_id", SMALL, false),
        column("pages_kb", BIG, false),
        column("virtual_memory_reserved_kb", BIG, false),
        column("virtual_memory_committed_kb", BIG, false),
        column("awe_allocated_kb", BIG, false),
        column("shared_memory_reserved_kb", BIG, false),
        column("shared_memory_committed_kb", BIG, false),
        column("page_size_in_bytes", BIG, false),
        column("page_allocator_address", SqlType::varbinary(8), false),
        column("host_address", SqlType::varbinary(8), false),
        column("parent_memory_broker_type", nvar(60), true),
    ],
    fill: |cx| {
        let catalogs = cx.instance.databases().catalogs();
        let managers = || catalogs.iter().map(|catalog| catalog.database().manager());
        let of_databases: u64 = managers().map(|own| own.pool().total()).sum();
        let rest = cx.instance.host().pool.total().saturating_sub(of_databases);
        let rings = managers().map(|own| own.log().stats().ring_bytes).sum();
        let plans = cx.instance.plans.statistics().bytes as u64;
        let code = cx.instance.compiler.code_bytes() as u64;
        let [row_caches, _] = cx.instance.host().pages.row_cache_bytes();
        let pages = cx.instance.host().pages.resident_bytes().saturating_sub(row_caches);
        let mut clerks = vec![
            ("CACHESTORE_SQLCP", "SQL Plans".to_owned(), plans),
            ("MEMORYCLERK_MACHINECODE", "Default".to_owned(), code),
            ("MEMORYCLERK_ROWCACHE", "Default".to_owned(), row_caches),
            ("MEMORYCLERK_SQLBUFFERPOOL", "Default".to_owned(), pages),
            ("MEMORYCLERK_SQLLOGPOOL", "Default".to_owned(), rings),
            ("MEMORYCLERK_XTP", "Default".to_owned(), rest),
        ];
        for own in managers() {
            clerks.push(("MEMORYCLERK_XTP", format!("DB_ID_{}", own.id().0), own.pool().total()));
        }
        for (at, (kind, name, size)) in clerks.iter().enumerate() {
            // Addresses only tell the clerks apart.
            let address = (at as u64 + 1).to_be_bytes();
            cx.push([
                bytes(&address),
                text(kind),
                text(name),
                int(0),
                kb(*size),
                int(0),
                int(0),
                int(0),
                int(0),
                int(0),
                int(8192),
                bytes(&[0; 8]),
                bytes(&[0; 8]),
                NULL,
            ]);
        }
        Ok(())
    },
};
