use super::*;

const ALL: [(LockMode, &str); 7] = [
    (LockMode::INTENT_SHARED, "IS"),
    (LockMode::SHARED, "S"),
    (LockMode::UPDATE, "U"),
    (LockMode::INTENT_EXCLUSIVE, "IX"),
    (LockMode(IS | IX | S), "SIX"),
    (LockMode(IS | IX | S | U), "UIX"),
    (LockMode::EXCLUSIVE, "X"),
];

#[test]
fn modes_go_together_as_sql_server_says() {
    // Rows and columns in the order of `ALL`.
    let expected = ["yyyyyyn", "yyynnnn", "yynnnnn", "ynnynnn", "ynnnnnn", "ynnnnnn", "nnnnnnn"];
    for ((mode, name), row) in ALL.into_iter().zip(expected) {
        let compatible = |(other, _)| if mode.is_compatible(other) { 'y' } else { 'n' };
        assert_eq!(ALL.into_iter().map(compatible).collect::<String>(), row, "{name}");
        assert_eq!(mode.name(), name);
    }
}

#[test]
fn what_an_owner_has_covers_what_it_is_made_of() {
    let six = LockMode::SHARED.and(LockMode::INTENT_EXCLUSIVE);
    assert_eq!(six.name(), "SIX");
    assert!(six.covers(LockMode::SHARED) && six.covers(LockMode::INTENT_EXCLUSIVE));
    assert!(!six.covers(LockMode::UPDATE));
    assert_eq!(LockMode::UPDATE.intent(), LockMode::INTENT_EXCLUSIVE);
    assert_eq!(LockMode::SHARED.intent(), LockMode::INTENT_SHARED);
}
