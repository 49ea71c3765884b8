use super::*;

fn sample() -> (BatchHeader, Vec<u8>) {
    let payload = [7; 64];
    let header = BatchHeader {
        flags: EPOCH_START,
        payload_len: payload.len() as u32,
        database: 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788,
        epoch: 3,
        salt: 0xFEED,
        first: Lsn(4096),
        end: Lsn(4160),
        previous_end: Lsn(4000),
        written_ticks: 638_000_000_000_000_000,
        records: 2,
    };
    let mut batch = vec![0; BATCH_HEADER];
    batch.extend_from_slice(&payload);
    header.seal(&mut batch);
    (header, batch)
}

#[test]
fn a_sealed_batch_is_read_back() {
    let (header, batch) = sample();
    assert_eq!(BatchHeader::decode(&batch), Some(header));
    assert!(header.matches(&batch));
    assert_eq!(header.padded_len(), 4096);
    assert_eq!(BatchHeader::decode(&batch[..BATCH_HEADER - 1]), None);
}

/// Files that exist have this format: another one needs another version.
#[test]
fn the_format_is_that_of_the_files_that_exist() {
    let (_, batch) = sample();
    let hex: String = batch[..BATCH_HEADER].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        hex,
        concat!(
            "54634c620200010094e3f58d400000008877665544332211f0debc9a78563412",
            "0300000000000000edfe00000000000000100000000000004010000000000000",
            "a00f0000000000000000b3a69ea1da0802000000000000000000000000000000",
        )
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (_, batch) = sample();
    for bit in 0..batch.len() * 8 {
        let mut flipped = batch.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let accepted = BatchHeader::decode(&flipped)
            .is_some_and(|header| header.whole_len() == flipped.len() && header.matches(&flipped));
        assert!(!accepted, "bit {bit}");
    }
}

#[test]
fn a_record_travels_alone_at_its_price() {
    assert_eq!(pages_for(16), 1);
    assert_eq!(pages_for(BATCH_ALIGN - BATCH_HEADER), 1);
    assert_eq!(pages_for(BATCH_ALIGN - BATCH_HEADER + 16), 2);
}
