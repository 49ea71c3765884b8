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
    let mut seen = Vec::new();
    let is_single = |c: &Collation| matches!(code_page(*c), CodePage::Single(_));
    for collation in Collation::all().filter(is_single) {
        let page = collation.info().code_page;
        if seen.contains(&page) {
            continue;
        }
        seen.push(page);
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

#[test]
fn characters_of_two_bytes_survive_a_round_trip() {
    for (name, text, bytes) in [
        ("Japanese_CI_AS", "aｱ日本表", &[b'a', 0xB1, 0x93, 0xFA, 0x96, 0x7B, 0x95, 0x5C][..]),
        ("Chinese_PRC_CI_AS", "x中国", &[b'x', 0xD6, 0xD0, 0xB9, 0xFA]),
        ("Korean_Wansung_CI_AS", "한글", &[0xC7, 0xD1, 0xB1, 0xDB]),
        ("Chinese_Taiwan_Stroke_CI_AS", "中文", &[0xA4, 0xA4, 0xA4, 0xE5]),
        ("Japanese_CI_AS", "é😀", b"e?"),
    ] {
        assert_eq!(encoded(name, text), bytes, "{name}");
        let c = Collation::by_name(name).unwrap();
        if !text.contains('😀') {
            assert_eq!(chars_to_string(c, bytes), text, "{name}");
        }
    }
    let c = Collation::by_name("Japanese_CI_AS").unwrap();
    // Half a character is not what it would be with another half.
    assert_eq!(chars_to_string(c, &[b'a', 0x93]), "a・");
    assert_eq!(chars_to_string(c, &[0x93, b' ', b'b']), "・ b");
    let CodePage::Double(page) = code_page(c) else { unreachable!("it has two bytes") };
    assert_eq!(page.whole(&[0x93, 0xFA, 0x96]), 2);
    assert_eq!(page.whole(&[0x93, 0xFA, 0xB1]), 3);
}
