//! Trees of a table that a transaction makes: a private successor of another table's storage.
//!
//! # Life of a build
//!
//! DDL makes a table with a new storage, which no other transaction knows, and builds its trees
//! from rows in any order: they are sorted in files, and pages leave memory as others do. So it
//! takes little memory, however many rows there are. When the trees are whole the table has them,
//! and the transaction reads and changes it as any table that sinks. Its commit makes the storage
//! the table's; a rollback leaves it to the rounds, which drop the trees of tables that are gone.
//!
//! # What makes it durable
//!
//! * S10: before the commit is decided a durable root has the trees, whole ([`Build::fill`] sees to
//!   that). So recovery does without the rows. The log has them, too, for the restore of a backup
//!   that is older than the trees. A root that is written before that has the trees as unowned
//!   (L3).
//!
//! # Threads
//!
//! Sorting, filling trees and writing the root block, so they are done on a thread that the build
//! has.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;

use base::ids::Lsn;
use env::FileError;

use super::checkpoint::{ATTEMPTS, PAUSE_NS};
use super::{SinkCore, SinkError};
use crate::cold::table::{BuildError, BuildSpec, ColdTable, ColdTables, TableBuild};
use crate::hot::table::Table;
use crate::pages::BufferPool;
use crate::sync::atomic::AtomicU64;
use crate::txn::{PageFault, Savepoint, Transaction, TxnError, TxnResult, Unavailable};
use crate::wait::{OffLoad, Task};

/// The part of the buffer pool's memory that sorting takes, and the bounds of that.
const SORT_PART: u64 = 8;
const SORT_BYTES_MIN: u64 = 1 << 20;
const SORT_BYTES_MAX: u64 = 64 << 20;
/// Steps of filling trees between two checks whether the statement goes on. What they fill waits in
/// memory for the log.
const STEPS_PER_JOB: usize = 4;

/// See the module's header.
pub(crate) struct Build {
    core: Arc<SinkCore>,
    table: Arc<Table>,
    thread: OffLoad,
    /// With the thread while that is at work.
    trees: Option<Box<TableBuild>>,
    /// Where the transaction stood before anything was in the table.
    since: Savepoint,
}

impl Build {
    /// Begins to build the trees of a table that is new and empty, and that this transaction alone
    /// knows.
    pub fn begin(
        core: &Arc<SinkCore>,
        task: &Task,
        table: &Arc<Table>,
        txn: &Transaction,
    ) -> TxnResult<Build> {
        assert!(table.is_sinkable() && table.cold().is_none(), "a new disk table");
        let thread = OffLoad::new("build", 1, 1);
        let mut build = Build {
            core: core.clone(),
            table: table.clone(),
            thread,
            trees: None,
            since: txn.savepoint(),
        };
        let (owner, table) = (txn.session().owner().id().0, table.clone());
        let made = build.do_blocking(task, move |core, task| {
            // While the gates of this transaction are closed other rounds cannot take down what is
            // queued for the tables behind them, and no root can be written.
            core.round_as(task, owner)?;
            let cold = core.cold(task, &mut core.lock())?;
            begin_trees(task, &table, &cold, &core.pool, &core.dir)
        });
        build.trees = Some(Box::new(made?));
        Ok(build)
    }

    /// Takes a row of the table's layout. A hidden row number is filled in.
    pub fn push(&mut self, task: &Task, row: &mut [u8]) -> TxnResult<()> {
        let table = &*self.table;
        if table.row_number_column().is_some() {
            table.set_row_number(row, table.next_row_number());
        }
        self.trees_mut().push(row);
        self.make_room(task)
    }

    /// Takes a row that has its row number, if there are any.
    pub fn push_numbered(&mut self, task: &Task, row: &[u8]) -> TxnResult<()> {
        let table = &*self.table;
        if table.row_number_column().is_some() {
            table.observe_row_number(table.row_number(row));
        }
        self.trees_mut().push(row);
        self.make_room(task)
    }

    /// Takes back a row that was pushed, once at most: [`Build::fill`] finds
    /// [`TxnError::ChangedTwice`].
    pub fn take_back(&mut self, task: &Task, row: &[u8]) -> TxnResult<()> {
        self.trees_mut().take_back(row);
        self.make_room(task)
    }

    fn trees_mut(&mut self) -> &mut TableBuild {
        self.trees.as_mut().expect("a build that has failed takes no rows")
    }

    fn make_room(&mut self, task: &Task) -> TxnResult<()> {
        match self.trees_mut().is_full() {
            true => self.work(task, |trees, _| trees.make_room()),
            false => Ok(()),
        }
    }

    /// Fills the trees, and gives them to the table. The transaction will commit only when they are
    /// durable, with what it settles in them. Nothing comes after that.
    pub fn fill(&mut self, task: &Task, txn: &mut Transaction) -> TxnResult<()> {
        while !self.fill_some(task, txn)? {}
        Ok(())
    }

    /// Does a step of [`Build::fill`]. Returns whether it was the last one.
    pub fn fill_some(&mut self, task: &Task, txn: &mut Transaction) -> TxnResult<bool> {
        let (is_filled, rows) = self.work(task, |trees, task| {
            let mut steps = 0..STEPS_PER_JOB;
            let fill = |done, _| if done { Ok(true) } else { trees.fill_some(task) };
            let is_filled = steps.try_fold(false, fill)?;
            Ok((is_filled, trees.take_filled()))
        })?;
        for row in rows.iter() {
            txn.log_load(task, &self.table, row)?;
        }
        task.checkpoint().map_err(|_| TxnError::Interrupted)?;
        if is_filled {
            self.give_trees(task, txn)?;
        }
        Ok(is_filled)
    }

    fn give_trees(&mut self, task: &Task, txn: &mut Transaction) -> TxnResult<()> {
        let trees = *self.trees.take().expect("nothing has failed");
        let trees = self.do_blocking(task, move |_, task| Ok(trees.finish(task)?))?;
        let (core, table) = (self.core.clone(), self.table.clone());
        table.tally().add_rows(0, i64::try_from(trees.rows()).unwrap_or(i64::MAX));
        table.sinks_since().set(core.manager.log().tail());
        table.set_cold(trees.clone());
        let settled = Arc::new(AtomicU64::new(0));
        txn.add_own_storage(&table, trees.rows(), self.since, settled.clone(), self.sinker());
        txn.before_commit(move |task, owner| {
            if table.gate().is_retired() {
                return Ok(()); // what made it was taken back
            }
            let thread = OffLoad::new("build", 1, 1);
            let settled = Lsn(settled.load(Acquire)); // pairs with Transaction::settle
            do_blocking(&thread, &core, task, move |core, task| {
                core.make_durable(task, &trees, owner, settled)
            })
        });
        Ok(())
    }

    /// What takes down rows that were settled, for the transaction of this owner.
    fn sinker(&self) -> impl Fn(&Task, u64) -> TxnResult<()> + Send + use<> {
        let core = self.core.clone();
        move |task, owner| {
            core.manager.log().flush(task)?;
            let thread = OffLoad::new("build", 1, 1);
            do_blocking(&thread, &core, task, move |core, task| {
                core.round_as(task, owner)?;
                core.round_as(task, owner).map(drop)
            })
        }
    }

    /// Makes the thread run a function on the trees.
    fn work<T: Send + 'static>(
        &mut self,
        task: &Task,
        work: impl FnOnce(&mut TableBuild, &Task) -> Result<T, BuildError> + Send + 'static,
    ) -> TxnResult<T> {
        let mut trees = self.trees.take().expect("a build that has failed does no more");
        let runtime = self.core.manager.runtime().clone();
        let job = self.thread.begin(task, move || {
            let done = work(&mut trees, &Task::blocking(&runtime));
            (done, trees)
        });
        let (done, trees) = job.wait(task);
        self.trees = Some(trees);
        done.map_err(|error| match error {
            BuildError::Tree(error) => error.into(),
            BuildError::File(error) => file_error(&error),
            BuildError::Duplicate { index, row } => {
                self.table.counters().duplicate();
                TxnError::DuplicateKey { storage: self.table.storage(), index, row }
            }
            BuildError::TakenTwice => TxnError::ChangedTwice,
        })
    }

    fn do_blocking<T: Send + 'static>(
        &self,
        task: &Task,
        work: impl FnOnce(&Arc<SinkCore>, &Task) -> Result<T, SinkError> + Send + 'static,
    ) -> TxnResult<T> {
        do_blocking(&self.thread, &self.core, task, work)
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if self.table.cold().is_none() {
            // It has failed, and the table will be dropped. What the log has of it is nothing for
            // checkpoint files.
            self.table.sinks_since().set(self.core.manager.log().tail());
        }
    }
}

fn do_blocking<T: Send + 'static>(
    thread: &OffLoad,
    core: &Arc<SinkCore>,
    task: &Task,
    work: impl FnOnce(&Arc<SinkCore>, &Task) -> Result<T, SinkError> + Send + 'static,
) -> TxnResult<T> {
    let core = core.clone();
    let job = thread.begin(task, move || {
        let task = Task::blocking(core.manager.runtime());
        work(&core, &task)
    });
    job.wait(task).map_err(|error| match error {
        SinkError::Tree(error) => error.into(),
        SinkError::File(error) => file_error(&error),
        SinkError::Log(error) => error.into(),
        SinkError::InTheWay => TxnError::LockTimeout,
        SinkError::Closed => TxnError::Unavailable(Unavailable::Offline),
    })
}

fn file_error(error: &FileError) -> TxnError {
    let file = error.path().display().to_string().into();
    TxnError::Page(match error.is_disk_full() {
        true => PageFault::Full { file },
        false => PageFault::Read { why: error.to_string().into(), file },
    })
}

/// Begins to build the trees of a table that has none; what does not fit into memory is sorted in
/// this directory.
pub(crate) fn begin_trees(
    task: &Task,
    table: &Arc<Table>,
    cold: &Arc<ColdTables>,
    pool: &BufferPool,
    dir: &Path,
) -> Result<TableBuild, SinkError> {
    let spec = BuildSpec {
        storage: table.storage().0,
        clustered: table.log_index(),
        unique: (0..table.links()).map(|index| table.is_unique(index)).collect(),
        keys: table.clone(),
    };
    let bytes = sort_bytes(pool);
    Ok(TableBuild::begin(cold, task, spec, task.env(), dir, bytes)?)
}

/// What a sort of rows may take in memory.
pub(crate) fn sort_bytes(pool: &BufferPool) -> usize {
    let bytes = (pool.limit_bytes() / SORT_PART).clamp(SORT_BYTES_MIN, SORT_BYTES_MAX);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl SinkCore {
    /// Writes a root that has these trees, which are whole, and what was settled in them up to this
    /// stamp. The caller's transaction, by its owner, may have closed gates.
    fn make_durable(
        &self,
        task: &Task,
        trees: &ColdTable,
        owner: u64,
        settled: Lsn,
    ) -> Result<(), SinkError> {
        let cold = self.cold(task, &mut self.lock())?;
        if self.is_volatile {
            return Ok(cold.adopt(task, trees.storage())?);
        }
        let _alone = self.writing.lock().expect("no panic while a root is written");
        cold.adopt(task, trees.storage())?;
        // Others' snapshots may keep the horizon where it is for a while.
        let patience = self.options.patience_ns / PAUSE_NS;
        let attempts = ATTEMPTS + if settled == Lsn::ZERO { 0 } else { 2 * patience };
        for _ in 0..attempts {
            if self.closing.load(Acquire) {
                return Err(SinkError::Closed); // pairs with Sinker::stop
            }
            self.round_as(task, owner)?;
            if self.lock().through > settled {
                self.write_root(task)?;
                if trees.durable() > settled.0 {
                    return Ok(());
                }
            }
            task.env().clock().sleep_ns(PAUSE_NS);
        }
        Err(SinkError::InTheWay)
    }
}
