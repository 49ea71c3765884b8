//! The directory: a tree that says where all trees of a database are.
//!
//! ```text
//! key     storage id u64 | index ordinal u32, both big-endian
//! value   root u64 | entries u64 | flags u32 | user bytes
//! ```

use std::ops::{Bound, ControlFlow};

use super::entry::Entry;
use super::error::{Damage, TreeError};
use super::scan::{Chunk, Direction, Range};
use super::{Action, Change, Tree};
use crate::cold::ColdError;
use crate::cold::{Edit, PageNumber, Pages};
use crate::wait::Task;

/// Identifies a tree: an index of a storage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TreeId {
    /// The storage.
    pub storage: u64,
    /// The index's ordinal in the storage.
    pub ordinal: u32,
}

/// The directory's record of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeRecord {
    /// The tree.
    pub tree: Tree,
    /// Entries, as its writers have counted.
    pub entries: u64,
    /// Flags that the directory's user defines.
    pub flags: u32,
    /// Bytes that the directory's user defines.
    pub user: Vec<u8>,
}

/// A tree in the directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEntry {
    /// What identifies it.
    pub id: TreeId,
    /// What the directory says of it.
    pub record: TreeRecord,
}

/// The directory of a database's trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directory(Tree);

impl TreeId {
    fn key(self) -> [u8; 12] {
        let mut key = [0; 12];
        key[..8].copy_from_slice(&self.storage.to_be_bytes());
        key[8..].copy_from_slice(&self.ordinal.to_be_bytes());
        key
    }

    fn parse(key: &[u8]) -> Option<TreeId> {
        let (storage, ordinal) = key.split_first_chunk()?;
        let ordinal = u32::from_be_bytes(ordinal.try_into().ok()?);
        Some(TreeId { storage: u64::from_be_bytes(*storage), ordinal })
    }
}

impl TreeRecord {
    fn value(&self) -> Vec<u8> {
        let mut value = self.tree.root().0.to_le_bytes().to_vec();
        value.extend_from_slice(&self.entries.to_le_bytes());
        value.extend_from_slice(&self.flags.to_le_bytes());
        value.extend_from_slice(&self.user);
        value
    }

    fn parse(value: &[u8]) -> Option<TreeRecord> {
        let (root, rest) = value.split_first_chunk()?;
        let (entries, rest) = rest.split_first_chunk()?;
        let (flags, user) = rest.split_first_chunk()?;
        Some(TreeRecord {
            tree: Tree::at(PageNumber(u64::from_le_bytes(*root))),
            entries: u64::from_le_bytes(*entries),
            flags: u32::from_le_bytes(*flags),
            user: user.to_vec(),
        })
    }
}

impl Directory {
    /// The directory with this root.
    pub const fn at(root: PageNumber) -> Directory {
        Directory(Tree::at(root))
    }

    /// Turns an existing page into an empty directory.
    pub fn create_at(
        edit: &mut impl Edit,
        task: &Task<'_>,
        root: PageNumber,
    ) -> Result<Directory, TreeError> {
        Ok(Directory(Tree::create_at(edit, task, root)?))
    }

    /// The tree that the directory is, for checks.
    pub fn tree(&self) -> Tree {
        self.0
    }

    /// Looks up the record of a tree.
    pub fn get(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        id: TreeId,
    ) -> Result<Option<TreeRecord>, TreeError> {
        let found = self.0.find(pages, task, &id.key(), |entry| TreeRecord::parse(entry.value))?;
        match found {
            Some(None) => Err(self.damaged()),
            found => Ok(found.flatten()),
        }
    }

    /// Puts the record of a tree. The caller finishes the batch.
    pub fn put(
        &self,
        edit: &mut impl Edit,
        task: &Task<'_>,
        id: TreeId,
        record: &TreeRecord,
    ) -> Result<(), TreeError> {
        let (key, value) = (id.key(), record.value());
        let change = Change { key: &key, action: Action::Put { stamp: 0, value: &value } };
        self.0.apply(edit, task, &[change], |_, _| {}).map(|_| ())
    }

    /// Removes the record of a tree. Returns whether there was one. The caller finishes the batch.
    pub fn remove(
        &self,
        edit: &mut impl Edit,
        task: &Task<'_>,
        id: TreeId,
    ) -> Result<bool, TreeError> {
        self.0.delete(edit, task, &id.key())
    }

    /// Lists all trees, or those of one storage, by storage and ordinal.
    pub fn list(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        storage: Option<u64>,
    ) -> Result<Vec<TreeEntry>, TreeError> {
        let bounds =
            storage.map(|storage| [0, u32::MAX].map(|ordinal| TreeId { storage, ordinal }.key()));
        let range = match &bounds {
            None => Range::ALL,
            Some([low, high]) => {
                Range { lower: Bound::Included(low), upper: Bound::Included(high) }
            }
        };
        let mut cursor = self.0.cursor(range, Direction::Forward);
        let mut trees = Vec::new();
        let mut damaged = false;
        let parse = |entry: &Entry<'_>| {
            let id = TreeId::parse(&entry.key.to_vec())?;
            Some(TreeEntry { id, record: TreeRecord::parse(entry.value)? })
        };
        loop {
            let chunk = cursor.next_chunk(pages, task, |entry| {
                match parse(&entry) {
                    Some(tree) => trees.push(tree),
                    None => damaged = true,
                }
                ControlFlow::Continue(())
            })?;
            if damaged {
                return Err(self.damaged());
            }
            if chunk == Chunk::Ended {
                return Ok(trees);
            }
            task.checkpoint().map_err(ColdError::Interrupted)?;
        }
    }

    fn damaged(&self) -> TreeError {
        Damage("an entry of the directory makes no sense").at(self.0.root())
    }
}
