//! What other sessions see of the rows that a transaction has changed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use super::model::Setting;
use super::sunk::SinkHarness;
use super::*;

const RC: Isolation = Isolation::ReadCommitted;
const WAIT: ConflictPolicy = ConflictPolicy::Wait;

impl Client<'_> {
    fn pause(&mut self) {
        self.txn.as_mut().expect("begun").show_writes();
    }

    fn shown(&self) -> Vec<ChangedRow> {
        self.session.owner().changed_rows()
    }
}

#[test]
fn changed_rows_are_shown_from_a_pause_to_the_next_change() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..5);
    let mut client = Client::new(&harness, RC);
    client.begin();
    assert_eq!(client.update(&table, 1, |[id, k, v]| Some([id, k, v + 1])), Ok(1));
    assert!(client.shown().is_empty(), "it goes on");
    client.pause();
    let [first] = client.shown()[..] else { panic!("one row: {:?}", client.shown()) };
    assert_eq!((first.database, first.storage), (DbId(5), table.storage()));
    assert_eq!(client.get(&table, 2), Ok(Some([2, 20, 2])), "reading changes nothing");
    assert_eq!(client.shown(), [first]);
    assert_eq!(client.update(&table, 1, |[id, k, v]| Some([id, k, v + 1])), Ok(1));
    assert!(client.shown().is_empty());
    client.pause();
    client.pause();
    assert_eq!(client.shown(), [first], "each row once");
    let place = client.txn.as_ref().unwrap().savepoint();
    assert_eq!(client.delete(&table, 3), Ok(1));
    client.insert(&table, [7, 70, 0]).unwrap();
    client.pause();
    assert_eq!(client.shown().len(), 3);
    let task = harness.task();
    client.txn.as_mut().unwrap().roll_back(&task, place);
    assert!(client.shown().is_empty());
    client.pause();
    assert_eq!(client.shown(), [first]);
    client.commit().unwrap();
    assert!(client.shown().is_empty());
}

#[test]
fn changed_rows_are_hidden_after_any_kind_of_end() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    let mut client = Client::new(&harness, RC);
    for end in 0..3 {
        client.begin();
        client.insert(&table, [end, end, end]).unwrap();
        client.pause();
        assert_eq!(client.shown().len(), 1);
        match end {
            0 => client.rollback(),
            1 => drop(client.txn.take()),
            _ => client.commit().unwrap(),
        }
        assert!(client.shown().is_empty(), "{end}");
    }
}

#[test]
fn rows_without_locks_are_not_shown_and_no_more_than_so_many() {
    let harness = Harness::new();
    let (memory, table) = (harness.table(ConflictPolicy::FirstWriterWins), harness.table(WAIT));
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    client.insert(&memory, [1, 1, 1]).unwrap();
    client.pause();
    assert!(client.shown().is_empty());
    for id in 0..CHANGED_ROWS_MAX as i64 + 10 {
        client.insert(&table, [id, id, id]).unwrap();
    }
    client.pause();
    let shown = client.shown();
    assert_eq!(shown.len(), CHANGED_ROWS_MAX);
    assert!(shown.iter().all(|row| row.storage == table.storage()));
    client.rollback();
}

#[test]
fn a_waiter_shows_its_rows_and_which_one_it_waits_for() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..5);
    let mut holder = Client::new(&harness, RC);
    holder.begin();
    assert_eq!(holder.update(&table, 1, |[id, k, v]| Some([id, k, v + 1])), Ok(1));
    holder.pause();
    let [wanted] = holder.shown()[..] else { panic!("one row") };
    let session = harness.session(52);
    let owner = session.owner().clone();
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut waiter = Client { session, ..Client::new(&harness, RC) };
            waiter.begin();
            waiter.update(&table, 2, |[id, k, v]| Some([id, k, v + 1])).unwrap();
            let done = waiter.update(&table, 1, |[id, k, v]| Some([id, k, v + 1]));
            waiter.rollback();
            done
        });
        let graph = &harness.manager.graph;
        while owner.changed_rows().is_empty() || graph.waits().is_empty() {
            thread::yield_now();
        }
        let [other] = owner.changed_rows()[..] else { panic!("one row") };
        assert_ne!(other.row, wanted.row);
        let place =
            WaitPlace::Part(DbId(5), table.storage(), super::super::locks::Target::Row(wanted.row));
        assert_eq!(graph.waits()[0].place, Some(place));
        holder.commit().unwrap();
        assert_eq!(waits.join().unwrap(), Ok(1));
    });
    assert!(owner.changed_rows().is_empty());
}

/// One thread changes rows, shows them and ends its transaction in every way, while rows sink.
/// Other threads read what is shown all the time, and find only names of rows that exist.
#[test]
fn looking_never_meets_a_row_that_has_gone() {
    const ROWS: i64 = 12;
    let sinking = SinkHarness::new(7, 64);
    let (harness, table) = (sinking.harness(), sinking.table(WAIT));
    let mut client = Client::new(harness, RC);
    client.begin();
    (0..ROWS).for_each(|id| client.insert(&table, [id, id, id]).unwrap());
    client.pause();
    let names: HashSet<ChangedRow> = client.shown().into_iter().collect();
    assert_eq!(names.len(), ROWS as usize);
    client.commit().unwrap();
    let (over, owner) = (AtomicBool::new(false), client.session.owner().clone());
    thread::scope(|scope| {
        let look = || {
            let mut seen = 0;
            while !over.load(SeqCst) {
                for row in owner.changed_rows() {
                    assert!(names.contains(&row), "{row:?}");
                    seen += 1;
                }
            }
            seen
        };
        let lookers = [scope.spawn(look), scope.spawn(look)];
        for turn in 0..400 {
            client.begin();
            for step in 0..ROWS {
                let id = (turn * 7 + step) % ROWS;
                match (turn + step) % 3 {
                    0 => drop(client.delete(&table, id).unwrap()),
                    1 => drop(client.insert(&table, [id, id, turn])),
                    _ => drop(client.update(&table, id, |[id, k, _]| Some([id, k, turn])).unwrap()),
                }
                client.pause();
                if step % 4 == 0 {
                    thread::yield_now();
                }
            }
            match turn % 3 {
                0 => client.rollback(),
                1 => drop(client.txn.take()),
                _ => client.commit().unwrap(),
            }
            if turn % 10 == 0 {
                sinking.sink(&harness.task());
            }
        }
        over.store(true, SeqCst);
        let seen: usize = lookers.into_iter().map(|looker| looker.join().unwrap()).sum();
        assert!(seen > 0, "the lookers have seen something");
    });
}
