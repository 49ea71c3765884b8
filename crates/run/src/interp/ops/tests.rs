use super::*;

#[test]
fn integer_arithmetic_is_checked_by_width() {
    assert_eq!(int(IntOp::Add, IntKind::Int, i32::MAX.into(), 1), None);
    assert_eq!(int(IntOp::Add, IntKind::BigInt, i32::MAX.into(), 1), Some(1 << 31));
    assert_eq!(int(IntOp::Sub, IntKind::TinyInt, 1, 2), None);
    assert_eq!(int(IntOp::Div, IntKind::BigInt, i64::MIN, -1), None);
    assert_eq!(int(IntOp::Mod, IntKind::BigInt, i64::MIN, -1), Some(0));
    assert_eq!(int(IntOp::Div, IntKind::Int, -7, 2), Some(-3));
    assert_eq!(int(IntOp::Mod, IntKind::Int, -7, 2), Some(-1));
    assert_eq!(int_error(IntOp::Div, IntKind::Int, 0).number(), 8134);
    assert_eq!(int_error(IntOp::Add, IntKind::Int, 1).number(), 8115);
}

#[test]
fn percentages_round_up() {
    assert_eq!(percent(10, 25.0), 3);
    assert_eq!(percent(10, 30.0), 3);
    assert_eq!(percent(10, 0.0), 0);
    assert_eq!(percent(1, 0.001), 1);
    assert_eq!(percent(1000, 0.1), 1);
}
