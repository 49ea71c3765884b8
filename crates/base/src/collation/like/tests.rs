use super::*;
use crate::collation::codepage::{string_to_chars, string_to_unicode};
use crate::pace::Unpaced;

fn wide(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_unicode(text, &mut out);
    out
}

fn like(name: &str, text: &str, pattern: &str, escape: Option<&str>) -> bool {
    let c = Collation::by_name(name).unwrap();
    let (t, p, e) = (wide(text), wide(pattern), escape.map(wide));
    let escape = e.as_deref().map(ValueRef::Unicode);
    let unicode = LikePattern::new(c, ValueRef::Unicode(&p), escape).unwrap();
    let by_unicode = unicode.matches(ValueRef::Unicode(&t), &Unpaced).unwrap();
    let chars = |s: &str| {
        let mut out = Vec::new();
        string_to_chars(c, s, &mut out);
        out
    };
    let (t, p, e) = (chars(text), chars(pattern), escape_bytes(escape));
    let e = e.as_deref().map(ValueRef::Chars);
    let by_chars = LikePattern::new(c, ValueRef::Chars(&p), e)
        .unwrap()
        .matches(ValueRef::Chars(&t), &Unpaced)
        .unwrap();
    assert_eq!(by_unicode, by_chars, "{text:?} LIKE {pattern:?} under {name}");
    by_chars
}

fn escape_bytes(escape: Option<ValueRef<'_>>) -> Option<Vec<u8>> {
    match escape {
        Some(ValueRef::Unicode(b)) => Some(vec![b[0]]),
        _ => None,
    }
}

const CI: &str = "SQL_Latin1_General_CP1_CI_AS";

#[test]
fn patterns_match_as_in_sql_server() {
    for (text, pattern, expected) in [
        ("abc", "abc", true),
        ("ABC", "abc", true),
        ("abc", "a%", true),
        ("abc", "%c", true),
        ("abc", "%b%", true),
        ("abc", "a_c", true),
        ("abc", "a_", false),
        ("abc", "%%%c%", true),
        ("", "%", true),
        ("", "_", false),
        ("abcabd", "%ab_", true),
        ("mississippi", "m%iss%pi", true),
        ("mississippi", "m%iss%x", false),
        ("b5", "[a-c][0-9]", true),
        ("d5", "[a-c][0-9]", false),
        ("d5", "[^a-c]5", true),
        ("a-b", "a[-]b", true),
        ("a-b", "a[x-]b", true),
        ("50%", "50[%]", true),
        ("500", "50[%]", false),
        ("a]b", "a]b", true),
        ("a[b", "a[[]b", true),
        ("a[b", "a[b", false),
        ("É", "[e-f]", true),
        ("É", "é", true),
        ("e", "é", false),
    ] {
        assert_eq!(like(CI, text, pattern, None), expected, "{text:?} LIKE {pattern:?}");
    }
    assert!(!like("Latin1_General_BIN2", "b", "[A-Z]", None));
    assert!(like("Latin1_General_CS_AS", "b", "[A-Z]", None));
    assert!(!like("Latin1_General_CS_AS", "a", "[A-Z]", None));
    assert!(like("Latin1_General_CI_AI", "é", "E", None));
    assert!(like("Latin1_General_100_CI_AS_SC_UTF8", "xéy", "X_Y", None));
}

#[test]
fn escapes_take_wildcards_literally() {
    assert!(like(CI, "50%", "50!%", Some("!")));
    assert!(!like(CI, "500", "50!%", Some("!")));
    assert!(like(CI, "a_b!", "a!_b!!", Some("!")));
    assert!(like(CI, "abc", "a!bc", Some("!")));
    assert!(!like(CI, "ab!", "ab!", Some("!")));
    let e =
        LikePattern::new(Collation::DEFAULT, ValueRef::Chars(b"x"), Some(ValueRef::Chars(b"ab")))
            .err()
            .unwrap();
    assert_eq!(e.number(), 506);
    assert_eq!(e.text(), "The invalid escape character \"ab\" was specified in a LIKE predicate.");
}

#[test]
fn trailing_blanks_are_ignored_in_chars_only() {
    let c = Collation::DEFAULT;
    let p = LikePattern::new(c, ValueRef::Chars(b"abc"), None).unwrap();
    assert!(p.matches(ValueRef::Chars(b"abc   "), &Unpaced).unwrap());
    let p = LikePattern::new(c, ValueRef::Chars(b"abc "), None).unwrap();
    assert!(!p.matches(ValueRef::Chars(b"abc"), &Unpaced).unwrap());
    let pattern = wide("abc");
    let p = LikePattern::new(c, ValueRef::Unicode(&pattern), None).unwrap();
    assert!(!p.matches(ValueRef::Unicode(&wide("abc   ")), &Unpaced).unwrap());
}

#[test]
fn supplementary_characters_are_one_or_two() {
    let text = wide("x😀y");
    for (name, pattern, expected) in [
        ("Latin1_General_100_CI_AS_SC", "x_y", true),
        ("Latin1_General_100_CI_AS", "x_y", false),
        ("Latin1_General_100_CI_AS", "x__y", true),
    ] {
        let c = Collation::by_name(name).unwrap();
        let pattern = wide(pattern);
        let p = LikePattern::new(c, ValueRef::Unicode(&pattern), None).unwrap();
        assert_eq!(p.matches(ValueRef::Unicode(&text), &Unpaced).unwrap(), expected, "{name}");
    }
}

#[test]
fn patindex_finds_the_first_match() {
    for (pattern, text, expected) in [
        ("%ter%", "interesting data", 3),
        ("%en_ure%", "Please ensure the door is locked", 8),
        ("%[^ 0-9]%", "12 a", 4),
        ("abc", "abc", 1),
        ("abc", "xabc", 0),
        ("%x%", "abc", 0),
        ("%", "", 1),
        ("%", "abc", 1),
        ("%c", "abcabc  ", 6),
        ("%b_", "abcabc", 5),
        ("%a%c%x", "abcabx", 1),
        ("%a%c%x", "abcaby", 0),
        ("%b%[^a-z]", "abcb1", 2),
    ] {
        let p = LikePattern::new(Collation::DEFAULT, ValueRef::Chars(pattern.as_bytes()), None);
        let position = p.unwrap().position(ValueRef::Chars(text.as_bytes()), &Unpaced).unwrap();
        assert_eq!(position, expected, "{pattern} in {text}");
    }
}

#[test]
fn the_prefix_ends_at_the_first_wildcard() {
    let p = LikePattern::new(
        Collation::DEFAULT,
        ValueRef::Chars(b"ab!%c%d"),
        Some(ValueRef::Chars(b"!")),
    )
    .unwrap();
    assert_eq!(p.prefix(), ValueRef::Chars(b"ab%c"));
    assert!(!p.is_literal());
    let p = LikePattern::new(Collation::DEFAULT, ValueRef::Chars(b"abc"), None).unwrap();
    assert!(p.is_literal());
}

/// `%` before what occurs everywhere took the time of text times pattern.
#[test]
fn expensive_patterns_are_matched_by_sections() {
    let c = Collation::DEFAULT;
    let pattern = format!("%{}z%b_", "a".repeat(7000));
    let p = LikePattern::new(c, ValueRef::Chars(pattern.as_bytes()), None).unwrap();
    let is_like = |text: &str| p.matches(ValueRef::Chars(text.as_bytes()), &Unpaced).unwrap();
    let many = "A".repeat(300_000);
    assert!(!is_like(&many));
    assert!(is_like(&format!("{many}z{many}bb  ")));
    assert!(!is_like(&format!("{many}z{many}b")));
    let p = LikePattern::new(c, ValueRef::Chars(b"%a%b%c%d%"), None).unwrap();
    assert_eq!(p.position(ValueRef::Chars(many.as_bytes()), &Unpaced).unwrap(), 0);
}

#[test]
fn both_ways_of_matching_agree() {
    let words = |alphabet: &[u8], len: usize| -> Vec<Vec<u8>> {
        (0..alphabet.len().pow(len as u32))
            .map(|n| {
                (0..len as u32)
                    .map(|i| alphabet[n / alphabet.len().pow(i) % alphabet.len()])
                    .collect()
            })
            .collect()
    };
    let texts: Vec<Vec<u8>> = (0..=5).flat_map(|len| words(b"ab ", len)).collect();
    for pattern in (0..=4).flat_map(|len| words(b"ab_%", len)) {
        let p = LikePattern::new(Collation::DEFAULT, ValueRef::Chars(&pattern), None).unwrap();
        for text in &texts {
            let plain = p.matches(ValueRef::Chars(text), &Unpaced).unwrap();
            let by_sections = p.text(text).matches(&p.tokens, 0, &mut Stride::new(&Unpaced));
            let shown = || (String::from_utf8_lossy(text), String::from_utf8_lossy(&pattern));
            assert_eq!(plain, by_sections.unwrap(), "{:?}", shown());
            if pattern.is_empty() || pattern.contains(&b'%') {
                continue;
            }
            for to_end in [false, true] {
                let (text, mut stride) = (p.text(text), Stride::new(&Unpaced));
                let plain = text.search(&p.tokens, 0, to_end, &mut stride).unwrap();
                let by_bits = text.search_by_bits(&p.tokens, 0, to_end, &mut stride).unwrap();
                assert_eq!(plain, by_bits, "{:?}", shown());
            }
        }
    }
}

#[test]
fn patterns_have_at_most_8000_bytes() {
    let make =
        |len: usize| LikePattern::new(Collation::DEFAULT, ValueRef::Chars(&vec![b'z'; len]), None);
    assert!(make(8000).is_ok());
    let error = make(8001).err().unwrap();
    assert_eq!((error.number(), error.state()), (8152, 10));
}
