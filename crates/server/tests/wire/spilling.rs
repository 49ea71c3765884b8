//! Statements that need more memory than their session may have.

use std::path::Path;

use server::config::{Bytes, Config, Memory};
use tds::packet::PacketType;

use crate::support::{Raw, TestServer, batch, wait_until};
use crate::trace::lines;

const ROWS: usize = 40_000;
const SORT: &str = "select k from t order by pad, k";

/// A server whose sessions have a megabyte each, and a table of about eight.
fn server(max_spill: u64) -> (TestServer, Raw) {
    let session_memory = Memory::Bytes(Bytes(1 << 20));
    let max_spill = Bytes(max_spill);
    let server = TestServer::with(Config { session_memory, max_spill, ..Config::default() });
    let mut raw = Raw::login(&server);
    let numbers = "(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))";
    let text = format!(
        "create table t (k int primary key, pad varchar(200));
         insert into t select f.n * 10000 + e.n * 1000 + d.n * 100 + c.n * 10 + b.n,
           replicate(char(97 + b.n), 150 + c.n)
         from (values (0),(1),(2),(3)) f(n), {numbers} e(n), {numbers} d(n), {numbers} c(n),
           {numbers} b(n)"
    );
    let answer = ask(&mut raw, &text);
    assert!(answer.iter().any(|line| line.contains("40000")), "{answer:?}");
    (server, raw)
}

fn ask(raw: &mut Raw, text: &str) -> Vec<String> {
    raw.send(PacketType::SqlBatch, &batch(text));
    lines(&raw.answer().expect("the session lives on"))
}

/// Files go shortly after the statement.
fn wait_until_empty(directory: &Path) {
    wait_until("spill files go", || !has_files(directory));
}

fn has_files(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_some()
}

#[test]
fn sorts_groups_and_distinct_rows_go_on_in_files() {
    let (server, mut raw) = server(1 << 30);
    let answer = ask(&mut raw, SORT);
    let rows: Vec<u32> = (answer.iter())
        .filter_map(|line| line.strip_prefix("row "))
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(rows.len(), ROWS);
    // By letter and length of the padding, that is by the last two digits, then by number.
    let key = |k: &u32| (k % 10, k / 10 % 10, *k);
    assert!(rows.windows(2).all(|w| key(&w[0]) < key(&w[1])));
    for (query, expected) in [
        ("select count(*) from (select k, pad, count(*) n from t group by k, pad) g", 40_000),
        ("select count(*) from (select distinct pad, k % 20000 k from t) d", 20_000),
        ("select max(n) from (select k % 20000 k, count(*) n from t group by pad, k % 20000) g", 2),
    ] {
        let answer = ask(&mut raw, query);
        assert!(answer.contains(&format!("row {expected}")), "{query}: {answer:?}");
    }
    let dir = server.stop();
    wait_until_empty(&dir.path().join("tempdb"));
}

#[test]
fn joins_go_on_in_files() {
    let (server, mut raw) = server(1 << 30);
    // Keys are computed, so that no index has them.
    for (query, expected) in [
        ("select count(*) from t a join t b on a.k + 0 = b.k + 0 and a.pad = b.pad", "40000"),
        ("select count(b.k) from t a left join t b on a.k + 5 = b.k + 0", "39995"),
        ("select count(*) from t a full join t b on a.k + 5 = b.k + 0", "40005"),
        (
            "select count(*) from t a where not exists (select * from t b where b.k + 0 = a.k + 5)",
            "5",
        ),
        (
            "select count(*) from t a where exists (select * from t b where b.k + 5 = a.k + 0)",
            "39995",
        ),
        (
            "select count(*) from t a join t b on a.k / 40000 = b.k / 4000 and a.k % 100 = 1",
            "1600000",
        ),
    ] {
        let answer = ask(&mut raw, query);
        assert!(answer.contains(&format!("row {expected}")), "{query}: {answer:?}");
    }
    let dir = server.stop();
    wait_until_empty(&dir.path().join("tempdb"));
}

#[test]
fn a_killed_join_leaves_nothing() {
    let (server, mut raw) = server(1 << 30);
    let directory = server.data().join("tempdb");
    let mut other = Raw::login(&server);
    let session = ask(&mut raw, "select @@spid as a").remove(1).replace("row ", "");
    let text = "declare @n bigint
        while 1 = 1 select @n = count(*) from t a join t b on a.k + 0 = b.k + 0 and a.pad = b.pad";
    raw.send(PacketType::SqlBatch, &batch(text));
    wait_until("something is spilled", || has_files(&directory));
    ask(&mut other, &format!("kill {session}"));
    wait_until_empty(&directory);
}

#[test]
fn a_full_space_and_a_cancelled_sort_leave_nothing() {
    let (server, mut raw) = server(2 << 20);
    let directory = server.data().join("tempdb");
    let answer = ask(&mut raw, SORT);
    assert!(answer.iter().any(|line| line.contains("1105")), "{answer:?}");
    wait_until_empty(&directory);
    let text = "declare @k int
        while 1 = 1 begin try select @k = k from t order by pad, k end try begin catch end catch";
    raw.send(PacketType::SqlBatch, &batch(text));
    wait_until("something is spilled", || has_files(&directory));
    raw.send(PacketType::Attention, &[]);
    let mut all = Vec::new();
    while !all.iter().any(|line: &String| line.contains("attention")) {
        all.extend(lines(&raw.answer().expect("the session lives on")));
    }
    assert_eq!(ask(&mut raw, "select 1 as a"), ["columns a", "row 1", "done select 1"]);
    wait_until_empty(&directory);
}
