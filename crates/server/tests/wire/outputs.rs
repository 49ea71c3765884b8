//! Output parameters and columns as clients expect them, to the type.

use base::{SqlType, Value, ValueRef};
use tds::client::request::{Parameter, RpcWriter};
use tds::client::{Token, TokenReader};
use tds::packet::{PacketType, Reset};
use tds::server::rpc::ProcedureId;
use tds::{MessageWriter, TdsVersion};

use crate::support::{Raw, TestServer, batch};
use crate::trace::lines;

const VERSION: TdsVersion = TdsVersion::V7_4;

fn run(raw: &mut Raw, text: &str) {
    raw.send(PacketType::SqlBatch, &batch(text));
    raw.answer().expect("an answer");
}

fn called(raw: &mut Raw, name: &str, parameters: &[Parameter<'_>]) -> Vec<u8> {
    let mut out = MessageWriter::new();
    let mut rpc = RpcWriter::begin(&mut out, VERSION, 0, Reset::None);
    rpc.call(name, 0);
    for parameter in parameters {
        rpc.parameter(parameter).unwrap();
    }
    rpc.end();
    raw.send_bytes(out.ready());
    raw.answer().expect("an answer")
}

/// The types and values that come back.
fn returned(answer: &[u8]) -> Vec<(SqlType, Value)> {
    let mut reader = TokenReader::new(VERSION, Default::default());
    reader.feed(answer);
    let mut found = Vec::new();
    while let Some(token) = reader.next().expect("an answer is made of tokens") {
        if let Token::ReturnValue(value) = token {
            found.push((value.ty, value.value));
        }
    }
    found
}

#[test]
fn an_output_has_the_type_that_the_client_has_sent() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(
        &mut raw,
        "create procedure outputs_types @d decimal(6, 5) output, @s varchar(20) output, @i bigint output as
         begin set @d = 6.234 set @s = 'abcdef' set @i = 7 end",
    );
    let decimal = SqlType::decimal(9, 7);
    let text = SqlType::nvarchar(4, Default::default());
    let answer = called(
        &mut raw,
        "outputs_types",
        &[
            Parameter::output("@d", decimal, ValueRef::Null),
            Parameter::output("@s", text, ValueRef::Null),
            Parameter::output("@i", SqlType::int(), ValueRef::Null),
        ],
    );
    let found = returned(&answer);
    assert_eq!(found[0], (decimal, Value::Decimal(62_340_000)));
    assert_eq!(found[1].0.kind, text.kind);
    assert_eq!(found[1].1, Value::unicode("abcd"));
    assert_eq!(found[2], (SqlType::int(), Value::Int(7)));
}

#[test]
fn an_output_that_the_clients_type_cannot_hold_is_an_error() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(&mut raw, "create procedure outputs_large @i bigint output as set @i = 3000000000");
    let answer = called(
        &mut raw,
        "outputs_large",
        &[Parameter::output("@i", SqlType::int(), ValueRef::Null)],
    );
    assert!(returned(&answer).is_empty());
    assert_eq!(
        lines(&answer).iter().map(String::as_str).collect::<Vec<_>>(),
        ["doneinproc select 1 more", "status 0", "error 8115", "doneproc execute error"]
    );
}

#[test]
fn what_is_no_cursor_returns_all_that_clients_read() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(&mut raw, "create procedure outputs_no_cursor as begin select 1 as a; select 2 as b end");
    let mut out = MessageWriter::new();
    let mut rpc = RpcWriter::begin(&mut out, VERSION, 0, Reset::None);
    rpc.call_id(ProcedureId::CursorOpen, 0);
    let text = "exec outputs_no_cursor".encode_utf16().flat_map(u16::to_le_bytes);
    let text: Vec<u8> = text.collect();
    let ty = SqlType::nvarchar((text.len() / 2) as u16, Default::default());
    let int = |value| Parameter::output("", SqlType::int(), value);
    rpc.parameter(&int(ValueRef::Null)).unwrap();
    rpc.parameter(&Parameter::input("", ty, ValueRef::Unicode(&text))).unwrap();
    for value in [8, 1, 0] {
        rpc.parameter(&int(ValueRef::Int(value))).unwrap();
    }
    rpc.end();
    raw.send_bytes(out.ready());
    let answer = lines(&raw.answer().expect("an answer"));
    let values: Vec<&str> =
        answer.iter().map(String::as_str).filter(|l| l.starts_with("value")).collect();
    assert_eq!(values, ["value 0  = 0", "value 2  = 8", "value 3  = 1", "value 4  = 0"]);
    for line in ["info 16954", "columns a", "row 1", "columns b", "row 2"] {
        assert!(answer.iter().any(|l| l == line), "{line} is missing: {answer:#?}");
    }
}

#[test]
fn computed_texts_have_a_table_without_a_name() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    raw.send(
        PacketType::SqlBatch,
        &batch("select cast('x' as text) a, cast(N'y' as ntext) b, cast(0x01 as image) c"),
    );
    let answer = raw.answer().expect("an answer");
    let mut reader = TokenReader::new(VERSION, Default::default());
    reader.feed(&answer);
    assert!(matches!(reader.next(), Ok(Some(Token::Columns))));
    for column in reader.columns() {
        assert_eq!(column.table, [""], "{}", column.name);
    }
}
