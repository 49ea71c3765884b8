use super::selective::{Pattern, Selected, Selection, Unfit};
use super::*;
use crate::tests::{Counting, read};
use crate::{Context, Input, NoExternal, NodeShape, Purpose};
use base::pace::Unpaced;

const DOCUMENT: &str = "<a k=\"1\"><b k=\"2\">x</b><b>y<i>z</i>w<!--c--></b><c/></a>";

fn entries_of(document: &Document) -> Vec<Found> {
    let mut all = Vec::new();
    let account = base::account::Account::new(64 << 20, "default");
    entries(document, None, &account, &Unpaced, &mut |entry| {
        all.push((entry.node, entry.path.to_vec(), entry.value.to_vec(), entry.number));
        Ok(())
    })
    .unwrap();
    all
}

type Found = (u32, Vec<u8>, Vec<u8>, Option<f64>);

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
        .map(|(_, path, value, _)| (path, String::from_utf8(value).unwrap()))
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
        ("/a/b[@k!=5]", whole(&[a, b, k], None)),
        ("/a/b[xs:string(@k) = \"v\"]", whole(&[a, b, k], Some("v"))),
        ("/a/b[xs:token(@k) = \"v\"]", whole(&[a, b, k], None)),
        ("/a/b[xs:float(@k) = 5]", whole(&[a, b, k], None)),
        ("/a/b[xs:int(xs:decimal(@k)) = 5]", whole(&[a, b, k], None)),
        ("for $b in /a/b where $b/@k = \"v\" return $b", whole(&[a, b, k], Some("v"))),
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

#[test]
fn numbers_and_moments_have_bounds() {
    let within = |low: Option<f64>, high: Option<f64>| {
        let [low, high] = [low, high].map(|bound| bound.map(Limit::Number));
        Some(Sought::Within { low, high })
    };
    let (a, b, k) = ((false, "a"), (false, "b"), (true, "k"));
    let day = 864e9 * 730_000.0;
    let first = number("2020-01-01").unwrap();
    assert!((first - day).abs() < 1e18 && number("2020-01-02").unwrap() - first > 863e9);
    for (text, steps, value) in [
        ("/a/b[@k=5]", &[a, b, k][..], within(Some(5.0), Some(5.0))),
        ("/a/b[5 < @k]", &[a, b, k], within(Some(5.0), None)),
        ("/a/b[@k >= 1 and @k < 9]", &[a, b, k], within(Some(1.0), Some(9.0))),
        ("/a[b >= 1 and b < 9]", &[a, b], within(Some(1.0), None)),
        ("/a/b[xs:int(@k) le -1]", &[a, b, k], within(None, Some(-1.0))),
        ("/a/b[@k = xs:date(\"2020-01-01\")]", &[a, b, k], within(Some(first), Some(first))),
    ] {
        let expected = Condition { path: path(steps), is_whole: true, value };
        assert_eq!(query(text).condition(), Some(expected), "{text}");
    }
}

#[test]
fn numbers_are_all_that_conversions_take_for_one() {
    for (text, expected) in [
        ("", Some(0.0)),
        (" ", Some(0.0)),
        ("-", Some(0.0)),
        ("+5", Some(5.0)),
        (" \t5\n", Some(5.0)),
        ("- 5", Some(-5.0)),
        (".5", Some(0.5)),
        ("1e3", Some(1000.0)),
        ("1d3", Some(1000.0)),
        ("INF", Some(f64::MAX)),
        ("-INF", Some(f64::MIN)),
        ("NaN", None),
        ("five", None),
        ("5 6", None),
        ("\u{ff15}", None),
    ] {
        assert_eq!(number(text), expected, "{text:?}");
    }
    let long = format!("<a>{}5</a>", "0".repeat(3 * VALUE_BYTES));
    assert_eq!(entries_of(&read(&long))[0].3, Some(5.0));
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
        "/a[@k = 1]",
        "/a/b[@k > 1.5 and @k < 3]",
        "/a/b[@k div 2 = 1]",
        "for $b in //b where $b/@k >= 2 return $b",
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
        let is_it = |(_, path, value, number): &Found| {
            let fits = match condition.is_whole {
                true => *path == condition.path,
                false => path.starts_with(&condition.path),
            };
            fits && match &condition.value {
                Some(Sought::Text(text)) => value == beginning(text.as_bytes()),
                Some(Sought::Within { low, high }) => number.is_some_and(|number| {
                    let is_beyond = |limit: &Option<Limit>, is_upper: bool| match limit {
                        Some(Limit::Number(bound)) => {
                            let bound = Margin::QUERY.moved(*bound, is_upper);
                            if is_upper { number > bound } else { number < bound }
                        }
                        _ => false,
                    };
                    !is_beyond(low, false) && !is_beyond(high, true)
                }),
                _ => true,
            }
        };
        assert!(all.iter().any(is_it), "{text}: {condition:?}");
    }
}

/// A long text that is no number is not read again for each element around it.
#[test]
fn long_texts_cost_their_beginnings_alone() {
    const DEPTH: usize = 100;
    let (open, close) = ("<a>".repeat(DEPTH), "</a>".repeat(DEPTH));
    let account = base::account::Account::new(64 << 20, "default");
    let turns = |text: &str| {
        let document = read(&format!("{open}{text}{close}"));
        let turns = Counting(std::cell::Cell::new(0));
        entries(&document, None, &account, &turns, &mut |_| Ok(())).unwrap();
        turns.0.get()
    };
    let long = "text ".repeat(1 << 18);
    assert!(turns(&long) <= turns("text") + DEPTH / 10);
}

/// The values of the entries of a selection, or the number of the error.
fn selected(document: &str, paths: &[(&str, bool, Option<u32>)]) -> Result<Vec<String>, i32> {
    let made = |(path, is_singleton, max_length): &(&str, bool, Option<u32>)| Selected {
        name: (*path).into(),
        pattern: Pattern::parse(path, &[("p", "urn:p")]).unwrap(),
        is_singleton: *is_singleton,
        max_length: *max_length,
    };
    let selection = Selection { index: "i".into(), paths: paths.iter().map(made).collect() };
    let selection = Selection::decode(&selection.encode()).unwrap();
    let account = base::account::Account::new(64 << 20, "default");
    let mut found = Vec::new();
    entries(&read(document), Some(&selection), &account, &Unpaced, &mut |entry| {
        found.push(String::from_utf8(entry.value.to_vec()).unwrap());
        Ok(())
    })
    .map_err(|error| error.number())?;
    Ok(found)
}

#[test]
fn selections_have_the_nodes_of_their_paths() {
    let document = "<a k=\"1\"><b k=\"2\">x</b><c><b k=\"3\">y</b></c></a>";
    for (paths, expected) in [
        (&["/a/b"][..], &["x"][..]),
        (&["/a/b/@k", "/a/@k"], &["1", "2"]),
        (&["//b"], &["x", "y"]),
        (&["/a/*/b"], &["y"]),
        (&["/a//@k"], &["1", "2", "3"]),
        (&["/a/c//b/@k"], &["3"]),
        (&["/b", "/a/p:b"], &[]),
    ] {
        let paths: Vec<_> = paths.iter().map(|path| (*path, false, None)).collect();
        let expected: Vec<String> = expected.iter().map(|text| text.to_string()).collect();
        assert_eq!(selected(document, &paths), Ok(expected), "{paths:?}");
    }
    assert_eq!(selected(document, &[("//b", true, None)]), Err(6380));
    assert_eq!(selected(document, &[("/a/b", true, Some(1))]), Ok(vec!["x".to_string()]));
    assert_eq!(selected("<a>xy</a>", &[("/a", false, Some(1))]), Err(6389));
}

#[test]
fn patterns_are_simple_paths() {
    let parse = |path: &str| Pattern::parse(path, &[]);
    assert!(matches!(parse("/a[1]"), Err(Unfit::NotSimple)));
    assert!(matches!(parse("a/b"), Err(Unfit::NotSimple)));
    assert!(matches!(parse("1"), Err(Unfit::NotSimple)));
    assert!(matches!(parse("/a/text()"), Err(Unfit::Contains("text()"))));
    assert!(matches!(parse("/a/*"), Err(Unfit::LastStar)));
    assert!(matches!(parse("/*:a"), Err(Unfit::HalfStar)));
    assert!(matches!(parse("/a/("), Err(Unfit::Wrong(_))));
    let ab = path(&[(false, "a"), (false, "b")]);
    assert!(parse("/a/b").unwrap().covers(&ab, true) && parse("//b").unwrap().covers(&ab, true));
    assert!(parse("//b").unwrap().covers(&ab, false) && !parse("/a/b").unwrap().covers(&ab, false));
    assert!(!parse("//c/b").unwrap().covers(&ab, false));
}
