use base::xml::Builder;

use super::*;

fn document() -> Arc<Document> {
    Arc::new(Builder::new(None).finish())
}

#[test]
fn documents_are_found_until_others_take_their_room() {
    let documents = Documents::default();
    let first = documents.keep(None, b"a", document(), None).unwrap();
    let second = documents.keep(None, b"b", document(), None).unwrap();
    assert_ne!(first, second);
    assert_eq!(documents.of_text(b"a").unwrap().0, first);
    assert!(documents.of_text(b"c").is_none());
    for other in 0..KEPT - 1 {
        documents.keep(None, other.to_string().as_bytes(), document(), None).unwrap();
        assert!(documents.numbered(first).is_some(), "it was used last");
    }
    assert!(documents.numbered(second).is_none());
    assert_eq!(documents.keep(Some(second), b"b", document(), None).unwrap(), second);
    assert_eq!(documents.of_text(b"b").unwrap().0, second);
    documents.clear();
    assert!(documents.numbered(first).is_none());
    assert!(documents.keep(None, b"a", document(), None).unwrap() > second);
}
