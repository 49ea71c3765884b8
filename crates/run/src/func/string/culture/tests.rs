use super::*;

#[test]
fn each_culture_has_a_language_and_is_found() {
    for culture in CULTURES.iter() {
        assert!(Language::by_name(culture.language).is_some(), "{}", culture.language);
        assert!(std::ptr::eq(Culture::by_name(culture.name).unwrap(), culture));
        assert!(!culture.currency_sign().is_empty());
    }
    assert_eq!(Culture::by_name("de").unwrap().name, "de-DE");
    assert_eq!(Culture::by_name("PT-br").unwrap().currency_sign(), "R$");
    assert_eq!(Culture::by_name("nn-NO").unwrap().currency_sign(), "kr");
}
