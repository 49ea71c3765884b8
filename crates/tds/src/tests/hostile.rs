//! Hostile bytes: arbitrary ones, valid messages with a few bytes changed, and messages that
//! announce far more than they bring.

use std::sync::LazyLock;

use base::{Collation, SqlType, ValueRef};
use proptest::prelude::*;

use super::contents;
use super::samples::extremes;
use crate::client::request::{Parameter, RpcWriter, TableColumnSpec};
use crate::client::{BulkWriter, TokenReader};
use crate::columns::Column;
use crate::error::ProtocolError;
use crate::fuzz::{fuzz_client, fuzz_server};
use crate::packet::{Reset, Side};
use crate::server::rpc::RpcReader;
use crate::server::{BulkEvent, BulkReader, ResponseWriter, RowEncoder};
use crate::version::TdsVersion;
use crate::writer::MessageWriter;

const V: TdsVersion = TdsVersion::V7_4;

/// A value of each type, short ones so that changes hit what matters.
fn short_values() -> Vec<(SqlType, base::Value)> {
    let cut = |bytes: Box<[u8]>| bytes[..bytes.len().min(6)].into();
    extremes()
        .into_iter()
        .map(|(ty, mut values)| {
            let value = match values.pop().unwrap() {
                base::Value::Chars(b) => base::Value::Chars(cut(b)),
                base::Value::Unicode(b) => base::Value::Unicode(cut(b)),
                base::Value::Bytes(b) => base::Value::Bytes(cut(b)),
                other => other,
            };
            (ty, value)
        })
        .collect()
}

/// A valid input for [`fuzz_server`]: a call, a bulk load.
fn requests() -> Vec<Vec<u8>> {
    let values = short_values();
    let mut out = MessageWriter::new();
    let mut calls = RpcWriter::begin(&mut out, V, 1, Reset::None);
    calls.call("p", 0);
    for (ty, value) in &values {
        calls.parameter(&Parameter::input("@p", *ty, value.as_ref())).unwrap();
    }
    let columns: Vec<_> =
        values.iter().map(|(ty, _)| TableColumnSpec { ty: *ty, default: false }).collect();
    let row: Vec<ValueRef<'_>> = values.iter().map(|(_, value)| value.as_ref()).collect();
    let mut table = calls.table("@t", ("s", "t"), &columns);
    table.row(&row[..]).unwrap();
    table.end();
    calls.end();
    let columns: Vec<_> = values.iter().map(|(ty, _)| Column::nullable("c", *ty)).collect();
    let mut load = BulkWriter::begin(&mut out, &columns, V);
    load.row(&row[..]).unwrap();
    load.row(&row[..]).unwrap();
    load.end();
    let bodies = contents(Side::Server, &out);
    let prefixed = |kind: u8, body: &[u8]| [&[4, kind, 100], body].concat();
    vec![prefixed(1, &bodies[0]), prefixed(3, &bodies[1]), prefixed(7, out.ready())]
}

/// A valid input for [`fuzz_client`].
fn result() -> Vec<u8> {
    let values = short_values();
    let columns: Vec<_> = values.iter().map(|(ty, _)| Column::nullable("c", *ty)).collect();
    let row: Vec<ValueRef<'_>> = values.iter().map(|(_, value)| value.as_ref()).collect();
    let encoder = RowEncoder::new(&columns, V);
    let mut writer = ResponseWriter::new(V);
    writer.begin();
    writer.columns(&columns, false);
    writer.row(&encoder, &row[..]).unwrap();
    writer.row(&encoder, &vec![ValueRef::Null; row.len()][..]).unwrap();
    for (ty, value) in &values {
        writer.output_parameter(0, "@p", ty, None, value.as_ref()).unwrap();
    }
    writer.end();
    [&[4, 200][..], &contents(Side::Client, writer.message())[0]].concat()
}

static REQUESTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(requests);
static RESULT: LazyLock<Vec<u8>> = LazyLock::new(result);

#[test]
fn every_single_byte_can_be_wrong() {
    for input in REQUESTS.iter() {
        for at in 3..input.len() {
            for byte in [0, 0xFF, input[at] ^ 0x81] {
                let mut changed = input.clone();
                changed[at] = byte;
                fuzz_server(&changed);
            }
            if at % 7 == 0 {
                fuzz_server(&input[..at]);
            }
        }
    }
    let input = &*RESULT;
    for at in 2..input.len() {
        for byte in [0, 0xFF, input[at] ^ 0x81] {
            let mut changed = input.clone();
            changed[at] = byte;
            fuzz_client(&changed);
        }
    }
}

#[test]
fn announcing_much_costs_nothing() {
    let call = |parameter: &[u8]| {
        let body = [&[1, 0, b'p', 0, 0, 0, 0, 0][..], parameter].concat();
        let mut reader = RpcReader::new(&body, TdsVersion::V7_1, Collation::DEFAULT).unwrap();
        reader.next_call().unwrap_err().error
    };
    let huge = [0xFF, 0xFF, 0xFF, 0x7F];
    assert_eq!(call(&[&[0x22, 0, 0, 0, 0][..], &huge].concat()), ProtocolError::Truncated);
    let max = [0xA5, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0x10];
    assert_eq!(call(&[&max[..], &huge].concat()), ProtocolError::Truncated);
    assert_eq!(call(&[0x62, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F]), ProtocolError::Truncated);
    let mut reader = TokenReader::new(V, Collation::DEFAULT);
    // A result with 65,534 columns, session state of 4 GB.
    for announced in [&[0x81, 0xFE, 0xFF][..], &[0xE4, 0xFF, 0xFF, 0xFF, 0xFF, 1]] {
        reader.feed(announced);
        assert!(reader.next().unwrap().is_none());
        reader = TokenReader::new(V, Collation::DEFAULT);
    }
}

#[test]
fn a_large_value_in_tiny_pieces_takes_linear_time() {
    // 40,000 chunks of 8 bytes, fed 16 bytes at a time: were each piece to begin the row anew, this
    // would not end before the test is given up.
    let mut body = vec![0x81, 1, 0, 0, 0, 0, 0, 1, 0, 0xA5, 0xFF, 0xFF, 0, 0xD1];
    body.extend((u64::MAX - 1).to_le_bytes());
    for _ in 0..40_000 {
        body.extend([8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
    body.extend([0; 4]);
    let mut load = BulkReader::new(V, Collation::DEFAULT, 1 << 20);
    let mut rows = 0;
    for piece in body.chunks(16) {
        load.feed(piece);
        loop {
            match load.next().unwrap() {
                BulkEvent::NeedMore => break,
                BulkEvent::Row(row) => {
                    assert_eq!(row.raw(0).map(<[u8]>::len), Some(320_000));
                    rows += 1;
                }
                _ => {}
            }
        }
    }
    assert_eq!(rows, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz_server(&bytes);
        fuzz_client(&bytes);
    }

    #[test]
    fn arbitrary_tokens_do_no_harm(
        bytes in prop::collection::vec(
            prop_oneof![
                Just(0x81u8), Just(0xD1), Just(0xD2), Just(0xA5), Just(0x26), Just(0x6A),
                Just(0), Just(1), Just(0xFF), any::<u8>(),
            ],
            0..200,
        ),
        kind in 0u8..8,
    ) {
        fuzz_server(&[&[4, kind, 3][..], &bytes].concat());
        fuzz_client(&[&[4, 3][..], &bytes].concat());
    }

    #[test]
    fn changed_messages_do_no_harm(
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6),
    ) {
        let change = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            for (at, byte) in &changes {
                let at = usize::from(*at) % bytes.len();
                bytes[at] = *byte;
            }
            bytes
        };
        REQUESTS.iter().for_each(|input| fuzz_server(&change(input)));
        fuzz_client(&change(&RESULT));
    }
}
