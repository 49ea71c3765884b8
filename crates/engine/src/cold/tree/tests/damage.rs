//! Tests of inconsistent bytes whose checksum is right: an error or a wrong answer, never a panic.

use std::ops::ControlFlow;

use super::*;
use crate::cold::tree::node::Node;

fn tree_of(pages: &MemoryPages, task: &Task<'_>, tree: Tree) {
    let mut rng = Rng(77);
    let mut keys: Vec<Vec<u8>> = (0..900)
        .map(|_| {
            let padding = vec![b'x'; rng.below(60) as usize];
            [padding, number_key(rng.next() | 1)].concat()
        })
        .collect();
    keys.sort();
    keys.dedup();
    put_all(pages, task, tree, &keys);
    let mut edit = pages.edit();
    tree.put(&mut edit, task, b"xxlong", 9, &[7; 20_000]).expect("there is room");
    edit.finish();
}

/// Runs all operations, and ignores errors.
fn try_everything(pages: &MemoryPages, task: &Task<'_>, tree: Tree, rng: &mut Rng) {
    for _ in 0..10 {
        let key = [vec![b'x'; rng.below(60) as usize], number_key(rng.next())].concat();
        let _ = tree.find(pages, task, &key, |entry| entry.value.len());
        let _ = tree.find(pages, task, b"xxlong", |entry| entry.value.len());
    }
    for direction in [Direction::Forward, Direction::Backward] {
        let mut cursor = tree.cursor(Range::ALL, direction);
        for _ in 0..200 {
            let chunk = cursor.next_chunk(pages, task, |_| ControlFlow::Continue(()));
            if !matches!(chunk, Ok(Chunk::More)) {
                break;
            }
        }
    }
    let _ = tree.verify(pages, task);
    let _ = tree.measure(pages, task);
    let _ = tree.sample(pages, task, 5, |_, _| {});
    let numbers: Vec<_> = (0..30).map(|_| rng.next()).collect();
    let mut keys: Vec<Vec<u8>> =
        numbers.iter().map(|&n| [vec![b'x'; (n % 50) as usize], number_key(n)].concat()).collect();
    keys.sort();
    keys.dedup();
    for key in &keys {
        let put = Change { key, action: Action::Put { stamp: 3, value: &[9; 300] } };
        let delete = Change { key, action: Action::Delete };
        let mut edit = pages.edit();
        let _ = tree.apply(
            &mut edit,
            task,
            &[if key.len() % 2 == 0 { put } else { delete }],
            |_, _| {},
        );
    }
    let mut edit = pages.edit();
    let _ = tree.drop_some(&mut edit, task, 10, Unread::Stay);
}

#[test]
fn random_bytes_do_not_panic() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let seed = Env::real().clock().now_ns() | 1;
    println!("seed {seed}");
    for seed in (1..60).chain([seed]) {
        let mut rng = Rng(seed * 2 + 1);
        let (pages, tree) = empty(&runtime);
        tree_of(&pages, &task, tree);
        let count = pages.in_use() as u64;
        let mut edit = pages.edit();
        for _ in 0..1 + rng.below(3) {
            let page = PageNumber(1 + rng.below(count));
            let body = edit.edit(&task, page).expect("it is in use");
            for _ in 0..1 + rng.below(20) {
                // Mostly headers and slots, where damage does most.
                let end = [8, 100, 800, BODY_BYTES as u64][rng.below(4) as usize];
                let at = rng.below(end) as usize;
                // The kind, level and tree are checked first, and hide other damage.
                if !(8..16).contains(&at) && at > 1 || rng.one_in(20) {
                    body[at] = rng.next() as u8;
                }
            }
        }
        edit.finish();
        drop(edit);
        try_everything(&pages, &task, tree, &mut rng);
    }
}

#[test]
fn checks_find_what_was_damaged() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let mut missed = 0;
    for seed in 1..60 {
        let mut rng = Rng(seed * 2 + 1);
        let (pages, tree) = empty(&runtime);
        tree_of(&pages, &task, tree);
        let mut edit = pages.edit();
        let page = PageNumber(1 + rng.below(pages.in_use() as u64));
        let body = edit.edit(&task, page).expect("it is in use");
        // Header, hints, prefix, and the first slots.
        body[rng.below(110) as usize] ^= 1 << rng.below(8);
        edit.finish();
        drop(edit);
        let verified = tree.verify(&pages, &task).expect("the task is not interrupted");
        missed += u32::from(verified.findings.is_empty());
    }
    // Some bytes have no meaning: the first child of a leaf, padding.
    assert!(missed < 18, "{missed}");
}

#[test]
fn a_lost_chain_is_damage() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let (pages, tree) = empty(&runtime);
    let mut edit = pages.edit();
    tree.put(&mut edit, &task, b"key", 0, &[7; 20_000]).expect("there is room");
    edit.finish();
    let last = PageNumber(pages.in_use() as u64);
    edit.edit(&task, last).expect("it is in use")[1000] ^= 1;
    edit.finish();
    drop(edit);
    let found = tree.find(&pages, &task, b"key", |_| ());
    assert!(matches!(found, Err(TreeError::Damaged { .. })), "{found:?}");
    let mut edit = pages.edit();
    edit.free(last);
    edit.finish();
    drop(edit);
    let found = tree.find(&pages, &task, b"key", |_| ());
    assert!(matches!(found, Err(TreeError::Damaged { .. })), "{found:?}");
    assert!(!tree.verify(&pages, &task).expect("the task is not interrupted").findings.is_empty());
}

/// A page that could not be read made its neighbour's link a second finding.
#[test]
fn pages_that_cannot_be_read_are_all_found_and_nothing_else() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let (pages, tree) = empty(&runtime);
    let keys: Vec<Vec<u8>> = (0..16_000)
        .map(|number: u64| [number_key(number).to_vec(), vec![b'k'; 300]].concat())
        .collect();
    put_all(&pages, &task, tree, &keys);
    let mut edit = pages.edit();
    tree.put(&mut edit, &task, &keys[2000], 9, &[7; 20_000]).expect("there is room");
    edit.finish();
    drop(edit);
    assert!(tree.gaps(&pages, &task).expect("the task is not interrupted").is_empty());
    let nodes = |level, pages: &MemoryPages| -> Vec<PageNumber> {
        let all = (1..=pages.in_use() as u64).map(PageNumber);
        let own = |page: &PageNumber| {
            let image = pages.load(&task, *page, Access::Scan).expect("it is in use");
            Node::open(&image).is_ok_and(|node| node.level() == level)
        };
        all.filter(own).collect()
    };
    let (leaves, inner) = (nodes(0, &pages), nodes(1, &pages));
    assert!(leaves.len() > 100 && inner.len() > 2, "{} {}", leaves.len(), inner.len());
    let chain = PageNumber(pages.in_use() as u64);
    let mut lost = vec![leaves[10], leaves[90], inner[inner.len() / 2], chain];
    let mut edit = pages.edit();
    lost.iter().for_each(|page| edit.free(*page));
    edit.finish();
    drop(edit);
    let gaps = tree.gaps(&pages, &task).expect("the task is not interrupted");
    let mut found: Vec<PageNumber> = gaps.iter().map(|gap| gap.page).collect();
    let verified = tree.verify(&pages, &task).expect("the task is not interrupted");
    let mut seen = verified.findings.len();
    found.sort();
    lost.sort();
    // One of the leaves, or the chain, may lie below the inner node.
    assert!(found.iter().all(|page| lost.contains(page)), "{found:?} of {lost:?}");
    assert!(found.len() >= 3 && found.contains(&inner[inner.len() / 2]), "{found:?} of {lost:?}");
    // `verify` reports what is left of a chain under its first page.
    seen -= usize::from(found.contains(&chain));
    let nodes_found = found.iter().filter(|page| **page != chain).count();
    assert_eq!(seen, nodes_found, "{:?}", verified.findings);
    assert!(gaps.is_sorted_by_key(|gap| gap.lower.clone()));
    for key in &keys {
        let is_lost =
            |gap: &Gap| **key >= *gap.lower && gap.upper.as_ref().is_none_or(|upper| key < upper);
        let read = tree.find(&pages, &task, key, |_| ());
        assert_eq!(read.is_err(), gaps.iter().any(is_lost), "{read:?}");
    }
}
