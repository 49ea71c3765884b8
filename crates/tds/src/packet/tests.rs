use super::*;

fn packet(kind: u8, bits: u8, id: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() + HEADER_LEN) as u16;
    let [hi, lo] = length.to_be_bytes();
    let mut bytes = vec![kind, bits, hi, lo, 0, 0, id, 0];
    bytes.extend_from_slice(body);
    bytes
}

#[derive(Debug, PartialEq)]
enum Seen {
    Message(PacketType, Reset, Vec<u8>),
    Ignored(PacketType),
    Stream(PacketType, Vec<u8>, bool),
}

/// Everything that comes out when `bytes` arrive in pieces of `step` bytes.
fn read(bytes: &[u8], step: usize, limit: usize) -> Result<Vec<Seen>, ProtocolError> {
    let mut reader = MessageReader::new(Side::Server, limit);
    let mut seen = Vec::new();
    let mut stream: Option<(PacketType, Vec<u8>)> = None;
    for piece in bytes.chunks(step) {
        let mut input = piece;
        while let Some(event) = reader.feed(&mut input)? {
            match event {
                MessageEvent::Message { kind, reset, body } => {
                    seen.push(Seen::Message(kind, reset, body.to_vec()));
                }
                MessageEvent::Ignored { kind, .. } => seen.push(Seen::Ignored(kind)),
                MessageEvent::StreamStart { kind, .. } => stream = Some((kind, Vec::new())),
                MessageEvent::StreamData(data) => stream.as_mut().unwrap().1.extend(data),
                MessageEvent::StreamEnd { ignored } => {
                    let (kind, data) = stream.take().unwrap();
                    seen.push(Seen::Stream(kind, data, ignored));
                }
            }
        }
        assert!(input.is_empty());
    }
    Ok(seen)
}

#[test]
fn messages_are_put_together_however_the_bytes_arrive() {
    let mut bytes = packet(1, 0x08, 1, b"sel");
    bytes.extend(packet(1, 0, 2, b""));
    bytes.extend(packet(1, 1, 3, b"ect"));
    bytes.extend(packet(6, 1, 1, b""));
    bytes.extend(packet(3, 1, 1, b"rpc"));
    for step in 1..bytes.len() + 1 {
        assert_eq!(
            read(&bytes, step, 100).unwrap(),
            [
                Seen::Message(PacketType::SqlBatch, Reset::Session, b"select".to_vec()),
                Seen::Message(PacketType::Attention, Reset::None, vec![]),
                Seen::Message(PacketType::Rpc, Reset::None, b"rpc".to_vec()),
            ]
        );
    }
}

#[test]
fn bulk_load_is_a_stream_without_a_limit() {
    let mut bytes = Vec::new();
    for id in 0..=255u8 {
        bytes.extend(packet(7, u8::from(id == 255), id.wrapping_add(200), &[id; 100]));
    }
    let seen = read(&bytes, 333, 10).unwrap();
    let [Seen::Stream(PacketType::BulkLoad, data, false)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!(data.len(), 25600);
}

#[test]
fn a_message_with_the_ignore_bit_is_not_handed_out() {
    let mut bytes = packet(1, 0, 1, b"drop ");
    bytes.extend(packet(1, 3, 2, b"table"));
    assert_eq!(read(&bytes, 5, 100).unwrap(), [Seen::Ignored(PacketType::SqlBatch)]);
}

#[test]
fn an_attention_cuts_an_unfinished_message_short() {
    let mut bytes = packet(7, 0, 1, b"rows");
    bytes.extend(packet(6, 1, 1, b""));
    bytes.extend(packet(1, 1, 1, b"next"));
    assert_eq!(
        read(&bytes, 3, 100).unwrap(),
        [
            Seen::Stream(PacketType::BulkLoad, b"rows".to_vec(), true),
            Seen::Message(PacketType::Attention, Reset::None, vec![]),
            Seen::Message(PacketType::SqlBatch, Reset::None, b"next".to_vec()),
        ]
    );
}

#[test]
fn packet_numbers_may_stand_still_or_count_and_nothing_else() {
    let message = |ids: &[u8]| -> Vec<u8> {
        let last = ids.len() - 1;
        ids.iter()
            .enumerate()
            .flat_map(|(i, id)| packet(1, u8::from(i == last), *id, b"x"))
            .collect()
    };
    for good in [&[1, 2, 3][..], &[0, 0, 0], &[254, 255, 0, 1], &[9, 9, 9, 9], &[5]] {
        assert!(read(&message(good), 7, 100).is_ok(), "{good:?}");
    }
    for bad in [&[1, 3, 2][..], &[1, 2, 2], &[1, 1, 2], &[2, 1], &[1, 2, 4]] {
        assert!(
            matches!(read(&message(bad), 7, 100), Err(ProtocolError::PacketOrder { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn bad_headers_are_refused() {
    let kinds = |kind| read(&packet(kind, 1, 1, b"x"), 100, 100);
    for kind in [0, 4, 5, 9, 0x0D, 0x13, 0x16, 0xFF] {
        assert_eq!(kinds(kind), Err(ProtocolError::PacketType(kind)));
    }
    let mut short = packet(1, 1, 1, b"");
    short[3] = 7;
    assert_eq!(
        read(&short, 100, 100),
        Err(ProtocolError::PacketLength { length: 7, limit: PACKET_SIZE_MAX })
    );
    let mut mixed = packet(1, 0, 1, b"a");
    mixed.extend(packet(3, 1, 2, b"b"));
    assert_eq!(
        read(&mixed, 100, 100),
        Err(ProtocolError::PacketInterleaved { message: 1, packet: 3 })
    );
}

#[test]
fn packets_larger_than_agreed_are_refused() {
    let mut reader = PacketReader::new(Side::Server);
    reader.set_packet_size_max(512);
    let fits = packet(1, 1, 1, &[0; 504]);
    let mut input = &fits[..];
    while reader.feed(&mut input).unwrap().is_some() {}
    let large = packet(1, 1, 1, &[0; 505]);
    assert_eq!(
        reader.feed(&mut &large[..]),
        Err(ProtocolError::PacketLength { length: 513, limit: 512 })
    );
}

#[test]
fn messages_over_the_limit_are_refused_before_they_are_kept() {
    let mut bytes = packet(1, 0, 1, &[b'x'; 60]);
    bytes.extend(packet(1, 1, 2, &[b'x'; 41]));
    assert_eq!(read(&bytes, 10, 100), Err(ProtocolError::TooLarge { limit: 100 }));
    assert!(read(&bytes, 10, 101).is_ok());
}

#[test]
fn a_connection_that_ends_within_a_message_is_noticed() {
    let bytes = packet(1, 1, 1, b"abc");
    for cut in 0..=bytes.len() {
        let mut reader = PacketReader::new(Side::Server);
        let mut input = &bytes[..cut];
        while reader.feed(&mut input).unwrap().is_some() {}
        assert_eq!(reader.is_between_messages(), cut == 0 || cut == bytes.len(), "cut at {cut}");
    }
}

#[test]
fn packet_sizes_are_kept_within_bounds() {
    assert_eq!(negotiate_packet_size(0, 8000), 8000);
    assert_eq!(negotiate_packet_size(8000, 4096), 8000);
    assert_eq!(negotiate_packet_size(100, 4096), 512);
    assert_eq!(negotiate_packet_size(1 << 20, 4096), 32767);
}

#[test]
fn a_body_can_be_kept_and_given_back() {
    let mut reader = MessageReader::new(Side::Server, 100);
    let bytes = [packet(1, 1, 1, b"one"), packet(1, 1, 1, b"two")].concat();
    let mut input = &bytes[..];
    assert!(matches!(reader.feed(&mut input), Ok(Some(MessageEvent::Message { .. }))));
    let body = reader.take_body();
    assert_eq!(body, b"one");
    assert!(reader.take_body().is_empty());
    reader.recycle(body);
    let event = reader.feed(&mut input).unwrap();
    let Some(MessageEvent::Message { body, .. }) = event else { panic!("{event:?}") };
    assert_eq!(body, b"two");
}
