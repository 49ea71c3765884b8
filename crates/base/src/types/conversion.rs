//! Which type converts to which: the chart of `CAST` and `CONVERT`.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_has_its_known_corners() {
        use Convertibility::{Explicit, Implicit, Never};
        for (from, to, expected) in [
            (Int, Date, Never),
            (Int, DateTime, Implicit),
            (DateTime, Int, Explicit),
            (DateTime, Date, Implicit),
            (Date, Time, Never),
            (VarChar, VarBinary, Explicit),
            (VarBinary, VarChar, Implicit),
            (VarBinary, Float, Never),
            (VarBinary, Int, Implicit),
            (Int, UniqueIdentifier, Never),
            (UniqueIdentifier, VarChar, Implicit),
            (SqlVariant, Int, Explicit),
            (Int, SqlVariant, Implicit),
            (Text, VarChar, Implicit),
            (Text, NVarChar, Explicit),
            (Image, VarChar, Never),
            (Bit, Money, Implicit),
            (DateTime2, Int, Never),
        ] {
            assert_eq!(convertibility(from, to), expected, "{from} to {to}");
        }
    }

    #[test]
    fn forbidden_pairs_raise_sql_servers_errors() {
        let e = check_explicit(Int, Date).unwrap_err();
        assert_eq!(e.number(), 529);
        assert_eq!(e.text(), "Explicit conversion from data type int to date is not allowed.");
        assert_eq!(check_implicit(DateTime, Int).unwrap_err().number(), 257);
        let e = check_implicit(Int, Date).unwrap_err();
        assert_eq!(e.number(), 206);
        assert_eq!(e.text(), "Operand type clash: int is incompatible with date");
    }
}
