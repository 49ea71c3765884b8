//! Tables whose definition changes while other sessions use them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tools::client::Connection;

use crate::sql::{error, number, run};
use crate::support::{Over, PATIENCE, TestServer};

const ROWS: i64 = 40_000;
const WRITERS: i64 = 3;
/// What may be wrong with a transfer: a conflict, another version of the table, or a deadlock.
const CONFLICTS: [i32; 6] = [41302, 41305, 41325, 3960, 3961, 1205];

/// A thousand rows and their indexes, by the kind of table.
fn tables(memory: bool) -> [String; 2] {
    let (primary, with) = match memory {
        true => ("nonclustered", "with (memory_optimized = on)"),
        false => ("clustered", ""),
    };
    [
        format!(
            "create table accounts (id int not null primary key {primary}, owner int not null, \
             balance int not null) {with}"
        ),
        format!("insert accounts select value, value % 97, 1000 from generate_series(1, {ROWS})"),
    ]
}

/// What the tables go through, over and over.
fn changes(memory: bool) -> Vec<&'static str> {
    match memory {
        true => vec![
            "alter table accounts add note varchar(20) not null constraint df default 'none' with values",
            "alter table accounts add index by_owner nonclustered (owner)",
            "alter table accounts add index by_hash hash (id, owner) with (bucket_count = 64)",
            "alter table accounts alter index by_hash rebuild with (bucket_count = 65536)",
            "alter table accounts alter column note varchar(50) not null",
            "alter table accounts drop constraint df, column note",
            "alter table accounts drop index by_hash",
            "alter table accounts drop index by_owner",
        ],
        false => vec![
            "create index by_owner on accounts (owner) include (balance) with (online = on)",
            "alter table accounts add twice as balance * 2 persisted not null",
            "create unique index by_both on accounts (owner, id) where owner > 50",
            "alter index by_owner on accounts rebuild with (online = on)",
            "alter table accounts drop column twice",
            "drop index by_both on accounts",
            "drop index by_owner on accounts",
        ],
    }
}

/// How transactions begin: at a snapshot, of disk tables by their own isolation level.
fn beginning(memory: bool) -> &'static str {
    match memory {
        true => "begin tran;",
        false => "set transaction isolation level snapshot; begin tran;",
    }
}

/// One transfer between two accounts, one of which may be inserted or deleted.
fn transfer(connection: &mut Connection, memory: bool, seed: &mut u64) -> bool {
    let begin = beginning(memory);
    let mut next = || {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as i64
    };
    let (from, to, amount) = (next() % ROWS + 1, next() % ROWS + 1, next() % 9 + 1);
    let fresh = ROWS + 1 + next() % 1_000_000_000;
    let text = match next() % 4 {
        // A new account has what another one had of more than a thousand, or owes.
        0 => format!(
            "{begin} insert accounts (id, owner, balance) values ({fresh}, {from} % 97, {amount}); \
             update accounts set balance -= {amount} where id = {from}; commit"
        ),
        // All that an account has goes to another one; it comes back with nothing.
        1 if from != to => format!(
            "{begin} declare @b int; \
             select @b = balance from accounts where id = {from}; \
             delete accounts where id = {from}; \
             update accounts set balance += isnull(@b, 0) where id = {to}; \
             insert accounts (id, owner, balance) values ({from}, {to} % 97, 0); commit"
        ),
        _ => format!(
            "{begin} update accounts set balance -= {amount}, owner = {to} % 97 where id = {from}; \
             update accounts set balance += {amount} where id = {to}; commit"
        ),
    };
    match error(connection, &text) {
        None => true,
        Some(number) => {
            assert!(CONFLICTS.contains(&number), "{number}: {text}");
            run(connection, "if @@trancount > 0 rollback");
            false
        }
    }
}

/// The sum of the accounts stays the same, whatever becomes of the table, and other sessions do not
/// wait until its rows are copied.
fn changed_while_in_use(memory: bool) {
    let server = TestServer::new();
    let mut connection = server.connect();
    run(&mut connection, "create database bank");
    run(&mut connection, "alter database bank set allow_snapshot_isolation on");
    if memory {
        for text in [
            "alter database bank add filegroup hot contains memory_optimized_data",
            "alter database bank add file (name = 'hot', filename = 'hot') to filegroup hot",
            "alter database bank set memory_optimized_elevate_to_snapshot = on",
        ] {
            run(&mut connection, text);
        }
    }
    run(&mut connection, "use bank");
    tables(memory).iter().for_each(|text| run(&mut connection, text));
    if !memory {
        run(&mut connection, "checkpoint");
    }
    let (over, committed, worst_ms) =
        (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let mut meanwhile = 0;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, over, committed, worst_ms) = (&server, &over, &committed, &worst_ms);
            scope.spawn(move || {
                let mut connection = server.connect();
                run(&mut connection, "use bank");
                let mut seed = writer as u64 + 1;
                while !over.load(Relaxed) {
                    let begun = Instant::now();
                    if transfer(&mut connection, memory, &mut seed) {
                        committed.fetch_add(1, Relaxed);
                    }
                    let took = u64::try_from(begun.elapsed().as_millis()).unwrap();
                    worst_ms.fetch_max(took, Relaxed);
                }
            });
        }
        let (began, _over) = (Instant::now(), Over(&over));
        loop {
            for text in changes(memory) {
                let before = committed.load(Relaxed);
                run(&mut connection, text);
                meanwhile += u64::from(committed.load(Relaxed) > before + 2 * WRITERS as u64);
                let sum =
                    number(&mut connection, "select sum(cast(balance as bigint)) from accounts");
                assert_eq!(sum, ROWS * 1000, "{text}");
            }
            let is_enough = meanwhile > 0 && began.elapsed() > Duration::from_secs(10);
            if is_enough || began.elapsed() > 4 * PATIENCE {
                break;
            }
        }
    });
    assert!(meanwhile > 0, "others commit while rows are copied");
    run(&mut connection, "dbcc checkdb (bank)");
    println!("{} transfers, the slowest took {} ms", committed.into_inner(), worst_ms.into_inner());
}

#[test]
fn a_memory_optimized_table_is_altered_while_it_is_used() {
    changed_while_in_use(true);
}

#[test]
fn indexes_of_a_disk_table_are_made_while_it_is_used() {
    changed_while_in_use(false);
}
