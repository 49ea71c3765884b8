//! A server for tests: an instance on a simulated disk, sessions, answers as text.
//!
//! ```text
//! let server = TestServer::new();
//! assert_eq!(server.session().run("select 1 as a"), "a\n1\n(1 row)");
//! ```
//!
//! An answer has a line with the names of columns and a line for each row, values separated by `|`;
//! `(n rows)` for what counts rows; messages by their text; errors as `Msg 208, Level 16, State 1,
//! Line 1: …`; `return n` for statuses that are not 0, `@a = v` for output parameters.

pub mod power;
pub mod scripts;
mod timer;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use base::convert::display;
use base::datetime::US_ENGLISH;
use base::ids::{DbId, Lsn};
use base::{Collation, SqlError, SqlResult, SqlType, Value};
use crossbeam_epoch::Collector;
use engine::database::{Database, Host};
use engine::instance::{Databases, InstanceOptions as DatabaseOptions, NewInstance};
use engine::sink::SinkOptions;
use engine::wait::{Interrupted, Runtime, RuntimeOptions, Task};
use env::sim::SimEnv;

use self::timer::SimTimer;
use super::files::FileRules;
use super::instance::compiler::HOT;
use super::instance::login::{Authenticated, Passwords};
use super::instance::memory::StatementMemory;
use super::instance::sessions::ClientInfo;
use super::instance::{Instance, InstanceOptions};
use super::options::ClientKind;
use super::request::{RpcArg, RpcCall, RpcProcedure, RpcValue};
use super::session::{LoginOptions, Session};
use crate::admin::backup::history;
use crate::response::{
    After, AnswerWriter, EnvironmentChange, OutputParameter, StatementDone, command,
};
use ir::function::facts::{Connection, ServerFacts};
use ir::site::ResultSite;
use run::interp::{OutputRow, ResultWriter};

/// A server on a simulated disk.
pub struct TestServer {
    /// The server.
    pub instance: Arc<Instance>,
    pub(super) task: Task<'static>,
    /// The position up to which [`TestServer::sink_changed`] has sunk the rows of each database.
    sunk: Mutex<HashMap<DbId, Lsn>>,
}

/// A session on it.
pub struct TestSession<'s> {
    server: &'s TestServer,
    /// `None` once it is closed.
    session: Option<Session>,
    /// What became of the connection with the last request.
    pub after: After,
}

/// Passwords as they are.
struct PlainPasswords;

impl Passwords for PlainPasswords {
    fn hash(&self, password: &str) -> Box<[u8]> {
        password.as_bytes().into()
    }

    fn verify(&self, password: &str, hash: &[u8]) -> bool {
        password.as_bytes() == hash
    }
}

impl TestServer {
    /// A new server.
    pub fn new() -> TestServer {
        TestServer::on(&SimEnv::new(7))
    }

    /// The server on a simulated disk; a new one if the disk is empty.
    pub fn on(sim: &SimEnv) -> TestServer {
        TestServer::with(sim, |_| {})
    }

    /// As `on`, with other options.
    pub fn with(sim: &SimEnv, change: impl FnOnce(&mut InstanceOptions)) -> TestServer {
        let timer = Arc::new(SimTimer::new(sim.env()));
        let runtime = Runtime::new(sim.env(), Collector::new(), timer, RuntimeOptions::default());
        let host = Host::new(runtime, 2, u64::MAX);
        let task = Task::blocking(&host.runtime);
        let dir = Path::new("/srv/data");
        let new = NewInstance { collation: Collation::DEFAULT, sa_password_hash: None };
        let mut options = DatabaseOptions { recovery_threads: 1, ..DatabaseOptions::default() };
        // Less to write for each of the server's databases.
        options.database.segments.first_bytes = 1 << 20;
        if scripts::everything_sinks() {
            let (start_bytes, interval_ns, age_ns) = (0, 10_000_000, 0);
            let sink = &mut options.database.sink;
            *sink = SinkOptions { start_bytes, interval_ns, age_ns, ..*sink };
        }
        if sim.env().fs().metadata(dir).unwrap().is_none() {
            Databases::create(&host, dir, &new, &options, &task).unwrap();
        }
        let opened = Databases::open(host, dir, options, &task, &mut |_, _| {}).unwrap();
        let facts = ServerFacts {
            name: "TEST".into(),
            machine: "TEST".into(),
            collation: Collation::DEFAULT,
            memory_bytes: 4 << 30,
            ..ServerFacts::default()
        };
        let mut options = InstanceOptions {
            facts,
            files: FileRules { data: dir.to_path_buf(), ..FileRules::default() },
            passwords: Arc::new(PlainPasswords),
            memory: Box::new(|_| StatementMemory {
                session: 256 << 20,
                query: 1 << 30,
                plans: 64 << 20,
            }),
            spill: None,
            on_shutdown: Box::new(|_| {}),
            error_log: Box::new(|_| {}),
            logon_triggers: true,
            error_log_files: None,
            code_generator: None,
            compile_after: HOT,
        };
        change(&mut options);
        let instance = Instance::new(opened.0, options);
        instance.limit_memory();
        assert!(history::prepare(&instance, &task), "msdb is there");
        TestServer { instance, task, sunk: Mutex::default() }
    }

    /// Frees what no transaction can see any more.
    pub fn reclaim(&self) {
        for database in self.instance.databases().engine().databases() {
            while database.reclaim(&self.task, usize::MAX) > 0 {}
        }
    }

    /// Takes all rows of disk tables out of memory that can leave it.
    pub fn sink(&self) {
        for database in self.instance.databases().engine().databases() {
            self.sink_rows_of(&database);
        }
    }

    /// As [`TestServer::sink`], but for databases without a commit since the last call.
    pub fn sink_changed(&self) {
        let mut sunk = self.sunk.lock().unwrap();
        for database in self.instance.databases().engine().databases() {
            let committed = || database.manager().log().committed();
            if sunk.get(&database.id()) != Some(&committed()) {
                self.sink_rows_of(&database);
                sunk.insert(database.id(), committed());
            }
        }
    }

    pub fn sink_rows_of(&self, database: &Database) {
        // Rows leave memory some rounds later, when no reader can know them any more.
        for _ in 0..3 {
            database.sink_all(&self.task).unwrap();
            if scripts::everything_sinks() {
                let tables = database.manager().tables().all();
                let trees = tables.iter().filter_map(|table| table.cold());
                trees.for_each(|cold| cold.set_row_caching(true));
            }
        }
    }

    /// The same server, for sessions on another thread.
    pub fn of(instance: Arc<Instance>) -> TestServer {
        let task = Task::blocking(&instance.host().runtime);
        TestServer { instance, task, sunk: Mutex::default() }
    }

    /// A session of `sa`'s in master.
    pub fn session(&self) -> TestSession<'_> {
        self.session_of("sa")
    }

    /// A session of a login, without its password, in its default database.
    pub fn session_of(&self, login: &str) -> TestSession<'_> {
        self.session_by(login, ClientKind::Odbc)
    }

    /// As `session_of`, by a library of this kind.
    pub fn session_by(&self, login: &str, kind: ClientKind) -> TestSession<'_> {
        let who = self.instance.trust(login).unwrap();
        let database = self.instance.login_database(&who, "").unwrap();
        self.open(who, database, kind)
    }

    /// The session of a client that gives a password and names a database, or the state of error
    /// 18456 in the error log.
    pub fn log_in(&self, name: &str, password: &str, asked: &str) -> Result<TestSession<'_>, u8> {
        let who = self.instance.authenticate(name, password, asked);
        let who = who.map_err(|failure| failure.log_state)?;
        let database = self.instance.login_database(&who, asked);
        let database = database.map_err(|(_, failure)| failure.log_state)?;
        Ok(self.open(who, database, ClientKind::Odbc))
    }

    fn open(&self, who: Authenticated, database: DbId, kind: ClientKind) -> TestSession<'_> {
        let connection =
            Connection { original_login: who.login.name.clone(), ..Connection::default() };
        let login = LoginOptions {
            who,
            database,
            client: ClientInfo { connection: Arc::new(connection), ..ClientInfo::default() },
            kind,
            language: &US_ENGLISH,
        };
        let session = Session::open(&self.instance, login).unwrap();
        TestSession { server: self, session: Some(session), after: After::GoOn }
    }
}

impl TestSession<'_> {
    /// The session.
    pub fn session(&mut self) -> &mut Session {
        self.session.as_mut().unwrap()
    }

    /// The answer to a batch.
    pub fn run(&mut self, text: &str) -> String {
        let mut writer = TextWriter::default();
        self.after = self.session.as_mut().unwrap().batch(&self.server.task, text, &mut writer);
        self.wait();
        writer.text()
    }

    /// The answer to a batch, once it is durable; `None` if it cannot be made durable.
    pub fn durable(&mut self, text: &str) -> Option<String> {
        let mut writer = TextWriter::default();
        let session = self.session.as_mut().unwrap();
        self.after = session.batch(&self.server.task, text, &mut writer);
        session.reveal().wait(&self.server.task).ok()?;
        Some(writer.text())
    }

    /// The answer to the rows that follow an `INSERT BULK`.
    pub fn bulk(&mut self, source: &mut dyn super::bulk::BulkSource) -> String {
        let mut writer = TextWriter::default();
        let session = self.session.as_mut().unwrap();
        self.after = session.bulk_load(&self.server.task, source, &mut writer);
        self.wait();
        writer.text()
    }

    /// The answer to a batch that the client cancels before its first wait or jump, or that is
    /// killed.
    pub fn run_interrupted(&mut self, text: &str, why: Interrupted) -> String {
        let session = self.session.as_mut().unwrap();
        let interrupt = session.interrupt().clone();
        let runtime = &self.server.instance.host().runtime;
        let task = Task::blocking_with(runtime, interrupt.clone());
        interrupt.raise(why);
        let mut writer = TextWriter::default();
        self.after = session.batch(&task, text, &mut writer);
        interrupt.clear();
        writer.text()
    }

    /// The answer to a batch that another thread may interrupt.
    pub fn run_interruptibly(&mut self, text: &str) -> String {
        let session = self.session.as_mut().unwrap();
        let runtime = &self.server.instance.host().runtime;
        let task = Task::blocking_with(runtime, session.interrupt().clone());
        let mut writer = TextWriter::default();
        self.after = session.batch(&task, text, &mut writer);
        writer.text()
    }

    /// What every client waits for: that nothing it is shown can be taken back.
    fn wait(&mut self) {
        self.session.as_ref().unwrap().reveal().wait(&self.server.task).unwrap();
    }

    /// `sp_reset_connection`.
    pub fn reset(&mut self) {
        let mut writer = TextWriter::default();
        self.after = self.session.as_mut().unwrap().reset(&self.server.task, false, &mut writer);
    }

    /// The answers to batches that are separated by lines that say `go`.
    pub fn script(&mut self, text: &str) -> String {
        let mut answers = Vec::new();
        for batch in batches(text) {
            let answer = self.run(&batch);
            if !answer.is_empty() {
                answers.push(answer);
            }
        }
        answers.join("\n")
    }

    /// The answer to an RPC with named arguments; `true` for those that are wanted back.
    pub fn call(&mut self, procedure: &str, args: &[(&str, SqlType, Value, bool)]) -> String {
        let arg = |(name, ty, value, output): &(&str, SqlType, Value, bool)| RpcArg {
            name: (*name).to_owned(),
            ty: *ty,
            value: RpcValue::Scalar(value.clone()),
            output: *output,
        };
        let call = RpcCall {
            procedure: RpcProcedure::Name(procedure.to_owned()),
            args: args.iter().map(arg).collect(),
            recompile: false,
        };
        let mut writer = TextWriter::default();
        self.after = self.session.as_mut().unwrap().call(&self.server.task, call, &mut writer);
        self.wait();
        writer.text()
    }
}

impl Drop for TestSession<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            session.close(&self.server.task);
        }
    }
}

/// Texts between lines that say `go`.
pub(super) fn batches(text: &str) -> Vec<String> {
    let mut batches = vec![String::new()];
    for line in text.lines() {
        match line.trim().eq_ignore_ascii_case("go") {
            true => batches.push(String::new()),
            false => {
                let batch = batches.last_mut().unwrap();
                batch.push_str(line);
                batch.push('\n');
            }
        }
    }
    batches.retain(|batch| !batch.trim().is_empty());
    batches
}

/// Writes an answer down.
#[derive(Default)]
pub struct TextWriter {
    lines: String,
    /// A result has begun that no `DONE` has ended.
    has_columns: bool,
    /// The changes of the environment that were sent.
    pub environment: Vec<String>,
}

impl TextWriter {
    /// The answer.
    pub fn text(self) -> String {
        self.lines.trim_end_matches('\n').to_owned()
    }
}

fn shown(value: base::ValueRef<'_>, ty: &SqlType) -> String {
    if value.is_null() { "NULL".into() } else { display(value, ty) }
}

impl ResultWriter for TextWriter {
    fn start(&mut self, _: &Task, result: &ResultSite) -> SqlResult<()> {
        let names: Vec<&str> = result.columns.iter().map(|c| &*c.name).collect();
        writeln!(self.lines, "{}", names.join("|")).unwrap();
        self.has_columns = true;
        Ok(())
    }

    fn row(&mut self, _: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        let columns = row.columns().iter().zip(row.values());
        let values: Vec<String> = columns.map(|(c, v)| shown(v, &c.ty)).collect();
        writeln!(self.lines, "{}", values.join("|")).unwrap();
        Ok(())
    }

    fn inform(&mut self, _: &Task, message: &SqlError) -> SqlResult<()> {
        writeln!(self.lines, "{}", message.text()).unwrap();
        Ok(())
    }
}

impl AnswerWriter for TextWriter {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn error(&mut self, _: &Task, error: &SqlError) -> SqlResult<()> {
        writeln!(self.lines, "{error}").unwrap();
        Ok(())
    }

    fn done(&mut self, _: &Task, done: &StatementDone) -> SqlResult<()> {
        // Clients show no count of a SELECT without columns: it has given variables their values.
        let counts = std::mem::take(&mut self.has_columns) || done.command != command::SELECT;
        match done.rows.filter(|_| counts) {
            Some(1) => self.lines.push_str("(1 row)\n"),
            Some(rows) => writeln!(self.lines, "({rows} rows)").unwrap(),
            None => {}
        }
        Ok(())
    }

    fn return_status(&mut self, _: &Task, status: i32) -> SqlResult<()> {
        if status != 0 {
            writeln!(self.lines, "return {status}").unwrap();
        }
        Ok(())
    }

    fn output(&mut self, _: &Task, parameter: &OutputParameter<'_>) -> SqlResult<()> {
        let value = shown(parameter.value, parameter.ty);
        writeln!(self.lines, "{} = {value}", parameter.name).unwrap();
        Ok(())
    }

    fn environment(&mut self, _: &Task, change: &EnvironmentChange<'_>) -> SqlResult<()> {
        self.environment.push(format!("{change:?}"));
        Ok(())
    }

    fn set_text_size(&mut self, _: usize) {}

    fn flush(&mut self, _: &Task) -> SqlResult<()> {
        Ok(())
    }
}

/// The rows of an answer, without the heading and the count.
pub fn rows(answer: &str) -> String {
    let is_count = |line: &str| line.ends_with(" rows)") || line == "(1 row)";
    let lines: Vec<&str> = answer.lines().skip(1).filter(|line| !is_count(line)).collect();
    lines.join("\n")
}
