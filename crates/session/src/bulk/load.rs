//! Rows of values into a table, many at a time.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::text::identifier::bracketed;
use base::{SqlError, SqlResult, ValueRef, message};
use compile::bind::{self, BindContext};
use compile::lower;
use compile::plan::tree::Plan;
use engine::catalog::def::{
    ColumnDef, ColumnId, DateTime, ObjectHeader, SchemaId, TableDef, UserTypeId,
};
use ir::operator::TableVarId;
use run::interp::local::{LocalShape, LocalTable};
use run::interp::{Frame, TableSlot};
use tsql::ast;

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::names::{EngineStatistics, HiddenTable, StatementNames};
use crate::program::plan::StepPlan;
use crate::program::variables::Variables;
use crate::program::{ProgramKind, bind_options};
use crate::session::loads::Load;
use crate::session::transaction::{Mark, Origin};

/// The name of the table variable that holds rows; it is the only variable of its statement.
const ROWS: &str = "@rows";

/// A chunk ends when it has this many rows, or bytes.
const CHUNK_ROWS: usize = 2048;
const CHUNK_BYTES: usize = 4 << 20;

/// How often a statement is compiled again because its table changes.
const COMPILATIONS_MAX: u32 = 100;

/// A load that goes on. The caller that begins one ends it, by [`Loader::finish`] or
/// [`Loader::abandon`].
pub struct Loader {
    load: Load,
    plan: StepPlan,
    frame: Frame,
    hidden: HiddenTable,
    /// `IDENTITY_INSERT` as it was before.
    identity_insert: Option<(DbId, ObjectId)>,
    /// Whether the transaction is the load's own.
    owns_transaction: bool,
    mark: Mark,
    chunk_bytes: usize,
    /// Rows since the last commit, and rows at all.
    batch: u64,
    total: u64,
}

impl Loader {
    /// Begins a load. Errors of the `INSERT` that it amounts to.
    pub fn begin(context: &mut Context<'_>, load: Load) -> Run<Loader> {
        let types = load.types();
        let table = shape_of(&load.table, &load.columns);
        let mut frame = Frame::default();
        let rows = LocalTable::new(LocalShape::of(&table));
        let id = frame.declare_table(TableSlot::Own(Box::new(rows)));
        let hidden = HiddenTable { name: ROWS.into(), id, table };
        let identity_insert = context.session.identity_insert;
        if load.columns.iter().any(|&at| load.table.columns[at].identity.is_some()) {
            context.session.identity_insert = Some((load.database, load.table.id()));
        }
        debug_assert_eq!(types.len(), load.columns.len());
        let prepared = context.settle().and_then(|()| Ok(prepare(context, &load, &hidden)?));
        let plan = match prepared {
            Ok(plan) => plan,
            Err(error) => {
                context.session.identity_insert = identity_insert;
                return Err(error);
            }
        };
        let owns_transaction = begin_transaction(context);
        let mark = context.session.transaction.mark();
        Ok(Loader {
            load,
            plan,
            frame,
            hidden,
            identity_insert,
            owns_transaction,
            mark,
            chunk_bytes: 0,
            batch: 0,
            total: 0,
        })
    }

    /// What is loaded.
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// Adds a row of values of the columns' types.
    pub fn row(&mut self, context: &mut Context<'_>, values: &[ValueRef<'_>]) -> Run<()> {
        let rows = rows_of(&mut self.frame, self.hidden.id)?;
        rows.push_values(values);
        self.chunk_bytes += values.iter().map(size_of_value).sum::<usize>();
        let (count, triggers) = (rows.len(), self.load.fire_triggers);
        if count % CHUNK_ROWS == 0 {
            rows.settle(&mut context.runtime.grant)?;
        }
        self.batch += 1;
        self.total += 1;
        let full = count >= CHUNK_ROWS || self.chunk_bytes >= CHUNK_BYTES;
        if self.load.batch_rows.is_some_and(|batch| self.batch >= batch) {
            self.end_batch(context)?;
            return self.commit_batch(context);
        }
        if full && !triggers {
            self.flush(context)?;
        }
        Ok(())
    }

    /// Inserts the rows received.
    fn flush(&mut self, context: &mut Context<'_>) -> Run<()> {
        if rows_of(&mut self.frame, self.hidden.id)?.is_empty() {
            return Ok(());
        }
        context.check_interrupt()?;
        context.session.note_time();
        let mut inserted = None;
        for _ in 0..COMPILATIONS_MAX {
            context.session.loads_from = Some(level_of(context));
            let ran = context.run_plan(&self.plan, &mut self.frame, |context, unit, frame| {
                context.run_unit_and_triggers(unit, frame)
            });
            context.session.loads_from = None;
            let ran = ran?;
            if ran.is_some() {
                inserted = ran;
                break;
            }
            // The table has changed.
            self.plan = prepare(context, &self.load, &self.hidden)?;
        }
        let Some(outcome) = inserted else {
            return Err(SqlError::new(&message::INSERT_BULK_SCHEMA_CHANGED, &[]).into());
        };
        if let Some(identity) = outcome.identity {
            context.session.left.identity = Some(identity);
            context.session.level_mut().identity = Some(identity);
        }
        rows_of(&mut self.frame, self.hidden.id)?.clear();
        self.chunk_bytes = 0;
        Ok(())
    }

    /// Inserts the last rows of a batch, which is whole then.
    fn end_batch(&mut self, context: &mut Context<'_>) -> Run<()> {
        self.flush(context)?;
        Ok(context.session.finish_loads(context.task, level_of(context), None)?)
    }

    /// Commits a batch, if the transaction is the load's own.
    fn commit_batch(&mut self, context: &mut Context<'_>) -> Run<()> {
        self.batch = 0;
        if self.owns_transaction {
            commit(context)?;
            self.owns_transaction = begin_transaction(context);
        }
        let settled = context.settle();
        // The batch is whole, and rows of it may be settled, even if settling has failed.
        self.mark = context.session.transaction.mark();
        settled
    }

    /// Inserts what is left and commits. Returns how many rows there were.
    pub fn finish(mut self, context: &mut Context<'_>) -> Run<u64> {
        match self.end_batch(context) {
            Ok(()) => {}
            Err(fault) => {
                self.abandon(context);
                return Err(fault);
            }
        }
        let result = match self.owns_transaction {
            true => commit(context),
            false => Ok(()),
        };
        self.release(context);
        result.map(|()| self.total)
    }

    /// Undoes the rows of the batch that has failed.
    pub fn abandon(mut self, context: &mut Context<'_>) {
        if self.owns_transaction {
            context.session.transaction.rollback(context.task);
            context.session.transaction_ended();
        } else {
            context.session.transaction.rollback_to_mark(context.task, &self.mark);
        }
        self.release(context);
    }

    fn release(&mut self, context: &mut Context<'_>) {
        context.session.identity_insert = self.identity_insert;
        if let TableSlot::Own(rows) = self.frame.table_mut(self.hidden.id) {
            rows.release(&mut context.runtime.grant);
        }
    }
}

/// The level at which the load's statements run.
fn level_of(context: &Context<'_>) -> usize {
    context.session.statements.len() + 1
}

/// Begins a transaction for the load unless one is open. Returns whether it did.
fn begin_transaction(context: &mut Context<'_>) -> bool {
    if context.session.transaction.is_open() {
        return false;
    }
    context.session.begin_transaction(Origin::Statement, "");
    true
}

fn commit(context: &mut Context<'_>) -> Run<()> {
    let durability = context.session.durability(false);
    let committed = context.session.commit(context.task, durability);
    context.session.transaction_ended();
    committed.map_err(Fault::from)
}

fn rows_of(frame: &mut Frame, id: TableVarId) -> SqlResult<&mut LocalTable> {
    match frame.table_mut(id) {
        TableSlot::Own(rows) => Ok(rows),
        _ => Err(ir::internal("the load's rows are its own")),
    }
}

/// About how many bytes of a row a value takes.
fn size_of_value(value: &ValueRef<'_>) -> usize {
    match value {
        ValueRef::Chars(bytes) | ValueRef::Unicode(bytes) | ValueRef::Bytes(bytes) => bytes.len(),
        _ => 16,
    }
}

/// The columns that come, as a table variable has them: by their names, any of them NULL.
fn shape_of(table: &TableDef, columns: &[usize]) -> Arc<TableDef> {
    let none = DateTime { days: 0, ticks: 0 };
    let header = ObjectHeader {
        id: ObjectId(0),
        schema: SchemaId::DBO,
        name: ROWS.into(),
        owner: None,
        created: none,
        modified: none,
        ms_shipped: false,
    };
    let column = |(at, &ordinal): (usize, &usize)| {
        let of = &table.columns[ordinal];
        let user_type = UserTypeId(i32::from(of.ty.kind.user_type_id()));
        ColumnDef::new(ColumnId(at as i32 + 1), of.name.clone(), of.ty, user_type)
    };
    TableDef::shape(header, columns.iter().enumerate().map(column).collect())
}

/// The text of the `INSERT`.
fn text_of(load: &Load) -> String {
    let mut names = Vec::with_capacity(load.columns.len());
    let mut values = Vec::with_capacity(load.columns.len());
    for &at in &load.columns {
        let column = &load.table.columns[at];
        let name = bracketed(&column.name);
        values.push(match column.default_text() {
            Some(default) if !load.keep_nulls => format!(
                "CASE WHEN r.{name} IS NULL THEN CAST({default} AS {}) ELSE r.{name} END",
                column.ty
            ),
            _ => format!("r.{name}"),
        });
        names.push(name);
    }
    let parts = [&load.name.database, &load.name.schema];
    let mut table = String::new();
    for part in parts {
        match part {
            Some(part) => table.push_str(&bracketed(&part.name)),
            None if table.is_empty() => continue,
            None => {}
        }
        table.push('.');
    }
    table.push_str(&bracketed(&load.name.name.name));
    let (names, values) = (names.join(", "), values.join(", "));
    format!("INSERT INTO {table} ({names}) SELECT {values} FROM {ROWS} AS r")
}

/// Notes that rows come in unchecked, if they do, and compiles the `INSERT`.
fn prepare(context: &mut Context<'_>, load: &Load, hidden: &HiddenTable) -> SqlResult<StepPlan> {
    if !load.check_constraints {
        crate::ddl::distrust(context, load.database, load.table.id())?;
    }
    compile(context, load, hidden)
}

/// The plan of the `INSERT`.
fn compile(context: &Context<'_>, load: &Load, hidden: &HiddenTable) -> SqlResult<StepPlan> {
    let parse = tsql::ParseOptions { quoted_identifier: true };
    let batch = tsql::parse_batch(&text_of(load), parse)?;
    let Some(statement) = batch.statements.first() else {
        return Err(ir::internal("an INSERT was written"));
    };
    let session = &*context.session;
    let options = session.compile_options(None);
    let variables = Variables::default();
    let names = StatementNames {
        session,
        variables: &variables,
        declared: 0,
        hidden: std::slice::from_ref(hidden),
    };
    let statistics = EngineStatistics::new(session, context.task);
    let binding = BindContext {
        names: &names,
        options: bind::BindOptions {
            skip_triggers: !load.fire_triggers,
            has_defaults: true,
            ..bind_options(options, ProgramKind::Batch)
        },
        statistics: &statistics,
    };
    let mut bound = bind::statement(&binding, statement)?;
    if let Plan::Insert(insert) = &mut bound.plan {
        if !load.check_constraints {
            insert.effects.forget_constraints();
        }
    }
    let lowering = options.lowering();
    let unit = lower::statement(&bound.plan, lowering)?;
    let (facts, dependencies) = (bound.facts, bound.dependencies);
    Ok(StepPlan { unit, facts, dependencies, options })
}

/// The table that a load's statement names. Error 208, and 4902-like ones for what is not a table.
pub fn find(context: &Context<'_>, name: &ast::ObjectName) -> SqlResult<(DbId, Arc<TableDef>)> {
    context
        .find_table(name)?
        .ok_or_else(|| SqlError::new(&message::INVALID_OBJECT, &[&name.to_string()]))
}
