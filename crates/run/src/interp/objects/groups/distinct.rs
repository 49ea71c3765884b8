//! Arguments of distinct aggregates for which their sets found no room: written with the number of
//! the group, which is in memory, and the encoded order.

use base::{SqlResult, ValueRef};
use engine::hot::row::RowLayout;
use ir::key::KeyShape;
use ir::object::{AggregateDesc, GroupsDesc};

use super::Groups;
use crate::interp::memory::Means;
use crate::interp::objects::set::Set;
use crate::interp::registers::Values;
use crate::interp::spill::{Fields, put, put_number};

/// Bytes beside order and arguments: the number of the group, and the length of the order.
const HEADER: usize = 16;

impl Groups {
    /// Whether an aggregate of the current group has not seen these arguments. If the set has no
    /// room to tell, writes them for later.
    pub(super) fn is_new(
        &mut self,
        aggregate: &AggregateDesc,
        shape: &KeyShape,
        at: usize,
        args: &[ValueRef<'_>],
        means: &mut Means<'_>,
    ) -> SqlResult<bool> {
        while self.seen.len() <= at {
            self.seen.push(Set::default());
        }
        let Groups { seen, current, key, .. } = self;
        let order: &[u8] = if aggregate.order.keys.is_empty() { &[] } else { key };
        let layout = || RowLayout::new(&aggregate.types.args);
        let values = || args.iter().map(ValueRef::byte_len).sum::<usize>();
        let len = || HEADER + order.len() + layout().header_len() + values();
        let row = |out: &mut Vec<u8>| {
            put_number(out, u64::from(*current));
            put(out, order);
            layout().build(args, out);
        };
        seen[at].add(shape, args, *current, len, row, means)
    }

    /// Takes in the arguments that were written, each once.
    #[cold]
    pub(super) fn take_in_distinct(
        &mut self,
        desc: &GroupsDesc,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        self.seen.iter_mut().for_each(|set| set.end_input(means));
        let served = self.seen.len().min(desc.aggregates.len());
        for at in 0..served {
            let mut set = std::mem::take(&mut self.seen[at]);
            let taken = self.take_in_set(desc, at, &mut set, means);
            set.clear(means.grant);
            taken?;
        }
        Ok(())
    }

    fn take_in_set(
        &mut self,
        desc: &GroupsDesc,
        at: usize,
        set: &mut Set,
        means: &mut Means<'_>,
    ) -> SqlResult<()> {
        let layout = RowLayout::new(&desc.aggregates[at].types.args);
        while let Some(record) = set.next_row(means)? {
            let mut fields = Fields(record);
            self.current = fields.number() as u32;
            let key = fields.bytes();
            self.key.copy_from(key, means.grant.account())?;
            let columns = 0..layout.columns().len();
            let args: Values<'_> = columns.map(|column| layout.get(fields.0, column)).collect();
            self.put_in(desc, at, &args, means)?;
        }
        Ok(())
    }
}
