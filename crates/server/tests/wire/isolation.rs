//! What each isolation level lets through, and what it refuses or waits for, from several
//! connections.
//!
//! A *play* is a list of statements, each by one of several connections. Its *trace* has a word for
//! each: the values that came back, `ok`, `wait` if another connection is in the way (the outcome
//! follows when the wait is over, as `b:…`), `-` for a statement that is given to a waiting
//! connection and runs afterwards, or `!` and the number of the error.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use base::Value;
use engine::wait::Task;
use tools::client::{ClientError, Connection};

use crate::support::{PATIENCE, TestServer, wait_until};

mod foreign_keys;
mod hints;
mod table;

use hints::HINTS;
use table::{ANOMALIES, perform};

/// A connection in a thread of its own, so that it may wait.
struct Player {
    session: i64,
    orders: Sender<String>,
    answers: Receiver<String>,
    waits: bool,
    /// The statements to run when the wait is over.
    later: VecDeque<String>,
}

impl Player {
    fn new(server: &TestServer, database: &str) -> Player {
        let mut connection = server.connect();
        connection.execute(&format!("use {database}")).unwrap();
        let session = connection.query("select @@spid").unwrap().integer().unwrap();
        let (orders, received) = channel::<String>();
        let (said, answers) = channel();
        std::thread::spawn(move || {
            for order in received {
                let _ = said.send(answer_of(&mut connection, &order));
            }
        });
        Player { session, orders, answers, waits: false, later: VecDeque::new() }
    }
}

/// The values of an answer, or its error.
fn answer_of(connection: &mut Connection, order: &str) -> String {
    match connection.query(order) {
        Ok(rows) if rows.names.is_empty() => "ok".into(),
        Ok(rows) => {
            let values = rows.rows.iter().flatten().map(|value| match value {
                Value::Int(value) => value.to_string(),
                Value::Null => "null".into(),
                other => format!("{other:?}"),
            });
            values.collect::<Vec<_>>().join(",")
        }
        Err(ClientError::Server(message)) => format!("!{}", message.error.number()),
        Err(error) => panic!("{order}: {error}"),
    }
}

/// Several connections to one database, and one that watches which of them wait.
struct Stage<'s> {
    server: &'s TestServer,
    rows: Rows,
    database: String,
    watcher: Connection,
    players: BTreeMap<char, Player>,
}

impl<'s> Stage<'s> {
    fn new(server: &'s TestServer, database: &str, rows: Rows) -> Stage<'s> {
        let (watcher, players) = (server.connect(), BTreeMap::new());
        Stage { server, rows, database: database.into(), watcher, players }
    }

    /// Performs lines, each by a player. A player that waits performs its further lines when the
    /// wait is over.
    fn play(&mut self, lines: &[(char, String)]) -> String {
        let mut trace = Vec::new();
        for (who, text) in lines {
            if self.rows == Rows::Sinking {
                sink(self.server, &self.database);
            }
            let (server, database) = (self.server, &self.database);
            let player = self.players.entry(*who).or_insert_with(|| Player::new(server, database));
            if player.waits {
                player.later.push_back(text.clone());
                trace.push("-".into());
                continue;
            }
            player.orders.send(text.clone()).unwrap();
            trace.push(self.outcome(*who));
            self.go_on(&mut trace);
        }
        assert!(self.players.values().all(|p| !p.waits), "a session waits in the end: {trace:?}");
        trace.join(" ")
    }

    /// Lets players whose wait is over go on, until no player can.
    fn go_on(&mut self, trace: &mut Vec<String>) {
        loop {
            let waiting: Vec<char> =
                self.players.iter().filter(|(_, p)| p.waits).map(|(who, _)| *who).collect();
            let mut moved = false;
            for who in waiting {
                let mut word = self.outcome(who);
                while word != "wait" {
                    moved = true;
                    trace.push(format!("{who}:{word}"));
                    let player = self.players.get_mut(&who).unwrap();
                    let Some(text) = player.later.pop_front() else { break };
                    player.orders.send(text).unwrap();
                    word = self.outcome(who);
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// The outcome of a player's line, or `wait` if another player is in its way.
    fn outcome(&mut self, who: char) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let player = self.players.get_mut(&who).unwrap();
            if let Ok(answer) = player.answers.recv_timeout(Duration::from_millis(2)) {
                player.waits = false;
                return answer;
            }
            let query = format!(
                "select count(*) from sys.dm_os_waiting_tasks where session_id = {} and wait_type like 'LCK%'",
                player.session
            );
            if self.watcher.query(&query).unwrap().integer() == Some(1) {
                player.waits = true;
                return "wait".into();
            }
            assert!(Instant::now() < deadline, "{who} neither answers nor waits");
        }
    }
}

/// The lines of a play: `a update …; b select …`, with the names of the tables filled in.
fn lines(play: &str, level: &Level) -> Vec<(char, String)> {
    let line = |line: &str| {
        let (who, text) = line.split_once(' ').unwrap();
        let mut text = text.replace("T1", level.first).replace("T2", level.second);
        if text.starts_with("merge") {
            text.push(';');
        }
        (who.chars().next().unwrap(), text)
    };
    play.split(';').map(str::trim).filter(|l| !l.is_empty()).map(line).collect()
}

/// How the tables of a play are read.
struct Level {
    name: &'static str,
    /// `SET TRANSACTION ISOLATION LEVEL`
    session: &'static str,
    /// Row 1 is in this table, read and written so, ...
    first: &'static str,
    /// ... and row 2 in this one.
    second: &'static str,
    /// `READ_COMMITTED_SNAPSHOT`
    versions: bool,
}

const fn disk(name: &'static str, session: &'static str, versions: bool) -> Level {
    Level { name, session, first: "pages", second: "pages", versions }
}

const fn memory(name: &'static str, table: &'static str) -> Level {
    Level { name, session: "read committed", first: table, second: table, versions: true }
}

const LEVELS: [Level; 12] = [
    disk("read uncommitted", "read uncommitted", true),
    disk("read committed snapshot", "read committed", true),
    disk("read committed", "read committed", false),
    disk("repeatable read", "repeatable read", true),
    disk("snapshot", "snapshot", true),
    disk("serializable", "serializable", true),
    memory("memory snapshot", "memory with (snapshot)"),
    memory("memory repeatable read", "memory with (repeatableread)"),
    memory("memory serializable", "memory with (serializable)"),
    Level {
        name: "mixed read committed",
        session: "read committed",
        first: "pages",
        second: "memory with (snapshot)",
        versions: true,
    },
    Level {
        name: "mixed repeatable read",
        session: "repeatable read",
        first: "pages",
        second: "memory with (snapshot)",
        versions: true,
    },
    Level {
        name: "mixed serializable",
        session: "serializable",
        first: "pages",
        second: "memory with (snapshot)",
        versions: true,
    },
];

/// An anomaly: its play, and its trace at each level.
struct Anomaly {
    name: &'static str,
    play: &'static str,
    traces: [&'static str; 12],
}

/// Where the rows of disk tables are when a play begins.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Rows {
    /// In memory.
    Hot,
    /// In the trees.
    Sunk,
    /// On their way there all the time.
    Sinking,
}

impl Rows {
    /// Brings the rows of a database's disk tables there. Returns their number.
    fn bring(self, server: &TestServer, database: &str, rows: u64) {
        if self == Rows::Hot {
            return;
        }
        let (before, deadline) = (sink(server, database), Instant::now() + PATIENCE);
        loop {
            let sunk = sink(server, database) - before;
            if sunk >= rows {
                return;
            }
            assert!(Instant::now() < deadline, "{sunk} of {rows} rows sink");
        }
    }
}

/// Takes the rows of a database's disk tables out of memory as far as they may leave it. Returns
/// how many rows have left it since the start.
fn sink(server: &TestServer, database: &str) -> u64 {
    let instance = &server.running().server().instance;
    let def = instance.find_database(database).expect("it was made");
    let catalog = instance.catalog(def.id).expect("it is on line");
    let task = Task::blocking(&instance.host().runtime);
    let sunk = catalog.database().sink_stats().expect("it has disk tables").rows;
    catalog.database().sink_all(&task).expect("a round succeeds");
    sunk
}

#[test]
fn anomalies_are_possible_where_sql_server_says() {
    show_anomalies(Rows::Hot);
}

#[test]
fn anomalies_are_the_same_on_rows_that_have_sunk() {
    show_anomalies(Rows::Sunk);
}

#[test]
fn anomalies_are_the_same_while_rows_sink() {
    show_anomalies(Rows::Sinking);
}

fn show_anomalies(rows: Rows) {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for (at, level) in LEVELS.iter().enumerate() {
        let database = format!("level{at}");
        prepare(&server, &database, level);
        for anomaly in &ANOMALIES {
            let trace = perform(&server, &database, (level, rows), 2, anomaly.play);
            if trace != anomaly.traces[at] {
                wrong.push(format!("{:<18} {:<24} {trace}", anomaly.name, level.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A play at one level, with its trace.
struct Hint {
    /// `SET TRANSACTION ISOLATION LEVEL`
    level: &'static str,
    /// `READ_COMMITTED_SNAPSHOT`
    versions: bool,
    play: &'static str,
    trace: &'static str,
}

/// Whether rows are in memory makes no difference to hints, locks and conflicts.
#[test]
fn hints_and_conflicts_are_the_same_wherever_rows_are() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for versions in [true, false] {
        let database = if versions { "versions" } else { "locks" };
        let level = Level { versions, ..LEVELS[0] };
        prepare(&server, database, &level);
        let mut setup = server.connect();
        let table = "create table keyed (id int primary key, k int, v int, index k (k))";
        setup.execute(&format!("use {database}; {table}")).unwrap();
        for (rows, hint) in [Rows::Hot, Rows::Sunk, Rows::Sinking]
            .into_iter()
            .flat_map(|rows| HINTS.iter().map(move |hint| (rows, hint)))
            .filter(|(_, hint)| hint.versions == versions)
        {
            let filled = "delete pages; delete keyed; insert pages values (1, 10), (2, 20);
                insert keyed values (1, 10, 100), (2, 20, 200), (3, 30, 300)";
            setup.execute(filled).unwrap();
            rows.bring(&server, database, 5);
            let mut stage = Stage::new(&server, database, rows);
            let begin =
                format!("set transaction isolation level {}; begin transaction", hint.level);
            let starts: Vec<_> = ['a', 'b'].map(|who| (who, begin.clone())).into();
            assert_eq!(stage.play(&starts), "ok ok");
            let trace = stage.play(&lines(hint.play, &level));
            if trace != hint.trace {
                wrong.push(format!(
                    "{rows:?} {}: {}\n{trace}\n{}",
                    hint.level, hint.play, hint.trace
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn prepare(server: &TestServer, database: &str, level: &Level) {
    let mut setup = server.connect();
    let versions = if level.versions { "on" } else { "off" };
    for batch in [
        format!("create database {database}"),
        format!("alter database {database} set allow_snapshot_isolation on"),
        format!("alter database {database} set read_committed_snapshot {versions}"),
        format!("alter database {database} add filegroup m contains memory_optimized_data"),
        format!("alter database {database} add file (name = 'm', filename = 'm') to filegroup m"),
        format!("use {database}"),
        "create table pages (id int primary key, v int)".into(),
        "create table memory (id int primary key nonclustered, v int)
            with (memory_optimized = on, durability = schema_only)"
            .into(),
    ] {
        setup.execute(&batch).unwrap();
    }
}

/// Drops a database whose other sessions may be about to end.
fn drop_database(connection: &mut Connection, name: &str) {
    connection.execute("use master").unwrap();
    connection
        .execute(&format!("alter database {name} set single_user with rollback immediate"))
        .unwrap();
    connection.execute(&format!("drop database {name}")).unwrap();
}

#[test]
fn no_row_of_a_queue_is_handed_out_twice() {
    const ROWS: usize = 240;
    let server = TestServer::shared();
    let mut setup = server.connect();
    setup.execute("create database queues").unwrap();
    setup.execute("use queues").unwrap();
    setup.execute("create table queue (id int identity primary key, v int)").unwrap();
    let dequeues = [
        "delete top (1) from queue with (rowlock, readpast) output deleted.id",
        "with first as (select top (1) id from queue with (updlock, readpast, rowlock) order by id)
         delete first output deleted.id",
        "declare @id int; begin transaction;
         select top (1) @id = id from queue with (updlock, readpast) order by id;
         delete queue where id = @id; commit; select @id where @id is not null",
    ];
    for dequeue in dequeues {
        for _ in 0..ROWS / 8 {
            setup
                .execute("insert queue (v) values (1), (2), (3), (4), (5), (6), (7), (8)")
                .unwrap();
        }
        let take = || {
            let mut connection = server.connect();
            connection.execute("use queues").unwrap();
            let mut taken = Vec::new();
            while let Some(id) = connection.query(dequeue).unwrap().integer() {
                taken.push(id);
            }
            taken
        };
        let taken: Vec<Vec<i64>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(take)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut all: Vec<i64> = taken.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), taken.concat().len(), "{dequeue}");
        // A worker that finds only rows that other workers have locked stops before the queue is
        // empty.
        let left = setup.query("select count(*) from queue").unwrap().integer().unwrap();
        assert_eq!(all.len() + left as usize, ROWS, "{dequeue}");
        setup.execute("delete queue").unwrap();
    }
    drop_database(&mut setup, "queues");
}

#[test]
fn sessions_that_wait_for_locks_are_shown_and_can_be_cancelled() {
    let server = TestServer::shared();
    let mut setup = server.connect();
    setup.execute("create database waiting").unwrap();
    setup.execute("use waiting").unwrap();
    setup.execute("create table t (id int primary key, v int)").unwrap();
    setup.execute("insert t values (1, 10), (2, 20)").unwrap();
    setup.execute("create table heap (v int); insert heap values (1), (2)").unwrap();
    let cases = [
        ("update heap set v = 3 where v = 1", "delete heap", "LCK_M_U"),
        ("delete heap where v = 2", "select * from heap with (repeatableread)", "LCK_M_S"),
        ("update t set v = 1 where id = 2", "delete t where id = 2", "LCK_M_U"),
        ("insert t values (3, 30)", "insert t values (3, 31)", "LCK_M_X"),
        ("insert t values (3, 30)", "select * from t with (tablock, holdlock)", "LCK_M_S"),
        ("select * from t with (holdlock)", "insert t values (3, 30)", "LCK_M_RIn_NL"),
        ("select * from t with (repeatableread)", "update t set v = 1 where id = 1", "LCK_M_X"),
        (
            "select * from t with (updlock)",
            "select v from t with (updlock) where id = 1",
            "LCK_M_U",
        ),
        ("update t set v = 1", "select v from t with (readcommittedlock)", "LCK_M_S"),
        ("select * from t with (tablockx)", "select v from t with (readcommittedlock)", "LCK_M_IS"),
        ("select * from t with (tablockx)", "delete t", "LCK_M_IX"),
        (
            "select * from t with (updlock, holdlock) where id = 7",
            "select * from t with (updlock, holdlock) where id = 7",
            "LCK_M_RS_U",
        ),
        (
            "exec sp_getapplock 'r', 'Shared'",
            "exec sp_getapplock 'r', 'Exclusive', 'Session'",
            "LCK_M_X",
        ),
    ];
    for (first, second, wait) in cases {
        setup.execute(&format!("begin transaction; {first}")).unwrap();
        let mut waiter = server.connect();
        waiter.execute("use waiting").unwrap();
        let session = waiter.query("select @@spid").unwrap().integer().unwrap();
        let canceller = waiter.canceller();
        let waiting = std::thread::spawn(move || waiter.execute(second).map(|o| o.cancelled));
        let query = format!(
            "select count(*) from sys.dm_exec_requests r join sys.dm_os_waiting_tasks w on w.session_id = r.session_id
             where r.session_id = {session} and r.wait_type = '{wait}' and w.wait_type = '{wait}'
               and r.blocking_session_id = @@spid and r.status = 'suspended'
               and exists (select * from sys.dm_tran_locks l
                           where l.request_session_id = {session} and l.request_status in ('WAIT', 'CONVERT')
                             and r.wait_resource = case l.resource_type
                               when 'KEY' then concat('KEY: ', db_id(), ':', l.resource_associated_entity_id, ' ', l.resource_description)
                               when 'RID' then concat('RID: ', db_id(), ':', l.resource_description)
                               when 'OBJECT' then concat('OBJECT: ', db_id(), ':', object_id('t'), ':0')
                               when 'APPLICATION' then concat('APPLICATION: ', db_id(), ':', l.resource_description) end
                             and w.resource_description like case l.resource_type
                               when 'KEY' then concat('keylock hobtid=', l.resource_associated_entity_id, ' dbid=', db_id(), ' id=lock%')
                               when 'RID' then concat('ridlock fileid=1 pageid=% dbid=', db_id(), ' id=lock%')
                               when 'OBJECT' then concat('objectlock lockPartition=0 objid=', object_id('t'), ' subresource=FULL dbid=', db_id(), '%')
                               when 'APPLICATION' then 'applicationlock hash=[[]r]:(%' end
                             and (r.wait_type like 'LCK_M_R%' or exists
                               (select * from sys.dm_tran_locks h where h.request_session_id = @@spid
                                  and h.request_status = 'GRANT' and h.resource_type = l.resource_type
                                  and h.resource_associated_entity_id = l.resource_associated_entity_id
                                  and h.resource_description = l.resource_description)))"
        );
        let deadline = Instant::now() + PATIENCE;
        while setup.query(&query).unwrap().integer() != Some(1) {
            let shown = "select session_id, wait_type, blocking_session_id, resource_description from sys.dm_os_waiting_tasks";
            let shown = setup.query(shown).unwrap().rows;
            let locks = "select request_session_id, resource_type, resource_description, resource_associated_entity_id,
                request_mode, request_status from sys.dm_tran_locks";
            let shown = (shown, setup.query(locks).unwrap().rows);
            assert!(Instant::now() < deadline, "{second} waits for {first}: {shown:?}");
        }
        canceller.cancel().unwrap();
        let cancelled = waiting.join().unwrap();
        assert!(matches!(cancelled, Ok(true)), "{second}: {cancelled:?}");
        setup.execute("rollback").unwrap();
    }
    let left =
        "select count(*) from sys.dm_tran_locks where resource_type in ('KEY', 'APPLICATION')
                and resource_database_id = db_id()";
    assert_eq!(setup.query(left).unwrap().integer(), Some(0));
    drop_database(&mut setup, "waiting");
}

#[test]
fn rows_that_a_transaction_has_changed_are_shown_to_others_while_it_lasts() {
    let server = TestServer::shared();
    let mut observer = server.connect();
    observer.execute("create database changed").unwrap();
    observer.execute("use changed").unwrap();
    observer.execute("create table t (id int primary key, v int)").unwrap();
    observer.execute("create table heap (v int)").unwrap();
    observer.execute("insert t values (1, 10), (2, 20); insert heap values (1), (2)").unwrap();
    let mut writer = server.connect();
    writer.execute("use changed").unwrap();
    let session = writer.query("select @@spid").unwrap().integer().unwrap();
    let mut counted = |kind: &str, table: &str, mode: &str| {
        let entity = match kind {
            "OBJECT" => format!("object_id('{table}')"),
            _ => format!(
                "(select hobt_id from sys.partitions where object_id = object_id('{table}') and index_id < 2)"
            ),
        };
        let of_view = format!(
            "select count(distinct resource_description) from sys.dm_tran_locks where request_session_id = {session}
               and resource_type = '{kind}' and resource_associated_entity_id = {entity} and request_mode = '{mode}'
               and resource_database_id = db_id() and request_status = 'GRANT' and request_owner_type = 'TRANSACTION'"
        );
        let word = if kind == "OBJECT" { "TAB" } else { kind };
        let of_procedure = format!(
            "declare @l table (spid smallint, dbid smallint, ObjId int, IndId smallint, Type nchar(4), Resource nchar(32),
               Mode nvarchar(8), Status nvarchar(5)); set nocount on; insert @l exec sp_lock {session};
             select count(*) from @l where dbid = db_id() and ObjId = object_id('{table}') and Type = '{word}'
               and Mode = '{mode}' and Status = 'GRANT'"
        );
        let [shown, told] =
            [of_view, of_procedure].map(|query| observer.query(&query).unwrap().integer());
        assert_eq!(shown, told, "{kind} {table} {mode}");
        shown.unwrap()
    };
    writer.execute("begin transaction").unwrap();
    let steps = [
        ("update t set v = 11 where id = 1", (1, 0)),
        ("update t set v = 12 where id = 1", (1, 0)),
        ("insert t values (3, 30)", (2, 0)),
        ("delete t where id = 2", (3, 0)),
        ("save transaction s; insert heap values (3)", (3, 1)),
        ("update heap set v = v + 1 where v < 3", (3, 3)),
        ("select * from t", (3, 3)),
        ("rollback transaction s", (3, 0)),
        ("delete heap", (3, 2)),
    ];
    for (step, (keys, rows)) in steps {
        writer.execute(step).unwrap();
        assert_eq!(counted("KEY", "t", "X"), keys, "{step}");
        assert_eq!(counted("RID", "heap", "X"), rows, "{step}");
        assert_eq!(counted("OBJECT", "t", "IX"), 1, "{step}");
    }
    writer.execute("commit").unwrap();
    for (kind, table) in [("KEY", "t"), ("RID", "heap")] {
        assert_eq!(counted(kind, table, "X"), 0);
        assert_eq!(counted("OBJECT", table, "IX"), 0);
    }
    // A session that waits in the middle of a batch.
    writer.execute("set implicit_transactions on").unwrap();
    let waits = std::thread::spawn(move || {
        let text = "update t set v = 0 where id in (1, 3); waitfor delay '1:00'";
        let done = writer.execute(text).map(|outcome| outcome.cancelled);
        (writer.execute("rollback").is_ok(), done)
    });
    let shown = format!(
        "select count(*) from sys.dm_tran_locks where request_session_id = {session} and resource_type = 'KEY'"
    );
    wait_until("it waits", || observer.query(&shown).unwrap().integer() == Some(2));
    observer.execute(&format!("kill {session}")).unwrap();
    assert!(!matches!(waits.join().unwrap(), (true, _)));
    drop_database(&mut observer, "changed");
}

#[test]
fn deadlock_error_names_the_victims_session() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    connection.execute("create database deadlocks").unwrap();
    connection.execute("use deadlocks; create table t (id int primary key, n int)").unwrap();
    connection.execute("insert t values (1, 0), (2, 0)").unwrap();
    connection.execute("set deadlock_priority low").unwrap();
    let session = connection.query("select @@spid").unwrap().integer().unwrap();
    for last in ["update t set n = 1 where id = 2", "alter table t set (row_caching = on)"] {
        connection.execute("begin transaction; update t set n = 1 where id = 1").unwrap();
        let mut other = server.connect();
        other.execute("use deadlocks; begin transaction; update t set n = 2 where id = 2").unwrap();
        let waits =
            std::thread::spawn(move || other.execute("update t set n = 2 where id = 1").map(drop));
        let error = connection.execute(last).unwrap_err();
        let error = &error.server_message().expect("the server says why").error;
        assert_eq!((error.number(), error.severity(), error.state()), (1205, 13, 51), "{last}");
        let victim = format!("Transaction (Process ID {session}) was deadlocked on lock resources");
        assert!(error.to_string().contains(&victim), "{last}: {error}");
        waits.join().unwrap().unwrap();
    }
    connection
        .execute(
            "use master; alter database deadlocks set single_user with rollback immediate; \
         drop database deadlocks",
        )
        .unwrap();
}
