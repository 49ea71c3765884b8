use super::*;
use crate::collation::codepage::{chars_to_string, string_to_chars};

fn changed(case: Case, collation: Collation, text: &str) -> String {
    let mut bytes = Vec::new();
    string_to_chars(collation, text, &mut bytes);
    let mut out = Vec::new();
    change_case(case, collation, ValueRef::Chars(&bytes), &mut out);
    chars_to_string(collation, &out)
}

#[test]
fn letters_change_case_within_their_code_page() {
    let c = Collation::DEFAULT;
    assert_eq!(changed(Case::Upper, c, "abc éß ÿ µ 1"), "ABC Éß Ÿ µ 1");
    assert_eq!(changed(Case::Lower, c, "ABC ÉŸ"), "abc éÿ");
    let cyrillic = Collation::by_name("Cyrillic_General_CI_AS").unwrap();
    assert_eq!(changed(Case::Upper, cyrillic, "жук"), "ЖУК");
    assert_eq!(changed(Case::Upper, Collation::LATIN1_BIN2_UTF8, "éя😀ß"), "ÉЯ😀ß");
}

#[test]
fn utf_16_changes_unit_by_unit() {
    let mut wide = Vec::new();
    codepage::string_to_unicode("aé😀ß", &mut wide);
    let mut out = Vec::new();
    change_case(Case::Upper, Collation::DEFAULT, ValueRef::Unicode(&wide), &mut out);
    assert_eq!(codepage::unicode_to_string(&out), "AÉ😀ß");
}

#[test]
fn languages_have_their_own_case() {
    let changed = |case, name: &str, text: &str| {
        let c = Collation::by_name(name).unwrap();
        let (mut wide, mut out) = (Vec::new(), Vec::new());
        codepage::string_to_unicode(text, &mut wide);
        change_case(case, c, ValueRef::Unicode(&wide), &mut out);
        let unicode = codepage::unicode_to_string(&out);
        let (mut chars, mut out) = (Vec::new(), Vec::new());
        codepage::string_to_chars(c, text, &mut chars);
        change_case(case, c, ValueRef::Chars(&chars), &mut out);
        assert_eq!(codepage::chars_to_string(c, &out), unicode, "{text} under {name}");
        unicode
    };
    assert_eq!(changed(Case::Upper, "Turkish_CI_AS", "ıişğ"), "IİŞĞ");
    assert_eq!(changed(Case::Lower, "Turkish_CI_AS", "IİŞĞ"), "ıişğ");
    assert_eq!(changed(Case::Upper, "Azeri_Latin_100_CI_AS_SC", "si"), "Sİ");
    assert_eq!(changed(Case::Upper, "Japanese_CI_AS", "aｂя表"), "AＢЯ表");
    assert_eq!(changed(Case::Upper, "Czech_CI_AS", "čaj"), "ČAJ");
}
