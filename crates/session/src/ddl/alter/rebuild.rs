//! Copying the rows of a table into a new storage, some at a time: they are read by the
//! transaction, copies of them are made, for which expressions may need the session, and the
//! transaction puts those.

use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::ids::DbId;
use base::{Arena, SqlError, SqlType, TypeKind, Value, ValueRef, message};
use engine::catalog::def::*;
use engine::catalog::{Catalog, CatalogError, Rows, TableRebuild, rows_stay};
use engine::hot::identity::Position;
use engine::hot::row::RowLayout;
use engine::txn::TxnError;
use engine::wait::Task;
use ir::function::clr::spatial::FORMS;

use super::put_table;
use crate::context::{Context, engine_error};
use crate::ddl::data::{RowExpr, RowValues};
use crate::ddl::failure::{DdlResult, Failure};
use crate::ddl::place;
use crate::ddl::table::shown_name;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Where the value of a stored column of a rebuilt row comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The stored column at this place of the old row, converted if its type has changed.
    Old(usize),
    /// The expression with this number, over the old row.
    Expr(usize),
    /// This value, for all rows.
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

/// The sources of rows whose columns stay: each stored column of the new table is the old one of
/// the same id. Computed columns that were not stored have the text of their expression in `exprs`.
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
    match plain && rows_stay(rebuild.old, &rebuild.new) {
        true => put_table(context, rebuild.database, rebuild.new),
        false => copy(context, rebuild),
    }
}

/// Whether some column must not be NULL any more, so that all rows have to be looked at.
fn forbids_null(rebuild: &Rebuild<'_>) -> bool {
    let was_nullable = |c: &ColumnDef| rebuild.old.column(c.id).is_some_and(|old| old.nullable);
    rebuild.new.stored_columns().any(|c| !c.nullable && was_nullable(c))
}

/// Makes the rows of the new table.
struct Copier<'c> {
    task: &'c Task<'c>,
    catalog: Arc<Catalog>,
    from: RowLayout,
    sources: Vec<Source>,
    columns: Vec<ColumnDef>,
    old_types: Vec<SqlType>,
    expr_types: Vec<SqlType>,
    values: Option<RowValues>,
    options: ConvertOptions<'c>,
    arena: Arena,
    identity: Option<Position>,
    table: String,
    statement: &'c str,
}

impl Copier<'_> {
    fn copy_all(
        &mut self,
        context: &mut Context<'_>,
        rebuild: &mut TableRebuild,
        database: DbId,
        failed: &impl Fn(&Context<'_>, CatalogError) -> Failure,
    ) -> DdlResult<()> {
        let (task, layout) = (self.task, rebuild.table().layout().clone());
        let (mut rows, mut copies) = (Rows::default(), Rows::default());
        loop {
            let (txn, edit) = context.edit(database)?;
            let more = rebuild.next(edit, task, txn, &mut rows);
            if !more.map_err(|error| failed(context, error))? {
                return Ok(());
            }
            copies.clear();
            for row in rows.iter() {
                copies.append(|bytes| self.copy(context, row, &layout, bytes))?;
            }
            let put = rebuild.put(task, context.transaction(database)?, &rows, &mut copies);
            put.map_err(|error| failed(context, error))?;
        }
    }

    fn copy(
        &mut self,
        context: &mut Context<'_>,
        row: &[u8],
        to: &RowLayout,
        bytes: &mut Vec<u8>,
    ) -> DdlResult<()> {
        let computed = match &mut self.values {
            Some(values) => values.of_row(context, &self.from, row)?,
            None => Vec::new(),
        };
        self.arena.reset();
        let mut values: Vec<ValueRef<'_>> = Vec::with_capacity(to.columns().len());
        for (source, column) in self.sources.iter().zip(&self.columns) {
            let converted = |value, ty: &SqlType| match *ty == column.ty {
                true => Ok(value),
                false => {
                    let overlong = Overlong::RefuseFor { table: &self.table, column: &column.name };
                    let options = ConvertOptions { overlong, ..self.options };
                    base::convert(value, ty, &column.ty, &options, &self.arena)
                }
            };
            let value = match source {
                Source::Old(place) => {
                    converted(self.from.get(row, *place), &self.old_types[*place])
                }
                Source::Expr(at) => converted(computed[*at].as_ref(), &self.expr_types[*at]),
                Source::Value(value) => Ok(value.as_ref()),
                Source::Identity => next_identity(&mut self.identity, column),
                Source::RowVersion => {
                    let version = self.catalog.sequences().next_row_version(self.task);
                    let version = version.map_err(|error| sequence_failure(&error))?;
                    Ok(ValueRef::Bytes(self.arena.alloc_bytes(&version.first.to_be_bytes())))
                }
            }?;
            if value.is_null() && !column.nullable {
                let args: [Shown; 3] = [&column.name, &self.table, &self.statement];
                return Err(SqlError::new(&message::NULL_NOT_ALLOWED, &args).into());
            }
            values.push(value);
        }
        // The hidden row number is left to the engine.
        values.resize(to.columns().len(), ValueRef::Int(0));
        to.build(&values, bytes);
        Ok(())
    }
}

fn sequence_failure(error: &engine::catalog::SequenceError) -> SqlError {
    match error {
        engine::catalog::SequenceError::Transaction(error) => engine_error(error),
        other => ir::internal(&format!("row versions: {other:?}")),
    }
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

fn copy(context: &mut Context<'_>, rebuild: Rebuild<'_>) -> DdlResult<()> {
    let Rebuild { database, old, new, sources, exprs, statement } = rebuild;
    let dates = context.session.options.dates;
    let schema = context.schema(database)?;
    let collections = Some(&*schema as &dyn base::xml::schema::Collections);
    let place = place::qualified(&schema, new.header.schema, &shown_name(&new.header.name));
    let database_name = context.instance().database_name(database);
    let task = context.task;
    let values = match exprs.is_empty() {
        true => None,
        false => Some(RowValues::new(context, database, old, &exprs)?),
    };
    let mut copier = Copier {
        task,
        catalog: context.catalog(database)?,
        from: ir::place::engine_layout(old),
        columns: new.stored_columns().cloned().collect(),
        old_types: old.stored_columns().map(|c| c.ty).collect(),
        expr_types: exprs.iter().map(|e| e.ty).collect(),
        values,
        options: ConvertOptions {
            dates,
            collections,
            spatial: Some(FORMS),
            ..ConvertOptions::default()
        },
        arena: Arena::new(),
        identity: None,
        table: format!("{}.{place}", database_name),
        statement,
        sources,
    };
    let failed = |context: &Context<'_>, error| copy_error(context, error, database, &new, &place);
    // Numbers that are given for what a row was, too, would be missing at the end.
    let is_numbered = copier.sources.iter().any(|source| matches!(source, Source::Identity));
    let is_fixed = |at: usize| matches!(copier.sources[at], Source::Old(_) | Source::Value(_));
    let is_fixed = (!is_numbered).then_some(is_fixed);
    let (txn, edit) = context.edit(database)?;
    let begun = edit.begin_rebuild(task, txn, new.clone(), is_fixed);
    let mut rebuild = begun.map_err(|error| failed(context, error))?;
    if let Err(failure) = copier.copy_all(context, &mut rebuild, database, &failed) {
        rebuild.abandon(task, context.transaction(database)?);
        return Err(failure);
    }
    let (txn, edit) = context.edit(database)?;
    let table = rebuild.finish(edit, task, txn).map_err(|error| failed(context, error))?;
    if let Some(position) = copier.identity {
        let continued = copier.catalog.database().continue_identity(task, &table, position);
        continued.map_err(|error| engine_error(&error))?;
    }
    Ok(())
}

/// Why rows could not be copied, as an error for the client. Error 1505 where a key is there twice.
fn copy_error(
    context: &Context<'_>,
    error: CatalogError,
    database: DbId,
    table: &TableDef,
    shown: &str,
) -> Failure {
    match error {
        CatalogError::Transaction(TxnError::DuplicateKey { index, row, .. }) => {
            let layout = ir::place::engine_layout(table);
            let index = &table.indexes[index];
            let key = run::interp::errors::key_text(table, index, &row, &layout);
            let args: [Shown; 3] = [&shown, &index.name, &key];
            SqlError::new(&message::DUPLICATE_KEY_ON_BUILD, &args).into()
        }
        error => context.catalog_error_in(database, error).into(),
    }
}
