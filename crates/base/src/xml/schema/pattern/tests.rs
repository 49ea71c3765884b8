use super::Pattern;

fn matches(pattern: &str, text: &str) -> bool {
    Pattern::new(pattern).unwrap_or_else(|| panic!("{pattern} is a pattern")).matches(text)
}

#[test]
fn patterns_mean_the_whole_text() {
    assert!(matches("[0-9]{5}(-[0-9]{4})?", "12345-6789"));
    assert!(!matches("[0-9]{5}", "123456"));
    assert!(matches("a|b", "b") && !matches("a|b", "ab"));
    assert!(!matches("a", "a\n"));
    assert!(matches("", ""));
}

#[test]
fn anchors_are_characters() {
    assert!(matches("^a$", "^a$") && !matches("^a$", "a"));
    assert!(matches("a#b~c&&d", "a#b~c&&d"));
    assert!(matches("[&~^$#]+", "&~^$#"));
}

#[test]
fn classes_can_be_subtracted() {
    assert!(matches("[a-z-[aeiou]]+", "xyz") && !matches("[a-z-[aeiou]]+", "xay"));
    assert!(matches("[^a-c-[x]]", "d") && !matches("[^a-c-[x]]", "x"));
    assert!(!matches("[^a-c-[x]]", "a"));
    assert!(matches("[+-]?\\d+", "-1") && matches("[a-]", "-") && matches("[-a]", "-"));
}

#[test]
fn escapes_are_those_of_xml_schema() {
    assert!(matches("\\i\\c*", "a-1.b") && !matches("\\i\\c*", "1a"));
    assert!(matches("\\p{Lu}\\P{Lu}", "Aa") && !matches("\\p{Lu}", "a"));
    assert!(matches("\\p{IsBasicLatin}+", "abc") && !matches("\\p{IsBasicLatin}+", "é"));
    assert!(matches("\\w+", "aé1") && !matches("\\w+", "a b"));
    assert!(matches("[\\d\\-x]+", "1-x") && matches(".", "é") && !matches(".", "\n"));
}

#[test]
fn what_is_no_pattern_is_refused() {
    for wrong in ["(", "a)", "[", "[]", "a**", "a{", "a{x}", "\\q", "(?i)a", "[b-a]", "]", "}", "*"]
    {
        assert!(Pattern::new(wrong).is_none(), "{wrong}");
    }
    assert!(Pattern::new("((a{1000}){1000}){1000}").is_none());
    assert!(Pattern::new(&"(".repeat(100_000)).is_none());
}
