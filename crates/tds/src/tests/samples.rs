//! Values of every type: the extreme ones, and generated ones.

use base::value::{DateTime, DateTimeOffset, Variant};
use base::{Collation, SqlType, TypeKind, Value};
use proptest::prelude::*;

use crate::value::encode::date_or_time_text;
use crate::value::temporal::{DATE_MAX, TICKS_PER_DAY};
use crate::version::TdsVersion;

const C: Collation = Collation::DEFAULT;

fn chars(bytes: &[u8]) -> Value {
    Value::Chars(bytes.into())
}

pub fn unicode(text: &str) -> Value {
    Value::Unicode(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.into())
}

fn variant(ty: SqlType, value: Value) -> Value {
    Value::Variant(Box::new(Variant { ty, value }))
}

const fn unit(scale: u8) -> i64 {
    10i64.pow(7 - scale as u32)
}

/// Every type with its extreme values.
pub fn extremes() -> Vec<(SqlType, Vec<Value>)> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let money = |values: &[i64]| values.iter().copied().map(Value::Money).collect::<Vec<_>>();
    let mut all = vec![
        (SqlType::bit(), ints(&[0, 1])),
        (SqlType::tinyint(), ints(&[0, 255])),
        (SqlType::smallint(), ints(&[i16::MIN.into(), -1, i16::MAX.into()])),
        (SqlType::int(), ints(&[i32::MIN.into(), -1, i32::MAX.into()])),
        (SqlType::bigint(), ints(&[i64::MIN, -1, i64::MAX])),
        (SqlType::smallmoney(), money(&[i32::MIN.into(), -1, i32::MAX.into()])),
        (SqlType::money(), money(&[i64::MIN, -1, 1 << 40, i64::MAX])),
        (SqlType::real(), vec![Value::Float(f32::MIN.into()), Value::Float(-0.5)]),
        (SqlType::float(), vec![Value::Float(f64::MAX), Value::Float(5e-324)]),
        (SqlType::date(), vec![Value::Date(0), Value::Date(DATE_MAX)]),
        (
            SqlType::datetime(),
            vec![
                Value::DateTime(DateTime { days: -53_690, ticks: 0 }),
                Value::DateTime(DateTime { days: 2_958_463, ticks: 25_919_999 }),
            ],
        ),
        (
            SqlType::smalldatetime(),
            vec![Value::SmallDateTime(0), Value::SmallDateTime(65_536 * 1440 - 1)],
        ),
        (SqlType::uniqueidentifier(), vec![Value::Guid(*b"0123456789abcdef")]),
        (SqlType::rowversion(), vec![bytes(b"\0\0\0\0\0\0\x07\xD1")]),
        (SqlType::char(3, C), vec![chars(b"a  "), chars(b"abc")]),
        (SqlType::varchar(8000, C), vec![chars(b""), chars(&[b'x'; 8000])]),
        (SqlType::varchar_max(C), vec![chars(b""), chars(b"a"), chars(&[b'y'; 20_000])]),
        (SqlType::text(C), vec![chars(b""), chars(&[b'z'; 20_000])]),
        (
            SqlType::xml(),
            vec![chars(b"<a/>"), chars("<é>😀</é>".as_bytes()), chars(&[b'x'; 20_000])],
        ),
        (SqlType::json(), vec![chars(b"{}"), chars("[\"é\"]".as_bytes()), chars(&[b'['; 20_000])]),
        (SqlType::nchar(2, C), vec![unicode("é "), unicode("😀")]),
        (SqlType::nvarchar(4000, C), vec![unicode(""), unicode(&"ä".repeat(4000))]),
        (SqlType::nvarchar_max(C), vec![unicode(""), unicode(&"€".repeat(9000))]),
        (SqlType::ntext(C), vec![unicode(""), unicode(&"n".repeat(9000))]),
        (SqlType::binary(3), vec![bytes(b"\0\x01\xFF")]),
        (SqlType::varbinary(8000), vec![bytes(b""), bytes(&[0; 8000])]),
        (SqlType::varbinary_max(), vec![bytes(b""), bytes(&[0xFF; 70_000])]),
        (SqlType::image(), vec![bytes(b""), bytes(&[1; 20_000])]),
        (SqlType::hierarchyid(), vec![bytes(b""), bytes(&[0x58]), bytes(&[0x5B; 892])]),
        (SqlType::geometry(), vec![bytes(b""), bytes(&[0x0C; 10_000])]),
        (SqlType::geography(), vec![bytes(&[1, 2, 3])]),
    ];
    for precision in [1, 9, 10, 19, 20, 28, 29, 38] {
        let most = 10i128.pow(precision.into()) - 1;
        let values = vec![Value::Decimal(-most), Value::Decimal(0), Value::Decimal(most)];
        all.push((SqlType::decimal(precision, precision / 2), values.clone()));
        all.push((SqlType::numeric(precision, precision), values));
    }
    for scale in 0..=7 {
        let last = TICKS_PER_DAY - unit(scale);
        let end = i64::from(DATE_MAX) * TICKS_PER_DAY + last;
        let offset = |utc_ticks, offset_minutes| {
            Value::DateTimeOffset(DateTimeOffset { utc_ticks, offset_minutes })
        };
        all.push((SqlType::time(scale), vec![Value::Time(0), Value::Time(last)]));
        all.push((SqlType::datetime2(scale), vec![Value::DateTime2(0), Value::DateTime2(end)]));
        all.push((
            SqlType::datetimeoffset(scale),
            vec![offset(0, 840), offset(end, -840), offset(TICKS_PER_DAY, -1)],
        ));
    }
    let inner: Vec<_> = all
        .iter()
        .filter(|(ty, _)| !ty.is_max() && ty.kind != TypeKind::RowVersion && !ty.kind.is_opaque())
        .flat_map(|(ty, values)| values.iter().map(|v| variant(*ty, v.clone())))
        .collect();
    all.push((SqlType::sql_variant(), inner));
    all
}

/// What the other side reads when this value is sent in a row or as a parameter of this version.
pub fn as_sent(ty: &SqlType, value: &Value, version: TdsVersion) -> Value {
    use TypeKind::*;
    match (ty.kind, value) {
        (_, Value::Null) => Value::Null,
        (Date | Time | DateTime2 | DateTimeOffset, value) if !version.has_date_types() => {
            let text = date_or_time_text(ty.kind, ty.scale, value.as_ref()).unwrap();
            unicode(std::str::from_utf8(text.as_bytes()).unwrap())
        }
        (SqlVariant, Value::Variant(v)) => {
            let sent = as_sent(&v.ty, &v.value, version);
            let ty = match &sent {
                Value::Unicode(text) if !v.ty.kind.is_unicode() => {
                    SqlType::nvarchar(text.len() as u16 / 2, C)
                }
                _ => v.ty,
            };
            variant(ty, sent)
        }
        (Xml, Value::Chars(text)) => unicode(std::str::from_utf8(text).unwrap()),
        (_, value) => value.clone(),
    }
}

/// A type and some values of it, NULL among them.
pub fn any_column() -> impl Strategy<Value = (SqlType, Vec<Value>)> {
    any_type().prop_flat_map(|ty| {
        let value = prop_oneof![1 => Just(Value::Null), 2 => any_value(ty)];
        (Just(ty), prop::collection::vec(value, 0..6))
    })
}

fn any_type() -> impl Strategy<Value = SqlType> {
    let plain = extremes().into_iter().map(|(ty, _)| ty).collect::<Vec<_>>();
    prop_oneof![
        4 => prop::sample::select(plain),
        1 => (1u8..=38).prop_flat_map(|p| (Just(p), 0..=p)).prop_map(|(p, s)| SqlType::decimal(p, s)),
        1 => (1u16..=4000).prop_map(|n| SqlType::nvarchar(n, C)),
        1 => (1u16..=8000).prop_map(SqlType::varbinary),
    ]
}

fn any_value(ty: SqlType) -> BoxedStrategy<Value> {
    use TypeKind::*;
    let byte_vec = |most: usize| prop::collection::vec(any::<u8>(), 0..=most.min(9000));
    let limit = ty.byte_limit();
    let scale = ty.scale;
    match ty.kind {
        Bit => (0i64..=1).prop_map(Value::Int).boxed(),
        TinyInt => any::<u8>().prop_map(|v| Value::Int(v.into())).boxed(),
        SmallInt => any::<i16>().prop_map(|v| Value::Int(v.into())).boxed(),
        Int => any::<i32>().prop_map(|v| Value::Int(v.into())).boxed(),
        BigInt => any::<i64>().prop_map(Value::Int).boxed(),
        SmallMoney => any::<i32>().prop_map(|v| Value::Money(v.into())).boxed(),
        Money => any::<i64>().prop_map(Value::Money).boxed(),
        Real => any::<f32>().prop_map(|v| Value::Float(v.into())).boxed(),
        Float => any::<f64>().prop_map(Value::Float).boxed(),
        Decimal | Numeric => {
            let most = 10i128.pow(ty.precision.into()) - 1;
            (-most..=most).prop_map(Value::Decimal).boxed()
        }
        Date => (0..=DATE_MAX).prop_map(Value::Date).boxed(),
        Time => {
            (0..TICKS_PER_DAY / unit(scale)).prop_map(move |t| Value::Time(t * unit(scale))).boxed()
        }
        DateTime2 => (0..(i64::from(DATE_MAX) + 1) * (TICKS_PER_DAY / unit(scale)))
            .prop_map(move |t| Value::DateTime2(t * unit(scale)))
            .boxed(),
        DateTimeOffset => {
            let days = i64::from(DATE_MAX) - 1;
            (1..days, 0..TICKS_PER_DAY / unit(scale), -840i16..=840)
                .prop_map(move |(days, t, offset_minutes)| {
                    let utc_ticks = days * TICKS_PER_DAY + t * unit(scale);
                    Value::DateTimeOffset(base::value::DateTimeOffset { utc_ticks, offset_minutes })
                })
                .boxed()
        }
        DateTime => (-53_690i32..=2_958_463, 0u32..25_920_000)
            .prop_map(|(days, ticks)| Value::DateTime(base::value::DateTime { days, ticks }))
            .boxed(),
        SmallDateTime => (0i64..65_536 * 1440).prop_map(Value::SmallDateTime).boxed(),
        UniqueIdentifier => any::<[u8; 16]>().prop_map(Value::Guid).boxed(),
        Char | Binary | NChar | RowVersion => {
            let exact = prop::collection::vec(any::<u8>(), limit);
            let kind = ty.kind;
            exact
                .prop_map(move |b| match kind {
                    Char => Value::Chars(b.into()),
                    NChar => Value::Unicode(b.into()),
                    _ => Value::Bytes(b.into()),
                })
                .boxed()
        }
        Xml => byte_vec(limit)
            .prop_map(|b| Value::Chars(String::from_utf8_lossy(&b).as_bytes().into()))
            .boxed(),
        VarChar | Text | Json => byte_vec(limit).prop_map(|b| Value::Chars(b.into())).boxed(),
        NVarChar | NText => byte_vec(limit)
            .prop_map(|mut b| {
                b.truncate(b.len() & !1);
                Value::Unicode(b.into())
            })
            .boxed(),
        VarBinary | Image | HierarchyId | Geometry | Geography => {
            byte_vec(limit).prop_map(|b| Value::Bytes(b.into())).boxed()
        }
        SqlVariant => {
            let values = extremes().pop().map(|(_, values)| values).unwrap_or_default();
            prop::sample::select(values).boxed()
        }
    }
}
