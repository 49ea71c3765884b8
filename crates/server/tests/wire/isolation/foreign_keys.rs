//! Foreign keys between disk tables: a session that deletes a row waits for sessions whose rows
//! begin to refer to it, or cease to.

use super::{LEVELS, Rows, Stage, lines, prepare};
use crate::support::TestServer;

/// A play, and its trace. The parents are 1 to 4; children 1, 2 and 3 have those as parents.
struct Play {
    /// What happens to the children.
    action: &'static str,
    play: &'static str,
    trace: &'static str,
}

const fn refuse(play: &'static str, trace: &'static str) -> Play {
    Play { action: "", play, trace }
}

const fn cascade(play: &'static str, trace: &'static str) -> Play {
    Play { action: "on delete cascade on update cascade", play, trace }
}

const fn set_null(play: &'static str, trace: &'static str) -> Play {
    Play { action: "on delete set null on update set null", play, trace }
}

const PLAYS: [Play; 18] = [
    refuse(
        "a insert child values (10, 4); b delete parent where id = 4; a commit; b commit",
        "ok wait ok b:!547 ok",
    ),
    refuse(
        "a insert child values (10, 4); b delete parent where id = 4; a rollback; b commit",
        "ok wait ok b:ok ok",
    ),
    refuse(
        "a update child set p = 4 where id = 2; b delete parent where id = 4; a commit; b commit",
        "ok wait ok b:!547 ok",
    ),
    refuse(
        "a update child set p = 4 where id = 2; b update parent set id = 20 where id = 2; a commit; b commit",
        "ok wait ok b:ok ok",
    ),
    refuse(
        "a delete child where id = 3; b delete parent where id = 3; a commit; b commit",
        "ok wait ok b:ok ok",
    ),
    refuse(
        "b delete parent where id = 4; a insert child values (10, 4); b commit; a commit",
        "ok wait ok a:!547 ok",
    ),
    cascade(
        "a insert child values (10, 1); b delete parent where id = 1; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 2,2,3,3",
    ),
    cascade(
        "a update child set p = 4 where id = 2; b delete parent where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,2,4,3,3",
    ),
    cascade(
        "a update child set p = 4 where id = 2; b delete parent where id = 2; a rollback; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,3,3",
    ),
    cascade(
        "a update child set p = 4 where id = 2; b update parent set id = 20 where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,2,4,3,3",
    ),
    cascade(
        "a update child set p = 2 where id = 3; b update parent set id = 20 where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,2,20,3,20",
    ),
    cascade(
        "a update child set id = 0 where id = 2; b delete parent where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,3,3",
    ),
    cascade(
        "a update child set id = 9 where id = 2; b update parent set id = 20 where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,3,3,9,20",
    ),
    set_null(
        "a update child set p = 4 where id = 2; b delete parent where id = 2; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,1,2,4,3,3",
    ),
    set_null(
        "a insert child values (10, 1); b update parent set id = 20 where id = 1; a commit; b commit;
         c select id, p from child order by id",
        "ok wait ok b:ok ok 1,null,2,2,3,3,10,null",
    ),
    // In a transaction at SNAPSHOT as well it is the newest rows that count, but those that it does
    // not see are not its own to change.
    refuse(
        "b commit; b set transaction isolation level snapshot; b begin transaction; b select count(*) from child;
         a insert child values (10, 4); a commit; b delete parent where id = 4; b commit",
        "ok ok ok 3 ok ok !547 ok",
    ),
    cascade(
        "b commit; b set transaction isolation level snapshot; b begin transaction; b select count(*) from child;
         a insert child values (10, 4); a commit; b delete parent where id = 4; c select count(*) from child",
        "ok ok ok 3 ok ok !3960 4",
    ),
    cascade(
        "b commit; b set transaction isolation level serializable; b begin transaction;
         a insert child values (10, 1); b delete parent where id = 1; a commit; b commit;
         c select id, p from child order by id",
        "ok ok ok ok wait ok b:ok ok 2,2,3,3",
    ),
];

#[test]
fn a_change_that_removes_a_key_waits_for_uncommitted_references() {
    let server = TestServer::new();
    let level = &LEVELS[1];
    let mut wrong = Vec::new();
    for (at, index) in ["", ", index by_parent (p)"].into_iter().enumerate() {
        let database = format!("family{at}");
        prepare(&server, &database, level);
        for rows in [Rows::Hot, Rows::Sunk, Rows::Sinking] {
            for Play { action, play, trace: expected } in &PLAYS {
                let mut setup = server.connect();
                let tables = format!(
                    "use {database}; drop table if exists child, parent;
                     create table parent (id int primary key);
                     create table child (id int primary key, p int references parent (id) {action}{index});
                     insert parent values (1), (2), (3), (4); insert child values (1, 1), (2, 2), (3, 3)"
                );
                setup.execute(&tables).unwrap();
                rows.bring(&server, &database, 7);
                let mut stage = Stage::new(&server, &database, rows);
                let starts: Vec<_> = ['a', 'b'].map(|who| (who, "begin transaction".into())).into();
                assert_eq!(stage.play(&starts), "ok ok");
                let trace = stage.play(&lines(play, level));
                if trace != *expected {
                    wrong.push(format!("{rows:?}{index}: {play}\n{trace}\n{expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
