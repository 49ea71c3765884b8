//! Partitions and the space that they take.
//!
//! Every table has one partition for each index, and one for the heap if no index is clustered.
//! What of a disk table has sunk is in pages; what is in memory counts as the pages of 8 KB that as
//! much memory would fill. Tables that are memory-optimized take no pages here:
//! `sys.dm_db_xtp_table_memory_stats` has their sizes.

use base::ids::StorageId;
use base::{SqlResult, Value};
use engine::catalog::Catalog;
use engine::catalog::def::{TableDef, TableRole};
use engine::hot::table::Table;
use engine::txn::TxnResult;
use engine::wait::Task;
use run::interp::errors::of_database;

use super::super::cells::*;
use super::super::{FillContext, FilledView};

/// Bytes of a page.
const PAGE: u64 = 8192;

/// One index of one table.
struct Partition<'a> {
    table: &'a TableDef,
    /// 0 for a heap.
    index: i32,
    /// Also the id of its partition, and of the storage that it names.
    hobt: i64,
    rows: Option<u64>,
    pages: Pages,
}

/// How much space a partition takes, in pages.
#[derive(Clone, Copy, Default)]
struct Pages {
    data: u64,
    used: u64,
    reserved: u64,
}

impl Pages {
    /// Of an index, which is at this place among the table's; without one, of the heap. Rows count
    /// for the heap or the clustered index alone.
    fn of(
        definition: &TableDef,
        table: &Table,
        place: Option<usize>,
        task: &Task<'_>,
    ) -> TxnResult<Pages> {
        if definition.kind.is_memory_optimized() {
            return Ok(Pages::default());
        }
        let mut own = Pages::in_memory(definition, table, place);
        if let Some(cold) = table.cold() {
            let (leaves, others) = cold.count_nodes(place.unwrap_or(table.log_index()), task)?;
            own.data += leaves;
            own.used += leaves + others;
            own.reserved += leaves + others;
        }
        Ok(own)
    }

    fn in_memory(definition: &TableDef, table: &Table, place: Option<usize>) -> Pages {
        let pages = |bytes: u64| bytes.div_ceil(PAGE);
        let index = pages(match place {
            Some(at) => table.index_memory(at),
            // A heap's rows are found by an index that the catalog does not know.
            None => {
                (definition.indexes.len()..table.links()).map(|at| table.index_memory(at)).sum()
            }
        });
        let holds_rows = place.is_none_or(|at| definition.indexes[at].id.0 == 1);
        if !holds_rows {
            return Pages { data: index, used: index, reserved: index };
        }
        let memory = table.memory();
        let data = pages(memory.used_bytes);
        Pages { data, used: data + index, reserved: pages(memory.allocated_bytes) + index }
    }
}

/// `hobt_id` of an index, or of a table's rows if it has no clustered one (0).
pub(crate) fn hobt_id(storage: StorageId, index: i32) -> i64 {
    (storage.0 << 16) as i64 | i64::from(index)
}

/// Pages that the rows of a table take, as `sp_spaceused` has them for data; none if it is
/// memory-optimized.
pub(crate) fn data_pages(definition: &TableDef, table: &Table, task: &Task<'_>) -> TxnResult<u64> {
    let clustered = definition.indexes.iter().position(|index| index.id.0 == 1);
    Ok(Pages::of(definition, table, clustered, task)?.data)
}

/// Pages that the disk tables of a database take with their indexes.
pub(crate) fn reserved_pages(catalog: &Catalog, task: &Task<'_>) -> TxnResult<u64> {
    let schema = catalog.current();
    let mut sum = 0;
    for definition in schema.tables().filter(|table| table.role != TableRole::Type) {
        let Some(table) = catalog.table(definition) else { continue };
        let heap = definition.clustered_index().is_none().then_some(None);
        for place in heap.into_iter().chain((0..definition.indexes.len()).map(Some)) {
            sum += Pages::of(definition, &table, place, task)?.reserved;
        }
    }
    Ok(sum)
}

/// Calls `each` for every partition of the database.
fn every_partition(
    cx: &mut FillContext<'_>,
    mut each: impl FnMut(&mut FillContext<'_>, Partition<'_>),
) -> SqlResult<()> {
    let schema = cx.schema.clone();
    let catalog = cx.instance.catalog(cx.database)?;
    for definition in schema.tables().filter(|table| table.role != TableRole::Type) {
        let table = catalog.table(definition);
        let heap = definition.clustered_index().is_none().then_some(None);
        for place in heap.into_iter().chain((0..definition.indexes.len()).map(Some)) {
            let index = place.map_or(0, |at| definition.indexes[at].id.0);
            let hobt = hobt_id(definition.storage, index);
            let pages = match &table {
                Some(table) => Pages::of(definition, table, place, cx.task),
                None => Ok(Pages::default()),
            };
            let pages = pages.map_err(|error| of_database(&error, cx.database))?;
            let rows = table.as_ref().map(|table| table.row_count());
            each(cx, Partition { table: definition, index, hobt, rows, pages });
        }
    }
    Ok(())
}

fn count(pages: u64) -> Value {
    int(i64::try_from(pages).unwrap_or(i64::MAX))
}

pub static PARTITIONS: FilledView = FilledView {
    schema: "sys",
    name: "partitions",
    columns: &[
        column("partition_id", BIG, false),
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("partition_number", INT, false),
        column("hobt_id", BIG, false),
        column("rows", BIG, true),
        column("filestream_filegroup_id", SMALL, false),
        column("data_compression", TINY, false),
        column("data_compression_desc", nvar(60), true),
        column("xml_compression", BIT, true),
        column("xml_compression_desc", var(3), true),
    ],
    fill: |cx| {
        every_partition(cx, |cx, own| {
            cx.push([
                int(own.hobt),
                object(own.table.indexed_id()),
                int(own.index),
                int(1),
                int(own.hobt),
                or_null(own.rows, count),
                int(0),
                int(0),
                text("NONE"),
                bit(false),
                chars("OFF"),
            ]);
        })
    },
};

pub static DM_DB_PARTITION_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_partition_stats",
    columns: &[
        column("partition_id", BIG, true),
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("partition_number", INT, false),
        column("in_row_data_page_count", BIG, true),
        column("in_row_used_page_count", BIG, true),
        column("in_row_reserved_page_count", BIG, true),
        column("lob_used_page_count", BIG, true),
        column("lob_reserved_page_count", BIG, true),
        column("row_overflow_used_page_count", BIG, true),
        column("row_overflow_reserved_page_count", BIG, true),
        column("used_page_count", BIG, true),
        column("reserved_page_count", BIG, true),
        column("row_count", BIG, true),
    ],
    fill: |cx| {
        every_partition(cx, |cx, own| {
            let Pages { data, used, reserved } = own.pages;
            cx.push([
                int(own.hobt),
                object(own.table.indexed_id()),
                int(own.index),
                int(1),
                count(data),
                count(used),
                count(reserved),
                int(0),
                int(0),
                int(0),
                int(0),
                count(used),
                count(reserved),
                or_null(own.rows, count),
            ]);
        })
    },
};

pub static ALLOCATION_UNITS: FilledView = FilledView {
    schema: "sys",
    name: "allocation_units",
    columns: &[
        column("allocation_unit_id", BIG, false),
        column("type", TINY, false),
        column("type_desc", nvar(60), true),
        column("container_id", BIG, false),
        column("data_space_id", INT, true),
        column("total_pages", BIG, false),
        column("used_pages", BIG, false),
        column("data_pages", BIG, false),
    ],
    fill: |cx| {
        every_partition(cx, |cx, own| {
            if own.table.kind.is_memory_optimized() {
                return;
            }
            let index = own.table.indexes.iter().find(|index| index.id.0 == own.index);
            let space = index.map_or(own.table.data_space, |index| index.data_space);
            cx.push([
                int(own.hobt),
                int(1),
                text("IN_ROW_DATA"),
                int(own.hobt),
                int(space.0),
                count(own.pages.reserved),
                count(own.pages.used),
                count(own.pages.data),
            ]);
        })
    },
};
