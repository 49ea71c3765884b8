//! Bits that flip in the file of a disk table's pages, as sessions see them.

use std::path::Path;

use engine::cold::tree::Contents;
use env::OpKind;
use env::sim::{Fault, FaultKind, SimEnv};

use crate::testing::{TestServer, TestSession, scripts};

const SETUP: &str = "create database d
go
use d
go
create table before (id int not null primary key, v int not null)
create table t (id int not null primary key, k int not null index i, v varchar(8000) not null)
create table behind (id int not null primary key, v int not null)
go
insert before select value, value from generate_series(1, 1000)
insert t select value, value % 100, replicate('x', 1000) from generate_series(1, 6000)
insert t select value, value % 100, replicate('y', 8000) from generate_series(6001, 6010)
insert behind select value, value from generate_series(1, 1000)";

/// A page of the table `t`, and its place in its file.
#[derive(Clone, Copy)]
struct Page {
    /// Ordinal of the index.
    index: usize,
    /// Nothing of a page with part of a long value.
    level: Option<u8>,
    offset: u64,
}

/// A server all of whose rows have sunk and are in memory no longer; the pages of `t`.
fn sunk(seed: u64) -> (SimEnv, TestServer, String, Vec<Page>) {
    let sim = SimEnv::new(seed);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    let answer = session.script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    server.sink();
    session.script("checkpoint\ngo\ncheckpoint");
    let databases = server.instance.databases();
    let id = databases.find("d").expect("it was made").id;
    let catalog = databases.catalog(id).expect("it is open");
    let schema = catalog.current();
    let definition = schema.tables().find(|table| &*table.header.name == "t").unwrap();
    let table = catalog.table(definition).expect("it is there");
    let cold = table.cold().expect("it has trees");
    let task = engine::wait::Task::blocking(&server.instance.host().runtime);
    let buffers = server.instance.host().pages.buffers(&task).unwrap();
    let page = |buffer: &engine::pages::Buffer| {
        let contents = buffer.contents?;
        let index = (0..cold.trees()).find(|index| cold.tree(*index).root() == contents.tree())?;
        let level = match contents {
            Contents::Node { level, .. } => Some(level),
            Contents::Overflow { .. } => None,
        };
        Some(Page { index, level, offset: buffer.place?.offset() })
    };
    let mut pages: Vec<Page> = buffers.iter().filter_map(page).collect();
    pages.sort_by_key(|page| page.offset);
    let file = catalog.database().identity().dir.join("rows.tpg").display().to_string();
    drop(session);
    (sim, server, file, pages)
}

fn some(pages: &[Page], index: usize, level: Option<u8>) -> Vec<Page> {
    let wanted = |page: &&Page| page.index == index && page.level == level;
    pages.iter().filter(wanted).copied().collect()
}

fn flip(sim: &SimEnv, file: &str, page: Page) {
    sim.fs().flip_bit(Path::new(file), (page.offset + 5000) * 8 + 3).unwrap();
}

/// The lines of an answer with this in them.
fn lines<'a>(answer: &'a str, text: &str) -> Vec<&'a str> {
    answer.lines().filter(|line| line.contains(text)).collect()
}

fn check(session: &mut TestSession<'_>) -> String {
    session.run("dbcc dropcleanbuffers with no_infomsgs");
    session.run("dbcc checkdb (d)")
}

/// A check ended at the first damaged page, and so did the session: what else was damaged came to
/// light page by page, with a backup restored for each.
#[test]
fn a_check_finds_all_damaged_pages_and_goes_on() {
    let (sim, server, file, pages) = sunk(1);
    let mut session = server.session();
    let answer = check(&mut session);
    assert!(!answer.contains("Msg "), "{answer}");
    let whole = "There are 6010 rows in";
    assert!(answer.contains(whole), "{answer}");
    let leaves = some(&pages, 0, Some(0));
    assert!(leaves.len() > 500, "{}", leaves.len());
    for at in [50, 400] {
        flip(&sim, &file, leaves[at]);
    }
    let answer = check(&mut session);
    assert_eq!(lines(&answer, "Msg ").len(), 4, "{answer}");
    assert_eq!(lines(&answer, "Msg 8928, Level 16, ").len(), 2, "{answer}");
    assert_eq!(lines(&answer, "Test (incorrect checksum) failed").len(), 2, "{answer}");
    // A leaf holds seven or eight rows; those between are taken apart.
    let rows = lines(&answer, " rows in ").concat();
    assert!(rows.contains("There are 599") && rows.contains("for object \"t\""), "{answer}");
    for table in ["before", "behind"] {
        let rows = lines(&answer, &format!("for object \"{table}\"")).concat();
        assert!(rows.contains("There are 1000 rows in"), "{answer}");
    }
    for result in ["in table 't' (object ID ", "in database 'd'."] {
        let text = format!("CHECKDB found 0 allocation errors and 4 consistency errors {result}");
        assert_eq!(lines(&answer, &text).len(), 1, "{answer}");
    }
    assert_eq!(session.run("select 1 as a"), "a\n1\n(1 row)");
    let answer = session.run("use d; dbcc checktable (t)");
    assert_eq!(lines(&answer, "Msg 8928, Level 16, ").len(), 2, "{answer}");
    assert!(answer.contains("CHECKTABLE found 0 allocation errors and 4 consist"), "{answer}");
    // The file is sound again.
    for at in [50, 400] {
        flip(&sim, &file, leaves[at]);
    }
    let answer = check(&mut session);
    assert!(!answer.contains("Msg ") && answer.contains(whole), "{answer}");
}

#[test]
fn damage_in_each_tree_is_found_with_what_lies_below_it_left_out() {
    let (sim, server, file, pages) = sunk(2);
    let mut session = server.session();
    let inner = some(&pages, 0, Some(1));
    assert!(!inner.is_empty());
    let others = some(&pages, 1, Some(0));
    let values = some(&pages, 0, None);
    assert!(others.len() > 5 && values.len() > 5, "{} {}", others.len(), values.len());
    for (damaged, kind) in [
        (vec![inner[0]], "(type In-row data): "),
        (vec![others[1], others[4]], "(type In-row data): "),
        (vec![values[1], values[4]], "(type LOB data): "),
        (vec![inner[0], others[1]], "(type In-row data): "),
    ] {
        damaged.iter().for_each(|page| flip(&sim, &file, *page));
        let answer = check(&mut session);
        assert_eq!(lines(&answer, "Msg ").len(), 2 * damaged.len(), "{answer}");
        let found = lines(&answer, "Msg 8928, ");
        assert_eq!(found.len(), damaged.len(), "{answer}");
        for (line, page) in found.iter().zip(&damaged) {
            assert!(line.contains(&format!("index ID {}, ", page.index + 1)), "{answer}");
            assert!(line.contains(kind), "{answer}");
        }
        assert_eq!(lines(&answer, "for object \"behind\"").len(), 1, "{answer}");
        damaged.iter().for_each(|page| flip(&sim, &file, *page));
    }
    let answer = check(&mut session);
    assert!(!answer.contains("Msg "), "{answer}");
}

/// A check of the tables does not come to them.
#[test]
fn damage_below_a_damaged_node_and_in_the_map_is_found() {
    let (sim, server, file, pages) = sunk(5);
    let mut session = server.session();
    let (inner, leaves) = (some(&pages, 0, Some(1)), some(&pages, 0, Some(0)));
    let below: Vec<Page> = [7, 8, 300].map(|at| leaves[at]).to_vec();
    assert!(inner.len() < 20, "{}", inner.len());
    let damaged: Vec<Page> = inner.iter().chain(&below).copied().collect();
    damaged.iter().for_each(|page| flip(&sim, &file, *page));
    let answer = check(&mut session);
    let unknown = "Object ID 0, index ID -1, partition ID 0, alloc unit ID 0 (type Unknown)";
    assert_eq!(lines(&answer, unknown).len(), 2 * below.len(), "{answer}");
    assert_eq!(lines(&answer, "Msg 8928, Level 16, ").len(), damaged.len(), "{answer}");
    let alone = "CHECKDB found 0 allocation errors and 6 consistency errors not associated with any single object.";
    assert_eq!(lines(&answer, alone).len(), 1, "{answer}");
    let all = format!("found 0 allocation errors and {} consist", 2 * damaged.len());
    assert!(answer.contains(&format!("{all}ency errors in database 'd'.")), "{answer}");
    damaged.iter().for_each(|page| flip(&sim, &file, *page));
    assert!(!check(&mut session).contains("Msg "));

    // What else the root reaches: the map of the pages and what says where that is.
    let len = sim.env().fs().metadata(Path::new(&file)).unwrap().expect("it is there").len;
    let known: Vec<u64> = pages.iter().map(|page| page.offset).collect();
    let mut found = 0;
    for offset in (0..len).step_by(8192).filter(|offset| !known.contains(offset)) {
        let page = Page { offset, ..pages[0] };
        flip(&sim, &file, page);
        let answer = check(&mut session);
        if answer.contains("Msg ") {
            assert_eq!(lines(&answer, "Msg 8928, Level 16, ").len(), 1, "{answer}");
            // Pages of the other tables are there too, and the list of trees, which is a page as
            // theirs are.
            let is_of_map =
                answer.contains("CHECKDB found 2 allocation errors and 0 consistency errors");
            assert!(!is_of_map || lines(&answer, unknown).len() == 2, "{answer}");
            found += usize::from(is_of_map);
        }
        flip(&sim, &file, page);
    }
    assert!(found >= 2, "{found}");
    assert!(!check(&mut session).contains("Msg "));
}

#[test]
fn damage_is_found_after_a_restart() {
    let (sim, server, file, pages) = sunk(3);
    sim.fs().power_off();
    drop(server);
    sim.fs().power_on();
    let leaves = some(&pages, 0, Some(0));
    flip(&sim, &file, leaves[7]);
    flip(&sim, &file, leaves[8]);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    let answer = session.run("dbcc checkdb (d) with no_infomsgs");
    assert_eq!(lines(&answer, "Msg 8928, Level 16, ").len(), 2, "{answer}");
    // A statement that needs the page ends its session, and names the database.
    let answer = session.run("select sum(len(v)) from d.dbo.t");
    let id = server.instance.databases().find("d").unwrap().id;
    assert!(answer.contains("Msg 824, Level 24, "), "{answer}");
    assert!(answer.contains(&format!("in database ID {id} at offset ")), "{answer}");
}

#[test]
fn a_device_that_does_not_read_is_a_finding() {
    let (sim, server, _, _) = sunk(4);
    let mut session = server.session();
    session.run("dbcc dropcleanbuffers with no_infomsgs");
    sim.fs().inject(Fault::next(OpKind::Read, FaultKind::Io).forever().on("rows.tpg"));
    let answer = session.run("dbcc checkdb (d)");
    assert!(lines(&answer, "Values are 0 and -1.").len() > 2, "{answer}");
    assert_eq!(lines(&answer, "Msg 82").len(), 0, "{answer}");
    sim.fs().clear_faults();
    let answer = check(&mut session);
    assert!(!answer.contains("Msg "), "{answer}");
}

/// A table that had sunk was said to have fewer pages than `sp_spaceused` said, and one in memory
/// alone to have some.
#[test]
fn checks_count_pages_as_sp_spaceused_does() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d
        alter database d add filegroup f contains memory_optimized_data
        alter database d add file (name = 'f', filename = 'f') to filegroup f
        go
        use d
        go
        create table t (id int not null primary key, v varchar(100) not null index i)
        create table heap (v varchar(100) not null)
        create table m (id int not null primary key nonclustered) with (memory_optimized = on)
        go
        insert t select value, replicate('x', value % 100) from generate_series(1, 3000)
        insert heap select v from t
        insert m select id from t",
    );
    let mut compare = |table: &str| {
        let used = session.run(&format!("exec sp_spaceused '{table}'"));
        let data = used.lines().nth(1).unwrap().split('|').nth(3).unwrap();
        let kilobytes: u64 = data.trim_end_matches(" KB").parse().unwrap();
        let checked = session.run(&format!("dbcc checktable ('{table}')"));
        let pages = kilobytes / 8;
        let expected = format!("There are 3000 rows in {pages} pages for object \"{table}\".");
        assert!(checked.contains(&expected), "{checked} {used}");
        pages
    };
    assert_eq!(compare("m"), 0);
    if !scripts::everything_sinks() {
        for table in ["t", "heap"] {
            assert!(compare(table) > 0);
        }
    }
    server.sink();
    server.reclaim();
    for table in ["t", "heap"] {
        assert!(compare(table) > 10);
    }
}
