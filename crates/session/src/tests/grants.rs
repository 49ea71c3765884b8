//! Memory that statements ask for before they run.

use std::sync::Arc;

use base::ids::SessionId;
use env::sim::{SimEnv, wait_until};
use run::interp::grants::{Ask, Lease, Usage};

use super::TestServer;
use crate::instance::memory::StatementMemory;

const MEGABYTE: usize = 1 << 20;

/// A server with 8 MB for all statements that sort and hash, of which one gets 2 at most.
fn server() -> TestServer {
    let server = TestServer::with(&SimEnv::new(1), |options| {
        options.memory = Box::new(|_| StatementMemory {
            session: 16 * MEGABYTE,
            query: 8 * MEGABYTE,
            plans: 64 * MEGABYTE,
        });
    });
    let answer = server.session().script(
        "create table t (id int primary key, k int)
        insert t values (1, 3), (2, 1), (3, 2)
        exec sp_configure 'show advanced options', 1 reconfigure",
    );
    assert!(!answer.contains("Msg 1"), "{answer}");
    server
}

/// A lease of another session.
fn hold(server: &TestServer, bytes: usize) -> Lease {
    let ask = Ask {
        session: SessionId(9999),
        required: bytes,
        ideal: bytes,
        wanted: bytes,
        most: bytes,
        timeout_ns: 0,
    };
    server.instance.grants.take(&server.task, ask, &Arc::<Usage>::default()).unwrap()
}

const SORT: &str = "select k from t order by k";

#[test]
fn statements_that_keep_no_rows_ask_for_nothing() {
    let server = server();
    let mut session = server.session();
    let _held = hold(&server, 8 * MEGABYTE);
    session.run("exec sp_configure 'query wait', 0 reconfigure");
    for text in [
        "select k from t where id = 1",
        "select count(*) from t",
        "select top 1 k from t",
        "insert t values (4, 4)",
        "update t set k = 5 where id = 4",
        "delete t where id = 4",
        "select id from t order by id",
        "select row_number() over (order by (select null)) as n from t order by n",
        "select row_number() over (order by id) from t",
    ] {
        let answer = session.run(text);
        assert!(!answer.contains("Msg "), "{text}: {answer}");
    }
    for text in [
        SORT,
        "select distinct k from t",
        "select k, count(*) from t group by k",
        "select count(distinct k) from t",
        "select a.k from t a full join t b on a.k = b.k",
        "select row_number() over (order by k) from t",
        "declare @n int = (select top 1 k from t order by k desc)",
        "if exists (select k from t group by k having count(*) > 1) print 'no'",
    ] {
        let answer = session.run(text);
        assert!(answer.starts_with("Msg 8645, Level 17, State 1"), "{text}: {answer}");
    }
    assert_eq!(server.instance.grants.waiting().len(), 0);
}

#[test]
fn a_lease_ends_with_its_statement_however_that_ends() {
    let server = server();
    let mut session = server.session();
    for text in [
        SORT,
        "select 1 / (k - 2) from t order by k",
        "begin tran select k from t order by k rollback",
        "select top 1 k from t order by k",
        "select k into u from t order by k",
        "insert u select k from t order by k",
        "declare c cursor static for select k from t order by k open c fetch c",
        "select (select max(k) from t b where b.k < a.k group by b.id) from t a order by k",
    ] {
        session.run(text);
        assert_eq!(server.instance.grants.taken(), 0, "{text}");
    }
}

#[test]
fn what_can_never_be_had_is_refused_at_once() {
    let server = server();
    let mut session = server.session();
    session.run("exec sp_configure 'min memory per query', 4096 reconfigure");
    let answer = session.run(SORT);
    let expected = "Msg 8657, Level 17, State 5, Line 1: Could not get the memory grant of 4096 KB because it \
        exceeds the maximum configuration limit in workload group 'default' (2) and resource pool \
        'default' (2).";
    assert!(answer.starts_with(expected), "{answer}");
    session.run("exec sp_configure 'min memory per query', 1024 reconfigure");
    assert_eq!(session.run(SORT), "k\n1\n2\n3\n(3 rows)");
}

#[test]
fn hints_bound_what_is_asked_for() {
    let server = server();
    let mut session = server.session();
    let asked = "select requested_memory_kb a, granted_memory_kb b, required_memory_kb c, \
        ideal_memory_kb d, is_small e, wait_order f from sys.dm_exec_query_memory_grants order by 1";
    assert_eq!(session.run(asked), "a|b|c|d|e|f\n1024|1024|1024|1024|1|NULL\n(1 row)");
    let hinted = format!("{asked} option (min_grant_percent = 75)");
    assert_eq!(session.run(&hinted), "a|b|c|d|e|f\n1536|1536|1024|1024|1|NULL\n(1 row)");
    // A statement gets what it needs to run at all in spite of the hint.
    let hinted = format!("{asked} option (max_grant_percent = 1)");
    assert_eq!(session.run(&hinted), "a|b|c|d|e|f\n1024|1024|1024|1024|1|NULL\n(1 row)");
    let answer = session.run("select k from t order by k option (max_grant_percent = 101)");
    assert!(answer.starts_with("Msg 1031, "), "{answer}");
}

#[test]
fn a_waiting_statement_is_shown_and_goes_on_when_there_is_memory() {
    let server = server();
    let held = hold(&server, 15 * MEGABYTE / 2);
    let instance = server.instance.clone();
    let waiter = std::thread::spawn(move || TestServer::of(instance).session().run(SORT));
    wait_until("it waits", || !server.instance.grants.waiting().is_empty());
    let mut session = server.session();
    let semaphores = "select total_memory_kb a, available_memory_kb b, granted_memory_kb c,
        grantee_count d, waiter_count e, pool_id f from sys.dm_exec_query_resource_semaphores";
    assert_eq!(session.run(semaphores), "a|b|c|d|e|f\n8192|512|7680|1|1|2\n(1 row)");
    let waits = "select status, wait_type from sys.dm_exec_requests where session_id <> @@spid";
    assert_eq!(session.run(waits), "status|wait_type\nsuspended|RESOURCE_SEMAPHORE\n(1 row)");
    let queue = "select granted_memory_kb a, wait_order b, is_next_candidate c
        from sys.dm_exec_query_memory_grants where session_id <> 9999";
    assert_eq!(session.run(queue), "a|b|c\nNULL|0|1\n(1 row)");
    drop(held);
    assert_eq!(waiter.join().unwrap(), "k\n1\n2\n3\n(3 rows)");
    let waited = "select waiting_tasks_count from sys.dm_os_wait_stats
        where wait_type = 'RESOURCE_SEMAPHORE'";
    assert_eq!(session.run(waited), "waiting_tasks_count\n1\n(1 row)");
}

#[test]
fn what_statements_and_rows_may_use_follows_max_server_memory() {
    let server = TestServer::with(&SimEnv::new(1), |options| {
        // A quarter for a session, half for all that sort and hash, of whatever the server may use.
        options.memory = Box::new(|all| {
            let all = all as usize;
            StatementMemory { session: all / 4, query: all / 2, plans: 1 << 40 }
        });
    });
    let instance = &server.instance;
    let limits = || {
        let (grants, rows) = (&instance.grants, instance.host().pool.limit());
        [instance.session_memory(), grants.limit(), grants.most()]
            .map(|bytes| bytes / MEGABYTE)
            .map(u64::try_from)
            .map(Result::unwrap)
            .into_iter()
            .chain([rows >> 20])
            .collect::<Vec<_>>()
    };
    let before = limits();
    assert_eq!(before[..3], [1024, 2048, 512]);
    let mut session = server.session();
    session.run("exec sp_configure 'show advanced options', 1 reconfigure");
    session.run("exec sp_configure 'max server memory', 2000 reconfigure");
    assert_eq!(limits(), [500, 1000, 250, 1500]);
    // Where there is less, rows leave pages an eighth, logs what they take, and other parts 64 MB.
    session.run("exec sp_configure 'max server memory', 400 reconfigure");
    let catalogs = instance.databases().catalogs();
    let logs = catalogs.iter().map(|own| own.database().manager().log().ring_bytes()).sum::<u64>();
    assert_eq!(limits(), [100, 200, 50, 400 - 50 - 64 - (logs >> 20)]);
    session.run("exec sp_configure 'max server memory', 2147483647 reconfigure");
    assert_eq!(limits(), before);
}
