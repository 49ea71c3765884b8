//! The environment in which tests of lowering and interpreter run units: a database without a log,
//! and a session that only has a transaction.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use base::datetime::DateSettings;
use base::ids::{DbId, ObjectId, SessionId, StorageId};
use base::{SqlError, SqlResult, SqlType, Value, ValueRef};
use crossbeam_epoch::Collector;
use engine::catalog::def::*;
use engine::database::{Database, Host as EngineHost};
use engine::hot::cursor::{Cursor, ScanRange};
use engine::hot::filter::RowFilter;
use engine::hot::index::Direction;
use engine::hot::key::KeyColumn as EngineKeyColumn;
use engine::hot::table::{
    ConflictPolicy, IdentitySpec, IndexKind as EngineIndexKind, IndexSpec, Table, TableSpec,
};
use engine::hot::visibility::Isolation;
use engine::txn::locks::{LockMode, Locking, Reach, Reading};
use engine::txn::{DatabaseSession, Durability, ReadAt, Statement, Transaction};
use engine::wait::{Runtime as WaitRuntime, RuntimeOptions, Task, ThreadTimer};
use ir::Unit;
use ir::function::SessionFacts;
use ir::object::ReadPurpose;
use ir::read::ReadOptions;
use ir::rowset::RowsetId;
use ir::site::{ResultSite, StatementSite};

use crate::func::testing::TestSession;
use crate::interp::host::{Host, ModuleCall, OutputRow, Reader, ResultWriter, TableName};
use crate::interp::local::LocalTable;
use crate::interp::memory::Grant;
use crate::interp::spill::{SpillOptions, SpillSpace};
use crate::interp::{Execution, Frame, Outcome, Runtime, Transition, TriggerCall};

pub use ir::testing::*;

/// A test's stand-in for a user's function.
type UserFunction = fn(&[Value]) -> SqlResult<Value>;

/// A database and a session in it.
pub struct TestDatabase {
    wait: WaitRuntime,
    database: Arc<Database>,
    session: Arc<DatabaseSession>,
    tables: HashMap<StorageId, Arc<Table>>,
    runtime: Runtime,
    pub isolation: Isolation,
    /// What the session's user functions do, by id.
    pub functions: HashMap<ObjectId, UserFunction>,
    /// What happened to statements of native modules.
    pub trace: Vec<String>,
    pub row_limit: Option<u64>,
    next_value: i64,
    /// New rows that another session commits once the next statement has begun to read.
    interference: Option<(Arc<Table>, Vec<Vec<u8>>)>,
    host: EngineHost,
}

/// A space of small blocks in a directory of its own, which goes with it.
pub struct SpillPlace {
    directory: PathBuf,
    pub space: Arc<SpillSpace>,
}

impl SpillPlace {
    pub fn new(block_bytes: usize, object_min_bytes: usize) -> SpillPlace {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let name = format!("spill-{}-{}", std::process::id(), LAST.fetch_add(1, Relaxed));
        let directory = std::env::temp_dir().join(name);
        let options = SpillOptions {
            block_bytes,
            object_min_bytes,
            threads: 2,
            ..SpillOptions::new(&directory)
        };
        let space = SpillSpace::open(&env::Env::real(), options).unwrap();
        SpillPlace { directory, space }
    }

    /// No file is left once all that was handed over is done.
    pub fn end(self) {
        assert_eq!(self.space.usage().bytes, 0);
        drop(self.space);
        let env = env::Env::real();
        assert_eq!(env.fs().list(&self.directory).unwrap().len(), 0);
        env.fs().remove_dir_all(&self.directory).unwrap();
    }
}

/// A session that runs one unit.
struct Session<'d> {
    task: &'d Task<'static>,
    database: &'d Arc<Database>,
    tables: &'d HashMap<StorageId, Arc<Table>>,
    functions: &'d HashMap<ObjectId, UserFunction>,
    trace: &'d mut Vec<String>,
    next_value: &'d mut i64,
    isolation: Isolation,
    transaction: Transaction,
    statements: Vec<Statement>,
    caught: Option<SqlError>,
    facts: TestSession,
}

impl ResultWriter for Collected {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        self.results += 1;
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        self.rows.push(row.values().map(ValueRef::to_owned).collect());
        Ok(())
    }

    fn inform(&mut self, _: &Task, message: &SqlError) -> SqlResult<()> {
        self.messages.push(message.number());
        Ok(())
    }
}

/// Drops what a run sends.
struct Dropped;

impl ResultWriter for Dropped {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        Ok(())
    }

    fn row(&mut self, _: &Task, _: &OutputRow<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn inform(&mut self, _: &Task, _: &SqlError) -> SqlResult<()> {
        Ok(())
    }
}

impl TestDatabase {
    pub fn new() -> TestDatabase {
        let timer = Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let wait = WaitRuntime::new(env::Env::real(), Collector::new(), timer, options);
        let host = EngineHost::new(wait.clone(), 2, u64::MAX);
        let database = Arc::new(Database::unlogged(&host, DB, host.tables(u64::MAX)));
        let session = database.session(&host.owner(SessionId(51)));
        TestDatabase {
            wait,
            database,
            session,
            tables: HashMap::new(),
            runtime: Runtime::new(Grant::new(64 << 20, "default")),
            isolation: Isolation::ReadCommitted,
            functions: HashMap::new(),
            trace: Vec::new(),
            row_limit: None,
            next_value: 100,
            interference: None,
            host,
        }
    }

    /// Makes another session replace rows (by their first column) and commit when the next
    /// statement has taken its snapshot.
    pub fn interfere_with(&mut self, def: &TableDef, rows: &[Vec<Value>]) {
        let table = self.tables[&def.storage].clone();
        let rows = rows.iter().map(|r| table.layout().build_owned(r)).collect();
        self.interference = Some((table, rows));
    }

    fn interfere(&mut self) {
        let Some((table, rows)) = self.interference.take() else { return };
        let task = Task::blocking(&self.wait);
        let session = self.database.session(&self.host.owner(SessionId(52)));
        let mut other = Transaction::begin(&session, &task).unwrap();
        let mut statement = other.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        for new in rows {
            let index = table.log_index();
            let all = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
            let mut cursor = all;
            while let Some(row) = cursor.next(&mut other, &task, &table).unwrap() {
                let same =
                    |a: &[u8], b: &[u8]| table.layout().get(a, 0) == table.layout().get(b, 0);
                if same(other.row(row), &new) {
                    other.update(&task, &snapshot, row, &new).unwrap();
                }
            }
        }
        other.end_statement(&mut statement);
        other.commit(&task, Durability::Full).unwrap();
    }

    /// Makes the engine's table of a definition.
    pub fn create(&mut self, def: &TableDef) {
        let table = self.database.manager().create_table(&spec(def));
        self.tables.insert(def.storage, table);
    }

    /// Limits what statements may hold in memory; nothing spills.
    pub fn limit_memory(&mut self, bytes: usize) {
        self.runtime.grant = Grant::new(bytes, "default");
    }

    /// Lets objects that can spill do so beyond such a limit.
    pub fn spill(&mut self, bytes: usize, space: &Arc<SpillSpace>) {
        self.runtime.grant = Grant::new(64 << 20, "default").with_spill(space.clone());
        self.runtime.grant.set_granted(bytes);
    }

    /// The most that objects have held since the limit was set.
    pub fn memory_most(&self) -> usize {
        self.runtime.grant.usage().most.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// What objects hold, without what is kept for the next run.
    pub fn memory_used(&mut self) -> usize {
        self.runtime.forget_idle();
        self.runtime.grant.used()
    }

    /// Runs a unit with `f` in a statement and a transaction of its own.
    fn with<T>(
        &mut self,
        frame: &mut Frame,
        writer: &mut dyn ResultWriter,
        f: impl FnOnce(&mut Execution<'_>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let task = Task::blocking(&self.wait);
        let mut transaction = Transaction::begin(&self.session, &task).unwrap();
        let first = transaction.begin_statement(self.isolation, ReadAt::Committed);
        self.interfere();
        let mut session = Session {
            task: &task,
            database: &self.database,
            tables: &self.tables,
            functions: &self.functions,
            trace: &mut self.trace,
            next_value: &mut self.next_value,
            isolation: self.isolation,
            transaction,
            statements: vec![first],
            caught: None,
            facts: TestSession::default(),
        };
        let mut execution = Execution {
            task: &task,
            host: &mut session,
            runtime: &mut self.runtime,
            frame,
            writer,
            row_limit: self.row_limit,
        };
        let result = f(&mut execution);
        match &result {
            Ok(_) => session.end_statements(),
            Err(_) => session.roll_back_statements(),
        }
        let transaction = session.transaction;
        if result.is_ok() {
            transaction.commit(&task, Durability::Full).unwrap();
        }
        result
    }

    /// Gives `f` a way to run units again and again in one statement; what they send is dropped.
    pub fn batch(&mut self, frame: &mut Frame, f: impl FnOnce(&mut dyn FnMut(&Unit))) {
        let mut writer = Dropped;
        self.with(frame, &mut writer, |execution| {
            f(&mut |unit| drop(crate::interp::run(unit, execution).unwrap()));
            Ok(())
        })
        .unwrap();
    }

    pub fn run_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<(Collected, Outcome)> {
        let mut writer = Collected::default();
        let outcome = self.with(frame, &mut writer, |e| crate::interp::run(unit, e))?;
        Ok((writer, outcome))
    }

    /// The value of a lowered expression.
    pub fn evaluate_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<Value> {
        self.with(frame, &mut Dropped, |e| crate::interp::evaluate(unit, e))
    }

    /// Whether a lowered condition is true.
    pub fn test_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<bool> {
        self.with(frame, &mut Dropped, |e| crate::interp::test(unit, e))
    }
}

impl RunsUnits for TestDatabase {
    type Frame = Frame;
    type Outcome = Outcome;

    fn create(&mut self, def: &TableDef) {
        TestDatabase::create(self, def);
    }

    fn run_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<(Collected, Outcome)> {
        TestDatabase::run_unit(self, unit, frame)
    }

    fn evaluate_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<Value> {
        TestDatabase::evaluate_unit(self, unit, frame)
    }

    fn test_unit(&mut self, unit: &Unit, frame: &mut Frame) -> SqlResult<bool> {
        TestDatabase::test_unit(self, unit, frame)
    }
}

impl Session<'_> {
    fn open_statement(&mut self) {
        let statement = self.transaction.begin_statement(self.isolation, ReadAt::Committed);
        self.statements.push(statement);
    }

    fn end_statements(&mut self) {
        while let Some(mut statement) = self.statements.pop() {
            self.transaction.end_statement(&mut statement);
        }
    }

    fn roll_back_statements(&mut self) {
        while let Some(mut statement) = self.statements.pop() {
            self.transaction.rollback_statement(self.task, &mut statement);
        }
    }
}

fn engine_error(error: engine::txn::TxnError) -> SqlError {
    crate::interp::errors::from_message(&error, &[])
}

impl Host for Session<'_> {
    fn facts(&self) -> &dyn SessionFacts {
        &self.facts
    }

    fn dates(&self) -> DateSettings {
        DateSettings::default()
    }

    fn table(&mut self, _: &Task, _: DbId, table: &TableDef) -> SqlResult<Arc<Table>> {
        Ok(self.tables[&table.storage].clone())
    }

    fn transaction(&mut self, _: DbId) -> SqlResult<&mut Transaction> {
        Ok(&mut self.transaction)
    }

    fn reader(
        &mut self,
        _: DbId,
        table: &TableDef,
        options: &ReadOptions,
        _: ReadPurpose,
    ) -> SqlResult<Reader<'_>> {
        let statement = self.statements.last().expect("a statement is open");
        let elevated =
            table.kind.is_memory_optimized() && self.isolation == Isolation::ReadCommitted;
        let snapshot = match elevated {
            true => self.transaction.elevated(statement, Isolation::Snapshot),
            false => *statement.snapshot(),
        };
        let reading = match options.newest && !table.kind.is_memory_optimized() {
            true => Reading::Locked(Locking {
                mode: LockMode::SHARED,
                reach: Reach::Instant,
                table: None,
                skip: false,
                no_wait: false,
                escalate: false,
            }),
            false => Reading::Versions,
        };
        Ok(Reader { snapshot, reading, transaction: &mut self.transaction })
    }

    fn advance(&mut self, _: &Task) -> SqlResult<()> {
        self.open_statement();
        Ok(())
    }

    fn retreat(&mut self) -> SqlResult<()> {
        if let Some(mut statement) = self.statements.pop() {
            self.transaction.end_statement(&mut statement);
        }
        Ok(())
    }

    fn note_identity(&mut self, task: &Task, _: DbId, table: &Table, value: i64) -> SqlResult<()> {
        self.database.observe_identity(task, table, value).map(drop).map_err(engine_error)
    }

    fn next_row_version(&mut self, _: &Task, _: DbId) -> SqlResult<[u8; 8]> {
        *self.next_value += 1;
        Ok(self.next_value.to_be_bytes())
    }

    fn next_value(&mut self, _: &Task, _: ObjectId) -> SqlResult<Value> {
        *self.next_value += 1;
        Ok(Value::Int(*self.next_value))
    }

    fn table_name(&self, database: Option<DbId>, table: &TableDef) -> TableName {
        let name = &table.header.name;
        match database {
            Some(_) => TableName { database: "db".into(), table: format!("dbo.{name}") },
            None => TableName { database: "tempdb".into(), table: name.to_string() },
        }
    }

    fn call_function(
        &mut self,
        _: &Task,
        _: &mut Runtime,
        function: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
    ) -> SqlResult<Value> {
        let args: Vec<Value> =
            args.iter().map(|a| a.map_or(Value::Null, |(v, _)| v.to_owned())).collect();
        self.functions[&function](&args)
    }

    fn call_table_function(
        &mut self,
        _: &Task,
        _: &mut Runtime,
        _: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
        rows: &mut LocalTable,
    ) -> SqlResult<()> {
        // As many rows as the argument says.
        if let Some((ValueRef::Int(count), _)) = args[0] {
            for i in 1..=count {
                rows.push_values(&[ValueRef::Int(i)]);
            }
        }
        Ok(())
    }

    fn fill_view(
        &mut self,
        _: &Task,
        _: DbId,
        _: RowsetId,
        rows: &mut LocalTable,
    ) -> SqlResult<()> {
        rows.push_values(&[ValueRef::Int(42)]);
        Ok(())
    }

    fn begin_statement(&mut self, _: &Task, site: &StatementSite) -> SqlResult<()> {
        self.end_statements();
        self.trace.push(format!("begin {:?}", site.kind));
        self.open_statement();
        Ok(())
    }

    fn end_statement(
        &mut self,
        _: &Task,
        site: &StatementSite,
        outcome: &Outcome,
    ) -> SqlResult<()> {
        self.end_statements();
        self.trace.push(format!("end {:?} {}", site.kind, outcome.rows));
        Ok(())
    }

    fn fire_triggers(&mut self, _: &Task, call: TriggerCall<'_>) -> SqlResult<()> {
        for &at in &call.statement.transitions {
            let Transition { kind, inserted, deleted, .. } = &call.transitions[usize::from(at)];
            self.trace.push(format!("triggers {kind:?} {} {}", inserted.len(), deleted.len()));
        }
        Ok(())
    }

    fn begin_atomic(&mut self, _: &Task, depth: u16) -> SqlResult<()> {
        self.trace.push(format!("atomic {depth}"));
        Ok(())
    }

    fn end_atomic(&mut self, _: &Task, depth: u16) -> SqlResult<()> {
        self.trace.push(format!("end atomic {depth}"));
        Ok(())
    }

    fn catch(&mut self, _: &Task, error: SqlError, depth: u16) -> SqlResult<()> {
        self.roll_back_statements();
        self.trace.push(format!("catch {} line {} depth {depth}", error.number(), error.line()));
        self.caught = Some(error);
        Ok(())
    }

    fn end_catch(&mut self) {
        self.caught = None;
    }

    fn caught(&self) -> SqlError {
        self.caught.clone().expect("THROW stands in a CATCH block")
    }

    fn call_module(&mut self, _: &Task, call: ModuleCall<'_>) -> SqlResult<()> {
        let values: Vec<Value> = call.values.iter().map(|v| ValueRef::to_owned(*v)).collect();
        self.trace.push(format!("call {:?} {values:?}", call.site.module));
        if let Some(status) = call.site.status {
            call.frame.set(status, ValueRef::Int(7));
        }
        Ok(())
    }
}

/// What the engine makes a table of a definition from.
fn spec(def: &TableDef) -> TableSpec {
    let place = |column| def.layout_position(def.column_ordinal(column).unwrap()).unwrap();
    let index = |index: &IndexDef| IndexSpec {
        kind: match index.kind {
            IndexKind::Hash => EngineIndexKind::Hash { bucket_count: 16 },
            _ => EngineIndexKind::Range,
        },
        columns: (index.key.iter())
            .map(|key| EngineKeyColumn {
                column: place(key.column),
                descending: key.descending,
                nullable: def.column(key.column).unwrap().nullable,
            })
            .collect(),
        unique: index.unique,
        filter: None::<RowFilter>,
    };
    TableSpec {
        logged: false,
        conflicts: match def.kind.is_memory_optimized() {
            true => ConflictPolicy::FirstWriterWins,
            false => ConflictPolicy::Wait,
        },
        identity: def.identity_column().and_then(|(_, c)| c.identity).map(|i| IdentitySpec {
            seed: i.seed,
            increment: i.increment,
            block: 1000,
        }),
        ..TableSpec::new(
            def.storage,
            def.stored_columns().map(|c| c.ty).collect(),
            def.indexes.iter().map(index).collect(),
        )
    }
}
