use super::*;

#[test]
fn closing_waits_for_those_inside_and_keeps_others_out() {
    let gate = Gate::new(2);
    assert_eq!(gate.try_enter(0, 1), Ok(()));
    assert_eq!(gate.try_close(2), Ok(()));
    assert!(!gate.is_empty(0));
    assert_eq!(gate.try_enter(1, 3), Err(2));
    assert_eq!(gate.try_close(3), Err(2));
    assert_eq!(gate.try_enter(1, 2), Ok(()), "the closer itself may enter");
    assert!(gate.leave(0));
    assert!(gate.is_empty(1));
    gate.leave(1);
    gate.open();
    assert_eq!(gate.try_enter(1, 3), Ok(()));
}
