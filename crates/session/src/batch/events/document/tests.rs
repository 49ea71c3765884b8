use super::*;

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
