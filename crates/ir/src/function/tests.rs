use super::*;

#[test]
fn unknown_names_are_error_195() {
    let e = unknown_function("foo");
    assert_eq!((e.number(), e.text()), (195, "'foo' is not a recognized built-in function name."));
}
