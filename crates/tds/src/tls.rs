//! TLS within packets: until TDS 8.0, the handshake's records travel in packets of type `PRELOGIN`,
//! and once it is over, records carry packets.
//!
//! This module moves bytes between the two forms; it knows nothing of TLS itself. The code that
//! drives the TLS library feeds it what [`HandshakeReader`] unwraps and sends what
//! [`wrap_handshake`] has wrapped, until the library says that the handshake is complete.

use crate::error::ProtocolError;
use crate::packet::{PacketEvent, PacketReader, PacketType, Side};
use crate::writer::MessageWriter;

/// Takes TLS records out of packets.
#[derive(Debug)]
pub struct HandshakeReader {
    packets: PacketReader,
}

impl HandshakeReader {
    /// A reader for the records that the other side sends.
    pub fn new(side: Side) -> HandshakeReader {
        HandshakeReader { packets: PacketReader::new(side) }
    }

    /// Takes the packets at the front of `input` apart and appends their content to `records`. It
    /// stops after a message: bytes that follow may be TLS without packets, if the message has
    /// completed the handshake. Returns whether it has stopped so.
    ///
    /// # Errors
    /// When there is anything but packets of type `PRELOGIN`.
    pub fn unwrap(
        &mut self,
        input: &mut &[u8],
        records: &mut Vec<u8>,
    ) -> Result<bool, ProtocolError> {
        while let Some(event) = self.packets.feed(input)? {
            match event {
                PacketEvent::Start { kind: PacketType::Prelogin, .. } => {}
                PacketEvent::Start { kind, .. } => {
                    return Err(ProtocolError::PacketType(kind as u8));
                }
                PacketEvent::Data(data) => records.extend_from_slice(data),
                PacketEvent::End { .. } => return Ok(true),
            }
        }
        Ok(false)
    }
}

/// Puts TLS records into packets, as one message.
pub fn wrap_handshake(records: &[u8], out: &mut MessageWriter) {
    if !records.is_empty() {
        out.begin(PacketType::Prelogin);
        out.put_long(records);
        out.end();
    }
}

/// What the first byte of a record or packet announces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FirstByte {
    /// A TLS record: a handshake at the start of a connection (TDS 8.0), data or an alert later.
    Tls,
    /// A packet.
    Packet,
}

impl FirstByte {
    /// Tells TLS records from packets. Where the login alone is encrypted, some clients encrypt all
    /// packets of the login and some only the first, so that the server has to look.
    pub const fn of(byte: u8) -> FirstByte {
        match byte {
            0x14..=0x17 => FirstByte::Tls,
            _ => FirstByte::Packet,
        }
    }
}

#[cfg(test)]
mod tests {
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
}
