use super::*;

#[test]
fn names_are_split_into_parts() {
    let split = |name| split_name(name).map(|parts| parts.join("|"));
    assert_eq!(split("a"), Some("a".into()));
    assert_eq!(split("[a.b].[c]]d]"), Some("a.b|c]d".into()));
    assert_eq!(split("db..t"), Some("db||t".into()));
    assert_eq!(split("s.d.o.t"), Some("s|d|o|t".into()));
    assert_eq!(split(" \"x\" . y "), Some("x|y".into()));
    assert_eq!(split("a.b.c.d.e"), None);
    assert_eq!(split("a."), None);
    assert_eq!(split("[a"), None);
    assert_eq!(split("[a]b"), None);
    assert_eq!(split(""), None);
}
