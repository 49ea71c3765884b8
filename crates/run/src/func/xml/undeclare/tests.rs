use base::Arena;
use ir::function::facts::FnContext;

use super::undeclared;
use crate::func::testing::TestSession;

fn check(text: &str, expected: &str) {
    let arena = Arena::new();
    let facts = TestSession::default();
    let ctx = FnContext { arena: &arena, facts: &facts, task: None, memo: None };
    let found = undeclared(&ctx, text.as_bytes()).expect("there is memory");
    assert_eq!(std::str::from_utf8(found), Ok(expected), "{text}");
}

#[test]
fn only_outermost_elements_of_no_namespace_say_so() {
    for (text, expected) in [
        ("", ""),
        ("a &lt; b", "a &lt; b"),
        ("<a/>", "<a xmlns=\"\"/>"),
        ("<a k=\"1\"><b/></a><c/>", "<a xmlns=\"\" k=\"1\"><b/></a><c xmlns=\"\"/>"),
        ("<a xmlns=\"u\"><b/></a><c/>", "<a xmlns=\"u\"><b/></a><c xmlns=\"\"/>"),
        ("<a xmlns=\"u\"/><c/>", "<a xmlns=\"u\"/><c xmlns=\"\"/>"),
        (
            "<p:a xmlns:p=\"u\"><b><c/></b><b/></p:a>",
            "<p:a xmlns:p=\"u\"><b xmlns=\"\"><c/></b><b xmlns=\"\"/></p:a>",
        ),
        ("<!--<x>--><?x <y>?><a/>", "<!--<x>--><?x <y>?><a xmlns=\"\"/>"),
        ("<a k=\"/>\" l=\" xmlns=\"/>", "<a xmlns=\"\" k=\"/>\" l=\" xmlns=\"/>"),
        ("<a k=\"x>y\"><b/></a>t", "<a xmlns=\"\" k=\"x>y\"><b/></a>t"),
    ] {
        check(text, expected);
    }
}
