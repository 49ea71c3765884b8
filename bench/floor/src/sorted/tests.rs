use super::*;

#[test]
fn every_key_is_found_and_no_other() {
    for count in [0, 1, 15, 16, 17, 256, 257, 5000] {
        let mut index = SortedIndex::default();
        (0..count).for_each(|n| index.push(3 * n + 1, u64::from(n)));
        for key in 0..3 * count + 5 {
            let expected = (key % 3 == 1 && key < 3 * count).then_some(u64::from(key / 3));
            assert_eq!(index.get(key), expected, "{key} of {count}");
        }
    }
}
