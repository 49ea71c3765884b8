//! What functions may ask of the session, the catalog and the server.
//!
//! Sessions implement the two traits. What they return is what the current statement
//! sees: the time is that of its start, and a schema stays the same from one call to the next.

use std::sync::Arc;

use base::arena::ArenaBuffer;
use base::datetime::{DateSettings, Zone};
use base::ids::{DbId, ObjectId, SessionId};
use base::value::Variant;
use base::{Arena, Collation, Pace, SqlError, SqlResult, Value, ValueRef, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    DatabaseDef, DatabaseState, ObjectKind, Permission, PrincipalId, Securable, Sid,
};
use engine::wait::Task;

use super::descriptor::Memo;
use super::documents::Documents;
use super::prepared::PreparedDocuments;

/// What a function may use while it is evaluated.
pub struct FnContext<'a> {
    /// Where results are made.
    pub arena: &'a Arena,
    /// What it may ask about its surroundings.
    pub facts: &'a dyn SessionFacts,
    /// The statement that it is evaluated for; none while that is compiled.
    pub task: Option<&'a Task<'a>>,
    /// Where it may keep what it makes of constant arguments.
    pub memo: Option<&'a Memo>,
}

impl<'a> FnContext<'a> {
    /// An empty buffer for a result of this many bytes. Error 701 where the session may not have
    /// them.
    pub fn room(&self, bytes: usize) -> SqlResult<ArenaBuffer<'a>> {
        self.arena.admit(bytes)?;
        Ok(self.arena.buffer_of(bytes))
    }

    /// Appends bytes, however many.
    pub fn append(&self, out: &mut ArenaBuffer<'a>, bytes: &[u8]) -> SqlResult<()> {
        for piece in bytes.chunks(COPIED) {
            out.try_extend(piece)?;
            if bytes.len() > COPIED {
                self.pace()?;
            }
        }
        Ok(())
    }

    /// A copy of bytes.
    pub fn copy(&self, bytes: &[u8]) -> SqlResult<&'a [u8]> {
        let mut out = self.room(bytes.len())?;
        self.append(&mut out, bytes)?;
        Ok(out.finish())
    }
}

/// Bytes that are copied between two questions to a [`Pace`].
pub const COPIED: usize = 64 << 10;

impl Pace for FnContext<'_> {
    fn pace(&self) -> SqlResult<()> {
        match self.task {
            Some(task) => paced(task),
            None => Ok(()),
        }
    }
}

/// Lets other sessions run if it is time for that. The error of a statement that was cancelled.
pub fn paced(task: &Task<'_>) -> SqlResult<()> {
    task.pause().map_err(|_| SqlError::new(&message::COMMAND_CANCELLED, &[]))
}

/// The pace of a statement.
pub struct StatementPace<'t>(pub &'t Task<'t>);

impl Pace for StatementPace<'_> {
    fn pace(&self) -> SqlResult<()> {
        paced(self.0)
    }
}

/// What is seen of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// Nothing, as if it were not there.
    Nothing,
    /// That it is there, and what it is made of.
    Object,
    /// Its text too.
    Definition,
}

/// What functions may ask about databases and what is in them.
pub trait MetadataFacts {
    /// The session's database.
    fn current_database(&self) -> DbId;

    /// The schema of a database as the current statement sees it; master's also knows databases and
    /// logins. `None` if there is no such database or it cannot be used.
    fn schema(&self, database: DbId) -> Option<Arc<Schema>>;

    /// The user that the session is in a database; `None` if it may not use it.
    fn user(&self, database: DbId) -> Option<PrincipalId>;

    /// A temporary table (`#t`, `##t`) that the session sees by this name, in tempdb.
    fn temporary_table(&self, name: &str) -> Option<ObjectId>;

    /// What the server itself provides in every database (`sys.objects`, `sp_help`) by schema and
    /// name; without a schema, by the rules for unqualified names.
    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject>;

    /// As `system_object`, by id, which is negative.
    fn system_object_by_id(&self, id: ObjectId) -> Option<SystemObject>;

    /// The text of such an object, if it is written in T-SQL.
    fn system_definition(&self, _id: ObjectId) -> Option<String> {
        None
    }

    /// The identity value that was last used in a table, by any session; `None` before the first.
    fn identity_value(&self, database: DbId, table: ObjectId) -> Option<i64>;

    /// The last rowversion of a database, `@@DBTS`.
    fn last_rowversion(&self, database: DbId) -> u64;

    /// The lowest rowversion that a transaction in progress may still make visible.
    fn min_active_rowversion(&self, database: DbId) -> u64;

    /// What the session sees of an object of a database, by the rule of the catalog's views.
    fn sees(&self, database: DbId, object: ObjectId) -> Seen;

    /// Whether the session has a permission on a thing of a database, or of the server.
    fn is_permitted(&self, database: DbId, target: Securable, permission: Permission) -> bool;
}

/// Takes a piece of a file.
pub type TakeBytes<'t> = dyn FnMut(&[u8]) -> SqlResult<()> + 't;

/// What functions may ask about a session, its statement and the server.
pub trait SessionFacts: MetadataFacts {
    /// When the statement started.
    fn time(&self) -> StatementTime;

    /// The server's time zone, if Windows knows one that keeps its time.
    fn zone(&self) -> Option<&'static Zone>;

    /// When the transaction began, in ticks of 100 ns of UTC.
    fn transaction_time(&self) -> i64 {
        self.time().utc_ticks
    }

    /// How dates are read and written.
    fn dates(&self) -> DateSettings;

    /// The `SET` options.
    fn settings(&self) -> Settings;

    /// What statements have left behind.
    fn progress(&self) -> Progress;

    /// Whether a database can be used: what it was set to, unless it could not be opened.
    fn database_state(&self, database: &DatabaseDef) -> DatabaseState {
        database.options.state
    }

    /// The session's id, `@@SPID`.
    fn session_id(&self) -> SessionId;

    /// The error that the innermost `CATCH` block around the statement has caught.
    fn caught_error(&self) -> Option<SqlError>;

    /// The login for which the statement is run.
    fn login(&self) -> Login;

    /// The connection behind the session.
    fn connection(&self) -> Arc<Connection>;

    /// The server.
    fn server(&self) -> Arc<ServerFacts>;

    /// What the server has counted.
    fn counters(&self) -> Counters;

    /// What `SET CONTEXT_INFO` has set: 128 bytes, or nothing.
    fn context_info(&self) -> Option<Box<[u8]>>;

    /// The text that a `sql_handle` or `plan_handle` names, if it is in the plan cache or that of a
    /// module, or a session runs it or has run nothing else since. Error 300 without `VIEW SERVER
    /// STATE`.
    fn text_of(&self, _handle: &[u8]) -> SqlResult<Option<HandledText>> {
        Ok(None)
    }

    /// The plan, as XML, that a `plan_handle` names, as long as it is in the plan cache; of a text
    /// or module all statements, or the one that begins at an offset as views tell it. Error 300
    /// without `VIEW SERVER STATE`.
    fn plan_of(&self, _handle: &[u8], _start: Option<i64>) -> SqlResult<Option<HandledText>> {
        Ok(None)
    }

    /// Passes on what a file has, piece by piece. Errors 4834 without permission, 4860, 4861.
    fn read_file(&self, _path: &str, _take: &mut TakeBytes<'_>) -> SqlResult<()> {
        Err(crate::internal("there are no files"))
    }

    /// The rows of a function over the server's state. Errors 262 and 300 without permission.
    fn server_rows(
        &self,
        _function: ServerRowset,
        _args: &[ValueRef<'_>],
        _task: &Task<'_>,
    ) -> SqlResult<Vec<Vec<Value>>> {
        Ok(Vec::new())
    }

    /// What `sp_set_session_context` has set for a key.
    fn session_context(&self, key: &str) -> Option<&Variant>;

    /// `APPLOCK_MODE`: the mode in which the session holds an application lock, for itself or for
    /// its transaction; `None` if there is no such principal.
    fn application_lock_mode(
        &self,
        _principal: &str,
        _resource: &str,
        _by_session: bool,
    ) -> Option<&'static str> {
        None
    }

    /// `APPLOCK_TEST`: whether the session would get an application lock at once.
    fn application_lock_is_free(
        &self,
        _principal: &str,
        _resource: &str,
        _mode: &str,
    ) -> Option<bool> {
        None
    }

    /// The XML documents that the session has parsed.
    fn documents(&self) -> Option<&Documents> {
        None
    }

    /// The XML documents that the session has prepared.
    fn prepared_documents(&self) -> Option<&PreparedDocuments> {
        None
    }

    /// The status of a cursor, as `CURSOR_STATUS` gives it: -3 if there is none.
    fn cursor_status(&self, scope: CursorScope, name: &str) -> i32;

    /// The document about the event that fired the DDL or logon trigger which runs; `None` where
    /// none runs.
    fn event_data(&self) -> Option<Arc<str>> {
        None
    }

    /// How many triggers the statement is within: all, or executions of this one.
    fn trigger_nesting(&self, trigger: Option<ObjectId>) -> i32;

    /// The session's generator for `RAND`.
    fn random(&self) -> RandomState;

    /// Sets the session's generator for `RAND`.
    fn set_random(&self, state: RandomState);

    /// Random bytes fit for unique identifiers.
    fn random_bytes(&self, bytes: &mut [u8]);

    /// An identifier greater than all that this server has made so before, in the byte order of a
    /// [`base::ValueRef::Guid`].
    fn sequential_guid(&self) -> [u8; 16];
}

/// What a handle of a text or plan names.
#[derive(Clone, Debug)]
pub struct HandledText {
    /// The database and the module, if it is a module's; a text has the database alone, if it is
    /// known.
    pub database: Option<DbId>,
    /// See there.
    pub module: Option<ObjectId>,
    /// The text; `None` if it is kept secret.
    pub text: Option<Arc<str>>,
}

/// A moment in UTC and the server's time zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatementTime {
    /// Units of 100 ns since 0001-01-01, UTC.
    pub utc_ticks: i64,
    /// Minutes to add for local time.
    pub offset_minutes: i16,
}

/// The `SET` options that functions show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "each is called as in T-SQL")]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own in T-SQL")]
pub struct Settings {
    pub implicit_transactions: bool,
    pub cursor_close_on_commit: bool,
    pub ansi_warnings: bool,
    pub ansi_padding: bool,
    pub ansi_nulls: bool,
    pub arithabort: bool,
    pub arithignore: bool,
    pub quoted_identifier: bool,
    pub nocount: bool,
    pub ansi_null_default_on: bool,
    pub ansi_null_default_off: bool,
    pub concat_null_yields_null: bool,
    pub numeric_roundabort: bool,
    pub xact_abort: bool,
    /// Bytes; -1 for no limit.
    pub textsize: i32,
    /// Milliseconds; -1 waits for ever.
    pub lock_timeout: i32,
}

/// What statements have left behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// `ROWCOUNT_BIG()`.
    pub row_count: i64,
    /// `@@ERROR`.
    pub error: i32,
    /// `@@TRANCOUNT`.
    pub transaction_count: i32,
    /// `XACT_STATE()`: -1 doomed, 0 none, 1 fine.
    pub transaction_state: i16,
    /// `CURRENT_TRANSACTION_ID()`.
    pub transaction_id: i64,
    /// `CURRENT_REQUEST_ID()`.
    pub request_id: i16,
    /// `@@NESTLEVEL`.
    pub nest_level: i32,
    /// The module that is being run.
    pub module: Option<ObjectId>,
    /// `@@FETCH_STATUS`.
    pub fetch_status: i32,
    /// `@@CURSOR_ROWS`.
    pub cursor_rows: i32,
    /// `SCOPE_IDENTITY()`.
    pub scope_identity: Option<i64>,
    /// `@@IDENTITY`.
    pub last_identity: Option<i64>,
}

/// A login.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Login {
    /// Its id among the server's principals.
    pub id: PrincipalId,
    /// Its name.
    pub name: Arc<str>,
    /// Its security identifier.
    pub sid: Sid,
    /// Whether its server roles count: they do not in a context that is confined to a database.
    pub counts: bool,
}

/// What is known of a connection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Connection {
    /// The name of the login that connected, whatever `EXECUTE AS` says since.
    pub original_login: Arc<str>,
    /// The database that was connected to.
    pub original_database: Arc<str>,
    /// The client's machine, as it says.
    pub host_name: Arc<str>,
    /// The client's process, as it says.
    pub host_process_id: i32,
    /// The client's program, as it says.
    pub program_name: Arc<str>,
    /// `TCP`, `Shared memory`.
    pub transport: &'static str,
    /// `SQL`, `NTLM`.
    pub authentication: &'static str,
    /// The client's address.
    pub client_address: Option<Arc<str>>,
    /// The server's address and port that it connected to.
    pub local_address: Option<(Arc<str>, u16)>,
}

/// What is known of the server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerFacts {
    /// `@@SERVERNAME`: the machine, and the instance if it has a name.
    pub name: Arc<str>,
    /// The machine.
    pub machine: Arc<str>,
    /// The instance unless it is the default one.
    pub instance: Option<Arc<str>>,
    /// Its process.
    pub process_id: i32,
    /// The server's collation.
    pub collation: Collation,
    /// Where databases are made.
    pub data_path: Arc<str>,
    /// Where backups are made.
    pub backup_path: Arc<str>,
    /// The current file of the error log, if it has files.
    pub error_log_path: Option<Arc<str>>,
    /// The operating system, as `@@VERSION` says it: `Linux (…)`.
    pub operating_system: Arc<str>,
    /// Whether it was started for one session only.
    pub is_single_user: bool,
    /// Bytes of memory that the machine has for it.
    pub memory_bytes: u64,
    /// Processors of the machine.
    pub cpu_count: u32,
    /// Threads that run statements.
    pub worker_count: u32,
}

/// What the server has counted since it started.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Logins tried, `@@CONNECTIONS`.
    pub connections: i32,
    /// Time spent working, in ticks of 31.25 ms, `@@CPU_BUSY`.
    pub cpu_busy: i32,
    /// Time spent idle, in ticks, `@@IDLE`.
    pub idle: i32,
    /// Time spent on input and output, in ticks, `@@IO_BUSY`.
    pub io_busy: i32,
    /// `@@PACK_RECEIVED`
    pub packets_received: i32,
    /// `@@PACK_SENT`
    pub packets_sent: i32,
    /// `@@PACKET_ERRORS`
    pub packet_errors: i32,
    /// `@@TOTAL_READ`: rows are in memory, and nothing is read after the start.
    pub reads: i32,
    /// `@@TOTAL_WRITE`: writes of the logs.
    pub writes: i32,
    /// `@@TOTAL_ERRORS`: writes that have failed; a log takes none after the first.
    pub errors: i32,
}

/// A table-valued function over the state of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerRowset {
    /// `sys.dm_io_virtual_file_stats`
    FileStats,
    /// `sys.dm_db_index_physical_stats`
    IndexStats,
    /// `sys.dm_db_log_info`
    LogSegments,
}

/// An object that the server provides in every database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemObject {
    /// Its id, which is negative.
    pub id: ObjectId,
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ObjectKind,
}

/// Where a cursor is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CursorScope {
    Local,
    Global,
    Variable,
}

/// The state of the generator behind `RAND`: two multiplicative congruential ones whose difference
/// is the result (L'Ecuyer, *Efficient and portable combined random number generators*, 1988).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomState {
    first: i32,
    second: i32,
}

impl RandomState {
    const FIRST_MODULUS: i64 = 2_147_483_563;
    const SECOND_MODULUS: i64 = 2_147_483_399;

    /// The state that `RAND(seed)` starts from.
    pub fn seeded(seed: i32) -> RandomState {
        const FIRST_DEFAULT: i64 = 12_345;
        const SECOND_DEFAULT: i32 = 67_890;
        let magnitude = i64::from(seed).abs() % RandomState::FIRST_MODULUS;
        let first = if magnitude == 0 { FIRST_DEFAULT } else { magnitude };
        RandomState { first: first as i32, second: SECOND_DEFAULT }
    }

    /// A state for a session, from random bits.
    pub fn from_bits(bits: u64) -> RandomState {
        let within = |bits: u64, modulus: i64| (bits % (modulus as u64 - 1)) as i32 + 1;
        RandomState {
            first: within(bits & 0xFFFF_FFFF, RandomState::FIRST_MODULUS),
            second: within(bits >> 32, RandomState::SECOND_MODULUS),
        }
    }

    /// The next number, above 0 and below 1.
    pub fn draw(&mut self) -> f64 {
        const SCALE: f64 = 4.656_613e-10;
        self.first = (i64::from(self.first) * 40_014 % RandomState::FIRST_MODULUS) as i32;
        self.second = (i64::from(self.second) * 40_692 % RandomState::SECOND_MODULUS) as i32;
        let difference = i64::from(self.first) - i64::from(self.second);
        let positive =
            if difference < 1 { difference + RandomState::FIRST_MODULUS - 1 } else { difference };
        positive as f64 * SCALE
    }
}
