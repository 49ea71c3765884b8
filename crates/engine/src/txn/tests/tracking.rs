//! The turn of tracked commits.

use crate::sync::Arc;
use crate::txn::error::TxnError;
use crate::txn::tests::Harness;
use crate::txn::tracking::Turn;
use crate::wait::{Interrupt, Interrupted, Task};

/// The wait for the turn could not be cancelled: a session that was killed behind a commit that
/// waited for its log stayed until that went on.
#[test]
fn the_wait_for_the_turn_can_be_cancelled() {
    let harness = Harness::new();
    let (first, second) = (harness.session(1), harness.session(2));
    let turn = Turn::take(&first, &harness.task()).expect("no other commit has it");
    for why in [Interrupted::Attention, Interrupted::Kill] {
        let interrupt = Arc::new(Interrupt::new());
        interrupt.raise(why);
        let task = Task::blocking_with(&harness.runtime, interrupt);
        assert_eq!(Turn::take(&second, &task).err(), Some(TxnError::Interrupted));
    }
    drop(turn);
    drop(Turn::take(&second, &harness.task()).expect("it was given up"));
}
