//! Tests of readers and a writer at once.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use super::*;

/// Multiples of 200 stay; all other numbers come and go, in batches of 3,000.
#[test]
fn readers_find_what_stays_while_a_writer_changes_the_rest() {
    const NUMBERS: u64 = 20_000;
    let runtime = runtime();
    for evicted_per_1024 in [0, 50, 1024] {
        let (pages, tree) = empty(&runtime);
        pages.evicted_per_1024.store(evicted_per_1024, Relaxed);
        let stay: Vec<_> = (0..NUMBERS).step_by(200).map(number_key).collect();
        put_all(&pages, &Task::blocking(&runtime), tree, &stay);
        let done = AtomicBool::new(false);
        let write = || {
            let task = Task::blocking(&runtime);
            let value = [3; 40];
            for round in 0..10 {
                let action = match round % 2 {
                    0 => Action::Put { stamp: round, value: &value },
                    _ => Action::Delete,
                };
                let keys: Vec<_> = (0..NUMBERS).filter(|n| n % 200 != 0).map(number_key).collect();
                let changes: Vec<Change<'_>> =
                    keys.iter().map(|key| Change { key, action }).collect();
                changes.chunks(3000).for_each(|changes| {
                    apply(&pages, &task, tree, changes);
                });
            }
            done.store(true, Relaxed);
        };
        let read = |seed: u64| {
            let task = Task::blocking(&runtime);
            let mut rng = Rng(seed);
            let mut rounds = 0;
            while !done.load(Relaxed) || rounds < 3 {
                rounds += 1;
                for _ in 0..50 {
                    let key = &stay[rng.below(stay.len() as u64) as usize];
                    let found = tree.find(&pages, &task, key, |entry| entry.value == key);
                    assert_eq!(found.expect("nothing is damaged"), Some(true));
                }
                let direction =
                    if rng.one_in(2) { Direction::Forward } else { Direction::Backward };
                let found = keys(&pages, &task, tree, direction);
                let found: Vec<_> = found
                    .into_iter()
                    .filter(|key| {
                        let bytes = key.as_slice().try_into().expect("eight bytes");
                        u64::from_be_bytes(bytes) % 200 == 0
                    })
                    .collect();
                let mut expected = stay.clone();
                if direction == Direction::Backward {
                    expected.reverse();
                }
                assert!(found == expected);
            }
        };
        thread::scope(|scope| {
            scope.spawn(write);
            scope.spawn(|| read(1));
            scope.spawn(|| read(2));
        });
        assert!(keys(&pages, &Task::blocking(&runtime), tree, Direction::Forward) == stay);
    }
}

/// While a reader without a guard waits for a page, the page is merged away and its number used for
/// another tree, or for other keys of this one.
#[test]
fn readers_that_come_to_a_page_of_something_else_start_again() {
    let runtime = runtime();
    let mut interleaved = 0;
    for loads in 0..6 {
        for (is_look_up, with_other_tree) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let (pages, tree) = empty(&runtime);
            let task = Task::blocking(&runtime);
            let all: Vec<_> = (0..30_000).map(number_key).collect();
            put_all(&pages, &task, tree, &all);
            let stays = &all[5_000];
            pages.evicted_per_1024.store(1024, Relaxed);
            let meanwhile = {
                let (runtime, all, stays) = (runtime.clone(), all.clone(), stays.clone());
                move |pages: &MemoryPages| {
                    change_everything(&runtime, pages, tree, &all, &stays, with_other_tree);
                }
            };
            let before = pages.in_use();
            *pages.while_loading.lock().expect("no panic under this lock") =
                Some((loads, Box::new(meanwhile)));
            match is_look_up {
                true => {
                    let found = tree.find(&pages, &task, stays, |entry| entry.value == stays);
                    assert_eq!(found.expect("nothing is damaged"), Some(true));
                }
                false => {
                    let found = keys(&pages, &task, tree, Direction::Backward);
                    assert!(found.contains(stays));
                }
            }
            interleaved += u32::from(pages.in_use() != before);
        }
    }
    assert!(interleaved > 6, "others came in between");
}

fn change_everything(
    runtime: &Runtime,
    pages: &MemoryPages,
    tree: Tree,
    all: &[Vec<u8>],
    stays: &[u8],
    with_other_tree: bool,
) {
    let task = Task::blocking(runtime);
    let delete = |key| Change { key, action: Action::Delete };
    let changes: Vec<Change<'_>> =
        all.iter().filter(|key| *key != stays).map(|key| delete(key.as_slice())).collect();
    apply(pages, &task, tree, &changes);
    pages.reclaim();
    if with_other_tree {
        let mut edit = pages.edit();
        let other = Tree::create(&mut edit, &task).expect("there is room");
        edit.finish();
        drop(edit);
        put_all(pages, &task, other, all);
    }
    // Entries are longer than before, so that they take all page numbers that were freed.
    let action = Action::Put { stamp: 0, value: &[1; 40] };
    let changes: Vec<Change<'_>> = all[10_000..].iter().map(|key| Change { key, action }).collect();
    apply(pages, &task, tree, &changes);
}
