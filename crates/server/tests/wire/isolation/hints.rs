//! Hints, locks and conflicts: plays with one trace each.

use super::Hint;

/// At READ COMMITTED with row versions.
const fn versions(play: &'static str, trace: &'static str) -> Hint {
    Hint { level: "read committed", versions: true, play, trace }
}

/// At READ COMMITTED with locks.
const fn locks(play: &'static str, trace: &'static str) -> Hint {
    Hint { level: "read committed", versions: false, play, trace }
}

const fn at(level: &'static str, play: &'static str, trace: &'static str) -> Hint {
    Hint { level, versions: true, play, trace }
}

pub const HINTS: [Hint; 70] = [
    versions(
        "a select v from pages with (updlock) where id = 1;
         b select v from pages with (updlock) where id = 1; a commit; b commit",
        "10 wait ok b:10 ok",
    ),
    versions(
        "a select v from pages with (updlock) where id = 1;
         b select v from pages where id = 1; b update pages set v = 12 where id = 2; a commit; b commit",
        "10 10 ok ok ok",
    ),
    versions(
        "a select v from pages with (updlock) where id = 1;
         b update pages set v = 12 where id = 1; a update pages set v = 11 where id = 1; a commit; b commit;
         c select v from pages where id = 1",
        "10 wait ok ok b:ok ok 12",
    ),
    versions(
        "a select v from pages with (xlock) where id = 1;
         b select v from pages with (readcommittedlock) where id = 1; a commit; b commit",
        "10 wait ok b:10 ok",
    ),
    versions(
        "a select v from pages with (xlock) where id = 1; b select v from pages where id = 1; a commit; b commit",
        "10 10 ok ok",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b select v from pages with (updlock, readpast); a commit; b commit",
        "ok 20 ok ok",
    ),
    versions(
        "a delete pages where id = 1; b select v from pages with (updlock, readpast); a rollback; b commit",
        "ok 20 ok ok",
    ),
    versions(
        "a select v from pages with (updlock) where id = 2; b delete pages with (readpast); a commit; b commit;
         c select v from pages",
        "20 ok ok ok 20",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b select v from pages with (updlock, nowait) where id = 1;
         a rollback; b select v from pages with (updlock, nowait) where id = 1; b commit",
        "ok !1222 ok 10 ok",
    ),
    versions(
        "a select v from pages with (updlock) where id = 1; b update pages with (nowait) set v = 11 where id = 1;
         a commit; b commit",
        "10 !1222 ok ok",
    ),
    versions(
        "b set lock_timeout 0; a select v from pages with (xlock) where id = 2;
         b update pages set v = 21; a commit; b commit; c select v from pages",
        "ok 20 !1222 ok ok 10,20",
    ),
    versions(
        "a select count(*) from pages with (holdlock) where id between 3 and 9;
         b insert pages values (5, 50); a commit; b commit",
        "0 wait ok b:ok ok",
    ),
    versions(
        "a select count(*) from pages with (holdlock) where id between 3 and 9;
         b insert pages values (10, 50); b update pages set v = 21 where id = 2; a commit; b commit",
        "0 ok ok ok ok",
    ),
    versions(
        "a select v from pages with (holdlock) where id = 2; b delete pages where id = 2; a commit; b commit;
         c select count(*) from pages",
        "20 wait ok b:ok ok 1",
    ),
    versions(
        "a select v from pages with (updlock, holdlock) where id = 7;
         b select v from pages with (updlock, holdlock) where id = 7; a insert pages values (7, 70); a commit;
         b commit",
        " wait ok ok b:70 ok",
    ),
    versions(
        "a select count(*) from pages with (tablockx);
         b select v from pages with (readcommittedlock) where id = 2; a commit; b commit",
        "2 wait ok b:20 ok",
    ),
    versions(
        "a select count(*) from pages with (tablockx); b select v from pages where id = 2; a commit; b commit",
        "2 20 ok ok",
    ),
    versions(
        "a select count(*) from pages with (tablock, holdlock); b select v from pages with (holdlock) where id = 2;
         b update pages set v = 21 where id = 2; a commit; b commit",
        "2 20 wait ok b:ok ok",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b select count(*) from pages with (tablockx); a commit; b commit",
        "ok wait ok b:2 ok",
    ),
    versions(
        "a delete pages where id = 1; b insert pages values (1, 12); a commit; b commit;
         c select v from pages where id = 1",
        "ok wait ok b:ok ok 12",
    ),
    versions(
        "a delete pages where id = 1; b insert pages values (1, 12); a rollback; b commit;
         c select v from pages where id = 1",
        "ok wait ok b:!2627 ok 10",
    ),
    versions(
        "a insert pages values (1, 12); a insert pages values (3, 30); b insert pages values (3, 31); a commit;
         b commit",
        "!2627 ok wait ok b:!2627 ok",
    ),
    versions(
        "a update pages set id = 5 where id = 1; b insert pages values (1, 12); b insert pages values (5, 50);
         a commit; b commit; c select id from pages order by id",
        "ok wait - ok b:ok b:!2627 ok 1,2,5",
    ),
    versions(
        "a update keyed set k = 99 where id = 1; b update keyed set v = 0 where k = 10; a commit; b commit;
         c select v from keyed where id = 1",
        "ok wait ok b:ok ok 100",
    ),
    versions(
        "a update keyed set k = 99 where id = 1; b update keyed set v = 0 where k = 10; a rollback; b commit;
         c select v from keyed where id = 1",
        "ok wait ok b:ok ok 0",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b update pages set v = 22 where id = 2;
         a update pages set v = 12 where id = 2; b update pages set v = 21 where id = 1; a commit; b commit;
         c select v from pages",
        "ok ok wait !1205 a:ok ok !3902 11,12",
    ),
    versions(
        "a select v from pages with (nolock) where id = 1; b update pages set v = 11 where id = 1;
         a select v from pages with (nolock) where id = 1; b rollback;
         a select v from pages with (nolock) where id = 1; a commit",
        "10 ok 11 ok 10 ok",
    ),
    versions(
        "b delete pages where id = 1; a select count(*) from pages with (nolock); b rollback;
         a select count(*) from pages with (nolock); a commit",
        "ok 1 ok 2 ok",
    ),
    versions(
        "a insert pages with (tablockx) values (3, 30); b update pages set v = 11 where id = 1; a commit; b commit",
        "ok wait ok b:ok ok",
    ),
    versions(
        "a delete pages; a commit; a begin transaction; a insert pages with (tablock) values (3, 30);
         b insert pages values (4, 40); c select count(*) from pages; a commit; b commit",
        "ok ok ok ok wait 0 ok b:ok ok",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b insert pages with (tablock) values (3, 30); a commit; b commit",
        "ok wait ok b:ok ok",
    ),
    versions(
        "a update pages set v = 11 where id = 1; b insert pages with (tablockx, nowait) values (3, 30); a commit;
         b commit",
        "ok !1222 ok ok",
    ),
    versions(
        "a insert pages with (tablock) select id + 5, v from pages; b select v from pages where id = 6;
         b select v from pages with (readcommittedlock) where id = 6; a commit; b commit",
        "ok  wait ok b:10 ok",
    ),
    locks(
        "a delete pages where id = 1; b select count(*) from pages; a commit; b commit",
        "ok wait ok b:1 ok",
    ),
    locks(
        "a delete pages where id = 1; b select count(*) from pages; a rollback; b commit",
        "ok wait ok b:2 ok",
    ),
    locks(
        "a insert pages values (3, 30); b select v from pages with (readpast); a commit; b commit",
        "ok 10,20 ok ok",
    ),
    locks(
        "a update keyed set k = 25 where id = 1; b select id from keyed where k between 21 and 29; a commit; b commit",
        "ok wait ok b:1 ok",
    ),
    locks(
        "a select v from pages with (holdlock) where id = 1; b update pages set v = 11 where id = 1;
         c select v from pages where id = 1; a commit; b commit",
        "10 wait wait ok b:ok ok c:11",
    ),
    at(
        "snapshot",
        "a select count(*) from pages; b update pages set v = 12 where id = 1; b commit;
         a select v from pages where id = 1; a update pages set v = 13 where id = 1; a commit",
        "2 ok ok 10 !3960 !3902",
    ),
    at(
        "snapshot",
        "a select count(*) from pages; b delete pages where id = 1; b commit; a select count(*) from pages;
         a delete pages where id = 1; a commit",
        "2 ok ok 2 !3960 !3902",
    ),
    at(
        "snapshot",
        "a select count(*) from pages; b insert pages values (3, 30); b commit; a select count(*) from pages;
         a insert pages values (3, 31); a commit",
        "2 ok ok 2 !2627 ok",
    ),
    at(
        "snapshot",
        "a select v from keyed where k = 10; b update keyed set k = 11 where id = 1; b commit;
         a select v from keyed where k = 10; a select count(*) from keyed where k = 11; a commit",
        "100 ok ok 100 0 ok",
    ),
    at(
        "repeatable read",
        "a select v from pages where id = 1; b delete pages where id = 1; a select v from pages where id = 1;
         a commit; b commit",
        "10 wait 10 ok b:ok ok",
    ),
    at(
        "serializable",
        "a select count(*) from keyed where k = 20; b update keyed set k = 20 where id = 1;
         a select count(*) from keyed where k = 20; a commit; b commit",
        "1 wait 1 ok b:ok ok",
    ),
    at(
        "serializable",
        "a select count(*) from keyed where k > 20; b delete keyed where id = 3;
         a select count(*) from keyed where k > 20; a commit; b commit",
        "1 wait 1 ok b:ok ok",
    ),
    // Rows whose keys are changed all at once are found by the sessions that have waited for them.
    versions(
        "a update keyed set id = id + 1; b update keyed set v = v + 1 where k = 10; a commit; b commit;
         c select id, v from keyed where k = 10",
        "ok wait ok b:ok ok 2,101",
    ),
    locks(
        "a update keyed set id = 4 - id; b delete keyed where k = 10; a commit; b commit; c select id from keyed",
        "ok wait ok b:ok ok 1,2",
    ),
    versions(
        "a update keyed set id = id + 1; b update keyed set v = v + 1 where k = 10; a rollback; b commit;
         c select id, v from keyed where k = 10",
        "ok wait ok b:ok ok 1,101",
    ),
    versions(
        "a merge keyed using (values (1, 3), (3, 1)) s (id, new) on keyed.id = s.id when matched then update set id = s.new;
         b update keyed set v = v + 1 where k = 10; a commit; b commit; c select id, v from keyed where k = 10",
        "ok wait ok b:ok ok 3,101",
    ),
    // MERGE finds what is there when it reads, not what was there when it began.
    versions(
        "a update keyed set v = v + 1 where id = 1;
         b merge keyed using (values (1, 5)) s (id, n) on keyed.id = s.id when matched then update set v = v + s.n;
         a commit; b commit; c select v from keyed where id = 1",
        "ok wait ok b:ok ok 106",
    ),
    versions(
        "a delete keyed where id = 1;
         b merge keyed using (values (1, 5)) s (id, n) on keyed.id = s.id when matched then update set v = s.n
         when not matched then insert values (s.id, 50, s.n); a commit; b commit; c select k, v from keyed where id = 1",
        "ok wait ok b:ok ok 50,5",
    ),
    locks(
        "a update keyed set k = 99 where id = 2;
         b merge keyed using (values (20, 777)) s (k, n) on keyed.k = s.k when matched then update set v = s.n
         when not matched then insert values (4, s.k, s.n); a commit; b commit; c select id, k, v from keyed where id in (2, 4)",
        "ok wait ok b:ok ok 2,99,200,4,20,777",
    ),
    versions(
        "a update keyed set k = 99 where id = 2;
         b merge keyed using (values (20, 777)) s (k, n) on keyed.k = s.k when matched then update set v = s.n
         when not matched then insert values (4, s.k, s.n); a commit; b commit; c select id, k, v from keyed where id in (2, 4)",
        "ok wait ok b:ok ok 2,99,200,4,20,777",
    ),
    versions(
        "a insert keyed values (4, 40, 400);
         b merge keyed using (values (4, 5)) s (id, n) on keyed.id = s.id when matched then update set v = s.n
         when not matched then insert values (s.id, 50, s.n); a commit; b commit; c select k, v from keyed where id = 4",
        "ok wait ok b:ok ok 40,5",
    ),
    at(
        "snapshot",
        "a update keyed set v = 1 where id = 1; b select v from pages where id = 1;
         b merge keyed using (values (1, 5)) s (id, n) on keyed.id = s.id when matched then update set v = s.n;
         a commit; c select v from keyed where id = 1",
        "ok 10 wait ok b:!3960 1",
    ),
    // Variables are set once for a row, to what it is when it is changed.
    versions(
        "a update pages set v = 11 where id = 1;
         b declare @n int = 0 update pages set @n = @n + v, v = v + 1 select @n; a commit; b commit",
        "ok wait ok b:31 ok",
    ),
    // The target of a change is read as it is now: rows that have come to match are changed, and
    // rows that no longer match are not.
    versions(
        "a update pages set v = v + 10; b delete pages where v = 20; a commit; b commit; c select v from pages",
        "ok wait ok b:ok ok 30",
    ),
    versions(
        "a update pages set v = v + 10; b delete pages where v = 20; a rollback; b commit; c select v from pages",
        "ok wait ok b:ok ok 10",
    ),
    versions(
        "a update keyed set k = 20 where id = 1; b update keyed set v = 0 where k = 20; a commit; b commit;
         c select v from keyed",
        "ok wait ok b:ok ok 0,0,300",
    ),
    versions(
        "a update pages set v = 20 where id = 1; b delete pages where id = 1 and v = 20; a commit; b commit;
         c select v from pages",
        "ok wait ok b:ok ok 20",
    ),
    versions(
        "a insert pages values (3, 30); b update pages set v = 0 where v = 30; a commit; b commit; c select v from pages",
        "ok wait ok b:ok ok 10,20,0",
    ),
    versions(
        "a update pages set v = 20 where id = 1;
         b update p set v = p.v + 1 from pages p join keyed k on k.id = p.id where p.v = 20; a commit; b commit;
         c select v from pages",
        "ok wait ok b:ok ok 21,21",
    ),
    locks(
        "a update pages set v = v + 10; b delete pages where v = 20; a commit; b commit; c select v from pages",
        "ok wait ok b:ok ok 30",
    ),
    locks(
        "a update pages set v = v + 10; b delete pages where v = 20; a rollback; b commit; c select v from pages",
        "ok wait ok b:ok ok 10",
    ),
    locks(
        "a update keyed set k = 20 where id = 1; b update keyed set v = 0 where k = 20; a commit; b commit;
         c select v from keyed",
        "ok wait ok b:ok ok 0,0,300",
    ),
    locks(
        "a update pages set v = 20 where id = 1; b delete pages where id = 1 and v = 20; a commit; b commit;
         c select v from pages",
        "ok wait ok b:ok ok 20",
    ),
    locks(
        "a insert pages values (3, 30); b update pages set v = 0 where v = 30; a commit; b commit; c select v from pages",
        "ok wait ok b:ok ok 10,20,0",
    ),
    locks(
        "a update pages set v = 20 where id = 1;
         b update p set v = p.v + 1 from pages p join keyed k on k.id = p.id where p.v = 20; a commit; b commit;
         c select v from pages",
        "ok wait ok b:ok ok 21,21",
    ),
    versions(
        "a update keyed set v = 1 where id = 1; b update keyed set v = 2 where id = 2; b commit; a commit",
        "ok ok ok ok",
    ),
    at(
        "snapshot",
        "b select v from pages where id = 2; a update pages set v = v + 10; b delete pages where v = 20; a commit;
         c select v from pages",
        "20 ok wait ok b:!3960 20,30",
    ),
];
