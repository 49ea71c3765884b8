//! The anomalies and their traces, in the order of the levels.

use super::Anomaly;

pub const ANOMALIES: [Anomaly; 8] = [
    Anomaly {
        name: "dirty write",
        play: "a update T1 set v = 11 where id = 1; b update T1 set v = 12 where id = 1;
            a update T2 set v = 21 where id = 2; a commit; b commit;
            c select v from pages union all select v from memory",
        traces: [
            "ok wait ok ok b:ok ok 12,21,10,20", // read uncommitted
            "ok wait ok ok b:ok ok 12,21,10,20", // read committed snapshot
            "ok wait ok ok b:ok ok 12,21,10,20", // read committed
            "ok wait ok ok b:ok ok 12,21,10,20", // repeatable read
            "ok wait ok ok b:!3960 !3902 11,21,10,20", // snapshot
            "ok wait ok ok b:ok ok 12,21,10,20", // serializable
            "ok !41302 ok ok !3902 10,20,11,21", // memory snapshot
            "ok !41302 ok ok !3902 10,20,11,21", // memory repeatable read
            "ok !41302 ok ok !3902 10,20,11,21", // memory serializable
            "ok wait ok ok b:ok ok 12,20,10,21", // mixed read committed
            "ok wait ok ok b:ok ok 12,20,10,21", // mixed repeatable read
            "ok wait ok ok b:ok ok 12,20,10,21", // mixed serializable
        ],
    },
    Anomaly {
        name: "dirty read",
        play: "a update T1 set v = 11 where id = 1; b select v from T1 where id = 1; a rollback; b commit",
        traces: [
            "ok 11 ok ok", // read uncommitted
            "ok 10 ok ok", // read committed snapshot
            "ok wait ok b:10 ok", // read committed
            "ok wait ok b:10 ok", // repeatable read
            "ok 10 ok ok", // snapshot
            "ok wait ok b:10 ok", // serializable
            "ok 10 ok ok", // memory snapshot
            "ok 10 ok ok", // memory repeatable read
            "ok 10 ok ok", // memory serializable
            "ok 10 ok ok", // mixed read committed
            "ok wait ok b:10 ok", // mixed repeatable read
            "ok wait ok b:10 ok", // mixed serializable
        ],
    },
    Anomaly {
        name: "lost update",
        play: "a select v from T1 where id = 1; b select v from T1 where id = 1;
            a update T1 set v = 11 where id = 1; b update T1 set v = 12 where id = 1; a commit; b commit",
        traces: [
            "10 10 ok wait ok b:ok ok", // read uncommitted
            "10 10 ok wait ok b:ok ok", // read committed snapshot
            "10 10 ok wait ok b:ok ok", // read committed
            "10 10 wait !1205 a:ok ok !3902", // repeatable read
            "10 10 ok wait ok b:!3960 !3902", // snapshot
            "10 10 wait !1205 a:ok ok !3902", // serializable
            "10 10 ok !41302 ok !3902", // memory snapshot
            "10 10 ok !41302 ok !3902", // memory repeatable read
            "10 10 ok !41302 ok !3902", // memory serializable
            "10 10 ok wait ok b:ok ok", // mixed read committed
            "10 10 wait !1205 a:ok ok !3902", // mixed repeatable read
            "10 10 wait !1205 a:ok ok !3902", // mixed serializable
        ],
    },
    Anomaly {
        name: "fuzzy read",
        play: "a select v from T1 where id = 1; b update T1 set v = 11 where id = 1; b commit;
            a select v from T1 where id = 1; a commit",
        traces: [
            "10 ok ok 11 ok", // read uncommitted
            "10 ok ok 11 ok", // read committed snapshot
            "10 ok ok 11 ok", // read committed
            "10 wait - 10 ok b:ok b:ok", // repeatable read
            "10 ok ok 10 ok", // snapshot
            "10 wait - 10 ok b:ok b:ok", // serializable
            "10 ok ok 10 ok", // memory snapshot
            "10 ok ok 10 ok", // memory repeatable read
            "10 ok ok 10 ok", // memory serializable
            "10 ok ok 11 ok", // mixed read committed
            "10 wait - 10 ok b:ok b:ok", // mixed repeatable read
            "10 wait - 10 ok b:ok b:ok", // mixed serializable
        ],
    },
    Anomaly {
        name: "phantom",
        play: "a select count(*) from T1 where id between 1 and 5; b insert T1 values (3, 30); b commit;
            a select count(*) from T1 where id between 1 and 5; a commit",
        traces: [
            "2 ok ok 3 ok", // read uncommitted
            "2 ok ok 3 ok", // read committed snapshot
            "2 ok ok 3 ok", // read committed
            "2 ok ok 3 ok", // repeatable read
            "2 ok ok 2 ok", // snapshot
            "2 wait - 2 ok b:ok b:ok", // serializable
            "2 ok ok 2 ok", // memory snapshot
            "2 ok ok 2 ok", // memory repeatable read
            "2 ok ok 2 ok", // memory serializable
            "2 ok ok 3 ok", // mixed read committed
            "2 ok ok 3 ok", // mixed repeatable read
            "2 wait - 2 ok b:ok b:ok", // mixed serializable
        ],
    },
    Anomaly {
        name: "write skew",
        play: "a select v from T2 where id = 2; b select v from T1 where id = 1;
            a update T1 set v = 0 where id = 1; b update T2 set v = 0 where id = 2; a commit; b commit",
        traces: [
            "20 10 ok ok ok ok", // read uncommitted
            "20 10 ok ok ok ok", // read committed snapshot
            "20 10 ok ok ok ok", // read committed
            "20 10 wait !1205 a:ok ok !3902", // repeatable read
            "20 10 ok ok ok ok", // snapshot
            "20 10 wait !1205 a:ok ok !3902", // serializable
            "20 10 ok ok ok ok", // memory snapshot
            "20 10 ok ok ok !41305", // memory repeatable read
            "20 10 ok ok ok !41325", // memory serializable
            "20 10 ok ok ok ok", // mixed read committed
            "20 10 wait ok - ok a:ok a:ok", // mixed repeatable read
            "20 10 wait ok - ok a:ok a:ok", // mixed serializable
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
            "10 ok ok ok 20 ok", // memory repeatable read
            "10 ok ok ok 20 ok", // memory serializable
            "10 ok ok ok 21 ok", // mixed read committed
            "10 wait - - 20 ok b:ok b:ok b:ok", // mixed repeatable read
            "10 wait - - 20 ok b:ok b:ok b:ok", // mixed serializable
        ],
    },
    Anomaly {
        name: "three in a circle",
        play: "a update T1 set v = 11 where id = 1; b update T2 set v = 21 where id = 2;
            a select v from T2 where id = 2; b select v from T1 where id = 1; a commit; b commit",
        traces: [
            "ok ok 21 11 ok ok", // read uncommitted
            "ok ok 20 10 ok ok", // read committed snapshot
            "ok ok wait !1205 a:20 ok !3902", // read committed
            "ok ok wait !1205 a:20 ok !3902", // repeatable read
            "ok ok 20 10 ok ok", // snapshot
            "ok ok wait !1205 a:20 ok !3902", // serializable
            "ok ok 20 10 ok ok", // memory snapshot
            "ok ok 20 10 ok !41305", // memory repeatable read
            "ok ok 20 10 ok !41325", // memory serializable
            "ok ok 20 10 ok ok", // mixed read committed
            "ok ok 20 wait ok b:11 ok", // mixed repeatable read
            "ok ok 20 wait ok b:11 ok", // mixed serializable
        ],
    },
];
