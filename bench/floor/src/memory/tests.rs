use super::*;

#[test]
fn rows_are_found_by_their_keys_until_all_are_forgotten() {
    let mut arena = Arena::new(1);
    let mut index = HashIndex::new(1, 0);
    let mut part = arena.part();
    for key in 0..300_000 {
        let (row, words) = part.make(2).unwrap();
        words[1].store(key, Relaxed);
        index.insert(key % 100_000, row, words);
    }
    for key in 0..300_000 {
        let is_it = |words: &[Word]| words[1].load(Relaxed) == key;
        assert!(index.find(&arena, key % 100_000, is_it).is_some());
        assert_eq!(index.count(&arena, key % 100_000, is_it), 1);
    }
    index.clear();
    arena.clear();
    assert!(index.find(&arena, 5, |_| true).is_none());
    assert_eq!(arena.part().make(2).unwrap().0, 8, "the arena is used again");
}

#[test]
fn full_arenas_make_no_rows() {
    let arena = Arena::new(1);
    let mut part = arena.part();
    assert!(part.make(CHUNK_WORDS - 8).is_some());
    assert!(part.make(1).is_none());
    assert!(arena.part().make(1).is_none());
}
