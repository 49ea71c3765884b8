//! How the trees of disk tables lie in their file: `sys.dm_db_index_physical_stats`.

use base::convert::display;
use base::ids::DbId;
use base::{Collation, SqlError, SqlResult, SqlType, Value, ValueRef, message};
use engine::catalog::Catalog;
use engine::catalog::def::{Permission, Securable, SecurableClass, TableDef, TableRole};
use engine::cold::table::TreeShape;
use engine::hot::table::Table;
use engine::txn::TxnResult;
use engine::wait::Task;
use run::interp::errors::of_database;

use super::super::catalog::space::hobt_id;
use super::super::cells::*;
use super::super::function::{FunctionContext, Rows, ServerFunction, integer};
use super::memory::number;
use crate::session::authority::sees_server;

const FLOAT: SqlType = SqlType::float();

pub(crate) static INDEX_PHYSICAL_STATS: ServerFunction = ServerFunction {
    columns: &[
        column("database_id", SMALL, true),
        column("object_id", INT, true),
        column("index_id", INT, true),
        column("partition_number", INT, true),
        column("index_type_desc", nvar(60), true),
        column("alloc_unit_type_desc", nvar(60), true),
        column("index_depth", TINY, true),
        column("index_level", TINY, true),
        column("avg_fragmentation_in_percent", FLOAT, true),
        column("fragment_count", BIG, true),
        column("avg_fragment_size_in_pages", FLOAT, true),
        column("page_count", BIG, true),
        column("avg_page_space_used_in_percent", FLOAT, true),
        column("record_count", BIG, true),
        column("ghost_record_count", BIG, true),
        column("version_ghost_record_count", BIG, true),
        column("min_record_size_in_bytes", INT, true),
        column("max_record_size_in_bytes", INT, true),
        column("avg_record_size_in_bytes", FLOAT, true),
        column("forwarded_record_count", BIG, true),
        column("compressed_page_count", BIG, true),
        column("hobt_id", BIG, false),
        column("columnstore_delete_buffer_state", TINY, true),
        column("columnstore_delete_buffer_state_desc", nvar(60), true),
        column("version_record_count", BIG, true),
        column("inrow_version_record_count", BIG, true),
        column("inrow_diff_version_record_count", BIG, true),
        column("total_inrow_version_payload_size_in_bytes", BIG, true),
        column("offrow_regular_version_record_count", BIG, true),
        column("offrow_long_term_version_record_count", BIG, true),
    ],
    rows,
};

/// Which trees are asked for; NULL and 0 for all, of indexes NULL and -1.
struct Asked {
    database: Option<i64>,
    object: Option<i64>,
    index: Option<i64>,
    partition: Option<i64>,
    /// Whether leaves are to be read.
    reads_leaves: bool,
}

impl Asked {
    fn of(args: &[ValueRef<'_>]) -> SqlResult<Asked> {
        let given = |at: usize, all: i64| integer(args[at]).filter(|value| *value != all);
        let mode = match args[4] {
            ValueRef::Null => String::new(),
            given => display(given, &SqlType::sysname(Collation::DEFAULT)).to_uppercase(),
        };
        let reads_leaves = match &*mode {
            "" | "DEFAULT" | "NULL" | "LIMITED" => false,
            "SAMPLED" | "DETAILED" => true,
            _ => return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&5])),
        };
        Ok(Asked {
            database: given(0, 0),
            object: given(1, 0),
            index: given(2, -1),
            partition: given(3, 0),
            reads_leaves,
        })
    }
}

/// One row for the leaves of each tree. Errors 262 without `VIEW DATABASE STATE` of each database,
/// or `CONTROL` of the one object, and 2560.
fn rows(cx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> SqlResult<Rows> {
    let asked = Asked::of(args)?;
    let mut rows = Vec::new();
    for catalog in cx.instance.databases().catalogs() {
        let id = catalog.database().id();
        if asked.database.is_some_and(|wanted| wanted != i64::from(id.0)) {
            continue;
        }
        check_permission(cx, id, &asked)?;
        of_database_rows(cx, &catalog, &asked, &mut rows)?;
    }
    Ok(rows)
}

fn check_permission(cx: &FunctionContext<'_>, id: DbId, asked: &Asked) -> SqlResult<()> {
    let may = |class, major, permission| {
        cx.facts.is_permitted(id, Securable { class, major, minor: 0 }, permission)
    };
    let controls = |object| {
        i32::try_from(object)
            .is_ok_and(|object| may(SecurableClass::Object, object, Permission::Control))
    };
    let permitted = sees_server(cx.facts)
        || may(SecurableClass::Database, 0, Permission::ViewDatabaseState)
        || asked.object.is_some_and(controls);
    if permitted {
        return Ok(());
    }
    let (needed, name) = (Permission::ViewDatabaseState, cx.instance.database_name(id));
    Err(SqlError::new(&message::DATABASE_PERMISSION_DENIED, &[&needed.description(), &name]))
}

fn of_database_rows(
    cx: &FunctionContext<'_>,
    catalog: &Catalog,
    asked: &Asked,
    rows: &mut Rows,
) -> SqlResult<()> {
    let database = catalog.database().id();
    let schema = catalog.current();
    let is_asked = |table: &TableDef| {
        let wanted = asked.object.is_none_or(|object| object == i64::from(table.indexed_id().0));
        // Memory-optimized tables have no pages.
        wanted
            && (table.role == TableRole::Table || table.rows_of.is_some())
            && !table.kind.is_memory_optimized()
    };
    if asked.partition.is_some_and(|partition| partition != 1) {
        return Ok(());
    }
    for definition in schema.tables().filter(|table| is_asked(table)) {
        let Some(table) = catalog.table(definition) else { continue };
        let heap = definition.clustered_index().is_none().then_some(None);
        for place in heap.into_iter().chain((0..definition.indexes.len()).map(Some)) {
            let index = place.map_or(0, |at| definition.indexes[at].id.0);
            if asked.index.is_some_and(|wanted| wanted != i64::from(index)) {
                continue;
            }
            let shape = tree_shape(&table, place, asked.reads_leaves, cx.task);
            let shape = shape.map_err(|error| of_database(&error, database))?;
            rows.push(row(database, definition, index, &shape, asked.reads_leaves));
        }
    }
    Ok(())
}

/// How the tree of an index, by its place in the definition, lies in its file; without a place that
/// of a heap's rows.
pub(crate) fn tree_shape(
    table: &Table,
    place: Option<usize>,
    reads_leaves: bool,
    task: &Task,
) -> TxnResult<TreeShape> {
    match table.cold() {
        None => Ok(TreeShape::default()),
        Some(cold) => Ok(cold.shape(place.unwrap_or(table.log_index()), reads_leaves, task)?),
    }
}

fn row(
    id: DbId,
    definition: &TableDef,
    index: i32,
    shape: &TreeShape,
    reads_leaves: bool,
) -> Vec<Value> {
    let kind = match index {
        0 => "HEAP",
        1 => "CLUSTERED INDEX",
        _ => "NONCLUSTERED INDEX",
    };
    let part =
        |part: u64, of: u64| Value::Float(if of == 0 { 0.0 } else { part as f64 / of as f64 });
    let percent = |of: Value| match of {
        Value::Float(share) => Value::Float(share * 100.0),
        other => other,
    };
    let read = |value: Value| if reads_leaves { value } else { NULL };
    let breaks = shape.fragments.saturating_sub(1);
    let mut row = vec![
        database(id),
        object(definition.indexed_id()),
        int(index),
        int(1),
        text(kind),
        text("IN_ROW_DATA"),
        int(i64::from(shape.levels)),
        int(0),
        percent(part(breaks, shape.placed_pages)),
        number(shape.fragments),
        part(shape.placed_pages, shape.fragments),
        number(shape.leaf_pages),
        read(percent(part(shape.used_bytes, shape.leaf_bytes))),
        read(number(shape.entries)),
        // What is deleted stays as long as a snapshot may see it, and is among the records.
        read(int(0)),
        read(int(0)),
        NULL,
        NULL,
        read(part(shape.used_bytes, shape.entries)),
        NULL,
        read(int(0)),
        int(hobt_id(definition.storage, index)),
        int(0),
        text("NOT VALID"),
    ];
    row.resize(INDEX_PHYSICAL_STATS.columns.len(), NULL);
    row
}
