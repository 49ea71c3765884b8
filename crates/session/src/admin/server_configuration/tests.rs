use super::*;

#[test]
fn sizes_have_units() {
    assert_eq!(bytes("4", Some("GB")), Some(4 << 30));
    assert_eq!(bytes("300", Some("KB")), Some(300 << 10));
    for (number, unit) in [("4", None), ("4", Some("TB")), ("-4", Some("MB")), ("1.5", Some("GB"))]
    {
        assert_eq!(bytes(number, unit), None, "{number} {unit:?}");
    }
    assert_eq!(bytes("18446744073709551615", Some("GB")), None);
}
