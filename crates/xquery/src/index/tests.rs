use super::*;
use crate::tests::read;
use crate::{Context, Input, NoExternal, NodeShape, Purpose};
use base::pace::Unpaced;

const DOCUMENT: &str = "<a k=\"1\"><b k=\"2\">x</b><b>y<i>z</i>w<!--c--></b><c/></a>";

fn entries_of(document: &Document) -> Vec<(u32, Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    entries(document, &Unpaced, &mut |entry| {
        all.push((entry.node, entry.path.to_vec(), entry.value.to_vec()));
        Ok(())
    })
    .unwrap();
    all
}

fn path(steps: &[(bool, &str)]) -> Vec<u8> {
    steps.iter().rev().flat_map(|(attribute, name)| step_number(*attribute, "", name)).collect()
}

fn query(text: &str) -> Query {
    let shape = NodeShape::default();
    let external = &NoExternal;
    let (receiver, shape) = ("exist()", &shape);
    let context = Context { receiver, namespaces: &[], external, shape, is_checked: false };
    Query::compile(text, Purpose::Exist, &context).unwrap()
}

#[test]
fn entries_are_elements_attributes_and_pieces_of_text() {
    let document = read(DOCUMENT);
    let found: Vec<(Vec<u8>, String)> = entries_of(&document)
        .into_iter()
        .map(|(_, path, value)| (path, String::from_utf8(value).unwrap()))
        .collect();
    let b = path(&[(false, "a"), (false, "b")]);
    let expected = [
        (path(&[(false, "a")]), "xyzw"),
        (path(&[(false, "a"), (true, "k")]), "1"),
        (b.clone(), "x"),
        (path(&[(false, "a"), (false, "b"), (true, "k")]), "2"),
        (b.clone(), "yzw"),
        (b.clone(), "y"),
        (path(&[(false, "a"), (false, "b"), (false, "i")]), "z"),
        (b, "w"),
        (path(&[(false, "a"), (false, "c")]), ""),
    ];
    assert_eq!(found, expected.map(|(path, value)| (path, value.to_owned())));
}

#[test]
fn long_values_are_cut() {
    let document = read(&format!("<a>{}</a>", "é".repeat(VALUE_BYTES)));
    assert_eq!(entries_of(&document)[0].2, beginning("é".repeat(VALUE_BYTES).as_bytes()));
}

#[test]
fn conditions_are_the_most_telling() {
    let whole = |steps: &[(bool, &str)], value: Option<&str>| {
        let value = value.map(|text| Sought::Text(text.into()));
        Some(Condition { path: path(steps), is_whole: true, value })
    };
    let end = |steps: &[(bool, &str)], value: Option<&str>| {
        whole(steps, value).map(|condition| Condition { is_whole: false, ..condition })
    };
    let (a, b, k) = ((false, "a"), (false, "b"), (true, "k"));
    for (text, expected) in [
        ("/a/b[@k=\"v\"]", whole(&[a, b, k], Some("v"))),
        ("/a[b/@k=\"v\"]/b", whole(&[a, b, k], Some("v"))),
        ("(/a/b)[. = \"v\"]", whole(&[a, b], Some("v"))),
        ("/a/b[text() = \"v\"][@k]", whole(&[a, b], Some("v"))),
        ("/a/b[\"v\" eq @k and . = \"w\"]", whole(&[a, b, k], Some("v"))),
        ("//b[@k=\"v\"]", end(&[b, k], Some("v"))),
        ("/a//b/@k", end(&[b, k], None)),
        ("/a/*/@k", end(&[k], None)),
        ("/a/b[@k=5]", whole(&[a, b, k], None)),
        ("/a/b[@k=\"v\" or @k=\"w\"]", whole(&[a, b], None)),
        ("/a[not(b)]", whole(&[a], None)),
        ("/a/b/../b[@k=\"v\"]", whole(&[a, b], None)),
        ("/a/b = \"v\"", None),
        ("//*", None),
        ("1", None),
    ] {
        assert_eq!(query(text).condition(), expected, "{text}");
    }
}

/// N1, for queries that find something.
#[test]
fn documents_that_are_found_have_an_entry_for_the_condition() {
    let document = read(DOCUMENT);
    let account = base::account::Account::new(64 << 20, "default");
    let all = entries_of(&document);
    for text in [
        "/a[@k=\"1\"]",
        "/a/b[@k=\"2\"]",
        "/a/b[.=\"yzw\"]",
        "/a/b[text()=\"w\"]",
        "/a/b/text()[.=\"x\"]",
        "//b[i=\"z\"]",
        "//i",
        "/a[b=\"x\" and c]",
        "/*/c",
        "(//b)[2]/i",
        "/a[.=\"xyzw\"]",
    ] {
        let query = query(text);
        let input = Input {
            document: &document,
            node: Document::ROOT,
            externals: &[],
            account: &account,
            pace: &Unpaced,
        };
        assert!(query.exist(input).unwrap(), "{text}");
        let condition = query.condition().unwrap();
        let is_it = |(_, path, value): &(u32, Vec<u8>, Vec<u8>)| {
            let fits = match condition.is_whole {
                true => *path == condition.path,
                false => path.starts_with(&condition.path),
            };
            fits && match &condition.value {
                Some(Sought::Text(text)) => value == beginning(text.as_bytes()),
                _ => true,
            }
        };
        assert!(all.iter().any(is_it), "{text}: {condition:?}");
    }
}
