use super::*;

#[test]
fn sizes_have_units_and_are_kilobytes_without() {
    let sizes = [
        ("256M", Some(256 << 10)),
        ("1g", Some(1 << 20)),
        ("0.5G", Some(512 << 10)),
        ("10 P", Some(80)),
        ("4096", Some(4096)),
        ("0", Some(0)),
        ("", None),
        ("G", None),
        ("-1M", None),
        ("1T", None),
        ("1e9G", None),
        ("1.2.3M", None),
    ];
    for (size, expected) in sizes {
        assert_eq!(kilobytes(size), expected, "{size}");
    }
}
