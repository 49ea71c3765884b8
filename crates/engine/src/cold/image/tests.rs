use super::*;

#[test]
fn a_resealed_page_belongs_to_the_other_database() {
    let (from, to, place) = (Seed::new(7), Seed::new(8), Place { file: 1, index: 40 });
    let reseal = Reseal::new(from, to);
    for byte in 0..=u8::MAX {
        let mut page = vec![byte; PAGE_BYTES];
        seal(&mut page, from, Kind::Data, 12, 99, place);
        assert_eq!(reseal.reseal(&mut page), Some(place));
        assert!(verify(&page, to, Kind::Data, 12, DiskWord::new(place, 99)).is_ok());
        assert_eq!(reseal.reseal(&mut page), None, "it is no longer one of the first");
    }
}

#[test]
fn every_flipped_bit_and_every_stranger_is_noticed() {
    let (seed, place) = (Seed::new(7), Place { file: 1, index: 40 });
    let mut page = vec![3; PAGE_BYTES];
    seal(&mut page, seed, Kind::Data, 12, 99, place);
    let word = DiskWord::new(place, 99);
    assert!(verify(&page, seed, Kind::Data, 12, word).is_ok());
    for bit in 0..PAGE_BYTES * 8 {
        page[bit / 8] ^= 1 << (bit % 8);
        assert!(verify(&page, seed, Kind::Data, 12, word).is_err(), "bit {bit}");
        page[bit / 8] ^= 1 << (bit % 8);
    }
    let wrong = |seed, kind, number, word| verify(&page, seed, kind, number, word).err();
    assert_eq!(wrong(Seed::new(8), Kind::Data, 12, word), Some(Mismatch::Checksum));
    assert_eq!(wrong(seed, Kind::Map, 12, word), Some(Mismatch::Identity));
    assert_eq!(wrong(seed, Kind::Data, 13, word), Some(Mismatch::Identity));
    let moved = DiskWord::new(place.plus(1), 99);
    assert_eq!(wrong(seed, Kind::Data, 12, moved), Some(Mismatch::Identity));
    let stale = DiskWord::new(place, 100);
    assert_eq!(wrong(seed, Kind::Data, 12, stale), Some(Mismatch::Stamp));
}
