use super::*;

#[test]
fn sums_tell_entries_apart_whatever_their_order() {
    let entries: Vec<[u8; 4]> = (0..50_000_u32).map(u32::to_be_bytes).collect();
    let sums = |entries: &mut dyn Iterator<Item = &[u8; 4]>| {
        entries.fold(Sums::default(), |mut sums, entry| {
            sums.add(entry);
            sums
        })
    };
    let all = sums(&mut entries.iter());
    assert!(all.suspects(&sums(&mut entries.iter().rev())).is_none());
    let suspects = all.suspects(&sums(&mut entries.iter().skip(1))).expect("one is missing");
    assert_eq!(suspects.hash_of(&entries[0]), Some(hash_bytes(&entries[0])));
    assert_eq!(suspects.left_out, 0);
    let looked_at = entries.iter().filter(|entry| suspects.hash_of(*entry).is_some()).count();
    assert!(looked_at < 50, "{looked_at}");
    let twice = sums(&mut entries.iter().chain(&entries[7..8]));
    assert!(all.suspects(&twice).is_some_and(|s| s.hash_of(&entries[7]).is_some()));
}
