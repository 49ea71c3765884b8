use super::*;
use crate::collation::codepage::string_to_unicode;
use crate::pace::Unpaced;

fn char_index(c: Collation, needle: ValueRef<'_>, text: ValueRef<'_>, start: i64) -> i64 {
    super::char_index(c, needle, text, start, &Unpaced).unwrap()
}

/// Each start of the needle's beginning was looked at again to its end: hours for two long
/// strings.
#[test]
fn needles_that_repeat_themselves_are_found_in_linear_time() {
    let c = Collation::DEFAULT;
    let needle = [vec![b'A'; 7999], vec![b'z']].concat();
    let mut text = vec![b'a'; 2_000_000];
    let find = |text: &[u8]| char_index(c, ValueRef::Chars(&needle), ValueRef::Chars(text), 1);
    assert_eq!(find(&text), 0);
    text[1_500_000] = b'Z';
    assert_eq!(find(&text), 1_500_001 - 7999);
    // Characters of one and two bytes.
    let utf8 = Collation::by_name("Latin1_General_100_CI_AS_SC_UTF8").unwrap();
    let needle = ["éa".repeat(1000), "z".into()].concat();
    let text = ["éA".repeat(100_000), "x".into(), "Éa".repeat(1500), "z".into()].concat();
    let found =
        char_index(utf8, ValueRef::Chars(needle.as_bytes()), ValueRef::Chars(text.as_bytes()), 1);
    assert_eq!(found, 200_000 + 1 + 1000 + 1);
}

#[test]
fn both_ways_of_finding_agree() {
    let c = Collation::DEFAULT;
    let letters = |bits: u32, len: usize| -> Vec<u8> {
        (0..len).map(|i| if bits >> i & 1 == 0 { b'a' } else { b'b' }).collect()
    };
    for needle_len in 1..=4 {
        for needle in 0..1 << needle_len {
            let needle = letters(needle, needle_len);
            for text in 0..1 << 9 {
                let text = letters(text, 9);
                let mut finder = Finder::new(c, ValueRef::Chars(&needle));
                let plain = finder.find(ValueRef::Chars(&text), 1, &Unpaced).unwrap();
                let mut stride = Stride::new(&Unpaced);
                let other = finder.find_by_repetitions(&text, 1, &mut stride).unwrap();
                assert_eq!(plain, other, "{needle:?} in {text:?}");
            }
        }
    }
}

#[test]
fn charindex_counts_characters_from_one() {
    let c = Collation::DEFAULT;
    let text = ValueRef::Chars(b"Reflectors are vital safety components");
    for (needle, start, expected) in [
        (&b"vital"[..], 0, 16),
        (b"VITAL", 1, 16),
        (b"e", 1, 2),
        (b"e", 3, 5),
        (b"e", 1000, 0),
        (b"zz", 1, 0),
        (b"", 1, 0),
        (b"Reflectors are vital safety components!", 1, 0),
    ] {
        assert_eq!(char_index(c, ValueRef::Chars(needle), text, start), expected);
    }
    let bin = Collation::LATIN1_BIN2;
    assert_eq!(char_index(bin, ValueRef::Chars(b"VITAL"), text, 1), 0);
}

#[test]
fn positions_follow_the_collations_idea_of_a_character() {
    let mut text = Vec::new();
    string_to_unicode("x😀yz", &mut text);
    let mut y = Vec::new();
    string_to_unicode("y", &mut y);
    let (text, y) = (ValueRef::Unicode(&text), ValueRef::Unicode(&y));
    assert_eq!(char_index(Collation::DEFAULT, y, text, 1), 4);
    let sc = Collation::by_name("Latin1_General_100_CI_AS_SC").unwrap();
    assert_eq!(char_index(sc, y, text, 1), 3);
    assert_eq!(char_count(sc, text, &Unpaced).unwrap(), 4);
    assert_eq!(char_count(Collation::DEFAULT, text, &Unpaced).unwrap(), 5);
    assert_eq!(byte_offset(sc, text, 2, &Unpaced).unwrap(), 6);
    let utf8 = Collation::LATIN1_BIN2_UTF8;
    assert_eq!(
        char_index(utf8, ValueRef::Chars("y".as_bytes()), ValueRef::Chars("é😀y".as_bytes()), 1),
        3
    );
}
