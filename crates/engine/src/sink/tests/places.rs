//! The size of the file of pages.

use crate::cold::Growth;
use crate::hot::table::{ConflictPolicy, IndexKind};
use crate::hot::visibility::Isolation;
use crate::sink::SinkOptions;
use crate::txn::tests::sunk::SinkHarness;
use crate::txn::tests::{Client, Row};

const ROWS: i64 = 4_000;

/// When a tree larger than memory was changed all over, again and again between two checkpoints,
/// the file grew by the tree's size each time.
#[test]
fn a_table_that_is_changed_again_and_again_keeps_its_size() {
    let growth = Growth { step_pages: 64, ..Growth::default() };
    let sinking = SinkHarness::with(1, 32, SinkOptions { growth, ..SinkOptions::default() });
    let table = sinking.harness().table_of(IndexKind::Range, ConflictPolicy::Wait);
    let mut client = Client::new(sinking.harness(), Isolation::ReadCommitted);
    client.begin();
    for id in 0..ROWS {
        client.insert(&table, [id, id, 0]).expect("the keys are free");
    }
    client.commit().expect("no transaction is in the way");
    let mut used = Vec::new();
    for turn in 1..=20 {
        client.begin();
        for id in (0..ROWS).step_by(40) {
            let changed = |[id, k, v]: Row| Some([id, k, v + 1]);
            assert_eq!(client.update(&table, id, changed), Ok(1), "row {id} in turn {turn}");
        }
        client.commit().expect("no transaction is in the way");
        sinking.sink(&client.task);
        sinking.core().give_places_back(&client.task).expect("the disk works");
        let cold = table.cold().expect("it has trees");
        used.push(cold.store().space().used_pages);
    }
    let needed = used[2];
    assert!(used.iter().all(|used| *used < 3 * needed), "{used:?}");
    assert!(sinking.core().stats().roots > 0, "{used:?}");
}
