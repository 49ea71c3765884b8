//! What `sys.types` and `sys.columns` say about types, constructors, and printing as T-SQL.

use std::fmt;
use std::sync::Arc;

use super::{Collation, SqlType, TypeKind};
use crate::collation::codepage::{CodePage, code_page};

/// One row of `sys.types`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeInfo {
    /// The name without length, precision or scale, in lower case.
    pub name: &'static str,
    /// `user_type_id`; also the `system_type_id` but for CLR types.
    pub user_type_id: u8,
    /// Bytes at most when no length is given, or the largest length that can be declared; -1 for a
    /// type that has no limit.
    pub max_length: i16,
    /// Largest precision; 0 for types without one.
    pub precision: u8,
    /// Largest scale.
    pub scale: u8,
}

/// How a type `xml` uses a schema collection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct XmlUse {
    /// The number of the collection in its database, from 1 to [`XmlUse::COLLECTION_MAX`].
    pub collection: u16,
    /// `DOCUMENT`: a value has exactly one element at the top.
    pub is_document: bool,
}

impl XmlUse {
    /// The highest number of a collection.
    pub const COLLECTION_MAX: u16 = 0x7FFF;
}

/// The `system_type_id` of all CLR types.
const CLR_SYSTEM_TYPE_ID: u8 = 240;

/// The name of a schema collection, for clients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XmlCollectionName {
    /// The database.
    pub database: Arc<str>,
    /// The schema that owns it.
    pub schema: Arc<str>,
    /// Its own name.
    pub name: Arc<str>,
}

/// The `user_type_id` of `sysname`, the alias of `nvarchar(128) NOT NULL`.
pub const SYSNAME_USER_TYPE_ID: i32 = 256;

const fn info(
    name: &'static str,
    user_type_id: u8,
    max_length: i16,
    precision: u8,
    scale: u8,
) -> TypeInfo {
    TypeInfo { name, user_type_id, max_length, precision, scale }
}

/// In the order of [`TypeKind`].
static INFO: [TypeInfo; 34] = [
    info("binary", 173, 8000, 0, 0),
    info("varbinary", 165, 8000, 0, 0),
    info("image", 34, 16, 0, 0),
    info("char", 175, 8000, 0, 0),
    info("varchar", 167, 8000, 0, 0),
    info("text", 35, 16, 0, 0),
    info("nchar", 239, 8000, 0, 0),
    info("nvarchar", 231, 8000, 0, 0),
    info("ntext", 99, 16, 0, 0),
    info("uniqueidentifier", 36, 16, 0, 0),
    info("timestamp", 189, 8, 0, 0),
    info("bit", 104, 1, 1, 0),
    info("tinyint", 48, 1, 3, 0),
    info("smallint", 52, 2, 5, 0),
    info("int", 56, 4, 10, 0),
    info("bigint", 127, 8, 19, 0),
    info("smallmoney", 122, 4, 10, 4),
    info("money", 60, 8, 19, 4),
    info("numeric", 108, 17, 38, 38),
    info("decimal", 106, 17, 38, 38),
    info("real", 59, 4, 24, 0),
    info("float", 62, 8, 53, 0),
    info("time", 41, 5, 16, 7),
    info("date", 40, 3, 10, 0),
    info("smalldatetime", 58, 4, 16, 0),
    info("datetime", 61, 8, 23, 3),
    info("datetime2", 42, 8, 27, 7),
    info("datetimeoffset", 43, 10, 34, 7),
    info("xml", 241, -1, 0, 0),
    info("sql_variant", 98, 8016, 0, 0),
    info("json", 244, -1, 0, 0),
    info("hierarchyid", 128, 892, 0, 0),
    info("geometry", 129, -1, 0, 0),
    info("geography", 130, -1, 0, 0),
];

impl TypeKind {
    /// Every kind, by rising precedence.
    pub const ALL: [TypeKind; 34] = {
        use TypeKind::*;
        [
            Binary,
            VarBinary,
            Image,
            Char,
            VarChar,
            Text,
            NChar,
            NVarChar,
            NText,
            UniqueIdentifier,
            RowVersion,
            Bit,
            TinyInt,
            SmallInt,
            Int,
            BigInt,
            SmallMoney,
            Money,
            Numeric,
            Decimal,
            Real,
            Float,
            Time,
            Date,
            SmallDateTime,
            DateTime,
            DateTime2,
            DateTimeOffset,
            Xml,
            SqlVariant,
            Json,
            HierarchyId,
            Geometry,
            Geography,
        ]
    };

    /// The kind's row of `sys.types`.
    pub fn info(self) -> &'static TypeInfo {
        &INFO[self as usize]
    }

    /// The name that messages and the catalog use: `timestamp` for rowversion, too.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// `sys.types.system_type_id`.
    pub fn system_type_id(self) -> u8 {
        if self.is_clr() { CLR_SYSTEM_TYPE_ID } else { self.user_type_id() }
    }

    /// `sys.types.user_type_id`, which no two kinds share.
    pub fn user_type_id(self) -> u8 {
        self.info().user_type_id
    }

    /// The kind with this `user_type_id`.
    pub fn from_user_type_id(id: u8) -> Option<TypeKind> {
        TypeKind::ALL.into_iter().find(|k| k.user_type_id() == id)
    }

    /// bit, tinyint, smallint, int, bigint.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            TypeKind::Bit
                | TypeKind::TinyInt
                | TypeKind::SmallInt
                | TypeKind::Int
                | TypeKind::BigInt
        )
    }

    /// decimal, numeric.
    pub const fn is_decimal(self) -> bool {
        matches!(self, TypeKind::Decimal | TypeKind::Numeric)
    }

    /// money, smallmoney.
    pub const fn is_money(self) -> bool {
        matches!(self, TypeKind::Money | TypeKind::SmallMoney)
    }

    /// float, real.
    pub const fn is_float(self) -> bool {
        matches!(self, TypeKind::Float | TypeKind::Real)
    }

    /// json, xml: documents.
    pub const fn is_document(self) -> bool {
        matches!(self, TypeKind::Json | TypeKind::Xml)
    }

    /// geometry, geography.
    pub const fn is_spatial(self) -> bool {
        matches!(self, TypeKind::Geometry | TypeKind::Geography)
    }

    /// json, xml, geometry, geography: what is neither compared nor sorted.
    pub const fn is_incomparable(self) -> bool {
        self.is_document() || self.is_spatial()
    }

    /// hierarchyid, geometry, geography: what SQL Server has of its own in an assembly. Their
    /// methods are in [`crate::clr`].
    pub const fn is_clr(self) -> bool {
        matches!(self, TypeKind::HierarchyId) || self.is_spatial()
    }

    /// Documents and CLR types: few functions take them, and no variant.
    pub const fn is_opaque(self) -> bool {
        self.is_document() || self.is_clr()
    }

    /// Any number: integers, decimals, money and floats.
    pub const fn is_numeric(self) -> bool {
        self.is_integer() || self.is_decimal() || self.is_money() || self.is_float()
    }

    /// char, varchar, text and their Unicode counterparts: what has a collation.
    pub const fn is_character(self) -> bool {
        self.is_chars() || self.is_unicode()
    }

    /// char, varchar, text.
    pub const fn is_chars(self) -> bool {
        matches!(self, TypeKind::Char | TypeKind::VarChar | TypeKind::Text)
    }

    /// nchar, nvarchar, ntext.
    pub const fn is_unicode(self) -> bool {
        matches!(self, TypeKind::NChar | TypeKind::NVarChar | TypeKind::NText)
    }

    /// binary, varbinary, image (not rowversion).
    pub const fn is_binary(self) -> bool {
        matches!(self, TypeKind::Binary | TypeKind::VarBinary | TypeKind::Image)
    }

    /// text, ntext, image.
    pub const fn is_legacy_lob(self) -> bool {
        matches!(self, TypeKind::Text | TypeKind::NText | TypeKind::Image)
    }

    /// date, time and everything with both.
    pub const fn is_temporal(self) -> bool {
        matches!(
            self,
            TypeKind::Date
                | TypeKind::Time
                | TypeKind::SmallDateTime
                | TypeKind::DateTime
                | TypeKind::DateTime2
                | TypeKind::DateTimeOffset
        )
    }

    /// time, datetime2, datetimeoffset: the ones with a scale of their own.
    pub const fn has_fraction_scale(self) -> bool {
        matches!(self, TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset)
    }

    /// char, nchar, binary: values are padded to the declared length.
    pub const fn is_padded(self) -> bool {
        matches!(self, TypeKind::Char | TypeKind::NChar | TypeKind::Binary)
    }
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $length:literal, $precision:literal, $scale:literal;)*) => {
        $(
            $(#[$doc])*
            pub const fn $name() -> SqlType {
                SqlType {
                    kind: TypeKind::$kind,
                    precision: $precision,
                    scale: $scale,
                    length: $length,
                    collation: Collation(0),
                }
            }
        )*
    };
}

/// Constructors. Lengths, precisions and scales must be valid; [`super::declare`] checks what users
/// write.
impl SqlType {
    plain! {
        /// `bit`
        bit = Bit, 1, 1, 0;
        /// `tinyint`
        tinyint = TinyInt, 1, 3, 0;
        /// `smallint`
        smallint = SmallInt, 2, 5, 0;
        /// `int`
        int = Int, 4, 10, 0;
        /// `bigint`
        bigint = BigInt, 8, 19, 0;
        /// `smallmoney`
        smallmoney = SmallMoney, 4, 10, 4;
        /// `money`
        money = Money, 8, 19, 4;
        /// `real`
        real = Real, 4, 24, 0;
        /// `float`
        float = Float, 8, 53, 0;
        /// `date`
        date = Date, 3, 10, 0;
        /// `smalldatetime`
        smalldatetime = SmallDateTime, 4, 16, 0;
        /// `datetime`
        datetime = DateTime, 8, 23, 3;
        /// `uniqueidentifier`
        uniqueidentifier = UniqueIdentifier, 16, 0, 0;
        /// `rowversion`, which the catalog calls `timestamp`
        rowversion = RowVersion, 8, 0, 0;
        /// `sql_variant`
        sql_variant = SqlVariant, 8016, 0, 0;
        /// `image`
        image = Image, 16, 0, 0;
        /// `hierarchyid`
        hierarchyid = HierarchyId, 892, 0, 0;
        /// `geometry`
        geometry = Geometry, 0xFFFF, 0, 0;
        /// `geography`
        geography = Geography, 0xFFFF, 0, 0;
    }

    /// `decimal(precision, scale)`
    pub const fn decimal(precision: u8, scale: u8) -> SqlType {
        SqlType::exact(TypeKind::Decimal, precision, scale)
    }

    /// `numeric(precision, scale)`
    pub const fn numeric(precision: u8, scale: u8) -> SqlType {
        SqlType::exact(TypeKind::Numeric, precision, scale)
    }

    /// `decimal` or `numeric`, as `kind` says.
    pub const fn exact(kind: TypeKind, precision: u8, scale: u8) -> SqlType {
        let length = match precision {
            0..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        };
        SqlType { kind, precision, scale, length, collation: Collation(0) }
    }

    /// `time(scale)`
    pub const fn time(scale: u8) -> SqlType {
        let precision = if scale == 0 { 8 } else { 9 + scale };
        SqlType::temporal(TypeKind::Time, precision, scale, 3)
    }

    /// `datetime2(scale)`
    pub const fn datetime2(scale: u8) -> SqlType {
        let precision = if scale == 0 { 19 } else { 20 + scale };
        SqlType::temporal(TypeKind::DateTime2, precision, scale, 6)
    }

    /// `datetimeoffset(scale)`
    pub const fn datetimeoffset(scale: u8) -> SqlType {
        let precision = if scale == 0 { 26 } else { 27 + scale };
        SqlType::temporal(TypeKind::DateTimeOffset, precision, scale, 8)
    }

    const fn temporal(kind: TypeKind, precision: u8, scale: u8, shortest: u16) -> SqlType {
        let length = match scale {
            0..=2 => shortest,
            3..=4 => shortest + 1,
            _ => shortest + 2,
        };
        SqlType { kind, precision, scale, length, collation: Collation(0) }
    }

    const fn sized(kind: TypeKind, length: u16, collation: Collation) -> SqlType {
        SqlType { kind, precision: 0, scale: 0, length, collation }
    }

    /// `char(bytes)`
    pub const fn char(bytes: u16, collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::Char, bytes, collation)
    }

    /// `varchar(bytes)`
    pub const fn varchar(bytes: u16, collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::VarChar, bytes, collation)
    }

    /// `varchar(max)`
    pub const fn varchar_max(collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::VarChar, SqlType::MAX, collation)
    }

    /// `text`
    pub const fn text(collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::Text, 16, collation)
    }

    /// `nchar(units)`, UTF-16 units
    pub const fn nchar(units: u16, collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::NChar, 2 * units, collation)
    }

    /// `nvarchar(units)`, UTF-16 units
    pub const fn nvarchar(units: u16, collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::NVarChar, 2 * units, collation)
    }

    /// `nvarchar(max)`
    pub const fn nvarchar_max(collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::NVarChar, SqlType::MAX, collation)
    }

    /// `ntext`
    pub const fn ntext(collation: Collation) -> SqlType {
        SqlType::sized(TypeKind::NText, 16, collation)
    }

    /// `sysname`: `nvarchar(128)`; that it is NOT NULL is not part of a [`SqlType`].
    pub const fn sysname(collation: Collation) -> SqlType {
        SqlType::nvarchar(128, collation)
    }

    /// `binary(bytes)`
    pub const fn binary(bytes: u16) -> SqlType {
        SqlType::sized(TypeKind::Binary, bytes, Collation(0))
    }

    /// `varbinary(bytes)`
    pub const fn varbinary(bytes: u16) -> SqlType {
        SqlType::sized(TypeKind::VarBinary, bytes, Collation(0))
    }

    /// `varbinary(max)`
    pub const fn varbinary_max() -> SqlType {
        SqlType::sized(TypeKind::VarBinary, SqlType::MAX, Collation(0))
    }

    /// `json`
    pub const fn json() -> SqlType {
        SqlType::sized(TypeKind::Json, SqlType::MAX, Collation::LATIN1_BIN2_UTF8)
    }

    /// `xml`
    pub const fn xml() -> SqlType {
        SqlType::sized(TypeKind::Xml, SqlType::MAX, Collation::LATIN1_BIN2_UTF8)
    }

    /// `xml(collection)`
    pub const fn xml_of(of: XmlUse) -> SqlType {
        let document = if of.is_document { 0x80 } else { 0 };
        let mut ty = SqlType::xml();
        ty.precision = of.collection as u8;
        ty.scale = (of.collection >> 8) as u8 & 0x7F | document;
        ty
    }

    /// The schema collection of a type `xml`, if it has one.
    pub const fn xml_use(&self) -> Option<XmlUse> {
        let collection = (self.scale as u16 & 0x7F) << 8 | self.precision as u16;
        match self.kind {
            TypeKind::Xml if collection != 0 => {
                Some(XmlUse { collection, is_document: self.scale & 0x80 != 0 })
            }
            _ => None,
        }
    }

    /// Precision and scale as the catalog shows them.
    pub const fn shown_digits(&self) -> (u8, u8) {
        match self.kind {
            TypeKind::Xml => (0, 0),
            _ => (self.precision, self.scale),
        }
    }

    /// The type of this kind with the length, precision and scale that a declaration without
    /// parentheses gives: 1 for strings, `(18, 0)` for decimals, 7 for fractions of a second.
    pub fn of_kind(kind: TypeKind, collation: Collation) -> SqlType {
        use TypeKind::*;
        match kind {
            Decimal | Numeric => SqlType::exact(kind, 18, 0),
            Time => SqlType::time(7),
            DateTime2 => SqlType::datetime2(7),
            DateTimeOffset => SqlType::datetimeoffset(7),
            Char | VarChar => SqlType::sized(kind, 1, collation),
            NChar | NVarChar => SqlType::sized(kind, 2, collation),
            Text | NText => SqlType::sized(kind, 16, collation),
            Binary | VarBinary => SqlType::sized(kind, 1, Collation(0)),
            Json => SqlType::json(),
            Xml => SqlType::xml(),
            _ => {
                let info = kind.info();
                SqlType {
                    kind,
                    precision: info.precision,
                    scale: info.scale,
                    length: info.max_length as u16,
                    collation: Collation(0),
                }
            }
        }
    }

    /// `sys.columns.max_length`: bytes, -1 for the `(max)` types, json and xml, 16 for text, ntext
    /// and image.
    pub const fn max_length(&self) -> i16 {
        if self.length == SqlType::MAX { -1 } else { self.length as i16 }
    }

    /// The declared length in characters (UTF-16 units for the Unicode types, bytes otherwise);
    /// `None` for types without one and for `(max)`.
    pub const fn declared_length(&self) -> Option<u16> {
        match self.kind {
            TypeKind::Char | TypeKind::VarChar | TypeKind::Binary | TypeKind::VarBinary
                if self.length != SqlType::MAX =>
            {
                Some(self.length)
            }
            TypeKind::NChar | TypeKind::NVarChar if self.length != SqlType::MAX => {
                Some(self.length / 2)
            }
            _ => None,
        }
    }

    /// Bytes that a value may have at most; `usize::MAX` for `(max)` and the old large types.
    pub const fn byte_limit(&self) -> usize {
        if self.is_max() { usize::MAX } else { self.length as usize }
    }

    /// The same type with this collation, if it has one at all.
    pub const fn with_collation(mut self, collation: Collation) -> SqlType {
        if self.kind.is_character() {
            self.collation = collation;
        }
        self
    }

    /// The type that an expression of this one has once it has another collation. Unlike a column
    /// that is declared with a collation, it has room for every character that it had: those of one
    /// byte may take three in UTF-8, and two in code pages of East Asia.
    pub fn recollated(self, collation: Collation) -> SqlType {
        let own = self.with_collation(collation);
        if !self.kind.is_chars() || self.is_max() || self.kind.is_legacy_lob() {
            return own;
        }
        let width = match (code_page(self.collation), code_page(collation)) {
            (CodePage::Single(_) | CodePage::Double(_), CodePage::Utf8) => 3,
            (CodePage::Single(_), CodePage::Double(_)) => 2,
            _ => return own,
        };
        // Blanks that pad are not to become more.
        SqlType::varchar(self.length.saturating_mul(width).min(8000), own.collation)
    }
}

/// As in T-SQL, without the collation: `nvarchar(50)`, `decimal(18,2)`, `varchar(max)`.
impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        match self.kind {
            TypeKind::Decimal | TypeKind::Numeric => {
                write!(f, "({},{})", self.precision, self.scale)
            }
            TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset => {
                write!(f, "({})", self.scale)
            }
            kind if kind.is_opaque() => Ok(()),
            _ if self.length == SqlType::MAX => f.write_str("(max)"),
            _ => match self.declared_length() {
                Some(length) => write!(f, "({length})"),
                None => Ok(()),
            },
        }
    }
}

impl fmt::Display for TypeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
