//! Splits full nodes.

use std::ops::Range;

use super::builder::NodeBuilder;
use super::change::{self, Fit};
use super::entry::{Entry, Payload, PayloadHead, Stored, is_long};
use super::error::{Damage, TreeError};
use super::node::{HEADER, Key, LEVEL, Node, SLOT};
use super::pack::{Cuts, Packer, Piece};
use super::write::{Action, Change, Pending, Writer, old_payload};
use crate::cold::{BODY_BYTES, Body, Edit, PageNumber};

/// New bytes that a leaf takes in one split, so that a batch keeps few pages private at a time.
const STEP_BYTES: usize = 32 * BODY_BYTES;

/// An operation whose place in the old leaf is known.
struct Fresh {
    change: usize,
    /// The first old entry whose key is not less.
    at: usize,
    /// Whether that entry is replaced or deleted.
    replaces: bool,
    /// The start of the new entry's payload, if there is a new entry.
    head: Option<PayloadHead>,
}

/// A new child for an inner node.
struct NewChild {
    lower: Vec<u8>,
    page: PageNumber,
}

impl<E: Edit> Writer<'_, '_, E> {
    /// Packs the leaf's entries and the operations from `reached` on into several leaves, and
    /// prepares the nodes above. Returns the first operation of the run that was not done.
    pub(super) fn split_leaf(
        &mut self,
        changes: &[Change<'_>],
        run: Range<usize>,
        reached: usize,
        before: &mut impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<usize, TreeError> {
        let leaf = self.leaf();
        let image = self.image(leaf)?;
        let node = Node::open(&image).map_err(|damage| damage.at(leaf))?;
        let mut fresh = Vec::new();
        let mut new_bytes = 0;
        let mut next = reached;
        while next < run.end && new_bytes < STEP_BYTES {
            let change = &changes[next];
            let prepared = self.prepare(&node, change, next, before)?;
            if let (Action::Put { value, .. }, Some(head)) = (change.action, &prepared.head) {
                let [head, value] = head.with(value);
                new_bytes +=
                    NodeBuilder::LEAF_OVERHEAD + change.key.len() + head.len() + value.len();
            }
            fresh.push(prepared);
            next += 1;
        }
        let pieces = pack_leaf(&node, changes, &fresh, reached - run.start, new_bytes)
            .map_err(|damage| damage.at(leaf))?;
        self.install(self.path.len() - 1, pieces)?;
        Ok(next)
    }

    fn image(&mut self, page: PageNumber) -> Result<Box<Body>, TreeError> {
        Ok(Box::new(*self.edit.view(self.task, page)?))
    }

    /// Does the part of an operation that needs other pages than the leaf.
    fn prepare(
        &mut self,
        node: &Node<'_>,
        change: &Change<'_>,
        index: usize,
        before: &mut impl FnMut(usize, Option<Entry<'_>>),
    ) -> Result<Fresh, TreeError> {
        let leaf = self.leaf();
        let (at, old) = old_payload(node, change).map_err(|damage| damage.at(leaf))?;
        if !self.pending.is_reported {
            match old {
                Some(Payload { stamp, value: Stored::Chain(chain) }) => {
                    self.report_old_chain(change, index, stamp, chain, before)?;
                }
                Some(Payload { stamp, value: Stored::Inline(value) }) => {
                    before(index, Some(Entry { key: Key::whole(change.key), stamp, value }));
                    self.applied.count(change, true);
                }
                None => {
                    before(index, None);
                    self.applied.count(change, false);
                }
            }
        }
        let head = match change.action {
            Action::Delete => None,
            Action::Put { stamp, value } => {
                if self.pending.chain.is_none() && is_long(change.key, stamp, value) {
                    self.write_chain(change)?;
                }
                Some(PayloadHead::new(stamp, self.pending.chain))
            }
        };
        self.pending = Pending::default();
        Ok(Fresh { change: index, at, replaces: old.is_some(), head })
    }

    /// Replaces the node at this depth of the path by these: the first takes its page, the others
    /// get new pages, and the node above gets them as children.
    fn install(&mut self, depth: usize, mut pieces: Vec<Piece>) -> Result<(), TreeError> {
        let page = self.path[depth].page;
        if depth == 0 {
            while pieces.len() > 1 {
                pieces = self.under_new_level(pieces)?;
            }
            *self.edit.edit(self.task, page)? = *pieces[0].body;
            self.order.push(page);
            return Ok(());
        }
        let right = Node::open(self.edit.view(self.task, page)?).map(|node| node.right());
        let right = right.map_err(|damage| damage.at(page))?;
        let children = self.place(Some(page), pieces, right)?;
        match children.split_first() {
            Some((_, [])) | None => Ok(()),
            Some((_, new)) => self.insert_children(depth - 1, new),
        }
    }

    /// Gives all these nodes pages, and packs the nodes of a new level above them.
    fn under_new_level(&mut self, pieces: Vec<Piece>) -> Result<Vec<Piece>, TreeError> {
        let root = self.tree.root;
        let level = pieces[0].body[LEVEL] + 1;
        let children = self.place(None, pieces, PageNumber(0))?;
        let (first, others) = children.split_first().expect("a split makes nodes");
        let mut above = Vec::new();
        let mut packer = Packer::new(root, level, Cuts::FULL, &[], first.page);
        for child in others {
            let payload = child.page.0.to_le_bytes();
            packer
                .add(Key::whole(&child.lower), [&payload, &[]], &mut above)
                .map_err(|damage| damage.at(root))?;
        }
        packer.finish(None, &mut above).map_err(|damage| damage.at(root))?;
        Ok(above)
    }

    /// Writes nodes to pages, the first to `page` if that is given, and links them. Adds them to
    /// `order` from right to left (T1).
    fn place(
        &mut self,
        page: Option<PageNumber>,
        pieces: Vec<Piece>,
        right: PageNumber,
    ) -> Result<Vec<NewChild>, TreeError> {
        let mut numbers: Vec<PageNumber> = page.into_iter().collect();
        while numbers.len() < pieces.len() {
            numbers.push(self.edit.allocate(self.task)?.0);
        }
        for (index, piece) in pieces.iter().enumerate() {
            let body = self.edit.edit(self.task, numbers[index])?;
            *body = *piece.body;
            change::set_right(body, numbers.get(index + 1).copied().unwrap_or(right));
        }
        self.order.extend(numbers.iter().rev());
        let children = pieces.into_iter().zip(numbers);
        Ok(children.map(|(piece, page)| NewChild { lower: piece.lower, page }).collect())
    }

    /// Inserts children, which follow each other, into the inner node at this depth of the path.
    fn insert_children(&mut self, depth: usize, new: &[NewChild]) -> Result<(), TreeError> {
        let page = self.path[depth].page;
        let body = self.edit.edit(self.task, page)?;
        let mut done = 0;
        for child in new {
            match insert_child(body, child).map_err(|damage| damage.at(page))? {
                Fit::Done => done += 1,
                Fit::Full => break,
            }
        }
        if done == new.len() {
            self.order.push(page);
            return Ok(());
        }
        let image = self.image(page)?;
        let pieces = Node::open(&image)
            .and_then(|node| pack_inner(&node, &new[done..]))
            .map_err(|damage| damage.at(page))?;
        self.install(depth, pieces)
    }
}

fn insert_child(body: &mut Body, child: &NewChild) -> Result<Fit, Damage> {
    match Node::open(body)?.lower_bound(&child.lower)? {
        (_, true) => Err(Damage("a node has a child twice")),
        (at, false) => change::insert(body, at, &child.lower, [&child.page.0.to_le_bytes(), &[]]),
    }
}

/// Bytes that a node with these fences has for entries.
fn room_between_fences(node: &Node<'_>) -> usize {
    node.fences_at() - HEADER
}

/// Packs a leaf's entries and the new ones into leaves. `new_before` operations of the run have
/// been done in the leaf already.
fn pack_leaf(
    node: &Node<'_>,
    changes: &[Change<'_>],
    fresh: &[Fresh],
    new_before: usize,
    new_bytes: usize,
) -> Result<Vec<Piece>, Damage> {
    let place = place_of(node, fresh, new_before)?;
    let cuts = match place {
        Place::Amid => even(node, fresh.len(), new_bytes),
        Place::End | Place::Start(_) => Cuts::FULL,
    };
    let mut pieces = Vec::new();
    let mut packer = Packer::new(node.tree(), 0, cuts, node.lower(), PageNumber(0));
    let mut fresh = fresh.iter().peekable();
    let mut old = 0;
    loop {
        if let Some(new) = fresh.next_if(|new| new.at == old) {
            let change = &changes[new.change];
            if let (Action::Put { value, .. }, Some(head)) = (change.action, &new.head) {
                packer.add(Key::whole(change.key), head.with(value), &mut pieces)?;
            }
            old += usize::from(new.replaces);
        } else if old < node.count() {
            let cell = node.cell(old)?;
            if matches!(place, Place::Start(first) if first == old) {
                packer.cut_here();
            }
            let key = Key { prefix: node.prefix(), suffix: cell.suffix };
            packer.add(key, [cell.payload, &[]], &mut pieces)?;
            old += 1;
        } else {
            packer.finish(node.upper(), &mut pieces)?;
            return Ok(pieces);
        }
    }
}

/// Where in a node new entries go.
#[derive(Clone, Copy)]
enum Place {
    /// After all others, as ascending keys do: full nodes stay full.
    End,
    /// Before all others, as descending keys do. A node begins with this old entry.
    Start(usize),
    Amid,
}

fn place_of(node: &Node<'_>, fresh: &[Fresh], new_before: usize) -> Result<Place, Damage> {
    let (Some(first), Some(last)) = (fresh.first(), fresh.last()) else { return Ok(Place::Amid) };
    if first.at == node.count() {
        return Ok(Place::End);
    }
    let is_together = first.at == last.at && !last.replaces;
    let is_start = first.at == 0 || node.lower().is_empty() && first.at <= new_before;
    match is_together && is_start {
        true => Ok(Place::Start(first_that_fits(node, first.at)?)),
        false => Ok(Place::Amid),
    }
}

/// The first entry at or after `from` such that it and all entries after it fit a node with a lower
/// fence of its own.
fn first_that_fits(node: &Node<'_>, from: usize) -> Result<usize, Damage> {
    let size_of_entry = |index| node.extent(index).map(|(start, end)| SLOT + end - start);
    let mut size = HEADER + node.prefix().len() + node.used() + node.upper().map_or(0, <[u8]>::len);
    for index in 0..node.count() {
        if index >= from && size + node.key(index)?.len() <= BODY_BYTES {
            return Ok(index);
        }
        size = size.saturating_sub(size_of_entry(index)?);
    }
    Ok(from)
}

fn even(node: &Node<'_>, new: usize, new_bytes: usize) -> Cuts {
    let prefix = node.prefix().len();
    let used = node.used() + new_bytes.saturating_sub(new * prefix);
    let raw = node.used() + node.count() * prefix + new_bytes;
    Cuts::even(used, raw, room_between_fences(node))
}

/// Packs an inner node's children and new ones into nodes.
fn pack_inner(node: &Node<'_>, new: &[NewChild]) -> Result<Vec<Piece>, Damage> {
    let first_new = new.first().map_or(&[][..], |child| &child.lower);
    let (at, _) = node.lower_bound(first_new)?;
    let new_bytes = new.iter().map(|child| NodeBuilder::INNER_ENTRY + child.lower.len()).sum();
    let cuts = match at == node.count() {
        true => Cuts::FULL,
        false => even(node, new.len(), new_bytes),
    };
    let mut pieces = Vec::new();
    let first_child = change::first_child(node);
    let mut packer = Packer::new(node.tree(), node.level(), cuts, node.lower(), first_child);
    for index in 0..=node.count() {
        if index == at {
            for child in new {
                let payload = child.page.0.to_le_bytes();
                packer.add(Key::whole(&child.lower), [&payload, &[]], &mut pieces)?;
            }
        }
        if index < node.count() {
            let cell = node.cell(index)?;
            let key = Key { prefix: node.prefix(), suffix: cell.suffix };
            packer.add(key, [cell.payload, &[]], &mut pieces)?;
        }
    }
    packer.finish(node.upper(), &mut pieces)?;
    Ok(pieces)
}
