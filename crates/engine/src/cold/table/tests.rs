//! Tests of a table's trees against a map, through crashes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crossbeam_epoch::Collector;
use env::OpKind;
use env::sim::{Fault, FaultKind, SimEnv, SplitMix};

use super::*;
use crate::cold::tree::Chunk;
use crate::cold::{FileSpec, Growth, PAGE_BYTES, Pool, PoolOptions};
use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

const DATABASE: u128 = 0xC01D;
const STORAGE: u64 = 7;

/// Rows are `secondary key | filter byte | anything`; identity keys are not part of them.
struct Keys;

impl RowKeys for Keys {
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool {
        let holds = index == 1 || row[4] > 0;
        if holds {
            out.extend_from_slice(&row[..4]);
        }
        holds
    }
}

fn files() -> Vec<FileSpec> {
    let growth = Growth { initial_pages: 64, step_pages: 64, ..Growth::default() };
    vec![FileSpec { id: 1, path: "/data/rows".into(), growth }]
}

fn machine(seed: u64) -> (SimEnv, Runtime, Pool) {
    let sim = SimEnv::new(seed);
    sim.fs().set_capacity(None);
    let env = sim.env();
    env.fs().create_dir_all(Path::new("/data")).expect("the disk is new");
    env.fs().sync_dir(Path::new("/")).expect("the disk is new");
    let timer = Arc::new(ThreadTimer::new());
    let runtime = Runtime::new(env, Collector::new(), timer, RuntimeOptions::default());
    let limit_bytes = 64 * PAGE_BYTES as u64;
    let options = PoolOptions { reserve_bytes: 4 * limit_bytes, limit_bytes, io_threads: 0 };
    let pool = Pool::new(&runtime, options).expect("there is address space");
    (sim, runtime, pool)
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn change(table: &ColdTable, task: &Task, model: &mut Model, rng: &mut SplitMix) {
    let mut changes: Model = BTreeMap::new();
    for _ in 0..1 + rng.below(200) {
        let mut p = format!("{:04}", rng.below(2000)).into_bytes();
        if p[3] == b'7' {
            // Longer than the tree takes; pairs of keys differ only at the end.
            p[3] = b'6';
            p.resize(2500, b'x');
            p.push(rng.below(2) as u8);
        }
        let long = if rng.below(50) == 0 { 9000 } else { 60 };
        let mut row = format!("{:04}", rng.below(300)).into_bytes();
        row.push(rng.below(2) as u8);
        row.resize(5 + rng.below(long) as usize, 7);
        changes.insert(p, if rng.below(4) == 0 { Vec::new() } else { row });
    }
    let batch: Vec<RowChange<'_>> = changes
        .iter()
        .map(|(p, row)| match row.is_empty() {
            true => RowChange::delete(p),
            false => RowChange::put(p, row),
        })
        .collect();
    table.apply(task, &batch, &Keys).expect("there is room");
    for (p, row) in changes {
        match row.is_empty() {
            true => model.remove(&p),
            false => model.insert(p, row),
        };
    }
}

fn entries(table: &ColdTable, task: &Task, index: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut cursor = table.cursor(index, Range::ALL, Direction::Forward);
    let mut found = Vec::new();
    loop {
        let chunk = cursor.next_chunk(task, |entry| {
            found.push((entry.s.to_vec(), entry.p.to_vec()));
            ControlFlow::Continue(())
        });
        if chunk.expect("all pages can be read") == Chunk::Ended {
            // Long keys are in no order.
            found.sort();
            return found;
        }
    }
}

fn check(table: &ColdTable, task: &Task, model: &Model) {
    assert_eq!(table.rows(), model.len() as u64);
    let rows: Vec<_> = model.keys().map(|p| (p.clone(), p.clone())).collect();
    assert!(entries(table, task, 0) == rows);
    for (p, row) in model {
        let mut found = Vec::new();
        assert!(table.find(task, p, &mut found).expect("all pages can be read"));
        assert!(found == *row);
    }
    for index in [1, 2] {
        let held = model.iter().filter(|(_, row)| index == 1 || row[4] > 0);
        let mut expected: Vec<_> = held.map(|(p, row)| (row[..4].to_vec(), p.clone())).collect();
        expected.sort();
        assert!(entries(table, task, index) == expected, "index {index}");
        let (s, _) = &expected[expected.len() / 2];
        let mut cursor = table.cursor_at(index, s);
        let mut count = 0;
        while cursor
            .next_chunk(task, |entry| {
                assert_eq!(entry.s, s);
                count += 1;
                ControlFlow::Continue(())
            })
            .expect("all pages can be read")
            == Chunk::More
        {}
        assert_eq!(count, expected.iter().filter(|(key, _)| key == s).count());
    }
}

#[test]
fn secondary_trees_follow_the_rows_through_crashes() {
    for seed in 1..5 {
        let (sim, runtime, pool) = machine(seed);
        let task = Task::blocking(&runtime);
        let mut rng = SplitMix::new(seed);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let mut tables = created.expect("the disk is new");
        let mut table = tables.add(&task, STORAGE, 3, 0).expect("there is room");
        let mut model = Model::new();
        let mut durable = None;
        for round in 0..60 {
            match rng.below(8) {
                0 => {
                    write_root(&tables, &task, round);
                    durable = Some((model.clone(), round));
                }
                1 if durable.is_some() => {
                    drop((table, tables));
                    sim.fs().power_off();
                    sim.fs().power_on();
                    let opened = ColdTables::open(&pool, &task, DATABASE, &files());
                    let info;
                    (tables, info) = opened.expect("a root was written");
                    let (before, through) = durable.clone().expect("checked");
                    assert_eq!(info.through, through);
                    table = tables.get(STORAGE).expect("the root has it");
                    model = before;
                    check(&table, &task, &model);
                }
                _ => change(&table, &task, &mut model, &mut rng),
            }
        }
        check(&table, &task, &model);
        tables.remove(&task, STORAGE).expect("all pages can be read");
        assert!(tables.get(STORAGE).is_none());
    }
}

#[test]
fn nothing_keeps_a_store_whose_tables_are_gone() {
    let (_sim, runtime, pool) = machine(3);
    let task = Task::blocking(&runtime);
    let past = |n: u8| PastRow {
        storage: STORAGE,
        p: vec![n],
        begin: Lsn(1),
        end: Lsn(2),
        row: b"row".to_vec(),
    };
    let tables = ColdTables::create(&pool, &task, DATABASE, &files()).expect("the disk is new");
    tables.add(&task, STORAGE, 3, 0).expect("there is room");
    tables.note_history(&task, &[past(1), past(2)]).expect("there is room");
    write_root(&tables, &task, 1);
    let made = Arc::downgrade(tables.store());
    drop(tables);
    assert!(made.upgrade().is_none());
    let (tables, _) = ColdTables::open(&pool, &task, DATABASE, &files()).expect("it has a root");
    assert_eq!(tables.history().rows(), 2);
    tables.note_history(&task, &[past(3)]).expect("there is room");
    let opened = Arc::downgrade(tables.store());
    drop(tables);
    assert!(opened.upgrade().is_none());
}

/// The findings of a check of a tree.
fn findings(table: &ColdTable, task: &Task, index: usize) -> String {
    let verified =
        table.tree(index).verify(&**table.store(), task).expect("the task is not interrupted");
    verified.findings.iter().map(|finding| format!("{finding:?}\n")).collect()
}

fn write_root(tables: &ColdTables, task: &Task, through: u64) {
    let (capture, _) = tables.capture(task, through).expect("there is room");
    tables.write(capture).expect("the disk is whole");
}

/// The identity key of a row of [`LongKeys`]; for some rows so long that trees cut it.
fn identity(n: u32) -> Vec<u8> {
    let mut p = n.wrapping_mul(0x9E37_79B1).to_be_bytes().to_vec();
    if n % 50 == 7 {
        p[..4].fill(9);
        p.resize(2500, b'x');
        p.extend_from_slice(&n.to_be_bytes());
    }
    p
}

/// Rows are `length of p u16 | secondary key u32 | filter byte | p | anything`.
struct LongKeys;

impl RowKeys for LongKeys {
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool {
        let p_len = usize::from(u16::from_be_bytes([row[0], row[1]]));
        let part = if index == 0 { &row[7..7 + p_len] } else { &row[2..6] };
        let holds = index < 2 || row[6] > 0;
        out.extend_from_slice(if holds { part } else { &[] });
        holds
    }
}

fn long_row(n: u32, s: u32) -> (Vec<u8>, Vec<u8>) {
    let p = identity(n);
    let mut row = (p.len() as u16).to_be_bytes().to_vec();
    row.extend_from_slice(&s.to_be_bytes());
    row.push((n % 3) as u8);
    row.extend_from_slice(&p);
    row.resize(row.len() + n as usize % 200, n as u8);
    (p, row)
}

fn begin_build(tables: &Arc<ColdTables>, task: &Task, unique: [bool; 3]) -> TableBuild {
    let unique = Box::new(unique);
    let spec = BuildSpec { storage: STORAGE, clustered: 0, unique, keys: Arc::new(LongKeys) };
    TableBuild::begin(tables, task, spec, task.env(), Path::new("/data"), 1).expect("there is room")
}

fn push_all(build: &mut TableBuild, rows: impl Iterator<Item = (Vec<u8>, Vec<u8>)>) {
    for (_, row) in rows {
        build.push(&row);
        if build.is_full() {
            build.make_room().expect("the disk works");
        }
    }
}

#[test]
fn trees_that_are_built_hold_all_rows_in_full_leaves() {
    let (sim, runtime, pool) = machine(3);
    let task = Task::blocking(&runtime);
    let created = ColdTables::create(&pool, &task, DATABASE, &files());
    let tables = Arc::new(created.expect("the disk is new"));
    let mut build = begin_build(&tables, &task, [true, true, false]);
    push_all(&mut build, (0..6000).map(|n| long_row(n, n ^ 0x5A5A)));
    while !build.fill_some(&task).expect("no key is there twice") {}
    let table = build.finish(&task).expect("there is room");
    assert!(table.is_built() && tables.building().is_empty());
    let check = |table: &ColdTable| {
        assert_eq!(table.rows(), 6000);
        let mut expected: Vec<_> = (0..6000).map(identity).map(|p| (p.clone(), p)).collect();
        expected.sort();
        assert!(entries(table, &task, 0) == expected);
        for index in [1, 2] {
            let held = (0..6000_u32).filter(|n| index == 1 || n % 3 > 0);
            let key = |n: u32| (n ^ 0x5A5A).to_be_bytes().to_vec();
            let mut expected: Vec<_> = held.map(|n| (key(n), identity(n))).collect();
            expected.sort();
            assert!(entries(table, &task, index) == expected, "index {index}");
        }
        for n in (0..6000).step_by(61) {
            let ((p, row), mut found) = (long_row(n, n ^ 0x5A5A), Vec::new());
            assert!(table.find(&task, &p, &mut found).expect("all pages can be read"));
            assert!(found == row);
        }
        for index in 0..3 {
            assert_eq!(findings(table, &task, index), "");
        }
    };
    check(&table);
    // A root that has the trees has them as built.
    tables.adopt(&task, STORAGE).expect("there is room");
    write_root(&tables, &task, 9);
    drop((table, tables));
    sim.fs().power_off();
    sim.fs().power_on();
    let (tables, _) =
        ColdTables::open(&pool, &task, DATABASE, &files()).expect("a root was written");
    let table = tables.get(STORAGE).expect("the root has it");
    assert!(table.is_built());
    check(&table);
}

#[test]
fn keys_are_counted_in_a_few_leaves() {
    const ROWS: u64 = 20_000;
    for (seed, different) in [(31, 3), (32, 700), (33, ROWS)] {
        let (_sim, runtime, pool) = machine(seed);
        let task = Task::blocking(&runtime);
        let tables = ColdTables::create(&pool, &task, DATABASE, &files()).expect("the disk is new");
        let table = tables.add(&task, STORAGE, 3, 0).expect("there is room");
        assert!(!table.is_count_due());
        let mut rng = SplitMix::new(seed);
        let rows: Vec<(String, Vec<u8>)> = (0..ROWS)
            .map(|n| {
                let s = rng.below(different) as u32;
                (format!("{n:08}"), [&s.to_be_bytes()[..], &[(n % 2) as u8]].concat())
            })
            .collect();
        for part in rows.chunks(500) {
            let batch: Vec<_> =
                part.iter().map(|(p, row)| RowChange::put(p.as_bytes(), row)).collect();
            table.apply(&task, &batch, &Keys).expect("there is room");
        }
        assert!(table.is_count_due() && table.distinct_keys(1).is_none());
        table.count_keys(0..3, &task).expect("all pages can be read");
        assert!(!table.is_count_due() && table.distinct_keys(0).is_none());
        // Index 2 has half of the rows.
        for index in [1, 2] {
            let held = rows.iter().filter(|(_, row)| index == 1 || row[4] > 0);
            let mut keys: Vec<&[u8]> = held.map(|(_, row)| &row[..4]).collect();
            let entries = keys.len() as f64;
            keys.sort_unstable();
            keys.dedup();
            let exact = keys.len() as f64 * ROWS as f64 / entries;
            let counted = table.distinct_keys(index).expect("they were counted") as f64;
            let is_near = match different {
                // The place where one key ends and the next begins need not be in a leaf that is
                // read.
                3 => (3.0..=12.0).contains(&counted),
                _ => (counted / exact - 1.0).abs() < 0.2,
            };
            assert!(is_near, "index {index}: {counted} of {exact}");
        }
    }
}

#[test]
fn keys_that_are_there_twice_are_found() {
    for (unique, twice, expected) in [
        ([true, false, false], long_row(77, 1), 0),
        // Cut, so that the tree has it in no order.
        ([true, false, false], long_row(57, 1), 0),
        ([true, true, false], long_row(5000, 100), 1),
        ([true, false, true], long_row(5000, 100), 2),
    ] {
        let (_sim, runtime, pool) = machine(4);
        let task = Task::blocking(&runtime);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let tables = Arc::new(created.expect("the disk is new"));
        let mut build = begin_build(&tables, &task, unique);
        push_all(&mut build, (0..3000).map(|n| long_row(n, n)).chain([twice]));
        let error = loop {
            match build.fill_some(&task) {
                Ok(is_filled) => assert!(!is_filled, "index {expected}"),
                Err(error) => break error,
            }
        };
        let BuildError::Duplicate { index, row } = error else { panic!("{error:?}") };
        assert_eq!(index, expected);
        let mut key = Vec::new();
        assert!(LongKeys.append_key(index, &row, &mut key), "it is a row of the index");
    }
}

#[test]
fn rows_that_are_taken_back_are_in_no_tree() {
    let (_sim, runtime, pool) = machine(6);
    let task = Task::blocking(&runtime);
    let created = ColdTables::create(&pool, &task, DATABASE, &files());
    let tables = Arc::new(created.expect("the disk is new"));
    let mut build = begin_build(&tables, &task, [true, true, false]);
    push_all(&mut build, (0..3000).map(|n| long_row(n, n)));
    // Some rows go; some get another key; some go and come again.
    let key = |n: u32| if n % 5 == 1 { n + 10_000 } else { n };
    for n in (0..3000).filter(|n| n % 5 < 4) {
        build.take_back(&long_row(n, n).1);
        if n % 5 > 0 {
            build.push(&long_row(n, key(n)).1);
        }
        if build.is_full() {
            build.make_room().expect("the disk works");
        }
    }
    let mut filled = 0;
    while !build.fill_some(&task).expect("no key is there twice") {
        filled += build.take_filled().iter().count();
    }
    let table = build.finish(&task).expect("there is room");
    assert_eq!((table.rows(), filled), (2400, 2400));
    for index in [1, 2] {
        let held = (0..3000_u32).filter(|n| n % 5 > 0 && (index == 1 || n % 3 > 0));
        let mut expected: Vec<_> =
            held.map(|n| (key(n).to_be_bytes().to_vec(), identity(n))).collect();
        expected.sort();
        assert!(entries(&table, &task, index) == expected, "index {index}");
    }

    // The order does not matter: keys pass to other rows, and old rows are taken back after new
    // ones are pushed.
    let mut build = begin_build(&tables, &task, [true, true, false]);
    push_all(&mut build, (0..300).map(|n| long_row(n, n)));
    push_all(&mut build, (0..300).filter(|n| n % 2 == 0).map(|n| long_row(n, 1000 - n)));
    push_all(&mut build, (0..300).filter(|n| n % 3 == 0).map(|n| long_row(1000 + n, n)));
    for n in (0..300).filter(|n| n % 2 == 0 || n % 3 == 0) {
        build.take_back(&long_row(n, n).1);
    }
    while !build.fill_some(&task).expect("all but one row of each key were taken back") {}
    let table = build.finish(&task).expect("there is room");
    let found = |n: u32| match (n % 2, n % 3) {
        (0, _) => vec![(n, 1000 - n)],
        (_, 0) => vec![],
        _ => vec![(n, n)],
    };
    let kept = (0..300).flat_map(found);
    let moved = (0..300).filter(|n| n % 3 == 0).map(|n| (1000 + n, n));
    let mut expected: Vec<_> =
        kept.chain(moved).map(|(n, s)| (s.to_be_bytes().to_vec(), identity(n))).collect();
    expected.sort();
    assert_eq!(table.rows(), expected.len() as u64);
    assert!(entries(&table, &task, 1) == expected);
    assert_eq!(findings(&table, &task, 0), "");
    for (n, s) in (0..300).flat_map(found) {
        let ((p, row), mut bytes) = (long_row(n, s), Vec::new());
        assert!(table.find(&task, &p, &mut bytes).expect("all pages can be read"));
        assert!(bytes == row, "row {n}");
    }

    // A row that is taken back twice is found.
    let mut build = begin_build(&tables, &task, [true, true, false]);
    push_all(&mut build, (0..300).map(|n| long_row(n, n)));
    build.take_back(&long_row(7, 7).1);
    build.push(&long_row(7, 1000).1);
    build.take_back(&long_row(7, 7).1);
    let error = loop {
        match build.fill_some(&task) {
            Ok(is_filled) => assert!(!is_filled),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, BuildError::TakenTwice), "{error:?}");
}

/// More steps than a build takes.
const WHOLE: u64 = u64::MAX;

/// A root in the middle of a build, or before its trees are adopted, has whole trees with some of
/// the entries. After a crash the trees are unowned, and leave nothing behind.
#[test]
fn what_a_crash_leaves_of_a_build_is_dropped() {
    for steps in [0, 1, 2, 3, 4, 5, 8, WHOLE] {
        let (sim, runtime, pool) = machine(5);
        let task = Task::blocking(&runtime);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let tables = Arc::new(created.expect("the disk is new"));
        let mut other = tables.add(&task, 3, 3, 0).expect("there is room");
        let (mut model, mut rng) = (Model::new(), SplitMix::new(steps));
        change(&other, &task, &mut model, &mut rng);
        write_root(&tables, &task, 1);
        let used = tables.store().space().used_pages;
        let mut build = begin_build(&tables, &task, [true, true, false]);
        push_all(&mut build, (0..6000).map(|n| long_row(n, n)));
        let mut steps_left = 0..steps;
        let is_filled = steps_left.any(|_| build.fill_some(&task).expect("no key is there twice"));
        assert_eq!(is_filled, steps == WHOLE);
        if is_filled {
            build.finish(&task).expect("there is room");
        } else {
            drop(build);
        }
        write_root(&tables, &task, 2);
        drop((other, tables));
        sim.fs().power_off();
        sim.fs().power_on();
        let opened = ColdTables::open(&pool, &task, DATABASE, &files());
        let (tables, _) = opened.expect("a root was written");
        assert!(tables.get(STORAGE).is_none());
        assert_eq!(tables.last_storage(), STORAGE, "no table may use it again");
        tables.remove_abandoned(&task).expect("all pages can be read");
        other = tables.get(3).expect("the root has it");
        check(&other, &task, &model);
        // Places that a root gives up are free after the next one.
        for through in 3..6 {
            write_root(&tables, &task, through);
        }
        let left = tables.store().space().used_pages;
        assert!(left <= used + 1, "{steps} steps: {used} places, then {left}");
        assert_eq!(tables.last_storage(), 3);
    }
}

#[test]
fn after_prefix_follows_all_strings_with_the_prefix() {
    assert_eq!(after_prefix(b"ab"), Some(b"ac".to_vec()));
    assert_eq!(after_prefix(&[1, 255, 255]), Some(vec![2]));
    assert_eq!(after_prefix(&[255]), None);
}

/// A root that is captured before its trees are adopted does not have the table, though the trees
/// are adopted by the time the root becomes durable.
#[test]
fn only_roots_that_are_captured_later_have_an_adopted_table() {
    for is_later in [false, true] {
        let (sim, runtime, pool) = machine(9);
        let task = Task::blocking(&runtime);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let tables = Arc::new(created.expect("the disk is new"));
        let mut build = begin_build(&tables, &task, [true, true, false]);
        push_all(&mut build, (0..100).map(|n| long_row(n, n)));
        while !build.fill_some(&task).expect("no key is there twice") {}
        build.finish(&task).expect("there is room");
        let adopt = || tables.adopt(&task, STORAGE).expect("there is room");
        let capture = || tables.capture(&task, 2).expect("there is room");
        let (root, owned) = match is_later {
            true => {
                adopt();
                capture()
            }
            false => {
                let captured = capture();
                adopt();
                captured
            }
        };
        tables.write(root).expect("the disk works");
        let owned: Vec<u64> = owned.iter().map(|table| table.storage()).collect();
        drop(tables);
        sim.fs().power_off();
        sim.fs().power_on();
        let opened = ColdTables::open(&pool, &task, DATABASE, &files());
        let (tables, _) = opened.expect("a root was written");
        let found = tables.get(STORAGE).map(|table| (table.rows(), table.durable()));
        assert_eq!(found, is_later.then_some((100, 2)));
        assert_eq!(owned, if is_later { vec![STORAGE] } else { vec![] });
    }
}

/// Builds a table of many pages, with overflow pages, and adopts it.
fn build_long_table(tables: &Arc<ColdTables>, task: &Task) {
    let mut build = begin_build(tables, task, [true, true, false]);
    push_all(&mut build, (0..6000).map(|n| long_row(n, n)));
    while !build.fill_some(task).expect("no key is there twice") {}
    build.finish(task).expect("there is room");
    tables.adopt(task, STORAGE).expect("there is room");
}

/// A page could not be read for a moment while its tree was dropped. It was freed, and what it
/// pointed to was lost.
#[test]
fn a_page_that_cannot_be_read_for_a_moment_keeps_what_it_points_to() {
    let mut stayed = 0;
    for after in 0..24 {
        let (sim, runtime, pool) = machine(after);
        let task = Task::blocking(&runtime);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let tables = Arc::new(created.expect("the disk is new"));
        write_root(&tables, &task, 1);
        let used = tables.store().space().used_pages;
        build_long_table(&tables, &task);
        write_root(&tables, &task, 2);
        drop(tables);
        let opened = ColdTables::open(&pool, &task, DATABASE, &files());
        let (tables, _) = opened.expect("it has a root");
        // A second attempt of the same read is made at once.
        let fault = Fault::next(OpKind::Read, FaultKind::Io).after(after).times(2);
        sim.fs().inject(fault.on("rows"));
        let removed = tables.remove(&task, STORAGE);
        sim.fs().clear_faults();
        stayed += usize::from(removed.is_ok() && tables.last_storage() == STORAGE);
        sim.clock().advance_ns(2_000_000_000);
        tables.remove_abandoned(&task).expect("all pages can be read");
        assert_eq!(tables.last_storage(), 0, "read {after}: {removed:?}");
        for through in 3..6 {
            write_root(&tables, &task, through);
        }
        let left = tables.store().space().used_pages;
        assert!(left <= used + 1, "read {after}: {used} places, then {left}");
    }
    assert!(stayed > 4, "{stayed} times a page of a tree could not be read");
}

/// Pages that cannot be read in any attempt are given up.
#[test]
fn a_table_with_pages_that_cannot_be_read_is_dropped_in_the_end() {
    let (sim, runtime, pool) = machine(1);
    let task = Task::blocking(&runtime);
    let created = ColdTables::create(&pool, &task, DATABASE, &files());
    let tables = Arc::new(created.expect("the disk is new"));
    build_long_table(&tables, &task);
    write_root(&tables, &task, 1);
    drop(tables);
    let opened = ColdTables::open(&pool, &task, DATABASE, &files());
    let (tables, _) = opened.expect("it has a root");
    // The directory's pages are in memory from here on.
    sim.fs().inject(Fault::next(OpKind::Read, FaultKind::Io).on("rows").forever());
    tables.remove(&task, STORAGE).expect("it is tried again");
    for attempt in 1..=10 {
        assert_eq!(tables.last_storage(), STORAGE, "attempt {attempt}");
        tables.remove_abandoned(&task).expect("it is not time yet");
        sim.clock().advance_ns(1_000_000_000 << attempt);
        tables.remove_abandoned(&task).expect("it is tried again");
    }
    assert_eq!(tables.last_storage(), 0);
}

/// A table with a damaged page can be dropped, wherever the page is. Pages that it pointed to are
/// not used again; all others are.
#[test]
fn a_damaged_table_can_be_dropped() {
    let (mut damaged, mut most_left) = (0, 0);
    for seed in 0..40 {
        let (sim, runtime, pool) = machine(seed);
        let task = Task::blocking(&runtime);
        let created = ColdTables::create(&pool, &task, DATABASE, &files());
        let tables = Arc::new(created.expect("the disk is new"));
        let mut rng = SplitMix::new(seed);
        change(
            &tables.add(&task, 3, 3, 0).expect("there is room"),
            &task,
            &mut Model::new(),
            &mut rng,
        );
        write_root(&tables, &task, 1);
        let used = tables.store().space().used_pages;
        build_long_table(&tables, &task);
        write_root(&tables, &task, 2);
        drop(tables);
        let rows = Path::new("/data/rows");
        let bytes =
            sim.env().fs().metadata(rows).expect("the disk works").expect("it is there").len;
        (0..4 * (seed % 4)).for_each(|_| {
            sim.fs().flip_bit(rows, 8 * rng.below(bytes)).expect("the file is as long");
        });
        let opened = ColdTables::open(&pool, &task, DATABASE, &files());
        let Ok((tables, _)) = opened else { continue };
        let (Some(other), Some(table)) = (tables.get(3), tables.get(STORAGE)) else { continue };
        let is_whole =
            |table: &ColdTable| (0..3).all(|index| findings(table, &task, index).is_empty());
        if !is_whole(&other) {
            continue;
        }
        damaged += usize::from(!is_whole(&table));
        drop(table);
        tables.remove(&task, STORAGE).expect("what is damaged is passed over");
        for through in 3..6 {
            write_root(&tables, &task, through);
        }
        assert!(is_whole(&other), "seed {seed}");
        let left = tables.store().space().used_pages;
        most_left = most_left.max(left - used);
        assert!(seed % 4 > 0 || left <= used + 1, "seed {seed}: {used} places, then {left}");
        let again = tables.add(&task, STORAGE, 3, 0).expect("there is room");
        change(&again, &task, &mut Model::new(), &mut rng);
        write_root(&tables, &task, 6);
    }
    assert!(damaged > 4 && most_left > 0, "{damaged} damaged, {most_left} places lost");
}
