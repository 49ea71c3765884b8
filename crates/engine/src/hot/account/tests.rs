use super::*;

#[test]
fn changes_at_any_hint_add_up() {
    let account = Account::default();
    for hint in 0..1000 {
        account.add(hint * 64, 10);
    }
    for hint in 0..999 {
        account.add(hint, -10);
    }
    assert_eq!(account.bytes(), 10);
}

#[test]
fn hints_spread_evenly() {
    let count = Striped::default();
    for address in 0..8000u64 {
        count.add(0x7F00_0000_0000 + address * 48, 1);
    }
    for stripe in &count.stripes {
        assert!((800..1200).contains(&stripe.0.load(Relaxed)));
    }
}
