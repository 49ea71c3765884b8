//! Laws of rows: those of other times, those that have changed, those that a user may see, and what
//! a user sees of them.

use env::sim::SimEnv;
use testkit::hostile::STRINGS;
use testkit::rng::{Rng, seeds};

use super::{TestServer, hold};
use crate::testing::TestSession;

/// Statements that change a table with the columns `k` (its key) and `v`.
fn change(rng: &mut Rng, table: &str) -> String {
    let (k, v) = (rng.between(0, 12), rng.between(0, 5));
    match rng.between(0, 7) {
        0..=2 => format!(
            "insert {table} (k, v) select {k}, {v} where not exists (select * from {table} where k = {k})"
        ),
        3 => format!("update {table} set v = {v} where k % 3 = {}", k % 3),
        4 => format!("delete {table} where k = {k}"),
        5 => format!(
            "update {table} set k = {k} where k = {} and not exists (select * from {table} where k = {k})",
            k + 1
        ),
        _ => format!(
            "merge {table} t using (values ({k}, {v}), ({}, {v})) s(k, v) on t.k = s.k when matched and t.v > 2 then delete \
             when matched then update set v = s.v when not matched then insert (k, v) values (s.k, s.v);",
            k + 1
        ),
    }
}

/// Some changes in a transaction that is committed, or not.
fn transaction(rng: &mut Rng, table: &str) -> String {
    let changes: Vec<String> = (0..rng.between(1, 4)).map(|_| change(rng, table)).collect();
    let end = rng.one(&["commit", "commit", "commit", "rollback"]);
    format!("begin tran; {}; {end}", changes.join("; "))
}

/// `FOR SYSTEM_TIME` finds what conditions on the two tables find.
#[test]
fn rows_of_a_time_are_those_whose_period_holds_it() {
    for seed in seeds(3) {
        let mut rng = Rng::new(seed);
        let sim = SimEnv::new(seed);
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.run(
            "create table t (k int primary key, v int, s datetime2 generated always as row start not null, \
             e datetime2 generated always as row end not null, period for system_time (s, e)) \
             with (system_versioning = on (history_table = dbo.h))",
        );
        for at in 0..12 {
            // A row moves to another key by a delete and an insert.
            session.run(&transaction(&mut rng, "t"));
            session.run("waitfor delay '00:00:00.002'");
            if at % 4 == 3 {
                server.sink();
            }
        }
        let times = session.run("select convert(varchar(40), s, 121) as t from t for system_time all union select convert(varchar(40), e, 121) from h");
        let times: Vec<&str> = times.lines().filter(|line| line.starts_with("20")).collect();
        assert!(times.len() > 3, "seed {seed}: {times:?}");
        let all = "(select k, v, s, e from t union all select k, v, s, e from h where s < e) a";
        for _ in 0..8 {
            let (a, b) = (rng.one(&times), rng.one(&times));
            let key = rng.one(&["", " and k = 3", " and k between 2 and 6", " and v = 1"]);
            for (form, condition) in [
                ("as of @a", "s <= @a and e > @a"),
                ("all", "1 = 1"),
                ("from @a to @b", "s < @b and e > @a"),
                ("between @a and @b", "s <= @b and e > @a"),
                ("contained in (@a, @b)", "s >= @a and e <= @b"),
            ] {
                let found =
                    format!("select k, v, s, e from t for system_time {form} where 1 = 1{key}");
                let expected = format!("select k, v, s, e from {all} where {condition}{key}");
                let declare = format!("declare @a datetime2 = '{a}', @b datetime2 = '{b}'; ");
                let count = format!(
                    "{declare} select 1 as n where (select count(*) from ({found}) x) <> (select count(*) from ({expected}) y)"
                );
                hold(
                    &mut session,
                    seed,
                    &[
                        &format!("{declare} {found} except {expected}"),
                        &format!("{declare} {expected} except {found}"),
                        &count,
                    ],
                );
            }
        }
    }
}

/// A copy that is brought up to date by the changes since its version is the table.
#[test]
fn tracked_changes_bring_a_copy_up_to_date() {
    for seed in seeds(3) {
        let mut rng = Rng::new(seed);
        let server = TestServer::new();
        let mut session = server.session();
        session.run("create database d");
        session.run("alter database d set change_tracking = on");
        session.run("use d");
        session.run("create table t (k int primary key, v int)");
        session.run("create table copy (k int primary key, v int)");
        session.run("create table state (version bigint)");
        session.run("insert t values (1, 1), (2, 2), (3, 3)");
        session.run("alter table t enable change_tracking with (track_columns_updated = on)");
        session.run("insert copy select k, v from t; insert state values (change_tracking_current_version())");
        for at in 0..10 {
            for _ in 0..rng.between(0, 5) {
                session.run(&transaction(&mut rng, "t"));
            }
            if at % 4 == 2 {
                server.sink();
            }
            // A change whose columns are listed leaves the others as they are.
            let synced = session.run(
                "declare @last bigint = (select version from state), @now bigint = change_tracking_current_version(); \
                 if @last < change_tracking_min_valid_version(object_id('t')) throw 50000, 'too old', 1; \
                 merge copy c using (select ch.k, ch.sys_change_operation as op, t.v from changetable(changes t, @last) ch left join t on t.k = ch.k) s \
                 on c.k = s.k when matched and s.op = 'D' then delete when matched then update set v = s.v \
                 when not matched and s.op <> 'D' then insert (k, v) values (s.k, s.v); \
                 update state set version = @now",
            );
            assert!(!synced.contains("Msg "), "seed {seed}: {synced}");
            hold(
                &mut session,
                seed,
                &[
                    "select k, v from t except select k, v from copy",
                    "select k, v from copy except select k, v from t",
                    "declare @now bigint = change_tracking_current_version(); select * from changetable(changes t, @now) c",
                    "select c.k from changetable(changes t, 0) c left join t on t.k = c.k where (c.sys_change_operation = 'D' and t.k is not null) \
                       or (c.sys_change_operation <> 'D' and t.k is null) or c.sys_change_version > change_tracking_current_version()",
                ],
            );
        }
    }
}

/// A condition over an integer, an integer that may be NULL, and a string.
fn condition(rng: &mut Rng, depth: u32, [a, b, c]: [&str; 3]) -> String {
    let names = [a, b, c];
    match rng.between(0, if depth == 0 { 7 } else { 11 }) {
        0 => format!("{a} {} {}", rng.one(&["=", "<>", "<", ">="]), rng.between(0, 9)),
        1 => format!("{b} {} {a}", rng.one(&["=", "<>", "<", ">="])),
        2 => format!("{b} is null"),
        3 => format!("{c} like '{}'", rng.one(&["a%", "%b", "_", "[a-b]%"])),
        4 => format!("{a} % 3 in (0, {b})"),
        5 => format!("len({c}) > {a}"),
        6 => format!(
            "exists (select 1 from dbo.allowed x where x.n = {a} and x.w >= isnull({b}, 0))"
        ),
        7 => format!("not ({})", condition(rng, depth - 1, names)),
        8 => format!("{a} > (select avg(x.n) from dbo.allowed x where x.w = {b})"),
        n => {
            let (left, right) =
                (condition(rng, depth - 1, names), condition(rng, depth - 1, names));
            format!("({left} {} {right})", if n == 9 { "and" } else { "or" })
        }
    }
}

fn rows_of(session: &mut TestSession<'_>, rng: &mut Rng) {
    for table in ["t", "u"] {
        session.run(&format!("delete {table}"));
    }
    for i in 0..25 {
        let b = match rng.once_in(4) {
            true => "null".into(),
            false => rng.between(0, 9).to_string(),
        };
        let (a, c) = (rng.between(0, 9), rng.one(&["'a'", "'ab'", "'b'", "''", "null", "'xyz'"]));
        for table in ["t", "u"] {
            session.run(&format!("insert {table} values ({i}, {a}, {b}, {c})"));
        }
    }
}

/// A user under a policy sees, and changes, exactly the rows that the predicate gives as a `WHERE`.
#[test]
fn a_policy_is_a_condition() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    session.run("use d");
    session.run("create user reader without login");
    session.run("create table allowed (n int, w int); insert allowed values (1, 1), (2, 5), (3, 3), (3, 7), (8, 2); grant select on allowed to reader");
    for table in ["t", "u"] {
        session.run(&format!(
            "create table {table} (i int primary key, a int not null, b int, c varchar(10), index by_a (a), index by_b (b, c)); \
             grant select, update, delete on {table} to reader"
        ));
    }
    for seed in seeds(5) {
        let mut rng = Rng::new(seed);
        rows_of(&mut session, &mut rng);
        let predicate = {
            let mut fork = rng.fork();
            let text = |names: [&str; 3], fork: &mut Rng| condition(fork, 2, names);
            let seed = fork.between(1, u64::MAX);
            [["@a", "@b", "@c"], ["q.a", "q.b", "q.c"]]
                .map(|names| text(names, &mut Rng::new(seed)))
        };
        let [of_parameters, of_columns] = predicate;
        session.run("drop security policy if exists p");
        session.run(&format!(
            "create or alter function f (@a int, @b int, @c varchar(10)) returns table with schemabinding as \
             return select 1 as ok where {of_parameters}"
        ));
        let made = session.run("create security policy p add filter predicate dbo.f(a, b, c) on dbo.t with (state = on)");
        assert_eq!(made, "", "seed {seed}: {of_parameters}");
        let filtered = format!("(select q.i, q.a, q.b, q.c from u q where {of_columns})");
        session.run("execute as user = 'reader'");
        for _ in 0..6 {
            let of_row = condition(&mut rng, 1, ["x.a", "x.b", "x.c"]);
            let queries = [
                format!("select x.i, x.a, x.b, x.c from # x where {of_row} order by x.i"),
                "select x.b, count(*) as n, sum(x.a) as s, min(x.c) as m from # x group by x.b order by x.b".to_owned(),
                format!("select count(*) as n from # x join # y on x.a = y.b where {of_row}"),
                format!("select x.i, y.i as j from # x left join # y on x.a = y.a and y.b > 2 where {of_row} order by 1, 2"),
                "select x.i, row_number() over (order by x.i) as r from # x order by x.i".to_owned(),
                format!("select x.i from # x where x.a = {} order by x.i", rng.between(0, 9)),
                format!("select x.i, (select max(y.a) from # y where y.b = x.b) as m from # x where {of_row} order by x.i"),
            ];
            for query in queries {
                let found = session.run(&query.replace('#', "t"));
                let expected = session.run(&query.replace('#', &filtered));
                assert_eq!(found, expected, "seed {seed}: {query}\n{of_columns}");
            }
        }
        let of_row = condition(&mut rng, 1, ["x.a", "x.b", "x.c"]);
        for change in ["update x set c = c + 'z' from # x", "delete x from # x"] {
            let found = session.run(&format!("{} where {of_row}", change.replace('#', "t")));
            let keys = format!("select q.i from u q where {of_columns}");
            let expected = session
                .run(&format!("{} where x.i in ({keys}) and {of_row}", change.replace('#', "u")));
            assert_eq!(found, expected, "seed {seed}: {change} where {of_row}\n{of_columns}");
        }
        session.run("revert; alter security policy p with (state = off)");
        hold(
            &mut session,
            seed,
            &["select * from t except select * from u", "select * from u except select * from t"],
        );
    }
}

/// What a user without `UNMASK` sees is what the mask makes of the values.
#[test]
fn masked_values_are_their_masks_applied() {
    /// A type, a mask, and what it makes of a value `v`.
    const MASKS: &[(&str, &str, &str)] = &[
        ("nvarchar(60)", "default()", "cast(N'xxxx' as nvarchar(60))"),
        ("nvarchar(3)", "default()", "cast(N'xxx' as nvarchar(3))"),
        ("int", "default()", "0"),
        ("datetime2(3)", "default()", "cast('1900-01-01' as datetime2(3))"),
        ("bit", "default()", "cast(0 as bit)"),
        // The first character, not half of it; `partial` counts units.
        (
            "nvarchar(60)",
            "email()",
            "case when datalength(v) = 0 then N'xxxx' else cast(left(v collate Latin1_General_100_CI_AS_SC, 1) as nvarchar(2)) \
             collate database_default + N'XXX@XXXX.com' end",
        ),
        (
            "nvarchar(60)",
            "partial(2, \"-é-\", 3)",
            "case when len(v + N'.') - 1 > 5 then left(v, 2) + N'-é-' + right(v, 3) else N'-é-' end",
        ),
        (
            "nvarchar(60)",
            "partial(0, \"\", 1)",
            "case when len(v + N'.') - 1 > 1 then right(v, 1) else N'' end",
        ),
        (
            "datetime2(3)",
            "datetime(\"Y\")",
            "datetime2fromparts(2000, month(v), day(v), datepart(hour, v), datepart(minute, v), datepart(second, v), datepart(millisecond, v), 3)",
        ),
    ];
    const SHAPES: &[&str] = &[
        "select i, v from t order by i",
        "select i, v from w order by i",
        "select x.i, x.v from (select i, v from t where i > 2) x order by x.i",
        "with c as (select top 5 i, v from t order by i) select v from c order by i",
        "select t.v, y.i from t join t y on y.i = t.i + 1 order by t.i",
        "select i, case when i > 3 then v end as v from t order by i",
        "select v from t where i = 2 union all select v from t where i = 3",
        "select max(i) as i, (select z.v from t z where z.i = 2) as v from t",
    ];
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    session.run("use d");
    session.run("create user reader without login");
    for seed in seeds(1) {
        let mut rng = Rng::new(seed);
        for (ty, mask, made) in MASKS {
            session.run("drop view if exists w; drop table if exists t, m");
            session.run(&format!("create table t (i int identity primary key, v {ty} masked with (function = '{mask}'))"));
            session.run("create view w as select i, v from t");
            session.run("grant select on t to reader; grant select on w to reader");
            for _ in 0..8 {
                let value = match &ty[..3] {
                    _ if rng.once_in(6) => "null".to_owned(),
                    "nva" => format!("left({} + {}, 60)", rng.one(STRINGS), rng.one(STRINGS)),
                    "dat" => {
                        format!("dateadd(second, {}, '1999-02-28')", rng.between(0, 1_000_000_000))
                    }
                    _ => rng.between(0, 1_000).to_string(),
                };
                session.run(&format!("insert t values ({value})"));
            }
            // The same rows with the masks applied, in a table that has none.
            session.run(&format!(
                "select i, case when v is not null then {made} end as v into m from t"
            ));
            for shape in SHAPES {
                let expected = session.run(
                    &shape
                        .replace("from t", "from m")
                        .replace("join t", "join m")
                        .replace("from w", "from m")
                        .replace("t.", "m."),
                );
                session.run("execute as user = 'reader'");
                let found = session.run(shape);
                session.run("revert");
                assert_eq!(found, expected, "seed {seed}: {mask} on {ty}: {shape}");
            }
        }
    }
}
