use super::*;

const R: &str = "<r><b>7</b></r>";

#[test]
fn nodes_are_inserted_where_they_belong() {
    for (document, text, expected) in [
        (R, "insert <a/> into (/r)[1]", "<r><b>7</b><a/></r>"),
        (R, "insert <a/> as first into (/r)[1]", "<r><a/><b>7</b></r>"),
        (R, "insert <a/> before (/r/b)[1]", "<r><a/><b>7</b></r>"),
        (R, "insert (<a/>, text {\"t\"}) after (/r/b)[1]", "<r><b>7</b><a/>t</r>"),
        (R, "insert /r/b into (/r)[1]", "<r><b>7</b><b>7</b></r>"),
        (R, "insert <a>{count(/r/b)}</a> into (/r)[1]", "<r><b>7</b><a>1</a></r>"),
        (R, "insert attribute x {\"1\"} into (/r/b)[1]", "<r><b x=\"1\">7</b></r>"),
        (R, "insert text {\"8\"} into (/r/b)[1]", "<r><b>78</b></r>"),
        (R, "insert <c/> into (/r/nope)[1]", R),
        ("<r/>", "insert <b/> after (/r)[1]", "<r/><b/>"),
        ("<r><a/></r>", "insert <b/> into .", "<r><a/></r><b/>"),
        ("<r b=\"1\"><c/></r>", "insert /r/@b into (/r/c)[1]", "<r b=\"1\"><c b=\"1\"/></r>"),
        (
            "<a m=\"1\" n=\"2\" o=\"3\" p=\"4\"/>",
            "insert attribute z {\"9\"} into (/a)[1]",
            "<a m=\"1\" z=\"9\" n=\"2\" o=\"3\" p=\"4\"/>",
        ),
        (
            "<a m=\"1\" n=\"2\" o=\"3\" p=\"4\"/>",
            "insert (attribute z {\"9\"}, attribute y {\"8\"}) into (/a)[1]",
            "<a m=\"1\" z=\"9\" n=\"2\" y=\"8\" o=\"3\" p=\"4\"/>",
        ),
        (
            "<r xmlns=\"urn:d\"/>",
            "declare namespace d=\"urn:d\"; insert <b/> into (/d:r)[1]",
            "<r xmlns=\"urn:d\"><b xmlns=\"\"/></r>",
        ),
        (
            "<r xmlns:p=\"urn:x\"><p:a>1</p:a></r>",
            "declare namespace p=\"urn:x\"; insert <p:b/> into (/r)[1]",
            "<r xmlns:p=\"urn:x\"><p:a>1</p:a><p:b/></r>",
        ),
    ] {
        assert_eq!(modify(document, text), expected, "{text}");
    }
}

#[test]
fn nodes_are_deleted_and_texts_meet() {
    for (document, text, expected) in [
        ("<r>a<b/>c</r>", "delete /r/b", "<r>ac</r>"),
        ("<r><a x=\"1\" y=\"2\"/><a x=\"3\"/></r>", "delete //@x", "<r><a y=\"2\"/><a/></r>"),
        ("<r><a><a/></a><b/></r>", "delete //a", "<r><b/></r>"),
        ("<r/>", "delete /r", ""),
        ("<r><a x=\"1\"/><a/></r>", "delete /r/a[@x=\"1\"]", "<r><a/></r>"),
        ("<r><a/></r>", "delete /r/nope", "<r><a/></r>"),
    ] {
        assert_eq!(modify(document, text), expected, "{text}");
    }
}

#[test]
fn values_are_replaced() {
    for (document, text, expected) in [
        (R, "replace value of (/r/b/text())[1] with \"8\"", "<r><b>8</b></r>"),
        (R, "replace value of (/r/b/text())[1] with (/r/b)[1] + 1", "<r><b>8</b></r>"),
        (R, "replace value of (/r/b/text())[1] with ()", "<r><b/></r>"),
        (R, "replace value of (/r/b/text())[1] with (1, 2)", "<r><b>1 2</b></r>"),
        ("<r a=\"1\" b=\"2\"/>", "replace value of (/r/@b)[1] with \"3\"", "<r a=\"1\" b=\"3\"/>"),
        (R, "replace value of (/r/nope/text())[1] with 1", R),
    ] {
        assert_eq!(modify(document, text), expected, "{text}");
    }
    let number = |document, text| try_modify(document, text).unwrap_err().number();
    assert_eq!(number("<r a=\"1\"/>", "replace value of (/r/@a)[1] with ()"), 6320);
    assert_eq!(number(R, "replace value of (/r/b/text())[1] with (/r/x)[1]"), 6325);
    assert_eq!(number("<r n=\"1\"/>", "insert attribute n {2} into (/r)[1]"), 6308);
}

#[test]
fn targets_are_checked_when_compiled() {
    for (text, number, message) in [
        (
            "insert <b/> into /r/a",
            2226,
            "The target of 'insert' must be a single node, found 'element(a,xdt:untyped) *'",
        ),
        (
            "insert \"abc\" into /r/a",
            2226,
            "The target of 'insert' must be a single node, found 'element(a,xdt:untyped) *'",
        ),
        (
            "insert \"s\" into (/r)[1]",
            2207,
            "Only non-document nodes can be inserted. Found \"xs:string\".",
        ),
        (
            "insert attribute n {1} before (/r)[1]",
            2258,
            "The position may not be specified when inserting an attribute node, found 'attribute(n,xdt:untypedAtomic)'",
        ),
        (
            "insert <b/> into (/r/text())[1]",
            2240,
            "The target of 'insert into' must be an element/document node, found 'text ?'",
        ),
        (
            "insert <b/> after (/r/@n)[1]",
            2249,
            "The target of 'insert before/after' must be an element/PI/comment/text node, found 'attribute(n,xdt:untypedAtomic) ?'",
        ),
        (
            "replace value of /r/a/text() with 1",
            2337,
            "The target of 'replace' must be at most one node, found 'text *'",
        ),
        (
            "replace value of (/r/a)[1] with 1",
            2356,
            "The target of 'replace value of' must be a non-metadata attribute or an element with simple typed content, found 'element(a,xdt:untyped) ?'",
        ),
        (
            "replace value of (/r/@a)[1] with <b/>",
            9310,
            "The 'with' clause of 'replace value of' cannot contain constructed XML.",
        ),
        ("replace value of (/r/@a)[1]", 2205, "\"with\" was expected."),
        (
            "delete .",
            2264,
            "Only non-document nodes may be deleted, found 'document { (element(*,xdt:untyped) ? & text ? & comment ? & processing-instruction ?) * }'",
        ),
        (
            "insert <a>{/r/b + 1}</a> into (/r)[1]",
            2389,
            "'+' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'",
        ),
    ] {
        fails(Purpose::Modify, text, number, &format!("XQuery [modify()]: {message}"));
    }
}

#[test]
fn documents_of_variables_are_inserted() {
    const OUTSIDE: Outside = Outside(&[("@n", SqlType::int())]);
    let document = read(R);
    let account = account();
    let query = compile_with(
        "insert <a>{sql:variable(\"@n\")}</a> into (/r)[1]",
        Purpose::Modify,
        &OUTSIDE,
    )
    .unwrap();
    let values = [Value::Integer(5)];
    let result = query.modify(input(&document, &values, &account)).unwrap().unwrap();
    assert_eq!(written(&result), "<r><b>7</b><a>5</a></r>");
    // What the caller passes as a document is inserted as such.
    let other = read("<x/>t");
    let query = compile_with(
        "insert <a>{sql:variable(\"@n\")}</a> into (/r)[1]",
        Purpose::Modify,
        &OUTSIDE,
    )
    .unwrap();
    let values = [Value::Xml(&other)];
    let result = query.modify(input(&document, &values, &account)).unwrap().unwrap();
    assert_eq!(written(&result), "<r><b>7</b><a><x/>t</a></r>");
}

#[test]
fn documents_do_not_become_too_deep() {
    let deep = |levels| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    let text = "insert <b/> into (//a[not(a)])[1]";
    assert!(try_modify(&deep(127), text).is_ok());
    assert_eq!(try_modify(&deep(128), text).unwrap_err().number(), 6335);
}
