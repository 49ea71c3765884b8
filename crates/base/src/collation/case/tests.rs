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
