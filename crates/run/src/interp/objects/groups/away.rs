//! Rows of groups that found no room: keys and arguments, in partitions.
//!
//! A record is the hash of the key, the key, the group's row, and then for each aggregate its
//! number, its arguments as a row and the encoded order.

use base::{Scratch, SqlError, SqlResult};
use engine::hot::row::RowLayout;
use engine::wait::Task;
use ir::Unit;
use ir::object::{AggregateDesc, GroupsDesc};

use super::{Group, Groups};
use crate::interp::machine::interrupted;
use crate::interp::memory::{Grant, Means, build_row};
use crate::interp::registers::{Registers, Values};
use crate::interp::slot::Slot;
use crate::interp::spill::{Fields, Partitions, put, put_number};

/// See the module's header.
#[derive(Debug)]
pub struct Away {
    partitions: Partitions,
    /// The record that is being put together, and its hash.
    record: Scratch,
    hash: u64,
    row: Scratch,
}

/// Bytes of a number and of the lengths of two strings of bytes.
const HEADER: usize = 24;

impl Away {
    /// Begins the record of a row whose group has these keys, and ends the one before.
    ///
    /// # Safety
    /// As for [`build_row`].
    pub unsafe fn begin<'s>(
        &mut self,
        means: &Means<'_>,
        hash: u64,
        key: &[u8],
        layout: &RowLayout,
        slots: impl Iterator<Item = &'s Slot> + Clone,
    ) -> SqlResult<()> {
        self.end_row(means.task)?;
        self.hash = hash;
        let account = means.grant.account();
        // SAFETY: the caller ensures that the slots fit the layout and that their bytes are alive.
        let row = unsafe { build_row(layout, slots, &mut self.row, account)? };
        let record = self.record.begin(HEADER + key.len() + row.len(), account)?;
        put_number(record, hash);
        put(record, key);
        put(record, row);
        Ok(())
    }

    /// Writes the current record, which has all its arguments.
    fn end_row(&mut self, task: &Task<'_>) -> SqlResult<()> {
        if !self.record.bytes().is_empty() {
            self.partitions.add(task, self.hash, &[self.record.bytes()])?;
            self.record.clear();
        }
        Ok(())
    }
}

impl Groups {
    /// Begins to write rows of new groups to partitions.
    #[cold]
    pub(super) fn spill(&mut self, refused: SqlError, means: &mut Means<'_>) -> SqlResult<()> {
        // A single group is not worth a file: its rows are taken in as they come.
        if self.groups.len() > 1 {
            let partitions = Partitions::new(means.spill(refused)?);
            let (record, row) = (Scratch::default(), Scratch::default());
            self.away = Some(Box::new(Away { partitions, record, hash: 0, row }));
        }
        self.overdraw(means);
        Ok(())
    }

    fn overdraw(&mut self, means: &mut Means<'_>) {
        let held = self.away.as_ref().map_or(0, |away| away.partitions.held_bytes());
        self.charge.overdraw(self.bytes() + held, means.grant);
    }

    /// Adds arguments to the row that is being written.
    #[cold]
    pub(super) fn put_off(
        &mut self,
        unit: &Unit,
        aggregate: &AggregateDesc,
        at: usize,
        regs: Registers<'_>,
        grant: &Grant,
    ) -> SqlResult<()> {
        let Groups { away: Some(away), key, .. } = self else { return Ok(()) };
        let Away { record, row, .. } = &mut **away;
        let layout = RowLayout::new(&aggregate.types.args);
        let slots = regs.slots(unit.list(aggregate.args));
        // SAFETY: an aggregate has one register per argument, of its type (U1).
        let row = unsafe { build_row(&layout, slots, row, grant.account())? };
        let order = regs.order(&aggregate.order.keys);
        aggregate.order.shape.encode(&order, key, grant.account())?;
        let record = record.more(HEADER + row.len() + key.len(), grant.account())?;
        put_number(record, at as u64);
        put(record, row);
        put(record, key);
        Ok(())
    }

    /// Forgets the groups in memory and makes those of the next partition. Returns whether there
    /// are any.
    #[cold]
    pub(super) fn next_partition(
        &mut self,
        desc: &GroupsDesc,
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        let Some(mut away) = self.away.take() else { return Ok(false) };
        away.end_row(means.task)?;
        if !away.partitions.next(means.task)? {
            return Ok(false);
        }
        self.forget(means);
        let layouts: Vec<RowLayout> =
            desc.aggregates.iter().map(|a| RowLayout::new(&a.types.args)).collect();
        let mut full = false;
        while away.partitions.advance(means.task)? {
            means.task.checkpoint().map_err(|_| interrupted())?;
            let hash = Fields(away.partitions.record()).number();
            full = !self.take_back(desc, &layouts, away.partitions.record(), full, means)? || full;
            if self.current == super::ELSEWHERE {
                away.partitions.put_off(means.task, hash)?;
            }
        }
        self.away = Some(away);
        self.overdraw(means);
        self.rewind(desc, means)?;
        Ok(true)
    }

    fn forget(&mut self, means: &mut Means<'_>) {
        let away = self.away.take();
        self.clear(means.grant);
        // If their memory were kept, the groups of every partition would have less room.
        (self.table, self.groups, self.states) = Default::default();
        self.seen.clear();
        self.away = away;
    }

    /// Takes in a row that was written, unless its group is new and memory `full`. Returns whether
    /// there is room for more groups.
    fn take_back(
        &mut self,
        desc: &GroupsDesc,
        layouts: &[RowLayout],
        record: &[u8],
        full: bool,
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        let mut fields = Fields(record);
        let hash = fields.number();
        let (key, row) = (fields.bytes(), fields.bytes());
        let Groups { memory, table, groups, .. } = self;
        let same = |(h, at): &(u64, u32)| *h == hash && memory.get(groups[*at as usize].key) == key;
        let mut room = true;
        match table.find(hash, same).copied() {
            Some((_, at)) => self.current = at,
            None if full || self.make_room(means.grant).is_err() => {
                self.current = super::ELSEWHERE;
                return Ok(false);
            }
            None => {
                let account = means.grant.account();
                let key = self.memory.keep_in(key, account)?;
                let group = Group { key, row: self.memory.keep_in(row, account)? };
                self.insert(desc, hash, group);
                room = self.charge.settle_granted(self.bytes(), means.grant).is_ok();
            }
        }
        while !fields.is_empty() {
            let at = fields.number() as usize;
            let (args, order) = (fields.bytes(), fields.bytes());
            let columns = 0..layouts[at].columns().len();
            let args: Values<'_> = columns.map(|column| layouts[at].get(args, column)).collect();
            self.key.copy_from(order, means.grant.account())?;
            self.take_in(desc, at, &args, means)?;
        }
        Ok(room)
    }
}
