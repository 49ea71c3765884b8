use super::*;

#[test]
fn every_word_is_found_in_any_case() {
    for &(text, keyword) in RESERVED.iter().chain(CONTEXTUAL) {
        assert_eq!(Keyword::find(text.as_bytes()), keyword);
        assert_eq!(Keyword::find(text.to_lowercase().as_bytes()), keyword, "{text}");
    }
    assert_eq!(Keyword::find(b"customer"), Keyword::None);
    assert_eq!(Keyword::find(b""), Keyword::None);
    assert_eq!(Keyword::find(&[b'a'; 200]), Keyword::None);
}

#[test]
fn reserved_words_are_those_of_sql_server() {
    for word in ["select", "Percent", "user", "CURRENT_DATE", "try_convert", "lineno"] {
        assert!(is_reserved(word), "{word}");
    }
    for word in ["date", "name", "type", "value", "status", "offset", "first", "action", "go"] {
        assert!(!is_reserved(word), "{word}");
    }
    assert!(reserved_words().all(is_reserved));
}
