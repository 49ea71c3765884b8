use super::*;

#[test]
fn names_fold_and_compare_without_case() {
    assert_eq!(fold_identifier("Sales "), "sales");
    assert!(matches!(fold_identifier("sales"), Cow::Borrowed(_)));
    assert_eq!(fold_identifier("ÄRGER"), "ärger");
    assert!(same_identifier("Straße", "STRAßE"));
    assert!(!same_identifier("a", "b"));
    assert_eq!(bracketed("a]b"), "[a]]b]");
}
