//! Bytes from the examples of MS-TDS, section 4.

use base::{Collation, SqlError, SqlType, Value, ValueRef};

use crate::client::request;
use crate::collation::WireCollation;
use crate::columns::{Column, ColumnFlags};
use crate::env::EnvChange;
use crate::packet::{MessageEvent, MessageReader, PacketType, Reset, Side};
use crate::server::response::LoginAck;
use crate::server::rpc::{ProcedureRef, RpcReader, RpcValue};
use crate::server::{BulkEvent, BulkReader, ResponseWriter, RowEncoder, SqlBatch};
use crate::token::{Done, DoneKind, DoneStatus, command};
use crate::value::Datum;
use crate::version::TdsVersion;
use crate::writer::MessageWriter;

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The only message in `packets`.
fn message(packets: &[u8]) -> (PacketType, Vec<u8>) {
    let mut reader = MessageReader::new(Side::Server, usize::MAX);
    let mut input = packets;
    match reader.feed(&mut input) {
        Ok(Some(MessageEvent::Message { kind, body, .. })) => (kind, body.to_vec()),
        other => panic!("{other:?}"),
    }
}

fn written(version: TdsVersion, write: impl FnOnce(&mut ResponseWriter)) -> Vec<u8> {
    let mut writer = ResponseWriter::new(version);
    writer.begin();
    write(&mut writer);
    writer.end();
    writer.message().ready().to_vec()
}

#[test]
fn sql_batch_request() {
    let bytes = hex("01 01 00 5C 00 00 01 00 16 00 00 00 12 00 00 00
        02 00 00 00 00 00 00 00 00 01 00 00 00 00 0A 00
        73 00 65 00 6C 00 65 00 63 00 74 00 20 00 27 00
        66 00 6F 00 6F 00 27 00 20 00 61 00 73 00 20 00
        27 00 62 00 61 00 72 00 27 00 0A 00 20 00 20 00
        20 00 20 00 20 00 20 00 20 00 20 00");
    let (kind, body) = message(&bytes);
    assert_eq!(kind, PacketType::SqlBatch);
    let batch = SqlBatch::parse(&body, TdsVersion::V7_2).unwrap();
    assert_eq!(batch.headers.transaction, 1 << 56);
    assert_eq!(batch.text.to_text(), "\nselect 'foo' as 'bar'\n        ");
}

#[test]
fn sql_batch_response() {
    let columns = [Column::not_null("bar", SqlType::varchar(3, Collation::DEFAULT))
        .with_flags(ColumnFlags::COMPUTED)];
    let bytes = written(TdsVersion::V7_2, |w| {
        w.columns(&columns, false);
        let encoder = RowEncoder::new(&columns, w.version());
        w.row(&encoder, &[ValueRef::Chars(b"foo")][..]).unwrap();
        w.done(&Done {
            kind: DoneKind::Statement,
            status: DoneStatus::COUNT,
            command: command::SELECT,
            rows: 1,
        });
    });
    let expected = hex("04 01 00 33 00 00 01 00 81 01 00 00 00 00 00 20
        00 A7 03 00 09 04 D0 00 34 03 62 00 61 00 72 00
        D1 03 00 66 6F 6F FD 10 00 C1 00 01 00 00 00 00
        00 00 00");
    assert_eq!(bytes, expected);
}

#[test]
fn rpc_request() {
    let bytes = hex("03 01 00 2F 00 00 01 00 16 00 00 00 12 00 00 00
        02 00 00 00 00 00 00 00 00 01 00 00 00 00 04 00
        66 00 6F 00 6F 00 33 00 00 00 00 02 26 02 00");
    let (kind, body) = message(&bytes);
    assert_eq!(kind, PacketType::Rpc);
    let mut calls = RpcReader::new(&body, TdsVersion::V7_2, Collation::DEFAULT).unwrap();
    let call = calls.next_call().unwrap().unwrap();
    assert!(matches!(call.procedure, ProcedureRef::Name(name) if name.to_text() == "foo3"));
    let parameter = &call.parameters[0];
    assert!(parameter.is_default && !parameter.by_reference && parameter.name.is_empty());
    assert_eq!(parameter.value, RpcValue::Scalar(SqlType::smallint(), Datum::NULL));
    assert_eq!(calls.next_call(), Ok(None));
}

#[test]
fn rpc_response() {
    let bytes = written(TdsVersion::V7_2, |w| {
        w.done(&Done {
            kind: DoneKind::InProcedure,
            status: DoneStatus::MORE.with(DoneStatus::COUNT),
            command: command::SELECT,
            rows: 1,
        });
        w.return_status(0);
        w.done(&Done {
            kind: DoneKind::Procedure,
            status: DoneStatus::FINAL,
            command: command::EXECUTE,
            rows: 0,
        });
    });
    let expected = hex("04 01 00 27 00 00 01 00 FF 11 00 C1 00 01 00 00
        00 00 00 00 00 79 00 00 00 00 FE 00 00 E0 00 00
        00 00 00 00 00 00 00");
    assert_eq!(bytes, expected);
}

#[test]
fn attention_request() {
    let mut out = MessageWriter::new();
    request::attention(&mut out);
    assert_eq!(out.ready(), hex("06 01 00 08 00 00 01 00"));
}

#[test]
fn bulk_load() {
    let bytes = hex("07 01 00 26 00 00 01 00 81 01 00 00 00 00 00 05
        00 32 02 63 00 31 00 D1 00 FD 00 00 00 00 00 00
        00 00 00 00 00 00");
    let mut load = BulkReader::new(TdsVersion::V7_2, Collation::DEFAULT, 1000);
    load.feed(&bytes[8..]);
    let BulkEvent::Columns(columns) = load.next().unwrap() else { panic!() };
    assert_eq!((columns.len(), columns[0].name.as_str()), (1, "c1"));
    let BulkEvent::Row(row) = load.next().unwrap() else { panic!() };
    assert_eq!(row.get(0).unwrap().into_value(), Value::Int(0));
    assert!(matches!(load.next(), Ok(BulkEvent::End)));
}

#[test]
fn login_response() {
    let collation = WireCollation([0x09, 0x04, 0xD0, 0x00, 0x34]);
    let bytes = written(TdsVersion::V7_2, |w| {
        w.env_change(&EnvChange::Database { new: "master".into(), old: "master".into() });
        w.error(&SqlError::custom(5701, 0, 2, "Changed database context to 'master'."), "");
        w.env_change(&EnvChange::Collation { new: Some(collation), old: None });
        w.env_change(&EnvChange::Language { new: "us_english".into(), old: "".into() });
        w.login_ack(&LoginAck {
            program: "Microsoft SQL Server\0\0",
            program_version: [0, 0, 0, 0],
        });
        w.env_change(&EnvChange::PacketSize { new: 4096, old: 4096 });
    });
    let expected = hex("E3 1B 00 01 06 6D 00 61 00 73 00 74 00 65 00 72 00
        06 6D 00 61 00 73 00 74 00 65 00 72 00
        AB 58 00 45 16 00 00 02 00 25 00 43 00 68 00 61 00 6E 00 67 00 65 00 64 00
        20 00 64 00 61 00 74 00 61 00 62 00 61 00 73 00 65 00 20 00 63 00 6F 00 6E 00
        74 00 65 00 78 00 74 00 20 00 74 00 6F 00 20 00 27 00 6D 00 61 00 73 00 74 00
        65 00 72 00 27 00 2E 00 00 00 00 00 00 00
        E3 08 00 07 05 09 04 D0 00 34 00
        E3 17 00 02 0A 75 00 73 00 5F 00 65 00 6E 00 67 00 6C 00 69 00 73 00 68 00 00
        AD 36 00 01 72 09 00 02 16 4D 00 69 00 63 00 72 00 6F 00 73 00 6F 00 66 00 74 00
        20 00 53 00 51 00 4C 00 20 00 53 00 65 00 72 00 76 00 65 00 72 00 00 00 00 00
        00 00 00 00
        E3 13 00 04 04 34 00 30 00 39 00 36 00 04 34 00 30 00 39 00 36 00");
    assert_eq!(bytes[8..], expected);
}

#[test]
fn requests_carry_the_reset_bit_and_the_headers() {
    let mut out = MessageWriter::new();
    request::batch(&mut out, TdsVersion::V7_4, 7, Reset::SessionKeepTransaction, "x");
    let expected = hex("01 11 00 20 00 00 01 00 16 00 00 00 12 00 00 00
        02 00 07 00 00 00 00 00 00 00 01 00 00 00 78 00");
    assert_eq!(out.ready(), expected);
}
