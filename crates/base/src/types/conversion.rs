//! Which type converts to which: the chart of `CAST` and `CONVERT`.

use super::SqlType;
use super::TypeKind::{self, *};
use crate::error::{SqlError, SqlResult};
use crate::message;

/// How willingly one type converts to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Convertibility {
    /// Not at all: error 529 in a `CAST`, 206 elsewhere.
    Never,
    /// Only by `CAST` or `CONVERT`: error 257 elsewhere.
    Explicit,
    /// Also in assignments and between operands.
    Implicit,
}

/// What the chart says about converting `from` to `to`.
pub fn convertibility(from: TypeKind, to: TypeKind) -> Convertibility {
    use Convertibility::{Explicit, Implicit, Never};
    if from == to {
        return Implicit;
    }
    match from {
        HierarchyId | Geometry | Geography => match to {
            Char | VarChar | NChar | NVarChar | Binary | VarBinary => Explicit,
            _ => Never,
        },
        _ if to.is_clr() => match from {
            Char | VarChar | NChar | NVarChar | Binary | VarBinary => Implicit,
            _ => Never,
        },
        Json => match to {
            Char | VarChar | NChar | NVarChar => Explicit,
            _ => Never,
        },
        _ if to == Json => match from {
            Char | VarChar | NChar | NVarChar => Implicit,
            _ => Never,
        },
        Xml => match to {
            Char | VarChar | NChar | NVarChar | Binary | VarBinary => Explicit,
            _ => Never,
        },
        _ if to == Xml => match from {
            _ if from.is_character() => Implicit,
            Binary | VarBinary | Image => Implicit,
            _ => Never,
        },
        SqlVariant => match to {
            Text | NText | Image | RowVersion => Never,
            _ => Explicit,
        },
        _ if to == SqlVariant => match from {
            Text | NText | Image | RowVersion => Never,
            _ => Implicit,
        },
        Char | VarChar => match to {
            Binary | VarBinary | RowVersion => Explicit,
            _ => Implicit,
        },
        NChar | NVarChar => match to {
            Binary | VarBinary | RowVersion => Explicit,
            Image => Never,
            _ => Implicit,
        },
        Text => match to {
            Char | VarChar | NText => Implicit,
            NChar | NVarChar => Explicit,
            _ => Never,
        },
        NText => match to {
            NChar | NVarChar | Text => Implicit,
            Char | VarChar => Explicit,
            _ => Never,
        },
        Image => match to {
            Binary | VarBinary | RowVersion => Implicit,
            _ => Never,
        },
        Binary | VarBinary => match to {
            Float | Real | Text | NText => Never,
            Date | Time | DateTime2 | DateTimeOffset => Explicit,
            _ => Implicit,
        },
        RowVersion => match to {
            NChar | NVarChar | Float | Real | Text | NText | UniqueIdentifier => Never,
            Date | Time | DateTime2 | DateTimeOffset => Never,
            _ => Implicit,
        },
        UniqueIdentifier => match to {
            Binary | VarBinary | Char | VarChar | NChar | NVarChar => Implicit,
            _ => Never,
        },
        DateTime | SmallDateTime => match to {
            UniqueIdentifier | Image | Text | NText => Never,
            _ if to.is_temporal() || to.is_character() => Implicit,
            _ => Explicit,
        },
        Date | Time | DateTime2 | DateTimeOffset => from_new_temporal(from, to),
        _ => from_number(from, to),
    }
}

fn from_new_temporal(from: TypeKind, to: TypeKind) -> Convertibility {
    match to {
        Char | VarChar | NChar | NVarChar => Convertibility::Implicit,
        Binary | VarBinary => Convertibility::Explicit,
        Date if from == Time => Convertibility::Never,
        Time if from == Date => Convertibility::Never,
        _ if to.is_temporal() => Convertibility::Implicit,
        _ => Convertibility::Never,
    }
}

fn from_number(from: TypeKind, to: TypeKind) -> Convertibility {
    match to {
        UniqueIdentifier | Image | Text | NText => Convertibility::Never,
        Date | Time | DateTime2 | DateTimeOffset => Convertibility::Never,
        RowVersion if from.is_float() => Convertibility::Never,
        _ => Convertibility::Implicit,
    }
}

/// Whether `CAST` may convert `from` to `to`; error 529 if not.
pub fn check_explicit(from: TypeKind, to: TypeKind) -> SqlResult<()> {
    match convertibility(from, to) {
        Convertibility::Never => {
            Err(SqlError::new(&message::EXPLICIT_CONVERSION_NOT_ALLOWED, &[&from, &to]))
        }
        _ => Ok(()),
    }
}

/// Whether a value of `from` may be assigned to, or compared as, `to` without a `CAST`; error 206
/// or 257 if not.
pub fn check_implicit(from: TypeKind, to: TypeKind) -> SqlResult<()> {
    match convertibility(from, to) {
        Convertibility::Implicit => Ok(()),
        Convertibility::Explicit => {
            Err(SqlError::new(&message::IMPLICIT_CONVERSION_NOT_ALLOWED, &[&from, &to]))
        }
        Convertibility::Never => Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &[&from, &to])),
    }
}

/// As [`check_implicit`], for whole types. Error 527 for xml of different collections.
pub fn check_implicit_types(from: &SqlType, to: &SqlType) -> SqlResult<()> {
    check_implicit(from.kind, to.kind)?;
    match (from.xml_use(), to.xml_use()) {
        (Some(own), Some(other)) if own.collection != other.collection => {
            Err(SqlError::new(&message::XML_COLLECTIONS_DIFFER, &[]))
        }
        _ => Ok(()),
    }
}

/// Whether converting a value can fail with an arithmetic error (220, 232, 8115). Under `ARITHABORT
/// OFF` and `ANSI_WARNINGS OFF` such a conversion yields NULL, so its result is nullable whatever
/// its operand is.
pub fn may_overflow(from: &SqlType, to: &SqlType) -> bool {
    if from.kind == SqlVariant {
        return true;
    }
    if to.kind == Bit || to.kind == SqlVariant || from == to {
        return false;
    }
    match (whole_digits(from), whole_digits(to)) {
        (Some(digits), Some(room)) => exact_may_overflow(from, digits, to, room),
        // A float holds numbers of 38 digits.
        (Some(_), None) if to.kind.is_float() => false,
        (Some(_), None) if to.kind.is_character() => to.length < PRINTED_BYTES_MAX,
        (Some(_), None) => to.kind.is_temporal(),
        (None, Some(_)) if from.kind.is_binary() => !to.kind.is_integer(),
        // Texts that overflow the smaller integers are errors of their own (244, 248).
        (None, Some(_)) if from.kind.is_character() => !to.kind.is_integer() || to.kind == BigInt,
        (None, Some(_)) => true,
        (None, None) if from.kind.is_float() => match to.kind {
            Float => false,
            Real => true,
            _ if to.kind.is_character() => to.length < PRINTED_BYTES_MAX,
            _ => to.kind.is_temporal(),
        },
        (None, None) => from.kind.is_character() && to.kind.is_float(),
    }
}

/// Room for every number as text, in nchar too.
const PRINTED_BYTES_MAX: u16 = 82;

/// Whether a conversion between exact numeric types may overflow: types with this many digits in
/// front of the point.
fn exact_may_overflow(from: &SqlType, digits: u8, to: &SqlType, room: u8) -> bool {
    match to.kind {
        TinyInt => !matches!(from.kind, Bit | TinyInt),
        // An integer type holds all numbers that have a digit less than its largest.
        SmallInt | Int | BigInt if from.kind.is_integer() => digits > room,
        SmallInt | Int | BigInt => digits >= room,
        SmallMoney | Money => to.kind != from.kind && digits >= room,
        // Rounding may carry into a further digit, or be refused.
        _ => digits > room || fraction_digits(from) > to.scale,
    }
}

/// How many digits in front of the point the numbers of an exact type have at most.
fn whole_digits(ty: &SqlType) -> Option<u8> {
    Some(match ty.kind {
        Bit => 1,
        TinyInt => 3,
        SmallInt => 5,
        Int => 10,
        BigInt => 19,
        SmallMoney => 6,
        Money => 15,
        Decimal | Numeric => ty.precision - ty.scale,
        _ => return None,
    })
}

/// How many digits after the point the numbers of an exact type have.
fn fraction_digits(ty: &SqlType) -> u8 {
    match ty.kind {
        SmallMoney | Money => 4,
        Decimal | Numeric => ty.scale,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
