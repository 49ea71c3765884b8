use super::*;
use Purpose::{Exist, Modify, Nodes, Query as Xml, Value as Scalar};

#[track_caller]
fn all(cases: &[(Purpose, &str, i32, &str)]) {
    for (purpose, text, number, message) in cases {
        fails(*purpose, text, *number, message);
    }
}

#[test]
fn one_item_is_wanted() {
    all(&[
        (
            Scalar,
            "/r/a",
            2389,
            "XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
        (
            Scalar,
            "/r/a[1]",
            2389,
            "XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
        (
            Scalar,
            "/r/a[@x=\"1\"][1]",
            2389,
            "XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
        (
            Scalar,
            "for $i in /r/a return \"x\"",
            2389,
            "XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xs:string *'",
        ),
        (
            Xml,
            "/r/p[b eq 1]",
            2389,
            "XQuery [query()]: 'eq' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
        (
            Xml,
            "let $i := (1,2,3) order by $i return $i",
            2389,
            "XQuery [query()]: 'order by' requires a singleton (or empty sequence), found operand of type 'xs:integer +'",
        ),
        (
            Xml,
            "let $i := /r/a return string($i)",
            2389,
            "XQuery [query()]: 'string()' requires a singleton (or empty sequence), found operand of type 'element(a,xdt:untyped) *'",
        ),
        (
            Xml,
            "concat(\"x\", /r/b)",
            2389,
            "XQuery [query()]: 'concat()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
        (
            Xml,
            "/r/b + 1",
            2389,
            "XQuery [query()]: '+' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
    ]);
    for text in ["(/r/a)[1]", "/r[1]/a[1]", "/r[1]/@x", "string((/r/a)[1])", "count(/r/a)", "."] {
        compile(text, Scalar).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn types_are_settled_when_compiled() {
    all(&[
        (
            Xml,
            "/r/a[\"a\"]",
            2203,
            "XQuery [query()]: Only 'http://www.w3.org/2001/XMLSchema#decimal?', 'http://www.w3.org/2001/XMLSchema#boolean?' or 'node()*' expressions allowed as predicates, found 'xs:string'",
        ),
        (
            Xml,
            "if (1) then 2 else 3",
            2204,
            "XQuery [query()]: Only 'http://www.w3.org/2001/XMLSchema#boolean?' or 'node()*' expressions allowed in conditions and with logical operators, found 'xs:integer'",
        ),
        (
            Xml,
            "/r/a[\"a\"=1]",
            2234,
            "XQuery [query()]: The operator \"=\" cannot be applied to \"xs:string\" and \"xs:integer\" operands.",
        ),
        (
            Xml,
            "(/r/a, \"x\")",
            2210,
            "XQuery [query()]: Heterogeneous sequences are not allowed: found 'xs:string' and 'element(a,xdt:untyped) *'",
        ),
        (
            Xml,
            "upper-case(1)",
            2364,
            "XQuery [query()]: Cannot implicitly convert from 'xs:integer' to 'xs:string'",
        ),
        (
            Xml,
            "xs:integer(/r/a)",
            2365,
            "XQuery [query()]: Cannot explicitly convert from 'xdt:untypedAtomic *' to 'xs:integer'",
        ),
        (
            Xml,
            "xs:integer(())",
            2365,
            "XQuery [query()]: Cannot explicitly convert from 'empty' to 'xs:integer'",
        ),
        (
            Xml,
            "xs:integer(\"abc\")",
            9319,
            "XQuery [query()]: Static simple type validation: Invalid simple type value 'abc'.",
        ),
        (
            Xml,
            "number(\"12\")",
            2374,
            "XQuery [query()]: A node or set of nodes is required for number()",
        ),
        (
            Xml,
            "\"a\" + 1",
            9308,
            "XQuery [query()]: The argument of '+' must be of a single numeric primitive type or 'http://www.w3.org/2004/07/xpath-datatypes#untypedAtomic'. Found argument of type 'xs:string'.",
        ),
        (
            Xml,
            "position()",
            2371,
            "XQuery [query()]: 'position()' can only be used within a predicate or XPath selector",
        ),
        (
            Xml,
            "/r/self::x",
            2261,
            "XQuery [query()]: There is no element named 'x' in the type 'element(r,xdt:untyped)'.",
        ),
        (Xml, "/r/@a", 2396, "XQuery [query()]: Attribute may not appear outside of an element"),
        (Nodes, "<a/>", 2373, "XQuery [nodes()]: 'nodes()' is not supported with constructed XML"),
        (
            Xml,
            "let $x := <foo/> return $x",
            2373,
            "XQuery [query()]: 'let' is not supported with constructed XML",
        ),
        (
            Xml,
            "count(<a/>)",
            2373,
            "XQuery [query()]: count() is not supported with constructed XML",
        ),
        (Xml, "<a/>/b", 2373, "XQuery [query()]: '/' is not supported with constructed XML"),
        (Scalar, "<a/>", 2373, "XQuery [value()]: data() is not supported with constructed XML"),
    ]);
}

#[test]
fn names_are_resolved_when_compiled() {
    all(&[
        (Xml, "/p:a", 2229, "XQuery [query()]: The name \"p\" does not denote a namespace."),
        (
            Xml,
            "$nope",
            2227,
            "XQuery [query()]: The variable '$nope' was not found in the scope in which it was referenced.",
        ),
        (
            Xml,
            "starts-with(\"a\", \"b\")",
            2395,
            "XQuery [query()]: There is no function '{http://www.w3.org/2004/07/xpath-functions}:starts-with()'",
        ),
        (
            Xml,
            "contains(\"a\")",
            2236,
            "XQuery [query()]: There are not enough actual arguments in the call to function \"contains()\".",
        ),
        (
            Xml,
            "count(1, 2)",
            2238,
            "XQuery [query()]: Too many arguments in call to function 'count()'",
        ),
        (
            Xml,
            "1 cast as xs:nope?",
            2232,
            "XQuery [query()]: The name \"xs:nope\" does not denote a defined type.",
        ),
        (
            Exist,
            "sql:variable(\"@x\")",
            9501,
            "XQuery: Unable to resolve sql:variable('@x'). The variable must be declared as a scalar TSQL variable.",
        ),
        (
            Exist,
            "sql:variable(\"x\")",
            9519,
            "XQuery: The name supplied to sql:variable('x') is not a valid SQL variable name. Variable names must start with the '@' symbol followed by at least one character.",
        ),
    ]);
}

#[test]
fn syntax_is_checked_first() {
    all(&[
        (Xml, "/r/a[", 2209, "XQuery [query()]: Syntax error near '<eof>'"),
        (Xml, "/r/a[., .]", 9303, "XQuery [query()]: Syntax error near ',', expected ']'."),
        (
            Xml,
            "/r/",
            9341,
            "XQuery [query()]: Syntax error near '<eof>', expected a step expression.",
        ),
        (Xml, "$nope + (", 2209, "XQuery [query()]: Syntax error near '<eof>'"),
        (
            Xml,
            "for $i in /r/a $i",
            9332,
            "XQuery [query()]: Syntax error near '$i', expected 'where', '(stable) order by' or 'return'.",
        ),
        (Xml, "for $i /r return 1", 2205, "XQuery [query()]: \"in\" was expected."),
        (
            Xml,
            "some $i /r satisfies 1",
            9303,
            "XQuery [query()]: Syntax error near '/', expected 'in'.",
        ),
        (Xml, "if (1=1) 2", 9303, "XQuery [query()]: Syntax error near '2', expected 'then'."),
        (
            Xml,
            "for $i at $p in /r return 1",
            9335,
            "XQuery [query()]: The XQuery syntax 'at' is not supported.",
        ),
        (
            Xml,
            "/r/following-sibling::a",
            9335,
            "XQuery [query()]: The XQuery syntax 'following-sibling' is not supported.",
        ),
        (Xml, "/r/namespace::a", 2392, "XQuery [query()]: 'namespace::' is not a valid axis"),
        (Xml, "/r/a | /r/b", 9335, "XQuery [query()]: The XQuery syntax '|' is not supported."),
        (Xml, "1 idiv 2", 9335, "XQuery [query()]: The XQuery syntax 'idiv' is not supported."),
        (Xml, "1 to 2", 9335, "XQuery [query()]: The XQuery syntax 'to' is not supported."),
        (
            Xml,
            "/r/string()",
            9335,
            "XQuery [query()]: The XQuery syntax '/function()' is not supported.",
        ),
        (
            Xml,
            "1 cast as xs:int",
            9301,
            "XQuery [query()]: In this version of the server, 'cast as <type>' is not available. Please use the 'cast as <type> ?' syntax.",
        ),
        (Xml, "\"&x;\"", 2282, "XQuery [query()]: Invalid entity reference"),
        (
            Xml,
            "\"&lt,\"",
            2283,
            "XQuery [query()]: The character ',' may not be part of an entity reference",
        ),
        (Xml, "\"&#x;\"", 2285, "XQuery [query()]: Invalid numeric entity reference"),
        (Xml, "\"a", 2274, "XQuery [query()]: Unterminated string constant (started on line 1)"),
        (Xml, "(: a", 2340, "XQuery [query()]: Comment started on line 1 has no end"),
        (
            Xml,
            "<a x=\"b{1}\"/>",
            9313,
            "XQuery [query()]: This version of the server does not support multiple expressions or expressions mixed with strings in an attribute constructor.",
        ),
        (
            Xml,
            "element {\"a\"} {1}",
            9315,
            "XQuery [query()]: Only constant expressions are supported for the name expression of computed element and attribute constructors.",
        ),
        (
            Xml,
            "<!-- a -- b -->",
            9322,
            "XQuery [query()]: Two consecutive '-' can only appear in a comment constructor if they are used to close the comment ('-->').",
        ),
        (
            Xml,
            "<?xml a?>",
            2294,
            "XQuery [query()]: 'xml' is not allowed as a processing instruction target.",
        ),
        (
            Xml,
            "declare function local:f() { 1 }; 1",
            9335,
            "XQuery [query()]: The XQuery syntax 'declare function' is not supported.",
        ),
        (Xml, " ", 6306, "Invalid XQuery expression passed to XML data type method."),
        (
            Modify,
            "/r",
            6305,
            "XQuery data manipulation expression required in XML data type method.",
        ),
        (Modify, "insert", 2209, "XQuery [modify()]: Syntax error near '<eof>'"),
        (Modify, "(", 2209, "XQuery [modify()]: Syntax error near '<eof>'"),
    ]);
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("{}1{}", "(".repeat(200), ")".repeat(200)),
        format!("{}1", "if (1=1) then 1 else ".repeat(200)),
        format!("{}{}", "<a>".repeat(200), "</a>".repeat(200)),
        format!("{}1", "for $a in (1) return ".repeat(200)),
        format!("{}1{}", "/a[".repeat(200), "]".repeat(200)),
        format!("not{}", "(not".repeat(200)),
    ] {
        let error = compile(&text, Xml).unwrap_err();
        assert!(matches!(error.number(), 2363), "{error}: {text}");
    }
    let long = format!("1{}", " + 1".repeat(5000));
    assert_eq!(value("<a/>", &long).as_deref(), Some("5001"));
    let steps = "/a".repeat(5000);
    assert_eq!(compile(&steps, Xml).unwrap_err().number(), 2363);
}

#[test]
fn cut_and_changed_texts_never_panic() {
    let texts = [
        "declare namespace p=\"urn:p\"; for $i in /r/a[@x = 1][last()] order by $i return <o a=\"{$i}\">{$i/b}</o>",
        "insert (<a b=\"1\"/>, attribute c {\"2\"}) as first into (/r)[1]",
        "some $x in //p:*[. >= 1.5e3] satisfies contains($x, \"&lt;é\") (: c :)",
        "xs:dateTime(\"2020-01-02T03:04:05.5+01:00\") cast as xs:date? instance of xs:date?",
    ];
    for text in texts {
        for at in 0..=text.len() {
            for extra in ["", "]", "é", "<", "{", "&", "\"", "(:", "$", ":", "2", "."] {
                let Some((head, tail)) = text.split_at_checked(at) else { continue };
                for text in [format!("{head}{extra}"), format!("{head}{extra}{tail}")] {
                    for purpose in [Xml, Scalar, Modify] {
                        let _ = compile(&text, purpose);
                    }
                }
            }
        }
    }
}
