use super::*;

/// Files that exist have this format: another one needs another version.
#[test]
fn the_format_is_that_of_the_files_that_exist() {
    let header = SegmentHeader {
        state: State::Active,
        database: 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788,
        number: 7,
        size: 64 << 20,
        salt: 0xFEED,
        first: Lsn(4096),
        epoch: 3,
        written_ticks: 638_000_000_000_000_000,
    };
    let mut page = header.encode();
    assert!(matches!(SegmentHeader::decode(&page), Ok(decoded) if decoded == header));
    // Before there were versions of collations.
    page[12..16].fill(0);
    let sum = checksum(&page);
    page[8..12].copy_from_slice(&sum.to_le_bytes());
    let hex: String = page[..HEADER].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        hex,
        concat!(
            "54634c7302000200d8a40d1d000000008877665544332211f0debc9a78563412",
            "07000000000000000000000400000000edfe0000000000000010000000000000",
            "03000000000000000000b3a69ea1da08",
        )
    );
    assert!(page[HEADER..].iter().all(|&byte| byte == 0));
    assert!(matches!(SegmentHeader::decode(&page), Ok(decoded) if decoded == header));
}

#[test]
fn only_segments_and_their_leftovers_are_ours() {
    assert_eq!(name(42), "00000042.tlog");
    assert_eq!(number_of(OsStr::new("00000042.tlog")), Some(42));
    assert_eq!(number_of(OsStr::new("123456789.tlog")), Some(123_456_789));
    for other in ["42.tlog", "00000042.new", "lock", "0000004x.tlog", "00000042tlog"] {
        assert_eq!(number_of(OsStr::new(other)), None, "{other}");
    }
    assert!(is_leftover(OsStr::new("00000042.new")) && is_leftover(OsStr::new("00000042.spare")));
    assert!(!is_leftover(OsStr::new("notes.new")) && !is_leftover(OsStr::new("00000042.tlog")));
}

#[test]
fn a_later_version_is_told_from_damage() {
    let mut page = [0; BATCH_ALIGN];
    page[..4].copy_from_slice(&MAGIC.to_le_bytes());
    page[4] = 9;
    let checksum = checksum(&page);
    page[8..12].copy_from_slice(&checksum.to_le_bytes());
    assert!(matches!(SegmentHeader::decode(&page), Err(BadHeader::UnknownVersion(9))));
}

/// What such a database has in its indexes may be in another order.
#[test]
fn keys_by_other_collations_are_told_from_damage() {
    let mut page = [0; BATCH_ALIGN];
    page[..4].copy_from_slice(&MAGIC.to_le_bytes());
    page[4..6].copy_from_slice(&VERSION.to_le_bytes());
    page[12..16].copy_from_slice(&(DATA_VERSION + 1).to_le_bytes());
    let checksum = checksum(&page);
    page[8..12].copy_from_slice(&checksum.to_le_bytes());
    let decoded = SegmentHeader::decode(&page);
    assert!(matches!(decoded, Err(BadHeader::OtherCollations(v)) if v == DATA_VERSION + 1));
}
