use super::*;

#[test]
fn marks_and_code_pages_say_what_bytes_mean() {
    assert_eq!(decode(b"\xEF\xBB\xBFa\xC3\xA9".to_vec(), None), "aé");
    assert_eq!(decode(b"\xFF\xFEa\0\xE9\0".to_vec(), Some(1252)), "aé");
    assert_eq!(decode(b"\xFE\xFF\0a\0\xE9".to_vec(), None), "aé");
    assert_eq!(decode(b"a\xC3\xA9".to_vec(), None), "aé");
    assert_eq!(decode(b"a\xE9".to_vec(), None), "aé");
    assert_eq!(decode(b"a\xE9".to_vec(), Some(1251)), "aй");
}
