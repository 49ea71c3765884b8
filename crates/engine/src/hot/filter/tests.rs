use base::SqlType;

use super::*;

fn admits(test: FilterTest, value: Value) -> bool {
    let layout = RowLayout::new(&[SqlType::int()]);
    let filter = RowFilter { terms: [FilterTerm { column: 0, test }].into() };
    filter.admits(&layout, &layout.build_owned(&[value]))
}

#[test]
fn null_compares_with_nothing() {
    use FilterOp::*;
    for op in [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual] {
        assert!(!admits(FilterTest::Compare(op, Value::Int(1)), Value::Null));
    }
    assert!(!admits(FilterTest::In([Value::Int(1)].into()), Value::Null));
    assert!(admits(FilterTest::IsNull, Value::Null));
    assert!(!admits(FilterTest::IsNotNull, Value::Null));
}

#[test]
fn terms_hold_as_their_operators_say() {
    let holds = |op, value| admits(FilterTest::Compare(op, Value::Int(5)), Value::Int(value));
    for value in [4, 5, 6] {
        assert_eq!(holds(FilterOp::Equal, value), value == 5);
        assert_eq!(holds(FilterOp::NotEqual, value), value != 5);
        assert_eq!(holds(FilterOp::Less, value), value < 5);
        assert_eq!(holds(FilterOp::LessOrEqual, value), value <= 5);
        assert_eq!(holds(FilterOp::Greater, value), value > 5);
        assert_eq!(holds(FilterOp::GreaterOrEqual, value), value >= 5);
    }
    let one_of = || FilterTest::In([Value::Int(1), Value::Int(2)].into());
    assert!(admits(one_of(), Value::Int(2)) && !admits(one_of(), Value::Int(3)));
}
