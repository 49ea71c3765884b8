//! Cursors over a range of keys, forward and backward.
//!
//! A cursor remembers a key, not a place: each chunk goes down from the root again, so that it does
//! not matter what happens to the tree between two chunks. Entries that a cursor has not passed yet
//! appear as they are when their leaf is read.

use std::cell::Cell;
use std::ops::{Bound, ControlFlow};

use smallvec::SmallVec;

use super::Tree;
use super::descend::{Attempts, Descent, Reached};
use super::entry::{Chain, Entry, Payload, Stored};
use super::error::{Damage, TreeError};
use super::node::{Key, Node, Seek};
use super::overflow;
use crate::cold::{Access, PageNumber, Pages, RUN_PAGES};
use crate::wait::Task;

/// From this many leaves on a scan counts as long: its pages do not push others out of memory.
const LONG_SCAN_LEAVES: u32 = 8;
/// How many leaves are requested ahead of the one that is read, at first and when the scan has
/// become long. Eight megabytes of requested pages keep all reading threads busy while the scan
/// reads others, if they are requested in small steps.
const READ_AHEAD_MIN: usize = 16;
const READ_AHEAD_MAX: usize = 1024;
/// More leaves are requested after at most this many, which is what one call reads.
const READ_AHEAD_STEP: usize = RUN_PAGES;

/// The order in which a cursor returns entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// The range of keys of a scan.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// Where it begins.
    pub lower: Bound<&'a [u8]>,
    /// Where it ends.
    pub upper: Bound<&'a [u8]>,
}

impl Range<'_> {
    /// All keys.
    pub const ALL: Range<'static> = Range { lower: Bound::Unbounded, upper: Bound::Unbounded };
}

/// Whether a cursor has come to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Chunk {
    /// There may be more.
    More,
    /// There is nothing more in the range.
    Ended,
}

/// A position in a range of keys, which survives all changes of the tree.
#[derive(Debug)]
pub struct Cursor {
    tree: Tree,
    direction: Direction,
    /// The keys that have not been seen yet are between these bounds.
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
    ended: bool,
    /// Leaves that the cursor has passed.
    leaves: u32,
    /// Whether the cursor is at the border of two leaves: the next chunk begins a leaf.
    is_at_fence: bool,
    asked: Cell<Asked>,
    /// Whether the next chunk needs a value that is not in memory, so that it cannot be read under
    /// a guard.
    load_next: bool,
}

/// Which leaves, and nodes above them, have been requested ahead.
#[derive(Clone, Copy, Default, Debug)]
struct Asked {
    /// The first child of the node above the leaf that is read: it identifies the node.
    first: PageNumber,
    /// How many children that node has.
    children: usize,
    /// Up to which of them, in the scan's direction, leaves have been requested. In a forward scan
    /// this may exceed `children`: then leaves of the next nodes have been requested, too.
    through: usize,
    /// The most children of such a node that the scan has come to.
    most_children: usize,
    /// The page of the node that the fields above describe.
    counted: PageNumber,
    /// The page of the node above leaves that the scan has come to last.
    above: PageNumber,
    /// How many of the nodes that follow `above` have been requested.
    following: usize,
}

/// Pages to request.
type PageList = SmallVec<[PageNumber; READ_AHEAD_MIN]>;

/// The part of a leaf that lies in a range.
#[derive(Clone, Copy, Debug)]
pub struct LeafSpan<'a> {
    /// How many entries: at least one.
    pub entries: usize,
    /// The leaf's keys are below this; `None` for the last leaf.
    pub upper: Option<&'a [u8]>,
}

/// Where gathering stopped in a leaf.
enum Gathered {
    /// At the end of the leaf, or of the range.
    Leaf(Chunk),
    /// After the entry with this index.
    Entry(usize),
    /// Before an entry whose value is not in memory, and after the one with this index.
    Absent(Option<usize>),
}

/// A visitor of leaves: see [`Cursor::next_leaf`].
pub trait Visit {
    /// Whether the visitor takes this part of a leaf as a whole, without its entries.
    fn pass(&mut self, leaf: LeafSpan<'_>) -> bool;

    /// Takes an entry. The one at which this breaks counts as taken.
    fn take(&mut self, entry: Entry<'_>) -> ControlFlow<()>;
}

/// A visitor that takes each entry.
struct TakeEach<T>(T);

impl<T: FnMut(Entry<'_>) -> ControlFlow<()>> Visit for TakeEach<T> {
    fn pass(&mut self, _: LeafSpan<'_>) -> bool {
        false
    }

    #[inline]
    fn take(&mut self, entry: Entry<'_>) -> ControlFlow<()> {
        (self.0)(entry)
    }
}

impl Tree {
    /// A cursor before the first entry of a range, in this direction.
    pub fn cursor(&self, range: Range<'_>, direction: Direction) -> Cursor {
        Cursor {
            tree: *self,
            direction,
            lower: range.lower.map(<[u8]>::to_vec),
            upper: range.upper.map(<[u8]>::to_vec),
            ended: false,
            leaves: 0,
            is_at_fence: false,
            asked: Cell::default(),
            load_next: false,
        }
    }
}

impl Cursor {
    /// Calls `take` with the entries of the next leaf, until it breaks; the entry at which it
    /// breaks counts as taken. A chunk may be empty though there is more. `take` may run under an
    /// epoch guard and must not wait.
    pub fn next_chunk<P: Pages>(
        &mut self,
        pages: &P,
        task: &Task<'_>,
        take: impl FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Chunk, TreeError> {
        self.next_leaf(pages, task, &mut TakeEach(take))
    }

    /// As `next_chunk`, but `visit` may take a leaf without its entries.
    pub fn next_leaf<P: Pages>(
        &mut self,
        pages: &P,
        task: &Task<'_>,
        visit: &mut impl Visit,
    ) -> Result<Chunk, TreeError> {
        if self.ended {
            return Ok(Chunk::Ended);
        }
        let chunk = match self.load_next {
            true => None,
            false => self.chunk_resident(pages, task, visit)?,
        };
        let chunk = match chunk {
            Some(chunk) => chunk,
            None => self.chunk_loaded(pages, task, visit)?,
        };
        self.ended = chunk == Chunk::Ended;
        Ok(chunk)
    }

    /// The bound up to which everything has been seen, in the cursor's direction; the rest of the
    /// range lies beyond it. A merge of two sources is sure of all keys before the nearer of the
    /// two bounds.
    pub fn rest(&self) -> Bound<&[u8]> {
        match self.direction {
            Direction::Forward => as_slice(&self.lower),
            Direction::Backward => as_slice(&self.upper),
        }
    }

    /// The tree that the cursor reads.
    pub fn tree(&self) -> Tree {
        self.tree
    }

    /// Whether everything has been seen.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    fn seek(&self) -> Seek<'_> {
        match self.direction {
            Direction::Forward => match &self.lower {
                Bound::Included(key) | Bound::Excluded(key) => Seek::At(key),
                Bound::Unbounded => Seek::At(&[]),
            },
            Direction::Backward => match &self.upper {
                Bound::Included(key) => Seek::At(key),
                Bound::Excluded(key) => Seek::Before(key),
                Bound::Unbounded => Seek::Last,
            },
        }
    }

    fn hint(&self) -> Access {
        if self.leaves < LONG_SCAN_LEAVES { Access::Point } else { Access::Scan }
    }

    /// The descent to the next leaf, which reads ahead on its way.
    fn descent<'c>(
        &'c self,
        pages: &'c impl Pages,
        task: &'c Task<'_>,
    ) -> Descent<'c, impl FnMut(&Node<'_>, usize) + 'c> {
        let on_way = move |node: &Node<'_>, index| match node.level() {
            1 if self.is_at_fence => self.read_ahead(pages, task, node, index),
            2 if self.is_at_fence => self.read_ahead_above(pages, node, index),
            _ => {}
        };
        Descent { seek: self.seek(), on_way, follows_right: true }
    }

    /// How many leaves are to be requested ahead.
    fn window(&self, pages: &impl Pages) -> usize {
        let most = pages.read_ahead_max().clamp(READ_AHEAD_MIN, READ_AHEAD_MAX);
        (self.leaves as usize).next_power_of_two().clamp(READ_AHEAD_MIN, most)
    }

    /// Requests the nodes above leaves that will be requested soon. If the scan requested a node
    /// only when it needs leaves below it, the device would have nothing else to read meanwhile.
    fn read_ahead_above(&self, pages: &impl Pages, node: &Node<'_>, index: usize) {
        let Ok(above) = node.child(index) else { return };
        let mut asked = self.asked.get();
        if asked.above != above {
            (asked.above, asked.following) = (above, asked.following.saturating_sub(1));
        }
        if self.leaves >= LONG_SCAN_LEAVES && asked.children > 0 {
            let following = self.nodes_wanted(asked, self.window(pages), node, index);
            let which = match self.direction {
                Direction::Forward => index + 1 + asked.following..index + 1 + following,
                Direction::Backward => index - following..index.saturating_sub(asked.following),
            };
            let wanted: PageList = some_children(node, which).collect();
            if !wanted.is_empty() {
                pages.read_ahead(&wanted);
            }
            asked.following = asked.following.max(following);
        }
        self.asked.set(asked);
    }

    /// How many of the nodes that follow the one above the leaf, and have the same parent, this
    /// window and the next one reach.
    fn nodes_wanted(&self, asked: Asked, window: usize, node: &Node<'_>, index: usize) -> usize {
        let Asked { children, through, .. } = asked;
        let (passed, there) = match self.direction {
            // Until leaves below this node have been requested, `asked` describes the node before
            // it.
            Direction::Forward if asked.counted != asked.above => {
                (through.saturating_sub(children), node.count() - index)
            }
            Direction::Forward => (through, node.count() - index),
            Direction::Backward if asked.counted != asked.above => (0, index),
            Direction::Backward => (children.saturating_sub(through), index),
        };
        ((passed + 2 * window) / asked.most_children).min(there)
    }

    /// Requests leaves that follow, from the second leaf on: as many as have been read, and when
    /// some of those have been read, as many again.
    fn read_ahead(&self, pages: &impl Pages, task: &Task<'_>, above: &Node<'_>, index: usize) {
        let (Ok(first), children) = (above.child(0), above.count() + 1) else { return };
        let mut asked = self.asked.get();
        let is_other = asked.first != first;
        let window = self.window(pages);
        if !is_other && index % (window / 2).min(READ_AHEAD_STEP) != 0 {
            return;
        }
        let mut wanted = PageList::new();
        match self.direction {
            Direction::Forward => {
                let beyond = asked.through.saturating_sub(asked.children);
                let before = if is_other { beyond } else { asked.through };
                let (from, end) = (before.max(index + 1), index + 1 + window);
                wanted.extend(some_children(above, from.min(children)..end.min(children)));
                let beyond = (from.max(children) - children)..end.saturating_sub(children);
                let left = self.read_ahead_beyond(pages, task, above, beyond, &mut wanted);
                asked.through = from.max(end - left);
            }
            Direction::Backward => {
                let end = if is_other { index } else { asked.through.min(index) };
                asked.through = index.saturating_sub(window);
                wanted.extend(some_children(above, asked.through..end));
            }
        }
        let most_children = asked.most_children.max(children);
        self.asked.set(Asked { first, children, most_children, counted: asked.above, ..asked });
        if !wanted.is_empty() {
            pages.read_ahead(&wanted);
        }
    }

    /// Adds some of the leaves that follow those of the node `above` to `wanted`; `leaves` counts
    /// from the end of that node. If the next node is not in memory, adds that one instead. Returns
    /// how many leaves at the end of `leaves` were not reached.
    fn read_ahead_beyond(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        above: &Node<'_>,
        leaves: std::ops::Range<usize>,
        wanted: &mut PageList,
    ) -> usize {
        let (guard, mut above) = (task.pin(), *above);
        let (mut from, mut end) = (leaves.start, leaves.end);
        while end > 0 && !self.ends_before(above.upper()) {
            let Ok(body) = pages.resident(above.right(), &guard) else {
                wanted.push(above.right());
                break;
            };
            let Ok(next) = self.tree.open(body, Some(1)) else { break };
            let children = next.count() + 1;
            wanted.extend(some_children(&next, from.min(children)..end.min(children)));
            from = from.saturating_sub(children);
            end = end.saturating_sub(children);
            above = next;
        }
        end
    }

    /// Reads the next chunk from pages in memory. Returns `None` if a page is not in memory and no
    /// entry has been taken.
    fn chunk_resident<P: Pages>(
        &mut self,
        pages: &P,
        task: &Task<'_>,
        visit: &mut impl Visit,
    ) -> Result<Option<Chunk>, TreeError> {
        let guard = task.pin();
        let start = self.tree.start();
        let reached =
            self.tree.descend_resident(pages, &guard, &mut self.descent(pages, task), start)?;
        let Reached::Leaf(page, node) = reached else {
            return Ok(None);
        };
        let root = self.tree.root;
        let gathered = self.gather(page, &node, visit, |chain, long| {
            overflow::read_resident(pages, &guard, root, chain, long)
        })?;
        if let Gathered::Absent(last) = gathered {
            self.load_next = true;
            if last.is_none() {
                return Ok(None);
            }
        }
        self.advance(&node, gathered).map(Some).map_err(|damage| damage.at(page))
    }

    #[cold]
    fn chunk_loaded<P: Pages>(
        &mut self,
        pages: &P,
        task: &Task<'_>,
        visit: &mut impl Visit,
    ) -> Result<Chunk, TreeError> {
        let (root, hint) = (self.tree.root, self.hint());
        let mut attempts = Attempts::default();
        loop {
            let start = self.tree.start();
            let mut descent = self.descent(pages, task);
            let leaf = self.tree.descend_loaded(pages, task, &mut descent, start, hint);
            drop(descent);
            let (page, pinned) = leaf?;
            let node = Node::open(&pinned).map_err(|damage| damage.at(page))?;
            let mut failed = None;
            let gathered = self.gather(page, &node, visit, |chain, long| {
                failed = overflow::read(pages, task, root, chain, hint, long).err();
                Ok(failed.is_none())
            })?;
            if let Some(error) = failed {
                // The chain was freed after the leaf was loaded; or it is damaged.
                attempts.again_after(error)?;
                if let Gathered::Absent(None) = gathered {
                    continue;
                }
            } else {
                self.load_next = false;
            }
            return self.advance(&node, gathered).map_err(|damage| damage.at(page));
        }
    }

    /// Passes the part of a leaf that lies in the range to `visit`. `read` reads a value from its
    /// chain, or returns `false` if it is not in memory.
    fn gather(
        &self,
        page: PageNumber,
        node: &Node<'_>,
        visit: &mut impl Visit,
        mut read: impl FnMut(Chain, &mut Vec<u8>) -> Result<bool, TreeError>,
    ) -> Result<Gathered, TreeError> {
        let (lower, upper) = (as_slice(&self.lower), as_slice(&self.upper));
        let bounds = node.first_from(lower).and_then(|from| Ok((from, node.first_beyond(upper)?)));
        let (from, to) = bounds.map_err(|damage| damage.at(page))?;
        let entries = to.saturating_sub(from);
        if entries > 0 && visit.pass(LeafSpan { entries, upper: node.upper() }) {
            return Ok(Gathered::Leaf(self.chunk_at_end_of(node, from, to)));
        }
        let mut long = Vec::new();
        let mut before = None;
        for step in 0..entries {
            let index = match self.direction {
                Direction::Forward => from + step,
                Direction::Backward => to - 1 - step,
            };
            let (suffix, payload) = Payload::of(node, index).map_err(|damage| damage.at(page))?;
            let value = match payload.value {
                Stored::Inline(value) => value,
                Stored::Chain(chain) if read(chain, &mut long)? => &long,
                Stored::Chain(_) => return Ok(Gathered::Absent(before)),
            };
            let key = Key { prefix: node.prefix(), suffix };
            if visit.take(Entry { key, stamp: payload.stamp, value }).is_break() {
                return Ok(Gathered::Entry(index));
            }
            before = Some(index);
        }
        Ok(Gathered::Leaf(self.chunk_at_end_of(node, from, to)))
    }

    /// Whether the range goes on beyond a leaf, of which the entries `from..to` are in the range.
    fn chunk_at_end_of(&self, node: &Node<'_>, from: usize, to: usize) -> Chunk {
        let ended = match self.direction {
            Direction::Forward => to < node.count() || self.ends_before(node.upper()),
            Direction::Backward => match &self.lower {
                _ if from > 0 || node.lower().is_empty() => true,
                Bound::Unbounded => false,
                Bound::Included(key) | Bound::Excluded(key) => key.as_slice() >= node.lower(),
            },
        };
        if ended { Chunk::Ended } else { Chunk::More }
    }

    /// Whether the range ends before this fence, the upper one of a node.
    fn ends_before(&self, fence: Option<&[u8]>) -> bool {
        match (fence, &self.upper) {
            (None, _) => true,
            (Some(_), Bound::Unbounded) => false,
            (Some(fence), Bound::Included(key)) => key.as_slice() < fence,
            (Some(fence), Bound::Excluded(key)) => key.as_slice() <= fence,
        }
    }

    /// Moves the cursor past the entries that were taken.
    fn advance(&mut self, node: &Node<'_>, gathered: Gathered) -> Result<Chunk, Damage> {
        let (key, included) = match gathered {
            Gathered::Leaf(Chunk::Ended) => return Ok(Chunk::Ended),
            Gathered::Absent(None) => return Ok(Chunk::More),
            Gathered::Entry(index) | Gathered::Absent(Some(index)) => (node.key(index)?, false),
            Gathered::Leaf(Chunk::More) => match self.direction {
                Direction::Forward => (Key::whole(node.upper().unwrap_or_default()), true),
                Direction::Backward => (Key::whole(node.lower()), false),
            },
        };
        self.is_at_fence = matches!(gathered, Gathered::Leaf(_));
        self.leaves = self.leaves.saturating_add(u32::from(self.is_at_fence));
        let bound = match self.direction {
            Direction::Forward => &mut self.lower,
            Direction::Backward => &mut self.upper,
        };
        let mut bytes = match std::mem::replace(bound, Bound::Unbounded) {
            Bound::Included(bytes) | Bound::Excluded(bytes) => bytes,
            Bound::Unbounded => Vec::new(),
        };
        bytes.clear();
        key.append_to(&mut bytes);
        *bound = if included { Bound::Included(bytes) } else { Bound::Excluded(bytes) };
        Ok(Chunk::More)
    }
}

fn some_children(
    node: &Node<'_>,
    which: std::ops::Range<usize>,
) -> impl Iterator<Item = PageNumber> {
    which.filter_map(|child| node.child(child).ok())
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}
