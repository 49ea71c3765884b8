use super::*;

#[test]
fn temporary_names_are_as_long_as_names_can_be() {
    let name = temporary_name("#t", 0xAB);
    assert_eq!(name.len(), 128);
    assert!(name.starts_with("#t____") && name.ends_with("____0000000000AB"));
}

#[test]
fn the_collation_decides_what_is_one_name() {
    let same = |collation, a, b| NameKey::new(collation, a) == NameKey::new(collation, b);
    assert!(same(Collation::DEFAULT, "Sales", "SALES  "));
    assert!(!same(Collation::DEFAULT, "résumé", "resume"));
    assert!(!same(Collation::DEFAULT, "a b", "ab"));
    assert!(!same(Collation::LATIN1_BIN2, "Sales", "SALES"));
    assert!(same(Collation::LATIN1_BIN2, "Sales", "Sales "));
    assert!(NameKey::lowest() < NameKey::new(Collation::LATIN1_BIN2, "\u{1}"));
}
