//! Table-valued parameters: rows that a client sends, as the table type has them.
//!
//! What does not fit the type is refused like a row of an `INSERT`, and error 8061 names the
//! parameter. Nothing is cut.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, SqlType, Value, message};
use engine::catalog::def::{ColumnDef, SchemaId, TableDef, TypeDefKind};
use run::interp::errors;
use run::interp::local::{LocalShape, LocalTable};

use crate::context::Context;
use crate::ddl::data::{RowExpr, RowValues};
use crate::ddl::failure::Failure;
use crate::fault::{Effect, Fault, Run};
use crate::names::callee::Callee;
use crate::request::TableValue;

type Shown<'a> = &'a dyn Display;

/// What expressions of a table type say of a row, if there are any.
struct Expressions {
    /// Defaults and computed columns, by place among the stored columns.
    filled: Vec<usize>,
    fill: Option<RowValues>,
    checks: Option<RowValues>,
}

/// A `CHECK` constraint as an expression: 1 where a row violates it.
fn violation_of(definition: &str) -> String {
    format!("CASE WHEN NOT ({definition}) THEN 1 ELSE 0 END")
}

impl Context<'_> {
    /// A table-valued parameter: rows of the table type that the client or the procedure names.
    /// Errors 500, 2715, 8061 or 8062 after the reason.
    pub(crate) fn table_argument(
        &mut self,
        callee: &Callee,
        at: usize,
        name: &str,
        given: TableValue,
    ) -> Run<Arc<LocalTable>> {
        let (database, table) = self.table_type_of(callee, at, name, &given)?;
        let columns = table.stored_columns().count();
        if given.columns.len() != columns {
            let args: [Shown; 2] = [&given.columns.len(), &columns];
            return Err(SqlError::new(&message::TABLE_PARAMETER_COLUMN_COUNT, &args).into());
        }
        let shown = if name.is_empty() { &*table.header.name } else { name };
        match self.table_rows(database, &table, shown, &given) {
            Err(fault) if fault.effect < Effect::Cancelled && !fault.reported => {
                Err(self.nonconforming(at, name, fault)?)
            }
            done => done,
        }
    }

    /// The rows of a table-valued parameter do not fit: the errors say why, and about which
    /// parameter.
    fn nonconforming(&mut self, at: usize, name: &str, fault: Fault) -> Run<Fault> {
        // A duplicate key ends the insertion by an error of its own (3602), which has no text.
        let (number, state) = match fault.error.number() {
            2601 | 2627 => (3602, 30),
            number => (number, fault.error.state()),
        };
        let about = match name.is_empty() {
            true => {
                let args: [Shown; 3] = [&(at + 1), &number, &state];
                SqlError::new(&message::TABLE_PARAMETER_AT_NONCONFORMING, &args)
            }
            false => {
                let args: [Shown; 3] = [&name, &number, &state];
                SqlError::new(&message::TABLE_PARAMETER_NONCONFORMING, &args)
            }
        };
        self.session.left.error = about.number();
        self.report(&fault.error.clone().at_line(1))?;
        self.report(&about.at_line(1))?;
        let terminated = SqlError::new(&message::STATEMENT_TERMINATED, &[]).at_line(1);
        self.inform(terminated).map_err(Fault::lost)?;
        Ok(Fault { effect: Effect::Batch, reported: true, ..fault })
    }

    /// The rows as the table type has them. Errors 515, 547, 2627, 8152, and those of conversions
    /// and expressions.
    fn table_rows(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        shown: &str,
        given: &TableValue,
    ) -> Run<Arc<LocalTable>> {
        let mut rows = LocalTable::new(LocalShape::of(table));
        let layout = rows.layout().clone();
        let columns: Vec<&ColumnDef> = table.stored_columns().collect();
        let mut expressions = self.expressions_of(database, table, &columns, given)?;
        rows.begin_statement();
        for row in &given.rows {
            let mut values = Vec::with_capacity(columns.len());
            for (place, column) in columns.iter().enumerate() {
                let (from, is_default) = &given.columns[place];
                values.push(match (is_default, column.identity) {
                    (true, Some(_)) => {
                        let next = rows.next_identity();
                        let overflow = || errors::identity_overflow(SqlType::bigint());
                        Value::Int(next.ok_or_else(overflow)?)
                    }
                    (true, None) => Value::Null,
                    (false, _) => self.assigned(&row[place], from, &column.ty)?,
                });
            }
            if let Some(fill) = &mut expressions.fill {
                let bytes = layout.build_owned(&values);
                let found = fill.of_row(self, &layout, &bytes).map_err(Failure::first)?;
                for (place, value) in expressions.filled.iter().zip(found) {
                    values[*place] = value;
                }
            }
            check_nulls(&columns, &values, shown)?;
            let bytes = layout.build_owned(&values);
            if let Some(checks) = &mut expressions.checks {
                let found = checks.of_row(self, &layout, &bytes).map_err(Failure::first)?;
                if let Some(at) = found.iter().position(|value| *value == Value::Int(1)) {
                    return Err(check_violated(table, at, shown).into());
                }
            }
            if let Err(duplicate) = rows.insert(&bytes) {
                return Err(duplicate_in(table, duplicate.index, shown, &values).into());
            }
        }
        rows.end_statement();
        rows.settle(&mut self.runtime.grant)?;
        Ok(Arc::new(rows))
    }

    /// Compiles the expressions that rows of a table type need.
    fn expressions_of(
        &self,
        database: DbId,
        table: &Arc<TableDef>,
        columns: &[&ColumnDef],
        given: &TableValue,
    ) -> SqlResult<Expressions> {
        let (mut filled, mut fill) = (Vec::new(), Vec::new());
        for (place, column) in columns.iter().enumerate() {
            let text = match (&column.computed, &column.default) {
                (Some(computed), _) => &computed.definition,
                (None, Some(default)) if given.columns[place].1 => &default.definition,
                _ => continue,
            };
            filled.push(place);
            fill.push(RowExpr { text, ty: column.ty });
        }
        let checks: Vec<String> =
            table.checks.iter().map(|check| violation_of(&check.definition)).collect();
        let checks: Vec<RowExpr<'_>> =
            checks.iter().map(|text| RowExpr { text, ty: SqlType::int() }).collect();
        let compiled = |exprs: &[RowExpr<'_>]| match exprs.is_empty() {
            true => Ok(None),
            false => RowValues::new(self, database, table, exprs).map(Some),
        };
        let fill = compiled(&fill).map_err(Failure::first)?;
        let checks = compiled(&checks).map_err(Failure::first)?;
        Ok(Expressions { filled, fill, checks })
    }

    /// The table type of an argument, and its database. Error 2715.
    fn table_type_of(
        &self,
        callee: &Callee,
        at: usize,
        name: &str,
        given: &TableValue,
    ) -> Run<(DbId, Arc<TableDef>)> {
        let missing = || {
            let shown = match given.schema.is_empty() {
                true => given.name.clone(),
                false => format!("{}.{}", given.schema, given.name),
            };
            let args: [Shown; 2] = [&(at + 1), &shown];
            Fault::from(SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &args))
        };
        let (database, from_procedure) = match callee {
            Callee::Module(database, module) => {
                let wanted = base::text::identifier::fold_identifier(name);
                let parameter = match name.is_empty() {
                    true => module.parameters.get(at),
                    false => module
                        .parameters
                        .iter()
                        .find(|p| base::text::identifier::fold_identifier(&p.name) == wanted),
                };
                (*database, parameter.map(|p| p.user_type))
            }
            _ => (self.database(), None),
        };
        let schema = self.schema(database)?;
        let found = match from_procedure {
            Some(id) => schema.types().get(id),
            None if given.schema.is_empty() => schema.resolve_type(SchemaId::DBO, &given.name),
            None => schema
                .find_schema(&given.schema)
                .and_then(|place| schema.find_type(place.id, &given.name)),
        };
        match found.map(|found| &found.kind) {
            Some(TypeDefKind::Table { table }) => {
                let table = schema.table(*table).cloned().ok_or_else(missing)?;
                Ok((database, table))
            }
            _ => Err(missing()),
        }
    }
}

/// Refuses a NULL for a column that takes none. Error 515.
fn check_nulls(columns: &[&ColumnDef], values: &[Value], shown: &str) -> SqlResult<()> {
    let null = columns.iter().zip(values).find(|(c, value)| value.is_null() && !c.nullable);
    match null {
        None => Ok(()),
        Some((column, _)) => {
            let args: [Shown; 3] = [&column.name, &shown, &"INSERT"];
            Err(SqlError::new(&message::NULL_NOT_ALLOWED, &args))
        }
    }
}

/// Error 547: a row violates a check of the table type.
fn check_violated(table: &TableDef, at: usize, shown: &str) -> SqlError {
    let check = &table.checks[at];
    let column = check.column.and_then(|id| table.column(id));
    let column = column.map_or(String::new(), |c| format!(", column '{}'", c.name));
    let args: [Shown; 6] = [&"INSERT", &"CHECK", &check.header.name, &"tempdb", &shown, &column];
    SqlError::new(&message::CONSTRAINT_CONFLICT, &args)
}

/// Error 2627: two rows have the same key.
fn duplicate_in(table: &TableDef, index: usize, shown: &str, values: &[Value]) -> SqlError {
    let index = &table.indexes[index];
    let key: Vec<String> = (index.key.iter())
        .filter_map(|key| {
            let ordinal = table.column_ordinal(key.column)?;
            let place = table.layout_position(ordinal)?;
            Some(errors::text(values[place].as_ref(), &table.columns[ordinal].ty))
        })
        .collect();
    let kind = if index.is_primary_key() { "PRIMARY KEY" } else { "UNIQUE KEY" };
    let (key, name) = (format!("({})", key.join(", ")), format!("dbo.{shown}"));
    let args: [Shown; 4] = [&kind, &index.name, &name, &key];
    SqlError::new(&message::DUPLICATE_KEY_CONSTRAINT, &args)
}
