use proptest::prelude::*;

use super::*;

#[test]
fn lengths_are_rounded_up_to_sixteen() {
    assert_eq!(record_len(0), 16);
    assert_eq!(record_len(1), 32);
    assert_eq!(record_len(16), 32);
    assert_eq!(record_len(BODY_MAX), RECORD_MAX);
}

#[test]
fn unknown_kinds_and_unsound_lengths_are_no_headers() {
    let header = RecordHeader {
        len: 48,
        kind: RecordKind::Commit,
        flags: RecordFlags::CATALOG,
        padding: 3,
        related: Lsn(7),
    };
    let words = header.encode();
    assert_eq!(RecordHeader::decode(words), Some(header));
    assert_eq!(header.body_len(), 29);
    for bad in [0, words[0] & !(0xFF << 32), words[0] + 1, words[0] | 1 << 60] {
        assert_eq!(RecordHeader::decode([bad, 0]), None, "{bad:#x}");
    }
    let padded = RecordHeader { len: 16, ..header };
    assert_eq!(RecordHeader::decode(padded.encode()), None);
    let elided = RecordHeader { flags: RecordFlags::ELIDED, ..header };
    assert_eq!(RecordHeader::decode(elided.encode()), None, "only filler is elided");
}

/// Files that exist have this format: another one needs another version of batches.
#[test]
fn the_format_is_that_of_the_files_that_exist() {
    let header = RecordHeader {
        len: 0x1230,
        kind: RecordKind::Commit,
        flags: RecordFlags::CATALOG.with(RecordFlags::CHUNKED),
        padding: 5,
        related: Lsn(0x0102_0304_0506_0708),
    };
    assert_eq!(header.encode(), [0x0005_0303_0000_1230, 0x0102_0304_0506_0708]);
    let mut body = Vec::new();
    let storage = StorageId(0x1112_1314_1516_1718);
    let insert = Operation::Upsert { storage, layout: 0x2122, replaces: None, row: b"row" };
    insert.encode(&mut body);
    Operation::Delete { storage, replaces: Lsn(0x3130), key: b"k" }.encode(&mut body);
    Operation::IdentityCeiling { storage, ceiling: -2 }.encode(&mut body);
    let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        hex,
        concat!(
            "01002221030000001817161514131211726f7702010000090000001817161514",
            "1312113031000000000000",
            "6b05000000100000001817161514131211feffffffffffffffffffffff",
            "ffffffff",
        )
    );
}

fn operation(kind: u8, layout: u16, storage: u64, number: i128, bytes: &[u8]) -> Operation<'_> {
    let id = StorageId(storage);
    let stamp = Lsn(number as u64);
    match kind % 9 {
        0 => {
            let replaces = (number % 2 == 0).then_some(stamp);
            Operation::Upsert { storage: id, layout, replaces, row: bytes }
        }
        1 => Operation::Delete { storage: id, replaces: stamp, key: bytes },
        2 => Operation::DropStorage { storage: id },
        3 => Operation::TruncateStorage { storage: id },
        4 => Operation::IdentityCeiling { storage: id, ceiling: number },
        5 => Operation::SequenceCeiling { sequence: ObjectId(storage as i32), ceiling: number },
        6 => Operation::Load { storage: id, layout, row: bytes },
        7 => Operation::Unload { storage: id, key: bytes },
        _ => Operation::Other { kind: kind | 64, layout, storage: id, payload: bytes },
    }
}

proptest! {
    #[test]
    fn operations_come_back_as_they_were(
        kind: u8, layout: u16, storage: u64, number: i128,
        bytes in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let operation = operation(kind, layout, storage, number, &bytes);
        let mut body = Vec::new();
        operation.encode(&mut body);
        prop_assert_eq!(body.len(), operation.encoded_len());
        let (header, payload) = body.split_first_chunk().unwrap();
        let header = OperationHeader::decode(header).unwrap();
        prop_assert_eq!(header.payload_len as usize, payload.len());
        prop_assert_eq!(header.operation(payload), operation);
    }

    #[test]
    fn garbage_is_refused_without_panic(
        words: [u64; 2],
        header: [u8; 16],
        payload in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let _ = RecordHeader::decode(words);
        let _ = GlobalTransaction::decode(&payload);
        if let Ok(header) = OperationHeader::decode(&header) {
            let payload = vec![0; header.payload_len.min(100_000) as usize];
            if payload.len() == header.payload_len as usize {
                let _ = header.operation(&payload);
            }
        }
    }

    #[test]
    fn global_transactions_come_back(coordinator: u128, id: u64) {
        let global = GlobalTransaction { coordinator, id };
        prop_assert_eq!(GlobalTransaction::decode(&global.encode()), Some(global));
        prop_assert_eq!(GlobalTransaction::decode(&global.encode()[..31]), None);
    }
}
