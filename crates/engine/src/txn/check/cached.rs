//! Compares the copies of a table's rows that the row cache has with the tree.

use crate::hot::table::Table;
use crate::txn::check::{TableCheck, TableFault};
use crate::txn::{TxnError, TxnResult};
use crate::wait::Task;

/// Slots of the cache that are looked at before other sessions have a turn.
const SLOTS_AT_ONCE: usize = 1024;

/// A copy that was there.
struct Seen {
    p: Vec<u8>,
    row: Vec<u8>,
    /// Where it was, which tells it from later copies of the row.
    at: usize,
}

/// Checks that each copy is what the tree has. One that is not, and is there before and after the
/// tree was read, is wrong; it is reported as an entry without a row, and taken out.
pub(super) fn check_copies(task: &Task, table: &Table, check: &mut TableCheck) -> TxnResult<()> {
    let Some(cold) = table.cold() else { return Ok(()) };
    let Some(cached) = cold.row_cache() else { return Ok(()) };
    let (mut copies, mut row): (Vec<Seen>, _) = (Vec::new(), Vec::new());
    for first in (0..cached.slots()).step_by(SLOTS_AT_ONCE) {
        copies.clear();
        cached.each_copy(&task.pin(), first..first + SLOTS_AT_ONCE, |p, row| {
            copies.push(Seen { p: p.to_vec(), row: row.to_vec(), at: row.as_ptr() as usize });
        });
        for Seen { p, row: copy, at } in &copies {
            row.clear();
            let is_there = cold.find(task, p, &mut row)?;
            let is_right = is_there && row == *copy;
            let is_same = |now: &[u8]| now == copy && now.as_ptr() as usize == *at;
            let still_lives = || cached.find(&task.pin(), p).is_some_and(is_same);
            if !is_right && still_lives() {
                cached.kill(p);
                check.add(TableFault::Extra { index: cold.clustered_index() }, 1);
            }
        }
        task.checkpoint().map_err(|_| TxnError::Interrupted)?;
    }
    Ok(())
}
