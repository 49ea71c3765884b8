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
    /// completed the handshake. Returns whether it has stopped there.
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
mod tests;
