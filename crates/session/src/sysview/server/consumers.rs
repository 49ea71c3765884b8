//! What uses the memory of the engine: each table and index of a database, and what belongs to no
//! table.

use base::{SqlType, Value};
use engine::hot::index::Index;

use super::super::cells::*;
use super::super::{FilledView, RowsetColumn};
use super::memory::{every_table, number};

/// Kinds of consumers.
const LOOKASIDE: (i32, &str) = (1, "LOOKASIDE");
const VARHEAP: (i32, &str) = (2, "VARHEAP");
const HASH: (i32, &str) = (3, "HASH");
const PGPOOL: (i32, &str) = (4, "PGPOOL");

/// The memory of a consumer.
struct Bytes {
    allocated: u64,
    /// Those that hold something.
    used: Option<u64>,
}

/// `allocated_bytes` and all that follows. What allocators of SQL Server's kind have is NULL.
fn sizes(size: Bytes, consumer: u64) -> [Value; 8] {
    let Bytes { allocated, used } = size;
    // Addresses only tell the consumers apart.
    let address = bytes(&consumer.to_be_bytes());
    [number(allocated), or_null(used, number), NULL, NULL, NULL, NULL, NULL, address]
}

const SIZES: [RowsetColumn; 8] = [
    column("allocated_bytes", BIG, false),
    column("used_bytes", BIG, true),
    column("allocation_count", INT, true),
    column("partition_count", INT, true),
    column("sizeclass_count", INT, true),
    column("min_sizeclass", INT, true),
    column("max_sizeclass", INT, true),
    column("memory_consumer_address", SqlType::varbinary(8), false),
];

const OF_DATABASE: [RowsetColumn; 7] = [
    column("memory_consumer_id", BIG, false),
    column("memory_consumer_type", INT, false),
    column("memory_consumer_type_desc", nvar(64), false),
    column("memory_consumer_desc", nvar(64), true),
    column("object_id", BIG, true),
    column("xtp_object_id", BIG, true),
    column("index_id", INT, true),
];

static OF_DATABASE_COLUMNS: [RowsetColumn; 15] = joined([&OF_DATABASE, &SIZES]);

pub static DM_DB_XTP_MEMORY_CONSUMERS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_xtp_memory_consumers",
    columns: &OF_DATABASE_COLUMNS,
    fill: |cx| {
        let mut consumer = 0;
        every_table(cx, |cx, definition, table| {
            let mut add = |(kind, kind_name), what: &str, index: Value, size: Bytes| {
                consumer += 1;
                let start: [Value; 7] = [
                    number(consumer),
                    int(kind),
                    text(kind_name),
                    text(what),
                    object(definition.id()),
                    number(definition.storage.0),
                    index,
                ];
                cx.push_parts(&[&start, &sizes(size, consumer)]);
            };
            let rows = table.memory();
            let size = Bytes { allocated: rows.allocated_bytes, used: Some(rows.used_bytes) };
            add(VARHEAP, "Table heap", NULL, size);
            for (at, own) in definition.indexes.iter().enumerate() {
                let index = table.index_at(at);
                let (kind, what) = match index {
                    Index::Hash(_) => (HASH, "Hash index"),
                    Index::Range(_) => (VARHEAP, "Range index heap"),
                };
                let memory = index.memory();
                let size =
                    Bytes { allocated: memory.allocated_bytes, used: Some(memory.used_bytes) };
                add(kind, what, int(own.id.0), size);
            }
        })
    },
};

const OF_SERVER: [RowsetColumn; 6] = [
    column("memory_consumer_id", BIG, false),
    column("memory_consumer_type", INT, false),
    column("memory_consumer_type_desc", nvar(16), false),
    column("memory_consumer_desc", nvar(64), true),
    column("lookaside_id", BIG, true),
    column("pagepool_id", BIG, true),
];

static OF_SERVER_COLUMNS: [RowsetColumn; 14] = joined([&OF_SERVER, &SIZES]);

pub static DM_XTP_SYSTEM_MEMORY_CONSUMERS: FilledView = FilledView {
    schema: "sys",
    name: "dm_xtp_system_memory_consumers",
    columns: &OF_SERVER_COLUMNS,
    fill: |cx| {
        let (mut transactions, mut garbage, mut rings) = ((0, 0), (0, 0), 0);
        for catalog in cx.instance.databases().catalogs() {
            let own = catalog.database().manager();
            let add = |sum: &mut (u64, u64), part: (u64, u64)| {
                *sum = (sum.0 + part.0, sum.1 + part.1);
            };
            add(&mut transactions, own.transaction_memory());
            add(&mut garbage, own.reclaim_memory());
            rings += own.log().stats().ring_bytes;
        }
        let whole = |(allocated, used)| Bytes { allocated, used: Some(used) };
        let consumers = [
            (LOOKASIDE, "Transactions", whole(transactions)),
            (VARHEAP, "Garbage collection queues", whole(garbage)),
            (PGPOOL, "Log buffers", Bytes { allocated: rings, used: None }),
        ];
        for (consumer, ((kind, kind_name), what, size)) in (1..).zip(consumers) {
            let start: [Value; 6] =
                [number(consumer), int(kind), text(kind_name), text(what), NULL, NULL];
            cx.push_parts(&[&start, &sizes(size, consumer)]);
        }
        Ok(())
    },
};
