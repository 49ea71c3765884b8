//! `INSERT … EXEC`: what a procedure or text returns goes into a table.
//!
//! The rows of all result sets are collected first; they go into the table by one statement, which
//! reads them from table variables that no other statement can name. Each result set is converted
//! to the target's columns by itself, so there is a table variable for each list of types. Its last
//! column numbers the rows as they have come.

use std::sync::Arc;

use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::def::{ColumnDef, ColumnId, ObjectHeader, SchemaId, TableDef, UserTypeId};
use engine::hot::row::RowLayout;
use engine::wait::Task;
use ir::site::{ResultSite, StatementKind};
use run::interp::local::LocalTable;
use run::interp::{Frame, Outcome, OutputRow, ResultWriter, TableSlot};
use tsql::ast;

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::names::HiddenTable;
use crate::program::{Program, Step};
use crate::response::{AnswerWriter, PassesMessages, command};

/// What the names of the table variables that hold the rows begin with; no user's name can.
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
        self.begin_implicitly()?;
        // What is executed and the insert are one statement.
        let own = !self.session.transaction.is_open();
        let inserted = self.within_definition(|context| {
            if own {
                context.session.transaction.set_count(1);
            }
            let within = context.session.transaction.leave_definition();
            let inserted = context.execute_and_insert(program, step, insert, frame);
            context.session.transaction.return_to_definition(within);
            inserted
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
            return Err(ir::internal("the parser knows INSERT … EXEC").into());
        };
        let target = self.insert_target(insert)?;
        let mut collector = Collector::before(self.writer);
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            writer: &mut collector,
        };
        within.session.level_mut().insert_exec = true;
        let ran = within.execute(program, step, execute, frame);
        within.session.level_mut().insert_exec = false;
        let Collector { sets, differ, .. } = collector;
        ran?;
        if target.is_some_and(|target| self.insert_target(insert).ok().flatten() != Some(target)) {
            return Err(SqlError::new(&message::INSERT_EXEC_SCHEMA_CHANGED, &[]).into());
        }
        if differ {
            return Err(SqlError::new(&message::COLUMN_COUNT_MISMATCH, &[]).into());
        }
        if sets.is_empty() {
            return Ok(None);
        }
        self.insert_rows(program, step, insert, frame, sets).map(Some)
    }

    /// The table that receives the rows, as it is defined now; `None` for what is not a table.
    fn insert_target(&self, insert: &ast::Insert) -> SqlResult<Option<Arc<TableDef>>> {
        let ast::TargetKind::Name(name) = &insert.target.kind else { return Ok(None) };
        Ok(self.find_table(name)?.map(|(_, table)| table))
    }

    /// Runs a text: the rows of its result sets, those of the same columns together, each
    /// with its number at its end.
    pub(crate) fn rows_of_text(&mut self, text: &str) -> Run<Vec<LocalTable>> {
        let mut collector = Collector::before(self.writer);
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            writer: &mut collector,
        };
        within.run_text(text, "", &[])?;
        Ok(collector.sets.into_iter().map(|set| set.rows).collect())
    }

    fn insert_rows(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        insert: &ast::Insert,
        frame: &mut Frame,
        sets: Vec<Returned>,
    ) -> Run<(Outcome, StatementKind)> {
        let declare = |(at, set): (usize, Returned)| {
            let id = frame.declare_table(TableSlot::Own(Box::new(set.rows)));
            HiddenTable { name: format!("{ROWS} {at}").into(), id, table: shape_of(&set.types) }
        };
        let hidden: Vec<HiddenTable> = sets.into_iter().enumerate().map(declare).collect();
        let kind = ast::StatementKind::Insert(Box::new(insert.clone()));
        let step = step.with_statement(ast::Statement { span: step.span, kind });
        let result = self.run_step(program, &step, frame, &hidden);
        for hidden in hidden {
            if let TableSlot::Own(table) = frame.table_mut(hidden.id) {
                table.release(&mut self.runtime.grant);
            }
            *frame.table_mut(hidden.id) = TableSlot::None;
        }
        result
    }
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
        let user_type = UserTypeId(i32::from(ty.kind.user_type_id()));
        let name = format!("c{}", at + 1);
        let mut column = ColumnDef::new(ColumnId(at as i32 + 1), name.into(), *ty, user_type);
        column.nullable = true;
        column
    };
    TableDef::shape(header, types.iter().enumerate().map(column).collect())
}

/// The rows of all result sets with columns of these types, and after them their numbers.
struct Returned {
    types: Vec<SqlType>,
    rows: LocalTable,
}

/// Collects the rows of all result sets; messages and errors pass.
struct Collector<'s> {
    inner: &'s mut dyn AnswerWriter,
    sets: Vec<Returned>,
    /// Where the rows of the current result set go.
    current: usize,
    /// How many rows there are.
    count: i64,
    /// Whether result sets differ in their number of columns.
    differ: bool,
}

impl<'s> Collector<'s> {
    fn before(inner: &'s mut dyn AnswerWriter) -> Collector<'s> {
        Collector { inner, sets: Vec::new(), current: 0, count: 0, differ: false }
    }
}

impl ResultWriter for Collector<'_> {
    fn start(&mut self, _: &Task, result: &ResultSite) -> SqlResult<()> {
        let mut types: Vec<SqlType> = result.columns.iter().map(|column| column.ty).collect();
        types.push(SqlType::bigint());
        self.differ |= self.sets.first().is_some_and(|set| set.types.len() != types.len());
        let known = self.sets.iter().position(|set| set.types == types);
        self.current = known.unwrap_or_else(|| {
            let rows = LocalTable::plain(Arc::new(RowLayout::new(&types)));
            self.sets.push(Returned { types, rows });
            self.sets.len() - 1
        });
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        // What cannot be inserted need not be kept.
        if self.differ {
            return Ok(());
        }
        let Some(set) = self.sets.get_mut(self.current) else { return Ok(()) };
        self.count += 1;
        let number = base::ValueRef::Int(self.count);
        let values: Vec<_> = (0..row.len()).map(|at| row.value(at)).chain([number]).collect();
        set.rows.push_values(&values);
        Ok(())
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

impl PassesMessages for Collector<'_> {
    fn outer(&mut self) -> &mut dyn AnswerWriter {
        self.inner
    }
}
