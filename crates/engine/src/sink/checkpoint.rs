//! Making durable what has sunk, as a part of a database's checkpoints.

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use base::ids::Lsn;

use super::{SinkCore, SinkError};
use crate::cold::{ColdError, DurablePages, FileActivity, SpaceStats};
use crate::wait::Task;

/// How often it is tried to get everything down, and the pause in between.
pub(super) const ATTEMPTS: u64 = 100;
pub(super) const PAUSE_NS: u64 = 2_000_000;

impl SinkCore {
    /// Makes durable what has sunk, after a round. Returns the position from which on the log is
    /// needed for the tables that sink; nothing if none does.
    ///
    /// Checkpoint files have nothing of what commits did to a table since that has begun to sink.
    /// So if a table had begun before `through`, where the files end, and still has no trees on
    /// disk, there is no checkpoint ([`SinkError::InTheWay`]).
    pub fn checkpoint(&self, task: &Task, through: Lsn) -> Result<Option<Lsn>, SinkError> {
        let _alone = self.writing.lock().expect("no panic while a root is written");
        let mut attempts = 0;
        loop {
            if self.closing.load(Acquire) {
                return Err(SinkError::Closed); // pairs with Sinker::stop
            }
            let mut done = self.round(task).map(drop);
            // A root without a table that has begun to sink before cannot be used.
            if done.is_ok() && !self.waits_for_trees(through) {
                done = self.write_root(task);
            }
            if let Err(error) = done {
                // What is dropped makes room, and goes after a manifest alone (S9): one that has
                // the last root will do.
                let makes_room = error.is_disk_full() && self.has_dropped();
                if !(makes_room && self.holds_all_since(through)) {
                    return Err(error);
                }
            }
            if self.holds_all_since(through) {
                self.check_log()?;
                return Ok(self.lock().durable);
            }
            attempts += 1;
            if attempts == ATTEMPTS {
                return Err(SinkError::InTheWay);
            }
            task.env().clock().sleep_ns(PAUSE_NS);
        }
    }

    /// Writes a root if the places of images that have been replaced, which only the next root
    /// gives back, are half as many as those that are needed, and as many as the file grows by.
    /// Else a tree that is changed all over again and again between two checkpoints would have the
    /// file become many times as large as it is.
    pub fn give_places_back(&self, task: &Task) -> Result<(), SinkError> {
        let Some(cold) = self.cold.get() else { return Ok(()) };
        let waiting = cold.store().superseded_pages();
        let needed = cold.store().space().used_pages.saturating_sub(waiting);
        if waiting < u64::from(self.options.growth.step_pages) || waiting < needed / 2 {
            return Ok(());
        }
        // A thread that writes a root just now gives them back, too.
        let Ok(_alone) = self.writing.try_lock() else { return Ok(()) };
        self.write_root(task)
    }

    /// Moves what lies at the end of the data file to where there is room before. The file stays as
    /// long as it is.
    pub fn vacate_file(&self, task: &Task) -> Result<(), SinkError> {
        let _alone = self.writing.lock().expect("no panic while a root is written");
        let Some(cold) = self.cold.get() else { return Ok(()) };
        self.give_all_places_back(task)?;
        for file in &self.files {
            cold.store().move_out_of_end(file.id)?;
        }
        self.write_root(task)
    }

    /// Cuts off what is free at the end of the data file, which keeps this many pages.
    pub fn cut_file(&self, task: &Task, least_pages: u32) -> Result<(), SinkError> {
        let _alone = self.writing.lock().expect("no panic while a root is written");
        let Some(cold) = self.cold.get() else { return Ok(()) };
        self.give_all_places_back(task)?;
        for file in &self.files {
            cold.store().shrink(file.id, least_pages)?;
        }
        Ok(())
    }

    /// What the last durable root says: up to where it has the tables that are durable by now;
    /// nothing if there is none.
    pub fn durable(&self) -> Option<Lsn> {
        self.lock().durable
    }

    /// How the pages of the data file are used; nothing if there is none.
    pub fn file_space(&self) -> Option<SpaceStats> {
        self.cold.get().map(|cold| cold.store().space())
    }

    /// What has been done with the data file since it was opened; nothing if there is none.
    pub fn file_activity(&self) -> Option<FileActivity> {
        self.cold.get().map(|cold| cold.store().activity())
    }

    /// A root gives back what has been replaced before it was captured: trees that a round has
    /// dropped by then.
    fn give_all_places_back(&self, task: &Task) -> Result<(), SinkError> {
        for _ in 0..2 {
            self.round(task)?;
            self.write_root(task)?;
        }
        Ok(())
    }

    /// Keeps the pages of the last root for a backup or a check; nothing if there are none.
    pub fn pin_pages(&self) -> Result<Option<DurablePages>, ColdError> {
        self.cold.get().map(|cold| cold.store().pin_durable()).transpose()
    }

    /// Writes a root, if the trees are whole.
    pub(super) fn write_root(&self, task: &Task) -> Result<(), SinkError> {
        let (cold, (capture, tables), through) = {
            let Some(cold) = self.cold.get() else { return Ok(()) };
            let state = self.lock();
            // The root of a volatile database is never read; it gives places back, even if closed
            // gates have left the round incomplete.
            if !state.complete && !self.is_volatile {
                return Ok(());
            }
            let through = state.through.min(self.until);
            (cold.clone(), cold.capture(task, through.0)?, through)
        };
        self.check_log()?;
        cold.write(capture)?;
        self.lock().durable = Some(through);
        tables.iter().for_each(|table| table.set_durable(through.0));
        self.counters.roots.fetch_add(1, Relaxed);
        self.note_hot_rows(task);
        Ok(())
    }

    /// What the log could not take has been done in memory all the same: tables may be missing that
    /// are there.
    fn check_log(&self) -> Result<(), SinkError> {
        self.manager.log().last_error().map_or(Ok(()), |error| Err(SinkError::Log(error)))
    }

    /// Whether a table has begun to sink before this position and has no trees yet.
    fn waits_for_trees(&self, through: Lsn) -> bool {
        let tables = self.manager.tables().all();
        let mut begun = tables.iter().filter(|table| table.cold().is_none());
        begun.any(|table| table.sinks_since().get().is_some_and(|since| since < through))
    }

    /// Whether all tables that had begun to sink before this position are in the durable root.
    /// Those of a transaction that is still open need not be: it sees to that before it commits.
    fn holds_all_since(&self, through: Lsn) -> bool {
        let tables = self.manager.tables().all();
        tables.iter().all(|table| match (table.sinks_since().get(), table.cold()) {
            (Some(since), None) => since >= through,
            (Some(since), Some(cold)) => {
                since >= through || cold.durable() > 0 || !cold.is_adopted()
            }
            (None, _) => true,
        })
    }
}
