use super::mentions;

#[test]
fn names_are_found_as_whole_words() {
    assert!(mentions("select [Id] from t", "id"));
    assert!(mentions("where t.a=1", "A"));
    assert!(!mentions("select ident, @id from t", "id"));
    assert!(!mentions("select aid from t", "id"));
}
