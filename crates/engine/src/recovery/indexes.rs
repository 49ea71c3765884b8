//! Building the indexes that replay left out, and what else a table needs before it is used.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crossbeam_epoch::Collector;

use super::{RecoveryError, RecoveryOptions};
use crate::cold::tree::{self, Range};
use crate::hot::anchor::AnchorPtr;
use crate::hot::cursor::ScanRange;
use crate::hot::index::{Direction, InsertCheck};
use crate::hot::reclaim::Tables;
use crate::hot::table::{Side, Table, Walk};
use crate::wait::{Runtime, Task};

/// Builds all indexes but those that replay has built. Every thread goes through its share of every
/// table, so that one large table keeps all threads busy.
pub(super) fn build(
    tables: &Tables,
    runtime: &Runtime,
    options: &RecoveryOptions,
) -> Result<(), RecoveryError> {
    let (tables, collector) = (tables.all(), runtime.collector());
    let with_indexes = tables.iter().filter(|table| table.links() > 1);
    let rows = with_indexes.map(|table| table.memory().rows).sum();
    options.progress.0.rows_total.store(rows, Relaxed);
    options.progress.enter(super::INDEXES);
    let parts = options.threads.max(1);
    std::thread::scope(|scope| {
        let build = |part| {
            let tables = &tables;
            move || tables.iter().try_for_each(|t| build_part(t, collector, options, part, parts))
        };
        let threads: Vec<_> = (1..parts).map(|part| scope.spawn(build(part))).collect();
        let own = build(0)();
        let others =
            threads.into_iter().map(|t| t.join().expect("building indexes does not panic"));
        others.fold(own, Result::and)
    })?;
    tables.iter().try_for_each(|table| continue_row_numbers(table, runtime))
}

fn build_part(
    table: &Arc<Table>,
    collector: &Collector,
    options: &RecoveryOptions,
    part: usize,
    parts: usize,
) -> Result<(), RecoveryError> {
    if table.links() == 1 {
        return Ok(());
    }
    let handle = collector.register();
    let (mut walk, share) = table.share_of(part, parts);
    let mut rows: Vec<AnchorPtr> = Vec::new();
    while !walk.is_done() {
        let guard = handle.pin();
        rows.clear();
        let mut is_over = false;
        table.walk(&guard, table.log_index(), &mut walk, &mut |anchor| {
            // SAFETY: the walk's guard protects it.
            match unsafe { share.place_of(anchor) } {
                Side::Inside => rows.push(anchor),
                Side::Outside => {}
                Side::AfterEnd => is_over = true,
            }
            match rows.len() < ROWS_PER_GUARD && !is_over {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        if is_over {
            walk = Walk::Done;
        }
        // Index by index, so that the upper parts of one stay in the caches.
        let others = (0..table.links()).filter(|o| *o != table.log_index());
        for (ordinal, rows) in others.flat_map(|o| rows.chunks(ROWS_AT_ONCE).map(move |r| (o, r))) {
            // SAFETY: the rows are protected by the guard.
            let bytes = |a: &AnchorPtr| unsafe { table.row(a.inline(table.links())) };
            table.prefetch_all(ordinal, rows.iter().map(bytes));
            for anchor in rows {
                // SAFETY: recovery alone uses the table; the row is in no index but the log's, and
                // each thread links its own rows, once into each index.
                let linked = unsafe {
                    let row = table.row(anchor.inline(table.links()));
                    let is_gone = table.is_recovered_deletion(*anchor);
                    table.link(&guard, *anchor, row, ordinal, &mut |other| match is_gone
                        || table.is_recovered_deletion(other)
                    {
                        true => InsertCheck::Allow,
                        false => InsertCheck::Refuse,
                    })
                };
                if !linked {
                    let storage = table.storage();
                    return Err(RecoveryError::DuplicateKey { storage, index: ordinal });
                }
            }
        }
        options.progress.0.rows_done.fetch_add(rows.len() as u64, Relaxed);
    }
    Ok(())
}

const ROWS_PER_GUARD: usize = 512;
/// Rows for whose places in an index is asked at once, before they are linked.
const ROWS_AT_ONCE: usize = 32;

/// Row numbers go on after the greatest that is in use.
fn continue_row_numbers(table: &Table, runtime: &Runtime) -> Result<(), RecoveryError> {
    if table.row_number_column().is_none() {
        return Ok(());
    }
    let mut walk = table.walk_of(table.log_index(), &ScanRange::All, Direction::Backward);
    let mut last = None;
    let guard = runtime.collector().register().pin();
    table.walk(&guard, table.log_index(), &mut walk, &mut |anchor| {
        last.get_or_insert(anchor);
        ControlFlow::Break(())
    });
    if let Some(anchor) = last {
        // SAFETY: recovery alone uses the table.
        let row = unsafe { table.row(anchor.inline(table.links())) };
        table.observe_row_number(table.row_number(row));
    }
    drop(guard);
    let Some(cold) = table.cold() else { return Ok(()) };
    let task = Task::blocking(runtime);
    let mut cursor = cold.cursor(table.log_index(), Range::ALL, tree::Direction::Backward);
    let mut last = None;
    while last.is_none() && !cursor.is_ended() {
        _ = cursor.next_chunk(&task, |entry| {
            last = entry.row.map(|row| table.row_number(row));
            ControlFlow::Break(())
        })?;
    }
    last.into_iter().for_each(|number| table.observe_row_number(number));
    Ok(())
}
