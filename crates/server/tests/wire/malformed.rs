//! Bytes that no client should send. Each ends its own connection, and no other.

use base::{SqlType, Value, ValueRef};
use tds::client::request::{Parameter, RpcWriter, TableColumnSpec};
use tds::packet::{PacketType, Reset};
use tds::server::rpc::ProcedureId;
use tds::{MessageWriter, TdsVersion};

use crate::support::{Raw, TestServer, batch, wait_until};

/// A packet with this header and content, whatever the header says.
fn packet(kind: u8, status: u8, length: u16, id: u8, content: &[u8]) -> Vec<u8> {
    let [high, low] = length.to_be_bytes();
    [&[kind, status, high, low, 0, 0, id, 0][..], content].concat()
}

#[test]
fn before_the_login() {
    let server = TestServer::shared();
    let random: Vec<u8> =
        (0..2000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("http", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()),
        ("noise", random),
        ("zeros", vec![0; 100]),
        ("a request", packet(1, 1, 12, 1, &[0; 4])),
        ("an old login", packet(2, 1, 12, 1, &[0; 4])),
        ("an empty prelogin", packet(0x12, 1, 8, 1, &[])),
        ("a prelogin without an end", packet(0x12, 1, 13, 1, &[0, 0, 6, 0, 6])),
        ("a login that points outside", packet(0x10, 1, 108, 1, &[0xFF; 100])),
        ("a packet shorter than its header", packet(0x12, 1, 7, 1, &[])),
        ("nonsense in TLS", [&[0x16, 3, 1, 0, 50][..], &[0x55; 50]].concat()),
        ("a login without an end", packet(0x10, 0, 4096, 1, &[0; 4088]).repeat(40)),
    ];
    for (what, bytes) in cases {
        let mut raw = Raw::connect(&server);
        raw.send_bytes(&bytes);
        assert!(raw.is_closed(), "{what}");
    }
    drop(server.connect());
}

#[test]
fn after_the_login() {
    let server = TestServer::shared();
    let mut witness = Raw::login(&server);
    let part = packet(1, 0, 4096, 1, &[0; 4088]);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("an unknown type", packet(0x77, 1, 12, 1, &[0; 4])),
        ("an answer", packet(4, 1, 12, 1, &[0; 4])),
        ("a second login", packet(0x10, 1, 12, 1, &[0; 4])),
        ("a short packet", packet(1, 1, 3, 1, &[])),
        ("a packet out of order", [part.clone(), packet(1, 1, 12, 7, &[0; 4])].concat()),
        ("a message within another", [part.clone(), packet(3, 1, 12, 2, &[0; 4])].concat()),
        ("headers that are too long", packet(1, 1, 12, 1, &[0xFF, 0xFF, 0xFF, 0x7F])),
        ("headers of length 0", packet(1, 1, 12, 1, &[0; 4])),
        ("half a character", packet(1, 1, 8 + 23, 1, &[&batch("")[..], b"x"].concat())),
        (
            "an unknown transaction request",
            packet(14, 1, 8 + 24, 1, &[&batch("")[..], &[99, 0]].concat()),
        ),
    ];
    for (what, bytes) in cases {
        let mut raw = Raw::login(&server);
        raw.send_bytes(&bytes);
        assert!(raw.is_closed(), "{what}");
    }
    witness.send(PacketType::Attention, &[]);
    assert!(witness.answer().is_some(), "others live on");
}

#[test]
fn a_message_above_the_limit_ends_its_session() {
    let limit = server::config::Bytes(100_000);
    let config = server::config::Config { message_limit: limit, ..Default::default() };
    let server = TestServer::with(config);
    let mut raw = Raw::login(&server);
    let mut rest = vec![packet(1, 0, 4096, 1, &[b' '; 4088])];
    for id in 2..30 {
        rest.push(packet(1, 0, 4096, id, &[b' '; 4088]));
    }
    raw.send_bytes(&rest.concat());
    assert!(raw.is_closed());
    drop(server.connect());
}

#[test]
fn a_client_that_leaves_in_the_middle_is_forgotten() {
    let server = TestServer::new();
    for cut in [3, 8, 20, 4000] {
        let mut raw = Raw::login(&server);
        raw.send_bytes(&packet(1, 0, 4096, 1, &[0; 4088])[..cut]);
    }
    let running = server.running().server();
    let is_idle = || running.connections() == 0 && running.instance.sessions.is_empty();
    wait_until("connections are given back", is_idle);
}

/// Valid calls with a table and every kind of length in them.
fn calls() -> Vec<u8> {
    let version = TdsVersion::V7_4;
    let mut out = MessageWriter::new();
    let mut rpc = RpcWriter::begin(&mut out, version, 0, Reset::None);
    let text: Vec<u8> = "select @a, @b".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let declared: Vec<u8> =
        "@a int, @b nvarchar(max)".encode_utf16().flat_map(u16::to_le_bytes).collect();
    rpc.call_id(ProcedureId::ExecuteSql, 0);
    let max = SqlType::nvarchar_max(Default::default());
    for (name, ty, value) in [
        ("", max, ValueRef::Unicode(&text)),
        ("", max, ValueRef::Unicode(&declared)),
        ("@a", SqlType::int(), ValueRef::Int(7)),
        ("@b", max, ValueRef::Unicode(&text)),
    ] {
        rpc.parameter(&Parameter::input(name, ty, value)).unwrap();
    }
    rpc.call("sp_executesql", 0);
    let columns = [TableColumnSpec { ty: SqlType::int(), default: false }];
    let mut table = rpc.table("@t", ("dbo", "t"), &columns);
    table.row(&[Value::Int(1)][..]).unwrap();
    table.end();
    rpc.end();
    out.ready().to_vec()
}

#[test]
fn mutated_requests_do_no_harm() {
    let server = TestServer::shared();
    let valid = [calls(), packet(1, 1, 0, 1, &batch("select 1 as a; print 'x'"))];
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for round in 0..300 {
        let mut bytes = valid[round % 2].clone();
        if round % 2 == 1 {
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[2..4].copy_from_slice(&length);
        }
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        let mut raw = Raw::login(&server);
        raw.send_bytes(&bytes);
        raw.stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(raw.is_closed(), "round {round}");
    }
    drop(server.connect());
}
