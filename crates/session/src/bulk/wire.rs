//! `INSERT BULK`, and the rows that follow it.

use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::datetime::DateSettings;
use base::ids::DbId;
use base::types::conversion::check_implicit;
use base::types::declare::Subject;
use base::xml::schema::Collections;
use base::{Arena, SqlError, SqlResult, SqlType, ValueRef, convert, message};
use compile::bind::{self, BindContext, BindOptions};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::Name;
use engine::wait::Task;
use ir::function::clr::spatial::FORMS;
use run::interp::Host;
use tsql::ast::{self, BulkOptionKind, ColumnKind};

use super::load::{self, Loader};
use crate::context::Context;
use crate::ddl::DefinitionNames;
use crate::fault::{Effect, Fault, Run};
use crate::response::command;
use crate::session::loads::{Load, PendingBulk};

/// The rows of a bulk load, as they arrive.
pub trait BulkSource {
    /// The types of the rows' columns; none if no rows come at all. Called once, before any row.
    fn columns(&mut self, task: &Task) -> SqlResult<Vec<SqlType>>;

    /// Hands the next row on: a value of its column's type for each column. `false` after the last
    /// row. Waits for rows that have not arrived.
    fn next(
        &mut self,
        task: &Task,
        take: &mut dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()>,
    ) -> SqlResult<bool>;
}

impl Context<'_> {
    /// `INSERT BULK`: checks what it says, and keeps it for the rows. Errors 208, 207, 2715, 4891.
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
        let announced = self.announced_types(statement, load.database)?;
        self.session.bulk = Some(PendingBulk { load: Arc::new(load), announced });
        Ok(())
    }

    /// The types that the statement gives its columns.
    fn announced_types(
        &self,
        statement: &ast::InsertBulk,
        database: DbId,
    ) -> SqlResult<Vec<Option<SqlType>>> {
        let names = DefinitionNames::new(self.session, database);
        let (options, statistics) = (BindOptions::default(), &NoStatistics);
        let context = BindContext { names: &names, options, statistics };
        let announced = |(at, column): (usize, &ast::ColumnDefinition)| -> SqlResult<_> {
            let ColumnKind::Stored(ty) = &column.kind else { return Ok(None) };
            let subject = Subject::Column(&column.name.name);
            Ok(Some(bind::data_type(&context, ty, subject, at as u32 + 1)?.ty))
        };
        statement.columns.iter().enumerate().map(announced).collect()
    }

    /// Takes the rows that were announced.
    pub(crate) fn load_from_wire(&mut self, source: &mut dyn BulkSource) -> Run<()> {
        let Some(pending) = self.session.bulk.take() else {
            return Err(SqlError::new(&message::INSERT_BULK_SCHEMA_CHANGED, &[]).into());
        };
        let rows = match self.load_rows(source, &pending) {
            Ok(rows) => rows,
            Err(fault) => return Err(self.load_failed(fault)?),
        };
        self.session.left.row_count = rows as i64;
        Ok(self.done(command::BULK, Some(rows))?)
    }

    fn load_rows(&mut self, source: &mut dyn BulkSource, pending: &PendingBulk) -> Run<u64> {
        let sent = source.columns(self.task)?;
        let load = &pending.load;
        let mut loader = Loader::begin(self, Load::clone(load))?;
        let columns = match sent.is_empty() {
            true => Ok(Vec::new()),
            false => Conversion::plan(&sent, &pending.announced, load),
        };
        let table = self.shown_table(load);
        let taken = match columns {
            Ok(columns) if columns.is_empty() => Ok(()),
            Ok(columns) => {
                let schema = self.schema(load.database)?;
                let collections = Some(&*schema as &dyn Collections);
                self.take_rows(source, &table, &columns, collections, &mut loader)
            }
            Err(error) => Err(error.into()),
        };
        match taken {
            Ok(()) => loader.finish(self),
            Err(fault) => {
                loader.abandon(self);
                Err(fault)
            }
        }
    }

    /// A load's table as messages name it: `database.schema.table`.
    fn shown_table(&self, load: &Load) -> String {
        let host: &dyn Host = &*self.session;
        let name = host.table_name(Some(load.database), &load.table);
        format!("{}.{}", name.database, name.table)
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
        table: &str,
        columns: &[Conversion],
        collections: Option<&dyn Collections>,
        loader: &mut Loader,
    ) -> Run<()> {
        let dates = self.session.options.dates;
        let mut arena = Arena::new();
        let task = self.task;
        loop {
            let mut fault = None;
            let more = source.next(task, &mut |values| {
                let row = convert_row(table, columns, values, dates, collections, &arena)?;
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
    /// The table's column.
    name: Name,
    /// Characters, or bytes of a binary, that values may have; `None` for any number.
    limit: Option<usize>,
    /// Values need no conversion.
    same: bool,
}

impl Conversion {
    /// Error 4816 for types that do not convert, or if there are too many or too few.
    fn plan(
        sent: &[SqlType],
        announced: &[Option<SqlType>],
        load: &Load,
    ) -> SqlResult<Vec<Conversion>> {
        let wanted = load.types();
        let refused = |at: usize| SqlError::new(&message::BULK_COLUMN_TYPE_INVALID, &[&(at + 1)]);
        if sent.len() != wanted.len() {
            return Err(refused(sent.len().min(wanted.len())));
        }
        let column = |(at, (from, to)): (usize, (&SqlType, &SqlType))| {
            check_implicit(from.kind, to.kind).map_err(|_| refused(at))?;
            let has_length = |ty: &SqlType| ty.kind.is_character() || ty.kind.is_binary();
            let announced = announced.get(at).copied().flatten().unwrap_or(*to);
            let is_limited = has_length(from) && has_length(&announced) && !announced.is_max();
            Ok(Conversion {
                from: *from,
                to: *to,
                name: load.table.columns[load.columns[at]].name.clone(),
                limit: is_limited.then(|| units(announced.byte_limit(), &announced)),
                same: from == to && !has_length(to),
            })
        };
        sent.iter().zip(&wanted).enumerate().map(column).collect()
    }
}

/// How many characters, or bytes of a binary, this many bytes are.
fn units(bytes: usize, ty: &SqlType) -> usize {
    if ty.kind.is_unicode() { bytes / 2 } else { bytes }
}

/// A row in the table's types. Error 4815 for values that are longer than announced, 2628 for those
/// that do not fit into the column all the same.
fn convert_row<'v>(
    table: &str,
    columns: &[Conversion],
    values: &[ValueRef<'v>],
    dates: DateSettings,
    collections: Option<&dyn Collections>,
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
            let bytes = match value {
                ValueRef::Chars(bytes) | ValueRef::Unicode(bytes) | ValueRef::Bytes(bytes) => bytes,
                _ => &[][..],
            };
            if column.limit.is_some_and(|limit| units(bytes.len(), &column.from) > limit) {
                return Err(SqlError::new(&message::BULK_COLUMN_LENGTH_RECEIVED, &[&(at + 1)]));
            }
            let overlong = Overlong::RefuseFor { table, column: &column.name };
            let spatial = Some(FORMS);
            let options = ConvertOptions {
                overlong,
                dates,
                collections,
                spatial,
                ..ConvertOptions::default()
            };
            convert(*value, &column.from, &column.to, &options, arena)
        })
        .collect()
}
