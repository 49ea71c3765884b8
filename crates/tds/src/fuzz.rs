//! Entry points for a fuzzer: every reader of this crate, on arbitrary bytes.
//!
//! None of them may panic or take memory out of proportion to the input; what the readers return is
//! ignored. The first bytes of the input choose the reader of the rest.

use base::Collation;

use crate::client::{Token, TokenReader};
use crate::login::Login;
use crate::packet::{MessageEvent, MessageReader, PacketType, Side};
use crate::prelogin::Prelogin;
use crate::row::Row;
use crate::server::rpc::{RpcReader, RpcValue};
use crate::server::{BulkEvent, BulkReader, SqlBatch, TransactionRequest};
use crate::tls::HandshakeReader;
use crate::version::TdsVersion;

/// The kinds of messages that a server reads.
const KINDS: [PacketType; 6] = [
    PacketType::SqlBatch,
    PacketType::Rpc,
    PacketType::TransactionManager,
    PacketType::BulkLoad,
    PacketType::Login,
    PacketType::Prelogin,
];
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Reads `data` as what a client sends: a stream of packets, or the content of one message.
pub fn fuzz_server(data: &[u8]) {
    let [version, kind, step, rest @ ..] = data else { return };
    let version = TdsVersion::ALL[usize::from(*version) % TdsVersion::ALL.len()];
    let step = usize::from(*step).max(1);
    if let Some(kind) = KINDS.get(usize::from(*kind) % 8) {
        return match kind {
            PacketType::BulkLoad => read_bulk(rest, version, step),
            kind => read_message(*kind, rest, version),
        };
    }
    let mut handshake = HandshakeReader::new(Side::Server);
    let _ = handshake.unwrap(&mut &rest[..], &mut Vec::new());
    let mut messages = MessageReader::new(Side::Server, MESSAGE_BYTES_MAX);
    for piece in rest.chunks(step) {
        let mut input = piece;
        loop {
            match messages.feed(&mut input) {
                Ok(Some(MessageEvent::Message { kind, body, .. })) => {
                    read_message(kind, body, version);
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    error.to_sql_error();
                    return;
                }
            }
        }
    }
}

fn read_message(kind: PacketType, body: &[u8], version: TdsVersion) {
    match kind {
        PacketType::SqlBatch => {
            if let Ok(batch) = SqlBatch::parse(body, version) {
                batch.text.to_text();
            }
        }
        PacketType::Rpc => read_calls(body, version),
        PacketType::TransactionManager => {
            let _ = TransactionRequest::parse(body, version);
        }
        PacketType::Login => {
            if let Ok(login) = Login::parse(body) {
                let _ = Login::parse(&login.to_bytes());
            }
        }
        PacketType::Prelogin => {
            if let Ok(prelogin) = Prelogin::parse(body) {
                let _ = Prelogin::parse(&prelogin.to_bytes());
            }
        }
        _ => {}
    }
}

fn read_calls(body: &[u8], version: TdsVersion) {
    let Ok(mut calls) = RpcReader::new(body, version, Collation::DEFAULT) else { return };
    loop {
        match calls.next_call() {
            Ok(Some(call)) => {
                for parameter in &call.parameters {
                    let RpcValue::Table(table) = &parameter.value else { continue };
                    let mut rows = table.rows();
                    let mut values = Vec::new();
                    while let Ok(true) = rows.next_into(&mut values) {}
                }
            }
            Ok(None) => return,
            Err(error) => {
                error.to_sql_error();
                return;
            }
        }
    }
}

fn read_bulk(body: &[u8], version: TdsVersion, step: usize) {
    let mut reader = BulkReader::new(version, Collation::DEFAULT, MESSAGE_BYTES_MAX);
    let mut pieces = body.chunks(step);
    loop {
        match reader.next() {
            Ok(BulkEvent::NeedMore) => match pieces.next() {
                Some(piece) => reader.feed(piece),
                None => reader.end(),
            },
            Ok(BulkEvent::Columns(_)) => {}
            Ok(BulkEvent::Row(row)) => read_row(&row),
            Ok(BulkEvent::End) | Err(_) => return,
        }
    }
}

fn read_row(row: &Row<'_>) {
    for column in 0..row.len() {
        if let Err(error) = row.get(column) {
            error.as_bulk_column(column + 1);
        }
    }
}

/// Reads `data` as what a server sends: the content of an answer, in pieces.
pub fn fuzz_client(data: &[u8]) {
    let [version, step, rest @ ..] = data else { return };
    let version = TdsVersion::ALL[usize::from(*version) % TdsVersion::ALL.len()];
    let mut reader = TokenReader::new(version, Collation::DEFAULT);
    for piece in rest.chunks(usize::from(*step).max(1)) {
        reader.feed(piece);
        loop {
            match reader.next() {
                Ok(Some(Token::Row(row))) => read_row(&row),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
}
