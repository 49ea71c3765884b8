//! Functions over the server's state: views that take arguments.

use base::{Collation, SqlResult, SqlType, Value, ValueRef};
use engine::wait::Task;
use ir::function::facts::{FnContext, MetadataFacts, ServerRowset};
use ir::function::rowset::{Emit, RowsetColumn, RowsetTypes};
use ir::function::signature::Call;
use ir::function::{
    AggregateFunction, FileContent, Functions, RowsetFunction, RowsetRows, ScalarFunction,
};
use run::func;

use crate::instance::Instance;
use crate::sysview::server::files::VIRTUAL_FILE_STATS;
use crate::sysview::server::log::LOG_INFO;
use crate::sysview::server::physical::INDEX_PHYSICAL_STATS;

/// Rows of values, one for each column.
pub type Rows = Vec<Vec<Value>>;

/// A function whose rows are made when it is called.
#[derive(Debug)]
pub struct ServerFunction {
    /// Its columns.
    pub columns: &'static [RowsetColumn],
    /// Makes the rows from the arguments.
    pub rows: fn(&FunctionContext<'_>, &[ValueRef<'_>]) -> SqlResult<Rows>,
}

/// What such a function may ask.
pub struct FunctionContext<'a> {
    /// The statement that calls it.
    pub task: &'a Task<'a>,
    /// The server.
    pub instance: &'a Instance,
    /// The session.
    pub facts: &'a dyn MetadataFacts,
}

/// An integer, or nothing for NULL.
pub fn integer(argument: ValueRef<'_>) -> Option<i64> {
    match argument {
        ValueRef::Int(value) => Some(value),
        _ => None,
    }
}

/// What makes the rows of a function over the server's state.
pub fn server_function(function: ServerRowset) -> &'static ServerFunction {
    match function {
        ServerRowset::FileStats => &VIRTUAL_FILE_STATS,
        ServerRowset::IndexStats => &INDEX_PHYSICAL_STATS,
        ServerRowset::LogSegments => &LOG_INFO,
    }
}

/// All functions that statements can call: those of the library, and those over the server's state.
pub struct Library;

impl Functions for Library {
    fn scalar(&self, name: &str) -> Option<&'static ScalarFunction> {
        func::Library.scalar(name)
    }

    fn odbc(&self, name: &str) -> Option<&'static ScalarFunction> {
        func::Library.odbc(name)
    }

    fn aggregate(&self, name: &str) -> Option<&'static AggregateFunction> {
        func::Library.aggregate(name)
    }

    fn rowset(&self, name: &str) -> Option<&'static RowsetFunction> {
        let own = FUNCTIONS.iter().find(|function| function.name.eq_ignore_ascii_case(name));
        own.or_else(|| func::Library.rowset(name))
    }

    fn open_json(&self) -> &'static RowsetFunction {
        func::Library.open_json()
    }

    fn open_file(&self, content: FileContent) -> &'static RowsetFunction {
        func::Library.open_file(content)
    }

    fn xml_nodes(&self) -> &'static RowsetFunction {
        func::Library.xml_nodes()
    }

    fn xml_index_entries(&self) -> &'static RowsetFunction {
        func::Library.xml_index_entries()
    }

    fn spatial_cells(&self) -> &'static RowsetFunction {
        func::Library.spatial_cells()
    }

    fn spatial_cover(&self) -> &'static RowsetFunction {
        func::Library.spatial_cover()
    }

    fn open_xml(&self, has_columns: bool) -> &'static RowsetFunction {
        func::Library.open_xml(has_columns)
    }
}

static FUNCTIONS: [RowsetFunction; 3] = [
    RowsetFunction {
        name: "DM_IO_VIRTUAL_FILE_STATS",
        arguments: (2, 2),
        columns: columns_of_files,
        rows: RowsetRows::Filled(fill_files),
        infer: types_of_files,
    },
    RowsetFunction {
        name: "DM_DB_INDEX_PHYSICAL_STATS",
        arguments: (5, 5),
        columns: columns_of_indexes,
        rows: RowsetRows::Filled(fill_indexes),
        infer: types_of_indexes,
    },
    RowsetFunction {
        name: "DM_DB_LOG_INFO",
        arguments: (1, 1),
        columns: columns_of_log,
        rows: RowsetRows::Filled(fill_log),
        infer: types_of_log,
    },
];

/// A database and a file.
fn types_of_files(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let args = vec![SqlType::int(); 2];
    Ok(RowsetTypes { args, visible: VIRTUAL_FILE_STATS.columns.len() })
}

fn columns_of_files(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&VIRTUAL_FILE_STATS)
}

fn fill_files<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, ServerRowset::FileStats, args, emit)
}

/// A database, a table, an index, a partition, and how much is read.
fn types_of_indexes(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut args = vec![SqlType::int(); 4];
    args.push(SqlType::sysname(Collation::DEFAULT));
    Ok(RowsetTypes { args, visible: INDEX_PHYSICAL_STATS.columns.len() })
}

fn columns_of_indexes(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&INDEX_PHYSICAL_STATS)
}

fn fill_indexes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, ServerRowset::IndexStats, args, emit)
}

/// A database.
fn types_of_log(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: vec![SqlType::int()], visible: LOG_INFO.columns.len() })
}

fn columns_of_log(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&LOG_INFO)
}

fn fill_log<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, ServerRowset::LogSegments, args, emit)
}

fn columns_of(function: &ServerFunction) -> Vec<RowsetColumn> {
    let of = |own: &RowsetColumn| {
        let ty = SqlType { collation: Collation::DEFAULT, ..own.ty };
        RowsetColumn { ty, ..*own }
    };
    function.columns.iter().map(of).collect()
}

fn fill(
    ctx: &FnContext<'_>,
    function: ServerRowset,
    args: &[ValueRef<'_>],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let Some(task) = ctx.task else { return Ok(()) };
    for row in ctx.facts.server_rows(function, args, task)? {
        let values: Vec<ValueRef<'_>> = row.iter().map(base::Value::as_ref).collect();
        emit(&values)?;
    }
    Ok(())
}
