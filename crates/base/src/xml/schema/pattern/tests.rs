use super::Pattern;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, Stride, Unpaced};

fn matches(pattern: &str, text: &str) -> bool {
    let found = Pattern::new(pattern).unwrap_or_else(|| panic!("{pattern} is a pattern"));
    found.matches(text, &mut Stride::new(&Unpaced)).expect("nothing stops it")
}

#[test]
fn patterns_mean_the_whole_text() {
    assert!(matches("[0-9]{5}(-[0-9]{4})?", "12345-6789"));
    assert!(!matches("[0-9]{5}", "123456"));
    assert!(matches("a|b", "b") && !matches("a|b", "ab"));
    assert!(matches("a|ab|abc", "abc") && matches("(a|ab)(c|bcd)?", "abcd"));
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

struct Stopped;

impl Pace for Stopped {
    fn pace(&self) -> SqlResult<()> {
        Err(SqlError::new(&message::OUT_OF_MEMORY, &[]))
    }
}

/// A long text was matched in one go, by up to tens of thousands of states for each byte.
#[test]
fn a_long_match_asks_whether_to_go_on() {
    let pattern = Pattern::new("([a-z]{1,200}b){1,40}").expect("it is a pattern");
    let text = "ab".repeat(500);
    assert!(pattern.matches("ab", &mut Stride::new(&Stopped)).is_ok());
    assert!(pattern.matches(&text, &mut Stride::new(&Stopped)).is_err());
    assert!(pattern.matches(&text, &mut Stride::new(&Unpaced)).is_ok());
}
