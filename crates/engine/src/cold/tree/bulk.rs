//! Builds a tree from entries that come in order.
//!
//! Leaves are written from left to right, inner nodes as soon as they are full. Of each level only
//! the node that is being filled and the one before it, which waits for its right link, are
//! private; the root comes last. So a load takes memory for a few pages, however long it is, and
//! leaves lie in the order of their keys if the store allocates in order.

use super::Tree;
use super::change;
use super::entry::{PayloadHead, is_long};
use super::error::TreeError;
use super::node::{HEADER, Key};
use super::pack::{Cuts, Packer, Piece};
use super::{KEY_BYTES_MAX, overflow};
use crate::cold::{BODY_BYTES, Edit, PageNumber};
use crate::wait::Task;

/// A tree that is being built.
pub struct BulkLoad {
    tree: Tree,
    /// From the leaves up.
    levels: Vec<Level>,
    cuts: Cuts,
    entries: u64,
    last_key: Vec<u8>,
}

/// A level that is being built.
struct Level {
    packer: Packer,
    /// The first node, once it is full. Before that the level may turn out to be the root.
    first: Option<PageNumber>,
    /// The newest node, which waits for its right link.
    waiting: Option<PageNumber>,
}

impl Level {
    fn new(tree: Tree, number: usize, cuts: Cuts, first_child: PageNumber) -> Level {
        let packer = Packer::new(tree.root, number as u8, cuts, &[], first_child);
        Level { packer, first: None, waiting: None }
    }
}

impl BulkLoad {
    /// Starts a new tree whose leaves are filled to this many percent. The tree is published when
    /// [`BulkLoad::finish`] has been called and the batch is finished.
    pub fn new(
        edit: &mut impl Edit,
        task: &Task<'_>,
        fill_percent: usize,
    ) -> Result<BulkLoad, TreeError> {
        let tree = Tree::create(edit, task)?;
        let percent = fill_percent.clamp(1, 100);
        let cuts = Cuts::Full(HEADER + (BODY_BYTES - HEADER) * percent / 100);
        let leaves = Level::new(tree, 0, cuts, PageNumber(0));
        let levels = vec![leaves];
        Ok(BulkLoad { tree, levels, cuts, entries: 0, last_key: Vec::new() })
    }

    /// Adds an entry after all others.
    ///
    /// # Panics
    /// If its key is not greater than the last one.
    pub fn push(
        &mut self,
        edit: &mut impl Edit,
        task: &Task<'_>,
        key: &[u8],
        stamp: u64,
        value: &[u8],
    ) -> Result<(), TreeError> {
        if key.len() > KEY_BYTES_MAX {
            return Err(TreeError::KeyTooLong { len: key.len(), max: KEY_BYTES_MAX });
        }
        assert!(self.entries == 0 || *key > *self.last_key, "a bulk load's keys ascend");
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        let mut chain = None;
        if is_long(key, stamp, value) {
            let mut pages = Vec::new();
            chain = Some(overflow::write(edit, task, self.tree.root, value, &mut pages)?);
            pages.into_iter().for_each(|page| edit.publish(page));
        }
        let head = PayloadHead::new(stamp, chain);
        self.entries += 1;
        self.add(edit, task, 0, Key::whole(key), head.with(value))
    }

    /// Finishes the tree. Returns it and how many entries it has.
    pub fn finish(
        mut self,
        edit: &mut impl Edit,
        task: &Task<'_>,
    ) -> Result<(Tree, u64), TreeError> {
        let root = self.tree.root;
        let mut number = 0;
        loop {
            // Closing nodes of a level may add the next one, at the end of the list.
            let cuts = self.cuts;
            let unused = Packer::new(root, 0, cuts, &[], PageNumber(0));
            let packer = std::mem::replace(&mut self.levels[number].packer, unused);
            let mut pieces = Vec::new();
            packer.finish(None, &mut pieces).map_err(|damage| damage.at(root))?;
            match (self.levels[number].first, &pieces[..]) {
                (None, [whole]) => {
                    *edit.edit(task, root)? = *whole.body;
                    edit.publish(root);
                    return Ok((self.tree, self.entries));
                }
                _ => self.close(edit, task, number, pieces)?,
            }
            if let Some(last) = self.levels[number].waiting.take() {
                edit.publish(last);
            }
            number += 1;
        }
    }

    fn add(
        &mut self,
        edit: &mut impl Edit,
        task: &Task<'_>,
        level: usize,
        key: Key<'_>,
        payload: [&[u8]; 2],
    ) -> Result<(), TreeError> {
        let mut pieces = Vec::new();
        let added = self.levels[level].packer.add(key, payload, &mut pieces);
        added.map_err(|damage| damage.at(self.tree.root))?;
        match pieces.is_empty() {
            true => Ok(()),
            false => self.close(edit, task, level, pieces),
        }
    }

    /// Gives full nodes pages, and makes them children of the level above.
    fn close(
        &mut self,
        edit: &mut impl Edit,
        task: &Task<'_>,
        number: usize,
        pieces: Vec<Piece>,
    ) -> Result<(), TreeError> {
        for piece in pieces {
            let (page, body) = edit.allocate(task)?;
            *body = *piece.body;
            let level = &mut self.levels[number];
            if let Some(left) = level.waiting.replace(page) {
                change::set_right(edit.edit(task, left)?, page);
                edit.publish(left);
            }
            let Some(first) = level.first else {
                level.first = Some(page);
                continue;
            };
            if self.levels.len() == number + 1 {
                self.levels.push(Level::new(self.tree, number + 1, Cuts::FULL, first));
            }
            let child = page.0.to_le_bytes();
            self.add(edit, task, number + 1, Key::whole(&piece.lower), [&child, &[]])?;
        }
        Ok(())
    }
}
