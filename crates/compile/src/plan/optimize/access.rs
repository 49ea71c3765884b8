//! How the rows of one source are found: which index, with which keys, in which order.
//!
//! [`Terms`] are found once per source and set of conditions; [`Optimizer::choose`] weighs the
//! indexes; [`Choice::apply`] gives the scan its access.

use base::{SqlType, TypeKind, Value};
use engine::catalog::def::{ColumnId, Comparison, FilterTest, IndexDef, IndexKind, TableDef};
use ir::operator::CompareOp;
use smallvec::SmallVec;

use super::Optimizer;
use super::columns::{ColSet, expr_nature, expr_uses};
use super::condition::{column_of, rejects_null};
use super::forced::{FORBIDDEN, covers, may_read_all};
use super::order::Want;
use super::terms::{Fit, Key, Terms, Test, indexed, named_columns, survives, terms_columns};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::{Access, Bound, JoinKind, Node, Scan, Source};

/// A way to find rows.
#[derive(Clone, Debug)]
pub struct Choice {
    how: How,
    /// How many rows the source is expected to yield, all conditions considered.
    pub rows: f64,
    /// What it costs to find them, in rows looked at.
    pub cost: f64,
    /// What it costs beyond that if the index is read as a whole, for its order, and does not hold
    /// the rows.
    lookups: f64,
    /// Whether they come in the order wanted.
    pub ordered: bool,
}

#[derive(Clone, Debug)]
enum How {
    Full,
    /// By the hidden row number that a condition names.
    RowNumber {
        number: Expr,
        condition: usize,
    },
    Index {
        index: usize,
        /// For each leading key column, the term that it equals.
        equal: SmallVec<[usize; 4]>,
        lower: Option<usize>,
        upper: Option<usize>,
        like: Option<usize>,
        backward: bool,
        hash: bool,
    },
}

impl Optimizer<'_, '_> {
    /// How many rows a source has.
    pub fn source_rows(&self, source: &Source) -> f64 {
        match source {
            Source::Table { database, table } => {
                // Plans outlive the time when a table was nearly empty.
                let known = self.context.statistics.rows(*database, table);
                known.map_or(10_000.0, |rows| (rows as f64).max(100.0))
            }
            Source::TableVar(..) | Source::System(..) | Source::UserFunction(..) => 100.0,
            Source::Transition(..) | Source::Function(..) => 30.0,
            Source::Stream(..) => 10_000.0,
        }
    }

    /// The best way to find the rows that meet some conditions.
    pub fn choose(
        &self,
        scan: &Scan,
        conditions: &[&Pred],
        terms: &Terms<'_>,
        want: &Want,
    ) -> Choice {
        let total = self.source_rows(&scan.source);
        let selectivity: f64 = conditions.iter().map(|p| selectivity(p)).product();
        let rows = (total * selectivity).max(0.5);
        let ordered = want.is_empty();
        let mut full = Choice { how: How::Full, rows, cost: total, lookups: 0.0, ordered };
        let Some(table) = indexed(&scan.source) else { return full };
        if !matches!(scan.access, Access::Full) {
            return Choice { ordered: false, ..full };
        }
        let nothing = Terms { terms: SmallVec::new(), lossy: false };
        let terms = if scan.hint.scans() { &nothing } else { terms };
        if let Some((condition, number)) = row_number(scan, table, conditions)
            && !scan.hint.scans()
        {
            let how = How::RowNumber { number, condition };
            return Choice { how, rows: 1.0, cost: 1.0, lookups: 0.0, ordered: true };
        }
        if !may_read_all(scan, table, conditions) {
            full.cost = FORBIDDEN;
        }
        let mut best = (full.weight(want), full);
        for (at, index) in table.indexes.iter().enumerate() {
            if index.disabled
                || !scan.hint.allows(at)
                || !filter_is_implied(index, scan, table, conditions)
                || (scan.hint.scans() && scan.hint.names(at) && !covers(index, scan, table))
            {
                continue;
            }
            if let Some(choice) =
                self.weigh_index(scan, table, at, index, conditions, terms, want, total)
            {
                let weight = choice.weight(want);
                if weight < best.0 {
                    best = (weight, choice);
                }
            }
        }
        best.1
    }

    #[allow(clippy::too_many_arguments)]
    fn weigh_index(
        &self,
        scan: &Scan,
        table: &TableDef,
        at: usize,
        index: &IndexDef,
        conditions: &[&Pred],
        terms: &Terms<'_>,
        want: &Want,
        total: f64,
    ) -> Option<Choice> {
        let equal: SmallVec<[usize; 4]> =
            index.key.iter().map_while(|k| terms.equal(k.column)).collect();
        let whole = equal.len() == index.key.len();
        let is_hash = index.kind == IndexKind::Hash;
        if is_hash && !whole {
            return None;
        }
        let (mut lower, mut upper, mut like) = (None, None, None);
        if let (Some(next), false) = (index.key.get(equal.len()), is_hash) {
            lower = terms.find(next.column, |t| matches!(t, Test::Lower(..)));
            upper = terms.find(next.column, |t| matches!(t, Test::Upper(..)));
            if lower.is_none() && upper.is_none() {
                like = terms.find(next.column, |t| matches!(t, Test::Like(_)));
            }
        }
        let single = whole && index.unique;
        let fraction = match (lower.is_some(), upper.is_some()) {
            (false, false) if like.is_some() => 0.1,
            (false, false) => 1.0,
            (true, true) => 0.1,
            _ => 0.3,
        };
        let found = self.matches(scan, table, at, index, equal.len(), total) * fraction;
        let order = match is_hash {
            true => None,
            false => want.in_index(scan, table, index, equal.len(), terms_columns(terms, &equal)),
        };
        // Patterns are read in the order of the index only.
        let order = order.filter(|backward| like.is_none() || !backward);
        let ordered = want.is_empty() || single || order.is_some();
        let in_range = lower.is_some() || upper.is_some() || like.is_some();
        let useful = !equal.is_empty() || in_range;
        let hint = &scan.hint;
        if !useful && (order.is_none() || want.is_empty()) && (is_hash || !hint.names(at)) {
            return None;
        }
        let sought = equal.len() + usize::from(in_range);
        if hint.seeks() && (!useful || sought < hint.key_columns) {
            return None;
        }
        let taken: SmallVec<[usize; 4]> = (equal.iter().copied().chain(lower).chain(upper))
            .map(|t| terms.terms[t].condition)
            .collect();
        let rest = conditions.iter().enumerate().filter(|(i, _)| !taken.contains(i));
        let rest: f64 = rest.map(|(_, p)| selectivity(p)).product();
        let is_variable = matches!(scan.source, Source::TableVar(..));
        let how = How::Index {
            index: at,
            equal,
            lower,
            upper,
            like,
            backward: order == Some(true),
            hash: is_hash || (is_variable && whole),
        };
        let walk = if useful { 1.0 } else { 1.3 };
        let open = if is_hash { 0.5 } else { 1.0 };
        let rows = if single { rest.clamp(0.1, 1.0) } else { (found * rest).max(0.5) };
        let lookups = match &scan.source {
            Source::Table { database, table } if !useful && index.kind != IndexKind::Clustered => {
                found * self.context.statistics.lookup_cost(*database, table)
            }
            _ => 0.0,
        };
        Some(Choice { how, rows, cost: open + found * walk, lookups, ordered })
    }

    /// How many rows have some values in the leading columns of an index.
    fn matches(
        &self,
        scan: &Scan,
        table: &TableDef,
        at: usize,
        index: &IndexDef,
        columns: usize,
        total: f64,
    ) -> f64 {
        if columns == 0 {
            return total;
        }
        if columns == index.key.len() {
            if index.unique {
                return 1.0;
            }
            if let Source::Table { database, .. } = &scan.source
                && let Some(keys) = self.context.statistics.distinct_keys(*database, table, at)
            {
                return total / (keys as f64).clamp(1.0, total);
            }
            return (total * 0.001).clamp(2.0, 50.0);
        }
        let left = 1.0 - columns as f64 / index.key.len() as f64;
        total.powf(left * if index.unique { 0.7 } else { 0.8 }).max(2.0)
    }

    /// A list that is worth being looked up value by value: which term, and how.
    pub fn choose_list<'p>(
        &self,
        scan: &Scan,
        conditions: &[&'p Pred],
        terms: &Terms<'p>,
        than: &Choice,
    ) -> Option<(usize, ListKey)> {
        let table = indexed(&scan.source)?;
        if scan.hint.scans() {
            return None;
        }
        let mut best: Option<(f64, usize)> = None;
        for (at, term) in terms.terms.iter().enumerate() {
            let Test::OneOf(keys) = &term.test else { continue };
            for (number, index) in table.indexes.iter().enumerate() {
                let known = |c: ColumnId| c == term.column || terms.equal(c).is_some();
                let given = index.key.iter().take_while(|k| known(k.column)).count();
                let used = index.key.iter().take(given).any(|k| k.column == term.column);
                let hash = index.kind == IndexKind::Hash;
                if index.disabled
                    || !used
                    || !scan.hint.allows(number)
                    || given < scan.hint.key_columns
                    || (hash && given < index.key.len())
                    || !filter_is_implied(index, scan, table, conditions)
                {
                    continue;
                }
                let total = self.source_rows(&scan.source);
                let each = self.matches(scan, table, number, index, given, total);
                let cost = keys.len() as f64 * (2.5 + each);
                if cost < than.cost && best.is_none_or(|b| cost < b.0) {
                    best = Some((cost, at));
                }
            }
        }
        let (cost, at) = best?;
        let term = &terms.terms[at];
        let Test::OneOf(keys) = &term.test else { return None };
        let column = scan
            .columns
            .iter()
            .find(|c| table.stored_columns().nth(c.0).is_some_and(|def| def.id == term.column))?;
        let ty = table.column(term.column)?.ty;
        let values = keys.iter().map(Key::expr).collect();
        let key = ListKey { column: column.1, ty, values, exact: term.exact, cost };
        Some((term.condition, key))
    }
}

/// A column and the values that it is looked up by, one after the other.
#[derive(Debug)]
pub struct ListKey {
    /// The column, as the scan calls it.
    pub column: ColId,
    /// Its type.
    pub ty: SqlType,
    /// The values.
    pub values: Vec<Expr>,
    /// Whether the list need not be tested again.
    pub exact: bool,
    /// What it costs.
    pub cost: f64,
}

impl ListKey {
    /// The operator that yields each value once, under a new name.
    pub fn rows(&mut self, name: ColId) -> Node {
        let rows = std::mem::take(&mut self.values);
        let mut seen: Vec<i64> = Vec::new();
        let distinct = rows.iter().all(|e| match e.kind {
            ExprKind::Constant(Value::Int(v)) => {
                !seen.contains(&v) && {
                    seen.push(v);
                    true
                }
            }
            _ => false,
        });
        // One type for all of them.
        let rows = rows.into_iter().map(|mut e| {
            if e.kind_is_null() {
                e.ty = self.ty;
            }
            vec![e]
        });
        let values = Node::Values { columns: vec![name], rows: rows.collect() };
        match distinct {
            true => values,
            false => Node::Distinct { input: Box::new(values), columns: vec![name] },
        }
    }
}

impl Expr {
    fn kind_is_null(&self) -> bool {
        matches!(self.kind, ExprKind::Constant(Value::Null))
    }
}

impl Choice {
    /// What the whole costs with a sort, if one is needed; less where only the first rows are
    /// wanted.
    fn weight(&self, want: &Want) -> f64 {
        if self.is_forbidden() {
            return self.cost;
        }
        if self.ordered {
            return match want.few {
                true => self.cost.min(50.0 + self.cost * 0.05),
                false => self.cost + self.lookups,
            };
        }
        let rows = self.rows.max(1.0);
        self.cost + self.lookups + rows * (1.0 + 0.3 * rows.log2())
    }

    /// Whether hints forbid this way, which is taken only because there is no other.
    pub fn is_forbidden(&self) -> bool {
        self.cost >= FORBIDDEN
    }

    /// Whether an index finds the rows.
    pub fn seeks(&self) -> bool {
        match &self.how {
            How::Full => false,
            How::RowNumber { .. } => true,
            How::Index { equal, lower, upper, like, .. } => {
                !equal.is_empty() || lower.is_some() || upper.is_some() || like.is_some()
            }
        }
    }

    /// The condition under which the keys miss no rows, if that is not certain.
    pub fn certain(&self, terms: &Terms<'_>) -> Option<Pred> {
        let How::Index { equal, .. } = &self.how else { return None };
        let lossless = equal.iter().filter_map(|&at| match terms.terms[at].test {
            Test::Equal(Key { value, fit: Fit::Lossy(ty) }) => Some(survives(value, ty)),
            _ => None,
        });
        super::condition::all(lossless.collect())
    }

    /// Gives the scan its access. Says which conditions it has taken in.
    pub fn apply(self, scan: &mut Scan, terms: &Terms<'_>) -> SmallVec<[usize; 4]> {
        let mut taken = SmallVec::new();
        let (index, equal, lower, upper, like, backward, hash) = match self.how {
            How::Full => return taken,
            How::RowNumber { number, condition } => {
                scan.access = Access::RowNumber(number);
                taken.push(condition);
                return taken;
            }
            How::Index { index, equal, lower, upper, like, backward, hash } => {
                (index, equal, lower, upper, like, backward, hash)
            }
        };
        let mut key = |at: usize| {
            let term = &terms.terms[at];
            if term.exact {
                taken.push(term.condition);
            }
            match &term.test {
                Test::Equal(key) | Test::Lower(key, _) | Test::Upper(key, _) | Test::Like(key) => {
                    key.expr()
                }
                Test::OneOf(_) => unreachable!("a list is no key"),
            }
        };
        let prefix: Vec<Expr> = equal.iter().map(|&at| key(at)).collect();
        if let Some(at) = like {
            scan.access = Access::Like { index, prefix, pattern: key(at) };
            return taken;
        }
        let mut bound = |at: Option<usize>| {
            let value = key(at?);
            let inclusive =
                matches!(terms.terms[at?].test, Test::Lower(_, true) | Test::Upper(_, true));
            Some(Bound { value, inclusive })
        };
        let (lower, upper) = (bound(lower), bound(upper));
        scan.access = match hash {
            true => Access::Seek { index, key: prefix },
            false => Access::Range { index, prefix, lower, upper, backward },
        };
        taken
    }
}

/// The condition that names the hidden number of a scan's row, and the number.
fn row_number(scan: &Scan, table: &TableDef, conditions: &[&Pred]) -> Option<(usize, Expr)> {
    let position = table.stored_columns().count();
    let (_, own) = *scan.columns.iter().find(|(at, _)| *at == position)?;
    let all: ColSet = scan.columns.iter().map(|c| c.1).collect();
    let names = |(at, pred): (usize, &&Pred)| {
        let Pred::Compare(CompareOp::Eq, a, b) = *pred else { return None };
        let number = match (column_of(a), column_of(b)) {
            (Some(a), _) if a == own => b,
            (_, Some(b)) if b == own => a,
            _ => return None,
        };
        use TypeKind::{BigInt, Int, SmallInt, TinyInt};
        let fit = match number.ty.kind {
            BigInt => Fit::AsIs,
            Int | SmallInt | TinyInt => Fit::Try(SqlType::bigint()),
            _ => return None,
        };
        let fits = expr_nature(number).is_plain() && !expr_uses(number).meets(&all);
        fits.then(|| (at, Key { value: number, fit }.expr()))
    };
    conditions.iter().enumerate().find_map(names)
}

/// Which part of all rows a condition is guessed to let pass.
pub fn selectivity(pred: &Pred) -> f64 {
    match pred {
        Pred::Const(value) => f64::from(u8::from(*value == Some(true))),
        Pred::Compare(CompareOp::Eq, ..) | Pred::NotDistinct(..) => 0.05,
        Pred::Compare(CompareOp::Ne, ..) | Pred::Not(_) => 0.9,
        Pred::Compare(..) => 0.35,
        Pred::IsNull(_) => 0.1,
        Pred::Like { .. } => 0.15,
        Pred::In(_, list) => (0.05 * list.len() as f64).min(0.5),
        Pred::And(list) => list.iter().map(selectivity).product(),
        Pred::Or(list) => list.iter().map(selectivity).sum::<f64>().min(1.0),
        _ => 0.5,
    }
}

/// Whether all rows that meet the conditions are in an index.
fn filter_is_implied(
    index: &IndexDef,
    scan: &Scan,
    table: &TableDef,
    conditions: &[&Pred],
) -> bool {
    let Some(filter) = &index.filter else { return true };
    filter.terms.iter().all(|term| {
        let Some(col) = named_columns(scan, table).find(|c| c.1.id == term.column).map(|c| c.0)
        else {
            return false;
        };
        let column: ColSet = [col].into_iter().collect();
        conditions.iter().any(|p| match &term.test {
            FilterTest::IsNotNull => rejects_null(p, &column),
            FilterTest::IsNull => matches!(p, Pred::IsNull(e) if column_of(e) == Some(col)),
            FilterTest::Compare(op, value) => is_comparison(p, col, *op, value),
            FilterTest::In(_) => false,
        })
    })
}

/// Whether a condition is this very comparison of a column with a constant.
fn is_comparison(pred: &Pred, col: ColId, wanted: Comparison, with: &Value) -> bool {
    let Pred::Compare(op, a, b) = pred else { return false };
    let op = match op {
        CompareOp::Eq => Comparison::Equal,
        CompareOp::Ne => Comparison::NotEqual,
        CompareOp::Lt => Comparison::Less,
        CompareOp::Le => Comparison::LessOrEqual,
        CompareOp::Gt => Comparison::Greater,
        CompareOp::Ge => Comparison::GreaterOrEqual,
    };
    op == wanted
        && column_of(a) == Some(col)
        && matches!(&b.kind, ExprKind::Constant(value) if value == with)
}

/// A nested loop over a list's values around a scan.
pub fn over_list(list: Node, scan: Node) -> Node {
    let (outer, inner) = (Box::new(list), Box::new(scan));
    Node::NestedLoop { kind: JoinKind::Inner, outer, inner, predicate: None }
}
