use super::*;

const TREE: &str = "<r><a><b>a1</b><c><b>c1</b></c></a><b>r1</b><a><b>a2</b></a></r>";
const TWO: &str = "<r><a x=\"1\">v1</a><a x=\"2\">v2</a></r>";
const PAIRS: &str = "<r><p><b>1</b><b>2</b></p><p><b>1</b></p></r>";

#[track_caller]
fn check(document: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = try_query(document, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn paths_select_in_document_order() {
    check(
        TREE,
        &[
            ("/r/b", "<b>r1</b>"),
            ("//b", "<b>a1</b><b>c1</b><b>r1</b><b>a2</b>"),
            ("//b/text()", "a1c1r1a2"),
            ("(//b)[1]", "<b>a1</b>"),
            ("(//b)[last()]", "<b>a2</b>"),
            ("/r/a/b[1]", "<b>a1</b><b>a2</b>"),
            ("/r/a[2]/b", "<b>a2</b>"),
            ("//a//b", "<b>a1</b><b>c1</b><b>a2</b>"),
            ("/r/a[1]/c/..", "<a><b>a1</b><c><b>c1</b></c></a>"),
            ("//b[position() < 2]/text()", "a1c1r1a2"),
            ("//b[1]/text()", "a1c1r1a2"),
            ("/r/*[2]", "<b>r1</b>"),
            ("/r/descendant::c/b", "<b>c1</b>"),
            ("//c/descendant-or-self::*", "<c><b>c1</b></c><b>c1</b>"),
            ("/child::r/child::b/self::b", "<b>r1</b>"),
            ("count(/r/a/..)", "1"),
            ("//b/../b/text()", "a1c1r1a2"),
            ("/r/a/b[last()]/text()", "a1a2"),
            ("/r/(: all (: of :) them :)b", "<b>r1</b>"),
            ("/r/nothing", ""),
            ("count(//.)", "13"),
            (". is /r[1]/..", "true"),
            ("/", TREE),
            (".", TREE),
        ],
    );
}

#[test]
fn node_tests_select_by_kind() {
    let document = "<r>t<!--c--><?p d?><?q e?><a x=\"1\" y=\"2\"/></r>";
    check(
        document,
        &[
            ("/r/text()", "t"),
            ("/r/comment()", "<!--c-->"),
            ("/r/processing-instruction()", "<?p d?><?q e?>"),
            ("/r/processing-instruction(\"q\")", "<?q e?>"),
            ("/r/node()", "t<!--c--><?p d?><?q e?><a x=\"1\" y=\"2\"/>"),
            ("/r/element()", "<a x=\"1\" y=\"2\"/>"),
            ("count(/r/a/@*)", "2"),
            ("data(/r/a/@*)", "1 2"),
            ("data(/r/comment())", "c"),
        ],
    );
}

#[test]
fn names_are_compared_by_uri() {
    let document =
        "<r xmlns:p=\"urn:p\" xmlns=\"urn:d\"><p:a>1</p:a><a>2</a><b xmlns=\"\">3</b></r>";
    check(
        document,
        &[
            ("declare namespace q=\"urn:p\"; data(//q:a)", "1"),
            ("declare default element namespace \"urn:d\"; data(/r/a)", "2"),
            ("data(/*:r/*:a)", "1 2"),
            ("data(//b)", "3"),
            ("declare namespace d=\"urn:d\"; count(/d:r/d:*)", "1"),
            ("local-name(/*[1])", "r"),
            ("namespace-uri((//*:a)[1])", "urn:p"),
        ],
    );
}

#[test]
fn prefixes_are_declared_where_they_are_used() {
    let document = "<r xmlns:p=\"urn:p\"><a><p:b/></a></r>";
    check(
        document,
        &[
            ("/r/a", "<a><p1:b xmlns:p1=\"urn:p\"/></a>"),
            ("declare namespace q=\"urn:p\"; /r/a", "<a><q:b xmlns:q=\"urn:p\"/></a>"),
            ("/r", document),
            ("declare default element namespace \"urn:d\"; <b/>", "<b xmlns=\"urn:d\"/>"),
            ("<x xmlns:z=\"urn:p\">{/r/a}</x>", "<x xmlns:z=\"urn:p\"><a><z:b/></a></x>"),
            ("<x xmlns=\"urn:d\">{1}<y/></x>", "<x xmlns=\"urn:d\">1<y/></x>"),
        ],
    );
    check(
        "<r xmlns=\"urn:d\"><a/></r>",
        &[
            ("/*/*", "<p1:a xmlns:p1=\"urn:d\"/>"),
            ("<x>{/*/*}</x>", "<x><p1:a xmlns:p1=\"urn:d\"/></x>"),
        ],
    );
    check("<a/>", &[("<x xmlns=\"urn:d\">{/*}</x>", "<x xmlns=\"urn:d\"><a xmlns=\"\"/></x>")]);
}

#[test]
fn predicates_filter_in_their_order() {
    check(
        "<r><a x=\"1\">1</a><a x=\"2\">2</a><a x=\"1\">3</a></r>",
        &[
            ("data(/r/a[@x=\"1\"][2])", "3"),
            ("data(/r/a[3][@x=\"1\"])", "3"),
            ("data(/r/a[position() > 1])", "2 3"),
            ("data(/r/a[last() - 1])", "2"),
            ("data(/r/a[1.0])", "1"),
            ("data(/r/a[@nope])", ""),
            ("data(/r/a[@x])", "1 2 3"),
            ("data(/r/a[. = 2])", "2"),
            ("data(/r/a[position() = last()])", "3"),
            ("data((/r/a, /r/a)[4])", "1"),
            ("(5, 6, 7)[2]", "6"),
            ("(5, 6, 7)[. > 5]", "6 7"),
            ("data(/r[a/@x = 2]/a[1])", "1"),
        ],
    );
}

#[test]
fn comparisons_take_the_type_of_the_other_side() {
    for (text, expected) in [
        ("/r/a[@x = 1]", true),
        ("/r/a[@x = 01]", true),
        ("/r/a[@x = \"01\"]", false),
        ("/r/a[@x eq \"1\"]", true),
        ("/r/a[@x gt 1]", true),
        ("/r/a[. = 1]", false),
        ("/r/a[. != 1]", false),
        ("/r/a[@nope eq 1]", false),
        ("/r/a[@x = ../a[2]/@x]", true),
        ("/r/a[1][@x = ../a[2]/@x]", false),
    ] {
        assert_eq!(exist(TWO, text), expected, "{text}");
    }
    assert_eq!(query(PAIRS, "count(/r/p[b!=1])"), "1");
    assert_eq!(query(PAIRS, "count(/r/p[not(b=1)])"), "0");
    check(
        TWO,
        &[
            ("xs:date(\"2020-01-02\") < xs:date(\"2020-01-02-01:00\")", "true"),
            (
                "xs:dateTime(\"2020-01-02T00:00:00Z\") = xs:dateTime(\"2020-01-02T02:00:00+02:00\")",
                "true",
            ),
            ("\"a\" < \"b\"", "true"),
            ("(1, 2) = (2, 3)", "true"),
            ("/r[1]/a[1] << /r[1]/a[2]", "true"),
            ("(/r/a)[1] >> (/r/a)[2]", "false"),
            ("/r[1]/a[1] is (/r/a)[1]", "true"),
        ],
    );
}

#[test]
fn flwor_binds_filters_and_orders() {
    check(
        "<r><a x=\"10\">p</a><a x=\"2\">q</a><a>z</a></r>",
        &[
            ("for $i in /r/a return data($i)", "p q z"),
            ("for $i in /r/a order by $i/@x return data($i)", "z p q"),
            ("for $i in /r/a order by number($i/@x) descending return data($i)", "p q z"),
            ("for $i in (1, 2, 3) order by $i descending return $i", "3 2 1"),
            ("for $i in /r/a where $i/@x > 5 return <o>{data($i)}</o>", "<o>p</o>"),
            ("for $i in (1, 2), $j in (10, 20) return $i + $j", "11 21 12 22"),
            ("for $i in /r/a let $x := $i/@x where $x return string($i)", "p q"),
            ("let $x := /r/a return count($x)", "3"),
            ("for $i in /r/a return count(/r/a)", "3 3 3"),
            ("some $i in /r/a satisfies $i/@x = 2", "true"),
            ("every $i in /r/a satisfies $i/@x = 2", "false"),
            ("every $i in () satisfies false()", "true"),
            ("if (/r/a[@x = 2]) then \"y\" else \"n\"", "y"),
            ("if (<a/>) then 1 else 2", "1"),
            (
                "for $i in /r/a stable order by $i/@x ascending, string($i) return string($i)",
                "z p q",
            ),
        ],
    );
}

#[test]
fn arithmetic_follows_types() {
    for (text, expected) in [
        ("2 div 3", "0.666666"),
        ("1.23456789 * 1.1", "1.358025"),
        ("1234567 + 1", "1234568"),
        ("data(/r/z)[1] + 1", "1.234568E6"),
        ("sum(/r/z) * 10", "1.234567E7"),
        ("7 mod 3", "1"),
        ("-7 mod 3", "-1"),
        ("1 - 2 * 3 + 10", "5"),
        ("(1 + 2) * 3", "9"),
        ("10 div 4", "2.5"),
        ("1.50 + 0", "1.5"),
        ("- 5", "-5"),
        ("1e20", "1.0E20"),
        ("0.0000001 cast as xs:double?", "1.0E-7"),
        ("round(-2.5)", "-2"),
        ("round(2.5)", "3"),
        ("floor(-1.5)", "-2"),
        ("ceiling(-1.5)", "-1"),
        ("avg((1, 2, 4))", "2.3333333333"),
        ("sum((1, 2))", "3"),
        ("sum(/r/nope)", "0"),
        ("max((1, 5, 3))", "5"),
        ("min(/r/z)", "1.234567E6"),
        ("xs:decimal(\"1.50\")", "1.5"),
        ("xs:integer(1.7)", "1"),
        ("xs:boolean(0)", "false"),
        ("xs:time(\"10:00:00.50\")", "10:00:00.5"),
        ("xs:dateTime(\"2020-01-02T03:04:05+00:00\")", "2020-01-02T03:04:05Z"),
        ("xs:dateTime(\"2020-01-02T03:04:05\") cast as xs:date?", "2020-01-02"),
        ("\"300\" cast as xs:short?", "300"),
    ] {
        assert_eq!(value("<r><z>1234567</z></r>", text).as_deref(), Some(expected), "{text}");
    }
    for text in ["1 div 0", "/r/z[1] div \"a\" cast as xs:double?", "number((/r)[1])"] {
        let Ok(_) = compile(text, Purpose::Value) else { continue };
        assert_eq!(value("<r><z>x</z></r>", text), None, "{text}");
    }
    assert_eq!(value("<r>x</r>", "xs:integer((/r)[1])"), None);
    assert_eq!(value("<r>x</r>", "(/r)[1] + 1"), None);
}

#[test]
fn functions_compute() {
    for (text, expected) in [
        ("concat(\"a\", (/r/a)[1], \"c\")", "av1c"),
        ("contains((/r/a)[1], \"1\")", "true"),
        ("substring(\"abcde\", 2, 3)", "bcd"),
        ("substring(\"abcde\", 0, 3)", "ab"),
        ("substring(\"abcde\", 4)", "de"),
        ("substring(\"abcde\", 9)", ""),
        ("string-length(\"a\u{1F600}\")", "3"),
        ("upper-case(\"aé\")", "AÉ"),
        ("lower-case(\"AB\")", "ab"),
        ("string(/)", "v1v2"),
        ("string(())", ""),
        ("not(/r/b)", "true"),
        ("empty(/r/b)", "true"),
        ("local-name((/r/a/@x)[1])", "x"),
        ("count(distinct-values((\"a\", \"b\", \"a\")))", "2"),
        ("local-name-from-QName(expanded-QName(\"urn:x\", \"l\"))", "l"),
        ("fn:count(/r/a)", "2"),
        ("\"say \"\"hi\"\" &lt;&#65;\"", "say \"hi\" <A"),
        ("1 instance of xs:decimal", "true"),
        ("1.5 instance of xs:integer", "false"),
        ("(/r/a)[1] instance of element(a)", "true"),
        ("(/r/a)[1] instance of text()?", "false"),
        ("() instance of empty()", "true"),
    ] {
        assert_eq!(value(TWO, text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn constructors_write() {
    check(
        "<r a=\"1\"><b>x</b><b>y</b></r>",
        &[
            ("<o a=\"{/r/b}\" c=\"t\">{/r/b}</o>", "<o a=\"x y\" c=\"t\"><b>x</b><b>y</b></o>"),
            ("<a>{1}  {2}</a>", "<a>12</a>"),
            ("<a>{1, 2}</a>", "<a>1 2</a>"),
            ("<a>  x  {1}</a>", "<a>  x  1</a>"),
            ("<a>{{x}}</a>", "<a>{x}</a>"),
            ("<a><![CDATA[<&]]></a>", "<a>&lt;&amp;</a>"),
            ("<!-- c -->, <?t  d?>", "<!-- c --><?t d?>"),
            ("element e {attribute a {1, 2}, text {\"t\"}}", "<e a=\"1 2\">t</e>"),
            ("text {\"a\"}", "a"),
            ("<e>{/r/@a}</e>", "<e a=\"1\"/>"),
            ("<e>t{/r/@a}</e>", "<e a=\"1\">t</e>"),
            ("<e a='&lt;\"'/>", "<e a=\"&lt;&quot;\"/>"),
            ("(1, 2), 3", "1 2 3"),
            ("<a><b> </b>&#32;</a>", "<a><b/> </a>"),
        ],
    );
    assert_eq!(try_query("<r a=\"1\"/>", "<e a=\"2\">{/r/@a}</e>").unwrap_err().number(), 6308);
    assert_eq!(try_query("<r a=\"1\"/>", "<e><b/>{/r/@a}</e>").unwrap_err().number(), 6307);
    assert_eq!(try_query("<r a=\"1\"/>", "/r/@a, /r").unwrap_err().number(), 6307);
}

#[test]
fn outer_values_have_their_types() {
    const OUTSIDE: Outside = Outside(&[
        ("@i", SqlType::int()),
        ("@s", SqlType::nvarchar(10, Collation::LATIN1_BIN2_UTF8)),
        ("@d", SqlType::decimal(10, 2)),
        ("t.c", SqlType::float()),
    ]);
    let get = |text, values: &[Value<'_>]| value_with(TWO, text, &OUTSIDE, values);
    let found = get("(/r/a[@x = sql:variable(\"@i\")])[1]", &[Value::Integer(2)]);
    assert_eq!(found.as_deref(), Some("v2"));
    let found = get("sql:variable(\"@d\") + 1", &[Value::Decimal(150, 2)]);
    assert_eq!(found.as_deref(), Some("2.5"));
    assert_eq!(get("sql:column(\"t.c\")", &[Value::Double(1.5e10)]).as_deref(), Some("1.5E10"));
    assert_eq!(get("sql:variable(\"@s\")", &[Value::Null]), None);
    let query = compile_with(
        "concat(sql:variable(\"@s\"), sql:variable(\"@s\"))",
        Purpose::Value,
        &OUTSIDE,
    )
    .unwrap();
    assert_eq!(query.externals().len(), 1);
    let error = compile_with("sql:variable(\"@i\") = \"5\"", Purpose::Exist, &OUTSIDE).unwrap_err();
    let text = "XQuery [exist()]: The operator \"=\" cannot be applied to \"xs:int ?\" and \
                \"xs:string\" operands.";
    assert_eq!((error.number(), error.text()), (2234, text));
}

#[test]
fn nodes_are_contexts_of_other_queries() {
    let (document, account) = (read(TWO), account());
    let rows = compile("/r/a", Purpose::Nodes).unwrap();
    let shape = rows.shape();
    let context = Context {
        receiver: "value()",
        namespaces: &[],
        external: &NoExternal,
        shape: &shape,
        is_checked: false,
    };
    let cell = Query::compile("@x", Purpose::Value, &context).unwrap();
    let whole = Query::compile("count(/r/a)", Purpose::Value, &context).unwrap();
    let mut found = Vec::new();
    rows.nodes(input(&document, &[], &account), &mut |node| {
        let input = Input { node, ..input(&document, &[], &account) };
        found.push(cell.value(input)?.unwrap().1.into_owned());
        found.push(whole.value(input)?.unwrap().1.into_owned());
        Ok(())
    })
    .unwrap();
    assert_eq!(found, ["1", "2", "2", "2"]);
}

#[test]
fn long_scans_ask_the_pace() {
    let text = format!("<r>{}</r>", "<a/>".repeat(50_000));
    let (document, account) = (read(&text), account());
    let query = compile("count(//b)", Purpose::Value).unwrap();
    let counting = Counting(Cell::new(0));
    let input = Input { pace: &counting, ..input(&document, &[], &account) };
    assert_eq!(query.value(input).unwrap().unwrap().1, "0");
    assert!(counting.0.get() >= 5);
}

#[test]
fn what_is_kept_is_charged() {
    let text = format!("<r>{}</r>", "<a>x</a>".repeat(50_000));
    let document = read(&text);
    let account = Account::new(128 << 10, "default");
    let query = compile("for $a in /r/a order by $a return $a", Purpose::Exist).unwrap();
    assert_eq!(query.exist(input(&document, &[], &account)).unwrap_err().number(), 701);
    assert_eq!(account.used(), 0);
}

#[test]
fn namespaces_of_the_statement_are_declared() {
    let (document, account) = (read("<r xmlns=\"urn:d\"><a/></r>"), account());
    let (namespaces, shape) = ([("", "urn:d"), ("q", "urn:q")], NodeShape::default());
    let context = Context {
        receiver: "query()",
        namespaces: &namespaces,
        external: &NoExternal,
        shape: &shape,
        is_checked: false,
    };
    let query = crate::Query::compile("/r/a, <q:b/>", Purpose::Query, &context).unwrap();
    let result = query.query(input(&document, &[], &account)).unwrap();
    assert_eq!(written(&result), "<a xmlns=\"urn:d\"/><q:b xmlns:q=\"urn:q\"/>");
}

#[test]
fn rows_of_attributes_have_no_children() {
    let rows = compile("/r/a/@x", Purpose::Nodes).unwrap();
    let shape = rows.shape();
    let context = Context {
        receiver: "t.c.value()",
        namespaces: &[],
        external: &NoExternal,
        shape: &shape,
        is_checked: false,
    };
    let compile = |text| crate::Query::compile(text, Purpose::Value, &context);
    assert!(compile("string(..)").is_ok());
    let error = compile("(text())[1]").unwrap_err();
    let text = "XQuery [t.c.value()]: Result of 'text()' expression is statically 'empty'";
    assert_eq!((error.number(), error.text()), (2377, text));
    assert_eq!(compile("@y").unwrap_err().number(), 2219);
    assert_eq!(compile("(b)[1]").unwrap_err().number(), 2261);
}
