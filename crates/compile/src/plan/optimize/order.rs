//! Orders: which are wanted of an operator, and which it has anyway.

use engine::catalog::def::{ColumnId, IndexDef, TableDef};
use smallvec::SmallVec;

use super::columns::{ColSet, yields};
use super::condition::column_of;
use super::terms::{indexed, named_columns};
use crate::plan::expr::{ColId, ExprKind, SortKey};
use crate::plan::tree::{Access, JoinKind, Node, Scan, scan_order};

/// An order that would save a sort.
#[derive(Clone, Default, Debug)]
pub struct Want {
    /// The columns, and whether each descends. Empty if no order is wanted.
    pub keys: SmallVec<[(ColId, bool); 4]>,
    /// Only the first few rows are wanted.
    pub few: bool,
}

impl Want {
    /// No order.
    pub fn nothing() -> Want {
        Want::default()
    }

    /// The order of a sort, if its keys are columns.
    pub fn of(keys: &[SortKey], few: bool) -> Want {
        let columns: Option<_> =
            keys.iter().map(|k| Some((column_of(&k.expr)?, k.descending))).collect();
        columns.map_or_else(Want::default, |keys| Want { keys, few })
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// This if all its columns are among those, otherwise nothing.
    pub fn within(&self, columns: &ColSet) -> Want {
        match self.keys.iter().all(|k| columns.contains(k.0)) {
            true => self.clone(),
            false => Want::nothing(),
        }
    }

    /// What is left of this where rows are numbered as they come: a number settles what is after
    /// it.
    pub fn before(&self, numbers: &ColSet) -> Want {
        let mut want = self.clone();
        if let Some(at) = want.keys.iter().position(|key| numbers.contains(key.0)) {
            want.few &= !want.keys[at].1;
            want.keys.truncate(at);
        }
        want
    }

    /// Whether an index of a source has this order after some leading key columns that are given,
    /// and if so, whether it has to be read backward.
    pub fn in_index(
        &self,
        scan: &Scan,
        table: &TableDef,
        index: &IndexDef,
        given: usize,
        constant: SmallVec<[ColumnId; 4]>,
    ) -> Option<bool> {
        if self.is_empty() {
            return Some(false);
        }
        let mut key = index.key[given..].iter();
        let mut backward = None;
        for &(col, descending) in &self.keys {
            let def = named_columns(scan, table).find(|c| c.0 == col)?.1;
            if constant.contains(&def.id) {
                continue;
            }
            let Some(next) = key.next() else {
                // After a whole unique key there is nothing left to order.
                return if index.unique { backward.or(Some(false)) } else { None };
            };
            let way = next.descending != descending;
            if next.column != def.id || backward.is_some_and(|b| b != way) {
                return None;
            }
            backward = Some(way);
        }
        backward.or(Some(false))
    }
}

/// The order that an operator's rows have.
#[derive(Default, Debug)]
pub struct Order {
    /// Columns that are the same in all rows.
    constant: ColSet,
    /// Each of these orders the rows.
    ways: SmallVec<[Way; 1]>,
    /// There is one row at most.
    single: bool,
}

/// By what rows are ordered.
#[derive(Default, Debug)]
struct Way {
    /// The columns, and whether each descends.
    keys: SmallVec<[(ColId, bool); 4]>,
    /// Columns that rows with equal keys share.
    settled: ColSet,
}

impl Order {
    /// The order of an operator's rows.
    pub fn of(node: &Node) -> Order {
        match node {
            Node::OneRow => Order::single(node),
            Node::Values { rows, .. } if rows.len() <= 1 => Order::single(node),
            Node::Scan(scan) => Order::of_scan(scan),
            Node::Filter { input, .. }
            | Node::Compute { input, .. }
            | Node::Offset { input, .. }
            | Node::Counted { input } => Order::of(input),
            Node::Top { input, percent: false, .. } => Order::of(input),
            Node::Distinct { input, .. } => Order::of(input).put_off(),
            Node::Sort { keys, .. } => {
                let keys = keys.iter().map_while(|k| Some((column_of(&k.expr)?, k.descending)));
                Order::by(Way { keys: keys.collect(), ..Way::default() })
            }
            Node::NestedLoop { kind, outer, inner, .. } => {
                let mut order = Order::of(outer);
                match kind {
                    JoinKind::Inner if order.single => {
                        let mut inner = Order::of(inner);
                        inner.constant.add(&order.constant);
                        inner
                    }
                    JoinKind::Inner | JoinKind::LeftOuter => {
                        order.single = false;
                        order
                    }
                    _ => order,
                }
            }
            Node::HashJoin { kind, probe, .. } => match kind {
                JoinKind::RightOuter | JoinKind::FullOuter => Order::default(),
                JoinKind::Inner | JoinKind::LeftOuter => {
                    Order { single: false, ..Order::of(probe).put_off() }
                }
                _ => Order::of(probe).put_off(),
            },
            Node::Aggregate { groups, grouping_sets, .. }
                if groups.is_empty() && grouping_sets.len() <= 1 =>
            {
                Order::single(node)
            }
            Node::Window { input, functions, .. } if node.numbers_rows() => {
                let mut order = Order::of(input);
                order.number(functions.iter().map(|f| f.0), &yields(node));
                order
            }
            Node::Spool { body, .. } => Order::of(body),
            _ => Order::default(),
        }
    }

    /// What is left of it where rows that find no room come last.
    fn put_off(self) -> Order {
        Order { ways: SmallVec::new(), ..self }
    }

    fn by(way: Way) -> Order {
        Order { ways: SmallVec::from_buf([way]), ..Order::default() }
    }

    /// Each row has a number, greater than that of the one before: all its columns are settled by
    /// that.
    fn number(&mut self, numbers: impl Iterator<Item = ColId>, columns: &ColSet) {
        for number in numbers {
            for way in &mut self.ways {
                way.keys.push((number, false));
                way.settled = columns.clone();
            }
            let keys = SmallVec::from_slice(&[(number, false)]);
            self.ways.push(Way { keys, settled: columns.clone() });
        }
    }

    fn single(node: &Node) -> Order {
        let constant = yields(node);
        Order { constant, single: true, ..Order::default() }
    }

    fn of_scan(scan: &Scan) -> Order {
        let Some(table) = indexed(&scan.source) else { return Order::default() };
        let name =
            |column: ColumnId| named_columns(scan, table).find(|c| c.1.id == column).map(|c| c.0);
        let own = || scan.columns.iter().map(|c| c.1).collect::<ColSet>();
        let (index, prefix, backward) = match &scan.access {
            Access::RowNumber(_) | Access::Key { .. } => {
                return Order { constant: own(), single: true, ..Order::default() };
            }
            Access::Full => match scan_order(&scan.source) {
                Some(index) => (index, 0, Some(false)),
                None => return Order::default(),
            },
            Access::Seek { index, key } => (*index, key.len(), None),
            Access::Like { index, prefix, .. } => (*index, prefix.len(), Some(false)),
            Access::Range { index, prefix, backward, .. } => {
                (*index, prefix.len(), Some(*backward))
            }
        };
        let index = &table.indexes[index];
        if index.unique && prefix == index.key.len() {
            return Order { constant: own(), single: true, ..Order::default() };
        }
        let mut order = Order::default();
        for key in &index.key[..prefix] {
            if let Some(col) = name(key.column) {
                order.constant.insert(col);
            }
        }
        let Some(backward) = backward else { return order };
        let mut way = Way::default();
        let mut complete = true;
        for key in &index.key[prefix..] {
            let Some(col) = name(key.column) else {
                complete = false;
                break;
            };
            way.keys.push((col, key.descending != backward));
        }
        if complete && index.unique {
            way.settled = own();
        }
        order.ways.push(way);
        order
    }

    /// Whether there is one row at most.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Whether the rows are in the order of a sort.
    pub fn satisfies(&self, keys: &[SortKey]) -> bool {
        let constant = |key: &SortKey| match key.expr.kind {
            ExprKind::Column(col) => self.constant.contains(col),
            ExprKind::Constant(_) | ExprKind::Variable(_) => true,
            _ => false,
        };
        let left: SmallVec<[&SortKey; 4]> = keys.iter().filter(|key| !constant(key)).collect();
        self.single || left.is_empty() || self.ways.iter().any(|way| way.satisfies(&left))
    }

    /// Whether rows with equal values in these columns come together.
    pub fn groups(&self, columns: &ColSet) -> bool {
        let mut left = columns.clone();
        left.remove(&self.constant);
        left.is_empty() || self.ways.iter().any(|way| way.groups(&left))
    }
}

impl Way {
    /// Whether rows in this order are in the order of a sort.
    fn satisfies(&self, keys: &[&SortKey]) -> bool {
        let mut own = self.keys.iter();
        keys.iter().all(|key| match (column_of(&key.expr), own.next()) {
            (Some(col), Some(next)) => *next == (col, key.descending),
            (Some(col), None) => self.settled.contains(col),
            (None, _) => false,
        })
    }

    /// Whether rows with equal values in these columns come together.
    fn groups(&self, columns: &ColSet) -> bool {
        let mut together = ColSet::default();
        for (col, _) in &self.keys {
            if !columns.contains(*col) {
                return false;
            }
            together.insert(*col);
            if columns.known(columns, &together) {
                return true;
            }
        }
        false
    }
}
