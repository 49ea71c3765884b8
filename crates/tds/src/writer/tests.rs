use proptest::prelude::*;

use super::*;
use crate::packet::{MessageEvent, MessageReader, Side};

fn read_back(packets: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = MessageReader::new(Side::Client, usize::MAX);
    let mut input = packets;
    let mut messages = Vec::new();
    while let Some(event) = reader.feed(&mut input).unwrap() {
        let MessageEvent::Message { body, .. } = event else { panic!("{event:?}") };
        messages.push(body.to_vec());
    }
    assert!(reader.is_between_messages());
    messages
}

#[test]
fn a_full_packet_is_the_last_only_when_the_message_ends() {
    let mut w = MessageWriter::new();
    w.set_packet_size(512);
    w.begin(PacketType::TabularResult);
    w.put(&[7; 504]);
    w.seal();
    assert!(w.ready().is_empty());
    w.end();
    assert_eq!(&w.ready()[..8], &[4, 1, 2, 0, 0, 0, 1, 0]);
    assert_eq!(w.ready().len(), 512);
}

#[test]
fn headers_count_and_carry_the_reset_bit_once() {
    let mut w = MessageWriter::new();
    w.set_packet_size(512);
    w.set_session_id(0x1234);
    w.begin_with_reset(PacketType::SqlBatch, Reset::Session);
    w.put(&[7; 1100]);
    w.end();
    let packets = w.ready();
    assert_eq!(packets[..8], [1, 8, 2, 0, 0x12, 0x34, 1, 0]);
    assert_eq!(packets[512..520], [1, 0, 2, 0, 0x12, 0x34, 2, 0]);
    assert_eq!(packets[1024..1032], [1, 1, 0, 100, 0x12, 0x34, 3, 0]);
}

#[test]
fn flush_sends_a_packet_that_is_not_full() {
    let mut w = MessageWriter::new();
    w.begin(PacketType::TabularResult);
    w.flush();
    assert!(w.ready().is_empty());
    w.put(b"now");
    w.flush();
    assert_eq!(w.ready(), [4, 0, 0, 11, 0, 0, 1, 0, b'n', b'o', b'w']);
    w.put(b"later");
    w.end();
    assert_eq!(read_back(w.ready()), [b"nowlater"]);
}

#[test]
fn memory_is_given_back_when_all_is_sent() {
    let mut w = MessageWriter::new();
    w.begin(PacketType::TabularResult);
    w.put_long(&vec![1; 1 << 20]);
    w.end();
    w.consume(w.ready().len());
    assert_eq!((w.buffered_bytes(), w.buffer.capacity()), (0, 0));
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        size in 512u16..3000,
        messages in prop::collection::vec(
            prop::collection::vec((0usize..3000, 0u8..8, any::<u8>()), 0..20), 1..4),
    ) {
        let mut w = MessageWriter::new();
        w.set_packet_size(size);
        let mut sent = Vec::new();
        let mut expected = Vec::new();
        for message in &messages {
            w.begin(PacketType::TabularResult);
            let mut whole = Vec::new();
            for &(len, how, byte) in message {
                let bytes: Vec<u8> = (0..len).map(|i| byte.wrapping_add(i as u8)).collect();
                let is_forgotten = how & 4 != 0;
                w.seal();
                let mark = w.mark();
                if how & 1 == 0 { w.put(&bytes) } else { w.put_long(&bytes) }
                if is_forgotten {
                    w.put_long(&bytes);
                    w.seal();
                    w.rewind(mark);
                } else {
                    whole.extend_from_slice(&bytes);
                }
                w.seal();
                if how & 2 == 0 {
                    w.take_ready(&mut sent);
                } else {
                    let some = w.ready().len() / 2;
                    sent.extend_from_slice(&w.ready()[..some]);
                    w.consume(some);
                }
            }
            w.end();
            expected.push(whole);
        }
        w.take_ready(&mut sent);
        prop_assert_eq!(read_back(&sent), expected);
    }
}
