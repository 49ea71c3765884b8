//! Payloads of ids, types, values and codes.

use base::ids::{DbId, ObjectId, StorageId};
use base::value::{DateTime, DateTimeOffset, Variant};
use base::{Collation, SqlType, TypeKind, Value};

use super::{Field, Fields, Malformed, Reader, message, put_field, put_payload, put_varint};
use crate::catalog::def::*;

/// A structure around one number.
macro_rules! id {
    ($($name:ident),*) => {$(
        impl Field for $name {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }
            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                Field::read(bytes).map($name)
            }
            fn absent() -> Option<Self> {
                Field::absent().map($name)
            }
            fn is_absent(&self) -> bool {
                self.0.is_absent()
            }
        }
    )*};
}

id! {
    DbId, ObjectId, StorageId, SchemaId, PrincipalId, ColumnId, IndexId, UserTypeId, XmlCollectionId, DataSpaceId,
    FileId
}

/// An enum with codes: the payload is the code.
macro_rules! code {
    ($($name:ident)*; text $($text:ident)*) => {
        $(impl Field for $name {
            fn write(&self, out: &mut Vec<u8>) {
                out.push(self.code());
            }
            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                let code = Field::read(bytes)?;
                $name::from_code(code).ok_or(Malformed::Invalid(stringify!($name)))
            }
        })*
        $(impl Field for $text {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(self.code().as_bytes());
            }
            fn read(bytes: &[u8]) -> Result<Self, Malformed> {
                let found = $text::ALL.iter().find(|v| v.code().as_bytes() == bytes);
                found.copied().ok_or(Malformed::Invalid(stringify!($text)))
            }
        })*
    };
}

code! {
    ReferenceClass SecurableClass RetentionUnit ChangeRetentionUnit LockEscalation IndexKind DerivedIndexKind
    TessellationScheme GridDensity
    Comparison ReferentialAction
    TriggerEventKind Authentication DatabaseState UserAccess RecoveryModel PageVerify
    DelayedDurability FileKind SettingId PredicateKind BlockedOperation
    MaskingFunction;
    text PrincipalKind PermissionState Permission FileGroupKind
}

/// The code; the default is left out.
impl Field for HashCaching {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.code());
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        HashCaching::from_code(Field::read(bytes)?).ok_or(Malformed::Invalid("HashCaching"))
    }

    fn absent() -> Option<Self> {
        Some(HashCaching::Default)
    }

    fn is_absent(&self) -> bool {
        *self == HashCaching::Default
    }
}

message! {
    DateTime { 1 days, 2 ticks }
    Securable { 1 class, 2 major, 3 minor }
    ForeignKeyColumn { 1 own, 2 referenced }
}

/// The bits; a positive zero is left out.
impl Field for f64 {
    fn write(&self, out: &mut Vec<u8>) {
        self.to_bits().write(out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        Field::read(bytes).map(f64::from_bits)
    }

    fn absent() -> Option<Self> {
        Some(0.0)
    }

    fn is_absent(&self) -> bool {
        self.to_bits() == 0
    }
}

/// The id, which is the collation's for ever; a newer server may have more of them.
impl Field for Collation {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let collation = Collation(Field::read(bytes)?);
        match collation == Collation(0) || collation.exists() {
            true => Ok(collation),
            false => Err(Malformed::Invalid("collation")),
        }
    }

    fn absent() -> Option<Self> {
        Some(Collation(0))
    }

    fn is_absent(&self) -> bool {
        self.0 == 0
    }
}

/// `system_type_id`, precision, scale, length, collation.
impl Field for SqlType {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.kind.user_type_id(), self.precision, self.scale]);
        put_varint(out, self.length.into());
        self.collation.write(out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let kind = TypeKind::from_user_type_id(reader.byte()?);
        let (precision, scale) = (reader.byte()?, reader.byte()?);
        let length = reader.varint()?;
        Ok(SqlType {
            kind: kind.ok_or(Malformed::Invalid("type"))?,
            precision,
            scale,
            length: length.try_into().map_err(|_| Malformed::Invalid("length of a type"))?,
            collation: Collation::read(reader.0)?,
        })
    }
}

/// Tags of the variants of [`Value`].
mod kind {
    pub const NULL: u8 = 0;
    pub const INT: u8 = 1;
    pub const MONEY: u8 = 2;
    pub const DECIMAL: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const CHARS: u8 = 5;
    pub const UNICODE: u8 = 6;
    pub const BYTES: u8 = 7;
    pub const DATE: u8 = 8;
    pub const TIME: u8 = 9;
    pub const DATETIME: u8 = 10;
    pub const SMALLDATETIME: u8 = 11;
    pub const DATETIME2: u8 = 12;
    pub const DATETIMEOFFSET: u8 = 13;
    pub const GUID: u8 = 14;
    pub const VARIANT: u8 = 15;
}

impl Field for Value {
    fn write(&self, out: &mut Vec<u8>) {
        let mut put = |kind: u8, write: &dyn Fn(&mut Vec<u8>)| {
            out.push(kind);
            write(out);
        };
        match self {
            Value::Null => put(kind::NULL, &|_| ()),
            Value::Int(v) => put(kind::INT, &|o| v.write(o)),
            Value::Money(v) => put(kind::MONEY, &|o| v.write(o)),
            Value::Decimal(v) => put(kind::DECIMAL, &|o| v.write(o)),
            Value::Float(v) => put(kind::FLOAT, &|o| o.extend_from_slice(&v.to_le_bytes())),
            Value::Chars(v) => put(kind::CHARS, &|o| v.write(o)),
            Value::Unicode(v) => put(kind::UNICODE, &|o| v.write(o)),
            Value::Bytes(v) => put(kind::BYTES, &|o| v.write(o)),
            Value::Date(v) => put(kind::DATE, &|o| v.write(o)),
            Value::Time(v) => put(kind::TIME, &|o| v.write(o)),
            Value::DateTime(v) => put(kind::DATETIME, &|o| v.write(o)),
            Value::SmallDateTime(v) => put(kind::SMALLDATETIME, &|o| v.write(o)),
            Value::DateTime2(v) => put(kind::DATETIME2, &|o| v.write(o)),
            Value::DateTimeOffset(v) => put(kind::DATETIMEOFFSET, &|o| v.write(o)),
            Value::Guid(v) => put(kind::GUID, &|o| v.write(o)),
            Value::Variant(v) => put(kind::VARIANT, &|o| {
                put_payload(o, |o| v.ty.write(o));
                v.value.write(o);
            }),
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let (&kind, rest) = bytes.split_first().ok_or(Malformed::Truncated)?;
        Ok(match kind {
            kind::NULL => Value::Null,
            kind::INT => Value::Int(Field::read(rest)?),
            kind::MONEY => Value::Money(Field::read(rest)?),
            kind::DECIMAL => Value::Decimal(Field::read(rest)?),
            kind::FLOAT => {
                let bits = rest.try_into().map_err(|_| Malformed::Invalid("float"))?;
                Value::Float(f64::from_le_bytes(bits))
            }
            kind::CHARS => Value::Chars(Field::read(rest)?),
            kind::UNICODE if rest.len() % 2 == 0 => Value::Unicode(Field::read(rest)?),
            kind::BYTES => Value::Bytes(Field::read(rest)?),
            kind::DATE => Value::Date(Field::read(rest)?),
            kind::TIME => Value::Time(Field::read(rest)?),
            kind::DATETIME => Value::DateTime(Field::read(rest)?),
            kind::SMALLDATETIME => Value::SmallDateTime(Field::read(rest)?),
            kind::DATETIME2 => Value::DateTime2(Field::read(rest)?),
            kind::DATETIMEOFFSET => Value::DateTimeOffset(Field::read(rest)?),
            kind::GUID => Value::Guid(Field::read(rest)?),
            kind::VARIANT => Value::Variant(Box::new(read_variant(rest)?)),
            _ => return Err(Malformed::Invalid("value")),
        })
    }
}

/// A variant holds no variant, which bounds the depth.
fn read_variant(bytes: &[u8]) -> Result<Variant, Malformed> {
    let mut reader = Reader(bytes);
    let ty = SqlType::read(reader.payload()?)?;
    match reader.0.first() {
        Some(&kind::VARIANT | &kind::NULL) => Err(Malformed::Invalid("variant")),
        _ => Ok(Variant { ty, value: Value::read(reader.0)? }),
    }
}

message! {
    DateTimeOffset { 1 utc_ticks, 2 offset_minutes }
}

impl Field for TableKind {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(match self {
            TableKind::Disk => 1,
            TableKind::MemoryDurable => 2,
            TableKind::MemorySchemaOnly => 3,
        });
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes {
            [1] => Ok(TableKind::Disk),
            [2] => Ok(TableKind::MemoryDurable),
            [3] => Ok(TableKind::MemorySchemaOnly),
            _ => Err(Malformed::Invalid("kind of table")),
        }
    }
}

impl Field for TableRole {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(match self {
            TableRole::Table => 1,
            TableRole::Type => 2,
            TableRole::Internal => 3,
        });
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes {
            [1] => Ok(TableRole::Table),
            [2] => Ok(TableRole::Type),
            [3] => Ok(TableRole::Internal),
            _ => Err(Malformed::Invalid("role of a table")),
        }
    }
}

/// -1: the owner; 0: the caller; otherwise the principal's id plus 1.
impl Field for ExecuteAs {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            ExecuteAs::Caller => 0,
            ExecuteAs::Owner => -1,
            ExecuteAs::Principal(id) => i64::from(id.0) + 1,
        }
        .write(out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        Ok(match i64::read(bytes)? {
            0 => ExecuteAs::Caller,
            -1 => ExecuteAs::Owner,
            id => {
                let id = i32::try_from(id - 1).map_err(|_| Malformed::Invalid("principal"))?;
                ExecuteAs::Principal(PrincipalId(id))
            }
        })
    }

    fn absent() -> Option<Self> {
        Some(ExecuteAs::Caller)
    }

    fn is_absent(&self) -> bool {
        *self == ExecuteAs::Caller
    }
}

/// -1: as the server likes; 0: none; otherwise the size.
impl Field for SequenceCache {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            SequenceCache::None => 0,
            SequenceCache::Default => -1,
            SequenceCache::Size(size) => *size,
        }
        .write(out);
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        Ok(match i32::read(bytes)? {
            0 => SequenceCache::None,
            -1 => SequenceCache::Default,
            size => SequenceCache::Size(size),
        })
    }
}

/// Tags of the variants of [`FilterTest`].
mod test {
    pub const IS_NULL: u8 = 1;
    pub const IS_NOT_NULL: u8 = 2;
    pub const COMPARE: u8 = 3;
    pub const IN: u8 = 4;
}

impl Field for FilterTest {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            FilterTest::IsNull => out.push(test::IS_NULL),
            FilterTest::IsNotNull => out.push(test::IS_NOT_NULL),
            FilterTest::Compare(comparison, value) => {
                out.extend_from_slice(&[test::COMPARE, comparison.code()]);
                value.write(out);
            }
            FilterTest::In(values) => {
                out.push(test::IN);
                values.write(out);
            }
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes {
            [test::IS_NULL] => Ok(FilterTest::IsNull),
            [test::IS_NOT_NULL] => Ok(FilterTest::IsNotNull),
            [test::COMPARE, comparison, value @ ..] => {
                let comparison = Comparison::from_code(*comparison);
                let comparison = comparison.ok_or(Malformed::Invalid("comparison"))?;
                Ok(FilterTest::Compare(comparison, Value::read(value)?))
            }
            [test::IN, values @ ..] => Ok(FilterTest::In(Field::read(values)?)),
            _ => Err(Malformed::Invalid("filter")),
        }
    }
}
