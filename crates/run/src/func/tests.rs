//! What must hold for every function: whatever the arguments are, binding and evaluating give a
//! value of the type that was promised or an error, never a panic.

use base::convert::convert;
use base::types::Repr;
use base::{Account, Arena, ConvertOptions, SqlType, Value, ValueRef};
use ir::function::descriptor::{ArgType, CallTypes, NullBehaviour, ScalarFunction, Typing};
use ir::function::facts::FnContext;
use ir::function::rowset::RowsetRows;

use super::testing::{Argument, C, TestSession};
use super::{aggregate, registry, rowset};

/// Arguments with a taste for extremes.
const POOL: &[&str] = &[
    "NULL",
    "int:NULL",
    "varchar(10):NULL",
    "nvarchar(10):NULL",
    "datetime:NULL",
    "0",
    "1",
    "-1",
    "3",
    "100",
    "2147483647",
    "int:-2147483648",
    "bigint:9223372036854775807",
    "bigint:-9223372036854775808",
    "tinyint:255",
    "smallint:-32768",
    "bit:1",
    "0.0",
    "1.50",
    "-0.001",
    "99999999999999999999999999999999999999",
    "decimal(38,38):0.1",
    "$922337203685477.5807",
    "money:-922337203685477.5808",
    "smallmoney:-1.5",
    "1e0",
    "-1.7976931348623157e308",
    "4.9e-324",
    "real:3.5",
    "''",
    "' '",
    "'abc'",
    "'ÀÉ x'",
    "'5'",
    "'2020-02-29 10:11:12'",
    "'[a].[b]'",
    "'%a_[b-c]%'",
    "'N2'",
    "'#,##0.0;(0);zero'",
    "'yyyy-MM-dd HH:mm:ss.fff zzz'",
    "'json'",
    "'{\"a\":[1,\"x\"]}'",
    "'$.a[1]'",
    "'SHA1'",
    "N''",
    "N'é😀'",
    "N'+14:00'",
    "char(5):ab",
    "nchar(5):ab",
    "varchar(max):long",
    "nvarchar(max):lang",
    "text:old",
    "ntext:old",
    "image:0x00",
    "0x",
    "0xABCDEF",
    "binary(8):0x01",
    "varbinary(max):0x0102",
    "date:0001-01-01",
    "date:9999-12-31",
    "time(7):23:59:59.9999999",
    "datetime:1753-01-01",
    "datetime:9999-12-31 23:59:59.997",
    "smalldatetime:2079-06-06 23:59",
    "datetime2(0):0001-01-01",
    "datetime2(7):9999-12-31 23:59:59.9999999",
    "datetimeoffset(3):2020-01-01 10:00 -14:00",
    "uniqueidentifier:6F9619FF-8B86-D011-B42D-00C04FC964FF",
    "sql_variant:abc",
];

/// xorshift64*.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as usize % n
    }
}

/// Whether a value is one of a type (invariant F2).
fn is_of(value: ValueRef<'_>, ty: &SqlType) -> bool {
    let fits = |bytes: &[u8]| bytes.len() <= ty.byte_limit();
    match (value, ty.kind.repr()) {
        (ValueRef::Null, _) => true,
        (ValueRef::Int(v), Repr::Int) => {
            use base::TypeKind::*;
            match ty.kind {
                Bit => (0..=1).contains(&v),
                TinyInt => u8::try_from(v).is_ok(),
                SmallInt => i16::try_from(v).is_ok(),
                Int => i32::try_from(v).is_ok(),
                _ => true,
            }
        }
        (ValueRef::Money(_), Repr::Money) => true,
        (ValueRef::Decimal(v), Repr::Decimal) => base::decimal::fits(v, ty.precision),
        (ValueRef::Float(v), Repr::Float) => v.is_finite(),
        (ValueRef::Chars(b), Repr::Chars) | (ValueRef::Bytes(b), Repr::Bytes) => fits(b),
        (ValueRef::Unicode(b), Repr::Unicode) => fits(b) && b.len() % 2 == 0,
        (ValueRef::Bytes(b), Repr::Variant) => base::variant::decode_variant(b).is_some(),
        (ValueRef::Date(_), Repr::Date)
        | (ValueRef::Time(_), Repr::Time)
        | (ValueRef::DateTime(_), Repr::DateTime)
        | (ValueRef::SmallDateTime(_), Repr::SmallDateTime)
        | (ValueRef::DateTime2(_), Repr::DateTime2)
        | (ValueRef::DateTimeOffset(_), Repr::DateTimeOffset)
        | (ValueRef::Guid(_), Repr::Guid) => true,
        _ => false,
    }
}

/// Converted arguments; `None` if one does not convert.
fn converted<'a>(
    args: &'a [Argument],
    types: &[SqlType],
    arena: &'a Arena,
) -> Option<Vec<ValueRef<'a>>> {
    let options = ConvertOptions::default();
    let one = |(arg, to): (&'a Argument, &SqlType)| {
        convert(arg.value.as_ref(), &arg.ty, to, &options, arena).ok()
    };
    args.iter().zip(types).map(one).collect()
}

/// Calls a function. Returns whether it came to a result.
fn call(function: &ScalarFunction, args: &[Argument], session: &TestSession) -> bool {
    let known: Vec<ArgType<'_>> = args.iter().map(Argument::arg_type).collect();
    let Ok(inferred) = function.bind(&known, Typing { collation: C }) else { return false };
    assert_eq!(inferred.args.len(), args.len());
    assert!(inferred.volatility <= Volatility::Volatile);
    let arena = Arena::charged_to(Account::new(64 << 20, "default"));
    let Some(values) = converted(args, &inferred.args, &arena) else { return false };
    if function.nulls == NullBehaviour::Strict && values.iter().any(ValueRef::is_null) {
        return false;
    }
    let types = CallTypes::from(&inferred);
    let mut context = FnContext { arena: &arena, facts: session, task: None, memo: None };
    let Ok(value) = (function.eval)(&mut context, &values, &types) else { return false };
    assert!(is_of(value, &types.result), "a value that is not of type {}", types.result);
    assert!(inferred.nullable || !value.is_null(), "it promised not to be NULL");
    true
}

use ir::function::descriptor::Volatility;

#[test]
fn every_function_keeps_its_promises_whatever_it_is_given() {
    let session = TestSession::default();
    for (at, function) in registry::all().enumerate() {
        let mut rng = Rng(0x9E37_79B9 + at as u64);
        let mut results = 0;
        for round in 0..400 {
            let (least, most) = function.arguments;
            let count =
                usize::from(least) + rng.below(usize::from(most.min(least + 4) - least) + 1);
            let texts: Vec<&str> = (0..count).map(|_| POOL[rng.below(POOL.len())]).collect();
            let mut args: Vec<Argument> = texts.iter().map(|t| Argument::parse(t)).collect();
            if function.takes_marks {
                args.push(Argument::parse("0x00"));
            }
            if function.takes_date_part {
                args[0] = Argument::parse(&rng.below(15).to_string());
            }
            let described = format!("{} with {texts:?} in round {round}", function.name);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                call(function, &args, &session)
            }));
            results += usize::from(outcome.unwrap_or_else(|_| panic!("{described}")));
        }
        assert!(results > 0 || rarely_gives_a_result(function.name), "{} never did", function.name);
    }
}

/// Functions that need many arguments of the right kind, or a catalog, to give anything but NULL.
fn rarely_gives_a_result(name: &str) -> bool {
    name.ends_with("FROMPARTS")
        || name.starts_with("JSON_")
        || name.starts_with("XML ")
        || ["HIERARCHYID ", "GEOMETRY ", "GEOGRAPHY ", "SPATIAL ", "TEXT "]
            .iter()
            .any(|of| name.starts_with(of))
        || matches!(name, "AT TIME ZONE" | "FOR XML EXPLICIT ROW" | "STRING_ESCAPE")
}

#[test]
fn every_aggregate_keeps_its_promises() {
    for function in aggregate::FUNCTIONS {
        for text in POOL {
            let count = usize::from(function.arguments.1);
            let args: Vec<Argument> = (0..count).map(|_| Argument::parse(text)).collect();
            let known: Vec<ArgType<'_>> = args.iter().map(Argument::arg_type).collect();
            let Ok(inferred) = function.bind(&known, Typing { collation: C }) else { continue };
            let types = CallTypes::from(&inferred);
            let arena = Arena::charged_to(Account::new(64 << 20, "default"));
            let Some(values) = converted(&args, &inferred.args, &arena) else { continue };
            let mut state = (function.init)(&types);
            let empty = (function.finish)(&state, &types, &arena).unwrap();
            assert!(inferred.nullable || !empty.is_null(), "{}", function.name);
            for _ in 0..3 {
                if (function.add)(&mut state, &values, &types).is_err() {
                    break;
                }
                if let Ok(value) = (function.finish)(&state, &types, &arena) {
                    assert!(is_of(value, &types.result), "{} of {text}", function.name);
                }
            }
        }
    }
}

#[test]
fn table_valued_functions_end_whatever_they_are_given() {
    let session = TestSession::default();
    let mut rng = Rng(77);
    for function in rowset::FUNCTIONS {
        for _ in 0..500 {
            let (least, most) = function.arguments;
            let count = usize::from(least) + rng.below(usize::from(most - least) + 1);
            let texts: Vec<&str> = (0..count).map(|_| POOL[rng.below(POOL.len())]).collect();
            let args: Vec<Argument> = texts.iter().map(|t| Argument::parse(t)).collect();
            let known: Vec<ArgType<'_>> = args.iter().map(Argument::arg_type).collect();
            let Ok(types) = function.bind(&known, Typing { collation: C }) else { continue };
            let columns = (function.columns)(&types.args);
            let arena = Arena::charged_to(Account::new(64 << 20, "default"));
            let Some(values) = converted(&args, &types.args, &arena) else { continue };
            let mut context = FnContext { arena: &arena, facts: &session, task: None, memo: None };
            let mut left = 1000;
            let stop = base::SqlError::custom(50_000, 16, 1, "enough");
            // An error ends the check, also one of the function.
            let mut see = |row: &[ValueRef<'_>]| {
                for (value, column) in row.iter().zip(&columns) {
                    assert!(is_of(*value, &column.ty), "{} {texts:?}", function.name);
                    assert!(column.nullable || *value != Value::Null.as_ref());
                }
                left -= 1;
                if left == 0 { Err(stop.clone()) } else { Ok(()) }
            };
            if let RowsetRows::Filled(fill) = function.rows {
                let _ = fill(&mut context, &values, &types.args, &mut see);
            }
        }
    }
}
