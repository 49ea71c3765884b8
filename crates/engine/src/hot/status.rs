//! The slots of transactions in progress: the status and snapshot of each.
//!
//! # Life of a slot
//!
//! free → active → preparing → preparing with a stamp → committed(stamp) or aborted → free
//!
//! A slot is taken when a transaction begins and given back when none of its begin words is left in
//! any version. Read-only transactions take one too: it is where their snapshot is registered.
//!
//! # Begin words
//!
//! [`Begin`] is the word that says when a version (or a deletion) began: a commit stamp, with a tag
//! if the version came back from the cold store, or the slot and statement of the transaction that
//! owns it. It is without the tag by which an inline version says where its row came from.
//! Statement numbers go on from one occupant of a slot to the next, so that no two transactions
//! ever write the same owned word. A version or deletion that is rolled back gets [`Begin::UNDONE`]
//! or [`Begin::NEVER`] before the slot is given back, so that a thread that still looks at it does
//! not take it for one of the slot's next occupant.
//!
//! So a reader that finds the same word before and after it loaded the slot's status knows that the
//! status was the owner's ([`SlotTable::fate`]).
//!
//! # The horizon
//!
//! [`Horizon`] decides which versions no snapshot can see any more. A reader first registers its
//! snapshot and then looks at `claimed`; a reclaimer first raises `claimed` and then looks at the
//! registered snapshots. Both sides are sequentially consistent, so one of them sees the other:
//! either the reclaimer spares the snapshot, or the reader takes a newer one.
//!
//! A transaction that has a snapshot of its own and no active statement *rests*: it needs what the
//! snapshot sees, but holds no reference to a row. A row that has left memory, since the cold store
//! has all that any snapshot sees of it, is freed when every active statement began after the row
//! left ([`Bounds::oldest_statement`]).

use std::sync::OnceLock;

use base::ids::Lsn;
use crossbeam_utils::CachePadded;

use crate::hot::anchor::{DELETED, ROW_IS_BACK};
use crate::hot::progress::{Progress, Published};
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::sync::atomic::{AtomicU32, AtomicU64, fence};
use crate::sync::{Mutex, spin_loop};

/// Transactions that may be in progress at once in a database.
pub const SLOTS_MAX: u32 = 1 << SLOT_BITS;

const SLOT_BITS: u32 = 20;
const STATEMENT_BITS: u32 = 39;
const STATEMENT_SHIFT: u32 = 4;
const SLOT_SHIFT: u32 = STATEMENT_SHIFT + STATEMENT_BITS;
const OWNED: u64 = 1 << 63;
/// Tag of a stamp in a begin word: the version came back from the cold store.
const BACK: u64 = 2;
/// Stamps are multiples of this.
const STEP: u64 = 16;
const SEGMENT: u32 = 1 << 10;

/// The slot number of a reader that owns no versions.
pub const NO_SLOT: u32 = u32::MAX;
/// `snapshot` of a [`Slot`] while none is registered.
const NO_SNAPSHOT: u64 = u64::MAX;
/// `statement_start` of a [`Slot`] while it equals the snapshot.
const AS_SNAPSHOT: u64 = 0;
/// `statement_start` of a [`Slot`] while its occupant rests.
const RESTING: u64 = u64::MAX;

/// A begin word: the commit stamp of a version or deletion, or its owner.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Begin(u64);

impl Begin {
    /// The word of a version that was committed with this stamp, a multiple of 16 below 2^63.
    pub fn stamp(stamp: Lsn) -> Begin {
        debug_assert_eq!(stamp.0 & (OWNED | 0xF), 0, "stamps are positions of log records");
        Begin(stamp.0)
    }

    /// The word of a version that came back from the cold store, where its stamp is `stamp`, or 0
    /// if every snapshot sees it.
    pub fn back(stamp: Lsn) -> Begin {
        Begin(Begin::stamp(stamp).0 | BACK)
    }

    /// Whether the version came back from the cold store.
    pub fn is_back(self) -> bool {
        self.0 & (OWNED | BACK) == BACK
    }

    /// The word of a version that this statement of the transaction in `slot` wrote.
    pub fn owned(slot: u32, statement: u64) -> Begin {
        debug_assert!(slot < SLOTS_MAX && statement < 1 << STATEMENT_BITS);
        Begin(OWNED | u64::from(slot) << SLOT_SHIFT | statement << STATEMENT_SHIFT)
    }

    /// The word of a version that was rolled back. No snapshot sees it. A thread that stands on it
    /// starts again from the head, or goes on to the version below.
    pub const UNDONE: Begin = Begin(OWNED - STEP);

    /// The head word of a row whose insert was rolled back: a deletion with a stamp below all
    /// snapshots.
    pub const NEVER: u64 = STEP | DELETED;

    /// The head word of a row that has left memory: the cold store has the row, and the anchor says
    /// nothing about it. The sink sets it by a compare-exchange of a head that was committed below
    /// the horizon of a round; no thread changes it again.
    pub const SUNK: u64 = (2 * STEP) | DELETED;

    /// The begin word in this memory word: a version's begin word, or a head word with [`DELETED`].
    pub fn from_word(word: u64) -> Begin {
        Begin(word & !(DELETED | ROW_IS_BACK))
    }

    /// The word as a version holds it, but for what an inline one says of its row.
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The word as a head holds it: the inline version was deleted by this owner or at this stamp.
    pub fn deletion(self) -> u64 {
        self.0 | DELETED
    }

    /// The stamp, unless the version is owned.
    pub fn committed(self) -> Option<Lsn> {
        (self.0 & OWNED == 0).then_some(Lsn(self.0 & !BACK))
    }

    /// Whether a transaction owns the version.
    pub fn is_owned(self) -> bool {
        self.0 & OWNED != 0
    }

    /// The owner's slot. Meaningless for a stamp.
    pub fn slot(self) -> u32 {
        (self.0 >> SLOT_SHIFT) as u32 & (SLOTS_MAX - 1)
    }

    /// The statement that wrote the version. Meaningless for a stamp.
    pub fn statement(self) -> u64 {
        self.0 >> STATEMENT_SHIFT & ((1 << STATEMENT_BITS) - 1)
    }
}

impl std::fmt::Debug for Begin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.committed() {
            Some(stamp) => write!(f, "committed at {stamp}"),
            None => write!(f, "owned by slot {} statement {}", self.slot(), self.statement()),
        }
    }
}

/// The state of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has not asked to commit.
    Active,
    /// It is committing and has no stamp yet. The stamp will not be below any log position that was
    /// reserved before this status was set.
    Preparing,
    /// It has this stamp and validates.
    Stamped(Lsn),
    /// It is committed.
    Committed(Lsn),
    /// It is being rolled back.
    Aborted,
}

const ACTIVE: u64 = 1;
const PREPARING: u64 = 2;
const COMMITTED: u64 = 3;
const ABORTED: u64 = 4;
const STATE_MASK: u64 = 0xF;

impl Status {
    fn encode(self) -> u64 {
        match self {
            Status::Active => ACTIVE,
            Status::Preparing => PREPARING,
            Status::Stamped(stamp) => stamp.0 | PREPARING,
            Status::Committed(stamp) => stamp.0 | COMMITTED,
            Status::Aborted => ABORTED,
        }
    }

    fn decode(word: u64) -> Status {
        let stamp = Lsn(word & !STATE_MASK);
        match word & STATE_MASK {
            ACTIVE => Status::Active,
            PREPARING if stamp == Lsn::ZERO => Status::Preparing,
            PREPARING => Status::Stamped(stamp),
            COMMITTED => Status::Committed(stamp),
            _ => Status::Aborted,
        }
    }
}

/// What is known of the transaction that wrote a version or deletion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The transaction committed with this stamp.
    Committed(Lsn),
    /// The transaction had not committed when its status was read.
    Owned {
        /// Its begin word, which names slot and statement.
        begin: Begin,
        /// Its status; never [`Status::Committed`].
        status: Status,
    },
}

/// One transaction in progress, the occupant of the slot.
#[derive(Debug)]
pub struct Slot {
    /// The occupant's encoded [`Status`]. Written by the occupant.
    status: AtomicU64,
    /// The oldest snapshot the occupant reads at, or [`NO_SNAPSHOT`]. Written by the occupant.
    snapshot: AtomicU64,
    /// Start LSN of the occupant's active statement, which may hold references to rows from then
    /// on: [`AS_SNAPSHOT`], [`RESTING`] or a position. Written by the occupant.
    statement_start: AtomicU64,
    /// The session-level owner for the waits-for graph. Written by the occupant when it begins.
    owner: AtomicU64,
    /// The next statement number; it never goes back. Written by the occupant.
    statement: AtomicU64,
    /// The occupant's first statement number, or, while the slot is free, that of the next
    /// occupant. Words with a smaller number belong to transactions that have ended.
    first: AtomicU64,
    /// The tables that the occupant writes to, by address; 0 for none. Written by the occupant;
    /// transactions that lock tables read it ([`Slot::note_table`]).
    tables: [AtomicU64; SLOT_TABLES],
    /// Tables whose gates the occupant is inside of, by address; 0 for none. Written by the
    /// occupant, read by the system views.
    gates: [AtomicU64; SLOT_GATES],
    /// The occupant's progress, which it publishes from time to time.
    progress: Published,
}

/// Tables that a slot can name.
const SLOT_TABLES: usize = 4;
/// Gates that a slot can name. The occupant may be inside of more, which the slot does not show.
const SLOT_GATES: usize = 8;
/// The last entry of a slot's tables if the occupant writes to more than the slot can name.
const MANY_TABLES: u64 = u64::MAX;

impl Slot {
    fn new() -> Slot {
        Slot {
            status: AtomicU64::new(Status::Aborted.encode()),
            snapshot: AtomicU64::new(NO_SNAPSHOT),
            statement_start: AtomicU64::new(AS_SNAPSHOT),
            owner: AtomicU64::new(0),
            statement: AtomicU64::new(1),
            first: AtomicU64::new(1),
            tables: Default::default(),
            gates: Default::default(),
            progress: Published::default(),
        }
    }

    /// Names a table that the occupant is about to write to. The occupant calls this once for each
    /// table whose writers wait for each other, before its first write.
    pub fn note_table(&self, table: u64) {
        let free = self.tables.iter().position(|place| place.load(Relaxed) == 0);
        match free {
            Some(place) => self.tables[place].store(table, Relaxed),
            None => self.tables[SLOT_TABLES - 1].store(MANY_TABLES, Relaxed),
        }
        // Pairs with the fence of a transaction that locks the table: either it finds the table
        // here, or the occupant finds the table's lock word in use afterwards.
        fence(SeqCst);
    }

    /// Whether the occupant may have written to this table. The caller has counted itself in the
    /// table's lock word, and then passed a fence.
    pub fn writes_to(&self, table: u64) -> bool {
        let many = self.tables[SLOT_TABLES - 1].load(Relaxed) == MANY_TABLES;
        many || self.names_table(table)
    }

    /// Whether the occupant has named this table among those that it writes to.
    pub fn names_table(&self, table: u64) -> bool {
        self.tables.iter().any(|place| place.load(Relaxed) == table)
    }

    /// Names a table whose gate the occupant is inside of.
    #[inline]
    pub fn note_gate(&self, table: u64) {
        if let Some(place) = self.gates.iter().find(|place| place.load(Relaxed) == 0) {
            place.store(table, Relaxed);
        }
    }

    /// Removes the name of a table whose gate the occupant is about to leave.
    #[inline]
    pub fn forget_gate(&self, table: u64) {
        if let Some(place) = self.gates.iter().find(|place| place.load(Relaxed) == table) {
            place.store(0, Relaxed);
        }
    }

    /// Whether the slot names this table as one whose gate the occupant is inside of.
    pub fn is_inside(&self, table: u64) -> bool {
        self.gates.iter().any(|place| place.load(Relaxed) == table)
    }

    /// The tables that the slot names as those whose gates the occupant is inside of, by address.
    pub fn gates(&self) -> [u64; SLOT_GATES] {
        std::array::from_fn(|place| self.gates[place].load(Relaxed))
    }

    /// A begin word of the occupant (of the next one, if the slot is free). [`Slot::is_over`] of
    /// this word becomes true when the occupant gives the slot back.
    pub fn first_word(&self, slot: u32) -> Begin {
        Begin::owned(slot, self.first.load(SeqCst))
    }

    /// The status of the occupant.
    pub fn status(&self) -> Status {
        // Pairs with set_status: what the occupant did before that is seen, too.
        Status::decode(self.status.load(Acquire))
    }

    /// Publishes the status of the occupant.
    pub fn set_status(&self, status: Status) {
        self.status.store(status.encode(), Release);
    }

    /// Publishes the progress of the occupant.
    #[inline]
    pub fn set_progress(&self, progress: &Progress) {
        self.progress.store(progress);
    }

    /// The progress that the occupant has published last.
    pub fn progress(&self) -> Progress {
        self.progress.load()
    }

    /// Whether the slot has an occupant.
    pub fn is_taken(&self) -> bool {
        self.owner() != 0
    }

    /// The session-level owner of the occupant, or 0.
    pub fn owner(&self) -> u64 {
        self.owner.load(Acquire)
    }

    /// Whether the transaction that wrote this begin word has ended: none of its words is left.
    pub fn is_over(&self, begin: Begin) -> bool {
        self.first.load(SeqCst) > begin.statement()
    }

    /// The next statement number. Only the occupant calls this.
    pub fn next_statement(&self) -> u64 {
        let number = self.statement.load(Relaxed);
        self.statement.store((number + 1) & ((1 << STATEMENT_BITS) - 1), Relaxed);
        number
    }

    /// Unregisters the occupant's snapshot.
    pub fn clear_snapshot(&self) {
        // Release: reads under the snapshot stay before this.
        self.snapshot.store(NO_SNAPSHOT, Release);
        if self.statement_start.load(Relaxed) != AS_SNAPSHOT {
            self.statement_start.store(AS_SNAPSHOT, Release);
        }
    }

    /// Marks the occupant as resting: it keeps its snapshot, but will not follow any reference to a
    /// row that it has got so far.
    pub fn rest(&self) {
        self.statement_start.store(RESTING, Release);
    }

    /// Start LSN of the occupant's active statement; `None` if it has none.
    fn statement_start(&self) -> Option<Lsn> {
        match self.statement_start.load(SeqCst) {
            RESTING => None,
            AS_SNAPSHOT => self.snapshot(),
            since => Some(Lsn(since)),
        }
    }

    /// Registers a newer snapshot in place of the registered one, which has protected the newer one
    /// so far.
    pub fn raise_snapshot(&self, stamp: Lsn) {
        debug_assert!(stamp.0 >= self.snapshot.load(Relaxed));
        self.snapshot.store(stamp.0, Release);
    }

    /// The registered snapshot, if there is one.
    pub fn snapshot(&self) -> Option<Lsn> {
        match self.snapshot.load(SeqCst) {
            NO_SNAPSHOT => None,
            stamp => Some(Lsn(stamp)),
        }
    }
}

type Segment = Box<[CachePadded<Slot>]>;

/// All slots of a database.
pub struct SlotTable {
    segments: Box<[OnceLock<Segment>]>,
    /// Slots from this number on have never been used.
    high: AtomicU32,
    /// Free slots, last in, first out, so that few slots are ever touched.
    free: Box<[CachePadded<Mutex<Vec<u32>>>]>,
}

impl SlotTable {
    /// An empty table whose free slots are kept in this many lists, about one per worker.
    pub fn new(shards: usize) -> SlotTable {
        SlotTable {
            segments: (0..SLOTS_MAX / SEGMENT).map(|_| OnceLock::new()).collect(),
            high: AtomicU32::new(0),
            free: (0..shards.max(1)).map(|_| CachePadded::new(Mutex::new(Vec::new()))).collect(),
        }
    }

    /// The slot with this number, which [`SlotTable::acquire`] once returned.
    pub fn get(&self, slot: u32) -> &Slot {
        let segment = self.segments[(slot / SEGMENT) as usize].get();
        &segment.expect("a slot that was taken is in a segment")[(slot % SEGMENT) as usize]
    }

    /// Takes a slot for a transaction of `owner`, or `None` if [`SLOTS_MAX`] are in use.
    pub fn acquire(&self, shard: usize, owner: u64) -> Option<u32> {
        let slot = self.reuse(shard).or_else(|| self.fresh())?;
        let s = self.get(slot);
        s.set_progress(&Progress::default());
        s.owner.store(owner, Relaxed);
        s.set_status(Status::Active);
        Some(slot)
    }

    fn reuse(&self, shard: usize) -> Option<u32> {
        let shards = self.free.len();
        (0..shards).find_map(|i| lock(&self.free[(shard + i) % shards]).pop())
    }

    /// Bytes of all slots: allocated, and taken by transactions.
    pub fn memory(&self) -> (u64, u64) {
        const SLOT: u64 = size_of::<CachePadded<Slot>>() as u64;
        let segments = self.segments.iter().filter(|segment| segment.get().is_some()).count();
        let mut taken = 0;
        self.for_each(|_, slot| taken += u64::from(slot.is_taken()));
        (segments as u64 * u64::from(SEGMENT) * SLOT, taken * SLOT)
    }

    fn fresh(&self) -> Option<u32> {
        let mut high = self.high.load(Relaxed);
        loop {
            if high >= SLOTS_MAX {
                return None;
            }
            // The segment comes first, so that a thread that sees `high` finds the slots below it.
            self.segments[(high / SEGMENT) as usize]
                .get_or_init(|| (0..SEGMENT).map(|_| CachePadded::new(Slot::new())).collect());
            match self.high.compare_exchange_weak(high, high + 1, AcqRel, Relaxed) {
                Ok(_) => return Some(high),
                Err(now) => high = now,
            }
        }
    }

    /// Gives a slot back. None of the occupant's begin words may be left anywhere.
    pub fn release(&self, shard: usize, slot: u32) {
        let s = self.get(slot);
        s.clear_snapshot();
        for place in s.tables.iter().take_while(|place| place.load(Relaxed) != 0) {
            place.store(0, Relaxed);
        }
        for place in s.gates.iter().filter(|place| place.load(Relaxed) != 0) {
            place.store(0, Relaxed);
        }
        // A waiter that sees the new number sees the replaced begin words. SeqCst: either the
        // waiter sees it, or this thread sees the waiter afterwards (see `txn::waits`).
        s.first.swap(s.statement.load(Relaxed), SeqCst);
        // Stored last, so that a thread that finds no owner finds the transaction over.
        s.owner.store(0, Release);
        lock(&self.free[shard % self.free.len()]).push(slot);
    }

    /// The fate of the version (or deletion) whose begin word is in `place`, or `None` if `place`
    /// holds none (a head word whose deletion was rolled back).
    pub fn fate(&self, place: &Word, is_head: bool) -> Option<Fate> {
        loop {
            let word = place.load(Acquire);
            if is_head && word & DELETED == 0 {
                return None;
            }
            let begin = Begin::from_word(word);
            if let Some(stamp) = begin.committed() {
                return Some(Fate::Committed(stamp));
            }
            let status = self.get(begin.slot()).status();
            // The word is unchanged, so the owner still had its slot when the status was loaded.
            if place.load(Acquire) == word {
                return Some(match status {
                    Status::Committed(stamp) => Fate::Committed(stamp),
                    status => Fate::Owned { begin, status },
                });
            }
            spin_loop();
        }
    }

    /// Whether the transaction that wrote the word in `place` commits with a stamp below `limit`.
    /// Waits while that transaction is preparing and may get, or has, such a stamp: it decides
    /// within a few instructions, but its thread may be preempted, so this calls `pause` between
    /// looks.
    pub fn settled_below(&self, place: &Word, is_head: bool, limit: Lsn, pause: impl Fn()) -> bool {
        loop {
            match self.fate(place, is_head) {
                None => return false,
                Some(Fate::Committed(stamp)) => return stamp < limit,
                Some(Fate::Owned { status: Status::Preparing, .. }) => pause(),
                Some(Fate::Owned { status: Status::Stamped(stamp), .. }) if stamp < limit => {
                    pause()
                }
                Some(Fate::Owned { .. }) => return false,
            }
        }
    }

    /// Calls `f` with every slot that was ever in use.
    pub fn for_each(&self, mut f: impl FnMut(u32, &Slot)) {
        for slot in 0..self.high.load(Acquire) {
            f(slot, self.get(slot));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> crate::sync::MutexGuard<'_, T> {
    mutex.lock().expect("no panic while holding this lock")
}

/// Which versions no snapshot can see any more; see the module's header.
#[derive(Debug, Default)]
pub struct Horizon {
    /// A snapshot below this cannot be registered any more.
    claimed: AtomicU64,
    /// Versions that ended below this are dead. Never above `claimed`.
    safe: AtomicU64,
    /// Oldest start LSN of any active statement. Never above `claimed`.
    oldest_statement: AtomicU64,
    /// Held by the thread that computes the bounds.
    advancing: Mutex<()>,
}

/// The horizons of snapshots and statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Versions that ended below this are dead: no registered snapshot sees them.
    pub safe: Lsn,
    /// Oldest start LSN of any active statement; never below `safe`.
    pub oldest_statement: Lsn,
}

/// The result of [`Horizon::hold`], which stays true while the held snapshot is registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holding {
    /// The bounds when they were computed.
    pub bounds: Bounds,
    /// Commits below this have ended, are durable, and have queued what they wrote. All registered
    /// snapshots but those in `old` see them, and so will all later snapshots.
    pub through: Lsn,
    /// The registered snapshots below `through`, in ascending order.
    pub old: Vec<Lsn>,
}

impl Horizon {
    /// Registers what `newest` returns as the snapshot of this slot's occupant, and returns it.
    ///
    /// If the reclaimer has raised `claimed` above that meanwhile, `newest` is called again, and
    /// must then return at least `claimed`.
    pub fn register(&self, slot: &Slot, newest: impl Fn() -> Lsn) -> Lsn {
        self.publish(&slot.snapshot, newest)
    }

    /// Begins a statement of the slot's occupant, which rests and has a snapshot: from now on it
    /// may hold references to rows that are in memory.
    pub fn begin_statement(&self, slot: &Slot, newest: impl Fn() -> Lsn) {
        self.publish(&slot.statement_start, newest);
    }

    fn publish(&self, place: &AtomicU64, newest: impl Fn() -> Lsn) -> Lsn {
        loop {
            let stamp = newest();
            place.store(stamp.0, SeqCst);
            if stamp.0 >= self.claimed.load(SeqCst) {
                return stamp;
            }
            spin_loop();
        }
    }

    /// Versions that ended below this stamp are dead, as last computed.
    pub fn safe(&self) -> Lsn {
        Lsn(self.safe.load(Acquire))
    }

    /// Both bounds, as last computed.
    pub fn bounds(&self) -> Bounds {
        Bounds { safe: self.safe(), oldest_statement: Lsn(self.oldest_statement.load(Acquire)) }
    }

    /// Recomputes the bounds: the durable position, or the oldest registered snapshot or statement
    /// below it. Returns the last bounds if another thread is computing them.
    pub fn advance(&self, slots: &SlotTable, durable: Lsn) -> Bounds {
        match self.advancing.try_lock() {
            Ok(_alone) => self.compute(slots, durable, |_, _| {}),
            Err(_) => self.bounds(),
        }
    }

    /// Recomputes the bounds and registers the lower one as the snapshot of this slot's occupant,
    /// so that nothing that it sees, and nothing newer, is freed. Snapshots below `old_below` are
    /// the old ones.
    pub fn hold(&self, slots: &SlotTable, slot: &Slot, durable: Lsn, old_below: Lsn) -> Holding {
        // While no other thread computes them, the bound cannot pass what is about to be
        // registered.
        let _alone = lock(&self.advancing);
        let (mut through, mut old) = (durable, Vec::new());
        let bounds = self.compute(slots, durable, |other, snapshot| {
            match snapshot {
                Some(snapshot) if snapshot < old_below => old.push(snapshot),
                Some(snapshot) => through = through.min(snapshot),
                None => {}
            }
            // A commit has its stamp before it is durable, and queues what it wrote before it gives
            // its slot back. A transaction without a stamp will get one above the durable position.
            if let (true, Status::Stamped(stamp) | Status::Committed(stamp)) =
                (other.is_taken(), other.status())
            {
                through = through.min(stamp);
            }
        });
        slot.snapshot.store(bounds.safe.0, SeqCst);
        slot.rest();
        let through = through.max(bounds.safe);
        old.retain(|snapshot| *snapshot < through);
        old.sort_unstable();
        old.dedup();
        Holding { bounds, through, old }
    }

    fn compute(
        &self,
        slots: &SlotTable,
        durable: Lsn,
        mut look: impl FnMut(&Slot, Option<Lsn>),
    ) -> Bounds {
        self.claimed.fetch_max(durable.0, SeqCst);
        let (mut safe, mut oldest_statement) = (durable, durable);
        slots.for_each(|_, slot| {
            // Read before the snapshot: a transaction ends its rest before it takes another one.
            let statement_start = slot.statement_start();
            let snapshot = slot.snapshot();
            safe = snapshot.map_or(safe, |snapshot| safe.min(snapshot));
            oldest_statement =
                statement_start.map_or(oldest_statement, |start| oldest_statement.min(start));
            look(slot, snapshot);
        });
        // A bound once computed stays true: later snapshots are at least `claimed`.
        let raise = |bound: &AtomicU64, to: Lsn| Lsn(bound.fetch_max(to.0, AcqRel).max(to.0));
        Bounds {
            safe: raise(&self.safe, safe),
            oldest_statement: raise(&self.oldest_statement, oldest_statement.max(safe)),
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
