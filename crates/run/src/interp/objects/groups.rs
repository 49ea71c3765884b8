//! Groups and their aggregates.
//!
//! When the grant is used up, the groups in memory stay there and take in their rows. Rows of all
//! other groups are written to partitions ([`away`]), which are aggregated one after the other once
//! the groups in memory have been returned. A distinct aggregate writes arguments for which its set
//! has no room to partitions of its own ([`distinct`]), and takes them in before the groups are
//! returned.

mod away;
mod distinct;

use away::Away;
use base::{Arena, SqlResult, Value, ValueRef};
use ir::function::AggregateState;
use ir::function::facts::paced;
use ir::key::ChargedKey;
use ir::object::{AggregateDesc, GroupsDesc};
use ir::{RegList, Unit};

use crate::interp::memory::{
    Charge, Grant, Means, Memory, Piece, clear_list, clear_table, growth_bytes, table_bytes,
};
use crate::interp::objects::hash_key;
use crate::interp::objects::set::Set;
use crate::interp::registers::{Registers, Values};

#[derive(Clone, Copy, Debug)]
struct Group {
    key: Piece,
    row: Piece,
}

/// A row that waits for the others, because an aggregate requires them in order.
#[derive(Debug)]
struct Waiting {
    group: u32,
    key: Box<[u8]>,
    args: Box<[Value]>,
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct Groups {
    memory: Memory,
    /// Hashes of keys, and the groups.
    table: hashbrown::HashTable<(u64, u32)>,
    groups: Vec<Group>,
    /// For each group, one per aggregate.
    states: Vec<AggregateState>,
    current: u32,
    /// The next group to be returned.
    at: u32,
    /// What distinct aggregates have seen, by aggregate. An object that has served more aggregates
    /// before has more sets: empty ones.
    seen: Vec<Set>,
    /// What ordered aggregates collect, by aggregate.
    waiting: Vec<Vec<Waiting>>,
    /// Whether an aggregate has left out a NULL: warning 8153.
    null_eliminated: bool,
    key: ChargedKey,
    charge: Charge,
    /// Bytes of what aggregates collect and of arguments that wait, and what was charged for them.
    /// They cannot be put into files.
    collected: usize,
    collected_charge: Charge,
    /// Rows of groups that found no room.
    away: Option<Box<Away>>,
}

/// Stands for the current group where that is not in memory.
const ELSEWHERE: u32 = u32::MAX;

/// Bytes that a waiting row takes beside its values, roughly.
const WAITING: usize = 96;

impl Groups {
    /// Forgets all groups.
    pub fn clear(&mut self, grant: &mut Grant) {
        self.memory.clear();
        clear_table(&mut self.table);
        clear_list(&mut self.groups);
        clear_list(&mut self.states);
        self.seen.iter_mut().for_each(|set| set.clear(grant));
        self.waiting.clear();
        (self.current, self.at) = (0, 0);
        self.null_eliminated = false;
        self.away = None;
        self.charge.release(grant);
        self.collected = 0;
        self.collected_charge.release(grant);
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether an aggregate has left out a NULL since the last call.
    pub fn take_null_eliminated(&mut self) -> bool {
        std::mem::take(&mut self.null_eliminated)
    }

    fn encode(
        &mut self,
        unit: &Unit,
        desc: &GroupsDesc,
        keys: RegList,
        regs: Registers<'_>,
        grant: &Grant,
    ) -> SqlResult<()> {
        let values = regs.values(unit.list(keys), desc.keys.iter());
        desc.shape.encode(&values, &mut self.key, grant.account())
    }

    /// Whether the current group has these keys.
    pub fn is_current(
        &mut self,
        unit: &Unit,
        desc: &GroupsDesc,
        keys: RegList,
        regs: Registers<'_>,
        grant: &Grant,
    ) -> SqlResult<bool> {
        if self.groups.is_empty() {
            return Ok(false);
        }
        self.encode(unit, desc, keys, regs, grant)?;
        Ok(self.memory.get(self.groups[self.current as usize].key) == &self.key[..])
    }

    /// Makes the group with these keys current; creates it if there is none.
    pub fn find(
        &mut self,
        unit: &Unit,
        desc: &GroupsDesc,
        keys: RegList,
        regs: Registers<'_>,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        self.encode(unit, desc, keys, regs, means.grant)?;
        let hash = hash_key(&self.key);
        let Groups { memory, table, groups, key, .. } = self;
        let same =
            |(h, at): &(u64, u32)| *h == hash && memory.get(groups[*at as usize].key) == &key[..];
        if let Some((_, at)) = table.find(hash, same) {
            self.current = *at;
            return Ok(());
        }
        if self.away.is_none()
            && let Err(refused) = self.make_room(means.grant)
        {
            self.spill(refused, means)?;
        }
        let Groups { memory, key, away, .. } = self;
        let layout = &unit.layouts[usize::from(desc.layout)];
        let slots = regs.slots(unit.list(keys));
        if let Some(away) = away {
            self.current = ELSEWHERE;
            // SAFETY: the descriptor's layout has one column per key, of its type (U1), and the
            // bytes of registers are alive (U4).
            return unsafe { away.begin(means, hash, key, layout, slots) };
        }
        // SAFETY: as for `begin` above; `keep_row` demands the same.
        let row = unsafe { memory.keep_row(layout, slots, means.grant.account())? };
        let key = memory.keep_in(key, means.grant.account())?;
        self.insert(desc, hash, Group { key, row });
        match self.charge.settle_granted(self.bytes(), means.grant) {
            Ok(()) => Ok(()),
            Err(refused) => self.spill(refused, means),
        }
    }

    /// Makes room for one more group. While a table grows, it takes the memory of the old table and
    /// of the new one.
    #[inline]
    fn make_room(&mut self, grant: &mut Grant) -> SqlResult<()> {
        match growth_bytes(&self.table) {
            0 => Ok(()),
            growth => self.charge.settle_granted(self.bytes() + growth, grant),
        }
    }

    /// Creates a group, which is then the current one.
    fn insert(&mut self, desc: &GroupsDesc, hash: u64, group: Group) {
        self.current = self.groups.len() as u32;
        self.groups.push(group);
        self.table.insert_unique(hash, (hash, self.current), |(h, _)| *h);
        self.states.extend(desc.aggregates.iter().map(|a| (a.function.init)(&a.types)));
    }

    fn bytes(&self) -> usize {
        self.memory.allocated()
            + table_bytes(&self.table)
            + self.groups.capacity() * size_of::<Group>()
            + self.states.capacity() * size_of::<AggregateState>()
            + self.waiting.iter().map(|w| w.capacity() * WAITING).sum::<usize>()
    }

    /// Adds a row to an aggregate of the current group.
    pub fn add(
        &mut self,
        unit: &Unit,
        desc: &GroupsDesc,
        aggregate: u16,
        regs: Registers<'_>,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        let at = usize::from(aggregate);
        let aggregate = &desc.aggregates[at];
        let (one, more);
        let args = match (unit.list(aggregate.args), &aggregate.types.args[..]) {
            ([], _) => &[][..],
            ([reg], [ty]) => {
                one = [regs.value(*reg, ty)];
                &one[..]
            }
            (args, types) => {
                more = regs.values(args, types);
                &more[..]
            }
        };
        if aggregate.function.warns_of_null && args.first().is_some_and(ValueRef::is_null) {
            self.null_eliminated = true;
        }
        if self.current == ELSEWHERE {
            return self.put_off(unit, aggregate, at, regs, means.grant);
        }
        let order = &aggregate.order;
        if !order.keys.is_empty() {
            order.shape.encode(&regs.order(&order.keys), &mut self.key, means.grant.account())?;
        }
        self.take_in(desc, at, args, means)
    }

    /// Adds rows to all aggregates of the current group, which have no arguments.
    pub fn add_rows(&mut self, desc: &GroupsDesc, rows: u64) -> SqlResult<()> {
        debug_assert_ne!(self.current, ELSEWHERE, "the only group is in memory");
        let first = self.current as usize * desc.aggregates.len();
        for (aggregate, state) in desc.aggregates.iter().zip(&mut self.states[first..]) {
            for _ in 0..rows {
                (aggregate.function.add)(state, &[], &aggregate.types)?;
            }
        }
        Ok(())
    }

    /// Adds a row's arguments to an aggregate of the current group. If the aggregate requires an
    /// order, `key` holds the encoded order.
    #[inline]
    fn take_in(
        &mut self,
        desc: &GroupsDesc,
        at: usize,
        args: &[ValueRef<'_>],
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        let aggregate = &desc.aggregates[at];
        if let Some(shape) = &aggregate.distinct
            && !self.is_new(aggregate, shape, at, args, means)?
        {
            return Ok(());
        }
        self.put_in(desc, at, args, means)
    }

    /// As `take_in`, without looking for duplicates of the arguments.
    #[inline]
    fn put_in(
        &mut self,
        desc: &GroupsDesc,
        at: usize,
        args: &[ValueRef<'_>],
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        let aggregate = &desc.aggregates[at];
        if !aggregate.order.keys.is_empty() {
            return self.wait(at, args, means.grant);
        }
        let state = self.current as usize * desc.aggregates.len() + at;
        let state = &mut self.states[state];
        if state.collects() || aggregate.types.result.is_max() {
            return collect(state, aggregate, args, &mut self.collected, |bytes| {
                self.collected_charge.settle(bytes, means.grant)
            });
        }
        (aggregate.function.add)(state, args, &aggregate.types)?;
        if state.collects() {
            self.collected += state.heap_bytes();
            self.collected_charge.settle(self.collected, means.grant)?;
        }
        Ok(())
    }

    fn wait(&mut self, at: usize, args: &[ValueRef<'_>], grant: &mut Grant) -> SqlResult<()> {
        while self.waiting.len() <= at {
            self.waiting.push(Vec::new());
        }
        self.collected += self.key.len() + args.iter().map(|a| a.byte_len()).sum::<usize>();
        self.collected_charge.settle(self.collected, grant)?;
        let args = args.iter().map(|a| ValueRef::to_owned(*a)).collect();
        self.waiting[at].push(Waiting { group: self.current, key: (&self.key[..]).into(), args });
        self.charge.settle(self.bytes(), grant)
    }

    /// Positions before the first group, after taking in the rows that waited for an order or in a
    /// file.
    pub fn rewind(&mut self, desc: &GroupsDesc, means: &mut Means<'_>) -> SqlResult<()> {
        self.at = 0;
        if self.seen.iter().any(Set::has_spilled) {
            self.take_in_distinct(desc, means)?;
        }
        for (at, mut rows) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            let aggregate = &desc.aggregates[at];
            rows.sort_by(|a, b| (a.group, &a.key).cmp(&(b.group, &b.key)));
            for row in rows {
                paced(means.task)?;
                let state = row.group as usize * desc.aggregates.len() + at;
                let args: Values<'_> = row.args.iter().map(Value::as_ref).collect();
                let state = &mut self.states[state];
                let (charge, grant) = (&mut self.collected_charge, &mut *means.grant);
                collect(state, aggregate, &args, &mut self.collected, |bytes| {
                    charge.settle(bytes, grant)
                })?;
            }
        }
        Ok(())
    }

    /// Makes the next group current; its keys as a row, which stays where it is until the next
    /// call.
    #[inline]
    pub fn next_row(
        &mut self,
        desc: &GroupsDesc,
        means: &mut Means<'_>,
    ) -> SqlResult<Option<&[u8]>> {
        if self.at as usize == self.groups.len() && !self.next_partition(desc, means)? {
            return Ok(None);
        }
        let row = self.groups[self.at as usize].row;
        self.current = self.at;
        self.at += 1;
        Ok(Some(self.memory.get(row)))
    }

    /// The result of an aggregate of the current group.
    pub fn result<'a>(
        &self,
        desc: &GroupsDesc,
        aggregate: u16,
        arena: &'a Arena,
    ) -> SqlResult<ValueRef<'a>> {
        let state = self.current as usize * desc.aggregates.len() + usize::from(aggregate);
        let aggregate = &desc.aggregates[usize::from(aggregate)];
        let state = &self.states[state];
        arena.admit(state.heap_bytes())?;
        (aggregate.function.finish)(state, &aggregate.types, arena)
    }
}

/// Adds a row to a state that collects bytes. The room is charged before it is taken.
fn collect(
    state: &mut AggregateState,
    aggregate: &AggregateDesc,
    args: &[ValueRef<'_>],
    collected: &mut usize,
    settle: impl FnOnce(usize) -> SqlResult<()>,
) -> SqlResult<()> {
    let before = state.heap_bytes();
    let more = args.iter().map(|a| a.byte_len()).sum();
    if let Some(room) = state.room_for(more) {
        settle(*collected + room)?;
        state.make_room(room);
    }
    let added = (aggregate.function.add)(state, args, &aggregate.types);
    *collected += state.heap_bytes() - before;
    added
}
