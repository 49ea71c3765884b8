//! Drops a tree, step by step.

use super::Tree;
use super::change;
use super::entry::{Chain, Payload, Stored};
use super::error::{Damage, TreeError};
use super::node::Node;
use super::overflow;
use crate::cold::{ColdError, Edit, PageNumber};
use crate::wait::Task;

/// How far a tree has been dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// All pages are freed, the root included.
    Gone,
    /// More pages are left.
    Left,
    /// Pages are left: one that the device failed to read, and those below it and to its left. A
    /// later attempt may succeed.
    Unreadable,
}

/// What to do with pages that the device fails to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// They stay, and so do the pages to their left.
    Stay,
    /// They are freed like damaged ones.
    Freed,
}

/// The result of dropping a subtree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shrunk {
    Gone,
    /// The budget was used up first, or a page cannot be read.
    Left,
}

/// The drop of a tree, while it runs.
struct Dropping<'d, 't, E> {
    tree: Tree,
    edit: &'d mut E,
    task: &'d Task<'t>,
    budget: u64,
    unread: Unread,
    /// Whether a page that the device failed to read has stayed.
    has_unread: bool,
    /// Pages to be freed when those that pointed to them have been published (T6).
    gone: Vec<PageNumber>,
    truncated: Vec<PageNumber>,
}

impl Tree {
    /// Frees about this many pages of an unused tree, from its right end. The caller finishes the
    /// batch after each call, and removes the tree from the directory in the last batch: what is
    /// left after each batch can be dropped further, even after a crash, but cannot be read.
    ///
    /// A damaged page is freed, too. The pages that it points to are lost for good: no other page
    /// names them, and a damaged table must be droppable all the same.
    pub fn drop_some<E: Edit>(
        &self,
        edit: &mut E,
        task: &Task<'_>,
        pages: u64,
        unread: Unread,
    ) -> Result<Dropped, TreeError> {
        let (gone, truncated) = (Vec::new(), Vec::new());
        let (tree, budget, has_unread) = (*self, pages.max(1), false);
        let mut dropping =
            Dropping { tree, edit, task, budget, unread, has_unread, gone, truncated };
        let shrunk = dropping.shrink(self.root, None)?;
        dropping.truncated.iter().for_each(|&page| dropping.edit.publish(page));
        // A damaged page may point to another one twice.
        dropping.gone.sort_unstable();
        dropping.gone.dedup();
        dropping.gone.iter().for_each(|&page| dropping.edit.free(page));
        Ok(match shrunk {
            Shrunk::Gone => Dropped::Gone,
            Shrunk::Left if dropping.has_unread => Dropped::Unreadable,
            Shrunk::Left => Dropped::Left,
        })
    }
}

impl<E: Edit> Dropping<'_, '_, E> {
    /// Frees a subtree as far as the budget goes.
    fn shrink(&mut self, page: PageNumber, level: Option<u8>) -> Result<Shrunk, TreeError> {
        if self.budget == 0 {
            return Ok(Shrunk::Left);
        }
        match self.shrink_sound(page, level) {
            Err(error) if self.stays(&error) => {
                self.has_unread = true;
                Ok(Shrunk::Left)
            }
            Err(error) if error.is_damage() => Ok(self.free(page)),
            // Another page pointed to it, too.
            Err(TreeError::Page(ColdError::Freed(_))) => Ok(Shrunk::Gone),
            done => done,
        }
    }

    fn shrink_sound(&mut self, page: PageNumber, level: Option<u8>) -> Result<Shrunk, TreeError> {
        let body = self.edit.view(self.task, page)?;
        let node = self.tree.open(body, level).map_err(|damage| damage.at(page))?;
        if node.is_leaf() {
            let chains = chains(&node).map_err(|damage| damage.at(page))?;
            // Chains are freed together with their leaf, or stay with it.
            let mut of_chains = Vec::new();
            for chain in chains {
                let root = self.tree.root;
                match overflow::pages_in_edit(self.edit, self.task, root, chain) {
                    Err(error) if error.is_damage() && !self.stays(&error) => {}
                    pages => of_chains.extend(pages?),
                }
            }
            self.budget = self.budget.saturating_sub(of_chains.len() as u64);
            self.gone.extend(of_chains);
            return Ok(self.free(page));
        }
        let below = Some(node.level() - 1);
        let children: Result<Vec<_>, _> = node.children().collect();
        let children = children.map_err(|damage| damage.at(page))?;
        let mut left = children.len();
        while let Some(&child) = children[..left].last() {
            if self.shrink(child, below)? == Shrunk::Left {
                break;
            }
            left -= 1;
        }
        if left == 0 {
            return Ok(self.free(page));
        }
        if left < children.len() {
            let body = self.edit.edit(self.task, page)?;
            change::truncate_children(body, left).map_err(|damage| damage.at(page))?;
            self.truncated.push(page);
        }
        Ok(Shrunk::Left)
    }

    /// Whether the page that caused this error stays.
    fn stays(&self, error: &TreeError) -> bool {
        self.unread == Unread::Stay && matches!(error, TreeError::Page(ColdError::Read(_)))
    }

    fn free(&mut self, page: PageNumber) -> Shrunk {
        self.gone.push(page);
        self.budget = self.budget.saturating_sub(1);
        Shrunk::Gone
    }
}

/// The chains of a leaf's entries.
pub(super) fn chains(node: &Node<'_>) -> Result<Vec<Chain>, Damage> {
    let mut chains = Vec::new();
    for index in 0..node.count() {
        if let (_, Payload { value: Stored::Chain(chain), .. }) = Payload::of(node, index)? {
            chains.push(chain);
        }
    }
    Ok(chains)
}
