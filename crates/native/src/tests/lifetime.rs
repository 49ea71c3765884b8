//! Code lives as long as its plan, and plans as long as what they depend on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use env::sim::SimEnv;
use ir::Unit;
use ir::machine_code::{CodeGenerator, MachineCode, NotCompiled};
use session::testing::{TestServer, TestSession};

use super::server::Watched;
use crate::Generator;

const SETUP: &str = "create database d
    alter database d add filegroup m contains memory_optimized_data
    alter database d add file (name = 'm', filename = 'm') to filegroup m
    go
    use d
    go
    create table t (a int not null primary key nonclustered, b int null) with (memory_optimized = on)
    insert t values (1, 10), (2, 20)
    go
    create procedure n with native_compilation, schemabinding as
    begin atomic with (transaction isolation level = snapshot, language = 'english')
        select a, b from dbo.t where a >= 0 order by a
    end
    go
    create procedure p as select a, b from t where a >= 0 order by a
    go
    create table u (a int not null primary key, b int null)
    insert u values (1, 10), (2, 20)
    go
    create procedure q as select a, b from u where a >= 0 order by a";

/// The same rows from a text, a procedure and a native procedure.
const READS: [&str; 3] = ["select a, b from t where a >= 0 order by a", "exec p", "exec n"];

fn set_up(session: &mut TestSession<'_>) {
    let answer = session.script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
}

/// Waits until a condition holds, which another thread makes true.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Throws all plans away: with them goes all code.
fn check_nothing_is_left(server: &TestServer, session: &mut TestSession<'_>) {
    session.run("dbcc freeproccache");
    let bytes = || server.instance.compiler.code_bytes();
    wait_until("the end of all code", || bytes() == 0);
}

/// Checks that each change has what reads the table compiled anew, and once.
fn check_changes(reads: &[&str], changes: &[&str]) {
    let rows = "a|b\n1|10\n2|20\n(2 rows)";
    let watched = Watched::new();
    let server = watched.server(&SimEnv::new(7));
    let mut session = server.session();
    set_up(&mut session);
    let mut first = 0;
    for change in [""].iter().chain(changes) {
        let answer = session.script(change);
        assert!(!answer.contains("Msg "), "{change}: {answer}");
        for read in reads {
            let before = watched.compiled();
            assert_eq!(session.run(read), rows, "{read} after {change}");
            let after = watched.compiled();
            assert!(after > before, "{read} has its code from before {change}");
            assert_eq!(session.run(read), rows, "{read} once more after {change}");
            assert_eq!(watched.compiled(), after, "{read} was compiled twice after {change}");
        }
        let bytes = server.instance.compiler.code_bytes();
        first = if first == 0 { bytes } else { first };
        assert!(bytes > 0 && bytes < first * 3, "{bytes} bytes after {change}, once {first}");
    }
    check_nothing_is_left(&server, &mut session);
}

#[test]
fn changes_of_a_memory_optimized_table_throw_its_code_away() {
    let changes = [
        "alter table t add c int null",
        "alter table t drop column c",
        "exec sp_recompile 't'",
        "alter table t add index i hash (b) with (bucket_count = 16)",
        "alter table t alter index i rebuild with (bucket_count = 64)",
        "alter table t drop index i",
        "drop procedure n drop table t
        go
        create table t (z int, b int null, a int not null primary key nonclustered)
            with (memory_optimized = on)
        insert t (a, b) values (1, 10), (2, 20)
        go
        create procedure n with native_compilation, schemabinding as
        begin atomic with (transaction isolation level = snapshot, language = 'english')
            select a, b from dbo.t where a >= 0 order by a
        end",
    ];
    check_changes(&READS, &changes);
}

#[test]
fn changes_of_a_disk_table_throw_its_code_away() {
    let changes = [
        "alter table u add c int null",
        "create index i on u (b)",
        "alter table u alter column c bigint null",
        "drop index i on u",
        "exec sp_recompile 'dbo.u'",
        "alter table u drop column c",
        "drop table u
        go
        create table u (z int, b int null, a int not null primary key)
        insert u (a, b) values (1, 10), (2, 20)",
    ];
    check_changes(&["select a, b from u where a >= 0 order by a", "exec q"], &changes);
}

/// A generator that waits for a message before each unit of a native module or a hot statement.
struct Gated {
    generator: Generator,
    gate: std::sync::Mutex<mpsc::Receiver<()>>,
    asked: AtomicUsize,
    done: AtomicUsize,
}

impl CodeGenerator for Gated {
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled> {
        self.asked.fetch_add(1, SeqCst);
        self.gate.lock().expect("no thread panics").recv().expect("the test goes on");
        let generated = self.generator.generate(unit);
        self.done.fetch_add(1, SeqCst);
        generated
    }
}

#[test]
fn code_that_comes_after_its_plan_has_gone_is_thrown_away() {
    let (open, gate) = mpsc::channel();
    let gated = Arc::new(Gated {
        generator: Generator::new().expect("this machine is known"),
        gate: gate.into(),
        asked: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
    });
    let server = TestServer::with(&SimEnv::new(7), |options| {
        options.code_generator = Some(gated.clone());
        options.compile_after = 3;
    });
    let mut session = server.session();
    let answer = session
        .script("create database d\ngo\nuse d\ngo\ncreate table t (a int) insert t values (1)");
    assert!(!answer.contains("Msg "), "{answer}");
    let run = |session: &mut TestSession<'_>, query: &str, answer: &str| {
        (0..10).for_each(|_| assert_eq!(session.run(query), answer));
    };
    // One is being compiled, another waits for it.
    run(&mut session, "select * from t", "a\n1\n(1 row)");
    wait_until("the compiler", || gated.asked.load(SeqCst) == 1);
    run(&mut session, "select a as x from t", "x\n1\n(1 row)");
    session.run("alter table t add b int null");
    assert_eq!(session.run("select * from t"), "a|b\n1|NULL\n(1 row)");
    assert_eq!(session.run("select a as x from t"), "x\n1\n(1 row)");
    // The code of the first comes too late; the second's plan is not there any more.
    open.send(()).expect("it is waiting");
    wait_until("the code", || gated.done.load(SeqCst) == 1);
    wait_until("its end", || server.instance.compiler.code_bytes() == 0);
    // The new plans get theirs.
    run(&mut session, "select * from t", "a|b\n1|NULL\n(1 row)");
    wait_until("the compiler", || gated.asked.load(SeqCst) == 2);
    open.send(()).expect("it is waiting");
    wait_until("the code", || server.instance.compiler.code_bytes() > 0);
    run(&mut session, "select * from t", "a|b\n1|NULL\n(1 row)");
    assert_eq!(gated.asked.load(SeqCst), 2, "a plan is compiled once");
    check_nothing_is_left(&server, &mut session);
}

#[test]
fn tables_change_while_statements_are_compiled() {
    const ROUNDS: usize = 15;
    for compile_after in [0, 2] {
        let watched = Watched::new();
        let server = TestServer::with(&SimEnv::new(7), |options| {
            options.code_generator = Some(watched.clone());
            options.compile_after = compile_after;
        });
        set_up(&mut server.session());
        let barrier = Barrier::new(READS.len() + 1);
        let changing = AtomicBool::new(true);
        std::thread::scope(|threads| {
            for read in READS {
                let (instance, barrier, changing) = (server.instance.clone(), &barrier, &changing);
                threads.spawn(move || {
                    let server = TestServer::of(instance);
                    let mut session = server.session();
                    session.run("use d");
                    barrier.wait();
                    while changing.load(SeqCst) {
                        assert_eq!(session.run(read), "a|b\n1|10\n2|20\n(2 rows)", "{read}");
                    }
                });
            }
            let mut session = server.session();
            session.run("use d");
            barrier.wait();
            let mut answers = Vec::new();
            for _ in 0..ROUNDS {
                for change in ["add c int null", "drop column c"] {
                    answers.push(session.run(&format!("alter table t {change}")));
                    // So that the readers meet many states of the table; nothing depends on which.
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            changing.store(false, SeqCst);
            assert_eq!(answers.concat(), "");
        });
        assert!(watched.compiled() >= READS.len(), "{} were compiled", watched.compiled());
        check_nothing_is_left(&server, &mut server.session());
    }
}
