//! Data types on the wire (`TYPE_INFO`) and how they stand for the types of T-SQL.

use base::types::{XmlCollectionName, declare};
use base::{Collation, SqlType, TypeKind};

use crate::collation::WireCollation;
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::version::TdsVersion;
use crate::writer::PutBytes;

/// The first byte of a `TYPE_INFO`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum WireType {
    /// NULL without a type; only as a parameter.
    Null = 0x1F,
    Image = 0x22,
    Text = 0x23,
    Guid = 0x24,
    /// `varbinary` with a one-byte length, from old clients.
    OldVarBinary = 0x25,
    /// tinyint to bigint, nullable.
    IntN = 0x26,
    /// `varchar` with a one-byte length, from old clients.
    OldVarChar = 0x27,
    Date = 0x28,
    Time = 0x29,
    DateTime2 = 0x2A,
    DateTimeOffset = 0x2B,
    /// `binary` with a one-byte length, from old clients.
    OldBinary = 0x2D,
    /// `char` with a one-byte length, from old clients.
    OldChar = 0x2F,
    TinyInt = 0x30,
    Bit = 0x32,
    SmallInt = 0x34,
    /// `decimal` from old clients; the same as [`WireType::DecimalN`].
    OldDecimal = 0x37,
    Int = 0x38,
    SmallDateTime = 0x3A,
    Real = 0x3B,
    Money = 0x3C,
    DateTime = 0x3D,
    Float = 0x3E,
    /// `numeric` from old clients; the same as [`WireType::NumericN`].
    OldNumeric = 0x3F,
    Variant = 0x62,
    NText = 0x63,
    BitN = 0x68,
    DecimalN = 0x6A,
    NumericN = 0x6C,
    /// real and float, nullable.
    FloatN = 0x6D,
    /// smallmoney and money, nullable.
    MoneyN = 0x6E,
    /// smalldatetime and datetime, nullable.
    DateTimeN = 0x6F,
    SmallMoney = 0x7A,
    BigInt = 0x7F,
    VarBinary = 0xA5,
    VarChar = 0xA7,
    Binary = 0xAD,
    Char = 0xAF,
    NVarChar = 0xE7,
    NChar = 0xEF,
    /// A CLR type; which one, its name says.
    Udt = 0xF0,
    Xml = 0xF1,
    Json = 0xF4,
}

/// The type byte of a table-valued parameter, which has a form of its own.
pub const TABLE_TYPE: u8 = 0xF3;

impl WireType {
    /// # Errors
    /// [`ProtocolError::UnsupportedType`] or [`ProtocolError::UnknownType`].
    pub const fn from_byte(byte: u8) -> Result<WireType, ProtocolError> {
        use WireType::*;
        Ok(match byte {
            0x1F => Null,
            0x22 => Image,
            0x23 => Text,
            0x24 => Guid,
            0x25 => OldVarBinary,
            0x26 => IntN,
            0x27 => OldVarChar,
            0x28 => Date,
            0x29 => Time,
            0x2A => DateTime2,
            0x2B => DateTimeOffset,
            0x2D => OldBinary,
            0x2F => OldChar,
            0x30 => TinyInt,
            0x32 => Bit,
            0x34 => SmallInt,
            0x37 => OldDecimal,
            0x38 => Int,
            0x3A => SmallDateTime,
            0x3B => Real,
            0x3C => Money,
            0x3D => DateTime,
            0x3E => Float,
            0x3F => OldNumeric,
            0x62 => Variant,
            0x63 => NText,
            0x68 => BitN,
            0x6A => DecimalN,
            0x6C => NumericN,
            0x6D => FloatN,
            0x6E => MoneyN,
            0x6F => DateTimeN,
            0x7A => SmallMoney,
            0x7F => BigInt,
            0xA5 => VarBinary,
            0xA7 => VarChar,
            0xAD => Binary,
            0xAF => Char,
            0xE7 => NVarChar,
            0xEF => NChar,
            0xF0 => Udt,
            0xF1 => Xml,
            0xF4 => Json,
            // Table (not here), vector.
            TABLE_TYPE | 0xF5 => {
                return Err(ProtocolError::UnsupportedType(byte));
            }
            _ => return Err(ProtocolError::UnknownType(byte)),
        })
    }

    /// The width of a type that has one and is never NULL.
    pub const fn fixed_width(self) -> Option<u8> {
        use WireType::*;
        match self {
            TinyInt | Bit => Some(1),
            SmallInt => Some(2),
            Int | SmallDateTime | Real | SmallMoney => Some(4),
            Money | DateTime | Float | BigInt => Some(8),
            _ => None,
        }
    }

    /// Whether the type has a collation.
    pub const fn has_collation(self) -> bool {
        use WireType::*;
        matches!(self, Text | NText | VarChar | Char | NVarChar | NChar)
    }

    /// Whether this is text, ntext or image, whose columns name their table.
    pub const fn is_old_lob(self) -> bool {
        matches!(self, WireType::Text | WireType::NText | WireType::Image)
    }
}

/// How the bytes of a value are delimited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// No bytes at all: always NULL.
    Nothing,
    /// This many bytes, never NULL.
    Fixed(u8),
    /// A one-byte length; 0 is NULL.
    Byte,
    /// A two-byte length; 0xFFFF is NULL.
    Short,
    /// An eight-byte length, unknown (-2) or NULL (-1), then chunks with four-byte lengths, then an
    /// empty chunk.
    Chunked,
    /// A text pointer after a one-byte length, 0 being NULL; a timestamp; a four-byte length.
    TextPointer,
    /// A four-byte length; -1 is NULL.
    Long,
    /// A four-byte length; 0 is NULL.
    Variant,
}

/// How a CLR type is announced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UdtForm {
    /// By its name and those of its schema and database alone: as what a client sends.
    Named,
    /// With its length and class, too: as a column or an output parameter of a server.
    Described,
}

/// Where a value stands, which changes how the old large types are delimited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In a row.
    Row,
    /// As a parameter of a call.
    Parameter,
}

/// A data type as it is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeInfo {
    /// The type byte.
    pub ty: WireType,
    /// Bytes at most; [`TypeInfo::MAX`] for the (max) types.
    pub length: u32,
    /// Digits of a decimal.
    pub precision: u8,
    /// Digits after the point of a decimal or of a second.
    pub scale: u8,
    /// For the types that have one.
    pub collation: WireCollation,
    /// Which CLR type it is; `None` of all others.
    pub clr: Option<TypeKind>,
}

/// Sign and digits of a decimal of 38 digits.
const DECIMAL_LENGTH_MAX: u8 = 17;
const DECIMAL_DIGITS_MAX: u8 = 38;

impl TypeInfo {
    /// The length of the (max) types.
    pub const MAX: u32 = u16::MAX as u32;

    const fn new(ty: WireType, length: u32) -> TypeInfo {
        let collation = WireCollation([0; 5]);
        TypeInfo { ty, length, precision: 0, scale: 0, collation, clr: None }
    }

    /// How the bytes of values are delimited.
    pub const fn layout(&self, place: Place) -> Layout {
        use WireType::*;
        match self.ty {
            Null => Layout::Nothing,
            TinyInt | Bit | SmallInt | Int | SmallDateTime | Real | SmallMoney | Money
            | DateTime | Float | BigInt => Layout::Fixed(self.length as u8),
            Guid | OldVarBinary | IntN | OldVarChar | Date | Time | DateTime2 | DateTimeOffset
            | OldBinary | OldChar | OldDecimal | OldNumeric | BitN | DecimalN | NumericN
            | FloatN | MoneyN | DateTimeN => Layout::Byte,
            Json | Xml | Udt => Layout::Chunked,
            VarBinary | VarChar | NVarChar if self.length == TypeInfo::MAX => Layout::Chunked,
            VarBinary | VarChar | Binary | Char | NVarChar | NChar => Layout::Short,
            Text | NText | Image => match place {
                Place::Row => Layout::TextPointer,
                Place::Parameter => Layout::Long,
            },
            Variant => Layout::Variant,
        }
    }

    /// Reads a `TYPE_INFO`, the name of the table that follows some of them excluded. `form` is how
    /// CLR types are announced there.
    ///
    /// # Errors
    /// An unknown type, or a length, precision or scale that the type cannot have.
    pub fn read(r: &mut ByteReader<'_>, form: UdtForm) -> Result<TypeInfo, ProtocolError> {
        let byte = r.u8()?;
        let ty = WireType::from_byte(byte)?;
        if let Some(width) = ty.fixed_width() {
            return Ok(TypeInfo::new(ty, width.into()));
        }
        let mut info = TypeInfo::new(ty, 0);
        use WireType::*;
        match ty {
            Null => {}
            Json => info.length = TypeInfo::MAX,
            Xml => {
                info.length = TypeInfo::MAX;
                skip_schema(r)?;
            }
            Udt => info.read_udt(r, form)?,
            Date => info.length = 3,
            Time | DateTime2 | DateTimeOffset => info.read_fraction(r)?,
            Guid | IntN | BitN | FloatN | MoneyN | DateTimeN | OldVarBinary | OldVarChar
            | OldBinary | OldChar => info.length = r.u8()?.into(),
            OldDecimal | OldNumeric | DecimalN | NumericN => info.read_decimal(r)?,
            VarBinary | VarChar | Binary | Char | NVarChar | NChar => {
                info.length = r.u16()?.into();
            }
            Text | NText | Image | Variant => info.length = r.u32()?,
            _ => unreachable!("types of fixed width are read above"),
        }
        if ty.has_collation() {
            info.collation = WireCollation::read(r)?;
        }
        if info.has_valid_length() { Ok(info) } else { Err(ProtocolError::TypeLength(byte)) }
    }

    /// The names of a CLR type. Those of SQL Server's own are known in any schema.
    fn read_udt(&mut self, r: &mut ByteReader<'_>, form: UdtForm) -> Result<(), ProtocolError> {
        self.length = TypeInfo::MAX;
        if form == UdtForm::Described {
            r.u16()?;
        }
        r.b_varchar()?;
        r.b_varchar()?;
        let name = r.b_varchar()?.to_text();
        if form == UdtForm::Described {
            r.us_varchar()?;
        }
        let kind = declare::kind_by_name(&name).filter(|kind| kind.is_clr());
        self.clr = Some(kind.ok_or(ProtocolError::UnsupportedType(self.ty as u8))?);
        Ok(())
    }

    fn read_fraction(&mut self, r: &mut ByteReader<'_>) -> Result<(), ProtocolError> {
        self.scale = r.u8()?;
        if self.scale > 7 {
            return Err(ProtocolError::TypeScale(self.ty as u8));
        }
        self.length = self.to_sql(Collation(0)).length.into();
        Ok(())
    }

    fn read_decimal(&mut self, r: &mut ByteReader<'_>) -> Result<(), ProtocolError> {
        // What follows says everything; mssql-rs announces a length of 106 in its bulk loads.
        let length = r.u8()?.min(DECIMAL_LENGTH_MAX);
        self.length = length.into();
        [self.precision, self.scale] = r.array()?;
        if [self.precision, self.scale] == [0, 0] {
            // The JDBC driver knows no digits of a column whose values are all NULL.
            self.precision = DECIMAL_DIGITS_MAX;
        }
        if self.precision == 0 || self.precision > DECIMAL_DIGITS_MAX || self.scale > self.precision
        {
            return Err(ProtocolError::TypeScale(self.ty as u8));
        }
        Ok(())
    }

    const fn has_valid_length(&self) -> bool {
        use WireType::*;
        let length = self.length;
        match self.ty {
            IntN => matches!(length, 1 | 2 | 4 | 8),
            FloatN | MoneyN | DateTimeN => matches!(length, 4 | 8),
            BitN => matches!(length, 0 | 1),
            // A parameter that is NULL may be announced without a length.
            Guid => matches!(length, 0 | 16),
            OldDecimal | OldNumeric | DecimalN | NumericN => length >= 2,
            VarBinary | VarChar => length <= 8000 || length == TypeInfo::MAX,
            NVarChar => (length <= 8000 && length % 2 == 0) || length == TypeInfo::MAX,
            Binary | Char => length <= 8000,
            NChar => length <= 8000 && length % 2 == 0,
            _ => true,
        }
    }

    /// The same type for values as long as its form allows.
    pub(crate) fn unlimited(self) -> TypeInfo {
        use WireType::*;
        let length = match self.ty {
            VarBinary | VarChar | NVarChar | Binary | Char | NChar
                if self.length != TypeInfo::MAX =>
            {
                TypeInfo::MAX - 1
            }
            OldVarBinary | OldVarChar | OldBinary | OldChar => u8::MAX.into(),
            _ => self.length,
        };
        TypeInfo { length, ..self }
    }

    /// Writes the `TYPE_INFO`; of values of xml that follow these schemas, if there are any.
    pub fn write_of(
        &self,
        out: &mut impl PutBytes,
        schemas: Option<&XmlCollectionName>,
        database: Option<&str>,
    ) {
        let Some(schemas) = schemas.filter(|_| self.ty == WireType::Xml) else {
            return self.write(out, database);
        };
        const SCHEMA_PRESENT: u8 = 1;
        out.put_u8(self.ty as u8);
        out.put_u8(SCHEMA_PRESENT);
        out.put_b_varchar(&schemas.database);
        out.put_b_varchar(&schemas.schema);
        out.put_us_varchar(&schemas.name);
    }

    /// Writes the `TYPE_INFO`. A server describes CLR types, in this database; a client, which has
    /// none, names them.
    pub fn write(&self, out: &mut impl PutBytes, database: Option<&str>) {
        use WireType::*;
        out.put_u8(self.ty as u8);
        match self.ty {
            Null | Date | Json => {}
            Udt => self.write_udt(out, database),
            // Without a collection of schemas.
            Xml => out.put_u8(0),
            Time | DateTime2 | DateTimeOffset => out.put_u8(self.scale),
            Guid | IntN | BitN | FloatN | MoneyN | DateTimeN | OldVarBinary | OldVarChar
            | OldBinary | OldChar => out.put_u8(self.length as u8),
            OldDecimal | OldNumeric | DecimalN | NumericN => {
                out.put(&[self.length as u8, self.precision, self.scale]);
            }
            VarBinary | VarChar | Binary | Char | NVarChar | NChar => {
                out.put_u16(self.length as u16);
            }
            Text | NText | Image | Variant => out.put_u32(self.length),
            TinyInt | Bit | SmallInt | Int | SmallDateTime | Real | SmallMoney | Money
            | DateTime | Float | BigInt => {}
        }
        if self.ty.has_collation() {
            out.put(&self.collation.0);
        }
    }

    fn write_udt(&self, out: &mut impl PutBytes, database: Option<&str>) {
        let kind = self.clr.expect("a CLR type is announced with its kind");
        if database.is_some() {
            // As for other types 0xFFFF stands for any length.
            out.put_u16(SqlType::of_kind(kind, Collation(0)).length);
        }
        out.put_b_varchar(database.unwrap_or_default());
        out.put_b_varchar("sys");
        out.put_b_varchar(kind.name());
        if database.is_some() {
            out.put_us_varchar(&kind.assembly_qualified_name().unwrap_or_default());
        }
    }

    /// How a column or parameter of type `ty` is announced to a client of this version. What the
    /// version does not know is announced as what SQL Server turns it into: (max) types as text,
    /// ntext and image and CLR types as binaries before 7.2, date and time types as nvarchar before
    /// 7.3. Only clients that have asked for json know that type; for others see [`without_json`].
    pub fn for_sql(ty: &SqlType, nullable: bool, version: TdsVersion) -> TypeInfo {
        use TypeKind as K;
        use WireType as W;
        let number = |fixed, nullable_type| {
            TypeInfo::new(if nullable { nullable_type } else { fixed }, ty.length.into())
        };
        let mut info = match ty.kind {
            K::Bit => number(W::Bit, W::BitN),
            K::TinyInt => number(W::TinyInt, W::IntN),
            K::SmallInt => number(W::SmallInt, W::IntN),
            K::Int => number(W::Int, W::IntN),
            K::BigInt => number(W::BigInt, W::IntN),
            K::Real => number(W::Real, W::FloatN),
            K::Float => number(W::Float, W::FloatN),
            K::SmallMoney => number(W::SmallMoney, W::MoneyN),
            K::Money => number(W::Money, W::MoneyN),
            K::SmallDateTime => number(W::SmallDateTime, W::DateTimeN),
            K::DateTime => number(W::DateTime, W::DateTimeN),
            K::Decimal | K::Numeric => {
                let wire = if ty.kind == K::Decimal { W::DecimalN } else { W::NumericN };
                let length = SqlType::decimal(ty.precision, ty.scale).length.into();
                TypeInfo { precision: ty.precision, scale: ty.scale, ..TypeInfo::new(wire, length) }
            }
            K::UniqueIdentifier => TypeInfo::new(W::Guid, 16),
            K::Date | K::Time | K::DateTime2 | K::DateTimeOffset => for_date_type(ty, version),
            K::Binary => TypeInfo::new(W::Binary, ty.length.into()),
            K::RowVersion => TypeInfo::new(W::Binary, 8),
            K::VarBinary => for_variable(ty, W::VarBinary, W::Image, version),
            K::Char => TypeInfo::new(W::Char, ty.length.into()),
            K::Json if version.has_max_types() => TypeInfo::new(W::Json, TypeInfo::MAX),
            K::Xml => for_variable(ty, W::Xml, W::NText, version),
            kind if kind.is_clr() && version.has_max_types() => {
                TypeInfo { clr: Some(ty.kind), ..TypeInfo::new(W::Udt, TypeInfo::MAX) }
            }
            K::HierarchyId | K::Geometry | K::Geography => {
                for_variable(ty, W::VarBinary, W::Image, version)
            }
            K::VarChar | K::Json => for_variable(ty, W::VarChar, W::Text, version),
            K::NChar => TypeInfo::new(W::NChar, ty.length.into()),
            K::NVarChar => for_variable(ty, W::NVarChar, W::NText, version),
            K::Text => TypeInfo::new(W::Text, LOB_BYTES_MAX),
            K::NText => TypeInfo::new(W::NText, LOB_BYTES_MAX - 1),
            K::Image => TypeInfo::new(W::Image, LOB_BYTES_MAX),
            K::SqlVariant => TypeInfo::new(W::Variant, VARIANT_BYTES_MAX),
        };
        if info.ty.has_collation() {
            info.collation = WireCollation::of(match ty.kind {
                K::Xml => Collation::DEFAULT,
                _ => ty.collation,
            });
        }
        info
    }

    /// The type of T-SQL that is meant. What comes as json or xml is a string until it is read, and
    /// what comes as a CLR type a binary. `unknown` takes the place of unknown collations, and is
    /// that of old types that are sent without one.
    pub fn to_sql(&self, unknown: Collation) -> SqlType {
        use WireType::*;
        // A declared length of zero stands for "whatever the empty or missing value needs".
        let bytes = (self.length as u16).max(1);
        let units = (self.length as u16 / 2).max(1);
        let collation =
            if self.ty.has_collation() { self.collation.collation(unknown) } else { unknown };
        match self.ty {
            // As for the keyword NULL, whose type is int until something else is known.
            Null => SqlType::int(),
            IntN if self.length == 1 => SqlType::tinyint(),
            IntN if self.length == 2 => SqlType::smallint(),
            IntN if self.length == 8 => SqlType::bigint(),
            FloatN if self.length == 4 => SqlType::real(),
            MoneyN if self.length == 4 => SqlType::smallmoney(),
            DateTimeN if self.length == 4 => SqlType::smalldatetime(),
            TinyInt => SqlType::tinyint(),
            SmallInt => SqlType::smallint(),
            Int | IntN => SqlType::int(),
            BigInt => SqlType::bigint(),
            Bit | BitN => SqlType::bit(),
            Real => SqlType::real(),
            Float | FloatN => SqlType::float(),
            SmallMoney => SqlType::smallmoney(),
            Money | MoneyN => SqlType::money(),
            SmallDateTime => SqlType::smalldatetime(),
            DateTime | DateTimeN => SqlType::datetime(),
            OldDecimal | DecimalN => SqlType::decimal(self.precision, self.scale),
            OldNumeric | NumericN => SqlType::numeric(self.precision, self.scale),
            Guid => SqlType::uniqueidentifier(),
            Date => SqlType::date(),
            Time => SqlType::time(self.scale),
            DateTime2 => SqlType::datetime2(self.scale),
            DateTimeOffset => SqlType::datetimeoffset(self.scale),
            VarBinary if self.length == TypeInfo::MAX => SqlType::varbinary_max(),
            VarChar if self.length == TypeInfo::MAX => SqlType::varchar_max(collation),
            NVarChar if self.length == TypeInfo::MAX => SqlType::nvarchar_max(collation),
            Binary | OldBinary => SqlType::binary(bytes),
            VarBinary | OldVarBinary => SqlType::varbinary(bytes),
            Char | OldChar => SqlType::char(bytes, collation),
            VarChar | OldVarChar => SqlType::varchar(bytes, collation),
            NChar => SqlType::nchar(units, collation),
            NVarChar => SqlType::nvarchar(units, collation),
            Text => SqlType::text(collation),
            NText => SqlType::ntext(collation),
            Image => SqlType::image(),
            Variant => SqlType::sql_variant(),
            // What is sent is checked when it is read.
            Udt => SqlType::varbinary_max(),
            Json => without_json(SqlType::json()),
            Xml => SqlType::nvarchar_max(unknown),
        }
    }
}

/// Skips the name of the collection of schemas that values of xml follow, if there is one: what is
/// sent is read anew.
fn skip_schema(r: &mut ByteReader<'_>) -> Result<(), ProtocolError> {
    if r.u8()? != 0 {
        r.b_varchar()?;
        r.b_varchar()?;
        r.us_varchar()?;
    }
    Ok(())
}

/// What a type is for a client that does not know json: the same, or a string of the same bytes.
pub fn without_json(ty: SqlType) -> SqlType {
    match ty.kind {
        TypeKind::Json => SqlType::varchar_max(ty.collation),
        _ => ty,
    }
}

/// What text and image announce as their length; ntext one byte less, to be even.
const LOB_BYTES_MAX: u32 = i32::MAX as u32;

/// What sql_variant announces as its length.
const VARIANT_BYTES_MAX: u32 = 8009;

fn for_variable(ty: &SqlType, wire: WireType, lob: WireType, version: TdsVersion) -> TypeInfo {
    if !ty.is_max() {
        return TypeInfo::new(wire, ty.length.into());
    }
    if version.has_max_types() {
        return TypeInfo::new(wire, TypeInfo::MAX);
    }
    let odd = u32::from(lob == WireType::NText);
    TypeInfo::new(lob, LOB_BYTES_MAX - odd)
}

fn for_date_type(ty: &SqlType, version: TdsVersion) -> TypeInfo {
    if !version.has_date_types() {
        // `precision` is the number of characters that the value prints as.
        return TypeInfo::new(WireType::NVarChar, 2 * u32::from(ty.precision));
    }
    let wire = match ty.kind {
        TypeKind::Date => WireType::Date,
        TypeKind::Time => WireType::Time,
        TypeKind::DateTime2 => WireType::DateTime2,
        _ => WireType::DateTimeOffset,
    };
    let scale = if ty.kind == TypeKind::Date { 0 } else { ty.scale };
    TypeInfo { scale, ..TypeInfo::new(wire, ty.length.into()) }
}

#[cfg(test)]
mod tests;
