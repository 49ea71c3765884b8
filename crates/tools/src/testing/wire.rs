//! The server's end of a connection, with TLS on it or without.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};
use tds::tls::{FirstByte, HandshakeReader, wrap_handshake};
use tds::{MessageWriter, Side};

/// A certificate for this machine, and what TLS needs to use it.
#[derive(Clone)]
pub struct Identity {
    config: Arc<ServerConfig>,
    /// The certificate as a file has it.
    pub pem: String,
}

impl Identity {
    /// A new one.
    pub fn new() -> Identity {
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        config.alpn_protocols = vec![b"tds/8.0".to_vec()];
        Identity { config: Arc::new(config), pem: made.cert.pem() }
    }
}

/// A connection.
pub struct Wire {
    socket: TcpStream,
    tls: Option<ServerConnection>,
}

impl Wire {
    pub fn new(socket: TcpStream) -> Wire {
        Wire { socket, tls: None }
    }

    /// Whether the client begins with TLS.
    pub fn begins_with_tls(&self) -> bool {
        let mut byte = [0];
        self.socket.peek(&mut byte).is_ok_and(|n| n == 1)
            && FirstByte::of(byte[0]) == FirstByte::Tls
    }

    /// TLS at once.
    pub fn start_strict(&mut self, identity: &Identity) -> io::Result<()> {
        let mut tls = ServerConnection::new(identity.config.clone()).unwrap();
        while tls.is_handshaking() {
            tls.complete_io(&mut self.socket)?;
        }
        self.tls = Some(tls);
        Ok(())
    }

    /// TLS whose handshake is within packets.
    pub fn start_within_packets(&mut self, identity: &Identity) -> io::Result<()> {
        let mut tls = ServerConnection::new(identity.config.clone()).unwrap();
        let mut packets = HandshakeReader::new(Side::Server);
        while tls.is_handshaking() {
            let mut buffer = [0; 4096];
            let count = self.socket.read(&mut buffer)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (mut input, mut records) = (&buffer[..count], Vec::new());
            while !input.is_empty() {
                packets.unwrap(&mut input, &mut records).map_err(io::Error::other)?;
            }
            let mut rest = records.as_slice();
            while !rest.is_empty() {
                tls.read_tls(&mut rest)?;
                tls.process_new_packets().map_err(io::Error::other)?;
            }
            let mut answer = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut answer)?;
            }
            let mut out = MessageWriter::new();
            wrap_handshake(&answer, &mut out);
            self.socket.write_all(out.ready())?;
        }
        self.tls = Some(tls);
        Ok(())
    }

    /// No TLS any more.
    pub fn stop_tls(&mut self) {
        self.tls = None;
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.tls {
            Some(tls) => rustls::Stream::new(tls, &mut self.socket).read(buffer),
            None => self.socket.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.tls {
            Some(tls) => rustls::Stream::new(tls, &mut self.socket).write(bytes),
            None => self.socket.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.tls {
            Some(tls) => rustls::Stream::new(tls, &mut self.socket).flush(),
            None => self.socket.flush(),
        }
    }
}
