//! Sets of normalized keys: `DISTINCT`, distinct aggregates.
//!
//! When the grant is used up, the set keeps the keys that it has. Rows with other keys are written
//! to partitions, and read back when all input has been seen.

use base::{Scratch, SqlError, SqlResult, ValueRef};
use ir::key::{ChargedKey, KeyShape};
use ir::object::SetDesc;
use ir::{RegList, Unit};

use crate::interp::machine::interrupted;
use crate::interp::memory::{
    Charge, Grant, Means, Memory, Piece, clear_table, growth_bytes, table_bytes,
};
use crate::interp::objects::hash_key;
use crate::interp::registers::Registers;
use crate::interp::row;
use crate::interp::spill::{Fields, Partitions, put, put_number};

/// See the module's header.
#[derive(Debug, Default)]
pub struct Set {
    memory: Memory,
    table: hashbrown::HashTable<(u64, Piece)>,
    key: ChargedKey,
    charge: Charge,
    /// Rows whose keys found no room.
    away: Option<Box<Away>>,
}

#[derive(Debug)]
struct Away {
    partitions: Partitions,
    /// The hash of the key, the key, the row.
    record: Scratch,
    row: Scratch,
    /// Whether the current partition has used up the grant too.
    full: bool,
}

/// Bytes of a record beside key and row: the hash, and the lengths of both.
const HEADER: usize = 24;

impl Set {
    /// Empties the set.
    pub fn clear(&mut self, grant: &mut Grant) {
        self.memory.clear();
        clear_table(&mut self.table);
        self.away = None;
        self.charge.release(grant);
    }

    /// Adds a key of values. Returns whether it is new. Keys with different `group`s are different.
    /// If there is no room, returns false: what `row` writes comes later, from [`Set::next_row`].
    pub fn add(
        &mut self,
        shape: &KeyShape,
        values: &[ValueRef<'_>],
        group: u32,
        len: impl FnOnce() -> usize,
        row: impl FnOnce(&mut Vec<u8>),
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        shape.encode(values, &mut self.key, means.grant.account())?;
        self.key.extend(&group.to_le_bytes());
        self.add_key(len, row, means)
    }

    /// Adds the key of a row of these registers. Returns whether it is new. If there is no room,
    /// returns false: the row comes later, from [`Set::next_row`].
    pub fn add_row(
        &mut self,
        unit: &Unit,
        desc: &SetDesc,
        list: RegList,
        regs: Registers<'_>,
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        let list = unit.list(list);
        let values = regs.values(list, desc.keys.iter());
        desc.shape.encode(&values, &mut self.key, means.grant.account())?;
        let layout = &unit.layouts[usize::from(desc.layout)];
        // SAFETY: the descriptor's layout has one column per register of the list, of its type
        // (U1), and the bytes of registers are alive (U4).
        let len = || unsafe { row::built_len(layout, regs.slots(list)) };
        // SAFETY: as above.
        let row = |out: &mut Vec<u8>| unsafe { row::build(layout, regs.slots(list), out) };
        self.add_key(len, row, means)
    }

    /// Adds the current key.
    #[inline]
    fn add_key(
        &mut self,
        len: impl FnOnce() -> usize,
        row: impl FnOnce(&mut Vec<u8>),
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        let hash = hash_key(&self.key);
        if self.has(hash) {
            return Ok(false);
        }
        if self.away.is_none()
            && let Err(refused) = self.make_room(means.grant)
        {
            self.spill(refused, means)?;
        }
        if let Some(away) = &mut self.away {
            row(away.row.begin(len(), means.grant.account())?);
            away.put_off(hash, &self.key, means)?;
            return Ok(false);
        }
        self.insert(hash, means.grant)?;
        if let Err(refused) = self.charge.settle_granted(self.bytes(), means.grant) {
            self.spill(refused, means)?;
        }
        Ok(true)
    }

    /// Makes room for one more key. While a table grows, it takes the memory of the old table and
    /// of the new one.
    #[inline]
    fn make_room(&mut self, grant: &mut Grant) -> SqlResult<()> {
        match growth_bytes(&self.table) {
            0 => Ok(()),
            growth => self.charge.settle_granted(self.bytes() + growth, grant),
        }
    }

    /// Begins to write rows with new keys to partitions.
    #[cold]
    fn spill(&mut self, refused: SqlError, means: &mut Means<'_>) -> SqlResult<()> {
        let partitions = Partitions::new(means.spill(refused)?);
        let (record, row) = (Scratch::default(), Scratch::default());
        self.away = Some(Box::new(Away { partitions, record, row, full: false }));
        self.overdraw(means);
        Ok(())
    }

    /// Whether rows wait for [`Set::next_row`].
    pub fn has_spilled(&self) -> bool {
        self.away.is_some()
    }

    /// Forgets the keys, since all input has been seen. The rows in partitions stay.
    pub fn end_input(&mut self, means: &mut Means<'_>) {
        self.memory.clear();
        // If its memory were kept, the keys of every partition would have less room.
        self.table = hashbrown::HashTable::new();
        self.overdraw(means);
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        let same = |(h, p): &(u64, Piece)| *h == hash && self.memory.get(*p) == &self.key[..];
        self.table.find(hash, same).is_some()
    }

    #[inline]
    fn insert(&mut self, hash: u64, grant: &Grant) -> SqlResult<()> {
        let piece = self.memory.keep_in(&self.key, grant.account())?;
        self.table.insert_unique(hash, (hash, piece), |(h, _)| *h);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.memory.allocated() + table_bytes(&self.table)
    }

    fn overdraw(&mut self, means: &mut Means<'_>) {
        let held = self.away.as_ref().map_or(0, |away| away.partitions.held_bytes());
        self.charge.overdraw(self.bytes() + held, means.grant);
    }

    /// The next row from the partitions whose key is new. The row stays where it is until the next
    /// call.
    pub fn next_row(&mut self, means: &mut Means<'_>) -> SqlResult<Option<&[u8]>> {
        let Some(mut away) = self.away.take() else { return Ok(None) };
        while away.next_record(self, means)? {
            let mut fields = Fields(away.partitions.record());
            let hash = fields.number();
            let key = fields.bytes();
            self.key.copy_from(key, means.grant.account())?;
            if self.has(hash) {
                continue;
            }
            if away.full || self.make_room(means.grant).is_err() {
                away.full = true;
                away.partitions.put_off(means.task, hash)?;
                continue;
            }
            self.insert(hash, means.grant)?;
            away.full = self.charge.settle_granted(self.bytes(), means.grant).is_err();
            let away = self.away.insert(away);
            let mut fields = Fields(away.partitions.record());
            let (_, _) = (fields.number(), fields.bytes());
            return Ok(Some(fields.bytes()));
        }
        Ok(None)
    }
}

impl Away {
    /// Writes the current row.
    fn put_off(&mut self, hash: u64, key: &[u8], means: &mut Means<'_>) -> SqlResult<()> {
        let row = self.row.bytes();
        let record = self.record.begin(HEADER + key.len() + row.len(), means.grant.account())?;
        put_number(record, hash);
        put(record, key);
        put(record, row);
        self.partitions.add(means.task, hash, &[self.record.bytes()])
    }

    /// Steps to the next row of this partition or, after emptying the set, of the next partition.
    fn next_record(&mut self, set: &mut Set, means: &mut Means<'_>) -> SqlResult<bool> {
        means.task.checkpoint().map_err(|_| interrupted())?;
        while !self.partitions.advance(means.task)? {
            if !self.partitions.next(means.task)? {
                return Ok(false);
            }
            set.end_input(means);
            let bytes = set.bytes() + self.partitions.held_bytes();
            set.charge.overdraw(bytes, means.grant);
            self.full = false;
        }
        Ok(true)
    }
}
