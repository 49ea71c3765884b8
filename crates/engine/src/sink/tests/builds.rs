//! Tables that a transaction builds, and the roots that are written meanwhile.

use base::ids::StorageId;

use super::{FIRST, database, new_server, power_cycle, rows};
use crate::recovery::tests::{DISK, TestEnv, user_table};
use crate::txn::Durability;
use crate::txn::tests::bytes;

/// A root that is written while a transaction is open has the trees that it builds as unowned, so
/// that the table is not durable by it: the commit waits for another.
#[test]
fn a_root_with_unowned_trees_does_not_make_a_table_durable() {
    const BUILT: u64 = DISK + 50;
    for rolls_back in [true, false] {
        let test_env = TestEnv::new(1);
        let server = new_server(&test_env);
        let (db, task) = (database(&server), &server.task);
        let manager = db.manager().clone();
        let catalog = manager.tables().get(StorageId(1)).expect("made with the database");
        let mut txn = server.begin(5);
        server.insert(&mut txn, &catalog, [BUILT as i64, 0, 0]).expect("a fresh key");
        let table = manager.create_table(&user_table(StorageId(1000 + BUILT)));
        let mut build =
            db.build(task, &table, &txn).expect("the disk works").expect("it has trees");
        for id in 0..100 {
            build.push(task, &mut bytes(&table, [id, id, 0])).expect("the disk works");
        }
        build.fill(task, &mut txn).expect("no key is there twice");
        let roots = || db.sink_stats().expect("it has files").roots;
        let before = roots();
        db.checkpoint(task).expect("no gate is closed");
        assert!(roots() > before);
        let cold = table.cold().expect("it was built").clone();
        assert_eq!(cold.durable(), 0, "that root has it as unowned");
        if !rolls_back {
            let session = txn.session().clone();
            txn.commit(task, Durability::Full).expect("there is room");
            assert!(cold.durable() > 0);
            session.wait_shown(task).expect("the disk works");
            drop(session);
        } else {
            txn.rollback(task);
        }
        drop((cold, table, catalog, manager, db));
        power_cycle(&test_env, server);
        let server = test_env.recover(&[5], 2);
        assert!(rows(&server, FIRST).is_empty());
        let tables = database(&server).manager().tables().get(StorageId(1000 + BUILT));
        assert_eq!(tables.is_some(), !rolls_back);
        if tables.is_some() {
            assert_eq!(rows(&server, BUILT).len(), 100);
        }
    }
}
