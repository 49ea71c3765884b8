//! What operators make of their operands' types.
//!
//! The higher type of [`TypeKind`]'s order wins and the other operand is converted to it; decimals
//! combine precision and scale; strings and binaries add or compare lengths.

use super::conversion::{Convertibility, check_implicit, convertibility};
use super::{SqlType, TypeKind, XmlUse, literal};
use crate::error::{SqlError, SqlResult};
use crate::message;

/// An operator between two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An operator before one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Plus,
    Minus,
    BitNot,
}

impl BinaryOperator {
    /// How messages 402, 403, 468 and 8117 call it.
    pub const fn name(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Add => "add",
            Subtract => "subtract",
            Multiply => "multiply",
            Divide => "divide",
            Modulo => "modulo",
            BitAnd => "'&'",
            BitOr => "'|'",
            BitXor => "'^'",
            Equal => "equal to",
            NotEqual => "not equal to",
            Less => "less than",
            LessOrEqual => "less than or equal to",
            Greater => "greater than",
            GreaterOrEqual => "greater than or equal to",
        }
    }

    /// `=`, `<>`, `<`, `<=`, `>`, `>=`.
    pub const fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
    }

    /// `&`, `|`, `^`.
    pub const fn is_bitwise(self) -> bool {
        matches!(self, BinaryOperator::BitAnd | BinaryOperator::BitOr | BinaryOperator::BitXor)
    }
}

impl UnaryOperator {
    /// How message 8117 calls it.
    pub const fn name(self) -> &'static str {
        match self {
            UnaryOperator::Plus => "plus",
            UnaryOperator::Minus => "minus",
            UnaryOperator::BitNot => "'~'",
        }
    }
}

/// What the typing of operators needs to know about an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Operand {
    /// Its type.
    pub ty: SqlType,
    /// Its value if it is an integer constant: in decimal arithmetic it then counts for as many
    /// digits as it has.
    pub integer: Option<i64>,
    /// It is the bare word NULL, which takes the other operand's type.
    pub is_null: bool,
}

impl From<SqlType> for Operand {
    fn from(ty: SqlType) -> Operand {
        Operand { ty, integer: None, is_null: false }
    }
}

impl Operand {
    /// The bare word NULL, an `int` when nothing else decides.
    pub const NULL: Operand = Operand { ty: SqlType::int(), integer: None, is_null: true };

    /// An integer constant.
    pub fn integer(value: i64) -> Operand {
        Operand { ty: SqlType::int(), integer: Some(value), is_null: false }
    }

    /// The type as which this operand enters decimal arithmetic.
    fn as_decimal(&self, kind: TypeKind) -> SqlType {
        match self.integer {
            Some(value) => SqlType::exact(kind, literal::integer_digits(value), 0),
            None => decimal_for(&self.ty, kind),
        }
    }
}

/// How an arithmetic operator works on two operands: both are converted first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// What the left operand is converted to.
    pub left: SqlType,
    /// What the right operand is converted to.
    pub right: SqlType,
    /// The type of the result.
    pub result: SqlType,
}

impl Signature {
    fn all(ty: SqlType) -> Signature {
        Signature { left: ty, right: ty, result: ty }
    }
}

/// The decimal that holds every value of a number type: `int` is `decimal(10,0)`, `money` is
/// `decimal(19,4)`. Anything else becomes the default, `decimal(18,0)`.
pub fn decimal_for(ty: &SqlType, kind: TypeKind) -> SqlType {
    use TypeKind::*;
    let (precision, scale) = match ty.kind {
        Decimal | Numeric => (ty.precision, ty.scale),
        Bit => (1, 0),
        TinyInt => (3, 0),
        SmallInt => (5, 0),
        Int => (10, 0),
        BigInt => (19, 0),
        Money => (19, 4),
        SmallMoney => (10, 4),
        _ => (18, 0),
    };
    SqlType::exact(kind, precision, scale)
}

/// The result of an arithmetic or bitwise operator, and what its operands are converted to. Errors
/// 206, 402 and 8117 for types that it does not take. Collations are left to the caller (see
/// [`super::Coercibility`]); the result has the left one's, or the right's if the left has none.
pub fn arithmetic(op: BinaryOperator, left: &Operand, right: &Operand) -> SqlResult<Signature> {
    debug_assert!(!op.is_comparison());
    let (left, right) = adopt(left, right);
    let (l, r) = (left.ty.kind, right.ty.kind);
    let higher = l.max(r);
    if op == BinaryOperator::Add {
        if let Some(concatenated) = concatenation(&left.ty, &right.ty) {
            return Ok(concatenated);
        }
    }
    if op.is_bitwise() {
        return bitwise(op, &left, &right);
    }
    // What the lower operand cannot become implicitly is a clash, whatever the operator.
    let lower = l.min(r);
    if convertibility(lower, higher) == Convertibility::Never {
        return Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &[&l, &r]));
    }
    use TypeKind::*;
    match higher {
        DateTime | SmallDateTime if is_shift(op) && enters_datetime(lower) => {
            Ok(Signature::all(SqlType::of_kind(higher, super::Collation(0))))
        }
        Float | Real if op != BinaryOperator::Modulo => {
            Ok(Signature::all(SqlType::of_kind(higher, super::Collation(0))))
        }
        Decimal | Numeric => Ok(decimal_arithmetic(op, higher, &left, &right)),
        Money | SmallMoney | BigInt | Int | SmallInt | TinyInt => {
            Ok(Signature::all(SqlType::of_kind(higher, super::Collation(0))))
        }
        _ => Err(incompatible(op, l, r)),
    }
}

fn is_shift(op: BinaryOperator) -> bool {
    matches!(op, BinaryOperator::Add | BinaryOperator::Subtract)
}

/// What may be added to or taken from a datetime: another one, a number of days, or a string.
fn enters_datetime(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::DateTime | TypeKind::SmallDateTime)
        || kind.is_numeric()
        || kind.is_binary()
        || (kind.is_character() && !kind.is_legacy_lob())
}

/// Error 8117 when both operands have the same type, 403 about CLR types, else 402.
fn incompatible(op: BinaryOperator, left: TypeKind, right: TypeKind) -> SqlError {
    let higher = left.max(right);
    if higher.is_clr() {
        SqlError::new(&message::INVALID_OPERATOR, &[&op.name(), &higher])
    } else if left == right && !(op.is_comparison() || left == TypeKind::Bit) {
        SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&left, &op.name()])
    } else {
        SqlError::new(&message::INCOMPATIBLE_TYPES, &[&left, &right, &op.name()])
    }
}

/// A bare NULL takes the type of the other operand.
fn adopt(left: &Operand, right: &Operand) -> (Operand, Operand) {
    let (mut left, mut right) = (*left, *right);
    if left.is_null && !right.is_null {
        left.ty = right.ty;
    } else if right.is_null && !left.is_null {
        right.ty = left.ty;
    }
    (left, right)
}

fn concatenation(left: &SqlType, right: &SqlType) -> Option<Signature> {
    let (l, r) = (left.kind, right.kind);
    let lob = l.is_legacy_lob() || r.is_legacy_lob();
    let both_text = l.is_character() && r.is_character();
    let both_binary = l.is_binary() && r.is_binary();
    if lob || !(both_text || both_binary) {
        return None;
    }
    let left_in = in_family_of(left, l.max(r));
    let right_in = in_family_of(right, l.max(r));
    let mut result = if l.is_padded() && r.is_padded() { left_in } else { variable(left_in) };
    if result.collation.0 == 0 {
        result.collation = right.collation;
    }
    result.length = if left_in.is_max() || right_in.is_max() {
        result.kind = variable(result).kind;
        SqlType::MAX
    } else {
        (left_in.length + right_in.length).min(8000)
    };
    Some(Signature { left: left_in, right: right_in, result })
}

/// The type itself, or for code-page characters beside Unicode ones their Unicode counterpart.
fn in_family_of(ty: &SqlType, other: TypeKind) -> SqlType {
    if !(ty.kind.is_chars() && other.is_unicode()) {
        return *ty;
    }
    let (kind, length) = match ty.kind {
        TypeKind::Char => (TypeKind::NChar, (2 * ty.length.min(4000)).max(2)),
        TypeKind::Text => (TypeKind::NText, ty.length),
        _ if ty.is_max() => (TypeKind::NVarChar, SqlType::MAX),
        _ => (TypeKind::NVarChar, (2 * ty.length.min(4000)).max(2)),
    };
    SqlType { kind, length, ..*ty }
}

fn variable(ty: SqlType) -> SqlType {
    let kind = match ty.kind {
        TypeKind::Char => TypeKind::VarChar,
        TypeKind::NChar => TypeKind::NVarChar,
        TypeKind::Binary => TypeKind::VarBinary,
        other => other,
    };
    SqlType { kind, ..ty }
}

fn bitwise(op: BinaryOperator, left: &Operand, right: &Operand) -> SqlResult<Signature> {
    let (l, r) = (left.ty.kind, right.ty.kind);
    let fits = |kind: TypeKind| kind.is_integer();
    let ty = match (fits(l), fits(r)) {
        (true, true) => SqlType::of_kind(l.max(r), super::Collation(0)),
        (true, false) if r.is_binary() && r != TypeKind::Image => left.ty,
        (false, true) if l.is_binary() && l != TypeKind::Image => right.ty,
        _ => return Err(incompatible(op, l, r)),
    };
    Ok(Signature::all(ty))
}

fn decimal_arithmetic(
    op: BinaryOperator,
    kind: TypeKind,
    left: &Operand,
    right: &Operand,
) -> Signature {
    // A string or binary takes the decimal type beside it.
    let enter = |own: &Operand, other: &Operand| {
        if own.ty.kind.is_numeric() { own.as_decimal(kind) } else { decimal_for(&other.ty, kind) }
    };
    let (l, r) = (enter(left, right), enter(right, left));
    Signature { left: l, right: r, result: decimal_result(op, kind, &l, &r) }
}

/// Precision and scale of an operator on two decimals, reduced to 38 digits as documented.
fn decimal_result(op: BinaryOperator, kind: TypeKind, l: &SqlType, r: &SqlType) -> SqlType {
    let (p1, s1) = (i32::from(l.precision), i32::from(l.scale));
    let (p2, s2) = (i32::from(r.precision), i32::from(r.scale));
    let whole = (p1 - s1).max(p2 - s2);
    let (precision, scale) = match op {
        BinaryOperator::Multiply => reduce(p1 + p2 + 1, s1 + s2),
        BinaryOperator::Divide => {
            let scale = 6.max(s1 + p2 + 1);
            reduce(p1 - s1 + s2 + scale, scale)
        }
        BinaryOperator::Modulo => {
            let scale = s1.max(s2);
            keep_whole((p1 - s1).min(p2 - s2) + scale, scale)
        }
        _ => {
            let scale = s1.max(s2);
            let precision = scale + whole + 1;
            if precision > 38 { (38, scale.min(38 - whole)) } else { (precision, scale) }
        }
    };
    SqlType::exact(kind, precision.clamp(1, 38) as u8, scale.clamp(0, 38) as u8)
}

/// Multiplication and division beyond 38 digits give up scale, but keep six digits of it.
fn reduce(precision: i32, scale: i32) -> (i32, i32) {
    if precision <= 38 {
        return (precision, scale);
    }
    let whole = precision - scale;
    (38, if whole < 32 { scale.min(38 - whole) } else { scale.min(6) })
}

fn keep_whole(precision: i32, scale: i32) -> (i32, i32) {
    if precision <= 38 {
        (precision, scale)
    } else {
        (38, scale.min((38 - (precision - scale)).max(0)))
    }
}

/// The type to which both sides of a comparison are converted. Errors 206, 257, 305, 402, 403 and
/// 13636.
pub fn comparison(op: BinaryOperator, left: &Operand, right: &Operand) -> SqlResult<SqlType> {
    let (left, right) = adopt(left, right);
    let (l, r) = (left.ty.kind, right.ty.kind);
    let both_temporal = l.is_temporal() && r.is_temporal();
    let never = convertibility(l.min(r), l.max(r)) == Convertibility::Never;
    let is_json = |kind| kind == TypeKind::Json;
    if is_json(l) && is_json(r) {
        return Err(SqlError::new(&message::JSON_NOT_COMPARABLE, &[]));
    }
    if l == TypeKind::Xml && r == TypeKind::Xml {
        return Err(SqlError::new(&message::XML_NOT_COMPARABLE, &[]));
    }
    let json_and_text = is_json(l) && r.is_character() || is_json(r) && l.is_character();
    let has_xml = l == TypeKind::Xml || r == TypeKind::Xml;
    if l.is_legacy_lob()
        || r.is_legacy_lob()
        || json_and_text
        || has_xml
        || (both_temporal && never)
    {
        return Err(SqlError::new(&message::INCOMPATIBLE_TYPES, &[&l, &r, &op.name()]));
    }
    if never {
        return Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &[&l, &r]));
    }
    if l.max(r).is_spatial() {
        return Err(incompatible(op, l, r));
    }
    unify(&left.ty, &right.ty)
}

/// The type that holds values of both: `CASE`, `COALESCE`, `UNION`, `IN`. Errors 206 and 257.
pub fn unify(left: &SqlType, right: &SqlType) -> SqlResult<SqlType> {
    let (lower, higher) = if left.kind <= right.kind { (left, right) } else { (right, left) };
    check_implicit(lower.kind, higher.kind)?;
    let collation = if left.collation.0 != 0 { left.collation } else { right.collation };
    Ok(unify_ordered(lower, higher).with_collation(collation))
}

fn unify_ordered(lower: &SqlType, higher: &SqlType) -> SqlType {
    use TypeKind::*;
    match higher.kind {
        Decimal | Numeric if lower.kind.is_numeric() => {
            let other = decimal_for(lower, higher.kind);
            let scale = other.scale.max(higher.scale);
            let whole = (other.precision - other.scale).max(higher.precision - higher.scale);
            let (precision, scale) = keep_whole(i32::from(whole + scale), i32::from(scale));
            SqlType::exact(higher.kind, precision as u8, scale as u8)
        }
        Time => SqlType::time(higher.scale.max(fraction_scale(lower))),
        DateTime2 => SqlType::datetime2(higher.scale.max(fraction_scale(lower))),
        DateTimeOffset => SqlType::datetimeoffset(higher.scale.max(fraction_scale(lower))),
        Char | VarChar | NChar | NVarChar | Binary | VarBinary => unify_sized(lower, higher),
        Xml if lower.kind == Xml && lower != higher => unify_xml(lower, higher),
        _ => *higher,
    }
}

/// Fractional-second digits that a temporal type brings into a wider one.
fn fraction_scale(ty: &SqlType) -> u8 {
    if ty.kind.is_temporal() { ty.scale } else { 0 }
}

/// Of different collections, no collection.
fn unify_xml(a: &SqlType, b: &SqlType) -> SqlType {
    match (a.xml_use(), b.xml_use()) {
        (Some(a), Some(b)) if a.collection == b.collection => {
            SqlType::xml_of(XmlUse { is_document: false, ..a })
        }
        _ => SqlType::xml(),
    }
}

fn unify_sized(lower: &SqlType, higher: &SqlType) -> SqlType {
    let same_family = (lower.kind.is_character() && higher.kind.is_character())
        || (lower.kind.is_binary() && higher.kind.is_binary());
    if !same_family {
        return *higher;
    }
    let lower = in_family_of(lower, higher.kind);
    let both_padded = lower.kind.is_padded() && higher.kind.is_padded();
    let mut result = if both_padded { *higher } else { variable(*higher) };
    if lower.is_max() || higher.is_max() {
        result = SqlType { length: SqlType::MAX, ..variable(result) };
    } else {
        result.length = lower.length.max(higher.length);
    }
    result
}

/// The type of a unary operator's result. Error 8117.
pub fn unary(op: UnaryOperator, operand: &SqlType) -> SqlResult<SqlType> {
    use TypeKind::*;
    let result = match (op, operand.kind) {
        (UnaryOperator::Plus, kind) if !kind.is_opaque() => Some(*operand),
        (UnaryOperator::Minus, TinyInt) => Some(SqlType::smallint()),
        (UnaryOperator::Minus, kind) if kind.is_numeric() && kind != Bit => Some(*operand),
        (UnaryOperator::BitNot, kind) if kind.is_integer() => Some(*operand),
        _ => None,
    };
    result.ok_or_else(|| {
        SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&operand.kind, &op.name()])
    })
}

/// The type of `SUM`. Error 8117.
pub fn sum(operand: &SqlType) -> SqlResult<SqlType> {
    use TypeKind::*;
    Ok(match operand.kind {
        TinyInt | SmallInt | Int => SqlType::int(),
        BigInt => SqlType::bigint(),
        Decimal | Numeric => SqlType::exact(operand.kind, 38, operand.scale),
        Money | SmallMoney => SqlType::money(),
        Float | Real => SqlType::float(),
        kind => {
            return Err(SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&kind, &"sum"]));
        }
    })
}

/// The type of `AVG`. Error 8117.
pub fn avg(operand: &SqlType) -> SqlResult<SqlType> {
    if operand.kind.is_decimal() {
        return Ok(SqlType::exact(operand.kind, 38, operand.scale.max(6)));
    }
    sum(operand).map_err(|_| {
        SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&operand.kind, &"avg"])
    })
}

#[cfg(test)]
mod tests;
