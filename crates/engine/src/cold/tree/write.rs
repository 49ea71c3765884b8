//! Changes trees, by sorted batches of operations.

use smallvec::SmallVec;

use super::Tree;
use super::builder::{Fences, format};
use super::change::{self, Fit};
use super::descend::Waypoint;
use super::entry::{Chain, Entry, Payload, PayloadHead, Stored, is_long};
use super::error::{Damage, TreeError};
use super::node::{Key, Node, Seek};
use super::{KEY_BYTES_MAX, overflow};
use crate::cold::{Body, Edit, PageNumber};
use crate::wait::Task;

/// How many leaves are requested ahead of the one that is changed.
const READ_AHEAD: usize = 64;

/// An operation on a key.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The operation on the key's entry.
    pub action: Action<'a>,
}

/// The kinds of operations on a key's entry.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// Inserts this entry, or replaces the one that is there.
    Put {
        /// From when on it is valid; 0 if every snapshot sees it.
        stamp: u64,
        /// What is stored with the key.
        value: &'a [u8],
    },
    /// Deletes the entry, if it is there.
    Delete,
}

/// What a batch did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Applied {
    /// Entries that were inserted.
    pub inserted: u64,
    /// Entries that replaced others.
    pub replaced: u64,
    /// Entries that were deleted.
    pub deleted: u64,
}

impl Tree {
    /// Creates an empty tree. It is published when the batch is finished.
    pub fn create(edit: &mut impl Edit, task: &Task<'_>) -> Result<Tree, TreeError> {
        let (root, body) = edit.allocate(task)?;
        format(body, 0, root, Fences::ALL);
        Ok(Tree { root })
    }

    /// Turns an existing page into an empty tree.
    pub fn create_at(
        edit: &mut impl Edit,
        task: &Task<'_>,
        root: PageNumber,
    ) -> Result<Tree, TreeError> {
        format(edit.edit(task, root)?, 0, root, Fences::ALL);
        Ok(Tree { root })
    }

    /// Applies these operations, whose keys ascend. Calls `before` for each, in order, with its
    /// index and the entry that was there before.
    ///
    /// Leaves are published one after the other. The caller finishes the batch. After an error it
    /// drops the batch; then the operations on some leaves are done and those on others are not.
    ///
    /// # Panics
    /// If the keys do not ascend.
    pub fn apply<E: Edit>(
        &self,
        edit: &mut E,
        task: &Task<'_>,
        changes: &[Change<'_>],
        mut before: impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<Applied, TreeError> {
        for pair in changes.windows(2) {
            assert!(pair[0].key < pair[1].key, "a batch's keys ascend");
        }
        if let Some(long) = changes.iter().find(|change| change.key.len() > KEY_BYTES_MAX) {
            return Err(TreeError::KeyTooLong { len: long.key.len(), max: KEY_BYTES_MAX });
        }
        let mut writer = Writer::new(*self, edit, task);
        let mut from = 0;
        while from < changes.len() {
            from = writer.run(changes, from, &mut before)?;
        }
        Ok(writer.applied)
    }

    /// Puts one entry. Returns whether it replaced another.
    pub fn put<E: Edit>(
        &self,
        edit: &mut E,
        task: &Task<'_>,
        key: &[u8],
        stamp: u64,
        value: &[u8],
    ) -> Result<bool, TreeError> {
        let change = Change { key, action: Action::Put { stamp, value } };
        Ok(self.apply(edit, task, &[change], |_, _| {})?.replaced > 0)
    }

    /// Deletes one entry. Returns whether it was there.
    pub fn delete<E: Edit>(
        &self,
        edit: &mut E,
        task: &Task<'_>,
        key: &[u8],
    ) -> Result<bool, TreeError> {
        let change = Change { key, action: Action::Delete };
        Ok(self.apply(edit, task, &[change], |_, _| {})?.deleted > 0)
    }
}

/// A page on the way from the root to a leaf, and which of its children is on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) page: PageNumber,
    pub(super) child: usize,
}

/// One batch of operations while it is applied.
pub(super) struct Writer<'w, 't, E> {
    pub(super) tree: Tree,
    pub(super) edit: &'w mut E,
    pub(super) task: &'w Task<'t>,
    /// From the root to the leaf.
    pub(super) path: Vec<Step>,
    /// Private pages, in the order in which they are to be published.
    pub(super) order: Vec<PageNumber>,
    /// Chains that are freed when those pages are published.
    pub(super) displaced: Vec<Chain>,
    pub(super) applied: Applied,
    /// What has been done for the current operation, if it could not be done at once.
    pub(super) pending: Pending,
    ahead: Ahead,
    long: Vec<u8>,
}

/// Which leaves have been requested ahead.
#[derive(Default)]
struct Ahead {
    /// The first operation whose leaf has not been looked up.
    asked: usize,
    /// The operation at which more leaves are requested.
    ask_at: usize,
}

impl Ahead {
    /// Returns the leaves of the operations from `from` on that have not been requested, as far as
    /// they are below the same node; none as long as enough have been requested.
    fn leaves(
        &mut self,
        above: &Node<'_>,
        child: usize,
        from: usize,
        changes: &[Change<'_>],
    ) -> Result<SmallVec<[PageNumber; READ_AHEAD]>, Damage> {
        let mut leaves = SmallVec::new();
        if from < self.ask_at {
            return Ok(leaves);
        }
        let start = self.asked.max(from);
        let (mut last, mut middle) = (child, None);
        self.asked = changes.len();
        for (number, change) in changes.iter().enumerate().skip(start) {
            let seek = Seek::At(change.key);
            let index = match above.is_left_of(seek) {
                false => above.child_index(seek)?,
                true => usize::MAX,
            };
            if index == last {
                continue;
            }
            if index == usize::MAX || leaves.len() == READ_AHEAD {
                self.asked = number;
                break;
            }
            if leaves.len() == READ_AHEAD / 2 {
                middle = Some(number);
            }
            leaves.push(above.child(index)?);
            last = index;
        }
        self.ask_at = middle.unwrap_or(self.asked);
        Ok(leaves)
    }
}

/// What has been done for an operation that needs more than the leaf.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Pending {
    /// `before` has been called.
    pub(super) is_reported: bool,
    /// The chain that the new value has been written to.
    pub(super) chain: Option<Chain>,
}

/// Why operations on a leaf stop.
enum Pause {
    /// There are no more.
    Done,
    /// The old value has to be read from a chain.
    OldChain(u64, Chain),
    /// The new value has to be written to a chain.
    NewChain,
    /// The leaf is full.
    Full,
}

impl<'w, 't, E: Edit> Writer<'w, 't, E> {
    pub(super) fn new(tree: Tree, edit: &'w mut E, task: &'w Task<'t>) -> Self {
        Writer {
            tree,
            edit,
            task,
            path: Vec::new(),
            order: Vec::new(),
            displaced: Vec::new(),
            applied: Applied::default(),
            pending: Pending::default(),
            ahead: Ahead::default(),
            long: Vec::new(),
        }
    }

    /// Applies the operations on one leaf, or the first of them if they are many. Returns the index
    /// of the next one.
    fn run(
        &mut self,
        changes: &[Change<'_>],
        from: usize,
        before: &mut impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<usize, TreeError> {
        let to = from + self.descend(changes, from)?;
        let leaf = self.leaf();
        let deleted = self.applied.deleted;
        let mut reached = self.change_in_place(changes, from, to, before)?;
        match reached == to {
            true => self.order.push(leaf),
            false => reached = self.split_leaf(changes, from..to, reached, before)?,
        }
        self.publish()?;
        if self.applied.deleted > deleted {
            self.merge_if_thin(self.path.len() - 1)?;
        }
        Ok(reached)
    }

    /// Descends to the leaf of the operation at `from`. Returns how many operations from there on
    /// belong to it. Requests the leaves of those that follow.
    fn descend(&mut self, all: &[Change<'_>], from: usize) -> Result<usize, TreeError> {
        const ASTRAY: Damage = Damage("a node holds other keys than the one above it says");
        let changes = &all[from..];
        let seek = Seek::At(changes[0].key);
        self.path.clear();
        let mut at = self.tree.start();
        loop {
            let Waypoint { page, level } = at;
            let body = self.edit.view(self.task, page)?;
            let node = self.tree.open(body, level).map_err(|damage| damage.at(page))?;
            if node.is_left_of(seek) || node.is_right_of(seek) {
                return Err(ASTRAY.at(page));
            }
            if node.is_leaf() {
                let upper = node.upper();
                let belongs = |change: &Change<'_>| upper.is_none_or(|upper| change.key < upper);
                self.path.push(Step { page, child: 0 });
                // Mostly few operations do.
                return Ok(match changes.iter().take(8).position(|change| !belongs(change)) {
                    Some(count) => count,
                    None => changes.partition_point(belongs),
                });
            }
            let child = node.child_index(seek).map_err(|damage| damage.at(page))?;
            let below = node.child(child).map_err(|damage| damage.at(page))?;
            at = Waypoint { page: below, level: Some(node.level() - 1) };
            self.path.push(Step { page, child });
            if node.level() == 1 && changes.len() > 1 {
                let ahead = self.ahead.leaves(&node, child, from, all);
                let leaves = ahead.map_err(|damage| damage.at(page))?;
                if !leaves.is_empty() {
                    self.edit.read_ahead(&leaves);
                }
            }
        }
    }

    /// The leaf at the end of the path.
    pub(super) fn leaf(&self) -> PageNumber {
        self.path.last().expect("a path ends at a leaf").page
    }

    /// Applies operations on the leaf as long as there is room. Returns the first that was not
    /// done.
    fn change_in_place(
        &mut self,
        changes: &[Change<'_>],
        from: usize,
        to: usize,
        before: &mut impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<usize, TreeError> {
        let leaf = self.leaf();
        let mut next = from;
        loop {
            let body = self.edit.edit(self.task, leaf)?;
            let mut in_place = InPlace {
                body,
                changes: &changes[..to],
                next,
                pending: &mut self.pending,
                applied: &mut self.applied,
            };
            let pause = in_place.go(before).map_err(|damage| damage.at(leaf))?;
            next = in_place.next;
            match pause {
                Pause::Done | Pause::Full => return Ok(next),
                Pause::OldChain(stamp, chain) => {
                    self.report_old_chain(&changes[next], next, stamp, chain, before)?;
                }
                Pause::NewChain => self.write_chain(&changes[next])?,
            }
        }
    }

    /// Calls `before` with an old entry whose value is in a chain. The chain is freed later.
    pub(super) fn report_old_chain(
        &mut self,
        change: &Change<'_>,
        index: usize,
        stamp: u64,
        chain: Chain,
        before: &mut impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<(), TreeError> {
        let mut value = std::mem::take(&mut self.long);
        overflow::read_in_edit(self.edit, self.task, self.tree.root, chain, &mut value)?;
        before(index, Some(Entry { key: Key::whole(change.key), stamp, value: &value }));
        self.long = value;
        self.displaced.push(chain);
        self.pending.is_reported = true;
        self.applied.count(change, true);
        Ok(())
    }

    /// Writes an operation's value to a chain.
    pub(super) fn write_chain(&mut self, change: &Change<'_>) -> Result<(), TreeError> {
        if let Action::Put { value, .. } = change.action {
            let (root, order) = (self.tree.root, &mut self.order);
            let chain = overflow::write(self.edit, self.task, root, value, order)?;
            self.pending.chain = Some(chain);
        }
        Ok(())
    }

    /// Publishes the pages in `order`, and frees the displaced chains (T6).
    pub(super) fn publish(&mut self) -> Result<(), TreeError> {
        let mut pages = Vec::new();
        for chain in self.displaced.drain(..) {
            pages.extend(overflow::pages_in_edit(self.edit, self.task, self.tree.root, chain)?);
        }
        self.order.drain(..).for_each(|page| self.edit.publish(page));
        pages.into_iter().for_each(|page| self.edit.free(page));
        Ok(())
    }
}

impl Applied {
    /// Counts an operation.
    pub(super) fn count(&mut self, change: &Change<'_>, was_there: bool) {
        match (change.action, was_there) {
            (Action::Put { .. }, false) => self.inserted += 1,
            (Action::Put { .. }, true) => self.replaced += 1,
            (Action::Delete, true) => self.deleted += 1,
            (Action::Delete, false) => {}
        }
    }
}

/// Operations on a leaf that need nothing but the leaf.
struct InPlace<'a> {
    body: &'a mut Body,
    changes: &'a [Change<'a>],
    next: usize,
    pending: &'a mut Pending,
    applied: &'a mut Applied,
}

impl InPlace<'_> {
    fn go(&mut self, before: &mut impl FnMut(usize, Option<Entry<'_>>)) -> Result<Pause, Damage> {
        while let Some(change) = self.changes.get(self.next) {
            let node = Node::open(self.body)?;
            let (at, is_there) = node.lower_bound(change.key)?;
            if !self.pending.is_reported {
                if let Some(pause) = report(&node, at, is_there, change, self.next, before)? {
                    return Ok(pause);
                }
                self.pending.is_reported = true;
                self.applied.count(change, is_there);
            }
            let fit = match change.action {
                Action::Delete if is_there => change::remove(self.body, at).map(|()| Fit::Done)?,
                Action::Delete => Fit::Done,
                Action::Put { stamp, value } => {
                    let chain = self.pending.chain;
                    if chain.is_none() && is_long(change.key, stamp, value) {
                        return Ok(Pause::NewChain);
                    }
                    let head = PayloadHead::new(stamp, chain);
                    match is_there {
                        true => change::replace(self.body, at, change.key, head.with(value))?,
                        false => change::insert(self.body, at, change.key, head.with(value))?,
                    }
                }
            };
            if fit == Fit::Full {
                return Ok(Pause::Full);
            }
            *self.pending = Pending::default();
            self.next += 1;
        }
        Ok(Pause::Done)
    }
}

/// Calls `before` with what was there before an operation; if that must be read from a chain first,
/// returns a pause instead.
fn report(
    node: &Node<'_>,
    at: usize,
    is_there: bool,
    change: &Change<'_>,
    index: usize,
    before: &mut impl FnMut(usize, Option<Entry<'_>>),
) -> Result<Option<Pause>, Damage> {
    if !is_there {
        before(index, None);
        return Ok(None);
    }
    let (_, Payload { stamp, value }) = Payload::of(node, at)?;
    match value {
        Stored::Chain(chain) => Ok(Some(Pause::OldChain(stamp, chain))),
        Stored::Inline(value) => {
            before(index, Some(Entry { key: Key::whole(change.key), stamp, value }));
            Ok(None)
        }
    }
}

/// Returns what was there before an operation, for a caller that cannot pause.
pub(super) fn old_payload<'a>(
    node: &Node<'a>,
    change: &Change<'_>,
) -> Result<(usize, Option<Payload<'a>>), Damage> {
    let (at, is_there) = node.lower_bound(change.key)?;
    Ok((at, if is_there { Some(Payload::of(node, at)?.1) } else { None }))
}
