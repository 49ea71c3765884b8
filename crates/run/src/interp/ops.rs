//! What scalar instructions compute.

use base::convert::{ConvertOptions, Overlong, convert, try_convert};
use base::types::UnaryOperator;
use base::types::operators::{BinaryOperator, Signature};
use base::xml::schema::Collections;
use base::{Arena, SqlResult, SqlType, ValueRef, arithmetic, decimal, message};
use engine::wait::Task;
use ir::RegType;
use ir::function::clr::spatial::FORMS;
use ir::function::facts::{StatementPace, paced};
use ir::inst::{FloatOp, IntKind, IntOp};
use ir::operator::{ArithOp, CastMode, CompareOp};
use ir::site::{ArithSite, CastSite, UnaryOp, UnarySite};

use crate::interp::host::Host;
use crate::interp::slot::Slot;

/// Integer arithmetic; `None` on overflow or division by zero, which [`int_error`] tells apart.
#[inline(always)]
pub fn int(op: IntOp, kind: IntKind, a: i64, b: i64) -> Option<i64> {
    let value = match op {
        IntOp::Add => a.checked_add(b)?,
        IntOp::Sub => a.checked_sub(b)?,
        IntOp::Mul => a.checked_mul(b)?,
        IntOp::Div => a.checked_div(b)?,
        // The remainder of the smallest by -1 is 0, though the quotient overflows.
        IntOp::Mod if b == -1 => 0,
        IntOp::Mod => a.checked_rem(b)?,
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
    };
    let (min, max) = kind.range();
    (min <= value && value <= max).then_some(value)
}

/// Whether a number belongs to a series with this step that ends at `stop`.
#[inline(always)]
pub fn in_series<T: Ord + Default>(number: T, step: T, stop: T) -> bool {
    if step < T::default() { number >= stop } else { number <= stop }
}

/// The error for which [`int`] returned `None`.
#[cold]
pub fn int_error(op: IntOp, kind: IntKind, b: i64) -> base::SqlError {
    if matches!(op, IntOp::Div | IntOp::Mod) && b == 0 {
        return base::SqlError::new(&message::DIVIDE_BY_ZERO, &[]);
    }
    let kind = match kind {
        IntKind::Bit => base::TypeKind::Bit,
        IntKind::TinyInt => base::TypeKind::TinyInt,
        IntKind::SmallInt => base::TypeKind::SmallInt,
        IntKind::Int => base::TypeKind::Int,
        IntKind::BigInt => base::TypeKind::BigInt,
    };
    base::SqlError::new(&message::OVERFLOW_CONVERTING, &[&"expression", &kind])
}

/// Float arithmetic.
#[inline]
pub fn float(op: FloatOp, real: bool, a: f64, b: f64) -> SqlResult<f64> {
    let op = match op {
        FloatOp::Add => BinaryOperator::Add,
        FloatOp::Sub => BinaryOperator::Subtract,
        FloatOp::Mul => BinaryOperator::Multiply,
        FloatOp::Div => BinaryOperator::Divide,
    };
    let kind = if real { base::TypeKind::Real } else { base::TypeKind::Float };
    arithmetic::float::apply(op, kind, a, b)
}

/// Whether a comparison holds.
#[inline(always)]
pub fn holds<T: PartialOrd>(op: CompareOp, a: T, b: T) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}

/// Arithmetic of any type.
pub fn arith<'a>(
    site: &ArithSite,
    a: ValueRef<'a>,
    b: ValueRef<'a>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let op = match site.op {
        ArithOp::Add => BinaryOperator::Add,
        ArithOp::Subtract => BinaryOperator::Subtract,
        ArithOp::Multiply => BinaryOperator::Multiply,
        ArithOp::Divide => BinaryOperator::Divide,
        ArithOp::Modulo => BinaryOperator::Modulo,
        ArithOp::BitAnd => BinaryOperator::BitAnd,
        ArithOp::BitOr => BinaryOperator::BitOr,
        ArithOp::BitXor => BinaryOperator::BitXor,
    };
    let signature = Signature { left: site.left, right: site.right, result: site.result };
    let value = arithmetic::evaluate(op, a, b, &signature, arena)?;
    if site.exact {
        check_exact_result(site, (a, b), value)?;
    }
    Ok(value)
}

/// Error 8115: under `NUMERIC_ROUNDABORT` a product or quotient keeps all its digits.
#[cold]
fn check_exact_result(
    site: &ArithSite,
    operands: (ValueRef<'_>, ValueRef<'_>),
    value: ValueRef<'_>,
) -> SqlResult<()> {
    let (ValueRef::Decimal(a), ValueRef::Decimal(b)) = operands else { return Ok(()) };
    let (sa, sb) = (site.left.scale, site.right.scale);
    let rounded = match (site.op, value) {
        (ArithOp::Multiply, _) => decimal::product_is_rounded(a, sa, b, sb, &site.result),
        (ArithOp::Divide, ValueRef::Decimal(quotient)) => {
            decimal::quotient_is_rounded(a, sa, b, sb, quotient, &site.result)
        }
        _ => false,
    };
    match rounded {
        true => {
            let args: [&dyn std::fmt::Display; 2] = [&"numeric", &"numeric"];
            Err(base::SqlError::new(&message::OVERFLOW_CONVERTING, &args).with_state(7))
        }
        false => Ok(()),
    }
}

/// Unary operators.
pub fn unary<'a>(site: &UnarySite, value: ValueRef<'a>) -> SqlResult<ValueRef<'a>> {
    let op = match site.op {
        UnaryOp::Negate => UnaryOperator::Minus,
        UnaryOp::BitNot => UnaryOperator::BitNot,
    };
    arithmetic::negate(op, value, &site.ty)
}

/// Conversions. `style` is the value that the caller has read from the style's register.
pub fn cast<'a>(
    site: &CastSite,
    value: ValueRef<'a>,
    style: Option<i64>,
    host: &dyn Host,
    task: &Task<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let pace = StatementPace(task);
    let schema = site.to.xml_use().and_then(|_| {
        let facts = host.facts();
        facts.schema(facts.current_database())
    });
    let collections = schema.as_deref().map(|schema| schema as &dyn Collections);
    let mut options = ConvertOptions {
        collections,
        style: style.map(|s| i32::try_from(s).unwrap_or(i32::MAX)),
        overlong: Overlong::Cut,
        dates: host.dates(),
        pace: &pace,
        spatial: Some(FORMS),
    };
    if site.exact {
        check_exact(site, value)?;
    }
    match site.mode {
        CastMode::Try => try_convert(value, &site.from, &site.to, &options, arena),
        CastMode::Explicit | CastMode::AssignVariable => {
            convert(value, &site.from, &site.to, &options, arena)
        }
        CastMode::Assign => {
            options.overlong = Overlong::Refuse;
            match convert(value, &site.from, &site.to, &options, arena) {
                Err(error) if error.number() == message::TRUNCATED.number => {
                    name_column(site, value, options, host, arena).map_or(Err(error), Err)
                }
                other => other,
            }
        }
    }
}

/// Error 8115: under `NUMERIC_ROUNDABORT` digits are not rounded away.
#[cold]
fn check_exact(site: &CastSite, value: ValueRef<'_>) -> SqlResult<()> {
    let (units, scale) = match value {
        ValueRef::Decimal(units) => (units, site.from.scale),
        ValueRef::Money(units) => (i128::from(units), 4),
        _ => return Ok(()),
    };
    let kept = if site.to.kind.is_money() { 4 } else { site.to.scale };
    let lost = 10i128.pow(u32::from(scale.saturating_sub(kept)));
    if units % lost == 0 || site.mode == CastMode::Try {
        return Ok(());
    }
    let name = |ty: &base::SqlType| match ty.kind {
        base::TypeKind::Decimal => "numeric",
        kind => kind.name(),
    };
    let args: [&dyn std::fmt::Display; 2] = [&name(&site.from), &name(&site.to)];
    Err(base::SqlError::new(&message::OVERFLOW_CONVERTING, &args).with_state(7))
}

/// Error 2628 instead of 8152: with the names of table and column.
#[cold]
fn name_column<'a>(
    site: &CastSite,
    value: ValueRef<'a>,
    options: ConvertOptions<'_>,
    host: &dyn Host,
    arena: &'a Arena,
) -> Option<base::SqlError> {
    let assigned = site.column.as_ref()?;
    let name = host.table_name(assigned.database, &assigned.table);
    let table = match assigned.database {
        Some(_) => format!("{}.{}", name.database, name.table),
        None => name.table,
    };
    let overlong = Overlong::RefuseFor { table: &table, column: &assigned.name };
    let options = ConvertOptions { overlong, ..options };
    convert(value, &site.from, &site.to, &options, arena).err()
}

/// Bytes that are copied between two looks at the clock.
const COPIED: usize = 64 << 10;

/// A copy of many bytes.
#[cold]
pub fn copied_long<'a>(bytes: &[u8], task: &Task<'_>, arena: &'a Arena) -> SqlResult<&'a [u8]> {
    arena.admit(bytes.len())?;
    let mut out = arena.buffer_of(bytes.len());
    for piece in bytes.chunks(COPIED) {
        paced(task)?;
        out.extend(piece);
    }
    Ok(out.finish())
}

/// [`arithmetic::concatenate`] of many bytes. Error 7119 where the result is longer than any value
/// may be.
#[cold]
pub fn concatenate_long<'a>(
    a: &'a [u8],
    b: &'a [u8],
    result: &SqlType,
    task: &Task<'_>,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    let limit = result.byte_limit();
    if a.is_empty() || b.is_empty() {
        return Ok(arithmetic::concatenate(a, b, result, arena));
    }
    let length = a.len().saturating_add(b.len());
    let length = length.min(limit);
    arena.admit(length)?;
    let mut out = arena.buffer_of(length);
    for piece in a.chunks(COPIED).chain(b.chunks(COPIED)) {
        paced(task)?;
        out.extend(&piece[..piece.len().min(length - out.len())]);
    }
    Ok(out.finish())
}

/// `percent` percent of a number of rows, rounded up. A tiny excess from the float does not count.
pub fn percent(rows: i64, percent: f64) -> i64 {
    let exact = rows as f64 * percent / 100.0;
    let rounded = exact.round();
    let close = (exact - rounded).abs() <= rounded.abs() * 1e-12;
    (if close { rounded } else { exact.ceil() }) as i64
}

/// A register of a type for the value of a function or operator; variants are encoded into the
/// arena.
///
/// # Panics
/// If registers of the type do not hold such values. What reads a register of bytes relies on it.
pub fn slot<'a>(value: ValueRef<'a>, ty: RegType, arena: &'a Arena) -> Slot {
    assert!(ty.holds(&value), "{value:?} for a register of {ty:?}");
    match value {
        ValueRef::Variant(variant) => {
            let mut bytes = Vec::new();
            base::variant::encode_variant(&variant.ty, variant.value.as_ref(), &mut bytes);
            Slot::bytes(arena.alloc_bytes(&bytes))
        }
        value => Slot::from_value(value),
    }
}

#[cfg(test)]
mod tests;
