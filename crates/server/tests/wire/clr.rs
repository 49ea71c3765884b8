//! Values of CLR types, which go with their names both ways.

use base::{Collation, SqlType, TypeKind, Value, ValueRef};
use tds::TdsVersion;
use tds::client::Token;
use tds::client::bulk::BulkWriter;
use tds::client::request::{Parameter, TableColumnSpec};
use tds::columns::Column;
use tds::server::rpc::ProcedureId;
use tds::typeinfo::WireType;
use tds::{MessageWriter, client::TokenReader};

use crate::support::{Raw, TestServer};
use crate::trace::lines;
use crate::xml::{call, column, run};

const VERSION: TdsVersion = TdsVersion::V7_4;

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.into())
}

#[test]
fn results_have_the_type_and_its_names() {
    let server = TestServer::shared();
    let query = "select cast(v as hierarchyid) from (values ('/1/'), (null), ('/')) as rows (v)";
    let mut raw = Raw::login(&server);
    run(&mut raw, "use tempdb");
    let answer = run(&mut raw, query);
    let (info, found) = column(&answer);
    assert_eq!((info.ty, info.clr), (WireType::Udt, Some(TypeKind::HierarchyId)));
    assert_eq!(found, [bytes(&[0x58]), Value::Null, bytes(&[])]);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for name in ["tempdb", "sys", "hierarchyid", "Microsoft.SqlServer.Types.SqlHierarchyId, Micro"]
    {
        let name = wide(name);
        assert!(answer.windows(name.len()).any(|part| part == name), "{name:?}");
    }
}

#[test]
fn parameters_are_checked_and_go_back() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let statement = Value::unicode("set @p = @p.GetAncestor(1); select @p.ToString()");
    let declared = Value::unicode("@p hierarchyid output");
    let mut with = |ty: SqlType, value: ValueRef<'_>| {
        call(&mut raw, |rpc| {
            rpc.call_id(ProcedureId::ExecuteSql, 0);
            rpc.parameter(&Parameter::input("", nvarchar, statement.as_ref())).unwrap();
            rpc.parameter(&Parameter::input("", nvarchar, declared.as_ref())).unwrap();
            let parameter = Parameter { output: true, ..Parameter::input("@p", ty, value) };
            rpc.parameter(&parameter).unwrap();
        })
    };
    let answer = with(SqlType::hierarchyid(), ValueRef::Bytes(&[0x5A, 0xC0]));
    assert_eq!(column(&answer).1, [Value::unicode("/1/")]);
    let mut reader = TokenReader::new(VERSION, Collation::default());
    reader.feed(&answer);
    let mut returned = Vec::new();
    while let Some(token) = reader.next().expect("an answer is made of tokens") {
        if let Token::ReturnValue(value) = token {
            returned.push(value.value);
        }
    }
    assert_eq!(returned, [bytes(&[0x58])]);
    let answer = with(SqlType::hierarchyid(), ValueRef::Null);
    assert_eq!(column(&answer).1, [Value::Null]);
    let answer = with(SqlType::hierarchyid(), ValueRef::Bytes(&[0x50]));
    assert!(lines(&answer).iter().any(|line| line == "error 6522"), "{:?}", lines(&answer));
}

#[test]
fn rows_of_the_client_are_checked() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(
        &mut raw,
        "create table clr_loaded (h hierarchyid)
         create type clr_list as table (h hierarchyid)",
    );
    run(&mut raw, "create procedure clr_rows @rows clr_list readonly as select h from @rows");
    for ty in [SqlType::hierarchyid(), SqlType::varbinary_max()] {
        let good = ValueRef::Bytes(&[0x58]);
        for (value, is_good) in
            [(good, true), (ValueRef::Null, true), (ValueRef::Bytes(&[1]), false)]
        {
            run(&mut raw, "truncate table clr_loaded");
            run(&mut raw, "insert bulk clr_loaded (h hierarchyid)");
            let mut out = MessageWriter::new();
            let mut rows = BulkWriter::begin(&mut out, &[Column::nullable("h", ty)], VERSION);
            rows.row(&[value][..]).unwrap();
            rows.end();
            raw.send_bytes(out.ready());
            let loaded = raw.answer().expect("an answer");
            let columns = [TableColumnSpec { ty, default: false }];
            let listed = call(&mut raw, |rpc| {
                rpc.call("clr_rows", 0);
                let mut rows = rpc.table("@rows", ("dbo", "clr_list"), &columns);
                rows.row(&[value][..]).unwrap();
                rows.end();
            });
            if !is_good {
                let refused = |answer| lines(answer).iter().any(|line| line == "error 6522");
                assert!(refused(&loaded) && refused(&listed), "{:?}", lines(&listed));
                continue;
            }
            assert_eq!(column(&run(&mut raw, "select h from clr_loaded")).1, [value.to_owned()]);
            assert_eq!(column(&listed).1, [value.to_owned()], "{:?}", lines(&listed));
        }
    }
}

/// Shapes go both ways like nodes do, without a limit of their length.
#[test]
fn shapes_go_both_ways() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let point: Vec<u8> =
        [&[0, 0, 0, 0, 1, 0x0C][..], &1f64.to_le_bytes(), &2f64.to_le_bytes()].concat();
    let answer = run(&mut raw, "select geometry::Point(1, 2, 0) as g");
    let (info, found) = column(&answer);
    assert_eq!((info.ty, info.clr), (WireType::Udt, Some(TypeKind::Geometry)));
    assert_eq!(found, [bytes(&point)]);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for name in ["geometry", "Microsoft.SqlServer.Types.SqlGeometry, Microsoft.SqlServer.Types"] {
        let name = wide(name);
        assert!(answer.windows(name.len()).any(|part| part == name), "{name:?}");
    }
    let nvarchar = SqlType::nvarchar_max(Collation::default());
    let statement = Value::unicode("select @p.STX + @p.STSrid");
    let declared = Value::unicode("@p geometry");
    let mut with = |value: ValueRef<'_>| {
        call(&mut raw, |rpc| {
            rpc.call_id(ProcedureId::ExecuteSql, 0);
            rpc.parameter(&Parameter::input("", nvarchar, statement.as_ref())).unwrap();
            rpc.parameter(&Parameter::input("", nvarchar, declared.as_ref())).unwrap();
            rpc.parameter(&Parameter::input("@p", SqlType::geometry(), value)).unwrap();
        })
    };
    assert_eq!(column(&with(ValueRef::Bytes(&point))).1, [Value::Float(1.0)]);
    assert_eq!(column(&with(ValueRef::Null)).1, [Value::Null]);
    let answer = with(ValueRef::Bytes(&point[..9]));
    assert!(lines(&answer).iter().any(|line| line == "error 6522"), "{:?}", lines(&answer));
}
