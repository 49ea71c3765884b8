//! Packs a run of sorted entries into nodes.

use super::builder::NodeBuilder;
use super::error::Damage;
use super::node::{Key, child_of, separator};
use crate::cold::{BODY_BYTES, Body, PageNumber};

/// A new node that has no page and no right neighbour yet.
pub(super) struct Piece {
    /// Its lower fence: the key of its child in the node above.
    pub(super) lower: Vec<u8>,
    pub(super) body: Box<Body>,
}

/// When a node ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cuts {
    /// When it takes this many bytes.
    Full(usize),
    /// When it has about this many bytes of entries, counted with their prefixes.
    Even(usize),
}

impl Cuts {
    /// Nodes as full as can be.
    pub(super) const FULL: Cuts = Cuts::Full(BODY_BYTES);

    /// Nodes of even size for entries that do not fit one node. As long as entries are short, each
    /// node is at least half full, and at most five sixths, so that later entries have room. `used`
    /// are the entries' bytes without prefixes, `raw` with them.
    pub(super) fn even(used: usize, raw: usize, room: usize) -> Cuts {
        let nodes = (used / (room - room / 6).max(1) + 1).max(2);
        Cuts::Even(raw / nodes)
    }
}

/// Takes entries of one level in order and makes nodes of them.
///
/// The newest entry is held back: a node has to have room for its upper fence, and that depends on
/// the next entry.
pub(super) struct Packer {
    tree: PageNumber,
    level: u8,
    cuts: Cuts,
    builder: NodeBuilder,
    /// Lower fence of the node that is being built.
    lower: Vec<u8>,
    held: Held,
    cut_before_next: bool,
}

/// The entry that is held back.
#[derive(Default)]
struct Held {
    there: bool,
    key: Vec<u8>,
    payload: Vec<u8>,
    /// A node begins with it.
    cut_before: bool,
}

impl Packer {
    pub(super) fn new(
        tree: PageNumber,
        level: u8,
        cuts: Cuts,
        lower: &[u8],
        first_child: PageNumber,
    ) -> Packer {
        Packer {
            tree,
            level,
            cuts,
            builder: NodeBuilder::new(level, lower, first_child),
            lower: lower.to_vec(),
            held: Held::default(),
            cut_before_next: false,
        }
    }

    /// Makes the next entry begin a node, unless it is the first one.
    pub(super) fn cut_here(&mut self) {
        self.cut_before_next = true;
    }

    /// Adds the next entry. A node that is finished by that goes to `out`.
    pub(super) fn add(
        &mut self,
        key: Key<'_>,
        payload: [&[u8]; 2],
        out: &mut Vec<Piece>,
    ) -> Result<(), Damage> {
        let whole;
        let bytes = match key.prefix {
            [] => key.suffix,
            _ => {
                whole = key.to_vec();
                &whole
            }
        };
        if self.held.there {
            let fence = match self.level {
                0 => separator(&self.held.key, bytes).len(),
                _ => bytes.len(),
            };
            self.push_held(fence, out)?;
        }
        self.held.there = true;
        self.held.cut_before = std::mem::take(&mut self.cut_before_next);
        self.held.key.clear();
        self.held.key.extend_from_slice(bytes);
        self.held.payload.clear();
        payload.iter().for_each(|part| self.held.payload.extend_from_slice(part));
        Ok(())
    }

    /// Finishes the last node, which has this upper fence.
    pub(super) fn finish(
        mut self,
        upper: Option<&[u8]>,
        out: &mut Vec<Piece>,
    ) -> Result<(), Damage> {
        if self.held.there {
            self.push_held(upper.map_or(0, <[u8]>::len), out)?;
        }
        self.close(upper, out)
    }

    /// Puts the entry that was held back into the node, or into the next one if the node would have
    /// no room for an upper fence of this length.
    fn push_held(&mut self, fence: usize, out: &mut Vec<Piece>) -> Result<(), Damage> {
        if self.builder.count() > 0 && self.is_full_for_held(fence) {
            let key = std::mem::take(&mut self.held.key);
            let fence = match self.level {
                0 => separator(self.builder.last_key().unwrap_or_default(), &key),
                _ => &key,
            };
            self.close(Some(fence), out)?;
            let first_child = match self.level {
                0 => PageNumber(0),
                _ => child_of(&self.held.payload),
            };
            self.lower = fence.to_vec();
            self.builder.restart(fence, first_child);
            self.held.key = key;
            if self.level > 0 {
                // The key goes to the level above, and the child is the new node's first.
                return Ok(());
            }
        }
        self.builder.push(Key::whole(&self.held.key), [&self.held.payload, &[]]);
        Ok(())
    }

    fn is_full_for_held(&self, fence: usize) -> bool {
        let held = self.held.key.len() + self.held.payload.len();
        let size = self.builder.size_with(Key::whole(&self.held.key), self.held.payload.len());
        self.held.cut_before
            || match self.cuts {
                Cuts::Full(limit) => size + fence > limit,
                Cuts::Even(raw) => {
                    size + fence > BODY_BYTES || self.builder.raw_size() + held / 2 > raw
                }
            }
    }

    fn close(&mut self, upper: Option<&[u8]>, out: &mut Vec<Piece>) -> Result<(), Damage> {
        let mut body = Box::new([0; BODY_BYTES]);
        self.builder.build(&mut body, self.tree, PageNumber(0), upper)?;
        out.push(Piece { lower: std::mem::take(&mut self.lower), body });
        Ok(())
    }
}
