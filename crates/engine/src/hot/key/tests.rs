use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Bound;

use base::types::TypeKind;
use base::value::{DateTime, DateTimeOffset};
use base::{Collation, Value};
use proptest::prelude::*;

use super::hash::{hash_bytes, hash_word, hash_words};
use super::*;

fn ty(kind: TypeKind) -> SqlType {
    let (precision, length) = match kind {
        TypeKind::Decimal => (18, 9),
        TypeKind::VarChar | TypeKind::VarBinary => (0, 50),
        TypeKind::NVarChar => (0, 100),
        TypeKind::Binary => (0, 6),
        _ => (0, 8),
    };
    SqlType { kind, precision, scale: 0, length, collation: Collation(1) }
}

/// The specification of a key of columns with these types, in their order.
fn spec(columns: &[(SqlType, bool, bool)]) -> (RowLayout, KeySpec) {
    let types: Vec<SqlType> = columns.iter().map(|c| c.0).collect();
    let layout = RowLayout::new(&types);
    let columns: Vec<KeyColumn> = columns
        .iter()
        .enumerate()
        .map(|(column, &(_, descending, nullable))| KeyColumn { column, descending, nullable })
        .collect();
    let spec = KeySpec::new(&layout, &columns);
    (layout, spec)
}

/// The key of a row of these values. Checks that encoding the values gives the same key.
fn key(layout: &RowLayout, spec: &KeySpec, values: &[Value]) -> KeyBuf {
    let row = layout.build_owned(values);
    let (mut from_row, mut from_values) = (KeyBuf::new(), KeyBuf::new());
    spec.encode_row(layout, &row, &mut from_row);
    let refs: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
    spec.encode_values(&refs, &mut from_values);
    assert_eq!(from_row, from_values, "{values:?}");
    if let Some(len) = spec.constant_len() {
        assert_eq!(from_row.len(), len);
    }
    from_row
}

/// Checks that the keys of these values, which ascend and differ, ascend, and that descending and
/// nullable columns keep their order, too.
fn assert_ascending(ty: SqlType, values: &[Value]) {
    for (descending, nullable) in [(false, false), (false, true), (true, false), (true, true)] {
        let (layout, spec) = spec(&[(ty, descending, nullable)]);
        let mut keys: Vec<KeyBuf> = Vec::new();
        if nullable {
            keys.push(key(&layout, &spec, &[Value::Null]));
        }
        keys.extend(values.iter().map(|v| key(&layout, &spec, std::slice::from_ref(v))));
        if descending {
            keys.reverse();
        }
        for (i, pair) in keys.windows(2).enumerate() {
            assert!(pair[0] < pair[1], "{ty:?} {i}: {:?} {:?}", pair[0], pair[1]);
            assert!(!pair[1].starts_with(&pair[0]), "{ty:?} {i}: a key is a prefix of another");
        }
    }
}

#[test]
fn numbers_ascend() {
    let int = |values: &[i64]| values.iter().map(|&v| Value::Int(v)).collect::<Vec<_>>();
    assert_ascending(ty(TypeKind::Bit), &int(&[0, 1]));
    assert_ascending(ty(TypeKind::TinyInt), &int(&[0, 1, 127, 128, 255]));
    assert_ascending(ty(TypeKind::SmallInt), &int(&[-32768, -1, 0, 255, 256, 32767]));
    let bounds = [i64::from(i32::MIN), -256, -1, 0, 1, 65536, i64::from(i32::MAX)];
    assert_ascending(ty(TypeKind::Int), &int(&bounds));
    assert_ascending(ty(TypeKind::BigInt), &int(&[i64::MIN, -1, 0, 1, 1 << 40, i64::MAX]));
    let money: Vec<Value> = [i64::MIN, -1, 0, 5, i64::MAX].map(Value::Money).into();
    assert_ascending(ty(TypeKind::Money), &money);
    assert_ascending(ty(TypeKind::SmallMoney), &[Value::Money(-10), Value::Money(10)]);
    let decimals: Vec<Value> =
        [-(10i128.pow(17)), -1, 0, 1, 10i128.pow(17)].map(Value::Decimal).into();
    assert_ascending(ty(TypeKind::Decimal), &decimals);
    let wide = SqlType { precision: 38, length: 17, ..ty(TypeKind::Decimal) };
    let decimals: Vec<Value> =
        [-(10i128.pow(37)), -1, 0, 1, 10i128.pow(37)].map(Value::Decimal).into();
    assert_ascending(wide, &decimals);
    let floats: Vec<Value> =
        [f64::MIN, -1.5, -1e-300, 0.0, 1e-300, 1.5, f64::MAX].map(Value::Float).into();
    assert_ascending(ty(TypeKind::Float), &floats);
    let reals: Vec<Value> = [-1e30, -1.5, 0.0, 0.25, 1e30].map(Value::Float).into();
    assert_ascending(ty(TypeKind::Real), &reals);
}

#[test]
fn dates_ascend() {
    assert_ascending(ty(TypeKind::Date), &[Value::Date(0), Value::Date(255), Value::Date(256)]);
    assert_ascending(ty(TypeKind::Time), &[Value::Time(0), Value::Time(863_999_999_999)]);
    let at = |days, ticks| Value::DateTime(DateTime { days, ticks });
    let datetimes = [at(-53690, 0), at(-1, 25_919_999), at(0, 0), at(0, 1), at(0, 256), at(1, 0)];
    assert_ascending(ty(TypeKind::DateTime), &datetimes);
    let minutes = [Value::SmallDateTime(0), Value::SmallDateTime(1 << 24)];
    assert_ascending(ty(TypeKind::SmallDateTime), &minutes);
    let ticks = [Value::DateTime2(0), Value::DateTime2(255), Value::DateTime2(1 << 60)];
    assert_ascending(ty(TypeKind::DateTime2), &ticks);
    let instant = |utc_ticks, offset_minutes| {
        Value::DateTimeOffset(DateTimeOffset { utc_ticks, offset_minutes })
    };
    assert_ascending(ty(TypeKind::DateTimeOffset), &[instant(5, 100), instant(6, -100)]);
}

#[test]
fn equal_values_have_equal_keys() {
    let (layout, spec) = spec(&[(ty(TypeKind::DateTimeOffset), false, false)]);
    let instant =
        |offset_minutes| [Value::DateTimeOffset(DateTimeOffset { utc_ticks: 9, offset_minutes })];
    assert_eq!(key(&layout, &spec, &instant(60)), key(&layout, &spec, &instant(0)));
    for kind in [TypeKind::Float, TypeKind::Real] {
        let (layout, spec) = self::spec(&[(ty(kind), false, false)]);
        let zero = |v| key(&layout, &spec, &[Value::Float(v)]);
        assert_eq!(zero(0.0), zero(-0.0));
        assert!(zero(-0.0) > zero(-1e-30));
    }
    let (layout, spec) = self::spec(&[(ty(TypeKind::VarBinary), false, false)]);
    let binary = |v: &[u8]| key(&layout, &spec, &[Value::Bytes(v.into())]);
    assert_eq!(binary(&[1, 0, 0]), binary(&[1]));
    assert_eq!(binary(&[0]), binary(&[]));
}

#[test]
fn binaries_compare_as_if_padded_with_zeros() {
    let bytes =
        |values: &[&[u8]]| values.iter().map(|&v| Value::Bytes(v.into())).collect::<Vec<_>>();
    let ascending: [&[u8]; 7] =
        [&[], &[0, 0, 1], &[0, 1], &[1], &[1, 0, 1], &[1, 255], &[255, 255]];
    assert_ascending(ty(TypeKind::VarBinary), &bytes(&ascending));
    let six: [&[u8]; 3] = [&[0; 6], &[0, 0, 0, 0, 0, 1], &[1, 0, 0, 0, 0, 0]];
    assert_ascending(ty(TypeKind::Binary), &bytes(&six));
}

#[test]
fn guids_compare_from_their_last_group() {
    let one = |at: usize| {
        let mut guid = [0; 16];
        guid[at] = 1;
        Value::Guid(guid)
    };
    // From the least to the most significant byte.
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 9, 8, 15, 14, 13, 12, 11, 10];
    assert_ascending(ty(TypeKind::UniqueIdentifier), &order.map(one));
}

#[test]
fn strings_compare_without_trailing_blanks() {
    let (layout, spec) =
        spec(&[(ty(TypeKind::VarChar), false, false), (ty(TypeKind::Int), false, false)]);
    let key = |s: &str, n| key(&layout, &spec, &[Value::Chars(s.as_bytes().into()), Value::Int(n)]);
    assert_eq!(key("ab", 1), key("ab  ", 1));
    assert!(key("ab", 2) < key("abc", 1));
    assert!(key("", -1) < key("", 1));
}

#[test]
fn strings_compare_under_their_collation() {
    let (layout, spec) =
        spec(&[(ty(TypeKind::VarChar), true, true), (ty(TypeKind::NVarChar), false, false)]);
    let wide = |s: &str| s.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let key = |s: &str, w: &str| {
        key(&layout, &spec, &[Value::Chars(s.as_bytes().into()), Value::Unicode(wide(w).into())])
    };
    assert_eq!(key("Order", "X"), key("oRDER", "x"));
    assert!(key("b", "x") < key("A", "x"));
    assert!(key("a", "é") > key("a", "e") && key("a", "é") < key("a", "f"));
}

#[test]
fn strings_that_start_with_another_are_in_one_range() {
    for descending in [false, true] {
        let (layout, spec) =
            spec(&[(ty(TypeKind::Int), false, false), (ty(TypeKind::VarChar), descending, true)]);
        let range = spec.starting_with(&[ValueRef::Int(1)], ValueRef::Chars(b"Ab"));
        let key =
            |n, s: &str| key(&layout, &spec, &[Value::Int(n), Value::Chars(s.as_bytes().into())]);
        assert!(range.contains(&key(1, "ab")) && range.contains(&key(1, "ABBA")));
        assert!(!range.contains(&key(1, "a")) && !range.contains(&key(1, "ac")));
        assert!(!range.contains(&key(2, "abc")));
    }
}

#[test]
fn a_prefix_of_values_is_a_prefix_of_the_key() {
    let (layout, spec) = spec(&[
        (ty(TypeKind::NVarChar), true, true),
        (ty(TypeKind::Int), false, true),
        (ty(TypeKind::BigInt), true, false),
    ]);
    let name: Vec<u8> = "Ab".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let values = [Value::Unicode(name.into()), Value::Null, Value::Int(7)];
    let whole = key(&layout, &spec, &values);
    for n in 0..=3 {
        let refs: Vec<ValueRef<'_>> = values[..n].iter().map(Value::as_ref).collect();
        let mut prefix = KeyBuf::new();
        spec.encode_values(&refs, &mut prefix);
        assert!(whole.starts_with(&prefix));
        assert!(KeyRange::prefix(&prefix).contains(&whole));
    }
}

#[test]
fn ranges_include_and_exclude_equal_prefixes() {
    let (layout, spec) =
        spec(&[(ty(TypeKind::Int), false, true), (ty(TypeKind::Int), false, false)]);
    let key = |a: Option<i64>, b| {
        key(&layout, &spec, &[a.map_or(Value::Null, Value::Int), Value::Int(b)])
    };
    let five = [ValueRef::Int(5)];
    let above = spec.range(Bound::Excluded(&five), Bound::Unbounded);
    assert!(
        !above.contains(&key(Some(5), i64::from(i32::MAX))) && above.contains(&key(Some(6), 0))
    );
    let from = spec.range(Bound::Included(&five), Bound::Unbounded);
    assert!(from.contains(&key(Some(5), i64::from(i32::MIN))) && !from.contains(&key(Some(4), 0)));
    let below = spec.range(Bound::Excluded(&[ValueRef::Null]), Bound::Excluded(&five));
    assert!(!below.contains(&key(None, 0)) && below.contains(&key(Some(4), 9)));
    assert!(!below.contains(&key(Some(5), 0)));
    let to = spec.range(Bound::Unbounded, Bound::Included(&five));
    assert!(to.contains(&key(None, 0)) && to.contains(&key(Some(5), 9)));
    assert!(!to.contains(&key(Some(6), 0)));
    assert!(spec.range(Bound::Excluded(&five), Bound::Excluded(&five)).is_empty());
}

#[test]
fn a_bound_above_all_keys_gives_an_empty_range() {
    let (_, spec) = spec(&[(ty(TypeKind::TinyInt), false, false)]);
    let last = [ValueRef::Int(255)];
    assert!(spec.range(Bound::Excluded(&last), Bound::Unbounded).is_empty());
    assert_eq!(spec.range(Bound::Unbounded, Bound::Included(&last)), KeyRange::all());
}

#[test]
fn a_not_null_int_key_takes_four_bytes() {
    let (layout, spec) = spec(&[(ty(TypeKind::Int), false, false)]);
    assert_eq!(spec.constant_len(), Some(4));
    assert_eq!(*key(&layout, &spec, &[Value::Int(1)]), [0x80, 0, 0, 1]);
    assert!(matches!(spec.class(), KeyClass::One(_)));
    let (_, spec) = self::spec(&[(ty(TypeKind::Int), false, true)]);
    assert_eq!((spec.constant_len(), spec.class()), (Some(5), KeyClass::General));
    let (_, spec) =
        self::spec(&[(ty(TypeKind::Int), true, false), (ty(TypeKind::DateTime), false, false)]);
    assert!(matches!(spec.class(), KeyClass::Two(..)));
}

#[test]
fn words_in_rows_and_in_keys_are_the_same() {
    let (layout, spec) =
        spec(&[(ty(TypeKind::SmallInt), true, false), (ty(TypeKind::BigInt), false, false)]);
    let KeyClass::Two(a, b) = spec.class() else { panic!("two words") };
    let values = [Value::Int(-7), Value::Int(1 << 50)];
    let row = layout.build_owned(&values);
    let key = key(&layout, &spec, &values);
    assert_eq!((a.read(&row), b.read(&row)), (a.in_key(&key), b.in_key(&key[2..])));
}

#[test]
fn hashes_of_dense_keys_spread_evenly() {
    for hash in [
        hash_word as fn(u64) -> u64,
        |w| hash_words(7, w),
        |w| hash_words(w, 7),
        |w| hash_bytes(&w.to_be_bytes()),
    ] {
        let (mut top, mut low) = ([0u32; 1024], [0u32; 1024]);
        let mut seen = HashSet::new();
        for word in 0..102_400 {
            let h = hash(word);
            assert!(seen.insert(h));
            top[(h >> 54) as usize] += 1;
            low[(h & 1023) as usize] += 1;
        }
        // 100 are expected in each, with a standard deviation of 10.
        assert!(top.iter().chain(&low).all(|&n| (40..180).contains(&n)));
    }
}

#[test]
fn hashes_depend_on_length_and_every_byte() {
    let mut seen = HashSet::new();
    for len in 0..40 {
        assert!(seen.insert(hash_bytes(&vec![0; len])), "{len} zeros");
        for at in 0..len {
            let mut bytes = vec![0; len];
            bytes[at] = 1;
            assert!(seen.insert(hash_bytes(&bytes)), "{len} bytes, one at {at}");
        }
    }
}

/// Values that a variant can hold, many of them equal across types.
fn variant() -> impl Strategy<Value = (SqlType, Value)> {
    let n = prop_oneof![-20..20i64, any::<i64>()];
    let text = "[aAb ]{0,3}";
    let instant = 0..40i64;
    let wide = |s: &str| s.encode_utf16().flat_map(u16::to_le_bytes).collect::<Box<[u8]>>();
    let ci = Collation::DEFAULT;
    let bin = Collation::by_name("Latin1_General_BIN2").expect("it exists");
    prop_oneof![
        n.clone().prop_map(|v| (SqlType::bigint(), Value::Int(v))),
        n.clone().prop_map(|v| (SqlType::int(), Value::Int(i64::from(v as i32)))),
        n.clone().prop_map(|v| (SqlType::money(), Value::Money(v % 1_000_000 * 10_000))),
        n.clone().prop_map(|v| (SqlType::money(), Value::Money(v))),
        (n, 0..=20u8)
            .prop_map(|(v, s)| (SqlType::decimal(38, s), Value::Decimal(i128::from(v) * 100))),
        prop_oneof![Just(-0.0), Just(0.0), any::<i32>().prop_map(f64::from)]
            .prop_map(|v| (SqlType::float(), Value::Float(v))),
        (text, prop::bool::ANY).prop_map(move |(s, b)| {
            let collation = if b { bin } else { ci };
            (SqlType::varchar(10, collation), Value::Chars(s.into_bytes().into()))
        }),
        text.prop_map(move |s| (SqlType::nvarchar(10, ci), Value::Unicode(wide(&s)))),
        prop::collection::vec(0..2u8, 0..4)
            .prop_map(|v| (SqlType::varbinary(10), Value::Bytes(v.into()))),
        instant.clone().prop_map(|v| (SqlType::datetime2(7), Value::DateTime2(v))),
        (instant.clone(), -1..2i16).prop_map(|(v, offset_minutes)| {
            let value = DateTimeOffset { utc_ticks: v, offset_minutes };
            (SqlType::datetimeoffset(7), Value::DateTimeOffset(value))
        }),
        instant.prop_map(|v| (SqlType::date(), Value::Date(v as i32 / 30))),
        any::<u8>().prop_map(|v| (SqlType::uniqueidentifier(), Value::Guid([v % 3; 16]))),
    ]
}

proptest! {
    #[test]
    fn variants_compare_by_family_and_value(a in variant(), b in variant(), descending: bool) {
        let any = SqlType::of_kind(TypeKind::SqlVariant, Collation(0));
        let (layout, spec) = spec(&[(any, descending, true)]);
        let encoded = |(ty, value): &(SqlType, Value)| {
            let mut bytes = Vec::new();
            base::variant::encode_variant(ty, value.as_ref(), &mut bytes);
            Value::Bytes(bytes.into())
        };
        let (x, y) = (encoded(&a), encoded(&b));
        let order = base::arithmetic::compare(x.as_ref(), y.as_ref(), &any).expect("not NULL");
        let expected = if descending { order.reverse() } else { order };
        let (x, y) = (key(&layout, &spec, &[x]), key(&layout, &spec, &[y]));
        prop_assert_eq!(x.cmp(&y), expected);
        prop_assert!(expected.is_eq() || !x.starts_with(&y));
    }

    #[test]
    fn composite_keys_compare_as_their_columns(
        a in (any::<Option<i8>>(), prop::collection::vec(0u8..3, 0..5), any::<i16>()),
        b in (any::<Option<i8>>(), prop::collection::vec(0u8..3, 0..5), any::<i16>()),
        descending in any::<[bool; 3]>(),
    ) {
        let (layout, spec) = spec(&[
            (ty(TypeKind::SmallInt), descending[0], true),
            (ty(TypeKind::VarBinary), descending[1], false),
            (ty(TypeKind::SmallInt), descending[2], false),
        ]);
        let values = |(n, v, m): &(Option<i8>, Vec<u8>, i16)| [
            n.map_or(Value::Null, |n| Value::Int(i64::from(n))),
            Value::Bytes(v.clone().into()),
            Value::Int(i64::from(*m)),
        ];
        let trimmed = |v: &[u8]| v[..v.iter().rposition(|&b| b != 0).map_or(0, |l| l + 1)].to_vec();
        let order = |o: Ordering, i: usize| if descending[i] { o.reverse() } else { o };
        let expected = order(a.0.cmp(&b.0), 0)
            .then(order(trimmed(&a.1).cmp(&trimmed(&b.1)), 1))
            .then(order(a.2.cmp(&b.2), 2));
        let (x, y) = (key(&layout, &spec, &values(&a)), key(&layout, &spec, &values(&b)));
        prop_assert_eq!(x.cmp(&y), expected);
        prop_assert_eq!(spec.hash_key(&x) == spec.hash_key(&y), expected.is_eq());
    }

    #[test]
    fn increments_pass_everything_with_the_prefix(
        prefix in prop::collection::vec(any::<u8>(), 0..4),
        rest in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let whole: Vec<u8> = prefix.iter().chain(&rest).copied().collect();
        prop_assert!(KeyRange::prefix(&prefix).contains(&whole));
        let mut next = KeyBuf::from(&*whole);
        next.step();
        prop_assert!(*next > *whole);
        prop_assert!(*next <= *[&*whole, &[0]].concat());
    }
}
