//! Which version of a row a snapshot sees, and in what state a writer finds the row.
//!
//! Both walks need an epoch guard (they may pass versions that are being undone) and a registered
//! snapshot (it keeps what they may return, and everything newer, in memory: a walk stops at the
//! first version that it sees, so what lies below a version that every snapshot sees is never read
//! again, which is why the chain word below such a version may point to memory that is gone).

use base::ids::Lsn;
use smallvec::SmallVec;

use crate::hot::anchor::{
    ADDRESS_MASK, AnchorPtr, CHAIN_MASK, CLAIMED, DELETED, INLINE, MOVED, TOMBSTONE, VersionPtr,
};
use crate::hot::status::{Begin, Fate, NO_SLOT, SlotTable};
use crate::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use crate::sync::{Word, spin_loop};

/// How reads are protected and how writers meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isolation {
    /// Each statement sees what was committed when it began.
    ReadCommitted,
    /// All statements see what was committed when the first began.
    Snapshot,
    /// As snapshot, and what was read must still be current at commit.
    RepeatableRead,
    /// As repeatable read, and nothing may have joined what was scanned.
    Serializable,
}

/// A point in time to read at, and the transaction whose uncommitted changes are seen.
///
/// It is only good while its stamp is registered in a slot of the same database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Commits with a stamp below this are seen.
    pub stamp: Lsn,
    /// The slot of the transaction whose own changes are seen, or [`NO_SLOT`].
    pub slot: u32,
    /// Own changes by statements with a smaller number are seen.
    pub statement: u64,
    /// What protects the reads, and how writes at this snapshot meet those of other transactions.
    pub isolation: Isolation,
}

impl Snapshot {
    /// A snapshot that sees no uncommitted change.
    pub fn committed_below(stamp: Lsn) -> Snapshot {
        Snapshot { stamp, slot: NO_SLOT, statement: 0, isolation: Isolation::Snapshot }
    }

    /// Whether a begin word's version (or deletion) is seen.
    #[inline]
    fn sees(&self, place: &Word, is_head: bool, slots: &SlotTable) -> Option<bool> {
        let word = place.load(Acquire);
        let begin = Begin::from_word(word);
        if is_head && word & DELETED == 0 {
            return None;
        }
        match begin.committed() {
            Some(stamp) => Some(stamp < self.stamp),
            None if begin.slot() == self.slot => Some(begin.statement() < self.statement),
            // A reader waits for no writer: below the snapshot every fate is published already.
            None => slots.fate(place, is_head).map(|fate| match fate {
                Fate::Committed(stamp) => stamp < self.stamp,
                Fate::Owned { .. } => false,
            }),
        }
    }

    /// The version of the row that the snapshot sees, or `None` if it sees none.
    ///
    /// # Safety
    /// The anchor belongs to a table with this many links; the caller holds an epoch guard under
    /// which it reached the anchor, and the snapshot is registered (H2).
    #[inline]
    pub unsafe fn visible(
        &self,
        anchor: AnchorPtr,
        links: usize,
        slots: &SlotTable,
    ) -> Option<VersionPtr> {
        // SAFETY: the caller's promise.
        match unsafe { self.view(anchor, links, slots) } {
            View::Row(version) => Some(version),
            View::Deleted | View::Nothing => None,
        }
    }

    /// What the anchor says about its row as of the snapshot.
    ///
    /// # Safety
    /// As for [`Snapshot::visible`].
    #[inline]
    pub unsafe fn view(&self, anchor: AnchorPtr, links: usize, slots: &SlotTable) -> View {
        // SAFETY: the anchor is protected by the caller's guard; so is every version reached
        // below, down to the first that is seen.
        unsafe {
            let mut word = loop {
                let head = anchor.head().load(Acquire);
                if head & DELETED == 0 {
                    break head;
                }
                match self.sees(anchor.head(), true, slots) {
                    Some(true) if head <= Begin::SUNK => return View::Nothing,
                    Some(true) => return View::Deleted,
                    Some(false) => break INLINE,
                    None => continue, // the deletion was undone meanwhile
                }
            };
            while let Some(link) = Link::first(word, anchor, links) {
                if self.sees(link.version.begin(), false, slots) == Some(true) {
                    return match link.is_tombstone() {
                        true => View::Deleted,
                        false => View::Row(link.version),
                    };
                }
                word = link.below;
            }
            View::Nothing
        }
    }
}

/// What an anchor says about its row as of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// This is the row.
    Row(VersionPtr),
    /// The row is gone.
    Deleted,
    /// Nothing: the row came later or was never committed, or it has sunk. Where rows sink, the
    /// cold store has the answer, unless another anchor with the same key does.
    Nothing,
}

/// A version as a link of its row's chain.
#[derive(Clone, Copy)]
struct Link {
    version: VersionPtr,
    /// What is below: a chain word, with the tags of the version's older word.
    below: u64,
}

impl Link {
    /// The first version of a chain word.
    ///
    /// # Safety
    /// The version is protected (H2), and the word is not one below a version that every registered
    /// snapshot sees.
    #[inline]
    unsafe fn first(word: u64, anchor: AnchorPtr, links: usize) -> Option<Link> {
        // SAFETY: the caller's promise.
        unsafe {
            if word & INLINE != 0 {
                return Some(Link { version: anchor.inline(links), below: word & ADDRESS_MASK });
            }
            let version = VersionPtr::from_address(word & ADDRESS_MASK)?;
            Some(Link { version, below: version.older().load(Acquire) })
        }
    }

    fn is_tombstone(&self) -> bool {
        self.below & TOMBSTONE != 0
    }
}

/// What a version that is not inline was pushed on: the head word from before.
///
/// # Safety
/// The version is protected (H2).
pub unsafe fn pushed_on(version: VersionPtr) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { version.older() }.load(Acquire) & CHAIN_MASK
}

/// Whether this version, which a snapshot sees, is the newest of its row, committed below a stamp,
/// and not deleted. Reads nothing but the anchor and the version.
///
/// # Safety
/// The anchor belongs to a table with this many links; it and the version are protected (H2).
#[inline]
pub unsafe fn is_newest(anchor: AnchorPtr, links: usize, version: VersionPtr, below: Lsn) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let head = anchor.head().load(Acquire);
        let is_head = match head & (DELETED | CLAIMED | INLINE) {
            0 => VersionPtr::from_address(head & ADDRESS_MASK) == Some(version),
            INLINE => anchor.inline(links) == version,
            _ => false,
        };
        let begin = Begin::from_word(version.begin().load(Acquire));
        is_head && begin.committed().is_some_and(|stamp| stamp < below)
    }
}

/// A version that a later one, or a deletion, has replaced.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The version.
    pub version: VersionPtr,
    /// Whether it is a deletion itself.
    pub is_tombstone: bool,
    /// When it was committed.
    pub begin: Lsn,
    /// When its replacement was committed: snapshots from there down to `begin`, exclusive, see it.
    pub end: Lsn,
}

/// The state of a row that all commits below `through` have left, if they have left any, and what
/// it replaced: from the newest to the last that a snapshot at `oldest` or later sees.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// When the state came to be.
    pub stamp: Option<Lsn>,
    /// What it replaced.
    pub past: SmallVec<[Past; 4]>,
}

/// Above all stamps of commits, and not above what has been taken back.
pub const EVER: Lsn = Lsn(Begin::UNDONE.word());

/// What commits below `through` have made of a row.
///
/// # Safety
/// The anchor belongs to a table with this many links; it, and what snapshots from `oldest` on see,
/// is protected. Commits below `through` are over.
pub unsafe fn known(
    anchor: AnchorPtr,
    links: usize,
    slots: &SlotTable,
    (through, oldest): (Lsn, Lsn),
) -> Known {
    let committed = |place: &Word, is_head| match slots.fate(place, is_head) {
        Some(Fate::Committed(stamp)) => Some(stamp),
        _ => None,
    };
    let mut known = Known::default();
    // SAFETY: the caller's promise; what lies below a version that the oldest snapshot sees is not
    // read.
    unsafe {
        let mut end = None;
        let head = anchor.head().load(Acquire);
        let mut word = head;
        if head & DELETED != 0 {
            end = committed(anchor.head(), true).filter(|stamp| *stamp < through);
            known.stamp = end;
            word = INLINE;
        }
        while let Some(link) = Link::first(word, anchor, links) {
            word = link.below;
            let Some(begin) = committed(link.version.begin(), false) else { continue };
            match end {
                _ if begin >= through => {}
                None => known.stamp = Some(begin),
                Some(end) => known.past.push(Past {
                    version: link.version,
                    is_tombstone: link.is_tombstone(),
                    begin,
                    end,
                }),
            }
            // Also if `through` lies lower: then what was there is gone.
            if begin < oldest {
                break;
            }
            end = (begin < through).then_some(begin);
        }
    }
    known
}

/// Cuts off a row's chain below the state that commits below `through` have left, unless a writer
/// is changing the place. Returns whether it did.
///
/// # Safety
/// As for [`known`], which has found something there; no reader needs it in the chain any more, and
/// no other thread does this.
pub unsafe fn cut_below(anchor: AnchorPtr, links: usize, slots: &SlotTable, through: Lsn) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let head = anchor.head().load(Acquire);
        if head & (DELETED | CLAIMED) != 0 {
            return false;
        }
        let mut word = head;
        while let Some(link) = Link::first(word, anchor, links) {
            if matches!(slots.fate(link.version.begin(), false), Some(Fate::Committed(s)) if s < through)
            {
                if word & INLINE == 0 {
                    // The version is committed: no other thread writes the word.
                    let older = link.version.older();
                    older.store(older.load(Acquire) & !CHAIN_MASK, Release);
                    return true;
                }
                // What leads further stands in the head, or in a version that may be taken back.
                let head = anchor.head();
                return word == head.load(Acquire)
                    && head.compare_exchange(word, INLINE, SeqCst, Acquire).is_ok();
            }
            word = link.below;
        }
        false
    }
}

/// The stamp of a row's newest committed version, below those of the caller's transaction; none if
/// all are its own, and 0 if it came back from the cold store.
///
/// # Safety
/// As for [`Snapshot::visible`]; the row is the caller's transaction's, and everything down to the
/// first version that is not its own is protected.
pub unsafe fn newest_committed(anchor: AnchorPtr, links: usize, slots: &SlotTable) -> Option<Lsn> {
    // SAFETY: the caller's promise; the walk goes no further than to that version.
    unsafe {
        let head = anchor.head().load(Acquire);
        let mut word = if head & DELETED != 0 { INLINE } else { head };
        loop {
            let link = Link::first(word, anchor, links)?;
            let begin = link.version.begin();
            match slots.fate(begin, false) {
                Some(Fate::Committed(stamp)) => {
                    let is_back = Begin::from_word(begin.load(Acquire)).is_back();
                    return Some(if is_back { Lsn::ZERO } else { stamp });
                }
                _ => word = link.below,
            }
        }
    }
}

/// The newest state of a row, as a writer finds it.
#[derive(Clone, Copy, Debug)]
pub struct Newest {
    /// The head word, to be replaced by compare-and-swap.
    pub head: u64,
    /// Whether the newest state is a deletion.
    pub deleted: bool,
    /// The newest version; for a deletion in the head word, the inline version that it deletes;
    /// for a tombstone, the tombstone.
    pub version: VersionPtr,
    /// The inline version.
    inline: VersionPtr,
    /// The fate of the transaction that made it so.
    pub fate: Fate,
}

/// The newest state of a row.
///
/// # Safety
/// As for [`Snapshot::visible`].
pub unsafe fn newest(anchor: AnchorPtr, links: usize, slots: &SlotTable) -> Newest {
    loop {
        // SAFETY: the anchor, and what its head points to, are protected by the caller's guard.
        unsafe {
            let head = anchor.head().load(Acquire);
            if head & (DELETED | CLAIMED) == CLAIMED {
                spin_loop();
                continue;
            }
            if head & DELETED != 0 {
                let fate = slots.fate(anchor.head(), true);
                // The fate is this word's if the word is still there, or is the stamp by now.
                let now = anchor.head().load(Acquire);
                match fate {
                    Some(Fate::Committed(stamp)) if now == Begin::stamp(stamp).deletion() => {}
                    Some(_) if now == head => {}
                    _ => continue,
                }
                let fate = fate.expect("matched above");
                let inline = anchor.inline(links);
                let version = inline;
                return Newest { head: now, deleted: true, version, inline, fate };
            }
            let link = Link::first(head, anchor, links)
                .expect("a head without the deleted tag leads to a version");
            let fate = match slots.fate(link.version.begin(), false) {
                Some(Fate::Committed(stamp)) if Begin::stamp(stamp) == Begin::UNDONE => continue,
                Some(fate) => fate,
                None => unreachable!("a version has a begin word"),
            };
            let deleted = link.is_tombstone();
            let inline = anchor.inline(links);
            return Newest { head, deleted, version: link.version, inline, fate };
        }
    }
}

impl Newest {
    /// The newest committed version: this one, or below those that a transaction in progress has
    /// put on the row.
    ///
    /// # Safety
    /// As for [`newest`], under the same guard; the anchor and its links are the ones it was given.
    pub unsafe fn committed(
        &self,
        anchor: AnchorPtr,
        links: usize,
        slots: &SlotTable,
    ) -> Option<VersionPtr> {
        let mut word = if self.head & DELETED != 0 { INLINE } else { self.head };
        // SAFETY: the walk stops at the first version that is committed, and does not go below.
        unsafe {
            while let Some(link) = Link::first(word, anchor, links) {
                if matches!(slots.fate(link.version.begin(), false), Some(Fate::Committed(_))) {
                    return Some(link.version);
                }
                word = link.below;
            }
        }
        None
    }
}

/// What a commit at `stamp` finds of a row's state above `version`, which it read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Above {
    /// Nothing that counts: the version is still what a reader at the stamp would see.
    Unchanged,
    /// Another transaction replaced or deleted it below the stamp.
    Changed,
}

/// Whether the state of a row that was read at `version` still holds at `stamp`: no transaction but
/// the one in slot `own` has replaced or deleted it by a commit below the stamp. Waits for
/// preparing peers, which takes a few instructions; `pause` is called in between.
///
/// # Safety
/// As for [`Snapshot::visible`]; `version` was committed below the same snapshot, so that the walk
/// meets it.
pub unsafe fn changed_above(
    anchor: AnchorPtr,
    links: usize,
    version: VersionPtr,
    (own, stamp): (u32, Lsn),
    slots: &SlotTable,
    pause: impl Fn(),
) -> Above {
    // SAFETY: everything above `version` is younger than the caller's snapshot or owned, so it is
    // protected.
    unsafe {
        let head = anchor.head().load(Acquire);
        if head & DELETED != 0 && counts(anchor.head(), true, own, stamp, slots, &pause) {
            return Above::Changed;
        }
        let mut word = if head & DELETED == 0 { head } else { INLINE };
        loop {
            let above = Link::first(word, anchor, links)
                .expect("a version below the snapshot stays in its row's chain");
            if above.version == version {
                return Above::Unchanged;
            }
            let begin = above.version.begin();
            if counts(begin, false, own, stamp, slots, &pause) {
                return Above::Changed;
            }
            word = above.below;
        }
    }
}

/// Whether something joined or left a row between `since` and `stamp`, both positions in the log:
/// a version or deletion by another transaction with a stamp in between.
///
/// # Safety
/// As for [`Snapshot::visible`], where `since` is the registered snapshot's stamp.
pub unsafe fn changed_between(
    anchor: AnchorPtr,
    links: usize,
    since: Lsn,
    (own, stamp): (u32, Lsn),
    slots: &SlotTable,
    pause: impl Fn(),
) -> Above {
    // SAFETY: the walk stops at the first version below `since`, which is registered.
    unsafe {
        let head = anchor.head().load(Acquire);
        let mut word = head;
        if head & DELETED != 0 {
            if counts(anchor.head(), true, own, stamp, slots, &pause)
                && !committed_below(anchor.head(), true, since, slots)
            {
                return Above::Changed;
            }
            word = INLINE;
        }
        while let Some(above) = Link::first(word, anchor, links) {
            let begin = above.version.begin();
            if committed_below(begin, false, since, slots) {
                break;
            }
            if counts(begin, false, own, stamp, slots, &pause) {
                return Above::Changed;
            }
            word = above.below;
        }
        Above::Unchanged
    }
}

fn committed_below(place: &Word, is_head: bool, since: Lsn, slots: &SlotTable) -> bool {
    matches!(slots.fate(place, is_head), Some(Fate::Committed(stamp)) if stamp < since)
}

/// Whether this begin word is another transaction's that commits below `stamp`.
fn counts(
    place: &Word,
    is_head: bool,
    own: u32,
    stamp: Lsn,
    slots: &SlotTable,
    pause: &impl Fn(),
) -> bool {
    let begin = Begin::from_word(place.load(Acquire));
    if begin.is_owned() && begin.slot() == own {
        return false;
    }
    slots.settled_below(place, is_head, stamp, pause)
}

impl Newest {
    /// Whether the row is not in memory any more: it is to be looked for again.
    pub fn is_sunk(&self) -> bool {
        self.head == Begin::SUNK
    }

    /// Whether the transaction in this slot made it so.
    pub fn is_own(&self, slot: u32) -> bool {
        matches!(self.fate, Fate::Owned { begin, .. } if begin.slot() == slot)
    }

    /// The anchor under which the row went on when its keys were changed, if it was.
    ///
    /// # Safety
    /// The newest version is protected, as for [`newest`].
    pub unsafe fn moved_to(&self) -> Option<AnchorPtr> {
        if self.version == self.inline {
            return None;
        }
        // SAFETY: the caller's promise.
        unsafe {
            match self.version.older().load(Acquire) & MOVED {
                0 => None,
                _ => AnchorPtr::from_address(self.version.moved_to().load(Acquire)),
            }
        }
    }
}
