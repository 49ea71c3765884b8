//! Transactions in disk and memory-optimized tables together: at mixed levels that `LEVELS` does
//! not have, and at levels that do not go together.

use super::{ANOMALIES, perform};
use crate::isolation::{Level, Rows, prepare};
use crate::support::TestServer;

/// Row 1 is in a disk table, row 2 in a memory-optimized one.
const fn disk_first(
    name: &'static str,
    session: &'static str,
    memory: &'static str,
    versions: bool,
) -> Level {
    Level { name, session, first: "pages", second: memory, versions }
}

/// The other way round.
const fn memory_first(name: &'static str, session: &'static str) -> Level {
    Level { name, session, first: "memory with (snapshot)", second: "pages", versions: true }
}

pub const MIXED: [Level; 8] = [
    disk_first("mixed read uncommitted", "read uncommitted", "memory with (snapshot)", true),
    disk_first("mixed read committed, locks", "read committed", "memory with (snapshot)", false),
    disk_first(
        "mixed, memory repeatable read",
        "read committed",
        "memory with (repeatableread)",
        true,
    ),
    disk_first("mixed, memory serializable", "read committed", "memory with (serializable)", true),
    disk_first(
        "mixed, locks, memory repeatable read",
        "read committed",
        "memory with (repeatableread)",
        false,
    ),
    disk_first(
        "mixed, locks, memory serializable",
        "read committed",
        "memory with (serializable)",
        false,
    ),
    memory_first("mixed read committed, memory first", "read committed"),
    memory_first("mixed serializable, memory first", "serializable"),
];

/// The traces of the anomalies, in their order, at each of these levels.
const TRACES: [(&str, [&str; MIXED.len()]); ANOMALIES.len()] = [
    (
        "dirty write",
        [
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed read uncommitted
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed read committed, locks
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed, memory repeatable read
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed, memory serializable
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed, locks, memory repeatable read
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed, locks, memory serializable
            "ok !41302 ok ok !3902 10,21,11,20", // mixed read committed, memory first
            "ok !41302 ok ok !3902 10,21,11,20", // mixed serializable, memory first
        ],
    ),
    (
        "dirty read",
        [
            "ok ok 20 11 ok ok 10,20,10,20",            // mixed read uncommitted
            "ok ok 20 wait ok b:10 ok 10,20,10,20",     // mixed read committed, locks
            "ok ok 20 10 ok ok 10,20,10,20",            // mixed, memory repeatable read
            "ok ok 20 10 ok ok 10,20,10,20",            // mixed, memory serializable
            "ok ok 20 wait ok b:10 ok 10,20,10,20",     // mixed, locks, memory repeatable read
            "ok ok 20 wait ok b:10 ok 10,20,10,20",     // mixed, locks, memory serializable
            "ok ok 20 10 ok ok 10,20,10,20",            // mixed read committed, memory first
            "ok ok wait - ok b:20 b:10 ok 10,20,10,20", // mixed serializable, memory first
        ],
    ),
    (
        "lost update",
        [
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed read uncommitted
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed read committed, locks
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed, memory repeatable read
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed, memory serializable
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed, locks, memory repeatable read
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed, locks, memory serializable
            "10,20 10,20 ok !41302 ok !3902 10,21,11,20", // mixed read committed, memory first
            "10,20 10,20 wait !41302 a:ok ok !3902 10,21,11,20", // mixed serializable, memory first
        ],
    ),
    (
        "fuzzy read",
        [
            "10,20 ok ok 11,20 ok ok 11,20,70,10,21", // mixed read uncommitted
            "10,20 ok ok 11,20 ok ok 11,20,70,10,21", // mixed read committed, locks
            "10,20 ok ok 11,20 ok !41305 11,20,10,21", // mixed, memory repeatable read
            "10,20 ok ok 11,20 ok !41325 11,20,10,21", // mixed, memory serializable
            "10,20 ok ok 11,20 ok !41305 11,20,10,21", // mixed, locks, memory repeatable read
            "10,20 ok ok 11,20 ok !41325 11,20,10,21", // mixed, locks, memory serializable
            "10,20 ok ok 10,21 ok ok 10,21,11,20,70", // mixed read committed, memory first
            "10,20 wait - 10,20 ok ok b:ok b:ok 10,21,11,20,70", // mixed serializable, memory first
        ],
    ),
    (
        "phantom",
        [
            "2,2 ok ok 3,2 ok ok 4,3",            // mixed read uncommitted
            "2,2 ok ok 3,2 ok ok 4,3",            // mixed read committed, locks
            "2,2 ok ok 3,2 ok ok 4,3",            // mixed, memory repeatable read
            "2,2 ok ok 3,2 ok !41325 3,3",        // mixed, memory serializable
            "2,2 ok ok 3,2 ok ok 4,3",            // mixed, locks, memory repeatable read
            "2,2 ok ok 3,2 ok !41325 3,3",        // mixed, locks, memory serializable
            "2,2 ok ok 2,3 ok ok 3,4",            // mixed read committed, memory first
            "2,2 wait - 2,2 ok ok b:ok b:ok 3,4", // mixed serializable, memory first
        ],
    ),
    (
        "write skew",
        [
            "20 10 ok ok ok ok 0,20,10,0",            // mixed read uncommitted
            "20 10 ok ok ok ok 0,20,10,0",            // mixed read committed, locks
            "20 10 ok ok ok !41305 10,20,10,0",       // mixed, memory repeatable read
            "20 10 ok ok ok !41325 10,20,10,0",       // mixed, memory serializable
            "20 10 ok ok ok !41305 10,20,10,0",       // mixed, locks, memory repeatable read
            "20 10 ok ok ok !41325 10,20,10,0",       // mixed, locks, memory serializable
            "20 10 ok ok ok ok 10,0,0,20",            // mixed read committed, memory first
            "20 10 ok wait - ok b:ok b:ok 10,0,0,20", // mixed serializable, memory first
        ],
    ),
    (
        "read skew",
        [
            "10 ok ok ok 21 ok", // mixed read uncommitted
            "10 ok ok ok 21 ok", // mixed read committed, locks
            "10 ok ok ok 21 ok", // mixed, memory repeatable read
            "10 ok ok ok 21 ok", // mixed, memory serializable
            "10 ok ok ok 21 ok", // mixed, locks, memory repeatable read
            "10 ok ok ok 21 ok", // mixed, locks, memory serializable
            "10 ok ok ok 21 ok", // mixed read committed, memory first
            "10 ok ok ok 21 ok", // mixed serializable, memory first
        ],
    ),
    (
        "read skew from T2",
        [
            "20 ok ok 11 ok ok 11,20,70,10,21",  // mixed read uncommitted
            "20 ok ok 11 ok ok 11,20,70,10,21",  // mixed read committed, locks
            "20 ok ok 11 ok !41305 11,20,10,21", // mixed, memory repeatable read
            "20 ok ok 11 ok !41325 11,20,10,21", // mixed, memory serializable
            "20 ok ok 11 ok !41305 11,20,10,21", // mixed, locks, memory repeatable read
            "20 ok ok 11 ok !41325 11,20,10,21", // mixed, locks, memory serializable
            "20 ok ok 11 ok ok 10,21,11,20,70",  // mixed read committed, memory first
            "20 wait - 10 ok ok b:ok b:ok 10,21,11,20,70", // mixed serializable, memory first
        ],
    ),
];

#[test]
fn what_neither_kind_of_table_prevents_is_possible_across_both() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for (at, level) in MIXED.iter().enumerate() {
        let database = format!("mixed{at}");
        prepare(&server, &database, level);
        for rows in [Rows::Hot, Rows::Sunk, Rows::Sinking] {
            for (anomaly, (name, traces)) in ANOMALIES.iter().zip(&TRACES) {
                assert_eq!(anomaly.name, *name);
                let trace = perform(&server, &database, (level, rows), 2, anomaly.play);
                if trace != traces[at] {
                    wrong.push(format!("{rows:?} {name:<18} {:<38} {trace}", level.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// `SET TRANSACTION ISOLATION LEVEL`, a play that asks for a level that does not go with that, or
/// with what the transaction has done before, and its trace.
const REFUSED: [(&str, &str, &str); 6] = [
    (
        "repeatable read",
        "a update pages set v = 11 where id = 1; b update memory with (snapshot) set v = 21 where id = 2;
         a select v from memory with (repeatableread) where id = 1;
         b select v from memory with (repeatableread) where id = 1; a commit; b commit;
         c select v from pages union all select v from memory",
        "ok ok !41333 !41333 !3902 !3902 10,20,10,20",
    ),
    (
        "serializable",
        "a update pages set v = 11 where id = 1; b update memory with (snapshot) set v = 21 where id = 2;
         a select v from memory with (serializable) where id = 1;
         b select v from memory where id = 1; a commit; b commit;
         c select v from pages union all select v from memory",
        "ok ok !41333 !41333 !3902 !3902 10,20,10,20",
    ),
    (
        "snapshot",
        "a update pages set v = 11 where id = 1; a select v from memory with (snapshot) where id = 2;
         b select v from memory with (snapshot) where id = 2; a commit; b commit;
         c select v from pages union all select v from memory",
        "ok !41332 !41332 !3902 !3902 10,20,10,20",
    ),
    (
        "read committed",
        "a update pages set v = 11 where id = 1; b update memory with (snapshot) set v = 21 where id = 2;
         a select v from memory where id = 1; b select v from memory where id = 1; a commit; b commit;
         c select v from pages union all select v from memory",
        "ok ok !41368 !41368 !3902 !3902 10,20,10,20",
    ),
    // At READ COMMITTED hints may ask for more of one kind of table, not of both.
    (
        "read committed",
        "a update pages set v = 11 where id = 1; a select v from memory with (repeatableread) where id = 2;
         a select v from pages with (holdlock) where id = 2;
         b update memory with (snapshot) set v = 21 where id = 2;
         b select v from pages with (repeatableread) where id = 1;
         b select v from memory with (serializable) where id = 1; a commit; b commit;
         c select v from pages union all select v from memory",
        "ok 20 !41333 ok 10 !41333 !3902 !3902 10,20,10,20",
    ),
    (
        "read committed",
        "a select v from pages with (serializable) where id = 1
           union all select v from memory with (snapshot) where id = 1;
         a update memory with (snapshot) set v = 11 where id = 1;
         a update pages set v = 21 where id = 2 update memory with (serializable) set v = 21 where id = 2;
         a commit; b commit; c select v from pages union all select v from memory",
        "10,10 ok !41333 !3902 ok 10,20,10,20",
    ),
];

#[test]
fn levels_that_do_not_go_together_end_the_transaction_in_both_kinds_of_tables() {
    let server = TestServer::new();
    prepare(&server, "refused", &MIXED[0]);
    for (session, play, trace) in REFUSED {
        let level = Level { session, ..MIXED[0] };
        let told = perform(&server, "refused", (&level, Rows::Hot), 2, play);
        assert_eq!(told, trace, "{session}: {play}");
    }
}
