//! The anomalies and their traces, in the order of the levels. Each play needs both tables of its
//! level: where these are two, the anomaly is one across a disk table and a memory-optimized one.

use super::{Anomaly, Level, Rows, Stage, lines};
use crate::support::TestServer;

mod circle;
mod mixed;

pub const ANOMALIES: [Anomaly; 8] = [
    Anomaly {
        name: "dirty write",
        play: "a update T1 set v = 11 where id = 1;
            b update T1 set v = 12 where id = 1 update T2 set v = 22 where id = 2;
            a update T2 set v = 21 where id = 2; a commit; b commit;
            c select v from pages union all select v from memory",
        traces: [
            "ok wait ok ok b:ok ok 12,22,10,20", // read uncommitted
            "ok wait ok ok b:ok ok 12,22,10,20", // read committed snapshot
            "ok wait ok ok b:ok ok 12,22,10,20", // read committed
            "ok wait ok ok b:ok ok 12,22,10,20", // repeatable read
            "ok wait ok ok b:!3960 !3902 11,21,10,20", // snapshot
            "ok wait ok ok b:ok ok 12,22,10,20", // serializable
            "ok !41302 ok ok !3902 10,20,11,21", // memory snapshot
            "ok !41302 ok ok !3902 10,20,11,21", // memory repeatable read
            "ok !41302 ok ok !3902 10,20,11,21", // memory serializable
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed read committed
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed repeatable read
            "ok wait ok ok b:ok ok 12,20,10,22", // mixed serializable
        ],
    },
    Anomaly {
        name: "dirty read",
        play: "a update T1 set v = 11 where id = 1; a update T2 set v = 21 where id = 2;
            b select v from T2 where id = 2; b select v from T1 where id = 1; a rollback; b commit;
            c select v from pages union all select v from memory",
        traces: [
            "ok ok 21 11 ok ok 10,20,10,20", // read uncommitted
            "ok ok 20 10 ok ok 10,20,10,20", // read committed snapshot
            "ok ok wait - ok b:20 b:10 ok 10,20,10,20", // read committed
            "ok ok wait - ok b:20 b:10 ok 10,20,10,20", // repeatable read
            "ok ok 20 10 ok ok 10,20,10,20", // snapshot
            "ok ok wait - ok b:20 b:10 ok 10,20,10,20", // serializable
            "ok ok 20 10 ok ok 10,20,10,20", // memory snapshot
            "ok ok 20 10 ok ok 10,20,10,20", // memory repeatable read
            "ok ok 20 10 ok ok 10,20,10,20", // memory serializable
            "ok ok 20 10 ok ok 10,20,10,20", // mixed read committed
            "ok ok 20 wait ok b:10 ok 10,20,10,20", // mixed repeatable read
            "ok ok 20 wait ok b:10 ok 10,20,10,20", // mixed serializable
        ],
    },
    Anomaly {
        name: "lost update",
        play: "a select v from T1 where id = 1 union all select v from T2 where id = 2;
            b select v from T1 where id = 1 union all select v from T2 where id = 2;
            a update T1 set v = 11 where id = 1 update T2 set v = 21 where id = 2;
            b update T1 set v = 12 where id = 1 update T2 set v = 22 where id = 2; a commit; b commit;
            c select v from pages union all select v from memory",
        traces: [
            "10,20 10,20 ok wait ok b:ok ok 12,22,10,20", // read uncommitted
            "10,20 10,20 ok wait ok b:ok ok 12,22,10,20", // read committed snapshot
            "10,20 10,20 ok wait ok b:ok ok 12,22,10,20", // read committed
            "10,20 10,20 wait !1205 a:ok ok !3902 11,21,10,20", // repeatable read
            "10,20 10,20 ok wait ok b:!3960 !3902 11,21,10,20", // snapshot
            "10,20 10,20 wait !1205 a:ok ok !3902 11,21,10,20", // serializable
            "10,20 10,20 ok !41302 ok !3902 10,20,11,21", // memory snapshot
            "10,20 10,20 ok !41302 ok !3902 10,20,11,21", // memory repeatable read
            "10,20 10,20 ok !41302 ok !3902 10,20,11,21", // memory serializable
            "10,20 10,20 ok wait ok b:!41302 !3902 11,20,10,21", // mixed read committed
            "10,20 10,20 wait !1205 a:ok ok !3902 11,20,10,21", // mixed repeatable read
            "10,20 10,20 wait !1205 a:ok ok !3902 11,20,10,21", // mixed serializable
        ],
    },
    // A transaction that has only read is not validated: that this one writes is what lets it fail.
    Anomaly {
        name: "fuzzy read",
        play: "a select v from T1 where id = 1 union all select v from T2 where id = 2;
            b update T1 set v = 11 where id = 1 update T2 set v = 21 where id = 2; b commit;
            a select v from T1 where id = 1 union all select v from T2 where id = 2;
            a insert T1 values (7, 70); a commit;
            c select v from pages union all select v from memory",
        traces: [
            "10,20 ok ok 11,21 ok ok 11,21,70,10,20", // read uncommitted
            "10,20 ok ok 11,21 ok ok 11,21,70,10,20", // read committed snapshot
            "10,20 ok ok 11,21 ok ok 11,21,70,10,20", // read committed
            "10,20 wait - 10,20 ok ok b:ok b:ok 11,21,70,10,20", // repeatable read
            "10,20 ok ok 10,20 ok ok 11,21,70,10,20", // snapshot
            "10,20 wait - 10,20 ok ok b:ok b:ok 11,21,70,10,20", // serializable
            "10,20 ok ok 10,20 ok ok 10,20,11,21,70", // memory snapshot
            "10,20 ok ok 10,20 ok !41305 10,20,11,21", // memory repeatable read
            "10,20 ok ok 10,20 ok !41325 10,20,11,21", // memory serializable
            "10,20 ok ok 11,20 ok ok 11,20,70,10,21", // mixed read committed
            "10,20 wait - 10,20 ok ok b:ok b:ok 11,20,70,10,21", // mixed repeatable read
            "10,20 wait - 10,20 ok ok b:ok b:ok 11,20,70,10,21", // mixed serializable
        ],
    },
    Anomaly {
        name: "phantom",
        play: "a select count(*) from T1 where id between 1 and 5
              union all select count(*) from T2 where id between 1 and 5;
            b insert T1 values (3, 30) insert T2 values (4, 40); b commit;
            a select count(*) from T1 where id between 1 and 5
              union all select count(*) from T2 where id between 1 and 5;
            a insert T1 values (7, 70); a commit;
            c select count(*) from pages union all select count(*) from memory",
        traces: [
            "2,2 ok ok 4,4 ok ok 5,2", // read uncommitted
            "2,2 ok ok 4,4 ok ok 5,2", // read committed snapshot
            "2,2 ok ok 4,4 ok ok 5,2", // read committed
            "2,2 ok ok 4,4 ok ok 5,2", // repeatable read
            "2,2 ok ok 2,2 ok ok 5,2", // snapshot
            "2,2 wait - 2,2 ok ok b:ok b:ok 5,2", // serializable
            "2,2 ok ok 2,2 ok ok 2,5", // memory snapshot
            "2,2 ok ok 2,2 ok ok 2,5", // memory repeatable read
            "2,2 ok ok 2,2 ok !41325 2,4", // memory serializable
            "2,2 ok ok 3,2 ok ok 4,3", // mixed read committed
            "2,2 ok ok 3,2 ok ok 4,3", // mixed repeatable read
            "2,2 wait - 2,2 ok ok b:ok b:ok 4,3", // mixed serializable
        ],
    },
    Anomaly {
        name: "write skew",
        play: "a select v from T2 where id = 2; b select v from T1 where id = 1;
            a update T1 set v = 0 where id = 1; b update T2 set v = 0 where id = 2; b commit; a commit;
            c select v from pages union all select v from memory",
        traces: [
            "20 10 ok ok ok ok 0,0,10,20", // read uncommitted
            "20 10 ok ok ok ok 0,0,10,20", // read committed snapshot
            "20 10 ok ok ok ok 0,0,10,20", // read committed
            "20 10 wait !1205 a:ok !3902 ok 0,20,10,20", // repeatable read
            "20 10 ok ok ok ok 0,0,10,20", // snapshot
            "20 10 wait !1205 a:ok !3902 ok 0,20,10,20", // serializable
            "20 10 ok ok ok ok 10,20,0,0", // memory snapshot
            "20 10 ok ok ok !41305 10,20,10,0", // memory repeatable read
            "20 10 ok ok ok !41325 10,20,10,0", // memory serializable
            "20 10 ok ok ok ok 0,20,10,0", // mixed read committed
            "20 10 wait ok ok a:ok ok 0,20,10,0", // mixed repeatable read
            "20 10 wait ok ok a:ok ok 0,20,10,0", // mixed serializable
        ],
    },
    Anomaly {
        name: "read skew",
        play: "a select v from T1 where id = 1; b update T1 set v = 11 where id = 1;
            b update T2 set v = 21 where id = 2; b commit; a select v from T2 where id = 2; a commit",
        traces: [
            "10 ok ok ok 21 ok", // read uncommitted
            "10 ok ok ok 21 ok", // read committed snapshot
            "10 ok ok ok 21 ok", // read committed
            "10 wait - - 20 ok b:ok b:ok b:ok", // repeatable read
            "10 ok ok ok 20 ok", // snapshot
            "10 wait - - 20 ok b:ok b:ok b:ok", // serializable
            "10 ok ok ok 20 ok", // memory snapshot
            "10 ok ok ok 20 !41305", // memory repeatable read
            "10 ok ok ok 20 !41325", // memory serializable
            "10 ok ok ok 21 ok", // mixed read committed
            "10 wait - - 20 ok b:ok b:ok b:ok", // mixed repeatable read
            "10 wait - - 20 ok b:ok b:ok b:ok", // mixed serializable
        ],
    },
    // The snapshot of memory-optimized tables is as old as the first look at one; no lock keeps
    // what it shows.
    Anomaly {
        name: "read skew from T2",
        play: "a select v from T2 where id = 2;
            b update T2 set v = 21 where id = 2 update T1 set v = 11 where id = 1; b commit;
            a select v from T1 where id = 1; a insert T1 values (7, 70); a commit;
            c select v from pages union all select v from memory",
        traces: [
            "20 ok ok 11 ok ok 11,21,70,10,20", // read uncommitted
            "20 ok ok 11 ok ok 11,21,70,10,20", // read committed snapshot
            "20 ok ok 11 ok ok 11,21,70,10,20", // read committed
            "20 wait - 10 ok ok b:ok b:ok 11,21,70,10,20", // repeatable read
            "20 ok ok 10 ok ok 11,21,70,10,20", // snapshot
            "20 wait - 10 ok ok b:ok b:ok 11,21,70,10,20", // serializable
            "20 ok ok 10 ok ok 10,20,11,21,70", // memory snapshot
            "20 ok ok 10 ok !41305 10,20,11,21", // memory repeatable read
            "20 ok ok 10 ok !41325 10,20,11,21", // memory serializable
            "20 ok ok 11 ok ok 11,20,70,10,21", // mixed read committed
            "20 ok ok 11 ok ok 11,20,70,10,21", // mixed repeatable read
            "20 ok ok 11 ok ok 11,20,70,10,21", // mixed serializable
        ],
    },
];

/// The trace of a play at a level, in a database that is prepared for it: by this many players,
/// whose transactions have begun, on as many rows of each table.
pub fn perform(
    server: &TestServer,
    database: &str,
    (level, rows): (&Level, Rows),
    players: usize,
    play: &str,
) -> String {
    let values: Vec<String> = (1..=players).map(|id| format!("({id}, {id}0)")).collect();
    let values = values.join(", ");
    let filled = format!(
        "use {database}; delete pages; delete memory;
         insert pages values {values}; insert memory values {values}"
    );
    server.connect().execute(&filled).unwrap();
    rows.bring(server, database, players as u64);
    let mut stage = Stage::new(server, database, rows);
    let begin = format!("set transaction isolation level {}; begin transaction", level.session);
    let starts: Vec<_> = ('a'..).take(players).map(|who| (who, begin.clone())).collect();
    assert_eq!(stage.play(&starts), vec!["ok"; players].join(" "));
    stage.play(&lines(play, level))
}
