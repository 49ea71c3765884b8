//! `CHANGETABLE`, and the functions that tell versions.
//!
//! Both are queries over the table of changes and the commit table, which the binder writes and
//! then binds like an inline function. Changes of one row are merged by what was there before the
//! first of them and after the last one. `x.e` orders changes: version, statement, operation
//! (within a statement a row with a key goes before another one with that key comes); then comes
//! the context.

use std::fmt::Write as _;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::def::{ColumnDef, ColumnId, Permission, SchemaId, TableDef};
use engine::catalog::{Object, Schema};
use tsql::ast::{self, ChangeTableKind, Expr, StatementKind};

use super::binder::{Binder, Variables};
use super::context::{AtLine, BindResult, NameDependency};
use super::define::definition_options;
use super::dml::{COMMIT_TABLE, commit_table};
use super::expand::InlineArgument;
use super::names::invalid_object;
use super::scalar::Scalar;
use super::scope::{Rows, Source};
use super::select::Usage;

/// The version of the newest commit.
const NEWEST: &str = "CASE WHEN DATABASEPROPERTYEX(DB_NAME(), 'IsChangeTrackingEnabled') = 1 \
    THEN ISNULL((SELECT TOP (1) c.commit_ts FROM sys.syscommittab AS c \
    ORDER BY c.commit_ts DESC), CAST(0 AS bigint)) END";
/// The same where there has been no commit.
const NO_COMMITS: &str = "CASE WHEN \
    DATABASEPROPERTYEX(DB_NAME(), 'IsChangeTrackingEnabled') = 1 THEN CAST(0 AS bigint) END";
/// The version up to which changes of a table may be missing.
const MIN_VALID: &str =
    "(SELECT c.min_valid_version FROM sys.change_tracking_tables AS c WHERE c.object_id = @table)";

/// A tracked table.
struct Tracked {
    database: DbId,
    schema: Arc<Schema>,
    table: Arc<TableDef>,
    changes: Arc<TableDef>,
    /// Whether changes tell which columns were set.
    columns: bool,
    /// The columns of its key.
    key: Vec<ColumnDef>,
}

impl Binder<'_> {
    /// `CHANGETABLE`. Errors 208, 22103 to 22105, 22107, 22110 to 22112.
    pub fn change_table(&mut self, asked: &ast::ChangeTable, line: u32) -> BindResult<Source> {
        let Some(alias) = &asked.alias else {
            let error = SqlError::new(&message::CHANGETABLE_WITHOUT_ALIAS, &[]);
            return Err(error.at_line(line).into());
        };
        let tracked = self.tracked(&asked.table).at(line)?;
        let (database, id) = (tracked.database, tracked.table.id());
        let key = tracked.key.iter().map(|column| column.id).collect();
        self.note_columns(database, id, Permission::Select, key);
        self.note_access(database, id, Permission::ViewChangeTracking);
        let (text, arguments) = match &asked.kind {
            ChangeTableKind::Changes(since) => {
                let since = self.inline_argument(since, SqlType::bigint(), line)?;
                (changes_text(&tracked, asked.force_seek), vec![("@since".into(), since)])
            }
            ChangeTableKind::Version(columns, values) => {
                let arguments = self.key_arguments(&tracked, asked, columns, values, line)?;
                (version_text(&tracked, asked.force_seek), arguments)
            }
        };
        let rows = self.internal_query(database, &text, arguments).at(line)?;
        self.aliased_rows(rows, alias)
    }

    /// The tracked table that a name means.
    fn tracked(&mut self, name: &ast::ObjectName) -> BindResult<Tracked> {
        let other = |message| Err(SqlError::new(message, &[name]).into());
        let schema = name.schema.as_ref().map(|schema| &*schema.name);
        let is_system = self.names.system_object(schema, &name.name.name).is_some();
        if name.name.name.starts_with('#') {
            return other(&message::CHANGETABLE_NOT_A_TABLE);
        }
        let Some((database, schema, id)) = self.find_object(name)? else {
            return match is_system {
                true => other(&message::CHANGETABLE_NOT_A_TABLE),
                false => Err(invalid_object(name)),
            };
        };
        let Some(Object::Table(table)) = schema.object(id) else {
            return other(&message::CHANGETABLE_NOT_A_TABLE);
        };
        let changes = table.tracking.and_then(|tracking| schema.table(tracking.changes));
        let (Some(tracking), Some(changes)) = (table.tracking, changes) else {
            return other(&message::CHANGETABLE_NOT_TRACKED);
        };
        let key = table.primary_key().into_iter().flat_map(|key| &key.key);
        let key = key.filter_map(|key| table.column(key.column)).cloned().collect();
        let (table, changes) = (table.clone(), changes.clone());
        let columns = tracking.columns;
        Ok(Tracked { database, schema, table, changes, columns, key })
    }

    fn inline_argument(
        &mut self,
        expr: &Expr,
        ty: SqlType,
        line: u32,
    ) -> BindResult<InlineArgument> {
        let before = std::mem::replace(&mut self.outermost, usize::MAX);
        let bound = self.scalar(expr);
        let outermost = std::mem::replace(&mut self.outermost, before);
        self.outermost = self.outermost.min(outermost);
        let expr = self.coerce_to_variable(bound?, ty).at(line)?;
        Ok((Scalar::computed(expr), outermost))
    }

    /// The values of a row's key, by the names that the query has for them.
    fn key_arguments(
        &mut self,
        tracked: &Tracked,
        asked: &ast::ChangeTable,
        columns: &[ast::Ident],
        values: &[Expr],
        line: u32,
    ) -> BindResult<Vec<(Arc<str>, InlineArgument)>> {
        let fail = |error: SqlError| Err(error.at_line(line).into());
        if columns.len() != tracked.key.len() {
            let message = &message::CHANGETABLE_COLUMN_COUNT;
            return fail(SqlError::new(message, &[&asked.table]));
        }
        let mut seen: Vec<ColumnId> = Vec::with_capacity(columns.len());
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let is_it = |own: &ColumnDef| tracked.schema.same_name(&own.name, &column.name);
            let Some(place) = tracked.key.iter().position(is_it) else {
                let args: [&dyn std::fmt::Display; 2] = [&column.name, &asked.table];
                return fail(SqlError::new(&message::CHANGETABLE_COLUMN_NOT_KEY, &args));
            };
            if seen.contains(&tracked.key[place].id) {
                let message = &message::CHANGETABLE_COLUMN_TWICE;
                return fail(SqlError::new(message, &[&column.name]));
            }
            seen.push(tracked.key[place].id);
            places.push(place);
        }
        if values.len() != columns.len() {
            return fail(SqlError::new(&message::CHANGETABLE_VERSION_ARGUMENTS, &[]));
        }
        let mut arguments = Vec::with_capacity(values.len());
        for (value, place) in values.iter().zip(places) {
            let argument = self.inline_argument(value, tracked.key[place].ty, line)?;
            arguments.push((format!("@k{}", place + 1).into(), argument));
        }
        Ok(arguments)
    }

    /// The rows of a query that the server has written.
    fn internal_query(
        &mut self,
        database: DbId,
        text: &str,
        arguments: Vec<(Arc<str>, InlineArgument)>,
    ) -> BindResult<Rows> {
        let tree = tsql::parse_batch(text, definition_options())?;
        let Some(StatementKind::Select(select)) = tree.statements.first().map(|s| &s.kind) else {
            return Err(ir::internal("a query was written").into());
        };
        let mut env = self.module_env(database, SchemaId::SYS)?;
        env.internal = true;
        let named =
            arguments.into_iter().map(|(name, (value, outermost))| (name, value, outermost));
        env.variables = Variables::Parameters(Arc::new(named.collect()));
        let output = self.in_env(env, |b| b.query(&select.query, Usage::View))?;
        Ok(Rows::Derived(Some(output.node), output.columns))
    }

    /// `CHANGE_TRACKING_CURRENT_VERSION()` and `CHANGE_TRACKING_MIN_VALID_VERSION(id)`. Errors 174
    /// and 8116.
    pub(super) fn version_call(
        &mut self,
        name: &str,
        args: Vec<Scalar>,
        line: u32,
    ) -> BindResult<Scalar> {
        let database = self.env.database;
        let mut env = self.module_env(database, SchemaId::SYS)?;
        env.internal = true;
        let text = match args.into_iter().next() {
            None => self.newest_version(database)?,
            Some(id) => {
                if id.is_untyped() || id.expr.ty.kind != TypeKind::Int {
                    let shown = if id.is_untyped() { "NULL" } else { id.expr.ty.kind.name() };
                    let name = name.to_ascii_lowercase();
                    let args: [&dyn std::fmt::Display; 3] = [&shown, &1, &name];
                    let error = SqlError::new(&message::ARGUMENT_TYPE_INVALID, &args);
                    return Err(error.at_line(line).into());
                }
                let outermost = self.outermost;
                let named = vec![("@table".into(), id, outermost)];
                env.variables = Variables::Parameters(Arc::new(named));
                MIN_VALID
            }
        };
        let expr = tsql::parse_expression(text, definition_options())?;
        self.in_env(env, |b| b.scalar(&expr)).at(line)
    }

    /// The text of the newest version. It changes with the first time that tracking is switched on.
    fn newest_version(&mut self, database: DbId) -> BindResult<&'static str> {
        let schema = self.schema_of(database)?;
        let commits = commit_table(&schema).map(|table| table.id());
        self.dependencies.names.push(NameDependency {
            database,
            schema: Some(SchemaId::SYS),
            name: COMMIT_TABLE.into(),
            object: commits,
        });
        Ok(if commits.is_some() { NEWEST } else { NO_COMMITS })
    }
}

fn hint(force_seek: bool) -> &'static str {
    if force_seek { " WITH (FORCESEEK)" } else { "" }
}

/// `name` as a name of the internal schema.
fn internal_name(table: &TableDef) -> String {
    format!("sys.{}", tsql::quote_identifier(&table.header.name))
}

/// `s.k1, s.k2`, or what else stands before and behind a place of the key.
fn keys(tracked: &Tracked, one: impl Fn(usize, &ColumnDef) -> String) -> String {
    let parts: Vec<String> = tracked.key.iter().enumerate().map(|(at, c)| one(at + 1, c)).collect();
    parts.join(", ")
}

/// What orders a change among others, with its operation and context.
const ORDER: &str = "CROSS APPLY (SELECT CAST(ISNULL(t.commit_ts, 0) AS binary(8)) + \
    CAST(s.sys_change_xdes_id_seq AS binary(8)) + s.sys_change_operation + \
    CASE WHEN s.sys_change_context IS NULL THEN 0x00 ELSE 0x01 + s.sys_change_context END) AS x(e)";
/// The context in such a value.
const CONTEXT: &str = "CAST(CASE WHEN SUBSTRING(g.l, 18, 1) = 0x01 THEN SUBSTRING(g.l, 19, 128) END AS varbinary(128))";

/// The query of `CHANGES`.
fn changes_text(tracked: &Tracked, force_seek: bool) -> String {
    let grouped = keys(tracked, |at, _| format!("s.k{at}"));
    let again = keys(tracked, |at, _| format!("d.k{at}"));
    let shown = keys(tracked, |at, c| format!("g.k{at} AS {}", tsql::quote_identifier(&c.name)));
    let (changes, hint) = (internal_name(&tracked.changes), hint(force_seek));
    let columns = if tracked.columns { ", s.sys_change_columns" } else { "" };
    let mut inner = format!(
        "SELECT {grouped}{columns}, MAX(t.commit_ts) AS v, \
         MAX(CASE s.sys_change_operation WHEN 0x49 THEN t.commit_ts ELSE 0 END) AS c, \
         MIN(x.e) AS f, MAX(x.e) AS l \
         FROM sys.syscommittab AS t INNER JOIN {changes} AS s{hint} \
         ON s.sys_change_xdes_id = t.xdes_id {ORDER} \
         WHERE t.commit_ts > ISNULL(@since, 0) AND ISNULL(@since, 0) >= 0 \
         GROUP BY {grouped}{columns}"
    );
    let mut list = "CAST(NULL AS varbinary(4100))";
    if tracked.columns {
        // Changes that set the same columns are one first, so that the list stays short.
        let merged = format!(
            "SELECT {again}, MAX(d.v) AS v, MAX(d.c) AS c, MIN(d.f) AS f, MAX(d.l) AS l, \
             CASE WHEN MAX(CASE WHEN d.sys_change_columns IS NULL THEN 1 ELSE 0 END) = 0 THEN \
             STRING_AGG(CONVERT(varchar(max), ISNULL(SUBSTRING(d.sys_change_columns, 5, 4096), 0x), \
             2), '') WITHIN GROUP (ORDER BY d.f) END AS m FROM ({inner}) AS d GROUP BY {again}"
        );
        inner = merged;
        list = "[CHANGE COLUMNS](g.m)";
    }
    let mut text = String::new();
    let _ = write!(
        text,
        "SELECT g.v AS SYS_CHANGE_VERSION, NULLIF(g.c, 0) AS SYS_CHANGE_CREATION_VERSION, \
         CAST(CASE WHEN SUBSTRING(g.l, 17, 1) = 0x44 THEN N'D' \
         WHEN SUBSTRING(g.f, 17, 1) = 0x49 THEN N'I' ELSE N'U' END AS nchar(1)) \
         COLLATE Latin1_General_BIN AS SYS_CHANGE_OPERATION, {list} AS SYS_CHANGE_COLUMNS, \
         {CONTEXT} AS SYS_CHANGE_CONTEXT, {shown} FROM ({inner}) AS g"
    );
    text
}

/// The query of `VERSION`: one row, whatever is known. A change that is not committed has no
/// version yet.
fn version_text(tracked: &Tracked, force_seek: bool) -> String {
    let shown = keys(tracked, |at, c| format!("@k{at} AS {}", tsql::quote_identifier(&c.name)));
    let same: Vec<String> = (1..=tracked.key.len()).map(|at| format!("s.k{at} = @k{at}")).collect();
    let (same, changes) = (same.join(" AND "), internal_name(&tracked.changes));
    let hint = hint(force_seek);
    format!(
        "SELECT g.v AS SYS_CHANGE_VERSION, CASE WHEN g.v IS NOT NULL THEN {CONTEXT} END \
         AS SYS_CHANGE_CONTEXT, {shown} FROM (SELECT \
         CASE WHEN MIN(ISNULL(t.commit_ts, 0)) > 0 THEN MAX(ISNULL(t.commit_ts, 0)) END AS v, \
         MAX(x.e) AS l \
         FROM {changes} AS s{hint} LEFT JOIN sys.syscommittab AS t \
         ON t.xdes_id = s.sys_change_xdes_id {ORDER} WHERE {same}) AS g"
    )
}
