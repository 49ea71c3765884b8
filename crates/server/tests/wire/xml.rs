//! Values of type xml, which go as UTF-16 both ways.

use base::{Collation, SqlType, Value, ValueRef};
use tds::client::bulk::BulkWriter;
use tds::client::request::{Parameter, RpcWriter, TableColumnSpec};
use tds::client::{Token, TokenReader};
use tds::columns::Column;
use tds::packet::{PacketType, Reset};
use tds::server::rpc::ProcedureId;
use tds::typeinfo::{TypeInfo, WireType};
use tds::{MessageWriter, TdsVersion};

use crate::support::{Raw, TestServer, batch};
use crate::trace::lines;

const VERSION: TdsVersion = TdsVersion::V7_4;

pub fn run(raw: &mut Raw, text: &str) -> Vec<u8> {
    raw.send(PacketType::SqlBatch, &batch(text));
    raw.answer().expect("an answer")
}

/// The type of the first column of an answer's result, and the column's values.
pub fn column(answer: &[u8]) -> (TypeInfo, Vec<Value>) {
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

pub fn call(raw: &mut Raw, write: impl FnOnce(&mut RpcWriter<'_>)) -> Vec<u8> {
    let mut out = MessageWriter::new();
    let mut rpc = RpcWriter::begin(&mut out, VERSION, 0, Reset::None);
    write(&mut rpc);
    rpc.end();
    raw.send_bytes(out.ready());
    raw.answer().expect("an answer")
}

#[test]
fn results_have_the_type() {
    let server = TestServer::shared();
    let long = format!("<a>{}</a>", "ä".repeat(20_000));
    let query = "select cast(v as xml) as x from (values (N'<a >ä</a>'), (null), (N''),
        (N'<a>' + replicate(cast(N'ä' as nvarchar(max)), 20000) + N'</a>')) as rows (v)";
    let (info, found) = column(&run(&mut Raw::login(&server), query));
    assert_eq!(info.ty, WireType::Xml);
    let [short, long] = ["<a>ä</a>", &long].map(Value::unicode);
    assert_eq!(found, [short, Value::Null, Value::unicode(""), long]);
}

/// `SCHEMA_PRESENT` with the database, the schema and the collection, for columns and for outputs.
#[test]
fn typed_xml_names_its_schemas() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(&mut raw, "create database wx");
    run(&mut raw, "use wx");
    let schema = "<s:schema xmlns:s=\"http://www.w3.org/2001/XMLSchema\"><s:element name=\"r\" \
                  type=\"s:int\"/></s:schema>";
    run(&mut raw, &format!("create xml schema collection c as '{schema}'"));
    run(&mut raw, "create procedure p @x xml(c) output as set @x = '<r>2</r>'");
    let mut expected = vec![0xF1, 1];
    for (length, text) in [(1, "wx"), (1, "dbo"), (2, "c")] {
        expected.extend_from_slice(&(text.len() as u16).to_le_bytes()[..length]);
        expected.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }
    let names = |answer: &[u8]| answer.windows(expected.len()).any(|bytes| bytes == expected);
    assert!(names(&run(&mut raw, "select cast('<r>1</r>' as xml(c)) as x")));
    assert!(!names(&run(&mut raw, "select cast('<r>1</r>' as xml) as x")));
    let answer = call(&mut raw, |rpc| {
        rpc.call("p", 0);
        let value = ValueRef::Chars(b"<r>1</r>");
        rpc.parameter(&Parameter::output("@x", SqlType::xml(), value)).unwrap();
    });
    assert!(names(&answer), "{:?}", lines(&answer));
}

#[test]
fn parameters_become_canonical() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let (statement, declared) = (Value::unicode("select @p"), Value::unicode("@p xml"));
    let mut with = |ty: SqlType, value: ValueRef<'_>| {
        call(&mut raw, |rpc| {
            rpc.call_id(ProcedureId::ExecuteSql, 0);
            rpc.parameter(&Parameter::input("", nvarchar, statement.as_ref())).unwrap();
            rpc.parameter(&Parameter::input("", nvarchar, declared.as_ref())).unwrap();
            rpc.parameter(&Parameter::input("@p", ty, value)).unwrap();
        })
    };
    let expected = [Value::unicode("<é/>")];
    for text in ["<é></é>", "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-16\"?><é></é>"] {
        let answer = with(SqlType::xml(), ValueRef::Chars(text.as_bytes()));
        assert_eq!(column(&answer).1, expected);
        assert_eq!(column(&with(nvarchar, Value::unicode(text).as_ref())).1, expected);
    }
    let answer = with(SqlType::xml(), ValueRef::Chars(b"<a>"));
    assert!(lines(&answer).iter().any(|line| line == "error 9400"), "{:?}", lines(&answer));
}

#[test]
fn rows_of_the_client_become_canonical() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(
        &mut raw,
        "create table xml_loaded (x xml)
         create type xml_list as table (x xml)",
    );
    run(&mut raw, "create procedure xml_rows @rows xml_list readonly as select x from @rows");
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let wide = Value::unicode("<a ></a>");
    let sent = [
        (SqlType::xml(), ValueRef::Chars(b"<a ></a>")),
        (nvarchar, wide.as_ref()),
        (SqlType::xml(), ValueRef::Null),
    ];
    for (ty, value) in sent {
        let expected = [if value.is_null() { Value::Null } else { Value::unicode("<a/>") }];
        run(&mut raw, "truncate table xml_loaded");
        run(&mut raw, "insert bulk xml_loaded (x xml)");
        let mut out = MessageWriter::new();
        let mut rows = BulkWriter::begin(&mut out, &[Column::nullable("x", ty)], VERSION);
        rows.row(&[value][..]).unwrap();
        rows.end();
        raw.send_bytes(out.ready());
        raw.answer().expect("an answer");
        assert_eq!(column(&run(&mut raw, "select x from xml_loaded")).1, expected);

        let columns = [TableColumnSpec { ty, default: false }];
        let answer = call(&mut raw, |rpc| {
            rpc.call("xml_rows", 0);
            let mut rows = rpc.table("@rows", ("dbo", "xml_list"), &columns);
            rows.row(&[value][..]).unwrap();
            rows.end();
        });
        assert_eq!(column(&answer).1, expected, "{:?}", lines(&answer));
    }
}
