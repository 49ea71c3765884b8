use super::*;

#[test]
fn what_names_do_not_have_is_escaped() {
    for (name, written) in [
        ("a b", "a_x0020_b"),
        ("1a", "_x0031_a"),
        ("a:b", "a:b"),
        (":a", "_x003A_a"),
        ("-a", "_x002D_a"),
        ("a_x0020_b", "a_x005F_x0020_b"),
        ("_x", "_x005F_x"),
        ("a_Xb", "a_Xb"),
        ("x_", "x_"),
        ("a·b", "a·b"),
        ("·a", "_x00B7_a"),
        ("a€b", "a_x20AC_b"),
        ("a\u{365}b", "a_x0365_b"),
        ("a\u{300}b", "a\u{300}b"),
        ("\u{FF21}", "_xFF21_"),
        ("漢字", "漢字"),
        ("a\u{1D400}b", "a_x01D400_b"),
    ] {
        assert_eq!(escaped(name), written, "{name}");
    }
}

#[test]
fn names_that_are_not_escaped_are_checked() {
    let code = |name: &str| check(NameKind::Column, name, name, &[]).map_err(|e| e.number());
    assert_eq!(code("a-b.c"), Ok(()));
    assert_eq!(code("xml:lang"), Ok(()));
    assert_eq!(code("a\u{1D400}"), Ok(()));
    assert_eq!(code("a b"), Err(6850));
    assert_eq!(code(":a"), Err(6850));
    assert_eq!(code("a:b"), Err(6846));
    assert_eq!(code("a b:c"), Err(6846));
    assert_eq!(code("xmlns"), Err(6867));
    assert_eq!(code("xmlns:a"), Err(6867));
}
