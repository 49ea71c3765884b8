//! The rows of a local table and what statements do to them.

use std::sync::Arc;

use base::{SqlResult, ValueRef};
use engine::catalog::def::{IndexKind, TableDef};
use engine::hot::key::{KeyBuf, KeyColumn, KeySpec};
use engine::hot::row::RowLayout;

use crate::interp::local::index::{self, LocalIndex, LocalIndexSpec};
use crate::interp::memory::{Charge, Grant, Memory, Piece};
use crate::interp::slot::Slot;

/// A row of a local table: its place among the slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowId(pub u32);

/// What a local table is made from; shared by all tables of one type.
#[derive(Debug)]
pub struct LocalShape {
    /// The layout of the rows.
    pub layout: Arc<RowLayout>,
    /// The indexes, in the order of `TableDef::indexes`.
    pub indexes: Vec<LocalIndexSpec>,
    keys: Vec<KeySpec>,
    /// The first identity value and the step.
    identity: Option<(i64, i64)>,
}

impl LocalShape {
    /// Rows of this layout, without indexes.
    pub fn plain(layout: Arc<RowLayout>) -> Arc<LocalShape> {
        Arc::new(LocalShape { layout, indexes: Vec::new(), keys: Vec::new(), identity: None })
    }

    /// A table with these indexes.
    pub fn new(
        layout: Arc<RowLayout>,
        indexes: Vec<LocalIndexSpec>,
        identity: Option<(i64, i64)>,
    ) -> Arc<LocalShape> {
        let keys = indexes.iter().map(|spec| index::key_spec(&layout, spec)).collect();
        Arc::new(LocalShape { layout, indexes, keys, identity })
    }

    /// The shape of variables of a table type.
    pub fn of(table: &TableDef) -> Arc<LocalShape> {
        let types: Vec<base::SqlType> = table.stored_columns().map(|c| c.ty).collect();
        let place = |column| {
            let ordinal = table.column_ordinal(column)?;
            Some((table.layout_position(ordinal)?, table.columns[ordinal].nullable))
        };
        let indexes = (table.indexes.iter())
            .map(|index| LocalIndexSpec {
                columns: (index.key.iter())
                    .filter_map(|k| {
                        let (column, nullable) = place(k.column)?;
                        Some(KeyColumn { column, descending: k.descending, nullable })
                    })
                    .collect(),
                hash: index.kind == IndexKind::Hash,
                unique: index.unique,
            })
            .collect();
        let identity = table.identity_column().and_then(|(_, c)| c.identity);
        let identity = identity.map(|i| (i.seed, i.increment));
        LocalShape::new(Arc::new(RowLayout::new(&types)), indexes, identity)
    }

    /// The keys of an index.
    pub fn key(&self, index: usize) -> &KeySpec {
        &self.keys[index]
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    piece: Piece,
    state: State,
    /// In the open statement: the entry of the undo log with the old image, counted from 1; 0 if
    /// there is none.
    changed: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Alive,
    /// Inserted by the open statement.
    Born,
    /// Deleted by the open statement.
    Dying,
    Free,
}

/// What undoes one change.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Insert(RowId),
    Update(RowId, Piece),
    Delete(RowId),
}

/// A unique index that refuses a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// Its place among the indexes.
    pub index: usize,
}

/// The result of an insert.
pub type Inserted = Result<RowId, Duplicate>;

/// The result of an update or delete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// The row was changed.
    Done,
    /// The open statement has already changed the row.
    Repeated,
    /// The row is gone.
    Gone,
    /// A unique index refuses the new row.
    Duplicate(Duplicate),
}

/// See the module's header.
#[derive(Debug)]
pub struct LocalTable {
    shape: Arc<LocalShape>,
    memory: Memory,
    rows: Vec<Row>,
    free: Vec<RowId>,
    indexes: Vec<LocalIndex>,
    live: usize,
    /// Bytes of images that nothing refers to.
    garbage: usize,
    in_statement: bool,
    undo: Vec<Undo>,
    /// The identity value given last.
    identity: Option<i64>,
    charge: Charge,
    key: KeyBuf,
}

/// Garbage below this is not worth collecting.
const GARBAGE_MIN: usize = 64 << 10;

impl LocalTable {
    /// An empty table.
    pub fn new(shape: Arc<LocalShape>) -> LocalTable {
        let indexes = shape.indexes.iter().map(LocalIndex::new).collect();
        LocalTable {
            shape,
            memory: Memory::new(),
            rows: Vec::new(),
            free: Vec::new(),
            indexes,
            live: 0,
            garbage: 0,
            in_statement: false,
            undo: Vec::new(),
            identity: None,
            charge: Charge::default(),
            key: KeyBuf::new(),
        }
    }

    /// An empty table of rows of this layout, without indexes.
    pub fn plain(layout: Arc<RowLayout>) -> LocalTable {
        LocalTable::new(LocalShape::plain(layout))
    }

    /// Empties the table, for rows of this layout, without indexes.
    pub fn reset_plain(&mut self, layout: &Arc<RowLayout>) {
        if !Arc::ptr_eq(&self.shape.layout, layout) || !self.shape.indexes.is_empty() {
            self.reset(&LocalShape::plain(layout.clone()));
        }
        self.clear();
    }

    /// The shape that the table was made from.
    pub fn shape(&self) -> &Arc<LocalShape> {
        &self.shape
    }

    /// The layout of its rows.
    pub fn layout(&self) -> &Arc<RowLayout> {
        &self.shape.layout
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Empties the table, for rows of this shape.
    pub fn reset(&mut self, shape: &Arc<LocalShape>) {
        if !Arc::ptr_eq(&self.shape, shape) {
            self.shape = shape.clone();
            self.indexes = shape.indexes.iter().map(LocalIndex::new).collect();
        }
        self.clear();
        self.identity = None;
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        debug_assert!(!self.in_statement, "a statement goes on");
        self.memory.clear();
        self.rows.clear();
        self.free.clear();
        self.indexes.iter_mut().for_each(LocalIndex::clear);
        self.live = 0;
        self.garbage = 0;
    }

    /// Adds a row of these bytes, visible at once. For tables without unique indexes.
    pub fn push(&mut self, bytes: &[u8]) -> RowId {
        let piece = self.memory.keep(bytes);
        self.add(piece, State::Alive)
    }

    /// Adds a row of these values, visible at once, and charges it.
    pub fn push_charged(&mut self, values: &[ValueRef<'_>], grant: &mut Grant) -> SqlResult<()> {
        grant.admit(values.iter().map(ValueRef::byte_len).sum())?;
        self.push_values(values);
        self.settle(grant)
    }

    /// Adds a row of these values, visible at once.
    pub fn push_values(&mut self, values: &[ValueRef<'_>]) -> RowId {
        let mut bytes = Vec::new();
        self.shape.layout.build(values, &mut bytes);
        self.push(&bytes)
    }

    /// Adds a row of these slots, visible at once, and charges it.
    ///
    /// # Safety
    /// As for [`crate::interp::row::build`], with the layout of this table.
    pub unsafe fn push_slots<'s>(
        &mut self,
        slots: impl Iterator<Item = &'s Slot> + Clone,
        grant: &mut Grant,
    ) -> SqlResult<()> {
        let shape = self.shape.clone();
        // SAFETY: the caller ensures that the slots fit this table's layout and that their bytes
        // are alive.
        let piece = unsafe { self.memory.keep_row(&shape.layout, slots, grant.account())? };
        self.add(piece, State::Alive);
        self.settle(grant)
    }

    fn add(&mut self, piece: Piece, state: State) -> RowId {
        let row = Row { piece, state, changed: 0 };
        let id = match self.free.pop() {
            Some(id) => {
                self.rows[id.0 as usize] = row;
                id
            }
            None => {
                self.rows.push(row);
                RowId((self.rows.len() - 1) as u32)
            }
        };
        self.live += 1;
        if !self.indexes.is_empty() {
            self.link(id, true);
        }
        id
    }

    /// Adds a row to all indexes, or removes it.
    fn link(&mut self, id: RowId, add: bool) {
        let LocalTable { shape, memory, rows, indexes, key, .. } = self;
        let bytes = memory.get(rows[id.0 as usize].piece);
        for (index, spec) in indexes.iter_mut().zip(&shape.keys) {
            index::encode(spec, &shape.layout, bytes, key);
            if add { index.insert(key, id) } else { index.remove(key, id) }
        }
    }

    /// Begins a statement that changes the table.
    pub fn begin_statement(&mut self) {
        debug_assert!(!self.in_statement, "statements on a local table do not nest");
        self.in_statement = true;
    }

    /// Whether a statement that changes the table is open.
    pub fn in_statement(&self) -> bool {
        self.in_statement
    }

    /// Ends a statement that has succeeded.
    pub fn end_statement(&mut self) {
        self.in_statement = false;
        for undo in std::mem::take(&mut self.undo) {
            match undo {
                Undo::Insert(id) => {
                    let row = &mut self.rows[id.0 as usize];
                    if row.state == State::Born {
                        row.state = State::Alive;
                    }
                    row.changed = 0;
                }
                Undo::Update(id, old) => {
                    self.rows[id.0 as usize].changed = 0;
                    self.garbage += old.byte_len();
                }
                Undo::Delete(id) => self.free_row(id),
            }
        }
        if self.garbage > GARBAGE_MIN && self.garbage > self.memory.allocated() / 2 {
            self.collect();
        }
    }

    /// Undoes what the statement has done, and ends it.
    pub fn rollback_statement(&mut self) {
        self.in_statement = false;
        for undo in std::mem::take(&mut self.undo).into_iter().rev() {
            match undo {
                Undo::Insert(id) => self.free_row(id),
                Undo::Update(id, old) => {
                    let row = &mut self.rows[id.0 as usize];
                    self.garbage += row.piece.byte_len();
                    row.piece = old;
                    row.changed = 0;
                }
                Undo::Delete(id) => {
                    self.rows[id.0 as usize].state = State::Alive;
                    self.live += 1;
                }
            }
        }
    }

    /// Unlinks a row and gives its slot to others.
    fn free_row(&mut self, id: RowId) {
        self.link(id, false);
        let row = &mut self.rows[id.0 as usize];
        if row.state != State::Dying {
            self.live -= 1;
        }
        row.state = State::Free;
        row.changed = 0;
        self.garbage += row.piece.byte_len();
        self.free.push(id);
    }

    /// Copies what is alive to new memory.
    fn collect(&mut self) {
        let mut memory = Memory::new();
        for row in self.rows.iter_mut().filter(|r| r.state != State::Free) {
            row.piece = memory.keep(self.memory.get(row.piece));
        }
        self.memory = memory;
        self.garbage = 0;
    }

    /// The unique index, if any, that has a live row with this row's key. A row that the statement
    /// has deleted does not count.
    fn duplicate_of(&mut self, bytes: &[u8]) -> Option<Duplicate> {
        let LocalTable { shape, rows, indexes, key, .. } = self;
        for (at, (index, spec)) in indexes.iter().zip(&shape.keys).enumerate() {
            if shape.indexes[at].unique {
                index::encode(spec, &shape.layout, bytes, key);
                let alive = |id: &RowId| rows[id.0 as usize].state != State::Dying;
                if index.get(key).iter().any(alive) {
                    return Some(Duplicate { index: at });
                }
            }
        }
        None
    }

    /// Inserts a row on behalf of the open statement.
    pub fn insert(&mut self, bytes: &[u8]) -> Inserted {
        debug_assert!(self.in_statement);
        if let Some(duplicate) = self.duplicate_of(bytes) {
            return Err(duplicate);
        }
        let piece = self.memory.keep(bytes);
        let id = self.add(piece, State::Born);
        self.undo.push(Undo::Insert(id));
        Ok(id)
    }

    /// Replaces a row on behalf of the open statement.
    pub fn update(&mut self, id: RowId, bytes: &[u8]) -> Changed {
        debug_assert!(self.in_statement);
        let row = self.rows[id.0 as usize];
        match row.state {
            State::Alive if row.changed == 0 => {}
            State::Alive | State::Born => return Changed::Repeated,
            State::Dying => return Changed::Repeated,
            State::Free => return Changed::Gone,
        }
        if self.same_keys(row.piece, bytes) {
            self.undo.push(Undo::Update(id, row.piece));
            let piece = self.memory.keep(bytes);
            self.rows[id.0 as usize] =
                Row { piece, state: State::Alive, changed: self.undo.len() as u32 };
            return Changed::Done;
        }
        self.kill(id);
        if let Err(duplicate) = self.insert(bytes) {
            return Changed::Duplicate(duplicate);
        }
        Changed::Done
    }

    fn same_keys(&self, old: Piece, new: &[u8]) -> bool {
        let old = self.memory.get(old);
        let (mut a, mut b) = (KeyBuf::new(), KeyBuf::new());
        self.shape.keys.iter().all(|spec| {
            index::encode(spec, &self.shape.layout, old, &mut a);
            index::encode(spec, &self.shape.layout, new, &mut b);
            a[..] == b[..]
        })
    }

    /// Deletes a row on behalf of the open statement.
    pub fn delete(&mut self, id: RowId) -> Changed {
        debug_assert!(self.in_statement);
        let row = self.rows[id.0 as usize];
        match row.state {
            State::Alive if row.changed == 0 => {
                self.kill(id);
                Changed::Done
            }
            State::Alive | State::Born | State::Dying => Changed::Repeated,
            State::Free => Changed::Gone,
        }
    }

    fn kill(&mut self, id: RowId) {
        self.rows[id.0 as usize].state = State::Dying;
        self.live -= 1;
        self.undo.push(Undo::Delete(id));
    }

    /// The next identity value. `None` when a bigint cannot hold it.
    pub fn next_identity(&mut self) -> Option<i64> {
        let (seed, increment) = self.shape.identity?;
        let next = match self.identity {
            None => seed,
            Some(last) => last.checked_add(increment)?,
        };
        self.identity = Some(next);
        Some(next)
    }

    /// The image of a row that a reader sees, if it sees one.
    #[inline]
    pub fn visible(&self, id: RowId) -> Option<&[u8]> {
        let row = self.rows.get(id.0 as usize)?;
        match row.state {
            State::Alive | State::Dying if row.changed == 0 => Some(self.memory.get(row.piece)),
            State::Alive | State::Dying => match self.undo[row.changed as usize - 1] {
                Undo::Update(_, old) => Some(self.memory.get(old)),
                _ => unreachable!("`changed` names an update"),
            },
            State::Born | State::Free => None,
        }
    }

    /// The newest image of a row.
    pub fn current(&self, id: RowId) -> &[u8] {
        self.memory.get(self.rows[id.0 as usize].piece)
    }

    /// How many slots there are. Every row is in a slot with a lower number.
    pub fn slots(&self) -> u32 {
        self.rows.len() as u32
    }

    /// An index.
    pub fn index_at(&self, index: usize) -> &LocalIndex {
        &self.indexes[index]
    }

    /// The visible rows, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.slots()).filter_map(|id| self.visible(RowId(id)))
    }

    /// Charges what the table holds.
    pub fn settle(&mut self, grant: &mut Grant) -> SqlResult<()> {
        let rows = self.rows.capacity() * size_of::<Row>();
        let indexes: usize = self.indexes.iter().map(LocalIndex::allocated).sum();
        self.charge.settle(self.memory.allocated() + rows + indexes, grant)
    }

    /// Gives back what was charged, before the table is dropped or handed on.
    pub fn release(&mut self, grant: &mut Grant) {
        self.charge.release(grant);
    }
}
