//! What a column, variable, parameter or expression is declared as.
//!
//! * [`metadata`]: names, `sys.types` ids, sizes; printing as T-SQL.
//! * [`declare`]: from a name and numbers in parentheses to a type, with SQL Server's errors.
//! * [`literal`]: the types of constants.
//! * [`conversion`]: which type converts to which, and whether implicitly.
//! * [`operators`]: what an operator or a `CASE` makes of its operands' types.
//! * [`coercibility`]: whose collation an expression gets.

mod classification;
pub mod coercibility;
pub mod conversion;
pub mod declare;
pub mod literal;
pub mod metadata;
pub mod operators;

use std::fmt;

pub use classification::Classification;
pub use coercibility::Coercibility;
pub use conversion::Convertibility;
pub use metadata::{XmlCollectionName, XmlUse};
pub use operators::{BinaryOperator, Operand, UnaryOperator};

/// The base type, without length, precision, scale or collation.
///
/// The order is SQL Server's type precedence, lowest first, so that `max` of two kinds is the
/// kind that an operator on both converts to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TypeKind {
    /// `binary(n)`, 1 to 8,000 bytes, padded with zero bytes.
    Binary,
    /// `varbinary(n)` and `varbinary(max)`.
    VarBinary,
    /// `image`: like `varbinary(max)`, kept for old clients.
    Image,
    /// `char(n)`, 1 to 8,000 bytes in the collation's code page, padded with blanks.
    Char,
    /// `varchar(n)` and `varchar(max)`.
    VarChar,
    /// `text`: like `varchar(max)`, kept for old clients.
    Text,
    /// `nchar(n)`, 1 to 4,000 UTF-16 units, padded with blanks.
    NChar,
    /// `nvarchar(n)` and `nvarchar(max)`.
    NVarChar,
    /// `ntext`: like `nvarchar(max)`, kept for old clients.
    NText,
    /// `uniqueidentifier`, 16 bytes.
    UniqueIdentifier,
    /// `rowversion`, also written `timestamp`: eight bytes that the server assigns.
    RowVersion,
    /// `bit`: 0 or 1.
    Bit,
    /// `tinyint`: 0 to 255.
    TinyInt,
    /// `smallint`, 16 bits.
    SmallInt,
    /// `int`, 32 bits.
    Int,
    /// `bigint`, 64 bits.
    BigInt,
    /// `smallmoney`: 32 bits in ten-thousandths.
    SmallMoney,
    /// `money`: 64 bits in ten-thousandths.
    Money,
    /// `numeric(p, s)`: the same as `decimal`, but it keeps its name.
    Numeric,
    /// `decimal(p, s)`, up to 38 digits.
    Decimal,
    /// `real`: a 32-bit float.
    Real,
    /// `float`: a 64-bit float.
    Float,
    /// `time(n)`.
    Time,
    /// `date`.
    Date,
    /// `smalldatetime`: minutes, 1900 to 2079.
    SmallDateTime,
    /// `datetime`: 1/300 of a second, 1753 to 9999.
    DateTime,
    /// `datetime2(n)`.
    DateTime2,
    /// `datetimeoffset(n)`.
    DateTimeOffset,
    /// `xml`: a document or fragment as its canonical text, see [`crate::xml`].
    Xml,
    /// `sql_variant`: a value that carries its own type.
    SqlVariant,
    /// `json`: an object or array as its canonical text, see [`crate::json::canonical`].
    Json,
    /// `hierarchyid`: a node of a tree, see [`crate::hierarchy`].
    HierarchyId,
    /// `geometry`: a figure in the plane, see [`crate::convert::SpatialForms`].
    Geometry,
    /// `geography`: a figure on the globe, likewise.
    Geography,
}

/// Identifies a collation; [`crate::types::Collation`] 0 means that the type has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Collation(pub u16);

/// A complete type: what `sys.columns` says about a column, less its nullability.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlType {
    /// The base type.
    pub kind: TypeKind,
    /// Decimal digits for `decimal` and `numeric` (1 to 38); with `scale` the schema collection of
    /// an `xml`, see [`SqlType::xml_use`]; elsewhere what `sys.columns` shows.
    pub precision: u8,
    /// Digits after the point for `decimal` and `numeric`; fractional-second digits (0 to 7) for
    /// `time`, `datetime2` and `datetimeoffset`; elsewhere what `sys.columns` shows.
    pub scale: u8,
    /// Bytes at most, as in `sys.columns.max_length` (so 100 for `nvarchar(50)`), or
    /// [`SqlType::MAX`].
    pub length: u16,
    /// For character types; for `json` and `xml`, whose text is UTF-8, the collation of that which
    /// no user sees; [`Collation`] 0 elsewhere.
    pub collation: Collation,
}

impl SqlType {
    /// The length of the `(max)` types.
    pub const MAX: u16 = u16::MAX;
}

/// How values of a type are held in memory: the one place that groups kinds by machine
/// representation. [`crate::ValueRef`] has one variant for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repr {
    /// `i64`: bit, tinyint, smallint, int, bigint.
    Int,
    /// `i64` in ten-thousandths: money, smallmoney.
    Money,
    /// `i128` in units of 10^-scale: decimal, numeric.
    Decimal,
    /// `f64`: float, and real (rounded to 32 bits after every operation).
    Float,
    /// Bytes in the collation's code page: char, varchar, text, json, xml.
    Chars,
    /// UTF-16LE bytes: nchar, nvarchar, ntext.
    Unicode,
    /// Bytes: binary, varbinary, image, rowversion, the CLR types.
    Bytes,
    /// `i32` days since 0001-01-01.
    Date,
    /// `i64` units of 100 ns since midnight, whatever the scale.
    Time,
    /// Days since 1900-01-01 and 1/300 s since midnight, packed in an `i64`.
    DateTime,
    /// `i64` minutes since 1900-01-01: smalldatetime.
    SmallDateTime,
    /// `i64` units of 100 ns since 0001-01-01, whatever the scale.
    DateTime2,
    /// UTC ticks as for [`Repr::DateTime2`] and the offset in minutes.
    DateTimeOffset,
    /// 16 bytes in SQL Server's wire order.
    Guid,
    /// A value with its own type.
    Variant,
}

impl TypeKind {
    /// How values of this kind are held in memory.
    pub const fn repr(self) -> Repr {
        use TypeKind::*;
        match self {
            Bit | TinyInt | SmallInt | Int | BigInt => Repr::Int,
            SmallMoney | Money => Repr::Money,
            Decimal | Numeric => Repr::Decimal,
            Real | Float => Repr::Float,
            Char | VarChar | Text | Json | Xml => Repr::Chars,
            NChar | NVarChar | NText => Repr::Unicode,
            Binary | VarBinary | Image | RowVersion | HierarchyId | Geometry | Geography => {
                Repr::Bytes
            }
            Date => Repr::Date,
            Time => Repr::Time,
            DateTime => Repr::DateTime,
            SmallDateTime => Repr::SmallDateTime,
            DateTime2 => Repr::DateTime2,
            DateTimeOffset => Repr::DateTimeOffset,
            UniqueIdentifier => Repr::Guid,
            SqlVariant => Repr::Variant,
        }
    }
}

impl fmt::Debug for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?}({},{},{})/{}",
            self.kind, self.length, self.precision, self.scale, self.collation.0
        )
    }
}

impl SqlType {
    /// Whether this is one of the `(max)` types, or text, ntext, image, json, xml, geometry or
    /// geography.
    pub const fn is_max(&self) -> bool {
        matches!(self.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image)
            || self.length == SqlType::MAX
    }
}
