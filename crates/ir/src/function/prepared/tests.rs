use std::collections::BTreeMap;

use base::Unpaced;
use base::account::Account;
use base::xml::{Document, NodeKind, parse_value};

use super::{PreparedDocument, PreparedDocuments};

fn prepared(text: &str, declared: &[&str]) -> PreparedDocument {
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is XML");
    let declaration = declared.iter().map(|name| ((*name).into(), "1.0".into())).collect();
    let account = Account::new(usize::MAX, "tests");
    PreparedDocument::new(document, declaration, BTreeMap::new(), &account, &Unpaced)
        .expect("there is memory")
}

/// The numbers of all nodes in the order of an edge table: those of texts of attributes after
/// theirs.
fn numbers(text: &str, declared: &[&str]) -> Vec<u32> {
    let prepared = prepared(text, declared);
    let document = prepared.document();
    let mut found = Vec::new();
    for node in document.nodes().skip(1) {
        found.push(prepared.number(node));
        if matches!(document.kind(node), NodeKind::Attribute | NodeKind::Namespace) {
            found.push(prepared.text_number(node));
        }
    }
    found
}

#[test]
fn texts_of_attributes_are_numbered_last() {
    let text = "<root x='9'><a id='1'>txt</a><a id='2'/></root>";
    assert_eq!(numbers(text, &[]), [0, 2, 8, 3, 4, 9, 5, 6, 7, 10]);
}

#[test]
fn text_that_is_all_of_an_element_waits() {
    let text = "<root><c id='1'><o n='2'>x</o></c><c id='3'><n>inner</n></c></root>";
    assert_eq!(numbers(text, &[]), [0, 2, 3, 10, 4, 5, 11, 6, 7, 8, 12, 9, 13]);
}

#[test]
fn text_at_the_beginning_comes_after_what_follows_it() {
    assert_eq!(numbers("<root>t1<b/>t2<c/></root>", &[]), [0, 3, 2, 4, 5]);
    assert_eq!(numbers("<r>t<b x='1'>u<c/></b></r>", &[]), [0, 3, 2, 4, 7, 5, 6]);
}

#[test]
fn what_stands_before_the_element_is_numbered_from_one() {
    assert_eq!(numbers("<!--c--><r><a/></r>", &[]), [1, 0, 3]);
    assert_eq!(numbers("<r><a/></r>", &["version"]), [0, 4]);
    let prepared = prepared("<r/>", &["version", "encoding"]);
    assert_eq!(prepared.declaration_text_number(1), 5);
    assert_eq!(prepared.declaration_text_number(0), 6);
    assert_eq!(prepared.declaration_text_number(1), 5, "it stays");
}

#[test]
fn handles_are_odd_and_given_once() {
    let documents = PreparedDocuments::default();
    let add = || documents.add(prepared("<r/>", &[])).expect("there are handles");
    assert_eq!([add(), add(), add()], [1, 3, 5]);
    assert!(documents.remove(3));
    assert!(!documents.remove(3));
    assert!(documents.get(3).is_none());
    assert_eq!(add(), 7);
    let first = documents.get(1).expect("it is kept");
    assert_eq!(first.document().kind(Document::ROOT.next()), NodeKind::Element);
}

#[test]
fn documents_are_charged_while_they_are_kept() {
    let account = Account::new(10 << 10, "tests");
    let documents = PreparedDocuments::default();
    let add = || {
        let document = parse_value(b"<r/>", None, &Unpaced)?;
        documents.add(PreparedDocument::new(
            document,
            Vec::new(),
            BTreeMap::new(),
            &account,
            &Unpaced,
        )?)
    };
    assert_eq!(add().expect("there is room"), 1);
    assert_eq!(add().expect("there is room"), 3);
    assert_eq!(add().expect_err("there is no room").number(), 701);
    assert!(documents.remove(1));
    assert_eq!(add().expect("there is room again"), 5);
    drop(documents);
    assert_eq!(account.used(), 0);
}

#[test]
fn prefixes_stand_for_what_was_declared() {
    let account = Account::new(usize::MAX, "tests");
    let document = parse_value(b"<r/>", None, &Unpaced).expect("it is XML");
    let namespaces = BTreeMap::from([("p".into(), "urn:p".into())]);
    let prepared = PreparedDocument::new(document, Vec::new(), namespaces, &account, &Unpaced)
        .expect("there is memory");
    assert_eq!(prepared.namespace("p").as_deref(), Some("urn:p"));
    assert_eq!(prepared.namespace("mp").as_deref(), Some(super::PROPERTIES));
    assert_eq!(prepared.namespace("q"), None);
}
