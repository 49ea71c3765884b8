//! Grouping, aggregates, `DISTINCT`.

use base::{SqlResult, SqlType, Value};
use ir::builder::Label;
use ir::function::CallTypes;
use ir::inst::{Inst, Reg};
use ir::key::KeyShape;
use ir::object::{AggregateDesc, GroupsDesc, ObjId, ObjectDesc, Order, OrderKey, SetDesc};

use crate::lower::columns::ColumnType;
use crate::lower::scope::{Binding, Val};
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{Aggregate, ColId, Expr, SortKey};
use crate::plan::tree::Node;

/// The parts of a [`Node::Aggregate`].
struct Parts<'p> {
    input: &'p Node,
    groups: &'p [(ColId, Expr)],
    aggregates: &'p [(ColId, Aggregate)],
    grouping_sets: &'p [Vec<bool>],
    grouping_id: Option<ColId>,
}

impl<'p> Parts<'p> {
    fn of(node: &'p Node) -> Parts<'p> {
        match node {
            Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id, .. } => {
                Parts { input, groups, aggregates, grouping_sets, grouping_id: *grouping_id }
            }
            _ => unreachable!("only called for aggregates"),
        }
    }

    /// The sets, each with which groups it keeps.
    fn sets(&self) -> Vec<Vec<bool>> {
        match self.grouping_sets.is_empty() {
            true => vec![vec![true; self.groups.len()]],
            false => self.grouping_sets.to_vec(),
        }
    }

    /// The bit mask of groups that a set aggregates away.
    fn mask(set: &[bool]) -> i64 {
        set.iter().enumerate().filter(|(_, kept)| !**kept).map(|(i, _)| 1 << i).sum()
    }
}

/// The object of an aggregation.
struct Groups {
    object: ObjId,
    layout: u16,
    /// Whether keys end with the mask and the number of the grouping set.
    has_set: bool,
}

impl Lowering {
    /// Aggregation by hashing; without groups there is one group from the start.
    pub fn hash_aggregate(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        let parts = Parts::of(node);
        let sets = parts.sets();
        let groups = self.groups(&parts, &sets);
        self.b.emit(Inst::GroupClear { groups: groups.object });
        for (number, _) in sets.iter().enumerate().filter(|(_, set)| !set.contains(&true)) {
            // The empty set has its group whatever the input.
            let keys = self.set_keys(&parts, &sets, number, &groups, None);
            self.b.emit(Inst::GroupFind { groups: groups.object, keys });
        }
        let always_current = sets.len() == 1 && parts.groups.is_empty();
        let add: Consume<'_> = &mut |l| {
            let keys = l.group_keys(&parts)?;
            let aggregates = l.arguments(parts.aggregates)?;
            l.set_aggregates(&groups, aggregates);
            for number in 0..sets.len() {
                if !always_current {
                    let keys = l.set_keys(&parts, &sets, number, &groups, Some(&keys));
                    l.b.emit(Inst::GroupFind { groups: groups.object, keys });
                }
                l.add_to_group(&parts, &groups);
            }
            Ok(())
        };
        let counts = always_current && parts.aggregates.iter().all(|(_, a)| a.args.is_empty());
        match parts.input {
            Node::Scan(scan) if counts && !self.options.counts_operators => {
                self.scan_or_count(scan, Some(groups.object), add)?;
            }
            input => self.produce(input, add)?,
        }
        let object = groups.object;
        self.b.emit(Inst::GroupRewind { groups: object });
        let next = |row, mark, done| Inst::GroupNext { groups: object, row, mark, done };
        self.loop_rows(next, &mut |l, row| {
            l.bind_group(&parts, &groups, row);
            consume(l)
        })
    }

    /// Aggregation of input that comes group by group.
    pub fn ordered_aggregate(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        let parts = Parts::of(node);
        let sets = parts.sets();
        let groups = self.groups(&parts, &sets);
        let object = groups.object;
        let routine = self.routine();
        self.b.emit(Inst::GroupClear { groups: object });
        self.produce(parts.input, &mut |l| {
            let keys = l.group_keys(&parts)?;
            let aggregates = l.arguments(parts.aggregates)?;
            l.set_aggregates(&groups, aggregates);
            let keys = l.set_keys(&parts, &sets, 0, &groups, Some(&keys));
            let (same, first) = (l.b.label(), l.b.label());
            l.b.emit(Inst::GroupSame { groups: object, keys, to: same.pc() });
            l.b.emit(Inst::GroupEmpty { groups: object, to: first.pc() });
            l.enter_routine(&routine);
            l.b.emit(Inst::GroupClear { groups: object });
            l.b.place(first);
            l.b.emit(Inst::GroupFind { groups: object, keys });
            l.b.place(same);
            l.add_to_group(&parts, &groups);
            Ok(())
        })?;
        let end = self.b.label();
        self.b.emit(Inst::GroupEmpty { groups: object, to: end.pc() });
        self.enter_routine(&routine);
        self.b.place(end);
        self.write_routine(routine, |l| l.one_group(&parts, &groups, consume))
    }

    /// Passes on the only group there is.
    fn one_group(
        &mut self,
        parts: &Parts<'_>,
        groups: &Groups,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        self.b.emit(Inst::GroupRewind { groups: groups.object });
        let object = groups.object;
        let next = |row, mark, done| Inst::GroupNext { groups: object, row, mark, done };
        self.loop_rows(next, &mut |l, row| {
            l.bind_group(parts, groups, row);
            consume(l)
        })
    }

    fn groups(&mut self, parts: &Parts<'_>, sets: &[Vec<bool>]) -> Groups {
        let has_set = sets.len() > 1 || parts.grouping_id.is_some();
        let mut keys: Vec<SqlType> = parts.groups.iter().map(|g| g.1.ty).collect();
        if has_set {
            keys.extend([SqlType::int(), SqlType::int()]);
        }
        let layout = self.b.layout_of(&keys);
        let aggregates = self.empty_aggregates(parts.aggregates);
        let shape = KeyShape::of(&keys);
        let desc = GroupsDesc { keys: keys.into(), shape, layout, aggregates };
        Groups { object: self.b.object(ObjectDesc::Groups(desc)), layout, has_set }
    }

    /// The aggregates without their arguments' registers: all there is if the input has no row.
    fn empty_aggregates(&mut self, aggregates: &[(ColId, Aggregate)]) -> Box<[AggregateDesc]> {
        let args = self.b.list(&[]);
        let desc = |a: &Aggregate| AggregateDesc {
            function: a.function,
            types: CallTypes { args: a.args.iter().map(|e| e.ty).collect(), result: a.ty },
            args,
            distinct: (a.distinct && !a.function.ignores_duplicates)
                .then(|| KeyShape::new(a.args.iter().map(|e| (e.ty, false)))),
            order: Order::none(),
        };
        aggregates.iter().map(|(_, a)| desc(a)).collect()
    }

    fn set_aggregates(&mut self, groups: &Groups, args: Vec<(Vec<Reg>, Order)>) {
        let lists: Vec<_> = args.into_iter().map(|(a, o)| (self.b.list(&a), o)).collect();
        let ObjectDesc::Groups(desc) = &mut self.b.unit.objects[usize::from(groups.object.0)]
        else {
            unreachable!("groups() has made it");
        };
        for (aggregate, (args, order)) in desc.aggregates.iter_mut().zip(lists) {
            (aggregate.args, aggregate.order) = (args, order);
        }
    }

    /// The grouping columns' values, in registers of their own so that they outlive a routine.
    fn group_keys(&mut self, parts: &Parts<'_>) -> SqlResult<Vec<Reg>> {
        parts.groups.iter().map(|(_, e)| Ok(self.expr(e)?.reg)).collect()
    }

    /// The arguments and orders of aggregates.
    pub fn arguments(
        &mut self,
        aggregates: &[(ColId, Aggregate)],
    ) -> SqlResult<Vec<(Vec<Reg>, Order)>> {
        let one = |(_, a): &(ColId, Aggregate)| {
            let args: SqlResult<Vec<Reg>> = a.args.iter().map(|e| Ok(self.expr(e)?.reg)).collect();
            Ok((args?, Order::new(self.order_keys(&a.order)?)))
        };
        aggregates.iter().map(one).collect()
    }

    /// The keys of an order, evaluated.
    pub fn order_keys(&mut self, keys: &[SortKey]) -> SqlResult<Box<[OrderKey]>> {
        let key = |k: &SortKey| {
            let reg = self.expr(&k.expr)?.reg;
            Ok(OrderKey { reg, ty: k.expr.ty, descending: k.descending })
        };
        keys.iter().map(key).collect()
    }

    /// The keys of a group of one grouping set: NULL for what the set aggregates away.
    fn set_keys(
        &mut self,
        parts: &Parts<'_>,
        sets: &[Vec<bool>],
        number: usize,
        groups: &Groups,
        keys: Option<&[Reg]>,
    ) -> ir::RegList {
        let set = &sets[number];
        let mut regs = Vec::with_capacity(set.len() + 2);
        for (at, (_, expr)) in parts.groups.iter().enumerate() {
            regs.push(match (set[at], keys) {
                (true, Some(keys)) => keys[at],
                _ => self.constant(&expr.ty, &Value::Null).reg,
            });
        }
        if groups.has_set {
            regs.push(self.int(Parts::mask(set)));
            regs.push(self.int(number as i64));
        }
        self.b.list(&regs)
    }

    fn add_to_group(&mut self, parts: &Parts<'_>, groups: &Groups) {
        for aggregate in 0..parts.aggregates.len() as u16 {
            self.b.emit(Inst::GroupAdd { groups: groups.object, aggregate });
        }
    }

    /// Binds the columns of a finished group.
    fn bind_group(&mut self, parts: &Parts<'_>, groups: &Groups, row: Reg) {
        let row = Val::new(row);
        let stored = |column: usize, nullable| Binding::Stored {
            row,
            layout: groups.layout,
            column: column as u16,
            nullable,
        };
        for (at, (col, _)) in parts.groups.iter().enumerate() {
            self.scope.bind(*col, stored(at, true));
        }
        if let Some(col) = parts.grouping_id {
            self.scope.bind(col, stored(parts.groups.len(), false));
        }
        for (at, (col, aggregate)) in parts.aggregates.iter().enumerate() {
            let dst = self.b.reg_for(&aggregate.ty);
            let aggregate = at as u16;
            self.b.emit(Inst::GroupResult { groups: groups.object, aggregate, dst });
            self.bind(*col, Val::nullable(dst));
        }
    }

    /// Passes on a row only if no equal one has been passed on.
    pub fn distinct(
        &mut self,
        input: &Node,
        columns: &[ColId],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let keys: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        let (layout, shape) = (self.b.layout_of(&keys), KeyShape::of(&keys));
        let set = self.b.object(ObjectDesc::Set(SetDesc { keys: keys.into(), shape, layout }));
        let routine = self.routine();
        let mut passed = None;
        self.b.emit(Inst::SetClear { set });
        self.produce(input, &mut |l| {
            let vals = l.own_columns(columns)?;
            let regs: Vec<Reg> = vals.iter().map(|v| v.reg).collect();
            let list = l.b.list(&regs);
            let seen: Label = l.b.label();
            l.b.emit(Inst::SetAdd { set, list, seen: seen.pc() });
            l.enter_routine(&routine);
            l.b.place(seen);
            passed = Some(vals);
            Ok(())
        })?;
        let Some(vals) = passed else { return Ok(()) };
        // Rows that were put off are passed on from the same registers.
        let next = |row, mark, done| Inst::SetNext { set, row, mark, done };
        self.loop_rows(next, &mut |l, row| {
            for (column, (&col, val)) in (0..).zip(columns.iter().zip(&vals)) {
                let is_row = l.columns.ty(col) == ColumnType::Row;
                let inst = l.load_inst(val.reg, row, layout, column, val.nullable, is_row);
                l.b.emit(inst);
            }
            l.enter_routine(&routine);
            Ok(())
        })?;
        self.write_routine(routine, |l| {
            columns.iter().zip(&vals).for_each(|(&col, &val)| l.bind(col, val));
            consume(l)
        })
    }
}
