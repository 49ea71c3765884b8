//! Copying the rows of a table into a new storage.
//!
//! Values that new columns get from expressions are computed first, since expressions need the
//! session, then the rows are copied in the same order.

use std::collections::VecDeque;
use std::sync::Arc;

use base::convert::ConvertOptions;
use base::ids::DbId;
use base::{Arena, SqlError, SqlType, TypeKind, Value, ValueRef, message};
use engine::catalog::def::*;
use engine::catalog::{Catalog, CatalogError, rows_stay};
use engine::hot::cursor::{Cursor, ScanRange};
use engine::hot::identity::Position;
use engine::hot::index::Direction;
use engine::hot::row::RowLayout;
use engine::hot::visibility::Isolation;
use engine::txn::{ReadAt, TxnError};
use engine::wait::Task;

use super::put_table;
use crate::ddl::data::{RowExpr, RowValues};
use crate::ddl::failure::{DdlResult, Failure};
use crate::ddl::place;
use crate::ddl::table::shown_name;
use crate::exec::context::{Context, engine_error};
use crate::interp::errors::of_database;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Where the value of a stored column of a rebuilt row comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The stored column at this place of the old row, converted if its type has changed.
    Old(usize),
    /// The expression with this number, over the old row.
    Expr(usize),
    /// The same for all rows.
    Value(Value),
    /// The next identity value.
    Identity,
    /// The next row version.
    RowVersion,
}

/// A change of a table that may need its rows copied.
pub struct Rebuild<'r> {
    /// The database.
    pub database: DbId,
    /// The table as it was.
    pub old: &'r Arc<TableDef>,
    /// The table as it is to be.
    pub new: TableDef,
    /// One for each stored column of the new table.
    pub sources: Vec<Source>,
    /// Expressions over rows of the old table as if it had the new columns' types where the
    /// sources say so.
    pub exprs: Vec<RowExpr<'r>>,
    /// What messages call the statement.
    pub statement: &'r str,
}

/// The sources of rows whose columns stay: each stored column of the new table is the old one of the
/// same id. Computed columns that were not stored have the text of their expression in `exprs`.
pub fn same_columns<'t>(old: &TableDef, new: &'t TableDef) -> (Vec<Source>, Vec<RowExpr<'t>>) {
    let mut exprs = Vec::new();
    let mut sources = Vec::new();
    for column in new.stored_columns() {
        let place = old.column_ordinal(column.id).and_then(|o| old.layout_position(o));
        let same_type = old.column(column.id).is_some_and(|c| c.ty == column.ty);
        sources.push(match (place, &column.computed) {
            (Some(place), None) => Source::Old(place),
            (Some(place), Some(_)) if same_type => Source::Old(place),
            (_, Some(computed)) => {
                exprs.push(RowExpr { text: &computed.definition, ty: column.ty });
                Source::Expr(exprs.len() - 1)
            }
            (None, None) => Source::Value(Value::Null),
        });
    }
    (sources, exprs)
}

/// Puts in a changed table, copying its rows if they cannot stay.
pub fn put(context: &mut Context<'_>, rebuild: Rebuild<'_>) -> DdlResult<()> {
    let in_place = |(at, source): (usize, &Source)| matches!(source, Source::Old(o) if *o == at);
    let plain = rebuild.sources.iter().enumerate().all(in_place) && !forbids_null(&rebuild);
    if plain && rows_stay(rebuild.old, &rebuild.new) {
        return put_table(context, rebuild.database, rebuild.new);
    }
    let values = match rebuild.exprs.is_empty() {
        true => VecDeque::new(),
        false => expr_values(context, &rebuild)?,
    };
    copy(context, rebuild, values)
}

/// Whether some column must not be NULL any more, so that all rows have to be looked at.
fn forbids_null(rebuild: &Rebuild<'_>) -> bool {
    let was_nullable = |c: &ColumnDef| rebuild.old.column(c.id).is_some_and(|old| old.nullable);
    rebuild.new.stored_columns().any(|c| !c.nullable && was_nullable(c))
}

/// The values of the expressions, row by row in the order of the first index.
fn expr_values(
    context: &mut Context<'_>,
    rebuild: &Rebuild<'_>,
) -> DdlResult<VecDeque<Vec<Value>>> {
    let database = rebuild.database;
    let mut values = RowValues::new(context, database, rebuild.old, &rebuild.exprs)?;
    let table = context.catalog(database)?.table(rebuild.old);
    let table = table.expect("a table has its storage");
    let layout = crate::lower::engine_layout(rebuild.old);
    let task = context.task;
    let (mut rows, mut result) = (VecDeque::new(), Ok(()));
    let txn = context.transaction(database)?;
    let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let mut cursor = Cursor::new(&statement.snapshot, 0, ScanRange::All, Direction::Forward);
    loop {
        let txn = context.transaction(database)?;
        let row = match cursor.next(txn, task, &table) {
            Ok(Some(row)) => txn.row(&table, row).to_vec(),
            Ok(None) => break,
            Err(error) => {
                result = Err(Failure::from(of_database(&error, database)));
                break;
            }
        };
        match values.of_row(context, &layout, &row) {
            Ok(values) => rows.push_back(values),
            Err(failure) => {
                result = Err(failure);
                break;
            }
        }
    }
    drop(cursor);
    context.transaction(database)?.end_statement(statement);
    result.map(|()| rows)
}

/// Why a row cannot be copied.
enum CopyError {
    Catalog(CatalogError),
    Sql(SqlError),
}

impl From<CatalogError> for CopyError {
    fn from(error: CatalogError) -> CopyError {
        CopyError::Catalog(error)
    }
}

/// Makes the rows of the new table.
struct Copier<'c> {
    task: &'c Task<'c>,
    catalog: Arc<Catalog>,
    sources: Vec<Source>,
    columns: Vec<ColumnDef>,
    old_types: Vec<SqlType>,
    expr_types: Vec<SqlType>,
    values: VecDeque<Vec<Value>>,
    options: ConvertOptions<'c>,
    arena: Arena,
    identity: Option<Position>,
    table: String,
    statement: &'c str,
}

impl Copier<'_> {
    fn row(
        &mut self,
        from: &RowLayout,
        row: &[u8],
        to: &RowLayout,
        bytes: &mut Vec<u8>,
    ) -> Result<(), CopyError> {
        let computed = self.values.pop_front().unwrap_or_default();
        self.arena.reset();
        let mut values: Vec<ValueRef<'_>> = Vec::with_capacity(to.columns().len());
        for (source, column) in self.sources.iter().zip(&self.columns) {
            let converted = |value, ty: &SqlType| match *ty == column.ty {
                true => Ok(value),
                false => base::convert(value, ty, &column.ty, &self.options, &self.arena),
            };
            let value = match source {
                Source::Old(place) => converted(from.get(row, *place), &self.old_types[*place]),
                Source::Expr(at) => converted(computed[*at].as_ref(), &self.expr_types[*at]),
                Source::Value(value) => Ok(value.as_ref()),
                Source::Identity => next_identity(&mut self.identity, column),
                Source::RowVersion => {
                    let version = self.catalog.sequences().next_row_version(self.task);
                    let version = version.map_err(|error| engine_failure(&error))?;
                    Ok(ValueRef::Bytes(self.arena.alloc_bytes(&version.to_be_bytes())))
                }
            };
            let value = value.map_err(CopyError::Sql)?;
            if value.is_null() && !column.nullable {
                let args: [Shown; 3] = [&column.name, &self.table, &self.statement];
                return Err(CopyError::Sql(SqlError::new(&message::NULL_NOT_ALLOWED, &args)));
            }
            values.push(value);
        }
        // The hidden row number is the engine's business.
        values.resize(to.columns().len(), ValueRef::Int(0));
        to.build(&values, bytes);
        Ok(())
    }
}

fn engine_failure(error: &engine::catalog::SequenceError) -> CopyError {
    CopyError::Sql(match error {
        engine::catalog::SequenceError::Transaction(error) => engine_error(error),
        other => crate::lower::internal(&format!("row versions: {other:?}")),
    })
}

/// The next value of an identity column. Error 8115.
fn next_identity(
    position: &mut Option<Position>,
    column: &ColumnDef,
) -> base::SqlResult<ValueRef<'static>> {
    let def = column.identity.expect("the source says that it is one");
    let next = position.map_or(def.seed, |p| p.next);
    let fits = match column.ty.kind {
        TypeKind::TinyInt => u8::try_from(next).is_ok(),
        TypeKind::SmallInt => i16::try_from(next).is_ok(),
        TypeKind::Int => i32::try_from(next).is_ok(),
        _ => true,
    };
    let after = next.checked_add(def.increment).filter(|_| fits);
    let after = after.ok_or_else(|| {
        let args: [Shown; 2] = [&"IDENTITY", &column.ty.kind.name()];
        SqlError::new(&message::OVERFLOW_CONVERTING, &args)
    })?;
    *position = Some(Position { next: after, used: true });
    Ok(match column.ty.kind.is_decimal() {
        true => ValueRef::Decimal(next.into()),
        false => ValueRef::Int(next),
    })
}

fn copy(
    context: &mut Context<'_>,
    rebuild: Rebuild<'_>,
    values: VecDeque<Vec<Value>>,
) -> DdlResult<()> {
    let Rebuild { database, old, new, sources, exprs, statement } = rebuild;
    let dates = context.session.options.dates;
    let schema = context.schema(database)?;
    let place = place::qualified(&schema, new.header.schema, &shown_name(&new.header.name));
    let catalog = context.catalog(database)?;
    let database_name = context.instance().database_name(database);
    let (task, (txn, edit)) = (context.task, context.edit(database)?);
    let mut copier = Copier {
        task,
        catalog: catalog.clone(),
        columns: new.stored_columns().cloned().collect(),
        old_types: old.stored_columns().map(|c| c.ty).collect(),
        expr_types: exprs.iter().map(|e| e.ty).collect(),
        values,
        options: ConvertOptions { dates, ..ConvertOptions::default() },
        arena: Arena::new(),
        identity: None,
        table: format!("{}.{place}", database_name),
        statement,
        sources,
    };
    let definition = new.clone();
    let copied = edit.rebuild_table(task, txn, new, |from, row, to, bytes| {
        copier.row(from.layout(), row, to.layout(), bytes)
    });
    let table =
        copied.map_err(|error| copy_error(context, error, (database, &definition), &place))?;
    if let Some(position) = copier.identity {
        let continued = catalog.database().continue_identity(task, &table, position);
        continued.map_err(|error| engine_error(&error))?;
    }
    Ok(())
}

/// Why rows could not be copied, as the client is told. Error 1505 where a key is there twice.
fn copy_error(
    context: &Context<'_>,
    error: CopyError,
    (database, table): (DbId, &TableDef),
    shown: &str,
) -> Failure {
    match error {
        CopyError::Sql(error) => error.into(),
        CopyError::Catalog(CatalogError::Transaction(TxnError::DuplicateKey {
            index,
            row,
            ..
        })) => {
            let layout = crate::lower::engine_layout(table);
            let index = &table.indexes[index];
            let key = crate::interp::errors::key_text(table, index, &row, &layout);
            let args: [Shown; 3] = [&shown, &index.name, &key];
            SqlError::new(&message::DUPLICATE_KEY_ON_BUILD, &args).into()
        }
        CopyError::Catalog(error) => context.catalog_error_in(database, error).into(),
    }
}
