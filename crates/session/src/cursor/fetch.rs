//! Opening cursors and moving over their rows.

use std::sync::Arc;

use base::types::conversion::check_implicit;
use base::{SqlError, SqlResult, SqlType, Value, ValueRef, message};
use engine::catalog::def::TableDef;
use engine::hot::row::RowLayout;
use engine::txn::locks::HeldDefinition;
use engine::wait::Task;
use ir::operator::TableVarId;
use ir::site::{ResultColumn, ResultSite};
use run::interp::local::{LocalTable, RowId};
use run::interp::{Frame, OutputRow, ResultWriter, TableSlot, ValueRow};
use tsql::ast::{self, FetchOrientation};

use super::declare::{QUERY, ROW};
use super::statements::shown;
use crate::context::{Context, engine_error};
use crate::fault::{Fault, Run};
use crate::program::variables::VariableKind;
use crate::program::{Program, Step};
use crate::response::{AnswerWriter, PassesMessages, command};
use crate::session::cursors::{Cursor, CursorId, HeldTable, Key, Model, OpenRows};

/// `@@FETCH_STATUS`: the row was fetched.
pub(super) const FETCHED: i32 = 0;
/// There is no row there.
pub(super) const BEYOND: i32 = -1;
/// The row is gone.
pub(super) const GONE: i32 = -2;

/// Where a fetch goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    Next,
    Prior,
    First,
    Last,
    Absolute(i64),
    Relative(i64),
}

impl Move {
    /// The position that it leads to, from where the cursor stands.
    pub fn target(self, from: i64, count: i64) -> i64 {
        let to = match self {
            Move::Next => from + 1,
            Move::Prior => from - 1,
            Move::First => 1,
            Move::Last => count,
            Move::Absolute(at) if at < 0 => count + 1 + at,
            Move::Absolute(at) => at,
            Move::Relative(by) => from.saturating_add(by),
        };
        to.clamp(0, count + 1)
    }

    /// The name of the move in messages.
    fn name(self) -> &'static str {
        match self {
            Move::Next => "next",
            Move::Prior => "previous",
            Move::First => "first",
            Move::Last => "last",
            Move::Absolute(_) => "absolute",
            Move::Relative(_) => "relative",
        }
    }
}

impl Context<'_> {
    /// Runs a cursor's query and keeps its rows. Error 16905.
    pub(super) fn open_cursor(&mut self, id: CursorId, name: &str, frame: &mut Frame) -> Run<()> {
        let level = self.session.levels.len();
        let (model, count) = self.with_cursor(id, name, |context, cursor| {
            if cursor.open.is_some() {
                return Err(SqlError::new(&message::CURSOR_ALREADY_OPEN, &[]).into());
            }
            let tables = cursor.source.program.variables.tables();
            if tables > 0 && cursor.level != level {
                return Err(SqlError::new(&message::CURSOR_TABLE_OUT_OF_SCOPE, &[]).into());
            }
            // Table variables are the declaring frame's.
            for table in (0..tables).map(TableVarId) {
                if let Some(lent) = frame.lend(table) {
                    *cursor.frame.table_mut(table) = TableSlot::Shared(lent);
                }
            }
            let ran = context.run_query(cursor);
            for table in (0..tables).map(TableVarId) {
                *cursor.frame.table_mut(table) = TableSlot::None;
                frame.take_back(table);
            }
            ran?;
            let count = cursor.open.as_ref().map_or(0, |open| open.count);
            Ok((cursor.source.model, count))
        })?;
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        self.session.left.cursor_rows = if model == Model::Dynamic { -1 } else { count };
        Ok(())
    }

    /// Fills an open cursor with its rows.
    pub(super) fn run_query(&mut self, cursor: &mut Cursor) -> Run<()> {
        let source = cursor.source.clone();
        let tables = source.keys.iter().map(|key| self.hold_table(key)).collect::<Run<_>>()?;
        // ROWCOUNT limits what is copied when a cursor is opened.
        let is_limited = matches!(source.model, Model::Static | Model::Keyset);
        let collected = self.collect(&source.program, QUERY, is_limited, &mut cursor.frame)?;
        let Collected { columns, rows } = collected;
        let Some(mut rows) = rows else {
            return Err(ir::internal("a query has columns").into());
        };
        rows.settle(&mut self.runtime.grant)?;
        let visible = columns.len() - source.key_columns();
        let columns = columns.into_iter().take(visible).collect();
        let count = rows.len() as i64;
        let (position, on_row, block) = (0, false, 1);
        cursor.open = Some(OpenRows { tables, columns, rows, count, position, on_row, block });
        Ok(())
    }

    /// Keeps other sessions from changing the definition of a cursor's table. Errors 1222, 1205.
    fn hold_table(&mut self, key: &Key) -> Run<HeldTable> {
        let (task, session) = (self.task, &mut *self.session);
        session.transaction.show_writes();
        let gates = session.transaction.gates();
        let access = session.access(key.database)?;
        let manager = access.catalog.database().manager();
        let held = HeldDefinition::take(task, manager, &session.entry.owner, key.table, gates);
        let held = held.map_err(|error| engine_error(&error))?;
        // It may have been dropped since the cursor was declared.
        let definition = self.schema(key.database)?.table(key.table).cloned();
        let definition = definition.ok_or_else(schema_changed)?;
        Ok(HeldTable { definition, _held: held })
    }

    /// Runs one of a cursor's statements and keeps what it returns.
    fn collect(
        &mut self,
        program: &Arc<Program>,
        step: usize,
        is_limited: bool,
        frame: &mut Frame,
    ) -> Run<Collected> {
        let mut collector = Collector { inner: self.writer, collected: Collected::default() };
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            writer: &mut collector,
        };
        let limit = within.session.options.row_limit;
        if !is_limited {
            within.session.options.row_limit = 0;
        }
        let ran = within.run_step(program, &program.steps[step], frame, &[]);
        within.session.options.row_limit = limit;
        ran?;
        Ok(collector.collected)
    }

    /// `FETCH`.
    pub(super) fn fetch(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        fetch: &ast::Fetch,
        frame: &mut Frame,
    ) -> Run<()> {
        let id = self.find_cursor(program, step, &fetch.cursor)?;
        let mut offset = |context: &mut Context<'_>, value: &ast::Expr| -> Run<i64> {
            let ty = Some(SqlType::int());
            match context.value_of(program, step, frame, value, ty)?.0 {
                Value::Int(value) => Ok(value),
                _ => Ok(0),
            }
        };
        let to = match &fetch.orientation {
            FetchOrientation::Next => Move::Next,
            FetchOrientation::Prior => Move::Prior,
            FetchOrientation::First => Move::First,
            FetchOrientation::Last => Move::Last,
            FetchOrientation::Absolute(value) => Move::Absolute(offset(self, value)?),
            FetchOrientation::Relative(value) => Move::Relative(offset(self, value)?),
        };
        let (status, columns, values) =
            self.with_cursor(id, &shown(&fetch.cursor), |c, cursor| {
                check_move(cursor, to)?;
                let (status, values) = c.fetched_values(cursor, to)?;
                let open = cursor.open.as_ref();
                let columns = open.map(|open| open.columns.clone()).unwrap_or_default();
                Ok((status, columns, values))
            })?;
        self.session.left.fetch_status = status;
        self.session.left.row_count = i64::from(values.is_some());
        if fetch.into.is_empty() {
            let count = u64::from(values.is_some());
            self.send_fetched(&columns, values.as_slice())?;
            return self.done(command::SELECT, Some(count)).map_err(Fault::lost);
        }
        self.fetch_into(program, step, &fetch.into, &columns, values.as_deref(), frame)?;
        self.done(command::FETCH_INTO, None).map_err(Fault::lost)
    }

    /// Moves a cursor, and reads the row that it stands on then. A dynamic cursor passes over rows
    /// that are gone.
    fn fetched_values(
        &mut self,
        cursor: &mut Cursor,
        mut to: Move,
    ) -> Run<(i32, Option<Vec<Value>>)> {
        loop {
            let status = self.move_to(cursor, to)?;
            if status != FETCHED {
                return Ok((status, None));
            }
            let found = self.current_values(cursor)?;
            to = match to {
                _ if found.0 != GONE || cursor.source.model != Model::Dynamic => return Ok(found),
                Move::First | Move::Next => Move::Next,
                Move::Last | Move::Prior => Move::Prior,
                _ => return Ok(found),
            };
        }
    }

    /// Moves a cursor: the status of the row that it stands on then. Error 16917.
    pub(super) fn move_to(&mut self, cursor: &mut Cursor, to: Move) -> Run<i32> {
        let Some(open) = &mut cursor.open else {
            return Err(SqlError::new(&message::CURSOR_NOT_OPEN, &[]).into());
        };
        open.position = to.target(open.position, open.count);
        open.on_row = (1..=open.count).contains(&open.position);
        open.block = 1;
        Ok(if open.on_row { FETCHED } else { BEYOND })
    }

    /// The values of the row that a cursor stands on: as it was, or sought by its key. The status
    /// is [`GONE`] if it is not there any more.
    pub(super) fn current_values(&mut self, cursor: &mut Cursor) -> Run<(i32, Option<Vec<Value>>)> {
        let source = cursor.source.clone();
        let Some(open) = &mut cursor.open else { return Ok((BEYOND, None)) };
        let row = RowId((open.position - 1) as u32);
        let Some(bytes) = open.rows.visible(row) else { return Ok((GONE, None)) };
        let layout = open.rows.layout();
        let visible = open.columns.len();
        if source.keys.is_empty() {
            let values = (0..visible).map(|at| layout.get(bytes, at).to_owned()).collect();
            return Ok((FETCHED, Some(values)));
        }
        if let Err(changed) = self.check_unchanged(&source.keys, open) {
            open.on_row = false;
            return Err(changed);
        }
        let columns = source.keys.iter().flat_map(|key| &key.columns);
        for (at, (_, id, _)) in columns.enumerate() {
            cursor.frame.set(*id, layout.get(bytes, visible + at));
        }
        let found = self.collect(&source.program, ROW, false, &mut cursor.frame)?;
        let values = found.rows.as_ref().and_then(|rows| {
            let bytes = rows.visible(RowId(0))?;
            Some((0..visible).map(|at| rows.layout().get(bytes, at).to_owned()).collect())
        });
        if let Some(open) = &mut cursor.open {
            open.on_row = values.is_some();
        }
        Ok((if values.is_some() { FETCHED } else { GONE }, values))
    }

    /// Error 16943 if rows of an open cursor are not sought any more as they were.
    pub(super) fn check_unchanged(&self, keys: &[Key], open: &OpenRows) -> Run<()> {
        for (key, table) in keys.iter().zip(&open.tables) {
            let schema = self.session.schema(key.database)?;
            if !schema.table(key.table).is_some_and(|now| reads_the_same(&table.definition, now)) {
                return Err(schema_changed().into());
            }
        }
        Ok(())
    }

    /// Sends rows as a result set.
    pub(super) fn send_fetched(
        &mut self,
        columns: &[ResultColumn],
        rows: &[Vec<Value>],
    ) -> Run<()> {
        let site = ResultSite { columns: columns.into() };
        self.writer.start(self.task, &site)?;
        self.send_rows_of(&site, rows)
    }

    /// Sends the rows of a result set that has started.
    pub(super) fn send_rows_of(&mut self, site: &ResultSite, rows: &[Vec<Value>]) -> Run<()> {
        for row in rows {
            let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            let row = ValueRow::new(&site.columns, &values);
            self.writer.row(self.task, &row.row())?;
        }
        Ok(())
    }

    /// Puts a row's values into variables. Errors 16922, 16924.
    fn fetch_into(
        &mut self,
        program: &Program,
        step: &Step,
        into: &[ast::Variable],
        columns: &[ResultColumn],
        values: Option<&[Value]>,
        frame: &mut Frame,
    ) -> Run<()> {
        if into.len() != columns.len() {
            return Err(SqlError::new(&message::CURSOR_FETCH_COLUMN_COUNT, &[]).into());
        }
        let Some(values) = values else { return Ok(()) };
        for ((variable, column), value) in into.iter().zip(columns).zip(values) {
            let found = program.variables.find(&variable.name, step.declared);
            let Some(VariableKind::Scalar { id, ty, .. }) = found.map(|v| &v.kind) else {
                return Err(SqlError::new(&message::UNDECLARED_VARIABLE, &[&variable.name]).into());
            };
            check_implicit(column.ty.kind, ty.kind).map_err(|_| {
                let args: [&dyn std::fmt::Display; 2] = [&column.ty.kind, &ty.kind];
                SqlError::new(&message::CURSOR_FETCH_CONVERSION, &args)
            })?;
            let value = self.converted(value, &column.ty, ty)?;
            frame.set_owned(*id, &value);
        }
        Ok(())
    }
}

/// Whether a cursor's rows are sought in a table now as they were when it was opened. Its storage
/// may be another one: keys stay, and so do row numbers, none of which comes again.
fn reads_the_same(then: &TableDef, now: &TableDef) -> bool {
    then.columns == now.columns && then.indexes == now.indexes
}

/// Error 16943: the definition of a table has changed since the cursor was opened.
fn schema_changed() -> SqlError {
    SqlError::new(&message::CURSOR_SCHEMA_CHANGED, &[])
}

/// Errors 16911, 16925: moves that a cursor cannot make.
fn check_move(cursor: &Cursor, to: Move) -> SqlResult<()> {
    let source = &cursor.source;
    if !source.scroll && to != Move::Next {
        let args: [&dyn std::fmt::Display; 2] = [&"fetch", &to.name()];
        return Err(SqlError::new(&message::CURSOR_FORWARD_ONLY, &args));
    }
    if source.model == Model::Dynamic && matches!(to, Move::Absolute(_)) {
        return Err(SqlError::new(&message::CURSOR_FETCH_TYPE_DYNAMIC, &[&"FetchAbsolute"]));
    }
    Ok(())
}

/// What a cursor's statement has returned.
#[derive(Default)]
struct Collected {
    columns: Vec<ResultColumn>,
    rows: Option<LocalTable>,
}

/// Keeps the rows of a statement; messages and errors pass.
struct Collector<'s> {
    inner: &'s mut dyn AnswerWriter,
    collected: Collected,
}

impl ResultWriter for Collector<'_> {
    fn start(&mut self, _: &Task, result: &ResultSite) -> SqlResult<()> {
        let types: Vec<SqlType> = result.columns.iter().map(|column| column.ty).collect();
        self.collected.columns = result.columns.to_vec();
        self.collected.rows = Some(LocalTable::plain(Arc::new(RowLayout::new(&types))));
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        if let Some(rows) = &mut self.collected.rows {
            let values: Vec<ValueRef<'_>> = row.values().collect();
            rows.push_values(&values);
        }
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
