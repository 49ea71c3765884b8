//! One transaction in one database: its snapshots, the gates it holds, what it wrote and read.

use std::marker::PhantomData;

use base::ids::Lsn;
use smallvec::SmallVec;

use crate::critical::{self, Section};
use crate::hot::gate::Gate;
use crate::hot::progress::Progress;
use crate::hot::reclaim::Garbage;
use crate::hot::status::Slot;
use crate::hot::table::{Table, TablePtr};
use crate::hot::visibility::{Isolation, Snapshot};
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::txn::error::{TxnError, TxnResult, Unavailable};
use crate::txn::load_set::Loads;
use crate::txn::locks::{HeldLocks, Target};
use crate::txn::manager::Manager;
use crate::txn::own_storage::OwnStorage;
use crate::txn::read_set::{Read, Scan};
use crate::txn::session::{DatabaseSession, ReadAt, Spare};
use crate::txn::tracking::{Tracked, Turn};
use crate::txn::waits::{Blocker, OwnerId, Resource, WaitPlace};
use crate::txn::write_set::{Savepoint, WriteSet};
use crate::wait::Task;

/// A statement in progress; end it with [`Transaction::end_statement`] or
/// [`Transaction::rollback_statement`].
///
/// What is read in it borrows it: a [`Snapshot`], a [`Cursor`](crate::hot::cursor::Cursor), a
/// [`RowRef`](crate::txn::RowRef). So none of them can be used after its end, which takes it by
/// exclusive reference.
#[derive(Debug)]
pub struct Statement {
    /// For as long as the statement: only [`Statement::snapshot`] gives it away.
    snapshot: Snapshot<'static>,
    start: Savepoint,
    /// How many statements were in progress with it; 0 once it has ended.
    level: usize,
}

impl Statement {
    /// The snapshot at which the statement reads.
    ///
    /// # Panics
    /// If the statement has ended.
    #[inline]
    pub fn snapshot(&self) -> &Snapshot<'_> {
        assert_ne!(self.level, 0, "a statement that has ended reads nothing");
        &self.snapshot
    }

    /// Moves the statement, in whose place one stands that has ended.
    pub fn take(&mut self) -> Statement {
        Statement { level: std::mem::take(&mut self.level), ..*self }
    }

    /// A later snapshot than the statement's own, which protects what that sees.
    ///
    /// # Panics
    /// If it is not later.
    pub(crate) fn snapshot_at(&self, stamp: Lsn) -> Snapshot<'_> {
        assert!(stamp >= self.snapshot.stamp, "an earlier snapshot is not protected");
        Snapshot { stamp, ..*self.snapshot() }
    }

    /// The savepoint from when the statement began.
    pub fn start(&self) -> Savepoint {
        self.start
    }
}

/// A table whose gate the transaction holds, shared or exclusive.
pub(super) struct Held {
    pub table: TablePtr,
    pub shard: usize,
    /// Whether the transaction closed the gate.
    pub exclusive: bool,
    /// Whether the transaction has announced to lockers that it writes to the table.
    pub announced: bool,
    /// Whether the gate is held until the transaction ends, since entries of the write set or of
    /// the validation set name this place. Always set once writes were announced.
    pub kept: bool,
    /// Whether the transaction has left the gate. Then the table may be freed, and another table
    /// may take this place.
    pub left: bool,
}

/// Approximate bytes of memory that a row takes beside its own bytes: its anchor, its index entries
/// and its entry in the write set.
pub(super) const ROW_BYTES: usize = 128;
/// A transaction's share is one part in this many of what rows may take in memory, and at least
/// `SHARE_MIN` bytes; see [`Transaction::share`].
const SHARE_PART: u64 = 4;
const SHARE_MIN: u64 = 1 << 20;
/// Changes of a transaction's own storages are settled when they take one part in this many of its
/// share.
const SETTLE_PART: u64 = 4;
/// How often the transaction checks, while it writes a second share, whether it is alone in the
/// table.
const SHARE_CHECKS: u64 = 16;

/// A function to be called when the transaction's fate is known; see [`Transaction::on_end`].
type Hook = Box<dyn FnOnce(Option<Lsn>) + Send>;
/// A function to be called before a commit; see [`Transaction::before_commit`].
type Preparation = Box<dyn FnOnce(&Task, u64) -> TxnResult<()> + Send>;

/// A transaction in one database. It belongs to one session and is used by one thread at a time.
/// Dropping it rolls it back.
pub struct Transaction {
    pub(super) session: Arc<DatabaseSession>,
    pub(super) slot: u32,
    pub(super) shard: usize,
    /// The latest statement number, which versions are written under.
    pub(super) statement: u64,
    /// The transaction's own snapshot, once a statement has taken it.
    fixed: Option<Lsn>,
    /// The oldest snapshot in use, as it is registered in the slot.
    pub(super) registered: Option<Lsn>,
    /// The number of statements in progress, each nested in the one before.
    level: usize,
    /// Whether the slot says that the transaction rests: it has a snapshot and no active statement.
    is_resting: bool,
    pub(super) held: SmallVec<[Held; 4]>,
    pub(super) writes: WriteSet,
    pub(super) reads: Vec<Read>,
    pub(super) scans: Vec<Scan>,
    pub(super) hooks: Vec<Hook>,
    /// Called before a commit.
    pub(super) preparations: Vec<Preparation>,
    /// Encoded operations that the commit logs after the rows.
    pub(super) operations: Vec<u8>,
    /// Operations on loaded rows, which go to the log before the commit.
    pub(super) loads: Loads,
    /// About how many bytes of memory its changes take. At `next_check_bytes` the transaction
    /// checks next whether that is too much.
    pub(super) written_bytes: u64,
    /// How many of these are in storages of its own, and so can be settled.
    own_bytes: u64,
    next_check_bytes: u64,
    /// Bytes of new rows that the commit logs, and the number of writes that were undone: for
    /// [`Progress`].
    pub(super) row_bytes: u64,
    pub(super) undone: u32,
    /// The storage whose changes go to its successor; 0 if there is none. Written by the load.
    loading: Option<Arc<AtomicU64>>,
    /// The storages that the transaction has made, once they have trees.
    pub(super) own: Vec<OwnStorage>,
    /// Rows that it has built into the trees of these storages.
    pub(super) built_rows: u64,
    /// The position of the prepare record, once there is one.
    pub(super) prepared: Option<Lsn>,
    /// Reused memory: for the commit record's body, and for the garbage that the commit queues.
    pub(super) buffer: Vec<u8>,
    pub(super) garbage: Vec<Garbage>,
    /// See [`Transaction::check_reads`].
    pub(super) checks_reads: bool,
    /// Whether it has locked definitions.
    pub(super) locks_definitions: bool,
    /// What its commit needs if it has changed tables whose changes are tracked.
    pub(super) tracked: Option<Box<Tracked>>,
    /// The turn to take a version, while it commits.
    pub(super) turn: Option<Turn>,
    /// Its locks on tables, rows and ranges; most transactions have none.
    pub(super) locks: Option<Box<HeldLocks>>,
    /// The row whose baton this transaction carries (see `txn::waits`).
    pub(super) baton: Option<Resource>,
    /// Whether its commit has begun. If the transaction is dropped after that before it is
    /// finished, a panic is unwinding.
    pub(super) is_ending: bool,
    pub(super) finished: bool,
}

impl Transaction {
    /// Begins a transaction of this session.
    pub fn begin(session: &Arc<DatabaseSession>, task: &Task) -> TxnResult<Transaction> {
        let manager = session.manager();
        manager.check_available()?;
        let shard = task.worker().index();
        let slot = manager.slots.acquire(shard, session.owner().id().0);
        let slot = slot.ok_or(TxnError::TooManyTransactions)?;
        let spare = session.take_spare();
        Ok(Transaction {
            session: session.clone(),
            slot,
            shard,
            statement: manager.slots.get(slot).next_statement(),
            fixed: None,
            registered: None,
            level: 0,
            is_resting: false,
            held: SmallVec::new(),
            writes: WriteSet::reusing(spare.writes),
            reads: Vec::new(),
            scans: Vec::new(),
            hooks: Vec::new(),
            preparations: Vec::new(),
            operations: Vec::new(),
            loads: Loads::default(),
            written_bytes: 0,
            own_bytes: 0,
            next_check_bytes: SHARE_MIN,
            row_bytes: 0,
            undone: 0,
            loading: None,
            own: Vec::new(),
            built_rows: 0,
            prepared: None,
            buffer: spare.buffer,
            garbage: spare.garbage,
            checks_reads: false,
            locks_definitions: false,
            tracked: None,
            turn: None,
            locks: None,
            baton: None,
            is_ending: false,
            finished: false,
        })
    }

    /// The session, in this database, that the transaction belongs to.
    pub fn session(&self) -> &Arc<DatabaseSession> {
        &self.session
    }

    pub(super) fn manager(&self) -> &Manager {
        self.session.manager()
    }

    pub(super) fn slot(&self) -> &Slot {
        self.manager().slots.get(self.slot)
    }

    /// The gates that the transaction is inside of, by the addresses of their tables: for
    /// registering a wait of its session.
    pub fn gates(&self) -> impl Iterator<Item = u64> + '_ {
        self.held.iter().filter(|held| !held.left).map(|held| held.table.address())
    }

    /// Publishes the progress of the transaction for the system views.
    #[inline]
    pub(super) fn publish_progress(&self) {
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        self.slot().set_progress(&Progress {
            writes: count(self.writes.len()),
            reads: count(self.reads.len()),
            scans: count(self.scans.len()),
            undone: self.undone,
            row_bytes: self.row_bytes,
            prepared: self.prepared.is_some(),
            error: 0,
        });
    }

    /// Publishes the error by which the transaction ends.
    pub(super) fn publish_error(&self, error: &TxnError) {
        let error = u16::try_from(error.number()).unwrap_or(u16::MAX);
        let slot = self.slot();
        slot.set_progress(&Progress { error, ..slot.progress() });
    }

    /// Begins a statement: at a new snapshot under READ COMMITTED, at the transaction's own at
    /// other levels. Statements nest (a trigger within an INSERT); each sees what earlier
    /// statements of the transaction wrote, and nothing that it or later ones write.
    #[inline]
    pub fn begin_statement(&mut self, isolation: Isolation, at: ReadAt) -> Statement {
        self.level += 1;
        self.statement = self.slot().next_statement();
        self.publish_progress();
        if self.is_resting {
            self.end_rest();
        }
        let stamp = match isolation {
            Isolation::ReadCommitted => self.fresh_stamp(at),
            _ => self.fixed_stamp(at),
        };
        let snapshot = self.snapshot(stamp, isolation);
        Statement { snapshot, start: self.savepoint(), level: self.level }
    }

    /// The transaction's own snapshot, for a part of a statement that reads at another one: a
    /// memory-optimized table read WITH (SNAPSHOT) under READ COMMITTED.
    pub fn elevated<'s>(&mut self, statement: &'s Statement, isolation: Isolation) -> Snapshot<'s> {
        let stamp = self.fixed_stamp(ReadAt::Committed);
        Snapshot { statement: statement.snapshot.statement, ..self.snapshot(stamp, isolation) }
    }

    #[inline]
    fn snapshot<'s>(&self, stamp: Lsn, isolation: Isolation) -> Snapshot<'s> {
        let (slot, statement) = (self.slot, self.statement);
        Snapshot { stamp, slot, statement, isolation, registered: PhantomData }
    }

    /// A snapshot of what is committed now, for a statement in progress, whose own changes it sees
    /// as that does.
    pub fn newest_snapshot<'s>(&self, statement: &'s Statement) -> Snapshot<'s> {
        Snapshot { statement: statement.snapshot().statement, ..self.newest_now() }
    }

    /// [`Transaction::newest_snapshot`], where a statement is known to be in progress.
    pub(super) fn newest_now<'s>(&self) -> Snapshot<'s> {
        self.snapshot(self.session.newest(ReadAt::Committed), Isolation::ReadCommitted)
    }

    /// The stamp of the transaction's own snapshot, once it has one.
    #[inline]
    pub fn fixed(&self) -> Option<Lsn> {
        self.fixed
    }

    #[inline]
    fn fixed_stamp(&mut self, at: ReadAt) -> Lsn {
        match self.fixed {
            Some(stamp) => stamp,
            None => self.fix_stamp(at),
        }
    }

    fn fix_stamp(&mut self, at: ReadAt) -> Lsn {
        let stamp = self.fresh_stamp(at);
        self.fixed = Some(stamp);
        stamp
    }

    fn fresh_stamp(&mut self, at: ReadAt) -> Lsn {
        let newest = || self.session.newest(at);
        let stamp = match self.registered {
            // The older snapshot that is registered protects this one too.
            Some(_) => newest(),
            None => {
                let stamp = self.manager().horizon.register(self.slot(), newest);
                self.registered = Some(stamp);
                stamp
            }
        };
        if at == ReadAt::Committed {
            self.session.note_shown(stamp);
        }
        stamp
    }

    /// Registers a snapshot if the transaction has none. The snapshot keeps in memory what the
    /// transaction wrote until its begin words are replaced: as soon as the commit is published,
    /// other transactions may replace these versions and queue them as garbage.
    pub(super) fn protect_own(&mut self) {
        if self.registered.is_none() {
            self.fresh_stamp(ReadAt::Durable);
        }
        if self.is_resting {
            self.end_rest();
        }
    }

    /// Gives up the snapshot that [`Transaction::protect_own`] has registered between statements.
    pub(super) fn release_own(&mut self) {
        debug_assert!(!self.is_in_statement());
        self.retain_fixed();
        if self.registered.is_some() {
            self.slot().rest();
            self.is_resting = true;
        }
    }

    /// Ends the transaction's rest: from here on it may know rows.
    fn end_rest(&mut self) {
        self.is_resting = false;
        self.manager()
            .horizon
            .begin_statement(self.slot(), || self.session.newest(ReadAt::Durable));
    }

    /// Ends a statement that succeeded. Rows that it has read may be freed afterwards; a snapshot
    /// of the transaction's own keeps them only in tables that do not sink.
    #[inline]
    pub fn end_statement(&mut self, statement: &mut Statement) {
        self.pass_baton();
        assert_ne!(statement.level, 0, "a statement ends once");
        self.level = std::mem::take(&mut statement.level) - 1;
        if self.level == 0 {
            self.publish_progress();
            if self.locks.is_some() {
                self.end_statement_locks();
            }
            self.retain_fixed();
            if self.registered.is_some() {
                self.slot().rest();
                self.is_resting = true;
            }
        }
    }

    /// Ends all statements in progress at once, since the transaction is about to end.
    ///
    /// # Safety
    /// No cursor of these statements, and no row that was read in one of them, is used afterwards.
    pub unsafe fn abandon_statements(&mut self) {
        self.level = 0;
    }

    /// A transaction must not end while one of its statements is in progress: a row that was read
    /// in it could still be borrowed, and be freed.
    #[inline]
    pub(super) fn assert_between_statements(&self) {
        assert_eq!(self.level, 0, "a transaction ends after its statements");
    }

    /// Whether the next statement can go on under this one, which has succeeded, instead of
    /// beginning anew: this one has changed nothing, and reads at its transaction's snapshot.
    #[inline]
    pub fn can_reuse(&self, statement: &Statement) -> bool {
        self.baton.is_none()
            && self.savepoint() == statement.start
            && self.level == statement.level
            && statement.snapshot.isolation != Isolation::ReadCommitted
    }

    #[inline]
    fn retain_fixed(&mut self) {
        if self.registered != self.fixed {
            self.retain_fixed_only();
        }
    }

    fn retain_fixed_only(&mut self) {
        // What the commit validates must stay in memory until then.
        if self.has_protected() {
            return;
        }
        self.registered = self.fixed;
        match self.fixed {
            Some(stamp) => self.slot().raise_snapshot(stamp),
            None => self.slot().clear_snapshot(),
        }
    }

    /// The current savepoint, to which a failed statement, or ROLLBACK to a savepoint, goes back.
    #[inline]
    pub fn savepoint(&self) -> Savepoint {
        Savepoint { writes: self.writes.position(), operations: self.operations.len() }
    }

    /// Registers a function to be called when the transaction's fate is known, before it releases
    /// its gates: with its stamp, which the committed horizon covers by then, or with `None` if it
    /// is rolled back. Functions are called in the order of their registration.
    pub fn on_end(&mut self, hook: impl FnOnce(Option<Lsn>) + Send + 'static) {
        self.hooks.push(Box::new(hook));
    }

    /// Whether further changes of this table should go to a successor instead of into memory: the
    /// table is one that may sink, and the transaction has written its share of memory. If another
    /// owner is in the way, the transaction goes on in memory up to twice its share.
    #[inline]
    pub fn outgrows(&mut self, table: &Table) -> bool {
        self.written_bytes >= self.next_check_bytes && self.has_outgrown(table)
    }

    #[cold]
    fn has_outgrown(&mut self, table: &Table) -> bool {
        let share = self.share();
        // The next check comes before a whole share is written: the share shrinks when other
        // transactions take memory.
        self.next_check_bytes = self.written_bytes.saturating_add(share / SHARE_CHECKS);
        let is_due = table.is_sinkable() && self.written_bytes >= share;
        is_due && (self.written_bytes / 2 >= share || self.is_alone_in(table))
    }

    /// How many bytes the transaction may write before that is too much: a quarter of what rows may
    /// take or, where rows that stay have taken most memory, half of what the server has left; at
    /// least [`SHARE_MIN`].
    fn share(&self) -> u64 {
        let pool = self.manager().tables().pool();
        let found = self.written_bytes.saturating_add(pool.room_at_server());
        (pool.least_limit() / SHARE_PART).min(found / 3).max(SHARE_MIN)
    }

    /// Counts bytes of memory that the transaction has written to a table.
    #[inline]
    pub(super) fn note_written(&mut self, table: &Table, bytes: usize) {
        self.written_bytes += bytes as u64;
        if !self.own.is_empty() && self.owns(table.pointer()) {
            self.own_bytes += bytes as u64;
        }
    }

    /// Whether changes of its own storages take so much of its share that they are to be settled.
    pub(super) fn fills_memory(&self) -> bool {
        self.is_settle_due(self.own_bytes)
    }

    /// Whether this many bytes are at least one part in [`SETTLE_PART`] of its share.
    pub(super) fn is_settle_due(&self, bytes: u64) -> bool {
        bytes >= self.share() / SETTLE_PART
    }

    /// Takes changes of its own storages off the count, since they were settled.
    pub(super) fn forget_own(&mut self) {
        self.written_bytes = self.written_bytes.saturating_sub(self.own_bytes);
        (self.own_bytes, self.next_check_bytes) = (0, SHARE_MIN);
    }

    /// The cost of undoing the transaction: the rows that it has written.
    pub(super) fn cost(&self) -> u64 {
        self.writes.len() as u64 + self.built_rows
    }

    /// Whether a statement is in progress.
    pub(super) fn is_in_statement(&self) -> bool {
        self.level > 0
    }

    /// Whether at the moment no other transaction is inside the table's gate, and none changes
    /// definitions.
    fn is_alone_in(&self, table: &Table) -> bool {
        let (owner, gate) = (self.session.owner().id(), table.gate());
        let is_own = gate.closing().is_none_or(|holder| holder == owner.0);
        gate.is_empty(1) && is_own && !self.manager().definition_locks().is_held_by_others(owner)
    }

    /// Whether changes of this table go to its successor.
    #[inline]
    pub fn is_loading(&self, table: &Table) -> bool {
        let is_it = |storage: &Arc<AtomicU64>| storage.load(Relaxed) == table.storage().0;
        self.loading.as_ref().is_some_and(is_it)
    }

    /// Makes changes of this storage go to its successor from now on. The caller sets the number to
    /// 0 when the load ends.
    pub(crate) fn begin_load(&mut self, storage: Arc<AtomicU64>) {
        self.loading = Some(storage);
        (self.written_bytes, self.own_bytes, self.next_check_bytes) = (0, 0, SHARE_MIN);
    }

    /// Registers a function to be called before a commit is decided, with the owner whose gates the
    /// transaction holds. If it fails, so does the commit.
    pub fn before_commit(
        &mut self,
        prepare: impl FnOnce(&Task, u64) -> TxnResult<()> + Send + 'static,
    ) {
        self.preparations.push(Box::new(prepare));
    }

    /// Enters the gate of a table, as every access does: until the transaction ends, or leaves the
    /// tables that it has only read ([`Transaction::leave_tables`]), no DDL changes the table. A
    /// session enters all gates of a plan first and then checks whether the plan is still valid.
    pub fn enter_table(&mut self, task: &Task, table: &Table) -> TxnResult<()> {
        self.hold(task, table).map(drop)
    }

    /// Enters the gate of a table if the transaction is not inside yet. Returns the gate's place in
    /// [`Transaction::held`].
    #[inline]
    pub(super) fn hold(&mut self, task: &Task, table: &Table) -> TxnResult<u32> {
        let pointer = table.pointer();
        match self.held.iter().rposition(|h| h.table == pointer && !h.left) {
            Some(place) => Ok(place as u32),
            None => self.enter(task, table),
        }
    }

    #[cold]
    fn enter(&mut self, task: &Task, table: &Table) -> TxnResult<u32> {
        if !table.is_loaded() {
            self.wait_until_loaded(task, table)?;
        }
        let owner = self.session.owner().id().0;
        loop {
            let shard = task.worker().index();
            match self.manager().enter_gate(table, shard, owner) {
                Ok(()) => {
                    // The mark can be relied on only while the gate is held.
                    if table.gate().is_retired() && table.gate().closing() != Some(owner) {
                        self.manager().leave_gate(table, shard);
                        return Err(TxnError::TableChanged { storage: table.storage() });
                    }
                    return Ok(self.push_held(table.pointer(), shard));
                }
                Err(holder) => self.wait_for_gate(task, table, holder)?,
            }
        }
    }

    /// Waits until recovery has loaded a table, and makes it load this table before others.
    fn wait_until_loaded(&mut self, task: &Task, table: &Table) -> TxnResult<()> {
        let loading = table.loading();
        loading.ask();
        while loading.is_pending() {
            let blocker = Blocker::Load(address(table));
            self.block(task, blocker, self.place(table), |_| loading.is_pending())?;
        }
        match loading.is_loaded() {
            true => Ok(()),
            false => self
                .manager()
                .check_available()
                .and(Err(TxnError::Unavailable(Unavailable::Offline))),
        }
    }

    /// A table, as the place of a wait.
    fn place(&self, table: &Table) -> WaitPlace {
        WaitPlace::Part(self.manager().id(), table.storage(), Target::Whole)
    }

    /// Adds a gate that was entered to the list. Returns its place there.
    fn push_held(&mut self, table: TablePtr, shard: usize) -> u32 {
        self.slot().note_gate(table.address());
        let entered =
            Held { table, shard, exclusive: false, announced: false, kept: false, left: false };
        match self.held.iter().position(|held| held.left) {
            Some(place) => {
                self.held[place] = entered;
                place as u32
            }
            None => {
                self.held.push(entered);
                self.held.len() as u32 - 1
            }
        }
    }

    /// Leaves the gates of tables that the transaction has only read, except tables that it has
    /// made, whose gates it has closed, or in which it has locks or reads to validate at commit.
    /// Called where no statement is in progress, and no plan is relied on.
    pub fn leave_tables(&mut self) {
        if self.level == 0 && self.held.iter().any(|held| !held.kept && !held.left) {
            self.leave_read_tables();
        }
    }

    fn leave_read_tables(&mut self) {
        if self.locks.is_some() {
            self.leave_lock_spaces();
        }
        for place in 0..self.held.len() {
            let Held { table, kept, left, exclusive, .. } = self.held[place];
            if kept || left || exclusive || self.is_locked_in(table) || self.owns(table) {
                continue;
            }
            self.slot().forget_gate(table.address());
            self.leave(&self.held[place]);
            self.held[place].left = true;
        }
        while self.held.last().is_some_and(|held| held.left) {
            self.held.pop();
        }
    }

    pub(super) fn leave(&self, held: &Held) {
        // SAFETY: the gate is held until `leave_gate` below.
        let table = unsafe { held.table.get() };
        self.manager().leave_gate(table, held.shard);
    }

    fn wait_for_gate(&mut self, task: &Task, table: &Table, holder: u64) -> TxnResult<()> {
        let gate = table.gate();
        let blocker = Blocker::Owner(OwnerId(holder), Resource::Gate(address(table)));
        let place = self.place(table);
        self.block(task, blocker, place, |_| gate.closing() == Some(holder))
    }

    /// Closes the gate of a table until the transaction ends: waits until no other transaction is
    /// inside, and keeps other transactions out. Called only for DDL, before it changes or drops
    /// the table, and for loads that make a successor.
    pub fn close_gate(&mut self, task: &Task, table: &Arc<Table>) -> TxnResult<()> {
        critical::section(Section::Wait, || self.close_gate_of(task, table))
    }

    fn close_gate_of(&mut self, task: &Task, table: &Arc<Table>) -> TxnResult<()> {
        let place = self.hold(task, table)? as usize;
        if self.held[place].exclusive {
            return Ok(());
        }
        let owner = self.session.owner().id().0;
        let gate = table.gate();
        while let Err(holder) = gate.try_close(owner) {
            self.wait_for_gate(task, table, holder)?;
        }
        let inside = |gate: &Gate| !gate.is_empty(1);
        while inside(gate) {
            let blocker = Blocker::Drain(address(table));
            let drained = self.block(task, blocker, self.place(table), |_| inside(gate));
            if let Err(error) = drained {
                gate.open();
                self.manager().graph.ended(self.session.owner().id());
                return Err(error);
            }
        }
        self.held[place].exclusive = true;
        Ok(())
    }

    /// Ends the transaction: calls the hooks, releases locks, gates, the snapshot and the slot, and
    /// wakes waiters. No begin word of the transaction may be left.
    pub(super) fn finish(&mut self, stamp: Option<Lsn>) {
        debug_assert!(!self.finished);
        self.finished = true;
        self.writes.hide(); // before the gates go (V2)
        for hook in std::mem::take(&mut self.hooks) {
            hook(stamp);
        }
        if self.locks.is_some() {
            self.end_locks();
        }
        for held in std::mem::take(&mut self.held) {
            if held.left {
                continue;
            }
            if held.exclusive {
                // SAFETY: the gate is held until leave().
                unsafe { held.table.get() }.gate().open();
            }
            self.leave(&held);
        }
        let writes = std::mem::take(&mut self.writes).into_entries();
        let buffer = std::mem::take(&mut self.buffer);
        let garbage = std::mem::take(&mut self.garbage);
        self.session.give_spare(Spare { writes, buffer, garbage });
        let owner = self.session.owner();
        // After the hooks, which publish changed definitions, and after the gates.
        self.end_definition_locks();
        self.manager().slots.release(self.shard, self.slot);
        self.manager().graph.ended(owner.id());
    }
}

fn address(table: &Table) -> u64 {
    table.pointer().address()
}
