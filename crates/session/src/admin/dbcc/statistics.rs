//! `DBCC SHOW_STATISTICS`.
//!
//! No histogram is kept: what is shown is computed when it is asked for. A query reads the columns
//! of the statistics in their order; its rows are counted as they come, so that no more than the
//! steps of one histogram is held here. The query sorts within the session's memory, and can be
//! cancelled.

use std::sync::Arc;

use base::convert::ConvertOptions;
use base::ids::DbId;
use base::{
    Collation, SqlError, SqlResult, SqlType, TypeKind, Value, ValueRef, arithmetic, message,
};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnDef, ColumnId, FilterDef, IndexDef, IndexKind, Permission, PredicateKind, PrincipalId,
    Securable, SecurableClass, TableDef,
};
use engine::wait::Task;
use ir::function::facts::SessionFacts;
use ir::site::ResultSite;
use run::interp::{OutputRow, ResultWriter};
use tsql::ast::{self, Literal};
use tsql::quote_identifier;

use super::constraints::Place;
use super::histogram::{Histogram, STEPS_MAX};
use super::{Shown, has_option, word};
use crate::builtin::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::fault::Run;
use crate::program::{ProgramKind, StepKind, new_frame};
use crate::response::{AnswerWriter, PassesMessages};
use crate::security::DatabaseUser;

/// The result sets.
const HEADER: &str = "STAT_HEADER";
const DENSITIES: &str = "DENSITY_VECTOR";
const HISTOGRAM: &str = "HISTOGRAM";

const fn nvarchar(units: u16) -> SqlType {
    SqlType::nvarchar(units, Collation::DEFAULT)
}

/// What statistics are about.
struct Target {
    name: Arc<str>,
    /// The columns in order. After those of a nonclustered index come the clustered key's, by which
    /// it finds rows.
    columns: Vec<ColumnId>,
    filter: Option<FilterDef>,
}

impl Target {
    /// The index, the statistics, or else the column of this name.
    fn find(schema: &Schema, table: &TableDef, name: &str) -> Option<Target> {
        if let Some(index) = table.indexes.iter().find(|own| schema.same_name(&own.name, name)) {
            return Some(Target::of_index(table, index));
        }
        if let Some(own) = table.statistics.iter().find(|own| schema.same_name(&own.name, name)) {
            let (columns, filter) = (own.columns.clone(), own.filter.clone());
            return Some(Target { name: own.name.clone(), columns, filter });
        }
        let column = table.columns.iter().find(|own| schema.same_name(&own.name, name))?;
        Some(Target { name: column.name.clone(), columns: vec![column.id], filter: None })
    }

    fn of_index(table: &TableDef, index: &IndexDef) -> Target {
        let mut columns: Vec<ColumnId> = index.key.iter().map(|key| key.column).collect();
        if index.kind != IndexKind::Clustered {
            let clustered = table.clustered_index().map_or(&[][..], |index| &index.key);
            for key in clustered {
                if !columns.contains(&key.column) {
                    columns.push(key.column);
                }
            }
        }
        Target { name: index.name.clone(), columns, filter: index.filter.clone() }
    }

    /// All columns whose values are shown, or decide what is.
    fn read_columns(&self) -> Vec<ColumnId> {
        let filter = self.filter.iter().flat_map(|filter| &filter.terms);
        self.columns.iter().copied().chain(filter.map(|term| term.column)).collect()
    }
}

/// Rows counted in the order of their columns.
struct Counted {
    /// Values of the row before.
    last: Vec<Value>,
    rows: u64,
    /// Different lists of values, for each prefix of the columns.
    distinct: Vec<u64>,
    /// Bytes of each column's values.
    bytes: Vec<u64>,
    /// Of the first column.
    histogram: Histogram,
}

impl Counted {
    fn new(columns: usize) -> Counted {
        Counted {
            last: Vec::new(),
            rows: 0,
            distinct: vec![0; columns],
            bytes: vec![0; columns],
            histogram: Histogram::new(STEPS_MAX),
        }
    }

    /// Counts a row: the values of the columns, and how many bytes each has.
    fn add(&mut self, row: &OutputRow<'_>) {
        let columns = self.distinct.len();
        let is_same = |at: usize| match (self.last.get(at).map(Value::as_ref), row.value(at)) {
            (None, _) => false,
            (Some(ValueRef::Null), now) => now.is_null(),
            (Some(last), now) => arithmetic::equal(last, now, &row.columns()[at].ty),
        };
        let first = (0..columns).find(|at| !is_same(*at)).unwrap_or(columns);
        self.last.truncate(first);
        for at in first..columns {
            self.distinct[at] += 1;
            self.last.push(row.value(at).to_owned());
        }
        if first == 0 {
            self.histogram.begin(row.value(0).to_owned());
        }
        self.histogram.count();
        self.rows += 1;
        for (at, bytes) in self.bytes.iter_mut().enumerate() {
            if let ValueRef::Int(len) = row.value(columns + at) {
                *bytes += len.unsigned_abs();
            }
        }
    }

    /// Average bytes of the first columns together; NULL has none.
    fn average_bytes(&self, columns: usize) -> f64 {
        let bytes: u64 = self.bytes[..columns].iter().sum();
        if self.rows == 0 { 0.0 } else { bytes as f64 / self.rows as f64 }
    }
}

/// Takes the rows of a query; messages and errors pass.
struct Watcher<'s, T: FnMut(&OutputRow<'_>)> {
    inner: &'s mut dyn AnswerWriter,
    take: T,
}

impl<T: FnMut(&OutputRow<'_>)> ResultWriter for Watcher<'_, T> {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        (self.take)(row);
        Ok(())
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

impl<T: FnMut(&OutputRow<'_>)> PassesMessages for Watcher<'_, T> {
    fn outer(&mut self) -> &mut dyn AnswerWriter {
        self.inner
    }
}

/// A `real`, which is what SQL Server has here.
fn real(value: f64) -> Value {
    Value::Float(f64::from(value as f32))
}

fn count(of: u64) -> Value {
    int(i64::try_from(of).unwrap_or(i64::MAX))
}

/// One of this many, or 0 of none.
fn density(values: u64) -> Value {
    real(if values == 0 { 0.0 } else { 1.0 / values as f64 })
}

/// Whether a policy hides rows of a table.
fn hides_rows(table: &TableDef) -> bool {
    let enabled = table.policies.iter().filter(|policy| policy.enabled);
    let mut predicates = enabled.flat_map(|policy| &policy.predicates);
    predicates.any(|p| p.table == table.id() && p.kind == PredicateKind::Filter)
}

/// Error 2557: a user may not see statistics of a table.
fn not_shown(schema: &Schema, user: &DatabaseUser, table: &str) -> SqlError {
    let user = schema.principals().get(user.id).map_or("", |user| &user.name);
    let args: [Shown; 3] = [&user, &"SHOW_STATISTICS", &table];
    SqlError::new(&message::DBCC_OBJECT_PERMISSION, &args)
}

impl Context<'_> {
    /// `SHOW_STATISTICS (table, target)`, which stands in this line. Errors 229 or 230 with 2557,
    /// 2501, 2557, 2560, 2583, 2767.
    pub(super) fn show_statistics(&mut self, dbcc: &ast::Dbcc, line: u32) -> Run<()> {
        let [table, target] = &dbcc.arguments[..] else {
            return Err(SqlError::new(&message::DBCC_PARAMETER_COUNT, &[]).into());
        };
        if matches!(target.kind, ast::ExprKind::Literal(Literal::Integer(_) | Literal::Null)) {
            return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&2]).into());
        }
        let (shown, name) = (word(table), word(target));
        let (database, table) = self.dbcc_table(Some(table))?;
        // First, so that a user that may read nothing of a table does not learn which names it has.
        self.demand_reading(database, &table, &[], &shown, line)?;
        let schema = self.schema(database)?;
        let target = Target::find(&schema, &table, &name).filter(|target| {
            let columns = target.columns.iter().filter_map(|id| table.column(*id));
            columns.into_iter().all(|column| !column.ty.kind.is_legacy_lob())
        });
        let unknown = || SqlError::new(&message::STATISTICS_NOT_FOUND, &[&name]);
        let target = target.ok_or_else(unknown)?;
        self.demand_reading(database, &table, &target.read_columns(), &shown, line)?;
        self.demand_all_values(database, &table, &target.read_columns(), &shown)?;
        let wanted = |part| {
            has_option(dbcc, part)
                || ![HEADER, DENSITIES, HISTOGRAM].iter().any(|part| has_option(dbcc, part))
        };
        let (header, densities) = (wanted(HEADER), wanted(DENSITIES));
        // The histogram is of the first column alone.
        let columns = if header || densities { target.columns.len() } else { 1 };
        let columns: Vec<&ColumnDef> =
            target.columns[..columns].iter().filter_map(|id| table.column(*id)).collect();
        let counted = self.count_columns(database, &table, &target, &columns)?;
        if header {
            self.send_header(database, &table, &target, &counted)?;
        }
        if densities {
            self.send_densities(&columns, &counted)?;
        }
        match wanted(HISTOGRAM) {
            true => self.send_histogram(columns[0], &counted),
            false => Ok(()),
        }
    }

    /// Error 2557 after 229 or 230 unless the user may read these columns of a table; without
    /// columns, any of them.
    fn demand_reading(
        &mut self,
        database: DbId,
        table: &TableDef,
        columns: &[ColumnId],
        shown: &str,
        line: u32,
    ) -> Run<()> {
        let (user, schema) = (self.user(database)?, self.schema(database)?);
        if user.is_owner {
            return Ok(());
        }
        let permission = Permission::Select;
        let Err(denied) = user.may_use(&schema, table.id(), permission, columns) else {
            return Ok(());
        };
        let name = self.session.instance.database_name(database);
        self.report(&denied.error(&schema, &name, table.id(), permission).at_line(line))?;
        Err(not_shown(&schema, &user, shown).into())
    }

    /// Error 2557 if statistics about these columns would show rows that policies hide, unless the
    /// user owns the table or is in `db_ddladmin`, or values that masks hide from the user.
    fn demand_all_values(
        &mut self,
        database: DbId,
        table: &TableDef,
        columns: &[ColumnId],
        shown: &str,
    ) -> Run<()> {
        let (user, schema) = (self.user(database)?, self.schema(database)?);
        let class = SecurableClass::Object;
        let own = Securable { class, major: table.id().0, minor: 0 };
        let sees_rows = !hides_rows(table)
            || user.tokens.contains(&PrincipalId::DB_DDLADMIN)
            || user.may(&schema, own, Permission::Control);
        let is_masked = |id: &ColumnId| table.column(*id).is_some_and(|own| own.mask.is_some());
        let sources = columns.iter().filter_map(|id| table.column(*id)?.computed.as_ref());
        let sources = sources.flat_map(|computed| &computed.columns);
        let mut masked = columns.iter().chain(sources).filter(|id| is_masked(id));
        let sees_values = masked.all(|id| self.session.may_unmask(database, table.id(), *id));
        match sees_rows && sees_values {
            true => Ok(()),
            false => Err(not_shown(&schema, &user, shown).into()),
        }
    }

    /// Reads the rows that statistics are about in the order of their columns.
    fn count_columns(
        &mut self,
        database: DbId,
        table: &TableDef,
        target: &Target,
        columns: &[&ColumnDef],
    ) -> Run<Counted> {
        let values: Vec<String> = columns.iter().map(|column| value_of(column)).collect();
        let lengths: Vec<String> =
            values.iter().map(|value| format!("DATALENGTH({value})")).collect();
        let order: Vec<String> = (1..=columns.len()).map(|at| at.to_string()).collect();
        let filter = target.filter.as_ref().map(|filter| format!(" WHERE {}", filter.definition));
        let query = format!(
            "SELECT {}, {} FROM {}{} ORDER BY {}",
            values.join(", "),
            lengths.join(", "),
            self.source(database, table)?,
            filter.unwrap_or_default(),
            order.join(", ")
        );
        let mut counted = Counted::new(columns.len());
        self.watch(&query, |row| counted.add(row))?;
        Ok(counted)
    }

    /// A table as a query reads it for statistics: as it is now, without waiting for other
    /// sessions.
    fn source(&self, database: DbId, table: &TableDef) -> Run<String> {
        let schema = self.schema(database)?;
        let name = Place { context: self, schema: &schema, database }.of(table);
        let hint = match table.kind.is_memory_optimized() {
            true => "SNAPSHOT",
            false => "READUNCOMMITTED",
        };
        Ok(format!("{name} WITH ({hint})"))
    }

    /// Runs a query and takes its rows, whatever the session has limited them to.
    fn watch(&mut self, query: &str, take: impl FnMut(&OutputRow<'_>)) -> Run<()> {
        let program = self.text_program(query, "", ProgramKind::Dynamic)?;
        let step = program.steps.iter().find(|step| matches!(step.kind, StepKind::Data(_)));
        let step = step.ok_or_else(|| ir::internal("a query is a data step"))?;
        let mut frame = new_frame(&program.variables);
        let mut watcher = Watcher { inner: self.writer, take };
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            writer: &mut watcher,
        };
        let (ran, _) = within.in_level(&program, None, |context| {
            context.session.options.row_limit = 0;
            context.session.options.sees_all_rows = true;
            context.run_step(&program, step, &mut frame, &[])
        });
        frame.release(&mut self.runtime.grant);
        ran.map(drop)
    }

    /// How many rows a table has, those included that a filter leaves out.
    fn unfiltered_rows(&mut self, database: DbId, table: &TableDef) -> Run<u64> {
        let query = format!("SELECT COUNT_BIG(*) FROM {}", self.source(database, table)?);
        let mut rows = 0;
        self.watch(&query, |row| {
            if let ValueRef::Int(count) = row.value(0) {
                rows = count.unsigned_abs();
            }
        })?;
        Ok(rows)
    }

    /// The header. Without rows it is empty, as in SQL Server.
    fn send_header(
        &mut self,
        database: DbId,
        table: &TableDef,
        target: &Target,
        counted: &Counted,
    ) -> Run<()> {
        const COLUMNS: [RowsetColumn; 11] = [
            column("Name", NAME, true),
            column("Updated", nvarchar(20), true),
            column("Rows", SqlType::bigint(), true),
            column("Rows Sampled", SqlType::bigint(), true),
            column("Steps", SqlType::smallint(), true),
            column("Density", SqlType::real(), true),
            column("Average key length", SqlType::real(), true),
            column("String Index", SqlType::nchar(3, Collation::DEFAULT), true),
            column("Filter Expression", SqlType::nvarchar_max(Collation::DEFAULT), true),
            column("Unfiltered Rows", SqlType::bigint(), true),
            column("Persisted Sample Percent", SqlType::float(), true),
        ];
        let filter = text(target.filter.as_ref().map(|filter| &*filter.definition));
        let mut row = vec![text(Some(&target.name))];
        if counted.rows == 0 {
            row.resize(8, Value::Null);
            row.extend([filter, Value::Null, Value::Null]);
        } else {
            let unfiltered = match &target.filter {
                Some(_) => self.unfiltered_rows(database, table)?,
                None => counted.rows,
            };
            let steps = counted.histogram.steps().len() as u64;
            row.extend([
                self.local_time()?,
                count(counted.rows),
                count(counted.rows),
                count(steps),
                density(counted.distinct[0] - steps),
                real(counted.average_bytes(counted.bytes.len())),
                text(Some("NO ")),
                filter,
                count(unfiltered),
                Value::Float(0.0),
            ]);
        }
        Ok(ResultSet::new(&COLUMNS).send(self, &[row])?)
    }

    /// The time of the statement in the server's zone, as text.
    fn local_time(&self) -> SqlResult<Value> {
        const TICKS_PER_MINUTE: i64 = 600_000_000;
        let time = self.session.time();
        let local = time.utc_ticks + i64::from(time.offset_minutes) * TICKS_PER_MINUTE;
        let local = crate::sysview::cells::utc(local.unsigned_abs());
        let arena = base::Arena::new();
        let options = ConvertOptions::default();
        let (from, to) = (SqlType::datetime(), nvarchar(20));
        Ok(base::convert(local.as_ref(), &from, &to, &options, &arena)?.to_owned())
    }

    /// A row for each prefix of the columns.
    fn send_densities(&mut self, columns: &[&ColumnDef], counted: &Counted) -> Run<()> {
        const COLUMNS: [RowsetColumn; 3] = [
            column("All density", SqlType::real(), true),
            column("Average Length", SqlType::real(), true),
            column("Columns", nvarchar(4000), true),
        ];
        let row = |at: usize| {
            let names: Vec<&str> = columns[..=at].iter().map(|column| &*column.name).collect();
            vec![
                density(counted.distinct[at]),
                real(counted.average_bytes(at + 1)),
                text(Some(&names.join(", "))),
            ]
        };
        let prefixes = if counted.rows == 0 { 0 } else { columns.len() };
        let rows: Vec<_> = (0..prefixes).map(row).collect();
        Ok(ResultSet::new(&COLUMNS).send(self, &rows)?)
    }

    /// The steps.
    fn send_histogram(&mut self, first: &ColumnDef, counted: &Counted) -> Run<()> {
        let columns: [RowsetColumn; 5] = [
            column("RANGE_HI_KEY", shown_type(first), true),
            column("RANGE_ROWS", SqlType::real(), true),
            column("EQ_ROWS", SqlType::real(), true),
            column("DISTINCT_RANGE_ROWS", SqlType::bigint(), true),
            column("AVG_RANGE_ROWS", SqlType::real(), true),
        ];
        let row = |step: &super::histogram::Step| {
            vec![
                step.high.clone(),
                real(step.range_rows as f64),
                real(step.equal_rows as f64),
                count(step.range_values),
                real(step.average()),
            ]
        };
        let rows: Vec<_> = counted.histogram.steps().iter().map(row).collect();
        Ok(ResultSet::new(&columns).send(self, &rows)?)
    }
}

/// A column's type in a histogram. Of values without limit only the beginning counts, so that a
/// step is not as long.
fn shown_type(column: &ColumnDef) -> SqlType {
    let collation = column.ty.collation;
    match column.ty.kind {
        _ if !column.ty.is_max() => column.ty,
        TypeKind::NVarChar => SqlType::nvarchar(4000, collation),
        TypeKind::VarBinary => SqlType::varbinary(8000),
        _ => SqlType::varchar(8000, collation),
    }
}

/// A column's value in a query, of the type that histograms have.
fn value_of(column: &ColumnDef) -> String {
    let name = quote_identifier(&column.name);
    match column.ty.is_max() {
        true => format!("CONVERT({}, {name})", shown_type(column)),
        false => name,
    }
}

#[cfg(test)]
mod tests;
