//! The objects of units: the state that they have while a unit runs.
//!
//! Every back end uses these: an instruction on an object becomes a call of one of its methods.
//! Objects come from pools of the session and go back there when the unit ends, with the memory
//! that they keep. What they hold is charged to the statement's grant. When the grant is used up,
//! objects that can spill go on in files ([`crate::interp::spill`]); the others fail with error
//! 701.

pub mod cursor;
pub mod groups;
pub mod hash;
pub mod set;
pub mod sorter;
pub mod stream;
pub mod window;

use crate::interp::local::{LocalCursor, LocalTable};
use crate::interp::memory::Grant;
use cursor::{CursorCounts, TableCursor};
use groups::Groups;
use hash::HashTable;
use ir::ObjectDesc;
use ir::Unit;
use set::Set;
use sorter::Sorter;
use stream::OpenStream;
use window::Window;

/// An object of a unit that runs.
#[derive(Debug)]
pub enum Object {
    /// A cursor over an engine table.
    Cursor(Box<TableCursor>),
    /// A cursor over a local table.
    Local(Box<LocalCursor>),
    /// A worktable.
    Work(Box<LocalTable>),
    /// A sorter.
    Sort(Box<Sorter>),
    /// A join's hash table.
    Hash(Box<HashTable>),
    /// Groups.
    Groups(Box<Groups>),
    /// A set.
    Set(Box<Set>),
    /// A window.
    Window(Box<Window>),
    /// A stream.
    Stream(Box<OpenStream>),
}

impl Object {
    /// The counts of a cursor over an engine table (see [`TableCursor::take_counts`]); zeros of
    /// other objects.
    pub fn take_counts(&mut self) -> CursorCounts {
        match self {
            Object::Cursor(cursor) => cursor.take_counts(),
            _ => CursorCounts::default(),
        }
    }
}

/// Objects that wait to be used again, each in the box in which it moves between pool and
/// activation.
#[derive(Debug, Default)]
#[allow(clippy::vec_box, reason = "taking one moves a pointer, not the object")]
pub struct Pools {
    cursors: Vec<Box<TableCursor>>,
    locals: Vec<Box<LocalCursor>>,
    works: Vec<Box<LocalTable>>,
    sorters: Vec<Box<Sorter>>,
    hashes: Vec<Box<HashTable>>,
    groups: Vec<Box<Groups>>,
    sets: Vec<Box<Set>>,
    windows: Vec<Box<Window>>,
}

/// The most objects of one kind that a pool keeps.
const POOLED: usize = 16;

impl Pools {
    /// Takes an object of the kind that a descriptor demands.
    pub fn take(&mut self, unit: &Unit, desc: &ObjectDesc) -> Object {
        match desc {
            ObjectDesc::Cursor(_) => Object::Cursor(self.cursors.pop().unwrap_or_default()),
            ObjectDesc::LocalCursor(_) => Object::Local(self.locals.pop().unwrap_or_default()),
            ObjectDesc::Work(work) => {
                let layout = &unit.layouts[usize::from(work.layout)];
                Object::Work(match self.works.pop() {
                    Some(mut table) => {
                        table.reset_plain(layout);
                        table
                    }
                    None => Box::new(LocalTable::plain(layout.clone())),
                })
            }
            ObjectDesc::Sort(_) => Object::Sort(self.sorters.pop().unwrap_or_default()),
            ObjectDesc::Hash(_) => Object::Hash(self.hashes.pop().unwrap_or_default()),
            ObjectDesc::Groups(_) => Object::Groups(self.groups.pop().unwrap_or_default()),
            ObjectDesc::Set(_) => Object::Set(self.sets.pop().unwrap_or_default()),
            ObjectDesc::Window(_) => Object::Window(self.windows.pop().unwrap_or_default()),
            ObjectDesc::Stream(_) => Object::Stream(Box::default()),
        }
    }

    /// Takes an object back, emptied.
    pub fn give(&mut self, object: Object, grant: &mut Grant) {
        fn keep<T>(pool: &mut Vec<T>, object: T) {
            if pool.len() < POOLED {
                pool.push(object);
            }
        }
        match object {
            Object::Cursor(mut cursor) => {
                cursor.forget();
                keep(&mut self.cursors, cursor);
            }
            Object::Local(cursor) => keep(&mut self.locals, cursor),
            Object::Work(mut table) => {
                table.clear();
                table.release(grant);
                keep(&mut self.works, table);
            }
            Object::Sort(mut sorter) => {
                sorter.clear(None, grant);
                keep(&mut self.sorters, sorter);
            }
            Object::Hash(mut hash) => {
                hash.clear(grant);
                keep(&mut self.hashes, hash);
            }
            Object::Groups(mut groups) => {
                groups.clear(grant);
                keep(&mut self.groups, groups);
            }
            Object::Set(mut set) => {
                set.clear(grant);
                keep(&mut self.sets, set);
            }
            Object::Window(mut window) => {
                window.clear(grant);
                keep(&mut self.windows, window);
            }
            // A file is closed when the statement ends.
            Object::Stream(_) => {}
        }
    }
}

/// The hash of a key's bytes.
pub fn hash_key(key: &[u8]) -> u64 {
    base::collation::compare::hash_bytes(key)
}
