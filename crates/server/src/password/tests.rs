use super::*;

fn hasher() -> PasswordHasher {
    PasswordHasher::with_rounds(&Env::real(), 10)
}

#[test]
fn a_password_matches_its_own_hash_alone() {
    let hasher = hasher();
    let stored = hasher.hash("pässword");
    assert!(hasher.verify("pässword", &stored));
    assert!(!hasher.verify("password", &stored));
    assert!(!hasher.verify("", &stored));
    assert_ne!(stored, hasher.hash("pässword"), "the salts differ");
    for damaged in [&[][..], &stored[1..], &[0; STORED_LEN]] {
        assert!(!hasher.verify("pässword", damaged));
    }
}

#[test]
fn only_a_password_that_was_right_is_recognised() {
    let hasher = hasher();
    let (stored, other) = (hasher.hash("secret"), hasher.hash("secret"));
    assert!(!hasher.recognises("secret", &stored));
    assert!(!hasher.verify("wrong", &stored) && !hasher.recognises("wrong", &stored));
    assert!(hasher.verify("secret", &stored) && hasher.recognises("secret", &stored));
    assert!(!hasher.recognises("secret", &other), "the password was set anew");
}

#[test]
fn generated_passwords_differ() {
    let env = Env::real();
    let (a, b) = (PasswordHasher::generate(&env), PasswordHasher::generate(&env));
    assert_ne!(a, b);
    assert_eq!(a.len(), 24);
}
