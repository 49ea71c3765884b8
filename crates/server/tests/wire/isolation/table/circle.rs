//! Three transactions, each of which reads what the next one has changed.

use super::mixed::MIXED;
use super::perform;
use crate::isolation::{LEVELS, Rows, prepare};
use crate::support::TestServer;

/// The first and the last row are in one table, the second is in the other.
const PLAY: &str = "a update T1 set v = 11 where id = 1; b update T2 set v = 21 where id = 2;
    c update T1 set v = 31 where id = 3; a select v from T2 where id = 2;
    b select v from T1 where id = 3; c select v from T1 where id = 1; b commit; c commit; a commit;
    d select v from pages union all select v from memory";

const TRACES: [&str; LEVELS.len() + MIXED.len()] = [
    "ok ok ok 21 31 11 ok ok ok 11,21,31,10,20,30", // read uncommitted
    "ok ok ok 20 30 10 ok ok ok 11,21,31,10,20,30", // read committed snapshot
    "ok ok ok wait wait !1205 b:30 ok a:21 !3902 ok 11,21,30,10,20,30", // read committed
    "ok ok ok wait wait !1205 b:30 ok a:21 !3902 ok 11,21,30,10,20,30", // repeatable read
    "ok ok ok 20 30 10 ok ok ok 11,21,31,10,20,30", // snapshot
    "ok ok ok wait wait !1205 b:30 ok a:21 !3902 ok 11,21,30,10,20,30", // serializable
    "ok ok ok 20 30 10 ok ok ok 10,20,30,11,21,31", // memory snapshot
    "ok ok ok 20 30 10 ok ok !41305 10,20,30,10,21,31", // memory repeatable read
    "ok ok ok 20 30 10 ok ok !41325 10,20,30,10,21,31", // memory serializable
    "ok ok ok 20 30 10 ok ok ok 11,20,31,10,21,30", // mixed read committed
    "ok ok ok 20 wait wait - - ok c:11 c:ok b:31 b:ok 11,20,31,10,21,30", // mixed repeatable read
    "ok ok ok 20 wait wait - - ok c:11 c:ok b:31 b:ok 11,20,31,10,21,30", // mixed serializable
    "ok ok ok 20 31 11 ok ok ok 11,20,31,10,21,30", // mixed read uncommitted
    "ok ok ok 20 wait wait - - ok c:11 c:ok b:31 b:ok 11,20,31,10,21,30", // mixed read committed, locks
    "ok ok ok 20 30 10 ok ok !41305 10,20,31,10,21,30", // mixed, memory repeatable read
    "ok ok ok 20 30 10 ok ok !41325 10,20,31,10,21,30", // mixed, memory serializable
    "ok ok ok 20 wait wait - - ok c:11 c:ok b:31 b:ok 11,20,31,10,21,30", // mixed, locks, memory repeatable read
    "ok ok ok 20 wait wait - - ok c:11 c:ok b:31 b:ok 11,20,31,10,21,30", // mixed, locks, memory serializable
    "ok ok ok 20 30 10 ok ok ok 10,21,30,11,20,31", // mixed read committed, memory first
    "ok ok ok wait 30 10 ok a:21 ok ok 10,21,30,11,20,31", // mixed serializable, memory first
];

#[test]
fn a_circle_of_three_is_broken_where_reads_lock_or_are_validated() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for (at, level) in LEVELS.iter().chain(&MIXED).enumerate() {
        let database = format!("circle{at}");
        prepare(&server, &database, level);
        for rows in [Rows::Hot, Rows::Sunk, Rows::Sinking] {
            let trace = perform(&server, &database, (level, rows), 3, PLAY);
            if trace != TRACES[at] {
                wrong.push(format!("{rows:?} {:<38} {trace}", level.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
