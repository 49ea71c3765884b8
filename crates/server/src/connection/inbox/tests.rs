use tds::MessageWriter;
use tds::writer::PutBytes;

use super::*;

fn message(kind: PacketType, content: &[u8]) -> Vec<u8> {
    let mut writer = MessageWriter::new();
    writer.begin(kind);
    writer.put(content);
    writer.end();
    writer.ready().to_vec()
}

/// Messages that are never completed were not counted: a few clients could take all memory.
#[test]
fn messages_are_charged_as_they_arrive() {
    let account = Account::new(1 << 20, "default");
    let mut inbox = Inbox::new(100 << 20);
    inbox.charge_to(account.clone());
    inbox.feed(&message(PacketType::SqlBatch, &[0; 1000]));
    assert_eq!(account.used(), 0, "short ones are not");
    let _ = inbox.take();
    inbox.finish();
    let long = message(PacketType::SqlBatch, &[0; 300 << 10]);
    inbox.feed(&long[..200 << 10]);
    assert!(account.used() >= 190 << 10, "{}", account.used());
    inbox.feed(&long[200 << 10..]);
    let taken = inbox.take().unwrap();
    assert!(account.used() >= 300 << 10, "it is being dealt with: {}", account.used());
    drop(taken);
    inbox.finish();
    assert_eq!(account.used(), 0);
    let endless = message(PacketType::SqlBatch, &vec![0; 8 << 20]);
    for piece in endless.chunks(32 << 10) {
        inbox.feed(piece);
    }
    assert!(inbox.is_refused() && inbox.has_ended() && account.used() <= 1 << 20);
    drop(inbox);
    assert_eq!(account.used(), 0);
}

#[test]
fn an_attention_waits_behind_its_request() {
    let mut inbox = Inbox::new(1000);
    let both = [message(PacketType::SqlBatch, b"x"), message(PacketType::Attention, b"")];
    inbox.feed(&both.concat());
    assert!(!inbox.take_attention());
    assert!(matches!(inbox.take(), Ok(Some(Inbound::Message { .. }))));
    assert!(inbox.take_attention());
    assert!(matches!(inbox.take(), Ok(None)));
}

#[test]
fn what_was_right_is_handed_out_before_what_is_wrong() {
    let mut inbox = Inbox::new(1000);
    inbox.feed(&[message(PacketType::SqlBatch, b"x"), vec![0x77; 8]].concat());
    assert!(inbox.has_ended());
    assert!(matches!(inbox.take(), Ok(Some(Inbound::Message { .. }))));
    assert_eq!(inbox.take().unwrap_err(), ProtocolError::PacketType(0x77));
}

#[test]
fn an_end_within_a_message_is_a_failure() {
    let mut inbox = Inbox::new(1000);
    inbox.end();
    assert!(matches!(inbox.take(), Ok(None)) && inbox.has_ended());
    let mut inbox = Inbox::new(1000);
    inbox.feed(&message(PacketType::SqlBatch, b"x")[..8]);
    inbox.end();
    assert_eq!(inbox.take().unwrap_err(), ProtocolError::ConnectionEnded);
}

#[test]
fn an_inbox_stops_reading_a_bulk_load_until_its_data_is_taken() {
    let mut inbox = Inbox::new(1000);
    let load = message(PacketType::BulkLoad, &vec![1; 400_000]);
    inbox.feed(&load);
    assert!(!inbox.wants_more());
    assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkStart { .. }))));
    assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkData(_)))));
    assert!(inbox.wants_more());
}
