//! A table's trees against a map, through crashes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crossbeam_epoch::Collector;
use env::sim::{SimEnv, SplitMix};

use super::*;
use crate::cold::tree::Chunk;
use crate::cold::{FileSpec, Growth, PAGE_BYTES, Pool, PoolOptions};
use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

const DATABASE: u128 = 0xC01D;
const STORAGE: u64 = 7;

/// Rows are `secondary key | filter byte | anything`; identity keys stand beside them.
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
            // Longer than the tree takes; two and two differ far behind.
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
        .map(|(p, row)| RowChange { p, row: (!row.is_empty()).then_some(row) })
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
                    let capture = tables.capture(&task, round).expect("there is room");
                    tables.write(capture).expect("the disk is whole");
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
fn what_follows_all_strings_with_a_prefix() {
    assert_eq!(after_prefix(b"ab"), Some(b"ac".to_vec()));
    assert_eq!(after_prefix(&[1, 255, 255]), Some(vec![2]));
    assert_eq!(after_prefix(&[255]), None);
}
