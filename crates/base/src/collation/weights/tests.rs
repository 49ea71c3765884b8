use super::*;

#[test]
fn the_blank_is_lowest_and_blocks_follow_in_order() {
    let weight = |c: char| primary(WEIGHTS.of(c as u16).element);
    let ordered =
        [' ', '\'', '-', '!', '~', '>', '\t', '€', '0', '9', 'a', 'z', 'ŋ', 'α', 'я', '日'];
    for pair in ordered.windows(2) {
        assert!(weight(pair[0]) < weight(pair[1]), "{:?}", pair);
    }
    assert_eq!(weight('A'), weight('ä'));
    assert_eq!(weight('Ø'), weight('o'));
    assert_eq!(weight('Ж'), weight('ж'));
    assert_eq!(weight('ア'), weight('あ'));
    assert_eq!(weight('Ａ'), weight('a'));
}

#[test]
fn distinct_letters_have_distinct_weights() {
    let mut seen = BTreeMap::new();
    for unit in 0..=u16::MAX {
        let Weighted { element, accents: accent } = WEIGHTS.of(unit);
        if element & (EXPANSION | MARK) != 0 {
            continue;
        }
        let key = (element, if element & ACCENT != 0 { accent } else { 0 });
        if let Some(other) = seen.insert(key, unit) {
            let same = |u: u16| char::from_u32(u32::from(u)).map(|c| c.to_lowercase().to_string());
            assert!(
                same(unit) == same(other) || unit > 0x1000,
                "{other:04X} and {unit:04X} have the same weight"
            );
        }
    }
}
