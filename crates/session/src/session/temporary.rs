//! A session's temporary tables and procedures: `#t` by name, in tempdb by another.
//!
//! A table belongs to the level that made it and is dropped with it; modules called by that level
//! see it, and a table of the same name of their own hides it. Global ones (`##t`) are found by
//! their names in tempdb; here they are only noted to be dropped with the session.
//!
//! A table that is dropped in an open transaction stays in the list, since a rollback brings it
//! back; tempdb's schema says whether it exists. One whose level has ended is visible no more: it
//! is *left behind* until no transaction is open that could bring it back.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use base::ids::ObjectId;
use base::text::identifier::fold_identifier;

use crate::plan_cache::ModuleKey;
use crate::program::Program;

/// A temporary table of a session.
#[derive(Clone, Debug)]
pub struct TemporaryTable {
    /// Its name as the session knows it, folded.
    name: Box<str>,
    /// The table in tempdb.
    pub object: ObjectId,
    /// The place of the level that made it among the session's levels, from 1.
    level: usize,
    /// `##t`
    pub global: bool,
}

/// The temporary tables of a session.
#[derive(Default)]
pub struct TemporaryTables {
    tables: Vec<TemporaryTable>,
    /// Those that were dropped with their levels while a transaction was open.
    left_behind: Vec<ObjectId>,
    /// How many were made: part of the names in tempdb.
    made: u32,
    /// The programs of procedures by their ids; the database of a key is the one in which names are
    /// resolved.
    programs: RefCell<HashMap<ObjectId, (ModuleKey, Arc<Program>)>>,
    /// With how many tables the list is looked through for those that are gone.
    look_at: usize,
}

/// With fewer tables the list is not looked through.
const LOOK_MIN: usize = 16;

impl TemporaryTables {
    /// A table was made at a level.
    pub fn add(&mut self, name: &str, object: ObjectId, level: usize) {
        let global = name.starts_with("##");
        let name = fold_identifier(name).into();
        self.tables.push(TemporaryTable { name, object, level, global });
    }

    /// The tables of a name that the session made, the newest first. Those whose creation was
    /// rolled back, or that were dropped, are not in tempdb's schema any more.
    pub fn find(&self, name: &str) -> impl Iterator<Item = ObjectId> {
        let name: Arc<str> = fold_identifier(name).into();
        let of_name = move |t: &&TemporaryTable| !t.global && *t.name == *name;
        self.tables.iter().rev().filter(of_name).map(|t| t.object)
    }

    /// The tables of a name that were made at a level.
    pub fn made_at(&self, name: &str, level: usize) -> Vec<ObjectId> {
        let name = fold_identifier(name);
        let here = |t: &&TemporaryTable| !t.global && *t.name == *name && t.level == level;
        self.tables.iter().filter(here).map(|t| t.object).collect()
    }

    /// The name that the session has for a table.
    pub fn name_of(&self, object: ObjectId) -> Option<&str> {
        self.tables.iter().find(|t| t.object == object).map(|t| &*t.name)
    }

    /// A level has ended: its tables, which are to be dropped.
    pub fn end_level(&mut self, level: usize) -> Vec<ObjectId> {
        let mut ended = Vec::new();
        self.tables.retain(|table| {
            let stays = table.level < level || table.global;
            if !stays {
                ended.push(table.object);
            }
            stays
        });
        ended
    }

    /// The program of a temporary procedure, if it was last made for this.
    pub fn program(&self, key: &ModuleKey) -> Option<Arc<Program>> {
        let programs = self.programs.borrow();
        let (known, program) = programs.get(&key.object)?;
        (known == key).then(|| program.clone())
    }

    /// Keeps the program of a temporary procedure.
    pub fn keep_program(&self, key: ModuleKey, program: Arc<Program>) {
        self.programs.borrow_mut().insert(key.object, (key, program));
    }

    /// These were dropped in a transaction that may bring them back.
    pub fn leave_behind(&mut self, tables: &[ObjectId]) {
        self.left_behind.extend_from_slice(tables);
    }

    /// What was left behind, which is to be dropped: no transaction is open.
    pub fn take_left_behind(&mut self) -> Vec<ObjectId> {
        std::mem::take(&mut self.left_behind)
    }

    /// The session has ended or is reset: all tables, which are to be dropped.
    pub fn end_session(&mut self) -> Vec<ObjectId> {
        self.programs.get_mut().clear();
        let tables = self.tables.drain(..).map(|table| table.object);
        tables.chain(self.left_behind.drain(..)).collect()
    }

    /// Forgets tables that are not there any more, now and then. No transaction is open that could
    /// bring them back.
    pub fn forget_dropped(&mut self, is_there: impl Fn(ObjectId) -> bool) {
        if self.tables.len() >= self.look_at.max(LOOK_MIN) {
            self.tables.retain(|table| is_there(table.object));
            self.programs.get_mut().retain(|object, _| is_there(*object));
            self.look_at = 2 * self.tables.len();
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Whether there are some that were left behind.
    pub fn has_left_behind(&self) -> bool {
        !self.left_behind.is_empty()
    }

    /// A number for the name of a table that is about to be made.
    pub fn next_number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }
}
