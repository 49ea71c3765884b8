//! Memory of tables.

use super::super::SystemRowset;
use super::super::cells::*;

pub static DM_DB_XTP_TABLE_MEMORY_STATS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_db_xtp_table_memory_stats",
    columns: &[
        ("object_id", INT, true),
        ("memory_allocated_for_table_kb", BIG, true),
        ("memory_used_by_table_kb", BIG, true),
        ("memory_allocated_for_indexes_kb", BIG, true),
        ("memory_used_by_indexes_kb", BIG, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let catalog = cx.instance.catalog(cx.database)?;
        for definition in schema.tables().filter(|table| table.kind.is_memory_optimized()) {
            let Some(table) = catalog.table(definition) else { continue };
            let memory = table.memory();
            let kb = |bytes: u64| int(bytes.div_ceil(1024) as i64);
            let indexes = (0..definition.indexes.len()).map(|at| table.index_memory(at)).sum();
            cx.push([
                object(definition.id()),
                kb(memory.allocated_bytes),
                kb(memory.used_bytes),
                kb(indexes),
                kb(indexes),
            ]);
        }
        Ok(())
    },
};
