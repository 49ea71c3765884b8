//! Statements of extreme structure: deep nesting, long chains, names that stand for names. Each is
//! answered, or refused with the error of its kind, and the server goes on.

use std::time::{Duration, Instant};

use tools::client::Connection;

use crate::sql::{error, number, run};
use crate::support::{Process, TempDir, TestServer};

/// How long any of these may take, on a busy machine and in a debug build.
const LONG: Duration = Duration::from_secs(120);

/// The parser's error, and those of what comes after it.
const TOO_DEEP: &[i32] = &[191, 8631, 8623, 8632];

/// `item(0)`, `item(1)` … with `between` between them.
fn list(n: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(between)
}

fn nested(before: &str, open: &str, inner: &str, close: &str, n: usize) -> String {
    format!("{before}{}{inner}{}", open.repeat(n), close.repeat(n))
}

/// Common table expressions of which each is made of the one before.
fn chain(n: usize, next: impl Fn(&str) -> String) -> String {
    let query = |i: usize| match i {
        0 => "select 1 as a".into(),
        _ => next(&format!("c{}", i - 1)),
    };
    format!(
        "with {} select count(*) from c{}",
        list(n, ", ", |i| format!("c{i} as ({})", query(i))),
        n - 1
    )
}

/// Sends a statement; the error it ends with must be one of these, or none.
fn ends(connection: &mut Connection, text: &str, errors: &[i32]) {
    let began = Instant::now();
    let ended = error(connection, text);
    let start: String = text.chars().take(80).collect();
    assert!(ended.is_none_or(|error| errors.contains(&error)), "{start}…: {ended:?}");
    assert!(began.elapsed() < LONG, "{start}… took {:?}", began.elapsed());
}

fn connect(server: &TestServer) -> Connection {
    let mut connection = server.connect();
    connection.set_query_timeout(Some(2 * LONG));
    connection
}

#[test]
fn any_depth_ends_in_an_answer_or_an_error() {
    let server = TestServer::shared();
    let mut connection = connect(&server);
    for n in [50, 400, 3_000, 100_000] {
        for (before, open, inner, close) in [
            ("select ", "(", "1", ")"),
            ("select ", "- ", "1", ""),
            ("select ", "~", "1", ""),
            ("select ", "abs(", "1", ")"),
            ("select ", "replace(", "'abc'", ", 'a', 'b')"),
            ("select ", "case when 1 = 1 then ", "1", " end"),
            ("select ", "iif(1 = 1, ", "1", ", 2)"),
            ("select ", "cast(", "1", " as int)"),
            ("select ", "(select ", "1", ")"),
            ("select ", "(select max(a) + ", "1", " from (select 1 as a) x)"),
            ("select 'a'", " collate latin1_general_ci_as", "", ""),
            ("select 1 where ", "not ", "1 = 1", ""),
            ("select 1 where ", "not (", "1 = 1", ")"),
            ("select 1 where ", "exists (select 1 where ", "1 = 1", ")"),
            ("select 1 where ", "1 in (select 1 where ", "1 = 1", ")"),
            ("select * from ", "(select a from ", "(select 1 as a) x", " where a in (select 1)) x"),
            ("select * from ", "(select top 5 * from ", "(select 1 as a) x", " group by a) x"),
            ("select 1 from ", "(", "(select 1 as a) x", " cross join (select 1 as a) y)"),
            ("", "begin ", "select 1", " end"),
            ("", "if 1 = 1 ", "select 1", ""),
            ("", "while 1 = 1 begin ", "select 1", " break end"),
            ("", "begin try ", "select 1", " end try begin catch end catch"),
        ] {
            // Joined tables have the same names here, and no more than 256 may be joined.
            let joins = open == "(" && before.ends_with("from ");
            let known: &[i32] = if joins { &[106, 191, 1011, 1013] } else { TOO_DEEP };
            ends(&mut connection, &nested(before, open, inner, close, n), known);
        }
    }
    assert_eq!(number(&mut connection, "select 1"), 1);
}

#[test]
fn nesting_that_scripts_have_is_not_too_deep() {
    let server = TestServer::shared();
    let mut connection = connect(&server);
    for (text, n) in [
        (nested("select ", "(", "1", ")", 500), 1),
        (nested("select ", "- ", "1", "", 500), 1),
        (nested("select ", "(select ", "1", ")", 100), 1),
        (nested("select count(*) from ", "(select a from ", "(select 1 as a) x", ") x", 100), 1),
        (nested("", "begin ", "select 1", " end", 200), 1),
        (chain(400, |before| format!("select a from {before}")), 1),
        (chain(200, |before| format!("select a + 1 as a from {before} where a > 0")), 1),
        (chain(100, |before| format!("select count(*) as a from {before} group by a")), 1),
    ] {
        assert_eq!(number(&mut connection, &text), n, "{}", &text[..60]);
    }
}

#[test]
fn chains_are_as_long_as_one_likes() {
    let server = TestServer::shared();
    let mut connection = connect(&server);
    run(
        &mut connection,
        "create table #t (a int, b varchar(10)); insert #t values (1, 'x'), (2, 'y')",
    );
    let n = 5_000;
    let one = |text: &str| text.to_owned();
    for (text, answer) in [
        // Characters that are not of a (max) type are cut at 8000 bytes.
        (format!("select len({})", list(n, " + ", |_| one("N'a'"))), 4_000),
        (format!("declare @a int = 1 select {}", list(n, " + ", |_| one("@a"))), 5_000),
        (format!("select sum({}) from #t", list(n, " - ", |_| one("a"))), -14_994),
        (
            format!(
                "select count(*) from #t where {}",
                list(n, " or ", |i| format!("a = {}", i + 2))
            ),
            1,
        ),
        (
            format!(
                "select count(*) from #t where {}",
                list(n, " and ", |i| format!("a <> {}", i + 2))
            ),
            1,
        ),
        (
            format!(
                "select count(*) from #t where {}",
                list(n, " or ", |i| format!("a = {i} and b = 'y'"))
            ),
            1,
        ),
        (
            format!(
                "select count(*) from #t where a in ({})",
                list(n, ", ", |i| format!("{}", i + 2))
            ),
            1,
        ),
        (
            format!(
                "select max(case {} end) from #t",
                list(n, " ", |i| format!("when a = {} then {i}", i + 2))
            ),
            0,
        ),
        (
            format!(
                "select count(*) from ({}) x",
                list(500, " union all ", |i| format!("select {i} as a"))
            ),
            500,
        ),
        (
            format!("select count(*) from (values {}) x (a)", list(n, ", ", |i| format!("({i})"))),
            5_000,
        ),
        (
            format!(
                "declare @a int = 7 {} else select -1",
                list(n, " else ", |i| format!("if @a = {i} select {i}"))
            ),
            7,
        ),
    ] {
        assert_eq!(number(&mut connection, &text), answer, "{}…", &text[..60]);
    }
}

#[test]
fn names_that_stand_for_names_end_within_the_budget() {
    let server = TestServer::shared();
    let mut connection = connect(&server);
    let twice: [fn(&str) -> String; 4] = [
        |before| format!("select x.a from {before} x cross join {before} y"),
        |before| format!("select a from {before} union all select a from {before}"),
        |before| {
            format!("select (select max(a) from {before}) + (select min(a) from {before}) as a")
        },
        |before| format!("select a + a as a from {before} where a in (select a from {before})"),
    ];
    for n in [4, 12, 30] {
        for next in twice {
            ends(&mut connection, &chain(n, next), &[8623, 8631]);
        }
    }
    let doubled = chain(60, |before| format!("select a + a as a from {before}"));
    ends(&mut connection, &doubled, &[8115, 8623, 8631, 8632]);
    for n in [12, 13, 40] {
        let sets = list(n, ", ", |_| "grouping sets ((a), ())".into());
        let text = format!("select count(*) from (select 1 as a) q group by {sets}");
        assert_eq!(error(&mut connection, &text), (n > 12).then_some(10703), "{n}");
    }
    assert_eq!(
        error(&mut connection, &chain(1_000, |before| format!("select a from {before}"))),
        None
    );
    assert_eq!(number(&mut connection, "select 1"), 1);
}

#[test]
fn modules_may_be_made_of_long_chains() {
    let server = TestServer::new();
    let mut connection = connect(&server);
    let text =
        chain(400, |before| format!("select a from {before}")).replace("count(*)", "count(*) as n");
    run(&mut connection, &format!("create view v as {text}"));
    run(&mut connection, &format!("create procedure p as {text}"));
    assert_eq!(number(&mut connection, "select n from v"), 1);
    assert_eq!(number(&mut connection, "exec p"), 1);
    for i in 0..33 {
        let from =
            if i == 0 { "select 1 as a".into() } else { format!("select a from w{}", i - 1) };
        run(&mut connection, &format!("create view w{i} as {from}"));
    }
    // A view may be 32 levels deep.
    assert_eq!(number(&mut connection, "select a from w31"), 1);
    assert_eq!(error(&mut connection, "select a from w32"), Some(217));
}

/// Variables of machine code took memory by registers times blocks: 600 MB for this module, and
/// ten gigabytes for one of eight times its length.
#[test]
fn a_long_native_module_is_compiled_in_little_memory() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.set_query_timeout(Some(2 * LONG));
    let mut run = |text: &str| {
        connection.execute(text).unwrap();
    };
    run("create database d");
    run("alter database d add filegroup m contains memory_optimized_data");
    run("alter database d add file (name = 'm', filename = 'm') to filegroup m");
    run("use d");
    run("create table dbo.t (a int not null primary key nonclustered, b nvarchar(20) not null)
         with (memory_optimized = on)");
    let body = list(500, "; ", |i| {
        format!(
            "select @n = count(*) from dbo.t where a > {i} and b like N'x%'; \
             update dbo.t set b = b + N'y' where a = {i}"
        )
    });
    let before = server.peak_memory() >> 20;
    run(&format!(
        "create procedure dbo.p with native_compilation, schemabinding as \
         begin atomic with (transaction isolation level = snapshot, language = N'english') \
         declare @n int = 0; {body} end"
    ));
    run("exec dbo.p");
    let peak = server.peak_memory() >> 20;
    assert!(peak - before < 200, "{peak} MB, {before} before");
}
