use super::*;
use crate::packet::PacketType;

#[test]
fn every_change_survives_the_wire() {
    let collation = WireCollation([9, 4, 0xD0, 0, 0x34]);
    for change in [
        EnvChange::Database { new: "Ä".into(), old: "master".into() },
        EnvChange::Language { new: "us_english".into(), old: "".into() },
        EnvChange::PacketSize { new: 8000, old: 4096 },
        EnvChange::Collation { new: Some(collation), old: None },
        EnvChange::BeginTransaction { descriptor: 1 << 40 },
        EnvChange::CommitTransaction { descriptor: 7 },
        EnvChange::RollbackTransaction { descriptor: u64::MAX },
        EnvChange::TransactionEnded { descriptor: 0 },
        EnvChange::ResetConnection,
        EnvChange::Other { kind: 13, values: vec![0, 0].into() },
    ] {
        let mut out = MessageWriter::new();
        out.begin(PacketType::TabularResult);
        change.write(&mut out);
        out.end();
        let token = &out.ready()[8..];
        assert_eq!(token[0], 0xE3);
        assert_eq!(usize::from(u16::from_le_bytes([token[1], token[2]])), token.len() - 3);
        assert_eq!(EnvChange::read(&token[3..]), Ok(change));
    }
}

#[test]
fn a_begun_transaction_is_announced_as_in_the_specification() {
    let mut out = MessageWriter::new();
    out.begin(PacketType::TabularResult);
    EnvChange::BeginTransaction { descriptor: 1 }.write(&mut out);
    out.end();
    assert_eq!(out.ready()[8..], [0xE3, 11, 0, 8, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
}
