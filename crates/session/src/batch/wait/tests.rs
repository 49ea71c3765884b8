use super::*;

#[test]
fn times_are_read_to_the_millisecond() {
    assert_eq!(milliseconds("00:00:05"), Some(5000));
    assert_eq!(milliseconds("00:00:00.25"), Some(250));
    assert_eq!(milliseconds("1:02"), Some(3_720_000));
    assert_eq!(milliseconds("00:00:00.0001"), Some(0));
    assert_eq!(milliseconds("24:00"), None);
    assert_eq!(milliseconds("abc"), None);
    assert_eq!(milliseconds(""), None);
}
