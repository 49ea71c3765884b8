use super::*;

fn encoded(collation: &str, text: &str) -> Vec<u8> {
    let mut wide = Vec::new();
    string_to_unicode(text, &mut wide);
    let mut out = Vec::new();
    from_unicode(Collation::by_name(collation).unwrap(), &wide, &mut out);
    out
}

#[test]
fn characters_go_to_their_bytes_their_closest_letter_or_a_question_mark() {
    let latin = "SQL_Latin1_General_CP1_CI_AS";
    assert_eq!(encoded(latin, "Aé€"), [b'A', 0xE9, 0x80]);
    assert_eq!(encoded(latin, "łŐＡ"), b"lOA");
    assert_eq!(encoded(latin, "日😀x"), b"??x");
    assert_eq!(encoded("Cyrillic_General_CI_AS", "Жж"), [0xC6, 0xE6]);
    assert_eq!(encoded("SQL_Latin1_General_CP850_BIN2", "é"), [0x82]);
    assert_eq!(encoded("SQL_Latin1_General_CP437_BIN2", "ß\u{A0}"), [0xE1, 0xFF]);
    assert_eq!(encoded("Latin1_General_100_BIN2_UTF8", "é😀"), "é😀".as_bytes());
}

#[test]
fn every_byte_survives_a_round_trip() {
    let all: Vec<u8> = (0..=255).collect();
    for collation in Collation::all().filter(|c| !c.is_utf8()) {
        let mut wide = Vec::new();
        to_unicode(collation, &all, &mut wide);
        let mut back = Vec::new();
        from_unicode(collation, &wide, &mut back);
        assert_eq!(back, all, "{}", collation.name());
    }
}

#[test]
fn strings_convert_both_ways() {
    let c = Collation::DEFAULT;
    let mut bytes = Vec::new();
    string_to_chars(c, "Grüße €", &mut bytes);
    assert_eq!(chars_to_string(c, &bytes), "Grüße €");
    let mut wide = Vec::new();
    string_to_unicode("x😀", &mut wide);
    assert_eq!(unicode_to_string(&wide), "x😀");
}
