//! Requests: written by the client's side, read by the server's.

use base::{Collation, SqlType, TypeKind, Value, ValueRef};
use proptest::prelude::*;

use super::contents;
use super::samples::{any_column, as_sent, extremes, unicode};
use crate::client::BulkWriter;
use crate::client::request::{self, Parameter, RpcWriter, TableColumnSpec};
use crate::columns::{Column, ReceivedColumn};
use crate::error::ProtocolError;
use crate::packet::{Reset, Side};
use crate::server::request::{BeginTransaction, IsolationLevel, SqlBatch, TransactionRequest};
use crate::server::rpc::{ProcedureId, ProcedureRef, RpcCall, RpcReader, RpcValue};
use crate::server::{BulkEvent, BulkReader};
use crate::value::Datum;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

const C: Collation = Collation::DEFAULT;

fn message(write: impl FnOnce(&mut MessageWriter)) -> Vec<u8> {
    let mut out = MessageWriter::new();
    out.set_packet_size(512);
    write(&mut out);
    contents(Side::Server, &out).remove(0)
}

/// A message of calls, with `ALL_HEADERS` if the version has them.
fn rpc(version: TdsVersion, write: impl FnOnce(&mut RpcWriter<'_>)) -> Vec<u8> {
    message(|out| {
        let mut calls = RpcWriter::begin(out, version, 9, Reset::None);
        write(&mut calls);
        calls.end();
    })
}

fn calls(body: &[u8], version: TdsVersion) -> Vec<RpcCall<'_>> {
    let mut reader = RpcReader::new(body, version, C).unwrap();
    assert_eq!(reader.headers().transaction, if version.has_all_headers() { 9 } else { 0 });
    std::iter::from_fn(|| reader.next_call().unwrap()).collect()
}

#[test]
fn batches_survive_in_every_version() {
    let text = format!("SELECT N'é😀' {}", "x".repeat(5000));
    for version in TdsVersion::ALL {
        let body = message(|out| request::batch(out, version, 77, Reset::Session, &text));
        let batch = SqlBatch::parse(&body, version).unwrap();
        assert_eq!(batch.text.to_text(), text);
        assert_eq!(batch.headers.transaction, if version.has_all_headers() { 77 } else { 0 });
    }
}

#[test]
fn transaction_requests_survive() {
    let version = TdsVersion::V7_4;
    let parsed = |body: &[u8]| format!("{:?}", TransactionRequest::parse(body, version).unwrap().1);
    let begin = message(|out| {
        request::begin_transaction(out, version, 0, Some(IsolationLevel::Snapshot), "t1");
    });
    let (_, TransactionRequest::Begin(BeginTransaction { isolation, name })) =
        TransactionRequest::parse(&begin, version).unwrap()
    else {
        panic!()
    };
    assert_eq!((isolation, name.to_text()), (Some(IsolationLevel::Snapshot), "t1".into()));
    let commit = message(|out| request::commit(out, version, 5));
    assert!(parsed(&commit).starts_with("Commit { name: Utf16([]), then_begin: None"));
    let rollback = message(|out| request::rollback(out, version, 5, "sp"));
    assert!(parsed(&rollback).starts_with("Rollback { name: Utf16([115, 0, 112, 0])"));
    let save = message(|out| request::save(out, version, 5, "sp"));
    assert!(parsed(&save).starts_with("Save"));
}

#[test]
fn commit_may_begin_the_next_transaction() {
    // As the ODBC driver sends it: no name, flag 1, isolation unchanged, no name.
    let body = [7, 0, 0, 1, 0, 0];
    assert_eq!(
        TransactionRequest::parse(&body, TdsVersion::V7_1).unwrap().1,
        TransactionRequest::Commit {
            name: Default::default(),
            then_begin: Some(BeginTransaction { isolation: None, name: Default::default() }),
        }
    );
    let distributed = [1, 0, 2, 0, 0xAA, 0xBB];
    assert_eq!(
        TransactionRequest::parse(&distributed, TdsVersion::V7_1).unwrap().1,
        TransactionRequest::Propagate(&[0xAA, 0xBB])
    );
    for bad in [&[2, 0][..], &[5, 0, 6, 0], &[7, 0, 3, 0], &[9, 0, 1, 65]] {
        assert!(TransactionRequest::parse(bad, TdsVersion::V7_1).is_err(), "{bad:?}");
    }
}

/// What a parameter's type becomes on its way.
fn parameter_type(ty: SqlType, version: TdsVersion) -> SqlType {
    use TypeKind::*;
    match ty.kind {
        Date | Time | DateTime2 | DateTimeOffset if !version.has_date_types() => {
            SqlType::nvarchar(ty.precision.into(), C)
        }
        Text => SqlType::varchar_max(C),
        NText => SqlType::nvarchar_max(C),
        Image => SqlType::varbinary_max(),
        kind if kind.is_clr() && version.has_max_types() => SqlType::varbinary_max(),
        HierarchyId => SqlType::varbinary(892),
        Geometry | Geography => SqlType::varbinary_max(),
        Json => SqlType::varchar_max(ty.collation),
        Xml => SqlType::nvarchar_max(C),
        RowVersion => SqlType::binary(8),
        _ => ty,
    }
}

#[test]
fn parameters_of_every_type_survive_in_every_version() {
    for version in TdsVersion::ALL {
        for (ty, mut values) in extremes() {
            values.push(Value::Null);
            let body = rpc(version, |w| {
                w.call("dbo.p", 0);
                for value in &values {
                    w.parameter(&Parameter::input("@x", ty, value.as_ref())).unwrap();
                }
            });
            let call = calls(&body, version).remove(0);
            assert_eq!(call.parameters.len(), values.len());
            for (parameter, value) in call.parameters.into_iter().zip(&values) {
                let RpcValue::Scalar(found, datum) = parameter.value else { panic!() };
                assert_eq!(found, parameter_type(ty, version));
                assert!(datum.into_value() == as_sent(&ty, value, version), "{ty:?} {version:?}");
            }
        }
    }
}

#[test]
fn several_calls_share_a_message() {
    for version in TdsVersion::ALL {
        let body = rpc(version, |w| {
            w.call_id(ProcedureId::ExecuteSql, 0);
            let text = unicode("SELECT @a");
            w.parameter(&Parameter::input("", SqlType::nvarchar(100, C), text.as_ref())).unwrap();
            w.call("sp_who", 3);
            w.call_id(ProcedureId::Unprepare, 0);
            w.parameter(&Parameter::output("@h", SqlType::int(), ValueRef::Int(1))).unwrap();
        });
        let calls = calls(&body, version);
        assert_eq!(calls.len(), 3);
        assert_eq!(calls[0].procedure, ProcedureRef::Id(ProcedureId::ExecuteSql));
        assert!(matches!(calls[1].procedure, ProcedureRef::Name(n) if n.to_text() == "sp_who"));
        assert!(calls[1].with_recompile && calls[1].no_metadata);
        assert!(calls[2].parameters[0].by_reference);
        assert_eq!(calls.iter().map(|c| c.is_followed).collect::<Vec<_>>(), [true, true, false]);
    }
}

#[test]
fn short_values_of_fixed_length_types_are_padded() {
    let version = TdsVersion::V7_4;
    let body = rpc(version, |w| {
        w.call("p", 0);
        let chars = ValueRef::Chars(b"ab");
        w.parameter(&Parameter::input("", SqlType::char(4, C), chars)).unwrap();
        let text = unicode("é");
        w.parameter(&Parameter::input("", SqlType::nchar(3, C), text.as_ref())).unwrap();
        w.parameter(&Parameter::input("", SqlType::binary(3), ValueRef::Bytes(&[1]))).unwrap();
    });
    let call = calls(&body, version).remove(0);
    let values: Vec<Value> = call
        .parameters
        .into_iter()
        .map(|p| match p.value {
            RpcValue::Scalar(_, datum) => datum.into_value(),
            RpcValue::Table(_) => panic!(),
        })
        .collect();
    assert_eq!(
        values,
        [Value::Chars((*b"ab  ").into()), unicode("é  "), Value::Bytes([1, 0, 0].into())]
    );
}

/// The bytes of one call of `p` with what `parameter` holds.
fn call_with(parameter: &[u8]) -> Vec<u8> {
    message(|out| {
        let mut calls = RpcWriter::begin(out, TdsVersion::V7_1, 0, Reset::None);
        calls.call("p", 0);
        calls.end();
    })
    .into_iter()
    .chain(parameter.iter().copied())
    .collect()
}

fn only_value(body: &[u8]) -> Result<(SqlType, Value), ProtocolError> {
    let version = TdsVersion::V7_1;
    let mut reader = RpcReader::new(body, version, C).unwrap();
    let call = reader.next_call().map_err(|e| e.error)?.unwrap();
    let parameter = call.parameters.into_iter().next().unwrap();
    match parameter.value {
        RpcValue::Scalar(ty, datum) => Ok((ty, datum.into_value())),
        RpcValue::Table(_) => panic!(),
    }
}

#[test]
fn untyped_null_and_old_types_are_understood() {
    let value = |bytes: &[u8]| only_value(&call_with(bytes));
    assert_eq!(value(&[0, 0, 0x1F]), Ok((SqlType::int(), Value::Null)));
    assert_eq!(
        value(&[0, 0, 0x27, 10, 2, b'h', b'i']),
        Ok((SqlType::varchar(10, C), Value::Chars((*b"hi").into())))
    );
    assert_eq!(
        value(&[0, 0, 0x37, 5, 5, 2, 5, 0, 0x39, 0x30, 0, 0]),
        Ok((SqlType::decimal(5, 2), Value::Decimal(-12345)))
    );
    // ntext with a length of four bytes, as FreeTDS sends statements.
    assert_eq!(
        value(&[0, 0, 0x63, 0xFF, 0xFF, 0xFF, 0x7F, 9, 4, 0xD0, 0, 0x34, 2, 0, 0, 0, b'x', 0]),
        Ok((SqlType::nvarchar_max(C), unicode("x")))
    );
    assert_eq!(value(&[0, 0, 0x26, 8, 4, 1, 0, 0, 0]), Ok((SqlType::bigint(), Value::Int(1))));
}

#[test]
fn chunked_values_of_unknown_length_are_put_together() {
    let mut bytes = vec![0, 0, 0xA5, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
    bytes.extend([2, 0, 0, 0, 1, 2, 1, 0, 0, 0, 3, 0, 0, 0, 0]);
    let expected = Ok((SqlType::varbinary_max(), Value::Bytes([1, 2, 3].into())));
    assert_eq!(only_value(&call_with(&bytes)), expected);
}

#[test]
fn impossible_values_are_refused() {
    let error = |bytes: &[u8]| only_value(&call_with(bytes)).unwrap_err();
    use ProtocolError::*;
    let nan = [&[0, 0, 0x6D, 8, 8][..], &f64::NAN.to_le_bytes()].concat();
    assert_eq!(error(&nan), Value("float"));
    assert_eq!(error(&[0, 0, 0x6A, 5, 2, 0, 5, 1, 100, 0, 0, 0]), Value("decimal"));
    assert_eq!(error(&[0, 0, 0x28, 3, 0xFF, 0xFF, 0xFF]), Value("date"));
    assert_eq!(error(&[0, 0, 0x29, 0, 3, 0x80, 0x51, 0x01]), Value("time"));
    assert_eq!(error(&[0, 0, 0x6F, 8, 8, 0, 0, 0, 0, 0, 0xD0, 0x8B, 0x01]), Value("datetime"));
    assert_eq!(error(&[0, 0, 0x26, 4, 3, 1, 2, 3]), TypeLength(0x26));
    assert_eq!(error(&[0, 0, 0x26, 4, 8, 1, 2, 3, 4, 5, 6, 7, 8]), TypeLength(0x26));
    let nvarchar = [0, 0, 0xE7, 4, 0, 9, 4, 0, 0, 0];
    assert_eq!(error(&[&nvarchar[..], &[3, 0, 1, 2, 3]].concat()), TypeLength(0xE7));
    assert_eq!(error(&[&nvarchar[..], &[6, 0, 1, 2, 3, 4, 5, 6]].concat()), TypeLength(0xE7));
    assert_eq!(error(&[0, 8, 0x26, 4, 4, 1, 0, 0, 0]), Encrypted);
    assert_eq!(error(&[0, 0, 0xF0, 0, 0, 1, b'x', 0]), UnsupportedType(0xF0));
    assert_eq!(error(&[0, 0, 0x26, 4, 4, 1, 0]), Truncated);
    assert_eq!(error(&[0, 0, 0x62, 0x49, 0x1F, 0, 0, 2, 0, 0, 0, 0x38, 0]), Value("sql_variant"));
    let announced = [0, 0, 0xA5, 0xFF, 0xFF, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0];
    assert!(matches!(error(&announced), Malformed(_)));
}

#[test]
fn errors_name_the_parameter() {
    let body = call_with(&[1, b'@', 0, 0, 0x99]);
    let mut reader = RpcReader::new(&body, TdsVersion::V7_1, C).unwrap();
    let error = reader.next_call().unwrap_err();
    assert_eq!(error.parameter, Some((1, "@".into())));
    assert!(error.to_sql_error().text().contains("Parameter 1 (\"@\"): Data type 0x99 is unknown"));
    assert!(matches!(reader.next_call(), Ok(None)));
}

#[test]
fn calls_have_at_most_2100_parameters() {
    let version = TdsVersion::V7_4;
    let body = |count| {
        rpc(version, |w| {
            w.call("p", 0);
            for _ in 0..count {
                w.parameter(&Parameter::input("", SqlType::bit(), ValueRef::Null)).unwrap();
            }
        })
    };
    assert_eq!(calls(&body(2100), version)[0].parameters.len(), 2100);
    let body = body(2101);
    let error = RpcReader::new(&body, version, C).unwrap().next_call().unwrap_err();
    assert_eq!(error.to_sql_error().number(), 8003);
}

#[test]
fn unknown_procedures_are_refused() {
    for bad in [&[0xFF, 0xFF, 16, 0, 0, 0][..], &[0xFF, 0xFF, 0, 0, 0, 0], &[0, 0, 0, 0]] {
        let error = RpcReader::new(bad, TdsVersion::V7_1, C).unwrap().next_call().unwrap_err();
        assert_eq!(error.error, ProtocolError::ProcedureName);
    }
    for (at, (id, name)) in ProcedureId::ALL.into_iter().enumerate() {
        assert_eq!((id as usize, id.name()), (at + 1, name));
        assert_eq!(ProcedureId::from_number(id as u16), Some(id));
        assert_eq!(ProcedureId::from_name(&name.to_uppercase()), Some(id));
    }
}

#[test]
fn tables_of_every_type_survive() {
    for version in TdsVersion::ALL.into_iter().filter(|v| v.has_table_parameters()) {
        for (ty, mut values) in extremes() {
            values.push(Value::Null);
            let columns =
                [TableColumnSpec { ty, default: false }, TableColumnSpec { ty, default: true }];
            let body = rpc(version, |w| {
                w.call("p", 0);
                let mut rows = w.table("@t", ("dbo", "tt"), &columns);
                for value in &values {
                    rows.row(&[value.as_ref(), ValueRef::Null][..]).unwrap();
                }
                rows.end();
                w.parameter(&Parameter::input("@after", SqlType::int(), ValueRef::Int(5))).unwrap();
            });
            let call = calls(&body, version).remove(0);
            assert_eq!(call.parameters[1].name.to_text(), "@after");
            let RpcValue::Table(table) = &call.parameters[0].value else { panic!() };
            assert_eq!(
                (table.schema.to_text(), table.type_name.to_text()),
                ("dbo".into(), "tt".into())
            );
            assert_eq!((table.row_count, table.columns.len()), (values.len(), 2));
            assert!(table.columns[1].is_default);
            let (mut rows, mut row) = (table.rows(), Vec::new());
            for value in &values {
                assert!(rows.next_into(&mut row).unwrap());
                assert!(row[0].clone().into_value() == as_sent(&ty, value, version), "{ty:?}");
                assert_eq!(row[1], Datum::NULL);
            }
            assert!(!rows.next_into(&mut row).unwrap());
        }
    }
}

#[test]
fn tables_may_be_null_or_say_more_about_themselves() {
    let version = TdsVersion::V7_4;
    let body = rpc(version, |w| {
        w.call("p", 0);
        w.null_table("@t", ("", "tt"));
    });
    let call = calls(&body, version).remove(0);
    let RpcValue::Table(table) = &call.parameters[0].value else { panic!() };
    assert_eq!((table.columns.len(), table.row_count), (0, 0));

    // One int column; unique and descending; an ordering; one row.
    let mut body = rpc(version, |w| w.call("p", 0));
    body.extend([0, 0, 0xF3, 0, 0, 1, b't', 0, 1, 0, 0, 0, 0, 0, 1, 0, 0x26, 4, 0]);
    body.extend([0x10, 1, 0, 1, 0, 0x06, 0x11, 1, 0, 1, 0, 0x00]);
    body.extend([0x01, 4, 42, 0, 0, 0, 0x00]);
    let call = calls(&body, version).remove(0);
    let RpcValue::Table(table) = &call.parameters[0].value else { panic!() };
    assert!(table.order[0].descending && table.order[0].unique && table.order[0].column == 1);
    assert_eq!((&table.column_ordering[..], table.row_count), (&[1][..], 1));
    // Cut anywhere, the message is incomplete.
    for cut in 31..body.len() {
        let mut reader = RpcReader::new(&body[..cut], version, C).unwrap();
        assert!(reader.next_call().is_err(), "cut at {cut}");
    }
}

/// Reads a bulk load in pieces; `None` in place of NULL.
fn load(
    body: &[u8],
    version: TdsVersion,
    step: usize,
) -> Result<(Vec<ReceivedColumn>, Vec<Vec<Value>>), ProtocolError> {
    let mut reader = BulkReader::new(version, C, 1 << 20);
    let mut pieces = body.chunks(step);
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    loop {
        match reader.next()? {
            BulkEvent::NeedMore => match pieces.next() {
                Some(piece) => reader.feed(piece),
                None => reader.end(),
            },
            BulkEvent::Columns(found) => columns = found.to_vec(),
            BulkEvent::Row(row) => rows.push(
                (0..row.len())
                    .map(|c| row.get(c).map(Datum::into_value))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
            BulkEvent::End => return Ok((columns, rows)),
        }
    }
}

#[test]
fn bulk_loads_of_every_type_survive_in_every_version() {
    for version in TdsVersion::ALL {
        for (ty, mut values) in extremes() {
            values.push(Value::Null);
            let columns = [Column::nullable("c", ty), Column::not_null("n", SqlType::int())];
            let body = message(|out| {
                let mut load = BulkWriter::begin(out, &columns, version);
                for value in &values {
                    load.row(&[value.as_ref(), ValueRef::Int(1)][..]).unwrap();
                }
                load.end();
            });
            for step in [1, 700, body.len()] {
                let (read, rows) = load(&body, version, step).unwrap();
                assert_eq!((read.len(), rows.len()), (2, values.len()));
                for (row, value) in rows.iter().zip(&values) {
                    assert!(row[0] == as_sent(&ty, value, version), "{ty:?} in {version:?}");
                    assert_eq!(row[1], Value::Int(1));
                }
            }
        }
    }
}

#[test]
fn bulk_loads_may_end_without_saying_so() {
    let version = TdsVersion::V7_4;
    let body = message(|out| {
        let columns = [Column::nullable("c", SqlType::int())];
        let mut load = BulkWriter::begin(out, &columns, version);
        load.row(&[ValueRef::Int(1)][..]).unwrap();
        load.end();
    });
    let without_done = &body[..body.len() - 13];
    assert_eq!(load(without_done, version, 5).unwrap().1, [[Value::Int(1)]]);
    assert_eq!(load(&[], version, 5).unwrap().1, Vec::<Vec<Value>>::new());
    // In the middle of a row it may not.
    let cut = &without_done[..without_done.len() - 1];
    assert_eq!(load(cut, version, 5), Err(ProtocolError::Truncated));
}

#[test]
fn bulk_rows_have_a_size_limit() {
    let version = TdsVersion::V7_4;
    let body = message(|out| {
        let columns = [Column::nullable("c", SqlType::varbinary_max())];
        let mut load = BulkWriter::begin(out, &columns, version);
        load.row(&[ValueRef::Bytes(&vec![0; 2 << 20])][..]).unwrap();
        load.end();
    });
    assert_eq!(load(&body, version, 4096), Err(ProtocolError::TooLarge { limit: 1 << 20 }));
}

#[test]
fn chunks_of_bulk_rows_are_put_together() {
    let mut body = vec![0x81, 2, 0];
    body.extend([0, 0, 0, 0, 1, 0, 0xA5, 0xFF, 0xFF, 1, b'a', 0]);
    body.extend([0, 0, 0, 0, 1, 0, 0x26, 4, 1, b'b', 0]);
    for row in 0..3u8 {
        body.push(0xD1);
        body.put_u64(u64::MAX - 1);
        for chunk in 0..5u8 {
            body.put_u32(chunk.into());
            if chunk == 0 {
                // An empty chunk ends the value, so begin anew with the next column.
                break;
            }
        }
        body.extend([4, row, 0, 0, 0]);
    }
    body.push(0xD1);
    body.put_u64(6);
    for chunk in [&b"ab"[..], b"cde", b"f"] {
        body.put_u32(chunk.len() as u32);
        body.put(chunk);
    }
    body.put_u32(0);
    body.extend([4, 9, 0, 0, 0]);
    for step in [1, 2, 3, 7, body.len()] {
        let (_, rows) = load(&body, TdsVersion::V7_4, step).unwrap();
        assert_eq!(rows[2], [Value::Bytes([].into()), Value::Int(2)]);
        assert_eq!(rows[3], [Value::Bytes((*b"abcdef").into()), Value::Int(9)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_call_survives(
        columns in prop::collection::vec(any_column(), 0..10),
        version in prop::sample::select(TdsVersion::ALL.to_vec()),
    ) {
        let body = rpc(version, |w| {
            for (ty, values) in &columns {
                w.call("p", 0);
                for value in values {
                    w.parameter(&Parameter::input("@n", *ty, value.as_ref())).unwrap();
                }
            }
            w.call("end", 0);
        });
        let calls = calls(&body, version);
        prop_assert_eq!(calls.len(), columns.len() + 1);
        for (call, (ty, values)) in calls.into_iter().zip(&columns) {
            for (parameter, value) in call.parameters.into_iter().zip(values) {
                let RpcValue::Scalar(_, datum) = parameter.value else { panic!() };
                prop_assert_eq!(datum.into_value(), as_sent(ty, value, version));
            }
        }
    }
}
