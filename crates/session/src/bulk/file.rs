//! `BULK INSERT` from a file.

use std::sync::Arc;

use base::xml::schema::Collections;
use base::{Arena, SqlError, SqlResult, TypeKind, message};
use engine::catalog::def::{Permission, TableDef};
use ir::function::facts::StatementPace;
use tsql::ast;

use crate::bulk::load::{self, Loader};
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::response::command;
use crate::rowfile::format::{HostField, Takers};
use crate::rowfile::options::Options;
use crate::rowfile::reading::{Plan, Reader, Refusal, Surroundings, Taker, host_fields};
use crate::session::loads::Load;

impl Context<'_> {
    /// `BULK INSERT`.
    pub(crate) fn bulk_insert(&mut self, statement: &ast::BulkInsert) -> Run<()> {
        let options = Options::of(&statement.options)?;
        if !self.login_may(Permission::AdministerBulkOperations) {
            return Err(SqlError::new(&message::BULK_PERMISSION, &[]).into());
        }
        let (database, table) = load::find(self, &statement.table)?;
        let hosts = self.table_fields(&options, &table)?;
        let columns: Vec<Option<usize>> = match hosts.is_empty() {
            true => (0..table.columns.len()).map(Some).collect(),
            false => hosts.iter().map(|host| host.column).collect(),
        };
        let columns: Vec<Option<usize>> = (columns.into_iter())
            .map(|column| column.filter(|at| takes(&table, &options, *at)))
            .collect();
        let load = Load {
            name: statement.table.clone(),
            database,
            columns: columns.iter().copied().flatten().collect(),
            table: table.clone(),
            check_constraints: options.check_constraints,
            fire_triggers: options.fire_triggers,
            keep_nulls: options.keep_nulls,
            batch_rows: options.batch_rows,
        };
        let takers = takers_of(&table, &options, &columns);
        let plan = Arc::new(Plan { path: statement.file.clone(), options, takers, hosts });
        let instance = self.instance();
        let reader = Reader::open(&plan, instance.env().fs(), instance.files())?;
        let mut loader = Loader::begin(self, load)?;
        let reader = match self.load_file(reader, &mut loader) {
            Ok(reader) => reader,
            Err(fault) => {
                loader.abandon(self);
                return Err(fault);
            }
        };
        let count = loader.finish(self)?;
        reader.finish()?;
        self.session.left.row_count = count as i64;
        Ok(self.done(command::BULK, Some(count))?)
    }

    /// The fields that a format file describes; none without one.
    fn table_fields(&self, options: &Options, table: &TableDef) -> SqlResult<Vec<HostField>> {
        let Some(path) = &options.format_file else { return Ok(Vec::new()) };
        let instance = self.instance();
        let (fs, rules) = (instance.env().fs(), instance.files());
        host_fields(fs, rules, path, Takers::Table(table.columns.len()), &StatementPace(self.task))
    }

    /// Loads the rows of a file.
    fn load_file(&mut self, mut reader: Reader, loader: &mut Loader) -> Run<Reader> {
        let mut arena = Arena::new();
        while self.reading(|fs, pace, report| reader.advance(fs, pace, report))? {
            let load = loader.load();
            let is_typed = |at: &usize| load.table.columns[*at].ty.xml_use().is_some();
            let typed = load.columns.iter().any(is_typed);
            let schema = typed.then(|| self.schema(load.database).ok()).flatten();
            let collections = schema.as_deref().map(|schema| schema as &dyn Collections);
            let around = Surroundings { dates: self.session.options.dates, collections };
            let refusal: Option<Refusal> = match reader.values(around, &arena) {
                Ok(values) => {
                    loader.row(self, &values)?;
                    None
                }
                Err(refusal) => Some(refusal),
            };
            if let Some(refusal) = refusal {
                self.reading(|fs, _, report| reader.refuse(refusal, fs, report))?;
            }
            arena.reset();
        }
        Ok(reader)
    }

    /// Does something with a file that reports to the client.
    fn reading<T>(
        &mut self,
        read: impl FnOnce(
            &dyn env::FileSystem,
            &dyn base::Pace,
            &mut ir::function::stream::Report<'_>,
        ) -> SqlResult<T>,
    ) -> Run<T> {
        let instance = self.instance().clone();
        let pace = StatementPace(self.task);
        let mut lost = None;
        let report = &mut |error: &SqlError| {
            self.report(error).map_err(|fault| lost.insert(fault).error.clone())
        };
        let done = read(instance.env().fs(), &pace, report);
        done.map_err(|error| lost.unwrap_or_else(|| Fault::from(error)))
    }
}

/// What takes each field: the table's column, if any.
fn takers_of(table: &TableDef, options: &Options, columns: &[Option<usize>]) -> Vec<Option<Taker>> {
    let mut place = 0;
    let mut taker = |column: &Option<usize>| {
        let column = &table.columns[(*column)?];
        place += 1;
        let has_default = column.default_text().is_some() && !options.keep_nulls;
        let takes_null = column.nullable || has_default;
        Some(Taker { place: place - 1, name: column.name.clone(), ty: column.ty, takes_null })
    };
    columns.iter().map(&mut taker).collect()
}

/// Whether a column takes what the file has for it.
fn takes(table: &TableDef, options: &Options, at: usize) -> bool {
    let column = &table.columns[at];
    column.computed.is_none()
        && column.ty.kind != TypeKind::RowVersion
        && table.generated(column.id).is_none()
        && (options.keep_identity || column.identity.is_none())
}
