//! Values of type json: as such for clients that have asked for that, as strings for others.

use base::{Collation, SqlType, Value, ValueRef};
use tds::client::bulk::BulkWriter;
use tds::client::request::{Parameter, RpcWriter, TableColumnSpec};
use tds::client::{Token, TokenReader};
use tds::collation::WireCollation;
use tds::columns::Column;
use tds::login::Feature;
use tds::packet::{PacketType, Reset};
use tds::server::rpc::ProcedureId;
use tds::token::{self, feature};
use tds::typeinfo::{TypeInfo, WireType};
use tds::{MessageWriter, TdsVersion};

use crate::support::{Raw, TestServer, batch};
use crate::trace::lines;

const VERSION: TdsVersion = TdsVersion::V7_4;

fn asking(server: &TestServer) -> Raw {
    let features = vec![Feature { id: feature::JSON, data: vec![1] }];
    let (raw, answer) = Raw::login_asking_for(server.address(), features);
    let acknowledged = [token::FEATUREEXTACK, feature::JSON, 1, 0, 0, 0, 1, feature::TERMINATOR];
    assert!(answer.windows(acknowledged.len()).any(|bytes| bytes == acknowledged));
    raw
}

fn run(raw: &mut Raw, text: &str) -> Vec<u8> {
    raw.send(PacketType::SqlBatch, &batch(text));
    raw.answer().expect("an answer")
}

/// The type of the first column of an answer's result, and the column's values.
fn column(answer: &[u8]) -> (TypeInfo, Vec<Value>) {
    let mut reader = TokenReader::new(VERSION, Collation::default());
    reader.feed(answer);
    let mut values = Vec::new();
    while let Some(token) = reader.next().expect("an answer is made of tokens") {
        if let Token::Row(row) = token {
            values.push(row.get(0).unwrap().into_value());
        }
    }
    (reader.columns()[0].info, values)
}

fn text(value: &str) -> Value {
    Value::Chars(value.as_bytes().into())
}

fn call(raw: &mut Raw, write: impl FnOnce(&mut RpcWriter<'_>)) -> Vec<u8> {
    let mut out = MessageWriter::new();
    let mut rpc = RpcWriter::begin(&mut out, VERSION, 0, Reset::None);
    write(&mut rpc);
    rpc.end();
    raw.send_bytes(out.ready());
    raw.answer().expect("an answer")
}

/// A statement with the parameter `@p`, which is sent as json.
fn with_parameter(raw: &mut Raw, statement: &str, document: &str) -> Vec<u8> {
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let (statement, declared) = (Value::unicode(statement), Value::unicode("@p json"));
    let document = ValueRef::Chars(document.as_bytes());
    call(raw, |rpc| {
        rpc.call_id(ProcedureId::ExecuteSql, 0);
        rpc.parameter(&Parameter::input("", nvarchar, statement.as_ref())).unwrap();
        rpc.parameter(&Parameter::input("", nvarchar, declared.as_ref())).unwrap();
        rpc.parameter(&Parameter::input("@p", SqlType::json(), document)).unwrap();
    })
}

#[test]
fn results_have_the_type_if_the_client_knows_it() {
    let server = TestServer::shared();
    let long = format!("[\"{}\"]", "ä".repeat(20_000));
    let query = "select cast(v as json) as j from (values (N'[ \"ä\" ]'), (null),
        (N'[\"' + replicate(cast(N'ä' as nvarchar(max)), 20000) + N'\"]')) as rows (v)";
    let values = vec![text("[\"ä\"]"), Value::Null, text(&long)];

    let (info, found) = column(&run(&mut asking(&server), query));
    assert_eq!(info.ty, WireType::Json);
    assert_eq!(found, values);

    let (info, found) = column(&run(&mut Raw::login(&server), query));
    assert_eq!((info.ty, info.length), (WireType::VarChar, TypeInfo::MAX));
    assert_eq!(info.collation, WireCollation::of(Collation::LATIN1_BIN2_UTF8));
    assert_eq!(found, values);
}

#[test]
fn only_a_version_that_exists_is_acknowledged() {
    let server = TestServer::shared();
    let features = vec![Feature { id: feature::JSON, data: vec![0] }];
    let (mut raw, answer) = Raw::login_asking_for(server.address(), features);
    assert!(!answer.contains(&token::FEATUREEXTACK));
    let (info, _) = column(&run(&mut raw, "select cast('[]' as json)"));
    assert_eq!(info.ty, WireType::VarChar);
}

#[test]
fn parameters_become_canonical() {
    let server = TestServer::shared();
    let mut raw = asking(&server);
    let answer = with_parameter(&mut raw, "select @p", r#" { "a" : 1e1, "a" : 2 } "#);
    assert_eq!(column(&answer).1, [text(r#"{"a":10.0000000000}"#)]);
    let answer = with_parameter(&mut raw, "select @p", "[1");
    assert!(lines(&answer).iter().any(|line| line == "error 13609"), "{:?}", lines(&answer));
}

#[test]
fn outputs_have_the_type_if_the_client_knows_it() {
    let server = TestServer::shared();
    let mut raw = asking(&server);
    let procedure = "create procedure json_output @j json output, @s json output as
        begin set @j = '[ 1 ]' set @s = '[ 2 ]' end";
    run(&mut raw, procedure);
    let nvarchar = SqlType::nvarchar(10, Collation::default());
    let outputs = |raw: &mut Raw| {
        call(raw, |rpc| {
            rpc.call("json_output", 0);
            rpc.parameter(&Parameter::output("@j", SqlType::json(), ValueRef::Null)).unwrap();
            rpc.parameter(&Parameter::output("@s", nvarchar, ValueRef::Null)).unwrap();
        })
    };
    // The user type and the flags are nothing; then come the type and the value.
    let json = [&[0, 0, 0, 0, 0, 0, WireType::Json as u8][..], &3_u64.to_le_bytes()].concat();
    let is_json = |answer: &[u8]| answer.windows(json.len()).any(|bytes| bytes == json);
    let values = ["value 0 @j = [1]", "value 1 @s = [2]"];
    for (mut raw, has_json) in [(raw, true), (Raw::login(&server), false)] {
        let answer = outputs(&mut raw);
        assert_eq!(is_json(&answer), has_json);
        let lines = lines(&answer);
        assert!(values.iter().all(|value| lines.iter().any(|line| line == value)), "{lines:?}");
    }
}

#[test]
fn rows_of_the_client_become_canonical() {
    let server = TestServer::shared();
    let mut raw = asking(&server);
    run(
        &mut raw,
        "create table json_loaded (j json)
         create type json_list as table (j json)",
    );
    run(&mut raw, "create procedure json_rows @rows json_list readonly as select j from @rows");
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let wide = Value::unicode("[ 1 ]");
    let sent = [
        (SqlType::json(), ValueRef::Chars(b"[ 1 ]")),
        (nvarchar, wide.as_ref()),
        (SqlType::json(), ValueRef::Null),
    ];
    for (ty, value) in sent {
        let expected = [if value.is_null() { Value::Null } else { text("[1]") }];
        run(&mut raw, "truncate table json_loaded");
        run(&mut raw, "insert bulk json_loaded (j json)");
        let mut out = MessageWriter::new();
        let mut rows = BulkWriter::begin(&mut out, &[Column::nullable("j", ty)], VERSION);
        rows.row(&[value][..]).unwrap();
        rows.end();
        raw.send_bytes(out.ready());
        raw.answer().expect("an answer");
        assert_eq!(column(&run(&mut raw, "select j from json_loaded")).1, expected);

        let columns = [TableColumnSpec { ty, default: false }];
        let answer = call(&mut raw, |rpc| {
            rpc.call("json_rows", 0);
            let mut rows = rpc.table("@rows", ("dbo", "json_list"), &columns);
            rows.row(&[value][..]).unwrap();
            rows.end();
        });
        assert_eq!(column(&answer).1, expected, "{:?}", lines(&answer));
    }
}
