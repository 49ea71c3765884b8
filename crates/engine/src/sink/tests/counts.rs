//! Counts of rows and versions in memory, where rows sink and servers start again.

use std::thread;
use std::time::Duration;

use super::drops::{quiet, quiet_server};
use super::{FIRST, change, database, power_cycle, rows};
use crate::hot::table::Table;
use crate::hot::tally::{Resident, ResidentRows};
use crate::recovery::tests::{Server, TestEnv, loaded};
use crate::txn::Durability;
use crate::txn::tests::Row;

/// Sinks and frees everything, until no row or version is counted any more: other threads may have
/// begun to.
pub(super) fn wait_until_gone(server: &Server, table: &Table) {
    let database = database(server);
    for _ in 0..100 {
        database.sink_all(&server.task).expect("the disk works");
        while database.reclaim(&server.task, 10_000) > 0 {}
        let Resident { inserted, back, waiting, .. } = table.resident(0);
        if [inserted, back] == <[ResidentRows; 2]>::default() && waiting == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("these are left: {:?}", table.resident(0));
}

fn write(server: &Server, id: i64, new: Option<Row>) {
    let mut txn = server.begin(5);
    change(server, &mut txn, FIRST, id, new).expect("no other writer");
    txn.commit(&server.task, Durability::Full).expect("there is room");
}

fn insert(server: &Server, row: Row) {
    let mut txn = server.begin(5);
    server.insert(&mut txn, &server.table(5, FIRST), row).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("there is room");
}

fn assert_counted(server: &Server, table: &Table) -> Resident {
    let database = database(server);
    let (manager, guard) = (database.manager(), server.task.worker().pin());
    table.assert_counted(&guard, &manager.slots, &manager.reclaimer);
    table.resident(0)
}

/// Rows that the trees have under the same keys are back, others were inserted, also where memory
/// has them from the log.
#[test]
fn recovery_counts_the_rows_that_it_finds() {
    let test_env = TestEnv::new(4);
    let server = quiet_server(&test_env);
    server.create_table(5, FIRST).expect("the disk works");
    (0..10).for_each(|id| insert(&server, [id, id, 0]));
    database(&server).checkpoint(&server.task).expect("the disk works");
    power_cycle(&test_env, server);
    let recover = || {
        let server = test_env.recover_with(&[5], 2, &quiet()).0;
        assert!(loaded(&database(&server)).is_none());
        server
    };
    let server = recover();
    let table = server.table(5, FIRST);
    let now = assert_counted(&server, &table);
    assert_eq!((now.inserted.rows, now.inserted.versions), (10, 10), "from files");
    wait_until_gone(&server, &table);
    // A commit since the table has begun to sink, so that the checkpoint needs its trees.
    insert(&server, [19, 19, 0]);
    wait_until_gone(&server, &table);
    database(&server).checkpoint(&server.task).expect("the disk works");
    drop(table);
    // Written in place once and twice, deleted, moved in other indexes and in the one that names
    // rows. All columns are keys.
    write(&server, 0, Some([0, 0, 0]));
    write(&server, 6, Some([6, 6, 0]));
    write(&server, 6, Some([6, 6, 0]));
    write(&server, 1, Some([1, 1, 1]));
    write(&server, 2, None);
    write(&server, 3, Some([3, 300, 0]));
    write(&server, 4, Some([40, 4, 0]));
    insert(&server, [20, 20, 0]);
    insert(&server, [21, 21, 0]);
    write(&server, 21, Some([21, 21, 1]));
    insert(&server, [22, 22, 0]);
    write(&server, 22, None);
    // Its key was another row's, which the trees still have.
    write(&server, 5, None);
    insert(&server, [5, 50, 0]);
    write(&server, 5, Some([5, 50, 1]));
    let expected = rows(&server, FIRST);
    database(&server).manager().log().flush(&server.task).expect("the disk works");
    power_cycle(&test_env, server);
    let server = recover();
    assert_eq!(rows(&server, FIRST), expected);
    let table = server.table(5, FIRST);
    let now = assert_counted(&server, &table);
    let of = |rows, versions| ResidentRows { rows, versions };
    assert_eq!((now.back, now.inserted), (of(2, 7), of(6, 6)));
    assert_eq!(now.waiting, 5, "these are deleted or moved");
    wait_until_gone(&server, &table);
    assert_eq!(rows(&server, FIRST), expected);
}
