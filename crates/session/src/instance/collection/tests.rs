use super::*;

#[test]
fn single_modules_stay_counted_when_counting_all_ends() {
    let collection = Collection::default();
    let (one, other) = (ObjectId(1), ObjectId(2));
    assert!(!collection.counts_statements());
    collection.count_statements(true);
    collection.count_statements_of(DbId(5), one, true);
    assert!(collection.counts_statements_of(DbId(5), other));
    collection.count_statements(false);
    assert!(collection.counts_statements());
    assert!(collection.counts_statements_of(DbId(5), one));
    assert!(!collection.counts_statements_of(DbId(5), other));
    assert!(!collection.counts_statements_of(DbId(6), one));
    collection.count_statements_of(DbId(5), one, false);
    assert!(!collection.counts_statements());
}
