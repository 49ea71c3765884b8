//! Merges thin nodes, and collapses the root.

use super::builder::NodeBuilder;
use super::change;
use super::error::{Damage, TreeError};
use super::node::{Key, Node};
use super::write::Writer;
use crate::cold::{BODY_BYTES, Edit, PageNumber};

/// A node whose entries take fewer bytes is thin.
const THIN_BYTES: usize = BODY_BYTES / 4;
/// Nodes are merged if the result is not larger, so that later entries have room.
const MERGED_BYTES_MAX: usize = BODY_BYTES - BODY_BYTES / 8;

/// Two neighbours under one node.
struct Pair {
    parent: PageNumber,
    /// Which children they are: this one and the next.
    index: usize,
    left: PageNumber,
    right: PageNumber,
    /// The fence between them.
    separator: Vec<u8>,
}

impl<E: Edit> Writer<'_, '_, E> {
    /// Merges the node at this depth of the path with a neighbour if it is thin, and then perhaps
    /// the nodes above. The node has been published, and is what it was when the path was found,
    /// except for its entries.
    pub(super) fn merge_if_thin(&mut self, depth: usize) -> Result<(), TreeError> {
        if depth == 0 {
            return self.collapse_root();
        }
        let page = self.path[depth].page;
        let node = Node::open(self.edit.view(self.task, page)?);
        let used = node.map(|node| node.used()).map_err(|damage| damage.at(page))?;
        if used >= THIN_BYTES {
            return Ok(());
        }
        let above = self.path[depth - 1];
        for index in [Some(above.child), above.child.checked_sub(1)].into_iter().flatten() {
            let Some(pair) = self.pair(above.page, index, page)? else { continue };
            if self.merge(&pair)? {
                return self.merge_if_thin(depth - 1);
            }
        }
        Ok(())
    }

    /// This child and the next, if one of them is `page` still: after a split the path says only
    /// where the node was.
    fn pair(
        &mut self,
        parent: PageNumber,
        index: usize,
        page: PageNumber,
    ) -> Result<Option<Pair>, TreeError> {
        let node = Node::open(self.edit.view(self.task, parent)?);
        let find = |node: Node<'_>| {
            if index >= node.count() {
                return Ok(None);
            }
            let (left, right) = (node.child(index)?, node.child(index + 1)?);
            let separator = node.key(index)?.to_vec();
            let pair = Pair { parent, index, left, right, separator };
            Ok((left == page || right == page).then_some(pair))
        };
        node.and_then(find).map_err(|damage| damage.at(parent))
    }

    /// Puts the right node's entries into the left one, and frees the right one. Returns `false` if
    /// they do not fit.
    fn merge(&mut self, pair: &Pair) -> Result<bool, TreeError> {
        let Pair { parent, index, left, right, ref separator } = *pair;
        let right_image = Box::new(*self.edit.view(self.task, right)?);
        let right_node = self.tree.open(&right_image, None).map_err(|damage| damage.at(right))?;
        let left_body = self.edit.view(self.task, left)?;
        let left_node = self
            .tree
            .open(left_body, Some(right_node.level()))
            .map_err(|damage| damage.at(left))?;
        if left_node.upper() != Some(separator) || right_node.lower() != separator {
            return Err(Damage("fences do not meet").at(right));
        }
        let used = left_node.used() + right_node.used();
        let is_one_empty = left_node.used() == 0 || right_node.used() == 0;
        let limit = if is_one_empty { BODY_BYTES } else { MERGED_BYTES_MAX };
        if used > limit {
            return Ok(false);
        }
        let builder = joined(&left_node, separator, &right_node).map_err(|d| d.at(left))?;
        let upper = right_node.upper();
        if builder.size() + upper.map_or(0, <[u8]>::len) > limit {
            return Ok(false);
        }
        let body = self.edit.edit(self.task, left)?;
        builder
            .build(body, self.tree.root, right_node.right(), upper)
            .map_err(|damage| damage.at(left))?;
        let above = self.edit.edit(self.task, parent)?;
        change::remove(above, index).map_err(|damage| damage.at(parent))?;
        self.order.extend([left, parent]);
        self.publish()?;
        self.edit.free(right);
        Ok(true)
    }

    /// Moves the contents of the root's only child into the root, as long as the root has one
    /// child.
    fn collapse_root(&mut self) -> Result<(), TreeError> {
        let root = self.tree.root;
        loop {
            let node = self.tree.open(self.edit.view(self.task, root)?, None);
            let child = node.and_then(|node| match node.level() > 0 && node.count() == 0 {
                true => Ok(Some((node.child(0)?, node.level() - 1))),
                false => Ok(None),
            });
            let Some((child, level)) = child.map_err(|damage| damage.at(root))? else {
                return Ok(());
            };
            let image = Box::new(*self.edit.view(self.task, child)?);
            let node = self.tree.open(&image, Some(level)).map_err(|damage| damage.at(child))?;
            if !node.lower().is_empty() || node.upper().is_some() {
                return Err(Damage("an only child does not hold all keys").at(child));
            }
            *self.edit.edit(self.task, root)? = *image;
            self.order.push(root);
            self.publish()?;
            self.edit.free(child);
        }
    }
}

/// Puts the entries of two neighbours together. The right one's first child gets the fence between
/// them as its key.
fn joined(left: &Node<'_>, separator: &[u8], right: &Node<'_>) -> Result<NodeBuilder, Damage> {
    let mut builder = NodeBuilder::new(left.level(), left.lower(), change::first_child(left));
    builder.push_node(left)?;
    if !right.is_leaf() {
        let child = right.child(0)?.0.to_le_bytes();
        builder.push(Key::whole(separator), [&child, &[]]);
    }
    builder.push_node(right)?;
    Ok(builder)
}
