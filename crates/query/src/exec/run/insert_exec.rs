//! `INSERT … EXEC`: what a procedure or text returns goes into a table.
//!
//! The rows of all result sets are collected first; they go into the table by an `INSERT … SELECT` from
//! a table variable that nobody can name.

use std::sync::Arc;

use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::def::{ColumnDef, ColumnId, ObjectHeader, SchemaId, TableDef, UserTypeId};
use engine::hot::row::RowLayout;
use engine::wait::Task;
use tsql::ast;

use super::{Fault, Run};
use crate::exec::context::Context;
use crate::exec::program::{Program, Step};
use crate::exec::session::names::HiddenTable;
use crate::exec::sink::{PassesMessages, ResponseSink, command};
use crate::interp::local::LocalTable;
use crate::interp::{Frame, Outcome, OutputRow, ResultSink, TableSlot};
use crate::ir::site::{ResultSite, StatementKind};

/// The name of the table variable that holds the rows; no user's can be called so.
const ROWS: &str = "@ insert exec";

impl Context<'_> {
    /// `INSERT … EXEC`.
    pub(super) fn insert_exec(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        insert: &ast::Insert,
        frame: &mut Frame,
    ) -> Run<()> {
        if self.session.level().insert_exec {
            return Err(SqlError::new(&message::INSERT_EXEC_NESTED, &[]).into());
        }
        // What is executed and the insert are one statement.
        let own = !self.session.transaction.is_open();
        let inserted = self.within_definition(|context| {
            if own {
                context.session.transaction.set_count(1);
            }
            context.execute_and_insert(program, step, insert, frame)
        })?;
        match inserted {
            Some((outcome, kind)) => self.conclude(&outcome, kind),
            None => {
                self.session.left.row_count = 0;
                self.done(command::INSERT, Some(0)).map_err(Fault::lost)
            }
        }
    }

    fn execute_and_insert(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        insert: &ast::Insert,
        frame: &mut Frame,
    ) -> Run<Option<(Outcome, StatementKind)>> {
        let ast::InsertSource::Execute(execute) = &insert.source else {
            return Err(crate::lower::internal("the parser knows INSERT … EXEC").into());
        };
        let mut collector = Collector::before(self.sink);
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            sink: &mut collector,
        };
        within.session.level_mut().insert_exec = true;
        let ran = within.execute(program, step, execute, frame);
        within.session.level_mut().insert_exec = false;
        let Collector { rows, types, widths, .. } = collector;
        ran?;
        if let Some(true) = widths {
            return Err(SqlError::new(&message::COLUMN_COUNT_MISMATCH, &[]).into());
        }
        let Some(rows) = rows else { return Ok(None) };
        self.insert_rows(program, step, insert, frame, (rows, types)).map(Some)
    }

    /// Runs a text: the rows of its result sets, which have the same columns, if there are any sets.
    pub(super) fn rows_of_text(&mut self, text: &str) -> Run<Option<LocalTable>> {
        let mut collector = Collector::before(self.sink);
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            sink: &mut collector,
        };
        within.run_text(text, "", &[])?;
        Ok(collector.rows)
    }

    fn insert_rows(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        insert: &ast::Insert,
        frame: &mut Frame,
        (rows, types): (LocalTable, Vec<SqlType>),
    ) -> Run<(Outcome, StatementKind)> {
        let id = frame.declare_table(TableSlot::Own(Box::new(rows)));
        let hidden = HiddenTable { name: ROWS.into(), id, table: shape_of(&types) };
        let query = query_of(ROWS)?;
        let source = ast::InsertSource::Query(Box::new(query));
        let insert = ast::Insert { source, ..insert.clone() };
        let statement =
            ast::Statement { span: step.span, kind: ast::StatementKind::Insert(Box::new(insert)) };
        let step = step.with_statement(statement);
        let result = self.run_step(program, &step, frame, Some(&hidden));
        if let TableSlot::Own(table) = frame.table_mut(id) {
            table.release(&mut self.runtime.grant);
        }
        *frame.table_mut(id) = TableSlot::None;
        result
    }
}

/// A query of everything in the table variable of this name.
fn query_of(name: &str) -> SqlResult<ast::Query> {
    let options = tsql::ParseOptions { quoted_identifier: true };
    let batch = tsql::parse_batch("SELECT * FROM @rows", options)?;
    let Some(ast::StatementKind::Select(mut select)) =
        batch.statements.into_iter().next().map(|s| s.kind)
    else {
        return Err(crate::lower::internal("a query was written"));
    };
    if let ast::QueryBody::Select(body) = &mut select.query.body {
        for source in &mut body.from {
            if let ast::TableSourceKind::Variable { variable, .. } = &mut source.kind {
                variable.name = name.into();
            }
        }
    }
    Ok(select.query)
}

/// A definition of a table of such columns.
fn shape_of(types: &[SqlType]) -> Arc<TableDef> {
    let header = ObjectHeader {
        id: base::ids::ObjectId(0),
        schema: SchemaId::DBO,
        name: ROWS.into(),
        owner: None,
        created: engine::catalog::def::DateTime { days: 0, ticks: 0 },
        modified: engine::catalog::def::DateTime { days: 0, ticks: 0 },
        ms_shipped: false,
    };
    let column = |(at, ty): (usize, &SqlType)| {
        let user_type = UserTypeId(i32::from(ty.kind.system_type_id()));
        let name = format!("c{}", at + 1);
        let mut column = ColumnDef::new(ColumnId(at as i32 + 1), name.into(), *ty, user_type);
        column.nullable = true;
        column
    };
    TableDef::shape(header, types.iter().enumerate().map(column).collect())
}

/// Collects the rows of all result sets; messages and errors pass.
struct Collector<'s> {
    inner: &'s mut dyn ResponseSink,
    rows: Option<LocalTable>,
    types: Vec<SqlType>,
    /// Whether result sets differ in their number of columns.
    widths: Option<bool>,
}

impl<'s> Collector<'s> {
    fn before(inner: &'s mut dyn ResponseSink) -> Collector<'s> {
        Collector { inner, rows: None, types: Vec::new(), widths: None }
    }
}

impl ResultSink for Collector<'_> {
    fn start(&mut self, _: &Task, result: &ResultSite) -> SqlResult<()> {
        let types: Vec<SqlType> = result.columns.iter().map(|column| column.ty).collect();
        match &self.rows {
            None => {
                self.rows = Some(LocalTable::plain(Arc::new(RowLayout::new(&types))));
                self.types = types;
            }
            Some(_) if self.types.len() != types.len() => self.widths = Some(true),
            Some(_) => {}
        }
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        if row.len() != self.types.len() {
            return Ok(());
        }
        let arena = base::Arena::new();
        let options = base::ConvertOptions::default();
        let mut values = Vec::with_capacity(row.len());
        for (at, column) in row.columns().iter().enumerate() {
            let value = row.value(at);
            values.push(match column.ty == self.types[at] {
                true => value,
                false => base::convert(value, &column.ty, &self.types[at], &options, &arena)?,
            });
        }
        rows.push_values(&values);
        Ok(())
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

impl PassesMessages for Collector<'_> {
    fn outer(&mut self) -> &mut dyn ResponseSink {
        self.inner
    }
}
