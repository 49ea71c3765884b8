use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::collation::codepage::{string_to_chars, string_to_unicode};
use crate::collation::rules::{RULE_SETS, RuleSet};
use crate::collation::{LikePattern, compare as compare_values, equal, hash, prefix_key, sort_key};
use crate::pace::Unpaced;
use crate::value::ValueRef;

fn wide(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_unicode(text, &mut out);
    out
}

fn chars(c: Collation, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_chars(c, text, &mut out);
    out
}

fn key(c: Collation, value: ValueRef<'_>) -> Vec<u8> {
    let mut key = Vec::new();
    sort_key(c, value, &mut key);
    key
}

/// Compares, and checks keys and hashes against the outcome.
fn order_of(c: Collation, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let outcome = compare_values(c, a, b);
    let name = c.name();
    assert_eq!(compare_values(c, b, a), outcome.reverse(), "{a:?} {b:?} under {name}");
    assert_eq!(key(c, a).cmp(&key(c, b)), outcome, "keys of {a:?} {b:?} under {name}");
    assert_eq!(equal(c, a, b), outcome.is_eq());
    if outcome.is_eq() {
        assert_eq!(hash(c, a), hash(c, b), "{a:?} {b:?} under {name}");
    }
    outcome
}

fn order(name: &str, a: &str, b: &str) -> Ordering {
    let c = Collation::by_name(name).unwrap();
    let outcome = order_of(c, ValueRef::Unicode(&wide(a)), ValueRef::Unicode(&wide(b)));
    let (x, y) = (chars(c, a), chars(c, b));
    let back = |bytes: &[u8]| crate::collation::codepage::chars_to_string(c, bytes);
    // What the code page has is ordered as in Unicode.
    if back(&x) == a && back(&y) == b {
        let narrow = order_of(c, ValueRef::Chars(&x), ValueRef::Chars(&y));
        assert_eq!(narrow, outcome, "{a} {b} as varchar under {name}");
    }
    outcome
}

#[test]
fn words_are_in_the_order_of_their_language() {
    let mut wrong = Vec::new();
    for (name, words) in [
        ("Finnish_Swedish_CI_AS", "a b z å ä ö"),
        ("Finnish_Swedish_100_CS_AS", "a b z å ä ö"),
        ("Danish_Norwegian_CI_AS", "abe zebra ægir øl ål århus"),
        ("Norwegian_100_CI_AS", "z æ ø å"),
        ("Traditional_Spanish_CI_AS", "cuba curso chico dama lugar llama mano nube ñandú oso"),
        ("Modern_Spanish_CI_AS", "chico cuba curso dama llama lugar mano nube ñandú oso"),
        ("German_PhoneBook_CI_AS", "ad äf af"),
        ("Czech_CI_AS", "cena čas duben hrad chata ibis ruka řeka sen šest zeď žena"),
        ("Slovak_CI_AS", "cena čas hrad chata ibis"),
        ("Croatian_CI_AS", "cesta čaj ćup dom džep đak lopta ljeto noć njuška"),
        ("Hungarian_CI_AS", "cukor csak dél dzsem gaz gyár zebra zsír"),
        ("Polish_CI_AS", "a ą b c ć l ł o ó z ź ż"),
        ("Turkish_CI_AS", "c ç g ğ h ı i j o ö s ş u ü"),
        ("Estonian_CI_AS", "s š z ž t u v õ ä ö ü x"),
        ("Latvian_CI_AS", "c č g ģ k ķ l ļ n ņ s š z ž"),
        ("Lithuanian_CI_AS", "c č i y k s š z ž"),
        ("Icelandic_CI_AS", "a á d ð e é z þ æ ö"),
        ("Romanian_CI_AS", "a ă â i î s ș t ț"),
        ("Albanian_CI_AS", "c ç d dh e ë g gj l ll n nj r rr s sh t th x xh z zh"),
        ("Vietnamese_CI_AS", "a ă â d đ e ê o ô ơ u ư"),
        ("Welsh_100_CI_AS", "cwm chwaer dwr ddoe ffordd gwyn ngwyn lan llan"),
        ("Ukrainian_CI_AS", "г ґ д е є ж з и і ї й к"),
        ("Upper_Sorbian_100_CI_AS", "c č ć e ě h ch i"),
        ("Maltese_100_CI_AS", "ċ c ġ g h ħ ż z"),
        ("Arabic_CI_AS", "ا ب ت ث ج ح خ د ذ ر ز س ش"),
        ("Persian_100_CI_AS", "ب پ ت ج چ ح ز ژ س ک گ ل"),
        ("Hebrew_CI_AS", "א ב ג ד ה"),
        ("Thai_CI_AS", "กา เก ขา เข คา"),
        ("Japanese_CI_AS", "abc あい イヌ うま 亜 一"),
        ("Korean_Wansung_CI_AS", "가 각 간 나 다 하"),
        ("Chinese_PRC_CI_AS", "abc 啊 北 中 做"),
        ("Chinese_PRC_Stroke_CI_AS", "一 二 三 四"),
        ("Georgian_Modern_Sort_CI_AS", "ა ბ გ დ"),
        ("Indic_General_90_CI_AS", "अ आ क ख ग"),
        ("French_CI_AS", "cote coté côte côté coter"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        for pair in words.windows(2) {
            if order(name, pair[0], pair[1]).is_ge() {
                wrong.push((name, pair[0], pair[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn names_say_what_is_equal() {
    for (name, a, b, equal) in [
        ("French_CI_AS", "ÉTÉ", "été", true),
        ("French_CI_AS", "été", "ete", false),
        ("French_CI_AI", "ÉTÉ", "ete", true),
        ("French_CS_AI", "Été", "ete", false),
        ("French_CS_AI", "été", "ete", true),
        ("French_CI_AS", "cœur", "COEUR", true),
        ("French_CI_AS", "e\u{301}", "é", true),
        ("French_CI_AS", "abc  ", "abc", true),
        ("German_PhoneBook_CI_AS", "Ärger", "AERGER", true),
        ("German_PhoneBook_CI_AS", "Straße", "STRASSE", true),
        ("Danish_Norwegian_CI_AS", "Århus", "Aarhus", true),
        ("Danish_Norwegian_CI_AS", "å", "a\u{30A}", true),
        ("Danish_Norwegian_CI_AI", "å", "a", false),
        ("Turkish_CI_AS", "ı", "I", true),
        ("Turkish_CI_AS", "i", "İ", true),
        ("Turkish_CI_AS", "i", "I", false),
        ("Japanese_CI_AS", "カタカナ", "かたかな", true),
        ("Japanese_CI_AS_KS", "カタカナ", "かたかな", false),
        ("Japanese_CI_AS", "ｶﾞ", "ガ", true),
        ("Japanese_CI_AS_WS", "ｶﾞ", "ガ", false),
        ("Japanese_CI_AS", "ＡＢＣ", "abc", true),
        ("Japanese_CI_AS_WS", "ＡＢＣ", "abc", false),
        ("Japanese_CI_AS", "はは", "ばば", false),
        ("Japanese_CI_AI", "はは", "ばば", true),
        ("Japanese_CI_AS", "っ", "つ", true),
        ("Japanese_CS_AS", "っ", "つ", false),
        ("Japanese_XJIS_140_CI_AS", "葛\u{E0100}", "葛", true),
        ("Japanese_XJIS_140_CI_AS_VSS", "葛\u{E0100}", "葛", false),
        ("Japanese_XJIS_140_CI_AS_VSS", "葛\u{E0100}", "葛\u{E0101}", false),
        ("Korean_Wansung_CI_AS", "한", "\u{1112}\u{1161}\u{11AB}", true),
        ("Korean_Wansung_CI_AS", "伽", "佳", false),
        ("Czech_CI_AS", "CH", "ch", true),
        ("Czech_CI_AS", "cH", "Ch", true),
        ("Czech_CS_AS", "cH", "Ch", false),
        ("Hungarian_CI_AS", "DDzs", "ddzs", true),
        ("Czech_CS_AS", "CH", "ch", false),
        ("Traditional_Spanish_CI_AS", "LL", "ll", true),
        ("Ukrainian_CI_AS", "й", "и\u{306}", true),
        ("Ukrainian_CI_AS", "Ї", "ї", true),
        ("Arabic_CI_AS", "\u{640}", "", true),
        ("Chinese_PRC_CI_AS", "中", "种", false),
        ("Japanese_XJIS_100_CI_AS_SC", "😀", "😁", false),
    ] {
        assert_eq!(order(name, a, b).is_eq(), equal, "{a} and {b} under {name}");
    }
}

/// Of each rule set, a collation that distinguishes all and one that distinguishes little.
fn samples() -> Vec<Collation> {
    let mut found: HashMap<(u8, bool), Collation> = HashMap::new();
    for c in Collation::all() {
        let (info, flags) = (c.info(), c.info().flags);
        let Some(rules) = info.rules else { continue };
        let strict = !flags.ignores_case() && !flags.ignores_kana() && !flags.ignores_width();
        let loose = flags.ignores_case() && flags.ignores_accents() && flags.ignores_kana();
        if (strict && !flags.ignores_accents()) || loose {
            found.entry((rules as u8, strict)).or_insert(c);
        }
    }
    assert_eq!(found.len(), 2 * RULE_SETS);
    let mut all: Vec<Collation> = found.into_values().collect();
    all.push(Collation::by_name("Japanese_XJIS_140_CS_AI_VSS").unwrap());
    all.sort_by_key(|c| c.0);
    all
}

/// A half-width sound mark is a mark in another width. Its flags were put into keys, but no
/// comparison looks at the third level of marks, so that equal strings had two keys.
#[test]
fn marks_have_no_third_level() {
    for name in ["Japanese_CI_AS_WS", "Japanese_CS_AS_KS_WS"] {
        assert_eq!(order(name, "ナ\u{3099}", "ナ\u{FF9E}"), Ordering::Equal, "{name}");
    }
}

#[test]
fn keys_of_characters_are_equal_where_they_are() {
    for rules in [RuleSet::Root, RuleSet::Japanese, RuleSet::Hungarian] {
        let c = samples().into_iter().find(|c| c.info().rules == Some(rules)).unwrap();
        let (rules, strength) = (rules.rules(), Strength::of(c));
        let mut by_key: HashMap<u64, u16> = HashMap::new();
        for unit in 0..0xD800u16 {
            let text = unit.to_le_bytes();
            let sort = key(c, ValueRef::Unicode(&text));
            // Blanks that end a string, and what has no weight.
            if sort.is_empty() {
                continue;
            }
            let other = *by_key.entry(character_key(rules, strength, unit)).or_insert(unit);
            let other = key(c, ValueRef::Unicode(&other.to_le_bytes()));
            assert_eq!(sort, other, "{unit:04X} under {}", c.name());
        }
    }
}

#[test]
fn contractions_are_searched_letter_by_letter() {
    for (name, text, pattern, expected) in [
        ("Traditional_Spanish_CI_AS", "chico", "c%", true),
        ("Traditional_Spanish_CI_AS", "chico", "%h%", true),
        ("Danish_Norwegian_CI_AS", "Aarhus", "aa%", true),
        ("Turkish_CI_AS", "IŞIK", "ışık", true),
        ("Turkish_CI_AS", "ISPARTA", "i%", false),
        ("Japanese_CI_AS", "カタカナ", "か_か_", true),
        ("Japanese_CI_AS", "日本語", "日%", true),
        ("Japanese_BIN", "日本語", "日_語", true),
    ] {
        let c = Collation::by_name(name).unwrap();
        let (t, p) = (wide(text), wide(pattern));
        let like = LikePattern::new(c, ValueRef::Unicode(&p), None).unwrap();
        assert_eq!(like.matches(ValueRef::Unicode(&t), &Unpaced).unwrap(), expected, "{name}");
        let (t, p) = (chars(c, text), chars(c, pattern));
        let like = LikePattern::new(c, ValueRef::Chars(&p), None).unwrap();
        assert_eq!(like.matches(ValueRef::Chars(&t), &Unpaced).unwrap(), expected, "{name}");
    }
}

#[test]
fn keys_begin_with_those_of_prefixes() {
    for c in samples() {
        for (prefix, text) in [
            ("abcdef", "abcdefgh"),
            ("c", "ch"),
            ("ddz", "ddzs"),
            ("xyl", "xylly"),
            ("resume", "resume\u{301}"),
            ("ra", "ra\u{30A}"),
            ("a b  ", "a b  c"),
            ("abcdef   ", "abcdef      "),
            ("日", "日本"),
        ] {
            for is_wide in [true, false] {
                let (p, t) = match is_wide {
                    true => (wide(prefix), wide(text)),
                    false => (chars(c, prefix), chars(c, text)),
                };
                let value = |bytes| match is_wide {
                    true => ValueRef::Unicode(bytes),
                    false => ValueRef::Chars(bytes),
                };
                let mut low = Vec::new();
                prefix_key(c, value(&p), &mut low);
                assert!(key(c, value(&t)).starts_with(&low), "{prefix:?} under {}", c.name());
            }
        }
    }
}

/// What LIKE takes for the prefix may have other letters, which are no contraction.
#[test]
fn contractions_are_no_part_of_keys_of_prefixes() {
    let c = Collation::by_name("Traditional_Spanish_CI_AI").unwrap();
    for (pattern, prefix, text) in [
        ("chalupas%", "chalupas", "çhalupas"),
        ("chalupas%", "chalupas", "ｃｈalupas"),
        ("caballos%", "caballos", "çaballos"),
    ] {
        let (pattern, prefix, text) = (wide(pattern), wide(prefix), wide(text));
        let like = LikePattern::new(c, ValueRef::Unicode(&pattern), None).unwrap();
        assert!(like.matches(ValueRef::Unicode(&text), &Unpaced).unwrap());
        let mut low = Vec::new();
        prefix_key(c, ValueRef::Unicode(&prefix), &mut low);
        assert!(key(c, ValueRef::Unicode(&text)).starts_with(&low));
    }
    let mut low = Vec::new();
    prefix_key(c, ValueRef::Unicode(&wide("caballos")), &mut low);
    assert_eq!(low.len(), 8, "the four letters before the contraction have two bytes each");
}

/// Letters that languages treat in a way of their own, and others.
fn text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "A",
        "b",
        "c",
        "C",
        "h",
        "H",
        "d",
        "dz",
        "DZ",
        "s",
        "S",
        "z",
        "l",
        "L",
        "i",
        "I",
        "ı",
        "İ",
        "é",
        "e",
        "\u{301}",
        "\u{30A}",
        "\u{327}",
        "å",
        "Å",
        "ä",
        "Ä",
        "ß",
        "æ",
        "ø",
        "ñ",
        "č",
        "ǆ",
        "ǅ",
        " ",
        "-",
        "'",
        "1",
        "٣",
        "カ",
        "か",
        "ｶ",
        "ﾞ",
        "ガ",
        "っ",
        "日",
        "本",
        "한",
        "\u{1112}",
        "\u{1161}",
        "\u{11AB}",
        "เ",
        "ก",
        "ໂ",
        "ກ",
        "я",
        "й",
        "\u{306}",
        "ب",
        "\u{64E}",
        "क",
        "\u{FE00}",
        "\u{E0100}",
        "😀",
        "\u{200D}",
        "\u{0}",
        "\u{1}",
        "\u{FFFF}",
        "½",
        "ﬁ",
        "Ａ",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..6).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn keys_and_hashes_agree_with_comparison(a in text(), b in text(), d in text()) {
        let words = [wide(&a), wide(&b), wide(&d)];
        for c in samples() {
            let mut sorted = words.clone();
            sorted.sort_by(|x, y| order_of(c, ValueRef::Unicode(x), ValueRef::Unicode(y)));
            let (first, last) = (ValueRef::Unicode(&sorted[0]), ValueRef::Unicode(&sorted[2]));
            prop_assert!(compare_values(c, first, last).is_le());
            let (x, y) = (chars(c, &a), chars(c, &b));
            order_of(c, ValueRef::Chars(&x), ValueRef::Chars(&y));
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm(a in prop::collection::vec(any::<u8>(), 0..12)) {
        for name in ["Japanese_CI_AS", "Chinese_PRC_BIN2", "Korean_90_CS_AS", "Thai_CI_AS",
            "Chinese_Taiwan_Stroke_CI_AI", "Vietnamese_100_CI_AS_SC_UTF8"] {
            let c = Collation::by_name(name).unwrap();
            order_of(c, ValueRef::Chars(&a), ValueRef::Chars(b"x"));
            if a.len() % 2 == 0 {
                order_of(c, ValueRef::Unicode(&a), ValueRef::Unicode(b"x\0"));
            }
            let pieces: Vec<u8> =
                crate::collation::codepage::pieces(c, ValueRef::Chars(&a)).flatten().copied().collect();
            prop_assert_eq!(&pieces, &a);
        }
    }
}
