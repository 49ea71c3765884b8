use super::*;

#[test]
fn short_reads_leave_the_cursor_in_place() {
    let mut r = ByteReader::new(&[3, b'a', 0]);
    assert_eq!(r.u32(), Err(ProtocolError::Truncated));
    assert_eq!(r.b_varchar(), Err(ProtocolError::Truncated));
    assert_eq!(r.position(), 0);
    assert_eq!(r.u16(), Ok(0x6103));
    assert_eq!(r.remaining(), 1);
}

#[test]
fn texts_decode() {
    let bytes: Vec<u8> = "aé€😀".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let text = Utf16::new(&bytes).unwrap();
    assert_eq!(text.to_text(), "aé€😀");
    assert_eq!(text.to_text_strict().unwrap(), "aé€😀");
    let lone = Utf16::new(&[0x00, 0xD8, b'x', 0]).unwrap();
    assert_eq!(lone.to_text(), "\u{FFFD}x");
    assert!(lone.to_text_strict().is_err());
    assert!(Utf16::new(&[1]).is_none());
    assert!(Utf16::new(&[b'S', 0, b'a', 0]).unwrap().eq_ignore_ascii_case("sA"));
}

#[test]
fn cutting_keeps_surrogate_pairs_whole() {
    assert_eq!(utf16_units_within("ab😀c", 3), ("ab", 2));
    assert_eq!(utf16_units_within("ab😀c", 4), ("ab😀", 4));
}
