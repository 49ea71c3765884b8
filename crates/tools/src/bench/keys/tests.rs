use super::*;

#[test]
fn every_key_is_visited_once() {
    let mut seen = vec![false; ROWS as usize];
    let mut key = 0;
    for _ in 0..ROWS {
        key = step(key);
        assert!(key.checked_mul(2141).and_then(|k| i32::try_from(k + 12347).ok()).is_some());
        assert!(!std::mem::replace(&mut seen[key as usize], true), "{key} comes again");
    }
    assert_eq!(key, 0);
}

#[test]
fn spread_keys_are_all_over_the_table() {
    for rows in [1000, 5_000_000, 500_000_000] {
        let mut tenths = [0; 10];
        for key in spread(7, rows).take(10_000) {
            tenths[(u64::from(key) * 10 / u64::from(rows)) as usize] += 1;
        }
        assert!(tenths.iter().all(|share| (800..1200).contains(share)), "{tenths:?}");
    }
    assert_ne!(spread(1, 1 << 20).nth(5), spread(2, 1 << 20).nth(5));
}
