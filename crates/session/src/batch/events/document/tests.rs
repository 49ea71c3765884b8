use super::*;

#[test]
fn sids_are_written_to_the_base_of_64() {
    assert_eq!(base64(&[]), "");
    assert_eq!(base64(&[1]), "AQ==");
    assert_eq!(base64(b"ab"), "YWI=");
    assert_eq!(base64(b"abc"), "YWJj");
    assert_eq!(base64(&[0xFB, 0xFF, 0xFE, 0]), "+//+AA==");
}

#[test]
fn times_have_the_precision_of_datetime() {
    let at = |ticks| post_time(DateTime { days: 0, ticks });
    assert_eq!(at(0), "1900-01-01T00:00:00.000");
    assert_eq!(at(1), "1900-01-01T00:00:00.003");
    assert_eq!(at(2), "1900-01-01T00:00:00.007");
    assert_eq!(at(25_919_999), "1900-01-01T23:59:59.997");
}

#[test]
fn elements_escape_what_they_hold() {
    let out = Elements::default().add("A", "x < y & z\r\n\u{1}").add("B", "");
    let out = out.list("C", "D", ["1", ""]).list("E", "F", []);
    assert_eq!(out.finish(), "<A>x &lt; y &amp; z&#x0D;\n?</A><B/><C><D>1</D><D/></C>");
}
