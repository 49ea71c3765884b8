//! The views by which the server describes itself.
//!
//! * [`catalog`]: what is in a database: `sys.objects` and the like.
//! * [`server`]: databases, logins, settings, sessions, the machine.
//! * [`compatible`]: the views from before the schema `sys`: `sysobjects`, `sysdatabases`.
//! * [`information_schema`]: the standard's views.
//!
//! A view is either a [`FilledView`], whose rows are made from the schema or the server's state
//! when it is read, or a [`SystemView`], a query over such views. All are visible in every
//! database, and describe the database through which they are queried. [`visibility`] says which
//! users see which of their rows.

pub(crate) mod catalog;
pub(crate) mod cells;
mod compatible;
pub(crate) mod function;
mod information_schema;
pub(crate) mod server;
mod visibility;

use std::sync::Arc;

use base::ids::{DbId, SessionId};
use base::{SqlResult, Value, ValueRef};
use compile::bind::context::{SystemObject, SystemView};
use engine::catalog::Schema;
use engine::catalog::def::Permission;
use engine::txn::DatabaseSession;
use engine::wait::Task;
use ir::function::Functions;
use ir::function::rowset::RowsetColumn;
use ir::rowset::{RowsetId, SystemRowset};
use run::interp::local::LocalTable;

use crate::instance::Instance;

pub use function::Library;
pub(crate) use server::texts::offsets as statement_offsets;
pub use visibility::{Visibility, seen};

/// A view whose rows are made when it is read.
#[derive(Debug)]
pub struct FilledView {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [RowsetColumn],
    /// Makes the rows.
    pub fill: fn(&mut FillContext<'_>) -> SqlResult<()>,
}

/// What a view may ask, and where its rows go.
pub struct FillContext<'a> {
    /// The statement that reads it.
    pub task: &'a Task<'a>,
    /// The server.
    pub instance: &'a Instance,
    /// The database that is asked about.
    pub database: DbId,
    /// What is in it, as the statement sees it.
    pub schema: &'a Arc<Schema>,
    /// The session that asks.
    pub session: SessionId,
    /// Its place in the database: notes what must be durable before it is shown.
    pub place: &'a DatabaseSession,
    /// Whether it may see what other sessions do.
    pub sees_server: bool,
    /// Which rows it is shown, if not all.
    pub visibility: Option<Visibility>,
    /// Receives the rows.
    pub rows: &'a mut LocalTable,
}

impl FillContext<'_> {
    /// Whether a session is shown to the one that asks.
    pub fn sees(&self, session: SessionId) -> bool {
        self.sees_server || session == self.session
    }

    /// Adds a row: a value for each column.
    pub fn push<const N: usize>(&mut self, row: [Value; N]) {
        let mut row: [ValueRef<'_>; N] = std::array::from_fn(|at| row[at].as_ref());
        self.add(&mut row);
    }

    /// Adds a row that begins as others of its kind do.
    pub fn push_two<const N: usize, const M: usize>(
        &mut self,
        start: [Value; N],
        rest: [Value; M],
    ) {
        self.push_parts(&[&start, &rest]);
    }

    /// Adds a row that is given in parts.
    pub fn push_parts(&mut self, parts: &[&[Value]]) {
        let mut row: Vec<ValueRef<'_>> =
            parts.iter().copied().flatten().map(Value::as_ref).collect();
        self.add(&mut row);
    }

    fn add(&mut self, row: &mut [ValueRef<'_>]) {
        if self.visibility.as_mut().is_none_or(|visibility| visibility.admits(row)) {
            self.rows.push_values(row);
        }
    }
}

/// The permission that a reader of a view needs, beside what every user has: `VIEW SERVER STATE` or
/// `VIEW DATABASE STATE`. Views of sessions and requests show every session its own rows.
pub fn needs(view: &FilledView) -> Option<Permission> {
    const FOR_ALL: [&str; 3] = ["dm_exec_sessions", "dm_exec_requests", "dm_os_host_info"];
    const OF_SERVER: [&str; 2] = ["dm_db_file_space_usage", "dm_db_log_space_usage"];
    const OF_DATABASE: [&str; 1] = ["dm_tran_commit_table"];
    match view.name {
        name if OF_DATABASE.contains(&name) => Some(Permission::ViewDatabaseState),
        name if FOR_ALL.contains(&name) => None,
        name if OF_SERVER.contains(&name) => Some(Permission::ViewServerState),
        name if name.starts_with("dm_db_") => Some(Permission::ViewDatabaseState),
        name if name.starts_with("dm_") => Some(Permission::ViewServerState),
        _ => None,
    }
}

/// The id of a system view: negative, and the same in every database.
pub fn id_of(schema: &str, name: &str) -> i32 {
    let bytes = schema.bytes().chain(*b".").chain(name.bytes());
    let hash = bytes.fold(0x811C_9DC5_u32, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    });
    // Ids of system procedures begin at -900,000,000, below these.
    -((hash % 800_000_000) as i32) - 1_000_000
}

/// All views whose rows are made, each at the place that its id names.
fn rowsets() -> impl Iterator<Item = &'static FilledView> {
    [catalog::VIEWS, server::VIEWS].into_iter().flatten().copied()
}

/// The view that has this id.
pub fn filled(id: RowsetId) -> &'static FilledView {
    rowsets().nth(usize::from(id.0)).expect("ids are given by `find`")
}

/// All views that are queries.
fn queries() -> impl Iterator<Item = &'static SystemView> {
    [catalog::QUERIES, compatible::QUERIES, information_schema::QUERIES].into_iter().flatten()
}

/// A view or function by schema and name. Without a schema, and in `dbo`, only the old views are
/// found: those whose names begin with `sys`.
pub fn find(schema: Option<&str>, name: &str) -> Option<SystemObject> {
    let is_old = |view: &str| view.eq_ignore_ascii_case(name);
    match schema {
        None => old_view(name),
        Some(schema) if schema.eq_ignore_ascii_case("dbo") => old_view(name),
        Some(schema) => {
            let same = |own: &str| own.eq_ignore_ascii_case(schema);
            let mut numbered = (0..).map(RowsetId).zip(rowsets());
            let rowset = numbered.find(|(_, view)| same(view.schema) && is_old(view.name));
            let rowset = rowset.map(|(id, view)| {
                let FilledView { schema, name, columns, .. } = view;
                SystemRowset { id, schema, name, columns }
            });
            let query = || queries().find(|view| same(view.schema) && is_old(view.name));
            let function = || {
                let is_sys = schema.eq_ignore_ascii_case("sys");
                is_sys.then(|| Library.rowset(name)).flatten()
            };
            rowset
                .map(SystemObject::Rowset)
                .or_else(|| query().map(SystemObject::View))
                .or_else(|| function().map(SystemObject::Function))
        }
    }
}

/// The text of a view that is a query, by its id.
pub fn definition_of(id: base::ids::ObjectId) -> Option<String> {
    queries().find(|view| id_of(view.schema, view.name) == id.0).map(text_of)
}

/// A view's text, as if it had been created.
fn text_of(view: &SystemView) -> String {
    format!("CREATE VIEW {}.{} AS {}", view.schema, view.name, view.query)
}

fn old_view(name: &str) -> Option<SystemObject> {
    let is_it = |view: &&SystemView| view.name.eq_ignore_ascii_case(name);
    compatible::QUERIES.iter().find(is_it).map(SystemObject::View)
}

/// The table-valued functions of the schema `sys`.
pub const FUNCTIONS: [&str; 9] = [
    "dm_db_index_physical_stats",
    "dm_db_log_info",
    "dm_exec_query_plan",
    "dm_exec_sql_text",
    "dm_exec_text_query_plan",
    "dm_io_virtual_file_stats",
    "fn_helpcollations",
    "fn_listextendedproperty",
    "fn_my_permissions",
];

/// The names of all views with their schemas.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rowsets = rowsets().map(|view| (view.schema, view.name));
    rowsets.chain(queries().map(|view| (view.schema, view.name)))
}

#[cfg(test)]
mod tests;
