use ir::function::method::{MethodQuery, OuterValue};

use super::*;
use crate::func::testing::{check, check_errors, check_types, parse_type, run};

/// The constant for a query after those of `nodes()`, with the types of `sql:variable("@0")` and so
/// on.
fn plan_of(levels: &[&str], types: &[&str], is_binary: bool) -> String {
    let outer: Vec<OuterValue> = (types.iter().enumerate())
        .map(|(at, ty)| {
            let kind = parse_type(ty).kind;
            OuterValue { is_variable: true, name: format!("@{at}"), kind }
        })
        .collect();
    let (last, before) = levels.split_last().unwrap();
    let mut levels: Vec<MethodQuery> = (before.iter())
        .map(|text| MethodQuery { text: (*text).into(), ..MethodQuery::default() })
        .collect();
    levels.push(MethodQuery { receiver: "m()".into(), text: (*last).into(), outer });
    let plan = MethodPlan { is_binary, target: "@x".into(), levels, ..MethodPlan::default() };
    let hex: String = plan.encode().iter().map(|byte| format!("{byte:02X}")).collect();
    format!("0x{hex}")
}

fn plan(text: &str) -> String {
    plan_of(&[text], &[], false)
}

#[test]
fn methods_are_applied_to_documents() {
    let x = "xml:<r><a k=\"1\">one</a><a k=\"2\">two</a></r>";
    check(&[
        (names::VALUE, &["bigint:0", x, &plan("(/r/a)[2]")], "two"),
        (names::VALUE, &["bigint:0", x, &plan("(/r/b)[1]")], "NULL"),
        (names::VALUE, &["bigint:0", "xml:NULL", &plan("(/r/a)[2]")], "NULL"),
        (names::VALUE, &["bigint:NULL", x, &plan("(/r/a)[2]")], "NULL"),
        (names::QUERY, &["bigint:0", x, &plan("/r/a[@k=2]")], "<a k=\"2\">two</a>"),
        (names::QUERY, &["bigint:0", x, &plan("/r/b")], ""),
        (names::EXIST, &["bigint:0", x, &plan("/r/a[. = \"one\"]")], "1"),
        (names::EXIST, &["bigint:0", x, &plan("/r/b")], "0"),
        (names::EXIST, &["bigint:0", "xml:NULL", &plan("/r/b")], "NULL"),
        (names::MODIFY, &["bigint:0", "xml:<r><a/></r>", &plan("delete /r/a")], "<r/>"),
        (names::MODIFY, &["bigint:0", "xml:<r><a/></r>", &plan("delete /r/b")], "<r><a/></r>"),
    ]);
    let null = "Mutator 'modify()' on '@x' cannot be called on a null value.";
    check_errors(&[(names::MODIFY, &["bigint:0", "xml:NULL", &plan("delete /r")], 5302, null)]);
    check_types(&[
        (names::VALUE, &["bigint:0", "xml:NULL", &plan("1")], "nvarchar(max)"),
        (names::VALUE, &["bigint:0", "xml:NULL", &plan_of(&["1"], &[], true)], "varbinary(max)"),
        (names::QUERY, &["bigint:0", "xml:NULL", &plan("1")], "xml"),
        (names::EXIST, &["bigint:0", "xml:NULL", &plan("1")], "bit"),
    ]);
}

/// The element `a` is the third node, after the document and `r`.
#[test]
fn methods_are_applied_to_nodes() {
    let x = "xml:<r><a k=\"1\"><b>x</b></a></r>";
    let applied = |text: &str| {
        let plan = plan_of(&["/r/a", text], &[], false);
        run(names::VALUE, &["bigint:2", x, &plan]).unwrap()
    };
    assert_eq!(applied("@k"), "1");
    assert_eq!(applied("local-name(.)"), "a");
    assert_eq!(applied("local-name(..)"), "r");
    assert_eq!(applied("(/r/a/b)[1]"), "x");
    let plan = plan_of(&["/r/a", "."], &[], false);
    let result = run(names::VALUE, &["bigint:200", x, &plan]);
    assert!(result.is_err(), "there is no such node: {result:?}");
}

#[test]
fn binaries_are_read_from_text() {
    let value = |text: &str| {
        let plan = plan_of(&[text], &[], true);
        run(names::VALUE, &["bigint:0", "xml:<r>AQ ID</r>", &plan]).unwrap()
    };
    assert_eq!(value("(/r)[1]"), "0x010203");
    assert_eq!(value("xs:base64Binary(\"AQID\")"), "0x010203");
    assert_eq!(value("xs:hexBinary(\"0aFF\")"), "0x0AFF");
    assert_eq!(value("\"!\""), "NULL");
    assert_eq!(value("\"\""), "0x");
}

#[test]
fn outer_values_have_the_types_of_xml_schema() {
    for (ty, value, expected) in [
        ("int", "7", "7"),
        ("bit", "1", "true"),
        ("decimal(9,2)", "1.50", "1.5"),
        ("money", "2.25", "2.25"),
        ("float", "1.5E10", "1.5E10"),
        ("varchar(10)", "a<b", "a<b"),
        ("nvarchar(10)", "é", "é"),
        ("varbinary(10)", "0x010203", "AQID"),
        ("date", "2024-02-29", "2024-02-29"),
        ("datetime", "2020-01-02T03:04:05", "2020-01-02T03:04:05.000"),
        ("datetime2(2)", "2020-01-02T03:04:05", "2020-01-02T03:04:05.00"),
        ("time(0)", "03:04:05", "03:04:05"),
        ("datetimeoffset(0)", "2020-01-02T03:04:05+01:00", "2020-01-02T03:04:05+01:00"),
        (
            "uniqueidentifier",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        ("int", "NULL", "NULL"),
    ] {
        let plan = plan_of(&["sql:variable(\"@0\")"], &[ty], false);
        let found = run(names::VALUE, &["bigint:0", "xml:<r/>", &plan, &format!("{ty}:{value}")]);
        assert_eq!(found.unwrap(), expected, "{ty}");
    }
    let plan = plan_of(&["insert sql:variable(\"@0\") into (/r)[1]"], &["xml"], false);
    let found = run(names::MODIFY, &["bigint:0", "xml:<r/>", &plan, "xml:<a/>b"]);
    assert_eq!(found.unwrap(), "<r><a/>b</r>");
}
