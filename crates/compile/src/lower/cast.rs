//! Conversions: which cost nothing, which have an instruction of their own.

use base::types::{Repr, TypeKind};
use base::{SqlResult, SqlType};
use ir::inst::{Inst, IntKind, Reg};
use ir::operator::CastMode;
use ir::site::CastSite;

use crate::lower::Lowering;
use crate::lower::expr::{NullTo, push_site};
use crate::plan::expr::Expr;

impl Lowering {
    /// Whether a conversion changes nothing about a value's representation and cannot fail.
    pub fn free_cast(
        &self,
        operand: &Expr,
        to: &SqlType,
        _mode: CastMode,
        style: Option<&Expr>,
    ) -> bool {
        style.is_none() && keeps_value(&operand.ty, to)
    }

    /// Converts into a register. Returns whether the result may be NULL though the operand is not.
    pub fn cast(
        &mut self,
        operand: &Expr,
        to: &SqlType,
        mode: CastMode,
        style: Option<&Expr>,
        dst: Reg,
        null: NullTo,
    ) -> SqlResult<bool> {
        let src = self.strict(operand, null)?;
        let style = style.map(|style| self.strict(style, null)).transpose()?;
        let from = operand.ty;
        if style.is_none() && keeps_value(&from, to) {
            self.b.emit(Inst::Move { dst, src });
            return Ok(false);
        }
        let errors_are_null = self.options.arithmetic_errors_are_null;
        let mut site = CastSite {
            from,
            to: *to,
            mode,
            style,
            int: IntKind::of(to.kind).unwrap_or(IntKind::BigInt),
            factor: 1,
            bound: i128::MAX,
            exact: self.options.numeric_roundabort && rounds(&from, to),
            column: self.assigned_column.clone(),
        };
        let from_int = IntKind::of(from.kind).is_some() && style.is_none();
        let can_fail_to_null = mode == CastMode::Try;
        let inst = match to.kind.repr() {
            Repr::Int if from_int && to.kind != TypeKind::Bit && !can_fail_to_null => {
                let site = push_site(&mut self.b.unit.casts, site);
                Inst::CastInt { dst, src, site }
            }
            Repr::Decimal if from_int && !can_fail_to_null => {
                site.factor = 10i128.pow(u32::from(to.scale));
                site.bound = 10i128.pow(u32::from(to.precision));
                let site = push_site(&mut self.b.unit.casts, site);
                Inst::CastIntDecimal { dst, src, site }
            }
            Repr::Float if from_int && to.kind == TypeKind::Float => {
                self.b.emit(Inst::CastIntFloat { dst, src });
                return Ok(false);
            }
            _ => {
                let site = push_site(&mut self.b.unit.casts, site);
                self.b.emit(Inst::Cast { dst, src, site });
                return Ok(can_fail_to_null || errors_are_null);
            }
        };
        self.b.emit(inst);
        Ok(errors_are_null)
    }
}

/// Whether a conversion may round digits after the point away.
fn rounds(from: &SqlType, to: &SqlType) -> bool {
    let digits = |ty: &SqlType| match ty.kind.repr() {
        Repr::Decimal => Some(ty.scale),
        Repr::Money => Some(4),
        _ => None,
    };
    match (digits(from), digits(to)) {
        (Some(from), Some(to)) => from > to,
        _ => false,
    }
}

/// Whether every value of a type is, bit for bit, the converted value of another.
pub fn keeps_value(from: &SqlType, to: &SqlType) -> bool {
    if from == to {
        return true;
    }
    if let (Some(from), Some(to)) = (IntKind::of(from.kind), IntKind::of(to.kind)) {
        let ((from_min, from_max), (to_min, to_max)) = (from.range(), to.range());
        return to_min <= from_min && from_max <= to_max;
    }
    if from.kind.repr() != to.kind.repr() {
        return false;
    }
    let longer = to.is_max() || (!from.is_max() && from.length <= to.length);
    match to.kind.repr() {
        Repr::Decimal => from.scale == to.scale && from.precision <= to.precision,
        Repr::Money => to.kind == TypeKind::Money,
        Repr::Float => to.kind == TypeKind::Float,
        Repr::Time | Repr::DateTime2 | Repr::DateTimeOffset => from.scale <= to.scale,
        // The code page goes with the collation.
        Repr::Chars => {
            let changes = to.kind == TypeKind::Char || to.kind.is_document();
            longer && !changes && from.collation == to.collation
        }
        Repr::Unicode => {
            // Padding is by length, so a longer nchar is another value.
            let padded =
                to.kind == TypeKind::NChar && !(from.kind == to.kind && from.length == to.length);
            longer && !padded
        }
        Repr::Bytes => longer && matches!(to.kind, TypeKind::VarBinary | TypeKind::Image),
        _ => false,
    }
}
