//! `INSERT BULK`, and the rows that follow it.

use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::types::conversion::check_implicit;
use base::{Arena, SqlError, SqlResult, SqlType, ValueRef, convert, message};
use engine::wait::Task;
use tsql::ast::{self, BulkOptionKind};

use super::load::{self, Load, Loader};
use crate::exec::context::Context;
use crate::exec::program::ProgramKind;
use crate::exec::run::{Effect, Fault, Run};
use crate::exec::session::Session;
use crate::exec::session::requests::After;
use crate::exec::sink::{ResponseSink, command};

/// The rows of a bulk load, as they arrive.
pub trait BulkSource {
    /// The types of the rows' columns; none if no rows come at all. Called once, before any row.
    fn columns(&mut self, task: &Task) -> SqlResult<Vec<SqlType>>;

    /// Hands the next row on: a value of its column's type for each column. `false` behind the
    /// last row. Waits for rows that have not arrived.
    fn next(
        &mut self,
        task: &Task,
        take: &mut dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()>,
    ) -> SqlResult<bool>;
}

/// What an `INSERT BULK` has announced.
#[derive(Clone, Debug)]
pub struct PendingBulk {
    load: Arc<Load>,
}

impl Session {
    /// Inserts the rows that follow an `INSERT BULK`. Error 4891 if none was said.
    pub fn bulk_load(
        &mut self,
        task: &Task,
        source: &mut dyn BulkSource,
        sink: &mut dyn ResponseSink,
    ) -> After {
        self.request(task, "INSERT BULK", ProgramKind::Batch, sink, |context| {
            context.load_from_wire(source)
        })
    }
}

impl Context<'_> {
    /// `INSERT BULK`: checks what it says, and keeps it for the rows. Errors 208, 207, 4891.
    pub(crate) fn announce_bulk(&mut self, statement: &ast::InsertBulk) -> SqlResult<()> {
        let (database, table) = load::find(self, &statement.table)?;
        let columns = match statement.columns.is_empty() {
            true => (0..table.columns.len())
                .filter(|&at| table.columns[at].computed.is_none())
                .collect(),
            false => {
                let named = |column: &ast::ColumnDefinition| {
                    let name = &column.name.name;
                    let place = table
                        .columns
                        .iter()
                        .position(|c| base::text::identifier::same_identifier(&c.name, name));
                    place.ok_or_else(|| SqlError::new(&message::INVALID_COLUMN, &[name]))
                };
                statement.columns.iter().map(named).collect::<SqlResult<Vec<usize>>>()?
            }
        };
        let has = |wanted: fn(&BulkOptionKind) -> bool| {
            statement.options.iter().any(|option| wanted(&option.kind))
        };
        let load = Load {
            name: statement.table.clone(),
            database,
            table,
            columns,
            check_constraints: has(|o| matches!(o, BulkOptionKind::CheckConstraints)),
            fire_triggers: has(|o| matches!(o, BulkOptionKind::FireTriggers)),
            keep_nulls: has(|o| matches!(o, BulkOptionKind::KeepNulls)),
            batch_rows: None,
        };
        self.session.bulk = Some(PendingBulk { load: Arc::new(load) });
        Ok(())
    }

    /// Takes the rows that were announced.
    fn load_from_wire(&mut self, source: &mut dyn BulkSource) -> Run<()> {
        let Some(pending) = self.session.bulk.take() else {
            return Err(SqlError::new(&message::INSERT_BULK_SCHEMA_CHANGED, &[]).into());
        };
        let rows = match self.load_rows(source, &pending.load) {
            Ok(rows) => rows,
            Err(fault) => return Err(self.load_failed(fault)?),
        };
        self.session.left.row_count = rows as i64;
        Ok(self.done(command::BULK, Some(rows))?)
    }

    fn load_rows(&mut self, source: &mut dyn BulkSource, load: &Load) -> Run<u64> {
        let sent = source.columns(self.task)?;
        let mut loader = Loader::begin(self, load.clone())?;
        match self.take_rows(source, &sent, &mut loader) {
            Ok(()) => loader.finish(self),
            Err(fault) => {
                loader.abandon(self);
                Err(fault)
            }
        }
    }

    /// Tells the client what went wrong, and ends what that ends.
    fn load_failed(&mut self, mut fault: Fault) -> Run<Fault> {
        if fault.effect != Effect::Statement || fault.reported {
            return Ok(fault);
        }
        self.session.left.error = fault.error.number();
        let error = fault.error.clone().at_line(1);
        self.report(&error)?;
        if self.session.options.settings.xact_abort && self.session.transaction.is_open() {
            self.roll_back_all()?;
        }
        let terminated = SqlError::new(&message::STATEMENT_TERMINATED, &[]).at_line(1);
        self.inform(terminated).map_err(Fault::lost)?;
        fault.reported = true;
        Ok(fault)
    }

    fn take_rows(
        &mut self,
        source: &mut dyn BulkSource,
        sent: &[SqlType],
        loader: &mut Loader,
    ) -> Run<()> {
        if sent.is_empty() {
            return Ok(());
        }
        let columns = Conversion::plan(sent, &loader.load().types())?;
        let dates = self.session.options.dates;
        let mut arena = Arena::new();
        let task = self.task;
        loop {
            let mut fault = None;
            let more = source.next(task, &mut |values| {
                let options =
                    ConvertOptions { overlong: Overlong::Refuse, dates, ..Default::default() };
                let row = convert_row(&columns, values, &options, &arena)?;
                if let Err(failed) = loader.row(self, &row) {
                    fault = Some(failed);
                }
                Ok(())
            })?;
            if let Some(fault) = fault {
                return Err(fault);
            }
            if !more {
                return Ok(());
            }
            arena.reset();
        }
    }
}

/// How a column's values become those of the table's column.
struct Conversion {
    from: SqlType,
    to: SqlType,
    /// Values need no conversion.
    same: bool,
}

impl Conversion {
    /// Error 4816 for types that do not convert, or if there are too many or too few.
    fn plan(sent: &[SqlType], wanted: &[SqlType]) -> SqlResult<Vec<Conversion>> {
        let refused = |at: usize| SqlError::new(&message::BULK_COLUMN_TYPE_INVALID, &[&(at + 1)]);
        if sent.len() != wanted.len() {
            return Err(refused(sent.len().min(wanted.len())));
        }
        let column = |(at, (from, to)): (usize, (&SqlType, &SqlType))| {
            check_implicit(from.kind, to.kind).map_err(|_| refused(at))?;
            let same = from == to && !to.kind.is_character() && !to.kind.is_binary();
            Ok(Conversion { from: *from, to: *to, same })
        };
        sent.iter().zip(wanted).enumerate().map(column).collect()
    }
}

/// A row in the table's types. Error 4815 for strings that are too long.
fn convert_row<'v>(
    columns: &[Conversion],
    values: &[ValueRef<'v>],
    options: &ConvertOptions<'_>,
    arena: &'v Arena,
) -> SqlResult<smallvec::SmallVec<[ValueRef<'v>; 16]>> {
    columns
        .iter()
        .zip(values)
        .enumerate()
        .map(|(at, (column, value))| {
            if column.same {
                return Ok(*value);
            }
            convert(*value, &column.from, &column.to, options, arena).map_err(|error| {
                match error.number() {
                    8152 | 2628 => {
                        SqlError::new(&message::BULK_COLUMN_LENGTH_RECEIVED, &[&(at + 1)])
                    }
                    _ => error,
                }
            })
        })
        .collect()
}
