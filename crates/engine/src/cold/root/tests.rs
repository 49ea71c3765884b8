use super::*;
use crate::cold::place::Place;

fn root() -> Root {
    Root {
        database: 0xDB,
        sequence: 9,
        next_stamp: 1 << 40,
        numbers_end: 3000,
        files: vec![FileLength { id: 1, pages: 800 }, FileLength { id: 200, pages: 16 }],
        directory: vec![None, Some(DiskWord::new(Place { file: 200, index: 15 }, 5))],
        info: b"position".to_vec(),
    }
}

#[test]
fn roots_come_back_as_they_were() {
    let mut bytes = root().encode();
    bytes.resize(ROOT_BYTES_MAX, 0xEE);
    assert_eq!(Root::decode(&bytes), Ok(root()));
}

#[test]
fn a_flipped_bit_or_a_missing_end_is_no_root() {
    let mut bytes = root().encode();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Root::decode(&bytes), Err(NotRoot::Damaged), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..bytes.len() {
        assert_eq!(Root::decode(&bytes[..length]), Err(NotRoot::Damaged));
    }
    assert_eq!(Root::decode(&[0; 4096]), Err(NotRoot::Damaged));
}

#[test]
fn a_later_version_is_told_from_damage() {
    let mut bytes = root().encode();
    bytes[8..12].copy_from_slice(&2u32.to_le_bytes());
    bytes[16..20].fill(0);
    let checksum = crc32c::crc32c(&bytes);
    bytes[16..20].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(Root::decode(&bytes), Err(NotRoot::UnknownVersion(2)));
}
