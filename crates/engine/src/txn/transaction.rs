//! One transaction in one database: its snapshots, the gates it holds, what it wrote and read.

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
use crate::txn::waits::{Blocker, OwnerId, Place, Resource};
use crate::txn::write_set::{Savepoint, WriteSet};
use crate::wait::Task;

/// A statement in progress; end it with [`Transaction::end_statement`] or
/// [`Transaction::rollback_statement`].
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// What the statement reads at.
    pub snapshot: Snapshot,
    /// What was there when it began.
    pub start: Savepoint,
    level: usize,
}

/// A gate held, shared or exclusive.
pub(super) struct Held {
    pub table: TablePtr,
    pub shard: usize,
    /// Whether the transaction closed the gate.
    pub exclusive: bool,
    /// Whether the transaction has announced to lockers of the table that it writes to it.
    pub announced: bool,
    /// Whether the gate is held until the transaction ends: entries of its sets name this place.
    /// Always where writes were announced.
    pub kept: bool,
    /// Whether it was left: nothing is known of the table any more, and another may take this
    /// place.
    pub left: bool,
}

/// What a row takes in memory beside its bytes, about: its anchor, its places in indexes and the
/// write set.
pub(super) const ROW_BYTES: usize = 128;
/// The part of what rows may take that a transaction may fill, and the least that that is.
const SHARE_PART: u64 = 4;
const SHARE_MIN: u64 = 1 << 20;
/// The part of that at which what it has written to storages of its own is settled.
const SETTLE_PART: u64 = 4;
/// How often, while another share is filled, the transaction checks whether it is alone in the
/// table.
const SHARE_LOOKS: u64 = 16;

/// Something to be done when the transaction's fate is known.
type Hook = Box<dyn FnOnce(Option<Lsn>) + Send>;
/// Something that a commit needs.
type Preparation = Box<dyn FnOnce(&Task, u64) -> TxnResult<()> + Send>;

/// A transaction in one database. It belongs to one session and is used by one thread at a time.
/// Dropping it rolls it back.
pub struct Transaction {
    pub(super) session: Arc<DatabaseSession>,
    pub(super) slot: u32,
    pub(super) shard: usize,
    /// The latest statement number, which versions are written under.
    pub(super) statement: u64,
    /// The transaction's own snapshot, once something was read at it.
    fixed: Option<Lsn>,
    /// The oldest snapshot in use, which the slot holds.
    registered: Option<Lsn>,
    /// Statements in progress, one within another.
    level: usize,
    /// Whether the slot says that it knows no row, though it has a snapshot.
    is_resting: bool,
    pub(super) held: SmallVec<[Held; 4]>,
    pub(super) writes: WriteSet,
    pub(super) reads: Vec<Read>,
    pub(super) scans: Vec<Scan>,
    pub(super) hooks: Vec<Hook>,
    /// To be done before a commit.
    pub(super) preparations: Vec<Preparation>,
    /// Operations for the log besides the rows, encoded.
    pub(super) operations: Vec<u8>,
    /// What goes to the log before the commit.
    pub(super) loads: Loads,
    /// About how many bytes of memory its changes take, and with how many it is looked next whether
    /// that is too much.
    pub(super) written_bytes: u64,
    /// How many of these are rows of storages of its own that may be settled.
    own_bytes: u64,
    look_at_bytes: u64,
    /// Bytes of rows that go to the log, and how many writes were taken back: for [`Progress`].
    pub(super) row_bytes: u64,
    pub(super) undone: u32,
    /// The storage whose new rows go to a successor of it; 0 if none. Written by the load.
    loading: Option<Arc<AtomicU64>>,
    /// The storages that are its own.
    pub(super) own: Vec<OwnStorage>,
    /// Rows that it has put into trees of those.
    pub(super) built_rows: u64,
    /// The position of the prepare record, once there is one.
    pub(super) prepared: Option<Lsn>,
    /// Memory for the commit record's body, and for what the commit leaves behind.
    pub(super) buffer: Vec<u8>,
    pub(super) garbage: Vec<Garbage>,
    /// See [`Transaction::check_reads`].
    pub(super) checks_reads: bool,
    /// Whether it has locked definitions.
    pub(super) locks_things: bool,
    /// What it has locked; most transactions lock nothing.
    pub(super) locks: Option<Box<HeldLocks>>,
    /// A row for which this transaction was woken first.
    pub(super) baton: Option<Resource>,
    /// Whether its commit has begun: it is over when that returns, unless that panics.
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
            look_at_bytes: SHARE_MIN,
            row_bytes: 0,
            undone: 0,
            loading: None,
            own: Vec::new(),
            built_rows: 0,
            prepared: None,
            buffer: spare.buffer,
            garbage: spare.garbage,
            checks_reads: false,
            locks_things: false,
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

    /// The gates that it is inside of: for registering a wait of its session.
    pub fn gates(&self) -> impl Iterator<Item = u64> + '_ {
        self.held.iter().filter(|held| !held.left).map(|held| held.table.address())
    }

    /// Publishes how far the transaction has come: for the system views.
    #[inline]
    pub(super) fn tell_progress(&self) {
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

    /// Tells by what error it ends.
    pub(super) fn tell_error(&self, error: &TxnError) {
        let error = u16::try_from(error.number()).unwrap_or(u16::MAX);
        let slot = self.slot();
        slot.set_progress(&Progress { error, ..slot.progress() });
    }

    /// Begins a statement: a new snapshot under READ COMMITTED, the transaction's own elsewhere.
    /// Statements nest (a trigger within an INSERT); each sees what earlier statements of the
    /// transaction wrote, and nothing that it or later ones write.
    #[inline]
    pub fn begin_statement(&mut self, isolation: Isolation, at: ReadAt) -> Statement {
        self.level += 1;
        self.statement = self.slot().next_statement();
        self.tell_progress();
        if self.is_resting {
            self.look_around();
        }
        let stamp = match isolation {
            Isolation::ReadCommitted => self.fresh_stamp(at),
            _ => self.fixed_stamp(at),
        };
        Statement {
            snapshot: self.snapshot(stamp, isolation),
            start: self.savepoint(),
            level: self.level,
        }
    }

    /// The transaction's own snapshot in the view of a statement that has another one: a
    /// memory-optimized table read WITH (SNAPSHOT) under READ COMMITTED.
    pub fn elevated(&mut self, statement: &Statement, isolation: Isolation) -> Snapshot {
        let stamp = self.fixed_stamp(ReadAt::Committed);
        Snapshot { statement: statement.snapshot.statement, ..self.snapshot(stamp, isolation) }
    }

    #[inline]
    fn snapshot(&self, stamp: Lsn, isolation: Isolation) -> Snapshot {
        Snapshot { stamp, slot: self.slot, statement: self.statement, isolation }
    }

    /// What is committed now, in the view of the statement in progress.
    pub fn newest_snapshot(&self) -> Snapshot {
        debug_assert!(self.registered.is_some(), "a statement is in progress");
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

    /// Registers a snapshot if none is: until its begin words are replaced, what this transaction
    /// wrote must not be reclaimed, although other transactions may replace it as soon as it is
    /// committed.
    pub(super) fn protect_own(&mut self) {
        if self.registered.is_none() {
            self.fresh_stamp(ReadAt::Durable);
        }
        if self.is_resting {
            self.look_around();
        }
    }

    /// What [`Transaction::protect_own`] has registered between statements is given up.
    pub(super) fn release_own(&mut self) {
        debug_assert!(!self.is_in_statement());
        self.retain_fixed();
        if self.registered.is_some() {
            self.slot().rest();
            self.is_resting = true;
        }
    }

    /// From now on rows are looked at again.
    fn look_around(&mut self) {
        self.is_resting = false;
        self.manager().horizon.look_around(self.slot(), || self.session.newest(ReadAt::Durable));
    }

    /// Ends a statement that succeeded. One that is committed at once need not be ended. Rows read
    /// by it may be gone afterwards, unless the transaction has a snapshot of its own.
    #[inline]
    pub fn end_statement(&mut self, statement: Statement) {
        self.pass_baton();
        self.level = statement.level - 1;
        if self.level == 0 {
            self.tell_progress();
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

    /// Whether a statement that has succeeded can be the next one as well, as if that had begun
    /// now: it has changed nothing, and has its transaction's snapshot.
    #[inline]
    pub fn can_go_on(&self, statement: &Statement) -> bool {
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
        // What has to be validated at commit has to be in memory then.
        if self.has_protected() {
            return;
        }
        self.registered = self.fixed;
        match self.fixed {
            Some(stamp) => self.slot().raise_snapshot(stamp),
            None => self.slot().clear_snapshot(),
        }
    }

    /// The place to which a failed statement, or ROLLBACK to a savepoint, goes back.
    #[inline]
    pub fn savepoint(&self) -> Savepoint {
        Savepoint { writes: self.writes.position(), operations: self.operations.len() }
    }

    /// Registers a function to be called when the transaction's fate is known, before it lets go
    /// of its gates: with its stamp, which the committed horizon covers by then, or with `None` if
    /// it is rolled back. Called in order.
    pub fn on_end(&mut self, hook: impl FnOnce(Option<Lsn>) + Send + 'static) {
        self.hooks.push(Box::new(hook));
    }

    /// Whether it has written so much that further changes of this table had better not stay in
    /// memory: more than its share of what rows may take, or half of what is left of it, and the
    /// table is one that may sink. If another owner is in the way, it goes on in memory as long as
    /// that is not twice as much.
    #[inline]
    pub fn outgrows(&mut self, table: &Table) -> bool {
        self.written_bytes >= self.look_at_bytes && self.has_outgrown(table)
    }

    #[cold]
    fn has_outgrown(&mut self, table: &Table) -> bool {
        let share = self.share();
        // Others may leave less of it until then.
        self.look_at_bytes = self.written_bytes.saturating_add(share / SHARE_LOOKS);
        let is_due = table.is_sinkable() && self.written_bytes >= share;
        is_due && (self.written_bytes / 2 >= share || self.is_alone_in(table))
    }

    /// What it may write before that is too much. Where rows that stay have taken most of what
    /// there is, that is less.
    fn share(&self) -> u64 {
        let pool = self.manager().tables().pool();
        let found = self.written_bytes.saturating_add(pool.room_at_server());
        (pool.least_limit() / SHARE_PART).min(found / 3).max(SHARE_MIN)
    }

    /// It has written something, of this many bytes, to a table.
    #[inline]
    pub(super) fn note_written(&mut self, table: &Table, bytes: usize) {
        self.written_bytes += bytes as u64;
        if !self.own.is_empty() && self.owns(table.pointer()) {
            self.own_bytes += bytes as u64;
        }
    }

    /// Whether its changes of storages of its own take a good part of its share.
    pub(super) fn fills_memory(&self) -> bool {
        self.is_much(self.own_bytes)
    }

    /// Whether this many bytes are a good part of its share.
    pub(super) fn is_much(&self, bytes: u64) -> bool {
        bytes >= self.share() / SETTLE_PART
    }

    /// Its changes of storages of its own take no memory any more.
    pub(super) fn forget_own(&mut self) {
        self.written_bytes = self.written_bytes.saturating_sub(self.own_bytes);
        (self.own_bytes, self.look_at_bytes) = (0, SHARE_MIN);
    }

    /// What it costs to do all of it once more, in rows.
    pub(super) fn cost(&self) -> u64 {
        self.writes.len() as u64 + self.built_rows
    }

    /// Whether a statement is in progress.
    pub(super) fn is_in_statement(&self) -> bool {
        self.level > 0
    }

    /// Whether no other transaction is in the table or changes definitions, just now.
    fn is_alone_in(&self, table: &Table) -> bool {
        let (owner, gate) = (self.session.owner().id(), table.gate());
        let is_own = gate.closing().is_none_or(|holder| holder == owner.0);
        gate.is_empty(1) && is_own && !self.manager().things().is_held_by_others(owner)
    }

    /// Whether changes of this table go to its successor.
    #[inline]
    pub fn is_loading(&self, table: &Table) -> bool {
        let is_it = |storage: &Arc<AtomicU64>| storage.load(Relaxed) == table.storage().0;
        self.loading.as_ref().is_some_and(is_it)
    }

    /// From now on changes of this storage go to its successor; the caller sets the number to 0
    /// when that is over.
    pub(crate) fn load(&mut self, storage: Arc<AtomicU64>) {
        self.loading = Some(storage);
        (self.written_bytes, self.own_bytes, self.look_at_bytes) = (0, 0, SHARE_MIN);
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
    /// session enters all gates of a plan first and then sees whether the plan is still good.
    pub fn enter_table(&mut self, task: &Task, table: &Table) -> TxnResult<()> {
        self.hold(task, table).map(drop)
    }

    /// Holds the gate of a table shared until the transaction ends. Every access does this.
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
                    // The gate's mark says what is true while it is held.
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

    /// Waits until a table is loaded, which goes before others from now on.
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
    fn place(&self, table: &Table) -> Place {
        Place::Part(self.manager().id(), table.storage(), Target::Whole)
    }

    /// Notes a gate that was entered. Returns its place.
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

    /// Leaves the tables that it has only read, and of which nothing is to be checked or kept as it
    /// is until it ends. Called where no statement is in progress, and no plan is relied on.
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
        // SAFETY: the gate is held until the next line.
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
    /// inside, and keeps other transactions out. Only DDL does this, before it changes or drops the
    /// table.
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

    /// Lets go of everything: hooks, gates, locks, the snapshot, the slot, and those that wait. No
    /// begin word of the transaction may be left.
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
        // Behind the hooks, which publish what was changed, and behind the gates.
        self.end_thing_locks();
        self.manager().slots.release(self.shard, self.slot);
        self.manager().graph.ended(owner.id());
    }
}

fn address(table: &Table) -> u64 {
    table.pointer().address()
}
