use proptest::prelude::*;

use super::*;
use crate::collation::codepage::{string_to_chars, string_to_unicode};

fn collation(name: &str) -> Collation {
    Collation::by_name(name).unwrap()
}

fn chars(c: Collation, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_chars(c, text, &mut out);
    out
}

fn wide(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_unicode(text, &mut out);
    out
}

/// Compares both as char and as nchar, and checks the keys and hashes against the outcome.
fn order(c: Collation, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let outcome = compare(c, a, b);
    assert_eq!(compare(c, b, a), outcome.reverse(), "{a:?} {b:?} under {}", c.name());
    let key = |v| {
        let mut key = Vec::new();
        sort_key(c, v, &mut key);
        key
    };
    assert_eq!(key(a).cmp(&key(b)), outcome, "keys of {a:?} {b:?} under {}", c.name());
    assert_eq!(equal(c, a, b), outcome.is_eq());
    if outcome.is_eq() {
        assert_eq!(hash(c, a), hash(c, b), "{a:?} {b:?} under {}", c.name());
    }
    outcome
}

fn order_unicode(name: &str, a: &str, b: &str) -> Ordering {
    order(collation(name), ValueRef::Unicode(&wide(a)), ValueRef::Unicode(&wide(b)))
}

fn order_chars(name: &str, a: &str, b: &str) -> Ordering {
    let c = collation(name);
    order(c, ValueRef::Chars(&chars(c, a)), ValueRef::Chars(&chars(c, b)))
}

const SQL_CI: &str = "SQL_Latin1_General_CP1_CI_AS";

#[test]
fn sensitivities_decide_equality() {
    for (name, a, b, equal) in [
        (SQL_CI, "abc", "ABC", true),
        (SQL_CI, "abc", "abc   ", true),
        (SQL_CI, "", "   ", true),
        (SQL_CI, "é", "e", false),
        (SQL_CI, "É", "é", true),
        ("SQL_Latin1_General_CP1_CS_AS", "abc", "ABC", false),
        ("Latin1_General_CI_AI", "résumé", "RESUME", true),
        ("Latin1_General_CI_AS", "résumé", "RESUME", false),
        ("Latin1_General_CS_AI", "résumé", "Resume", false),
        ("Latin1_General_CS_AI", "résumé", "resume", true),
        ("Latin1_General_BIN2", "a", "A", false),
        ("Latin1_General_BIN2", "a", "a  ", true),
        ("Latin1_General_100_CI_AS_SC_UTF8", "ÀB", "àb", true),
        ("Latin1_General_CI_AS", "ﬁn", "fin", true),
        ("Latin1_General_CI_AS", "ＡＢ", "ab", true),
        ("Latin1_General_CI_AS_WS", "ＡＢ", "ab", false),
        ("Latin1_General_CI_AS", "カ", "か", true),
        ("Latin1_General_CI_AS_KS", "カ", "か", false),
        ("Latin1_General_CI_AS", "e\u{301}", "é", true),
        ("Latin1_General_CI_AS", "ế", "e\u{302}\u{301}", true),
        ("Latin1_General_CI_AI", "Ø", "o", true),
    ] {
        assert_eq!(order_unicode(name, a, b).is_eq(), equal, "{a} and {b} under {name}");
    }
    // The old sort orders compare code-page strings letter by letter.
    assert!(order_unicode(SQL_CI, "straße", "STRASSE").is_eq());
    assert!(order_chars(SQL_CI, "straße", "STRASSE").is_ne());
    assert!(order_chars("Latin1_General_CI_AS", "straße", "STRASSE").is_eq());
}

#[test]
fn linguistic_order_is_blank_punctuation_digits_letters() {
    let words = [
        "", " a", "-a", "!a", "_a", "1", "10", "2", "a", "á", "ab", "áb", "ac", "B", "c", "ç", "d",
        "z", "é1", "α", "я",
    ];
    for name in [SQL_CI, "Latin1_General_CI_AS", "Latin1_General_100_CI_AS_SC"] {
        let mut sorted: Vec<&str> = words.to_vec();
        sorted.sort_by(|a, b| order_unicode(name, a, b));
        let expected = [
            "", " a", "-a", "!a", "_a", "1", "10", "2", "a", "á", "ab", "áb", "ac", "B", "c", "ç",
            "d", "é1", "z", "α", "я",
        ];
        assert_eq!(sorted, expected, "{name}");
    }
}

#[test]
fn case_breaks_ties_last() {
    let name = "Latin1_General_CS_AS";
    assert!(order_unicode(name, "a", "A").is_lt());
    assert!(order_unicode(name, "A", "á").is_lt());
    assert!(order_unicode(name, "Ab", "ac").is_lt());
    // The SQL sort orders put upper case first.
    assert!(order_chars("SQL_Latin1_General_CP1_CS_AS", "A", "a").is_lt());
    assert!(order_chars("SQL_Latin1_General_CP1_CS_AS", "a", "B").is_lt());
    // Their punctuation is in the order of the code page.
    assert!(order_chars(SQL_CI, "+", "_").is_lt());
    assert!(order_unicode(SQL_CI, "+", "_").is_gt());
}

#[test]
fn binary_collations_pad_with_blanks() {
    for name in ["Latin1_General_BIN2", "Latin1_General_100_BIN2_UTF8"] {
        for (a, b, expected) in [
            ("a\t", "a", Ordering::Less),
            ("a", "a ", Ordering::Equal),
            ("a \t", "a", Ordering::Less),
            ("a \t", "a\t", Ordering::Greater),
            ("a !", "a", Ordering::Greater),
            ("a !", "a!", Ordering::Less),
            ("a  x", "a x", Ordering::Less),
            ("B", "a", Ordering::Less),
            ("ÿþý", "ÿþ", Ordering::Greater),
        ] {
            assert_eq!(order_chars(name, a, b), expected, "{a:?} {b:?} under {name}");
            assert_eq!(order_unicode(name, a, b), expected, "{a:?} {b:?} under {name}");
        }
    }
    let long = format!("a{}\t", " ".repeat(700));
    assert!(order_chars("Latin1_General_BIN2", &long, "a").is_lt());
    assert!(order_chars("Latin1_General_BIN2", &long, "a \t").is_gt());
}

#[test]
fn ascii_keys_are_one_byte_a_letter() {
    let mut key = Vec::new();
    sort_key(Collation::DEFAULT, ValueRef::Chars(b"Order 12"), &mut key);
    assert_eq!(key.len(), 8);
}

#[test]
fn prefix_keys_begin_the_keys_of_what_begins_so() {
    for c in Collation::all() {
        for (prefix, text) in
            [("ab", "abc"), ("a ", "a"), ("Ab", "aBc d"), ("é", "éa"), ("a  ", "a  x")]
        {
            let (prefix, text) = if c.info().flags.is_binary() {
                (prefix.to_lowercase(), text.to_lowercase())
            } else {
                (prefix.to_string(), text.to_string())
            };
            let (mut low, mut key) = (Vec::new(), Vec::new());
            prefix_key(c, ValueRef::Unicode(&wide(&prefix)), &mut low);
            sort_key(c, ValueRef::Unicode(&wide(&text)), &mut key);
            assert!(key.starts_with(&low), "{prefix} {text} under {}", c.name());
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::sample::select(vec!['a', 'A', 'b', 'B', 's', ' ', ' ', '\t', '-', '1']),
        2 => prop::sample::select(vec![
            'é', 'É', 'ß', 'æ', 'Æ', 'ñ', 'ø', '\u{301}', '\u{308}', 'я', 'Я', 'カ', 'か', 'ａ',
            '日', '😀', '\u{FFFD}', '\u{FFFF}', '\0', 'ÿ', 'þ',
        ]),
        1 => any::<char>(),
    ];
    prop::collection::vec(c, 0..6).prop_map(|v| v.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn keys_hashes_and_comparison_agree(a in text(), b in text(), c in 1u16..=66) {
        let c = Collation(c);
        order(c, ValueRef::Unicode(&wide(&a)), ValueRef::Unicode(&wide(&b)));
        order(c, ValueRef::Chars(&chars(c, &a)), ValueRef::Chars(&chars(c, &b)));
    }

    #[test]
    fn arbitrary_bytes_have_an_order(a in prop::collection::vec(any::<u8>(), 0..8),
                                     b in prop::collection::vec(any::<u8>(), 0..8), c in 1u16..=66) {
        let c = Collation(c);
        order(c, ValueRef::Chars(&a), ValueRef::Chars(&b));
        let (a, b) = (&a[..a.len() & !1], &b[..b.len() & !1]);
        order(c, ValueRef::Unicode(a), ValueRef::Unicode(b));
    }

    #[test]
    fn comparison_is_transitive(a in text(), b in text(), d in text(), c in 1u16..=66) {
        let c = Collation(c);
        let mut all = [wide(&a), wide(&b), wide(&d)];
        all.sort_by(|x, y| compare_unicode(c, x, y));
        prop_assert!(compare_unicode(c, &all[0], &all[2]).is_le());
    }
}
