use super::*;

#[test]
fn words_come_back_as_they_were() {
    let place = Place { file: 255, index: u32::MAX };
    let disk = DiskWord::new(place, 77);
    assert_eq!(disk.place(), place);
    assert!(disk.has_stamp(77) && disk.has_stamp(77 + (1 << 22)) && !disk.has_stamp(78));
    for word in [MapWord::Free, MapWord::Disk(disk), MapWord::Frame(FrameNumber(u32::MAX))] {
        assert_eq!(MapWord::from_bits(word.to_bits()), word);
    }
    assert_eq!(DiskWord::from_bits(disk.to_bits()), Some(disk));
    assert_eq!(DiskWord::from_bits(0), None);
    assert_eq!(DiskWord::from_bits(MapWord::Frame(FrameNumber(0)).to_bits()), None);
}
