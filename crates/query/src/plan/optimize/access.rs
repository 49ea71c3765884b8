//! How the rows of one source are found: which index, with which keys, in which order.
//!
//! A condition that an index can take in is a **term**: a column of the source compared with
//! something that does not depend on the source's rows. [`Terms`] are found once per source and set
//! of conditions; [`Optimizer::choose`] weighs the indexes; [`build`] makes the scan.

use base::types::Repr;
use base::{Arena, SqlType, Value};
use engine::catalog::def::{
    ColumnDef, ColumnId, Comparison, FilterTest, IndexDef, IndexKind, TableDef,
};
use smallvec::SmallVec;

use super::Optimizer;
use super::columns::{ColSet, expr_nature, expr_uses, pred_nature};
use super::condition::{column_of, mirrored, rejects_null};
use super::forced::{FORBIDDEN, covers, may_read_all};
use super::order::Want;
use crate::func::fold;
use crate::plan::expr::{CastMode, ColId, CompareOp, Expr, ExprKind, Pred};
use crate::plan::tree::{Access, Bound, JoinKind, Node, Scan, Source};

/// How long a Unicode string may be that is looked for among char or varchar ones.
const LOSSY_BYTES: u16 = 8000;

/// Lists from this length on are not looked up value by value.
const LIST_MAX: usize = 64;

/// A condition that an index can take in.
#[derive(Debug)]
pub struct Term<'p> {
    /// The column of the table.
    column: ColumnId,
    /// The comparison.
    test: Test<'p>,
    /// Which of the conditions it is.
    condition: usize,
    /// Whether the condition holds for all rows that the term finds.
    exact: bool,
}

#[derive(Debug)]
enum Test<'p> {
    Equal(Key<'p>),
    /// `>`, `>=`
    Lower(Key<'p>, bool),
    /// `<`, `<=`
    Upper(Key<'p>, bool),
    /// `IN`
    OneOf(Vec<Key<'p>>),
    /// `LIKE`
    Like(Key<'p>),
}

/// What a column is compared with, as of the column's type.
#[derive(Clone, Copy, Debug)]
struct Key<'p> {
    value: &'p Expr,
    fit: Fit,
}

/// How a value becomes one of a column's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// It is one.
    AsIs,
    /// By a conversion; what does not convert equals nothing.
    Try(SqlType),
    /// By a conversion that may lose characters, in which case rows may be missed.
    Lossy(SqlType),
}

impl Key<'_> {
    fn expr(&self) -> Expr {
        let (Fit::Try(ty) | Fit::Lossy(ty)) = self.fit else { return self.value.clone() };
        if let Some(value) = constant_as(self.value, &ty) {
            let nullable = value.is_null();
            return Expr { kind: ExprKind::Constant(value), ty, nullable };
        }
        let operand = Box::new(self.value.clone());
        let kind = ExprKind::Cast { operand, mode: CastMode::Try, style: None };
        Expr { kind, ty, nullable: true }
    }
}

/// The value of a constant as of another type, if it has one. Nothing that depends on a session's
/// settings is asked.
fn constant_as(expr: &Expr, ty: &SqlType) -> Option<Value> {
    let ExprKind::Constant(value) = &expr.kind else { return None };
    fold::cast(value, &expr.ty, ty, &Default::default(), &mut Arena::new()).ok()
}

/// A source's columns and its terms.
pub struct Terms<'p> {
    terms: SmallVec<[Term<'p>; 4]>,
    /// Whether terms may miss rows, if a part of the plan takes care of that.
    lossy: bool,
}

/// A way to find rows.
#[derive(Clone, Debug)]
pub struct Choice {
    how: How,
    /// How many rows the source is expected to yield, all conditions considered.
    pub rows: f64,
    /// What it costs to find them, in rows looked at.
    pub cost: f64,
    /// Whether they come in the order wanted.
    pub ordered: bool,
}

#[derive(Clone, Debug)]
enum How {
    Full,
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

/// The definition behind a source that has indexes.
pub fn indexed(source: &Source) -> Option<&TableDef> {
    match source {
        Source::Table { table, .. } | Source::TableVar(_, table) => Some(table),
        _ => None,
    }
}

/// The table's columns under the names that a scan gives them.
pub fn named_columns<'s>(
    scan: &'s Scan,
    table: &'s TableDef,
) -> impl Iterator<Item = (ColId, &'s ColumnDef)> {
    (scan.columns.iter()).filter_map(|&(at, col)| Some((col, table.stored_columns().nth(at)?)))
}

impl<'p> Terms<'p> {
    /// The terms among some conditions.
    pub fn of(scan: &Scan, conditions: &[&'p Pred], lossy: bool) -> Terms<'p> {
        // The conditions would be there twice.
        let lossy = lossy && conditions.iter().all(|p| pred_nature(p).is_plain());
        let mut terms = Terms { terms: SmallVec::new(), lossy };
        let Some(table) = indexed(&scan.source) else { return terms };
        if table.indexes.is_empty() {
            return terms;
        }
        let own: ColSet = scan.columns.iter().map(|c| c.1).collect();
        for (at, &condition) in conditions.iter().enumerate() {
            terms.add(scan, table, &own, at, condition);
        }
        terms
    }

    fn add(&mut self, scan: &Scan, table: &TableDef, own: &ColSet, at: usize, pred: &'p Pred) {
        match pred {
            Pred::Compare(op, a, b) => {
                self.add_compare(scan, table, own, at, *op, a, b);
                self.add_compare(scan, table, own, at, mirrored(*op), b, a);
            }
            Pred::NotDistinct(a, b) => {
                for (a, b) in [(a, b), (b, a)] {
                    if !b.nullable {
                        self.add_compare(scan, table, own, at, CompareOp::Eq, a, b);
                    }
                }
            }
            Pred::In(subject, list) if list.len() <= LIST_MAX => {
                let Some((def, wide)) = subject_of(scan, table, subject) else { return };
                let keys: Option<Vec<_>> = (list.iter())
                    .map(|value| key_for(def, wide, own, CompareOp::Eq, value))
                    .collect();
                if let Some(keys) = keys
                    && !keys.iter().any(|k| matches!(k.0.fit, Fit::Lossy(_)))
                {
                    let exact = keys.iter().all(|k| k.1);
                    let test = Test::OneOf(keys.into_iter().map(|k| k.0).collect());
                    self.terms.push(Term { column: def.id, test, condition: at, exact });
                }
            }
            Pred::Like { subject, pattern, escape: None }
                if matches!(scan.source, Source::Table { .. }) =>
            {
                let Some((def, None)) = subject_of(scan, table, subject) else { return };
                let suits = key_types_agree(&def.ty, &pattern.ty)
                    && !expr_uses(pattern).meets(own)
                    && expr_nature(pattern).is_plain()
                    && !starts_with_wildcard(pattern);
                if suits {
                    let test = Test::Like(Key { value: pattern, fit: Fit::AsIs });
                    self.terms.push(Term { column: def.id, test, condition: at, exact: false });
                }
            }
            _ => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn add_compare(
        &mut self,
        scan: &Scan,
        table: &TableDef,
        own: &ColSet,
        at: usize,
        op: CompareOp,
        subject: &Expr,
        value: &'p Expr,
    ) {
        if op == CompareOp::Ne {
            return;
        }
        let Some((def, wide)) = subject_of(scan, table, subject) else { return };
        let Some((key, exact)) = key_for(def, wide, own, op, value) else { return };
        if matches!(key.fit, Fit::Lossy(_)) && !self.lossy {
            return;
        }
        let test = match op {
            CompareOp::Eq => Test::Equal(key),
            CompareOp::Gt | CompareOp::Ge => Test::Lower(key, op == CompareOp::Ge),
            _ => Test::Upper(key, op == CompareOp::Le),
        };
        self.terms.push(Term { column: def.id, test, condition: at, exact });
    }

    fn find(&self, column: ColumnId, wanted: impl Fn(&Test<'_>) -> bool) -> Option<usize> {
        let fits = |exact: bool| {
            (self.terms.iter())
                .position(|t| t.column == column && t.exact == exact && wanted(&t.test))
        };
        fits(true).or_else(|| fits(false))
    }

    /// The columns that there are terms about.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> {
        self.terms.iter().map(|t| t.column)
    }

    fn equal(&self, column: ColumnId) -> Option<usize> {
        self.find(column, |t| matches!(t, Test::Equal(_)))
    }
}

/// Whether a pattern is known to match strings that begin with anything.
pub fn starts_with_wildcard(pattern: &Expr) -> bool {
    let first = match &pattern.kind {
        ExprKind::Constant(Value::Chars(bytes)) => bytes.first().copied(),
        ExprKind::Constant(Value::Unicode(bytes)) => match bytes[..] {
            [low, 0, ..] => Some(low),
            [_, _, ..] => return false,
            _ => None,
        },
        ExprKind::Concat(left, _) => return starts_with_wildcard(left),
        ExprKind::Cast { operand, .. } => return starts_with_wildcard(operand),
        _ => return false,
    };
    matches!(first, None | Some(b'%' | b'_' | b'['))
}

/// The column that one side of a comparison is, and the type it has been converted to.
pub fn subject_of<'t>(
    scan: &Scan,
    table: &'t TableDef,
    subject: &Expr,
) -> Option<(&'t ColumnDef, Option<SqlType>)> {
    let (col, wide) = match &subject.kind {
        ExprKind::Column(col) => (*col, None),
        ExprKind::Cast { operand, mode: CastMode::Explicit, style: None } => {
            (column_of(operand)?, Some(subject.ty))
        }
        _ => return None,
    };
    let at = scan.columns.iter().find(|c| c.1 == col)?.0;
    let def = table.stored_columns().nth(at)?;
    match wide {
        Some(wide) if !widens(&def.ty, &wide) => None,
        wide => Some((def, wide)),
    }
}

/// A value as a key for a column, and whether what is found then needs no further test.
fn key_for<'p>(
    def: &ColumnDef,
    wide: Option<SqlType>,
    own: &ColSet,
    op: CompareOp,
    value: &'p Expr,
) -> Option<(Key<'p>, bool)> {
    if expr_uses(value).meets(own) {
        return None;
    }
    let nature = expr_nature(value);
    if nature.volatile {
        return None;
    }
    let (fit, exact) = fit(&def.ty, wide, op, value)?;
    // A condition that stays must not be there twice with its queries.
    if nature.query && !exact {
        return None;
    }
    Some((Key { value, fit }, exact))
}

/// How a value becomes a key of a column, if it does without missing rows.
fn fit(
    column: &SqlType,
    wide: Option<SqlType>,
    op: CompareOp,
    value: &Expr,
) -> Option<(Fit, bool)> {
    if let (ExprKind::Constant(Value::Null), CompareOp::Eq) = (&value.kind, op) {
        return Some((Fit::AsIs, true));
    }
    if wide.is_none() && key_types_agree(column, &value.ty) {
        return Some((Fit::AsIs, true));
    }
    if let Some(converted) = constant_as(value, column) {
        // A constant that the column can hold exactly is as good as one of its type.
        let back = Expr { kind: ExprKind::Constant(converted), ty: *column, nullable: true };
        let ty = &value.ty;
        let same = constant_as(&back, ty).zip(constant_as(value, ty)).is_some_and(|(a, b)| {
            base::arithmetic::equal(a.as_ref(), b.as_ref(), ty) && a.as_ref() == b.as_ref()
        });
        if same && (wide.is_some() || column.kind.repr() == ty.kind.repr()) {
            return Some((Fit::Try(*column), true));
        }
    }
    if op != CompareOp::Eq {
        return None;
    }
    // Equality finds what the value becomes and is tested again.
    match wide {
        Some(_) if trusts_narrowing(column, &value.ty) => Some((Fit::Try(*column), false)),
        Some(_) if value.ty.kind.is_unicode() => {
            Some((Fit::Lossy(SqlType::varchar(LOSSY_BYTES, column.collation)), false))
        }
        None if column.kind.repr() == value.ty.kind.repr() => match column.kind.repr() {
            Repr::Int | Repr::Decimal | Repr::Float | Repr::Money => {
                Some((Fit::Try(*column), false))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether values of one type can be keys of a column of another as they are.
fn key_types_agree(column: &SqlType, value: &SqlType) -> bool {
    if column == value {
        return true;
    }
    let repr = column.kind.repr();
    if repr != value.kind.repr() {
        return false;
    }
    match repr {
        Repr::Int => {
            let ranges = crate::lower::int_range(column).zip(crate::lower::int_range(value));
            ranges.is_some_and(|(c, v)| c.0 <= v.0 && v.1 <= c.1)
        }
        Repr::Money => column.kind >= value.kind,
        Repr::Decimal => column.scale == value.scale && column.precision >= value.precision,
        Repr::Chars | Repr::Unicode => column.collation == value.collation,
        Repr::Float => column.kind >= value.kind,
        Repr::Date | Repr::DateTime | Repr::SmallDateTime | Repr::Guid => true,
        Repr::DateTime2 | Repr::Time => column.scale >= value.scale,
        Repr::Bytes | Repr::DateTimeOffset | Repr::Variant => false,
    }
}

/// Whether a conversion keeps all values of a type apart and in order.
fn widens(from: &SqlType, to: &SqlType) -> bool {
    use base::TypeKind::*;
    let (digits, scale) = match from.kind {
        Bit => (1, 0),
        TinyInt => (3, 0),
        SmallInt => (5, 0),
        Int => (10, 0),
        BigInt => (19, 0),
        SmallMoney => (6, 4),
        Money => (15, 4),
        Decimal | Numeric => (from.precision - from.scale, from.scale),
        _ => (0, 0),
    };
    match (from.kind, to.kind) {
        (a, b) if a.is_integer() && b.is_integer() => a < b && a != Bit,
        (a, Decimal | Numeric) if digits > 0 && a != Bit => {
            to.scale >= scale && to.precision - to.scale >= digits
        }
        (TinyInt | SmallInt | Int | Real, Float) => true,
        (SmallMoney, Money) => true,
        (Char | VarChar, NChar | NVarChar) => from.collation == to.collation,
        (Date, DateTime2) => true,
        (DateTime2, DateTime2) | (Time, Time) => from.scale <= to.scale,
        _ => false,
    }
}

/// Whether the only value of a column's type that can equal a wider value is what that converts to.
fn trusts_narrowing(column: &SqlType, value: &SqlType) -> bool {
    // The characters that a code page lacks may equal ones that it has.
    let lossy = matches!(column.kind.repr(), Repr::Chars) && value.kind.repr() == Repr::Unicode;
    !lossy || column.collation.is_utf8()
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
        let mut full = Choice { how: How::Full, rows, cost: total, ordered: want.is_empty() };
        let Some(table) = indexed(&scan.source) else { return full };
        if !matches!(scan.access, Access::Full) {
            return Choice { ordered: false, ..full };
        }
        let nothing = Terms { terms: SmallVec::new(), lossy: false };
        let terms = if scan.hint.scans() { &nothing } else { terms };
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
        Some(Choice { how, rows, cost: open + found * walk, ordered })
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
    /// What the whole costs with a sort, if one is needed; less where only the first rows are wanted.
    fn weight(&self, want: &Want) -> f64 {
        if self.is_forbidden() {
            return self.cost;
        }
        if self.ordered {
            return if want.few { self.cost.min(50.0 + self.cost * 0.05) } else { self.cost };
        }
        let rows = self.rows.max(1.0);
        self.cost + rows * (1.0 + 0.3 * rows.log2())
    }

    /// Whether hints forbid it: there is no other way.
    pub fn is_forbidden(&self) -> bool {
        self.cost >= FORBIDDEN
    }

    /// Whether an index finds the rows.
    pub fn seeks(&self) -> bool {
        matches!(&self.how, How::Index { equal, lower, upper, like, .. }
            if !equal.is_empty() || lower.is_some() || upper.is_some() || like.is_some())
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
        let How::Index { index, equal, lower, upper, like, backward, hash } = self.how else {
            return taken;
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

/// Whether a Unicode string is the same after it has been one of a code page.
fn survives(value: &Expr, narrow: SqlType) -> Pred {
    let binary = base::Collation::by_name("Latin1_General_BIN2").expect("it is built in");
    let cast = |operand: Expr, ty: SqlType| {
        let nullable = operand.nullable;
        let operand = Box::new(operand);
        let kind = ExprKind::Cast { operand, mode: CastMode::Explicit, style: None };
        Expr { kind, ty, nullable }
    };
    let wide = value.ty.with_collation(binary);
    let back = cast(cast(value.clone(), narrow), wide);
    Pred::NotDistinct(cast(value.clone(), wide), back)
}

/// The columns of some terms.
fn terms_columns(terms: &Terms<'_>, of: &[usize]) -> SmallVec<[ColumnId; 4]> {
    of.iter().map(|&t| terms.terms[t].column).collect()
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
