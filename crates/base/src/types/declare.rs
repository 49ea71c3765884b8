//! From what a user writes, a name and numbers in parentheses, to a type.

use super::{Collation, SqlType, TypeKind};
use crate::error::{SqlError, SqlResult};
use crate::message;

/// What stands in parentheses after a type's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeArguments<'a> {
    /// No parentheses.
    None,
    /// `(max)`.
    Max,
    /// One or two numbers.
    Numbers(&'a [u32]),
}

/// What a type is declared for, as messages name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject<'a> {
    /// A column of a table.
    Column(&'a str),
    /// A parameter of a module.
    Parameter(&'a str),
    /// A variable or the target of a `CAST`: messages name the type itself.
    Type,
}

/// Where a type is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'a> {
    /// What the type is declared for.
    pub subject: Subject<'a>,
    /// Its number among its siblings, from 1, as messages give it.
    pub ordinal: u32,
    /// The line of the type's name, from 1.
    pub line: u32,
    /// The length of strings that give none: 1 in declarations, 30 in `CAST` and `CONVERT`.
    pub default_length: u16,
    /// For character types.
    pub collation: Collation,
}

/// The kind that a built-in type name means, in any case and with its ISO synonyms. `sysname` is
/// not a kind, see [`declare`].
pub fn kind_by_name(name: &str) -> Option<TypeKind> {
    use TypeKind::*;
    const SYNONYMS: &[(&str, TypeKind)] = &[
        ("rowversion", RowVersion),
        ("integer", Int),
        ("dec", Decimal),
        ("character", Char),
        ("char varying", VarChar),
        ("character varying", VarChar),
        ("national char", NChar),
        ("national character", NChar),
        ("national char varying", NVarChar),
        ("national character varying", NVarChar),
        ("national text", NText),
        ("double precision", Float),
        ("binary varying", VarBinary),
    ];
    let name = name.trim();
    TypeKind::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(name)).or_else(|| {
        SYNONYMS.iter().find(|(synonym, _)| synonym.eq_ignore_ascii_case(name)).map(|&(_, k)| k)
    })
}

/// The type that `name` with `arguments` declares. Errors: 2715 for an unknown name, 2716 for
/// parentheses that the type does not take, 131, 2717, 1001, 1002, 192 and 2750 for bad numbers.
pub fn declare(name: &str, arguments: TypeArguments, at: &Declaration) -> SqlResult<SqlType> {
    if name.trim().eq_ignore_ascii_case("sysname") {
        return match arguments {
            TypeArguments::None => Ok(SqlType::sysname(at.collation)),
            _ => Err(no_width(name, at)),
        };
    }
    let Some(kind) = kind_by_name(name) else {
        return Err(SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &[&at.ordinal, &name]));
    };
    use TypeKind::*;
    match kind {
        Char | VarChar | Binary | VarBinary => string(kind, arguments, at, 8000, 1),
        NChar | NVarChar => string(kind, arguments, at, 4000, 2),
        Decimal | Numeric => decimal(kind, arguments, at),
        Time => Ok(SqlType::time(fraction(name, arguments, at)?)),
        DateTime2 => Ok(SqlType::datetime2(fraction(name, arguments, at)?)),
        DateTimeOffset => Ok(SqlType::datetimeoffset(fraction(name, arguments, at)?)),
        Float => float(name, arguments, at),
        _ => match arguments {
            TypeArguments::None => Ok(SqlType::of_kind(kind, at.collation)),
            _ => Err(no_width(name, at)),
        },
    }
}

fn no_width(name: &str, at: &Declaration) -> SqlError {
    SqlError::new(&message::CANNOT_SPECIFY_WIDTH, &[&at.ordinal, &name])
}

fn bad_length(number: u32, at: &Declaration) -> SqlError {
    SqlError::new(&message::INVALID_LENGTH_OR_PRECISION, &[&at.line, &number])
}

fn too_precise(number: u32, limit: u32, at: &Declaration) -> SqlError {
    SqlError::new(&message::PRECISION_TOO_LARGE, &[&at.ordinal, &number, &limit])
}

fn string(
    kind: TypeKind,
    arguments: TypeArguments,
    at: &Declaration,
    limit: u32,
    unit: u16,
) -> SqlResult<SqlType> {
    let length = match arguments {
        TypeArguments::None => u32::from(at.default_length),
        TypeArguments::Max if kind.is_padded() => {
            return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"max"]));
        }
        TypeArguments::Max => return Ok(sized(kind, SqlType::MAX, at.collation)),
        TypeArguments::Numbers(&[length]) => length,
        TypeArguments::Numbers(_) => {
            return Err(SqlError::new(&message::CAST_ATTRIBUTES_INVALID, &[&kind]));
        }
    };
    match length {
        0 => Err(bad_length(0, at)),
        _ if length > limit => Err(too_long(kind, length, limit, at)),
        _ => Ok(sized(kind, length as u16 * unit, at.collation)),
    }
}

fn sized(kind: TypeKind, length: u16, collation: Collation) -> SqlType {
    SqlType { length, ..SqlType::of_kind(kind, collation) }
}

fn too_long(kind: TypeKind, length: u32, limit: u32, at: &Declaration) -> SqlError {
    let (what, name) = match at.subject {
        Subject::Column(name) => ("column", name),
        Subject::Parameter(name) => ("parameter", name),
        Subject::Type => ("type", kind.name()),
    };
    if length > 8000 {
        SqlError::new(&message::SIZE_EXCEEDS_ANY_TYPE, &[&length, &what, &name, &8000])
    } else {
        SqlError::new(&message::SIZE_EXCEEDS_MAXIMUM, &[&length, &what, &name, &limit])
    }
}

fn decimal(kind: TypeKind, arguments: TypeArguments, at: &Declaration) -> SqlResult<SqlType> {
    let (precision, scale) = match arguments {
        TypeArguments::None => (18, 0),
        TypeArguments::Numbers(&[precision]) => (precision, 0),
        TypeArguments::Numbers(&[precision, scale]) => (precision, scale),
        _ => return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"max"])),
    };
    if precision == 0 {
        Err(bad_length(0, at))
    } else if scale > precision {
        Err(SqlError::new(&message::SCALE_EXCEEDS_PRECISION, &[]))
    } else if precision > 38 {
        Err(too_precise(precision, 38, at))
    } else {
        Ok(SqlType::exact(kind, precision as u8, scale as u8))
    }
}

fn fraction(name: &str, arguments: TypeArguments, at: &Declaration) -> SqlResult<u8> {
    match arguments {
        TypeArguments::None => Ok(7),
        TypeArguments::Numbers(&[scale]) if scale <= 7 => Ok(scale as u8),
        TypeArguments::Numbers(&[scale]) => {
            Err(SqlError::new(&message::INVALID_SCALE, &[&at.line, &scale]))
        }
        _ => Err(no_width(name, at)),
    }
}

fn float(name: &str, arguments: TypeArguments, at: &Declaration) -> SqlResult<SqlType> {
    match arguments {
        TypeArguments::None => Ok(SqlType::float()),
        _ if !name.trim().eq_ignore_ascii_case("float") => Err(no_width(name, at)),
        TypeArguments::Numbers(&[0]) => Err(bad_length(0, at)),
        TypeArguments::Numbers(&[1..=24]) => Ok(SqlType::real()),
        TypeArguments::Numbers(&[25..=53]) => Ok(SqlType::float()),
        TypeArguments::Numbers(&[bits]) => Err(too_precise(bits, 53, at)),
        _ => Err(no_width(name, at)),
    }
}

#[cfg(test)]
mod tests;
