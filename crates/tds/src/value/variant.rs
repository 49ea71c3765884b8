//! `sql_variant`: a type byte, the number of bytes that describe the type, these bytes, and the
//! value without a length of its own.

use base::types::Repr;
use base::value::Variant;
use base::{Collation, SqlType, TypeKind, Value};

use crate::collation::WireCollation;
use crate::error::{EncodeError, ProtocolError};
use crate::reader::ByteReader;
use crate::typeinfo::{TypeInfo, WireType};
use crate::value::decode::decode_plain;
use crate::value::encode::{Scalar, date_or_time_text, string_properties};
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Bytes that a value within a variant may have.
const CONTENT_BYTES_MAX: usize = 8000;

const INVALID: ProtocolError = ProtocolError::Value("sql_variant");

/// Decodes the content of a variant that is not NULL.
///
/// # Errors
/// [`ProtocolError::Value`] when the type cannot be within a variant or its description or value
/// is wrong.
pub fn read_variant(bytes: &[u8], unknown: Collation) -> Result<Variant, ProtocolError> {
    let mut r = ByteReader::new(bytes);
    let info = read_type(&mut r).map_err(|_| INVALID)?;
    let content = r.rest();
    if content.len() > CONTENT_BYTES_MAX || content.len() < minimum_length(&info) {
        return Err(INVALID);
    }
    let value = decode_plain(&info, content).map_err(|_| INVALID)?;
    Ok(Variant { ty: info.to_sql(unknown), value: value.to_owned() })
}

fn read_type(r: &mut ByteReader<'_>) -> Result<TypeInfo, ProtocolError> {
    let ty = WireType::from_byte(r.u8()?)?;
    let described_by = r.u8()?;
    let mut info = TypeInfo {
        ty,
        length: ty.fixed_width().map_or(0, u32::from),
        precision: 0,
        scale: 0,
        collation: WireCollation::default(),
        clr: None,
    };
    use WireType::*;
    let expected = match ty {
        Guid => {
            info.length = 16;
            0
        }
        Date => 0,
        Time | DateTime2 | DateTimeOffset => {
            info.scale = r.u8()?;
            1
        }
        DecimalN | NumericN => {
            [info.precision, info.scale] = r.array()?;
            info.length = 17;
            2
        }
        VarBinary | Binary => {
            info.length = r.u16()?.into();
            2
        }
        VarChar | Char | NVarChar | NChar => {
            info.collation = WireCollation::read(r)?;
            info.length = r.u16()?.into();
            7
        }
        _ if ty.fixed_width().is_some() => 0,
        _ => return Err(INVALID),
    };
    let scale_is_valid = match ty {
        DecimalN | NumericN => (1..=38).contains(&info.precision) && info.scale <= info.precision,
        _ => info.scale <= 7,
    };
    let length_is_valid = info.length as usize <= CONTENT_BYTES_MAX;
    if described_by == expected && scale_is_valid && length_is_valid {
        Ok(info)
    } else {
        Err(INVALID)
    }
}

/// Integers may not be shorter than their type here, since no length says how long they are.
fn minimum_length(info: &TypeInfo) -> usize {
    info.ty.fixed_width().unwrap_or(0).into()
}

/// Writes a variant that is not NULL, its four-byte length included.
///
/// # Errors
/// When the value is not one of the type, or the type cannot be within a variant.
pub(crate) fn write_variant(
    out: &mut MessageWriter,
    variant: &Variant,
    version: TdsVersion,
) -> Result<(), EncodeError> {
    let ty = &variant.ty;
    let value = variant.value.as_ref();
    if let Some(scalar) = Scalar::of(ty) {
        let info = TypeInfo::for_sql(ty, false, version);
        if info.ty == WireType::NVarChar {
            let text = date_or_time_text(ty.kind, ty.scale, value)?;
            let units: Vec<u8> = text.as_bytes().iter().flat_map(|c| [*c, 0]).collect();
            let ty = SqlType::nvarchar(text.as_bytes().len() as u16, ty.collation);
            put_variant(out, info.ty, &string_properties(&ty), &units);
            return Ok(());
        }
        let bytes = scalar.bytes(value)?;
        let properties: &[u8] = match ty.kind {
            TypeKind::Decimal | TypeKind::Numeric => &[ty.precision, ty.scale],
            TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset => &[ty.scale],
            _ => &[],
        };
        put_variant(out, info.ty, properties, bytes.content());
        return Ok(());
    }
    let wire = match ty.kind {
        TypeKind::Binary => WireType::Binary,
        TypeKind::VarBinary if !ty.is_max() => WireType::VarBinary,
        TypeKind::Char => WireType::Char,
        TypeKind::VarChar if !ty.is_max() => WireType::VarChar,
        TypeKind::NChar => WireType::NChar,
        TypeKind::NVarChar if !ty.is_max() => WireType::NVarChar,
        _ => return Err(EncodeError::Representation),
    };
    let bytes = match (&variant.value, ty.kind.repr()) {
        (Value::Chars(bytes), Repr::Chars)
        | (Value::Unicode(bytes), Repr::Unicode)
        | (Value::Bytes(bytes), Repr::Bytes) => bytes,
        _ => return Err(EncodeError::Representation),
    };
    if bytes.len() > ty.length.into() {
        return Err(EncodeError::Length { length: bytes.len(), limit: ty.length.into() });
    }
    let properties = string_properties(ty);
    let described_by = if ty.kind.is_binary() { &properties[5..] } else { &properties[..] };
    put_variant(out, wire, described_by, bytes);
    Ok(())
}

fn put_variant(out: &mut MessageWriter, ty: WireType, properties: &[u8], content: &[u8]) {
    out.put_u32((2 + properties.len() + content.len()) as u32);
    out.put(&[ty as u8, properties.len() as u8]);
    out.put(properties);
    out.put(content);
}
