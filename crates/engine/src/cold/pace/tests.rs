use super::*;

#[test]
fn a_device_is_quick_when_reads_have_been() {
    let pace = Pace::new();
    assert!(!pace.is_quick());
    pace.note(65_000);
    assert!(pace.is_quick());
    // A single slow read is soon forgotten.
    pace.note(30_000_000);
    assert!(!pace.is_quick());
    (0..4).for_each(|_| pace.note(65_000));
    assert!(pace.is_quick());
    // A disk with a moving arm is not quick, though some reads need no seek.
    for n in 0..100 {
        pace.note(if n % 10 == 0 { 65_000 } else { 8_000_000 });
        assert!(n == 0 || !pace.is_quick(), "{n}");
    }
}
