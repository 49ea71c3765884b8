use super::*;

#[test]
fn a_step_sees_what_was_declared_before_it() {
    let mut variables = Variables::default();
    variables.scalar(&"@a".into(), SqlType::int(), true).unwrap();
    let b = variables.scalar(&"@B".into(), SqlType::int(), true).unwrap();
    assert_eq!(b, VarId(1));
    assert!(variables.find("@b", 1).is_none());
    assert_eq!(variables.find_scalar("@b", 2).unwrap().0, b);
    assert_eq!(variables.find_scalar("@c", 2).unwrap_err().number(), 137);
    let again = variables.scalar(&"@A".into(), SqlType::int(), true);
    assert_eq!(again.unwrap_err().number(), 134);
}
