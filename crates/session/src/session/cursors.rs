//! The cursors of a session, and their names and variables at each level.

use std::collections::HashMap;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::text::identifier::fold_identifier;
use base::{SqlError, SqlResult, SqlType, message};
use compile::bind::NamingColumn;
use engine::catalog::def::TableDef;
use engine::txn::locks::HeldDefinition;
use ir::operator::VarId;
use ir::site::ResultColumn;
use run::interp::Frame;
use run::interp::local::LocalTable;
use run::interp::memory::Grant;

use crate::program::Program;

/// Names a cursor of a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CursorId(pub i32);

/// Handles of clients start here, so that they look like SQL Server's.
const FIRST_ID: i32 = 180_150_003;

/// What a cursor shows of changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Model {
    Static,
    Keyset,
    Dynamic,
    FastForward,
}

/// What a cursor was declared to be.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its statements: the query with the key after its columns, and the query of one row.
    pub program: Arc<Program>,
    pub model: Model,
    /// Whether it can be moved in any direction.
    pub scroll: bool,
    pub read_only: bool,
    /// The keys of its rows' tables, in the order of `FROM`, if rows are sought again.
    pub keys: Vec<Key>,
}

impl Source {
    /// How many columns with keys are after those that users see; none if rows are not sought
    /// again.
    pub fn key_columns(&self) -> usize {
        self.keys.iter().map(|key| key.columns.len()).sum()
    }
}

/// The key by which rows of one table of a cursor are sought.
#[derive(Debug)]
pub(crate) struct Key {
    pub database: DbId,
    pub table: ObjectId,
    /// Where its columns begin among those of all keys.
    pub first: usize,
    /// An outer join may leave the table without a row: its key is NULL then.
    pub optional: bool,
    /// Its columns, and the variables of the cursor's own frame.
    pub columns: Vec<(NamingColumn, VarId, SqlType)>,
}

/// The table of a cursor whose rows are sought again, as it was when the cursor was opened.
pub(crate) struct HeldTable {
    pub definition: Arc<TableDef>,
    /// Keeps other sessions from changing the definition.
    pub _held: HeldDefinition,
}

/// The rows of an open cursor.
pub(crate) struct OpenRows {
    /// The tables of its keys.
    pub tables: Vec<HeldTable>,
    /// The columns that users see.
    pub columns: Box<[ResultColumn]>,
    pub rows: LocalTable,
    pub count: i64,
    /// 0 before the first row, `count + 1` after the last.
    pub position: i64,
    /// Whether there is a row at the position that was not deleted.
    pub on_row: bool,
    /// How many rows were fetched at once; the position is that of the first.
    pub block: i64,
}

/// A cursor.
pub(crate) struct Cursor {
    pub source: Arc<Source>,
    /// The values of variables when it was declared, and its key.
    pub frame: Frame,
    /// At which level it was declared.
    pub level: usize,
    pub open: Option<OpenRows>,
}

/// A cursor's place.
struct Slot {
    references: u32,
    /// `None` while a statement uses it.
    cursor: Option<Box<Cursor>>,
}

/// The cursors of a session.
#[derive(Default)]
pub struct Cursors {
    slots: HashMap<CursorId, Slot>,
    made: i32,
    pub(crate) global: HashMap<Box<str>, CursorId>,
}

/// The cursors that a level has names and variables for.
#[derive(Default, Debug)]
pub struct LocalCursors {
    pub(crate) named: HashMap<Box<str>, CursorId>,
    pub(crate) variables: Vec<Option<CursorId>>,
    /// The names of the variables that were set.
    pub(crate) names: HashMap<Box<str>, usize>,
    /// Variables of the level's frame for keys of rows, to be used again.
    pub(crate) keys: Vec<(SqlType, VarId)>,
}

impl Cursors {
    /// Adds a cursor with one reference to it.
    pub(crate) fn add(&mut self, cursor: Cursor) -> CursorId {
        let id = CursorId(FIRST_ID + self.made);
        self.made += 2;
        self.slots.insert(id, Slot { references: 1, cursor: Some(Box::new(cursor)) });
        id
    }

    /// A cursor that nothing uses at the moment.
    pub(crate) fn get(&self, id: CursorId) -> Option<&Cursor> {
        self.slots.get(&id)?.cursor.as_deref()
    }

    /// Takes a cursor to use it; [`Cursors::put_back`] follows. Error 16910.
    pub(crate) fn take(&mut self, id: CursorId, name: &str) -> SqlResult<Box<Cursor>> {
        let cursor = self.slots.get_mut(&id).and_then(|slot| slot.cursor.take());
        cursor.ok_or_else(|| SqlError::new(&message::CURSOR_IN_USE, &[&name]))
    }

    pub(crate) fn put_back(&mut self, id: CursorId, mut cursor: Box<Cursor>, grant: &mut Grant) {
        match self.slots.get_mut(&id) {
            Some(slot) => slot.cursor = Some(cursor),
            // It was deallocated while it was used.
            None => {
                cursor.close(grant);
            }
        }
    }

    pub(crate) fn refer(&mut self, id: CursorId) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.references += 1;
        }
    }

    /// Drops a reference, and the cursor with the last one.
    pub(crate) fn release(&mut self, id: CursorId, grant: &mut Grant) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        slot.references -= 1;
        if slot.references == 0
            && let Some(Slot { cursor: Some(mut cursor), .. }) = self.slots.remove(&id)
        {
            cursor.close(grant);
        }
    }

    /// What a level has ended with.
    pub(crate) fn end_level(&mut self, local: LocalCursors, grant: &mut Grant) {
        let variables = local.variables.into_iter().flatten();
        for id in local.named.into_values().chain(variables) {
            self.release(id, grant);
        }
    }

    /// Closes cursors.
    pub(crate) fn close(&mut self, which: impl Fn(&Cursor) -> bool, grant: &mut Grant) {
        let cursors = self.slots.values_mut().filter_map(|slot| slot.cursor.as_mut());
        cursors.filter(|cursor| which(cursor)).for_each(|cursor| {
            cursor.close(grant);
        });
    }

    /// Forgets all cursors: the session ends or is reset.
    pub(crate) fn clear(&mut self, grant: &mut Grant) {
        self.close(|_| true, grant);
        self.slots.clear();
        self.global.clear();
    }

    pub(crate) fn find_global(&self, name: &str) -> Option<CursorId> {
        self.global.get(&*fold_identifier(name)).copied()
    }
}

impl LocalCursors {
    pub(crate) fn find(&self, name: &str) -> Option<CursorId> {
        self.named.get(&*fold_identifier(name)).copied()
    }

    pub(crate) fn variable(&self, number: usize) -> Option<CursorId> {
        self.variables.get(number).copied().flatten()
    }

    /// Sets a cursor variable: what it referred to before.
    pub(crate) fn set(&mut self, number: usize, id: Option<CursorId>) -> Option<CursorId> {
        if self.variables.len() <= number {
            self.variables.resize(number + 1, None);
        }
        std::mem::replace(&mut self.variables[number], id)
    }
}

impl Cursor {
    /// Drops the rows. Returns whether the cursor was open.
    pub(crate) fn close(&mut self, grant: &mut Grant) -> bool {
        match self.open.take() {
            Some(mut open) => {
                open.rows.release(grant);
                true
            }
            None => false,
        }
    }
}
