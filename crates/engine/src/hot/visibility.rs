//! Which version of a row a snapshot sees, and in what state a writer finds the row.
//!
//! Both walks down a chain need an epoch guard, since they may pass versions that are being rolled
//! back, and a registered snapshot, which keeps what they may return, and everything newer, in
//! memory. A walk stops at the first version that it sees. So what lies below a version that every
//! snapshot sees is never read again, and the chain word below such a version may point to memory
//! that is freed.

use std::marker::PhantomData;

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
    /// As repeatable read, and no row may have joined what was scanned.
    Serializable,
}

/// A point in time to read at, and the transaction whose uncommitted changes are seen.
///
/// Its stamp is registered in a slot of the same database for `'s`: as long as the statement is in
/// progress that it belongs to. Outside the engine only a statement gives one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snapshot<'s> {
    /// Commits with a stamp below this are seen.
    pub(crate) stamp: Lsn,
    /// The slot of the transaction whose own changes are seen, or [`NO_SLOT`].
    pub(crate) slot: u32,
    /// Own changes by statements with a smaller number are seen.
    pub(crate) statement: u64,
    /// What protects the reads, and how writes at this snapshot meet those of other transactions.
    pub(crate) isolation: Isolation,
    pub(crate) registered: PhantomData<&'s ()>,
}

impl<'s> Snapshot<'s> {
    /// A snapshot that sees no uncommitted change.
    pub(crate) fn committed_below(stamp: Lsn) -> Snapshot<'s> {
        let (isolation, registered) = (Isolation::Snapshot, PhantomData);
        Snapshot { stamp, slot: NO_SLOT, statement: 0, isolation, registered }
    }

    /// What protects the reads.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// The same snapshot, whose statement the compiler does not follow.
    ///
    /// # Safety
    /// Nothing reads at it, and no row that was read at it is used, after the statement that it
    /// belongs to has ended.
    pub unsafe fn unbound<'a>(self) -> Snapshot<'a> {
        Snapshot { registered: PhantomData, ..self }
    }

    /// Whether the snapshot sees the version (or deletion) whose begin word is in `place`; `None`
    /// if a head word holds none.
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
        // SAFETY: `view` requires what this function requires.
        match unsafe { self.view(anchor, links, slots) } {
            View::Row(version) => Some(version),
            View::Deleted | View::Nothing => None,
        }
    }

    /// What the anchor says about its row as the snapshot sees it.
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
    /// The row is deleted.
    Deleted,
    /// Nothing: the row came later or was never committed, or it has sunk. Where rows sink, another
    /// anchor with the same key may decide, and otherwise the cold store does.
    Nothing,
}

/// A version as a link of its row's chain.
#[derive(Clone, Copy)]
struct Link {
    version: VersionPtr,
    /// The chain word below the version, with the tags of the version's older word.
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
        // SAFETY: the caller promises that the version is protected, so it is still allocated.
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

/// The chain word below a version that is not inline: the head word that it has replaced.
///
/// # Safety
/// The version is protected (H2).
pub unsafe fn chain_below(version: VersionPtr) -> u64 {
    // SAFETY: the caller promises that the version is protected, and it is not inline.
    unsafe { version.older() }.load(Acquire) & CHAIN_MASK
}

/// Whether this version, which a snapshot sees, is the newest of its row, committed below the stamp
/// `below`, and not deleted. Reads only the anchor and the version.
///
/// # Safety
/// The anchor belongs to a table with this many links; it and the version are protected (H2).
#[inline]
pub unsafe fn is_newest(anchor: AnchorPtr, links: usize, version: VersionPtr, below: Lsn) -> bool {
    // SAFETY: the caller promises that anchor and version are protected.
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
    /// When its replacement was committed. Snapshots above `begin` and up to this see the version.
    pub end: Lsn,
}

/// The state that commits below a position have left a row in, and the versions that it replaced.
/// Result of [`known`].
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The stamp of the commit that left the state; `None` if the chain has none.
    pub stamp: Option<Lsn>,
    /// The replaced versions, from the newest to the last that the oldest snapshot sees.
    pub past: SmallVec<[Past; 4]>,
}

/// A position above the stamps of all commits, but not above that of versions that were rolled back
/// ([`Begin::UNDONE`]).
pub const ABOVE_ALL_COMMITS: Lsn = Lsn(Begin::UNDONE.word());

/// The state that commits below `through` have left a row in, and the versions that it replaced, as
/// far as a snapshot at `oldest` or later sees them.
///
/// # Safety
/// The anchor belongs to a table with this many links; it, and what snapshots from `oldest` on see,
/// is protected. Commits below `through` have ended.
pub unsafe fn known(
    anchor: AnchorPtr,
    links: usize,
    slots: &SlotTable,
    through: Lsn,
    oldest: Lsn,
) -> Known {
    let committed = |place: &Word, is_head| match slots.fate(place, is_head) {
        Some(Fate::Committed(stamp)) => Some(stamp),
        _ => None,
    };
    let mut known = Known::default();
    // SAFETY: the caller promises that what snapshots from `oldest` on see is protected; the walk
    // does not go below the first version that the snapshot at `oldest` sees.
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
            // Also if `through` lies lower: the versions below may be freed.
            if begin < oldest {
                break;
            }
            end = (begin < through).then_some(begin);
        }
    }
    known
}

/// Cuts off a row's chain below the state that commits below `through` have left, unless a writer
/// is changing the chain there. Returns whether it did.
///
/// # Safety
/// As for [`known`], which has found replaced versions there. No reader needs them in the chain any
/// more, and no other thread cuts this chain.
pub unsafe fn cut_below(anchor: AnchorPtr, links: usize, slots: &SlotTable, through: Lsn) -> bool {
    // SAFETY: the caller promises that the chain is protected down to the replaced versions; the
    // walk stops above them.
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
                    // The version is committed, so no other thread writes the word.
                    let older = link.version.older();
                    older.store(older.load(Acquire) & !CHAIN_MASK, Release);
                    return true;
                }
                // The version is inline, so the word that leads further down is the head, or is in
                // a version that may be rolled back.
                let head = anchor.head();
                return word == head.load(Acquire)
                    && head.compare_exchange(word, INLINE, SeqCst, Acquire).is_ok();
            }
            word = link.below;
        }
        false
    }
}

/// The stamp of a row's newest committed version, below those that the caller's transaction has
/// written: `None` if there is none, and 0 if the version came back from the cold store.
///
/// # Safety
/// As for [`Snapshot::visible`]; the caller's transaction has written the row, and everything down
/// to the first version that is not its own is protected.
pub unsafe fn newest_committed(anchor: AnchorPtr, links: usize, slots: &SlotTable) -> Option<Lsn> {
    // SAFETY: the caller promises protection down to the first version that is not its own, which
    // is committed; the walk stops there.
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
    /// The fate of the transaction that wrote this state.
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
                // The fate is this word's if the head still holds the word, or holds its stamp.
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
    /// The newest committed version: this one, or the first below those that a transaction in
    /// progress has put on the row.
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

/// Whether other transactions have changed a row that a transaction has read, as of the stamp of
/// its commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadCheck {
    /// A reader at the stamp would see the same state.
    Unchanged,
    /// Another transaction replaced or deleted it by a commit below the stamp.
    Changed,
}

/// Whether the state of a row that was read at `version` still holds at `stamp`: no transaction but
/// the one in slot `own` has replaced or deleted it by a commit below the stamp. Waits for other
/// transactions that are preparing, which takes a few instructions; calls `pause` in between.
///
/// # Safety
/// As for [`Snapshot::visible`]; `version` was committed below the same snapshot, so that the walk
/// meets it.
pub unsafe fn changed_above(
    anchor: AnchorPtr,
    links: usize,
    version: VersionPtr,
    own: u32,
    stamp: Lsn,
    slots: &SlotTable,
    pause: impl Fn(),
) -> ReadCheck {
    // SAFETY: everything above `version` is younger than the caller's snapshot or owned, so it is
    // protected.
    unsafe {
        let head = anchor.head().load(Acquire);
        if head & DELETED != 0 && counts(anchor.head(), true, own, stamp, slots, &pause) {
            return ReadCheck::Changed;
        }
        let mut word = if head & DELETED == 0 { head } else { INLINE };
        loop {
            let above = Link::first(word, anchor, links)
                .expect("a version below the snapshot stays in its row's chain");
            if above.version == version {
                return ReadCheck::Unchanged;
            }
            let begin = above.version.begin();
            if counts(begin, false, own, stamp, slots, &pause) {
                return ReadCheck::Changed;
            }
            word = above.below;
        }
    }
}

/// Whether another transaction has changed a row between `since` and `stamp`, both positions in the
/// log: whether it has a version or deletion with a stamp in between.
///
/// # Safety
/// As for [`Snapshot::visible`], where `since` is the registered snapshot's stamp.
pub unsafe fn changed_between(
    anchor: AnchorPtr,
    links: usize,
    since: Lsn,
    own: u32,
    stamp: Lsn,
    slots: &SlotTable,
    pause: impl Fn(),
) -> ReadCheck {
    // SAFETY: the walk stops at the first version below `since`, which is registered.
    unsafe {
        let head = anchor.head().load(Acquire);
        let mut word = head;
        if head & DELETED != 0 {
            if counts(anchor.head(), true, own, stamp, slots, &pause)
                && !committed_below(anchor.head(), true, since, slots)
            {
                return ReadCheck::Changed;
            }
            word = INLINE;
        }
        while let Some(above) = Link::first(word, anchor, links) {
            let begin = above.version.begin();
            if committed_below(begin, false, since, slots) {
                break;
            }
            if counts(begin, false, own, stamp, slots, &pause) {
                return ReadCheck::Changed;
            }
            word = above.below;
        }
        ReadCheck::Unchanged
    }
}

fn committed_below(place: &Word, is_head: bool, since: Lsn, slots: &SlotTable) -> bool {
    matches!(slots.fate(place, is_head), Some(Fate::Committed(stamp)) if stamp < since)
}

/// Whether this begin word is one of another transaction, which commits below `stamp`.
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
    /// Whether the row has left memory: the caller must look it up again.
    pub fn is_sunk(&self) -> bool {
        self.head == Begin::SUNK
    }

    /// Whether the transaction in this slot wrote this state.
    pub fn is_own(&self, slot: u32) -> bool {
        matches!(self.fate, Fate::Owned { begin, .. } if begin.slot() == slot)
    }

    /// The anchor that the row moved to when its keys were changed, if it did.
    ///
    /// # Safety
    /// The newest version is protected, as for [`newest`].
    pub unsafe fn moved_to(&self) -> Option<AnchorPtr> {
        if self.version == self.inline {
            return None;
        }
        // SAFETY: the caller promises that the version is protected, and it is not inline.
        unsafe {
            match self.version.older().load(Acquire) & MOVED {
                0 => None,
                _ => AnchorPtr::from_address(self.version.moved_to().load(Acquire)),
            }
        }
    }
}
