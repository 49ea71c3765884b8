use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};

use super::*;

fn connections() -> (ClientConnection, ServerConnection) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = [&rustls::version::TLS12];
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    (
        ClientConnection::new(Arc::new(client), name).unwrap(),
        ServerConnection::new(Arc::new(server)).unwrap(),
    )
}

/// Sends what one side has to say, in packets, byte by byte.
macro_rules! pass {
    ($from:expr, $to:expr, $reader:expr) => {{
        let mut records = Vec::new();
        while $from.wants_write() {
            $from.write_tls(&mut records).unwrap();
        }
        let mut out = MessageWriter::new();
        out.set_packet_size(512);
        wrap_handshake(&records, &mut out);
        let mut unwrapped = Vec::new();
        for byte in out.ready().chunks(1) {
            let mut input = byte;
            $reader.unwrap(&mut input, &mut unwrapped).unwrap();
            assert!(input.is_empty());
        }
        let mut rest = &unwrapped[..];
        while !rest.is_empty() {
            $to.read_tls(&mut rest).unwrap();
            $to.process_new_packets().unwrap();
        }
    }};
}

#[test]
fn a_handshake_runs_within_packets() {
    let (mut client, mut server) = connections();
    let mut at_server = HandshakeReader::new(Side::Server);
    let mut at_client = HandshakeReader::new(Side::Client);
    let mut rounds = 0;
    while client.is_handshaking() || server.is_handshaking() {
        pass!(client, server, at_server);
        pass!(server, client, at_client);
        rounds += 1;
        assert!(rounds < 10);
    }
}

#[test]
fn what_follows_the_handshake_is_left_alone() {
    let mut out = MessageWriter::new();
    wrap_handshake(b"finished", &mut out);
    let bytes = [out.ready(), b"\x17raw"].concat();
    let (mut input, mut records) = (&bytes[..], Vec::new());
    assert_eq!(HandshakeReader::new(Side::Server).unwrap(&mut input, &mut records), Ok(true));
    assert_eq!((records.as_slice(), input), (&b"finished"[..], &b"\x17raw"[..]));
    assert_eq!(FirstByte::of(input[0]), FirstByte::Tls);
    assert_eq!(FirstByte::of(0x10), FirstByte::Packet);
    assert_eq!(FirstByte::of(0x12), FirstByte::Packet);
}

#[test]
fn other_packets_end_the_handshake() {
    let mut out = MessageWriter::new();
    out.begin(PacketType::SqlBatch);
    out.end();
    let result = HandshakeReader::new(Side::Server).unwrap(&mut out.ready(), &mut Vec::new());
    assert_eq!(result, Err(ProtocolError::PacketType(1)));
}
