//! Which conditions on a source's rows an index can take in, and how the values that they name
//! become keys of its columns.
//!
//! Such a condition is a **term**: a column of the source compared with something that does not
//! depend on the source's rows.

use base::types::Repr;
use base::{Arena, SqlType, Value};
use engine::catalog::def::{ColumnDef, ColumnId, TableDef};
use ir::operator::{CastMode, CompareOp};
use smallvec::SmallVec;

use super::columns::{ColSet, expr_nature, expr_uses, pred_nature};
use super::condition::{column_of, mirrored};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::fold;
use crate::plan::tree::{Scan, Source};

/// How long a Unicode string may be that is looked up among char or varchar ones.
const LOSSY_BYTES: u16 = 8000;

/// Lists from this length on are not looked up value by value.
const LIST_MAX: usize = 64;

/// A condition that an index can take in.
#[derive(Debug)]
pub struct Term<'p> {
    /// The column of the table.
    pub(super) column: ColumnId,
    /// The comparison.
    pub(super) test: Test<'p>,
    /// Which of the conditions it is.
    pub(super) condition: usize,
    /// Whether the condition holds for all rows that the term finds.
    pub(super) exact: bool,
}

#[derive(Debug)]
pub(super) enum Test<'p> {
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
pub(super) struct Key<'p> {
    pub(super) value: &'p Expr,
    pub(super) fit: Fit,
}

/// How a value becomes one of a column's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// The value is of the column's type.
    AsIs,
    /// By a conversion; what does not convert equals nothing.
    Try(SqlType),
    /// By a conversion that may lose characters, in which case rows may be missed.
    Lossy(SqlType),
}

impl Key<'_> {
    pub(super) fn expr(&self) -> Expr {
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
    pub(super) terms: SmallVec<[Term<'p>; 4]>,
    /// Whether terms may miss rows, if a part of the plan takes care of that.
    pub(super) lossy: bool,
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

    pub(super) fn find(
        &self,
        column: ColumnId,
        wanted: impl Fn(&Test<'_>) -> bool,
    ) -> Option<usize> {
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

    pub(super) fn equal(&self, column: ColumnId) -> Option<usize> {
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
    let (fit, exact) = fit(&def.ty, wide, op, value)?;
    // A condition that stays must not be there twice with its queries, nor with another value each
    // time.
    if (nature.query || nature.volatile) && !exact {
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
            let ranges = ir::inst::int_range(column).zip(ir::inst::int_range(value));
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

/// Whether a Unicode string is the same after it has been one of a code page.
pub(super) fn survives(value: &Expr, narrow: SqlType) -> Pred {
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
pub(super) fn terms_columns(terms: &Terms<'_>, of: &[usize]) -> SmallVec<[ColumnId; 4]> {
    of.iter().map(|&t| terms.terms[t].column).collect()
}
