//! `EXEC … WITH RESULT SETS`: what is executed must return these result sets and no others, whose
//! columns get the names and types that the clause says.
//!
//! The check is made where the result sets pass: one that does not fit fails the statement that
//! sends it, in the module where that stands. Only what is missing at the end is the fault of the
//! `EXEC`.

use std::sync::Arc;

use base::datetime::DateSettings;
use base::ids::DbId;
use base::types::XmlCollectionName;
use base::xml::schema::Collections;
use base::{Arena, Collation, ConvertOptions, SqlError, SqlResult, SqlType, message};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnDef, TypeDefKind};
use engine::wait::Task;
use ir::function::clr::spatial::FORMS;
use ir::site::{ResultColumn, ResultSite};
use run::interp::{OutputRow, ResultWriter, ValueRow};
use tsql::ast::{self, ResultSet, ResultSets};

use crate::context::Context;
use crate::fault::{Run, unimplemented};
use crate::response::{AnswerWriter, EnvironmentChange, Origins, OutputParameter, StatementDone};

impl Context<'_> {
    /// Runs a function whose result sets must be those of the clause. Errors 11535 to 11538, 11553.
    pub(super) fn with_result_sets<T>(
        &mut self,
        sets: &ResultSets,
        run: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        let sets = match sets {
            ResultSets::Undefined => return run(self),
            ResultSets::None => Vec::new(),
            ResultSets::Sets(sets) => self.declared_sets(sets)?,
        };
        let dates = self.session.options.dates;
        let schema = self.session.schema(self.session.name_database()).ok();
        let mut declared =
            Declared { inner: self.writer, sets, sent: 0, dates, schema, arena: Arena::new() };
        let mut within = Context {
            task: self.task,
            session: self.session,
            runtime: self.runtime,
            writer: &mut declared,
        };
        let value = run(&mut within)?;
        let (wanted, sent) = (declared.sets.len(), declared.sent);
        if sent < wanted {
            let message = &message::NUMBER_OF_RESULT_SETS_MISSING;
            return Err(SqlError::new(message, &[&wanted, &sent]).into());
        }
        Ok(value)
    }

    /// The columns of each of the result sets that a clause declares. Errors 208, 2715.
    pub(crate) fn declared_sets(&self, sets: &[ResultSet]) -> SqlResult<Vec<ResultSite>> {
        let columns = |set: &ResultSet| {
            let columns = match set {
                ResultSet::Columns(columns) => {
                    let column = |(at, c): (usize, &ast::ResultColumn)| self.declared_column(at, c);
                    columns.iter().enumerate().map(column).collect::<SqlResult<_>>()?
                }
                ResultSet::Object(name) => self.columns_of_object(name)?,
                ResultSet::Type(name) => self.columns_of_type(name)?,
                ResultSet::ForXml => return Err(unimplemented("FOR XML")),
            };
            Ok(ResultSite { columns })
        };
        sets.iter().map(columns).collect()
    }

    fn declared_column(&self, at: usize, column: &ast::ResultColumn) -> SqlResult<ResultColumn> {
        let name = column.name.name.clone();
        let mut ty = self.session.declared_column(&name, &column.ty, at as u32 + 1)?;
        if let Some(collation) = &column.collation {
            if !ty.kind.is_character() {
                return Err(SqlError::new(&message::COLLATE_TYPE_INVALID, &[&ty.kind]));
            }
            if !collation.name.eq_ignore_ascii_case("database_default") {
                ty = ty.with_collation(Collation::by_name(&collation.name)?);
                if ty.kind.is_chars() && ty.collation.info().is_unicode_only() {
                    let name = ty.collation.name();
                    return Err(SqlError::new(&message::COLLATION_UNICODE_ONLY, &[&name]));
                }
            }
        }
        let nullable = column.nullable != Some(false);
        let schemas = self.schemas_of(self.database(), &ty);
        Ok(ResultColumn { name, ty, nullable, base: None, schemas, classified: None })
    }

    /// The columns of a table, view or function. Error 208.
    fn columns_of_object(&self, name: &ast::ObjectName) -> SqlResult<Box<[ResultColumn]>> {
        if let Some((database, table)) = self.find_table(name)? {
            return Ok(self.columns_of(database, &table.columns));
        }
        if let Some((database, id)) = self.find_object(name)? {
            let schema = self.schema(database)?;
            let columns = schema.module(id).and_then(|module| module.columns());
            if let Some(columns) = columns {
                return Ok(self.columns_of(database, columns));
            }
        }
        Err(SqlError::new(&message::INVALID_OBJECT, &[&name.to_string()]))
    }

    /// The columns of a table type. Error 2715.
    fn columns_of_type(&self, name: &ast::ObjectName) -> SqlResult<Box<[ResultColumn]>> {
        let database = self.database();
        let schema = self.schema(database)?;
        let default = self.default_schema(database);
        let found = match &name.schema {
            Some(place) => schema
                .find_schema(&place.name)
                .and_then(|place| schema.find_type(place.id, &name.name.name)),
            None => schema.resolve_type(default, &name.name.name),
        };
        let table = match found.map(|found| &found.kind) {
            Some(TypeDefKind::Table { table }) => schema.table(*table),
            _ => None,
        };
        match table {
            Some(table) => Ok(self.columns_of(database, &table.columns)),
            None => {
                let args: [&dyn std::fmt::Display; 2] = [&1, &name.to_string()];
                Err(SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &args))
            }
        }
    }
}

impl Context<'_> {
    fn columns_of(&self, database: DbId, columns: &[ColumnDef]) -> Box<[ResultColumn]> {
        let column = |def: &ColumnDef| ResultColumn {
            name: def.name.clone(),
            ty: def.ty,
            nullable: def.nullable,
            base: None,
            schemas: self.schemas_of(database, &def.ty),
            classified: None,
        };
        columns.iter().map(column).collect()
    }

    /// The schemas that values of a type of a database follow, as clients are told them.
    pub(super) fn schemas_of(
        &self,
        database: DbId,
        ty: &SqlType,
    ) -> Option<Arc<XmlCollectionName>> {
        let name = || self.instance().database_name(database);
        self.schema(database).ok()?.xml_collection_name(ty, &name)
    }
}

/// Lets result sets pass as they are declared, and everything else as it is.
struct Declared<'s> {
    inner: &'s mut dyn AnswerWriter,
    sets: Vec<ResultSite>,
    /// How many have started.
    sent: usize,
    dates: DateSettings,
    /// Where schema collections are found.
    schema: Option<Arc<Schema>>,
    /// For the values of one row.
    arena: Arena,
}

impl ResultWriter for Declared<'_> {
    fn start(&mut self, task: &Task, result: &ResultSite) -> SqlResult<()> {
        let Some(set) = self.sets.get(self.sent) else {
            let message = &message::NUMBER_OF_RESULT_SETS_EXCEEDED;
            return Err(SqlError::new(message, &[&self.sets.len()]));
        };
        self.sent += 1;
        let (wanted, given) = (set.columns.len(), result.columns.len());
        if wanted != given {
            let args: [&dyn std::fmt::Display; 3] = [&wanted, &self.sent, &given];
            return Err(SqlError::new(&message::NUMBER_OF_RESULT_COLUMNS, &args));
        }
        for (at, (to, from)) in set.columns.iter().zip(&result.columns).enumerate() {
            let (to, from) = (to.ty.kind, from.ty.kind);
            if to != from && base::types::conversion::check_implicit(from, to).is_err() {
                let args: [&dyn std::fmt::Display; 4] = [&to, &(at + 1), &self.sent, &from];
                return Err(SqlError::new(&message::RESULT_COLUMN_TYPE, &args));
            }
        }
        self.inner.start(task, set)
    }

    fn row(&mut self, task: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        self.arena.reset();
        let set = &self.sets[self.sent - 1];
        let collections = self.schema.as_deref().map(|schema| schema as &dyn Collections);
        let options = ConvertOptions {
            dates: self.dates,
            collections,
            spatial: Some(FORMS),
            ..ConvertOptions::default()
        };
        let mut values = Vec::with_capacity(row.len());
        for (at, (to, from)) in set.columns.iter().zip(row.columns()).enumerate() {
            let value = row.value(at);
            if value.is_null() && !to.nullable {
                let args: [&dyn std::fmt::Display; 2] = [&(at + 1), &self.sent];
                return Err(SqlError::new(&message::RESULT_COLUMN_NULL, &args));
            }
            values.push(match from.ty == to.ty {
                true => value,
                // All errors about a value are reported as one.
                false => base::convert(value, &from.ty, &to.ty, &options, &self.arena)
                    .map_err(|_| SqlError::new(&message::CONVERTING_TYPES, &[&from.ty, &to.ty]))?,
            });
        }
        self.inner.row(task, &ValueRow::new(&set.columns, &values).row())
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

impl AnswerWriter for Declared<'_> {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn origins(&mut self, task: &Task, origins: &Origins<'_>) -> SqlResult<()> {
        self.inner.origins(task, origins)
    }

    fn error(&mut self, task: &Task, error: &SqlError) -> SqlResult<()> {
        self.inner.error(task, error)
    }

    fn done(&mut self, task: &Task, done: &StatementDone) -> SqlResult<()> {
        self.inner.done(task, done)
    }

    fn return_status(&mut self, task: &Task, status: i32) -> SqlResult<()> {
        self.inner.return_status(task, status)
    }

    fn output(&mut self, task: &Task, parameter: &OutputParameter<'_>) -> SqlResult<()> {
        self.inner.output(task, parameter)
    }

    fn environment(&mut self, task: &Task, change: &EnvironmentChange<'_>) -> SqlResult<()> {
        self.inner.environment(task, change)
    }

    fn set_text_size(&mut self, bytes: usize) {
        self.inner.set_text_size(bytes);
    }

    fn flush(&mut self, task: &Task) -> SqlResult<()> {
        self.inner.flush(task)
    }
}
