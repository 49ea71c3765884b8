//! The session as running units see it.

use std::sync::Arc;

use base::datetime::DateSettings;
use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, SqlType, TypeKind, Value, ValueRef, message};
use compile::plan::tree;
use engine::catalog::def::TableDef;
use engine::catalog::{CatalogError, SequenceError};
use engine::hot::table::Table;
use engine::hot::visibility::Isolation;
use engine::txn::locks::Reading;
use engine::txn::{Statement, Transaction, TxnError};
use engine::wait::Task;
use ir::function::SessionFacts;
use ir::object::ReadPurpose;
use ir::read::ReadOptions;
use ir::rowset::RowsetId;
use ir::site::{StatementKind, StatementSite};
use ir::unit::TableUse;
use run::interp::lent::Lent;
use run::interp::local::LocalTable;
use run::interp::{
    Host, ModuleCall, Outcome, Reader, Reads, Runtime, TableName, TriggerCall, errors,
};
use tsql::ast::IsolationLevel;

use crate::context::Context;
use crate::response::{ResultsOnly, Silent};
use crate::session::transaction::{OpenAs, OpenStatement};
use crate::session::{SessionState, locking};

impl SessionState {
    /// A statement of this kind, at this level, has succeeded: what it has loaded becomes its
    /// tables' storage.
    pub(crate) fn finish_loads(
        &mut self,
        task: &Task,
        level: usize,
        kind: Option<StatementKind>,
    ) -> SqlResult<()> {
        while let Some((database, table, finished)) = self.transaction.finish_load(task, level) {
            finished.map_err(|error| match (&error, kind) {
                (CatalogError::Transaction(TxnError::ChangedTwice), Some(StatementKind::Merge)) => {
                    SqlError::new(&message::MERGE_SAME_ROW_TWICE, &[])
                }
                _ => self.load_error(error, database, &table),
            })?;
        }
        Ok(())
    }

    fn load_error(&self, error: CatalogError, database: DbId, table: &TableDef) -> SqlError {
        let of_table = |error| errors::of_table(&error, self, database, table);
        error.into_sql().unwrap_or_else(of_table)
    }
}

impl Host for SessionState {
    fn facts(&self) -> &dyn SessionFacts {
        self
    }

    fn dates(&self) -> DateSettings {
        self.options.dates
    }

    fn counts_reads(&self) -> bool {
        self.options.statistics_io
    }

    fn count_reads(&mut self, used: &TableUse, reads: Reads) {
        self.count_table_reads(used, reads);
    }

    fn table(&mut self, _: &Task, database: DbId, table: &TableDef) -> SqlResult<Arc<Table>> {
        let found = self.access(database)?.catalog.table(table);
        found.ok_or_else(|| SqlError::new(&message::DEFINITION_CHANGED, &[&table.header.name]))
    }

    fn transaction(&mut self, database: DbId) -> SqlResult<&mut Transaction> {
        self.transaction.part(database).ok_or_else(not_entered)
    }

    fn reader(
        &mut self,
        database: DbId,
        table: &TableDef,
        options: &ReadOptions,
        purpose: ReadPurpose,
    ) -> SqlResult<Reader<'_>> {
        let part = self.transaction.part(database).ok_or_else(not_entered)?;
        let open = self.statements.last().ok_or_else(not_entered)?;
        let statement = open.latest(database).ok_or_else(not_entered)?;
        let read = statement.snapshot().isolation();
        if !table.kind.is_memory_optimized() {
            let (level, mut snapshot) = (open.disk_level(database), *statement.snapshot());
            let is_private = crate::ddl::is_private(&table.header.name);
            let changes = matches!(purpose, ReadPurpose::Change | ReadPurpose::Merge);
            // Of a local temporary table nothing is newer than what its session sees.
            let as_seen = match purpose {
                _ if !changes || read == Isolation::Snapshot => purpose != ReadPurpose::Merge,
                _ => purpose == ReadPurpose::Change && is_private,
            };
            let plain = as_seen && *options == ReadOptions::default();
            if level.reads_versions() && plain {
                return Ok(Reader { snapshot, reading: Reading::Versions, transaction: part });
            }
            let reading = locking::reading(level, options, purpose, table.lock_escalation)?;
            let locks = |hint| hint != tree::Isolation::Snapshot;
            if options.newest || options.isolation.is_some_and(locks) {
                // Even in a transaction at SNAPSHOT.
                snapshot = part.newest_snapshot(statement);
            }
            return Ok(Reader { snapshot, reading, transaction: part });
        }
        let mut wanted = match purpose {
            ReadPurpose::Query => {
                options.isolation.map_or(read, |hint| engine_isolation(hint).max(read))
            }
            _ => read,
        };
        wanted = wanted.max(Isolation::Snapshot);
        let snapshot = match wanted == read {
            true => *statement.snapshot(),
            false => part.elevated(statement, wanted),
        };
        Ok(Reader { snapshot, reading: Reading::Versions, transaction: part })
    }

    fn advance(&mut self, _: &Task) -> SqlResult<()> {
        let Some(open) = self.statements.last_mut() else { return Ok(()) };
        for database in open.databases() {
            let opened_as = open.opened_as(database);
            if let (Some(part), Some(how)) = (self.transaction.part(database), opened_as) {
                open.push(database, part.begin_statement(how.isolation, how.at), how);
            }
        }
        Ok(())
    }

    fn retreat(&mut self) -> SqlResult<()> {
        if let Some(open) = self.statements.last_mut() {
            open.pop(&mut self.transaction);
        }
        Ok(())
    }

    fn note_identity(
        &mut self,
        task: &Task,
        database: DbId,
        table: &Table,
        value: i64,
    ) -> SqlResult<()> {
        let access = self.access(database)?;
        let noted = access.catalog.database().observe_identity(task, table, value);
        let covered_by = noted.map_err(|error| self.instance.engine_error(database, &error))?;
        access.place.note_shown(covered_by);
        Ok(())
    }

    fn begin_load(&mut self, task: &Task, used: &TableUse) -> SqlResult<()> {
        let levels = [Some(self.options.isolation), self.transaction.began_at()];
        if levels.contains(&Some(IsolationLevel::Snapshot)) {
            // The successor has what is committed, which may be newer than the transaction's
            // snapshot.
            return Ok(());
        }
        let (catalog, level) = (self.catalog(used.database)?, self.statements.len());
        let (part, edit) = self.transaction.edit(used.database, &catalog);
        let begun = edit.begin_load(task, part, used.table.id(), level);
        begun.map(drop).map_err(|error| self.load_error(error, used.database, &used.table))
    }

    fn load(
        &mut self,
        task: &Task,
        used: &TableUse,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> SqlResult<()> {
        let catalog = self.catalog(used.database)?;
        let (_, edit) = self.transaction.edit(used.database, &catalog);
        let loaded = edit.load(task, old, new);
        loaded.map_err(|error| self.load_error(error, used.database, &used.table))
    }

    fn note_arithmetic_error(&mut self, error: &SqlError) {
        let notes = &mut self.arithmetic;
        match error.number() {
            number if number == message::DIVIDE_BY_ZERO.number => notes.divided_by_zero = true,
            number if number == message::INVALID_FLOATING_POINT.number => notes.undefined = true,
            _ => notes.overflowed = true,
        }
    }

    fn next_row_version(&mut self, task: &Task, database: DbId) -> SqlResult<[u8; 8]> {
        let access = self.access(database)?;
        match access.catalog.sequences().next_row_version(task) {
            Ok(taken) => {
                access.place.note_shown(taken.covered_by);
                Ok(taken.first.to_be_bytes())
            }
            Err(error) => Err(self.sequence_error(database, ObjectId(0), error)),
        }
    }

    fn next_value(&mut self, task: &Task, sequence: ObjectId) -> SqlResult<Value> {
        let database = self.unit_database();
        let access = self.access(database)?;
        let value = access.catalog.sequences().next(task, &access.place, sequence);
        let value = value.map_err(|error| self.sequence_error(database, sequence, error))?;
        let schema = self.schema(database)?;
        let ty = schema.sequence(sequence).map_or(SqlType::bigint(), |s| s.ty);
        Ok(match ty.kind {
            TypeKind::Decimal | TypeKind::Numeric => Value::Decimal(i128::from(value)),
            _ => Value::Int(value),
        })
    }

    fn pool_name(&self, database: DbId) -> Arc<str> {
        self.instance.pool_name(database)
    }

    fn log_wait(&self, database: DbId) -> &'static str {
        self.instance.log_wait(database).description()
    }

    fn table_name(&self, database: Option<DbId>, table: &TableDef) -> TableName {
        let name = &table.header.name;
        let Some(database) = database else {
            return TableName { database: "tempdb".into(), table: name.to_string() };
        };
        let place = self
            .schema(database)
            .ok()
            .and_then(|s| s.schemas().get(table.header.schema).map(|schema| schema.name.clone()));
        let place = place.unwrap_or_else(|| "dbo".into());
        let shown = self.instance.database_name(database).to_string();
        TableName { database: shown, table: format!("{place}.{name}") }
    }

    fn call_function(
        &mut self,
        task: &Task,
        runtime: &mut Runtime,
        function: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
    ) -> SqlResult<Value> {
        let database = self.unit_database();
        let mut silent = Silent;
        let mut writer = ResultsOnly(&mut silent);
        let mut context = Context { task, session: self, runtime, writer: &mut writer };
        context.scalar_function(database, function, args)
    }

    fn call_table_function(
        &mut self,
        task: &Task,
        runtime: &mut Runtime,
        function: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
        rows: &mut LocalTable,
    ) -> SqlResult<()> {
        let database = self.unit_database();
        let mut silent = Silent;
        let mut writer = ResultsOnly(&mut silent);
        let mut context = Context { task, session: self, runtime, writer: &mut writer };
        context.table_function(database, function, args, rows)
    }

    fn fill_view(
        &mut self,
        task: &Task,
        database: DbId,
        view: RowsetId,
        rows: &mut LocalTable,
    ) -> SqlResult<()> {
        crate::names::system::fill(self, task, database, view, rows)
    }

    fn lend(&mut self) -> Option<Lent> {
        self.lend_to_native()
    }

    fn take_back(&mut self, lent: Lent) {
        self.take_back_from_native(lent);
    }

    fn statement_began(&mut self) {
        self.note_time();
    }

    fn statement_succeeded(&mut self, statement: &StatementSite, outcome: &Outcome) {
        self.note_success(statement, outcome);
    }

    fn begin_statement(&mut self, task: &Task, statement: &StatementSite) -> SqlResult<()> {
        self.begin_native_statement(task, statement)
    }

    fn end_statement(
        &mut self,
        task: &Task,
        statement: &StatementSite,
        outcome: &Outcome,
    ) -> SqlResult<()> {
        self.end_native_statement(task, statement, outcome)
    }

    fn fire_triggers(&mut self, task: &Task, call: TriggerCall<'_>) -> SqlResult<()> {
        self.fire_native(task, call)
    }

    fn begin_atomic(&mut self, _: &Task, depth: u16) -> SqlResult<()> {
        self.begin_native_block(depth)
    }

    fn end_atomic(&mut self, _: &Task, depth: u16) -> SqlResult<()> {
        self.end_native_block(depth)
    }

    fn catch(&mut self, task: &Task, error: SqlError, atomic_depth: u16) -> SqlResult<()> {
        self.catch_native(task, error, atomic_depth)
    }

    fn end_catch(&mut self) {
        self.level_mut().caught.pop();
    }

    fn caught(&self) -> SqlError {
        let caught = self.levels.last().and_then(|level| level.caught.last());
        caught.cloned().unwrap_or_else(|| SqlError::new(&message::THROW_OUTSIDE_CATCH, &[]))
    }

    fn call_module(&mut self, task: &Task, call: ModuleCall<'_>) -> SqlResult<()> {
        self.call_native(task, call)
    }
}

impl SessionState {
    /// The database that the unit which runs was compiled in.
    fn unit_database(&self) -> DbId {
        self.statements.last().map_or(self.name_database(), |open| open.database)
    }

    /// Errors 11728 and 11732, and those of logging.
    pub(crate) fn sequence_error(
        &self,
        database: DbId,
        sequence: ObjectId,
        error: SequenceError,
    ) -> SqlError {
        match error {
            SequenceError::Transaction(error) => self.instance.engine_error(database, &error),
            SequenceError::Dropped => SqlError::new(&message::INVALID_OBJECT, &[&""]),
            _ => {
                let schema = self.schema(database).ok();
                let name = schema.and_then(|s| s.sequence(sequence).map(|d| d.header.name.clone()));
                let name = name.unwrap_or_else(|| "".into());
                let message = match error {
                    SequenceError::RangeTooLarge => &message::SEQUENCE_RANGE_TOO_LARGE,
                    _ => &message::SEQUENCE_EXHAUSTED,
                };
                SqlError::new(message, &[&name])
            }
        }
    }

    /// Opens a statement in a database that the transaction has entered.
    pub(crate) fn open_in(
        &mut self,
        open: &mut OpenStatement,
        database: DbId,
        how: OpenAs,
    ) -> SqlResult<()> {
        let part = self.transaction.part(database).ok_or_else(not_entered)?;
        let statement: Statement = part.begin_statement(how.isolation, how.at);
        open.push(database, statement, how);
        Ok(())
    }

    /// The session enters a database with its transaction.
    pub(crate) fn enter(&mut self, task: &Task, database: DbId) -> SqlResult<&mut Transaction> {
        let place = self.access(database)?.place.clone();
        let instance = &self.instance;
        let entered = self.transaction.enter(task, database, &place);
        entered.map_err(|error| instance.engine_error(database, &error))
    }
}

/// The engine's level for a hint.
pub(crate) fn engine_isolation(level: tree::Isolation) -> Isolation {
    match level {
        tree::Isolation::ReadUncommitted | tree::Isolation::ReadCommitted => {
            Isolation::ReadCommitted
        }
        tree::Isolation::RepeatableRead => Isolation::RepeatableRead,
        tree::Isolation::Snapshot => Isolation::Snapshot,
        tree::Isolation::Serializable => Isolation::Serializable,
    }
}

#[cold]
fn not_entered() -> SqlError {
    ir::internal("a unit touches a database in which no statement is open")
}
