//! Packets: how messages are cut into pieces, and how pieces become messages again.
//!
//! A packet is an 8-byte header and up to 32,759 bytes of a message; the last packet of a message
//! says so. [`PacketReader`] takes bytes as they arrive and hands on the pieces without copying or
//! keeping them, so that a message of any size can be consumed while it arrives. [`MessageReader`]
//! gathers whole messages on top of it, up to a limit, except for the types that the caller reads
//! as a stream.
//!
//! # Invariants
//! P1: nothing is allocated because a length field says so, only because bytes have arrived.
//! P2: after an error the stream has no known position any more; the connection must be closed.
//!
//! Packet numbers: SQL Server ignores them. Clients count them up within a message or give all
//! packets of a message the same number. Both are accepted, a message that does neither is not.

use crate::error::ProtocolError;

/// Bytes in a packet header.
pub const HEADER_LEN: usize = 8;
/// The smallest packet size that can be agreed.
pub const PACKET_SIZE_MIN: u16 = 512;
/// The largest packet size that can be agreed.
pub const PACKET_SIZE_MAX: u16 = 32767;
/// The packet size before the login has agreed on another.
pub const PACKET_SIZE_DEFAULT: u16 = 4096;

/// The packet size to use with a client that asks for `asked` (0: whatever the server likes).
pub fn negotiate_packet_size(asked: u32, preferred: u16) -> u16 {
    let size = match asked {
        0 => preferred,
        asked => u16::try_from(asked).unwrap_or(PACKET_SIZE_MAX),
    };
    size.clamp(PACKET_SIZE_MIN, PACKET_SIZE_MAX)
}

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum PacketType {
    /// A batch of T-SQL.
    SqlBatch = 0x01,
    /// A login older than TDS 7.
    OldLogin = 0x02,
    /// Calls of procedures.
    Rpc = 0x03,
    /// What the server answers.
    TabularResult = 0x04,
    /// The client asks for the running request to stop.
    Attention = 0x06,
    /// Rows for `INSERT BULK`.
    BulkLoad = 0x07,
    /// A token of federated authentication.
    FederatedToken = 0x08,
    /// A request about transactions.
    TransactionManager = 0x0E,
    /// `LOGIN7`.
    Login = 0x10,
    /// A further message of an SSPI login.
    Sspi = 0x11,
    /// `PRELOGIN`, and TLS records while TLS is being set up.
    Prelogin = 0x12,
}

impl PacketType {
    const fn from_byte(byte: u8) -> Option<PacketType> {
        Some(match byte {
            0x01 => PacketType::SqlBatch,
            0x02 => PacketType::OldLogin,
            0x03 => PacketType::Rpc,
            0x04 => PacketType::TabularResult,
            0x06 => PacketType::Attention,
            0x07 => PacketType::BulkLoad,
            0x08 => PacketType::FederatedToken,
            0x0E => PacketType::TransactionManager,
            0x10 => PacketType::Login,
            0x11 => PacketType::Sspi,
            0x12 => PacketType::Prelogin,
            _ => return None,
        })
    }
}

/// Bits of a packet's status.
pub mod status {
    /// The last packet of its message.
    pub const END_OF_MESSAGE: u8 = 0x01;
    /// The message is to be ignored; only with [`END_OF_MESSAGE`].
    pub const IGNORE: u8 = 0x02;
    /// The session is to be reset before the request runs.
    pub const RESET_CONNECTION: u8 = 0x08;
    /// As `RESET_CONNECTION`, but an open transaction stays.
    pub const RESET_CONNECTION_KEEP_TRANSACTION: u8 = 0x10;
}

/// What a client asks to have reset before its request runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Reset {
    /// Nothing.
    #[default]
    None,
    /// The session's state, and the open transaction is rolled back.
    Session,
    /// The session's state; the open transaction stays.
    SessionKeepTransaction,
}

impl Reset {
    const fn from_status(bits: u8) -> Reset {
        if bits & status::RESET_CONNECTION_KEEP_TRANSACTION != 0 {
            Reset::SessionKeepTransaction
        } else if bits & status::RESET_CONNECTION != 0 {
            Reset::Session
        } else {
            Reset::None
        }
    }

    /// The bits of a packet's status that ask for this.
    pub const fn status(self) -> u8 {
        match self {
            Reset::None => 0,
            Reset::Session => status::RESET_CONNECTION,
            Reset::SessionKeepTransaction => status::RESET_CONNECTION_KEEP_TRANSACTION,
        }
    }
}

/// Which side of the connection reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The server, which receives requests.
    Server,
    /// The client, which receives answers.
    Client,
}

impl Side {
    const fn receives(self, kind: PacketType) -> bool {
        match (self, kind) {
            (Side::Server, PacketType::TabularResult) => false,
            (Side::Server, _) => true,
            // The server's side of a TLS handshake comes as PRELOGIN.
            (Side::Client, PacketType::TabularResult | PacketType::Prelogin) => true,
            (Side::Client, _) => false,
        }
    }
}

/// What [`PacketReader::feed`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketEvent<'a> {
    /// A message begins.
    Start {
        /// What it is.
        kind: PacketType,
        /// What to reset first.
        reset: Reset,
    },
    /// A piece of the message.
    Data(&'a [u8]),
    /// The message is complete.
    End {
        /// The sender has withdrawn the message: the message must have no effect.
        ignored: bool,
    },
}

#[derive(Clone, Copy, Debug)]
struct OpenMessage {
    kind: PacketType,
    last_id: u8,
    /// What is added to a packet number to get the next one; unknown until the second packet.
    step: Option<u8>,
}

/// Takes packets apart. It keeps at most a header's eight bytes.
#[derive(Debug)]
pub struct PacketReader {
    side: Side,
    size_max: u16,
    header: [u8; HEADER_LEN],
    header_filled: usize,
    /// Bytes of the current packet that have not come yet.
    body_left: usize,
    /// The status of the current packet, while it has not been finished.
    ending: Option<u8>,
    message: Option<OpenMessage>,
    /// A message that an attention has cut short is reported as ended first.
    interrupted: bool,
    /// Packets that have begun so far.
    packets: u64,
}

impl PacketReader {
    /// A reader at the start of a connection, or of any message.
    pub fn new(side: Side) -> PacketReader {
        PacketReader {
            side,
            size_max: PACKET_SIZE_MAX,
            header: [0; HEADER_LEN],
            header_filled: 0,
            body_left: 0,
            ending: None,
            message: None,
            interrupted: false,
            packets: 0,
        }
    }

    /// How many packets have been read so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// From the next packet on, accepts no packet longer than `size` bytes, header included.
    pub fn set_packet_size_max(&mut self, size: u16) {
        self.size_max = size.clamp(PACKET_SIZE_MIN, PACKET_SIZE_MAX);
    }

    /// Whether the stream is between two messages. At the end of a connection everything else is
    /// [`ProtocolError::ConnectionEnded`].
    pub fn is_between_messages(&self) -> bool {
        self.message.is_none() && self.header_filled == 0 && self.ending.is_none()
    }

    /// Takes the next piece from the front of `input`; nothing when `input` is used up.
    ///
    /// # Errors
    /// Whatever is wrong with a header; the connection must be closed then.
    pub fn feed<'a>(
        &mut self,
        input: &mut &'a [u8],
    ) -> Result<Option<PacketEvent<'a>>, ProtocolError> {
        loop {
            if let Some(bits) = self.ending {
                if self.body_left > 0 {
                    return Ok(self.body(input).map(PacketEvent::Data));
                }
                self.ending = None;
                if bits & status::END_OF_MESSAGE != 0 {
                    self.message = None;
                    return Ok(Some(PacketEvent::End { ignored: bits & status::IGNORE != 0 }));
                }
            }
            if !self.fill_header(input) {
                return Ok(None);
            }
            if let Some(event) = self.open_packet()? {
                return Ok(Some(event));
            }
        }
    }

    fn body<'a>(&mut self, input: &mut &'a [u8]) -> Option<&'a [u8]> {
        let (body, rest) = input.split_at(self.body_left.min(input.len()));
        *input = rest;
        self.body_left -= body.len();
        (!body.is_empty()).then_some(body)
    }

    fn fill_header(&mut self, input: &mut &[u8]) -> bool {
        let wanted = &mut self.header[self.header_filled..];
        let (now, rest) = input.split_at(wanted.len().min(input.len()));
        wanted[..now.len()].copy_from_slice(now);
        *input = rest;
        self.header_filled += now.len();
        self.header_filled == HEADER_LEN
    }

    /// Looks at a complete header. An event is due when the packet begins a message, or cuts the
    /// one before it short.
    fn open_packet(&mut self) -> Result<Option<PacketEvent<'static>>, ProtocolError> {
        let [ty, bits, length_hi, length_lo, _, _, id, _] = self.header;
        let kind = PacketType::from_byte(ty)
            .filter(|kind| self.side.receives(*kind))
            .ok_or(ProtocolError::PacketType(ty))?;
        let length = u16::from_be_bytes([length_hi, length_lo]);
        if usize::from(length) < HEADER_LEN || length > self.size_max {
            return Err(ProtocolError::PacketLength { length, limit: self.size_max });
        }
        let begins = match &mut self.message {
            Some(open) if open.kind == kind => {
                open.check_order(id)?;
                false
            }
            // An attention does not wait for the message that it is about.
            Some(_) if kind == PacketType::Attention && !self.interrupted => {
                self.interrupted = true;
                return Ok(Some(PacketEvent::End { ignored: true }));
            }
            Some(open) if !self.interrupted => {
                return Err(ProtocolError::PacketInterleaved {
                    message: open.kind as u8,
                    packet: ty,
                });
            }
            _ => true,
        };
        if begins {
            self.interrupted = false;
            self.message = Some(OpenMessage { kind, last_id: id, step: None });
        }
        self.packets += 1;
        self.header_filled = 0;
        self.body_left = usize::from(length) - HEADER_LEN;
        self.ending = Some(bits);
        Ok(begins.then_some(PacketEvent::Start { kind, reset: Reset::from_status(bits) }))
    }
}

impl OpenMessage {
    fn check_order(&mut self, id: u8) -> Result<(), ProtocolError> {
        let step = match self.step {
            Some(step) => step,
            None => u8::from(id != self.last_id),
        };
        let expected = self.last_id.wrapping_add(step);
        if id != expected {
            return Err(ProtocolError::PacketOrder { expected, found: id });
        }
        self.step = Some(step);
        self.last_id = id;
        Ok(())
    }
}

/// What [`MessageReader::feed`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageEvent<'a> {
    /// A whole message.
    Message {
        /// What it is.
        kind: PacketType,
        /// What to reset first.
        reset: Reset,
        /// Its content, packet headers removed.
        body: &'a [u8],
    },
    /// A message that its sender has withdrawn; it was not handed out and has no effect.
    Ignored {
        /// What it was.
        kind: PacketType,
        /// What to reset all the same.
        reset: Reset,
    },
    /// A streamed message begins.
    StreamStart {
        /// What it is.
        kind: PacketType,
        /// What to reset first.
        reset: Reset,
    },
    /// A piece of the streamed message.
    StreamData(&'a [u8]),
    /// The streamed message is complete.
    StreamEnd {
        /// The sender has withdrawn the message: the message must have no effect.
        ignored: bool,
    },
}

/// Gathers packets into messages of a limited size. Bulk load, which may have any size, is handed
/// on as a stream.
#[derive(Debug)]
pub struct MessageReader {
    packets: PacketReader,
    limit: usize,
    body: Vec<u8>,
    /// The message that is being received, and whether it is a stream.
    current: Option<(PacketType, Reset, bool)>,
    /// The last message has been handed out, so that the body can be used again.
    handed_out: bool,
}

/// A buffer larger than this is given back after its message.
const KEEP_BUFFER_BYTES: usize = 16 * 1024;

impl MessageReader {
    /// A reader that refuses messages of more than `limit` bytes.
    pub fn new(side: Side, limit: usize) -> MessageReader {
        MessageReader {
            packets: PacketReader::new(side),
            limit,
            body: Vec::new(),
            current: None,
            handed_out: false,
        }
    }

    /// Refuses messages of more than `limit` bytes from now on: little before the login, more
    /// after it.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// See [`PacketReader::set_packet_size_max`].
    pub fn set_packet_size_max(&mut self, size: u16) {
        self.packets.set_packet_size_max(size);
    }

    /// See [`PacketReader::is_between_messages`].
    pub fn is_between_messages(&self) -> bool {
        self.packets.is_between_messages()
    }

    /// See [`PacketReader::packets`].
    pub fn packets(&self) -> u64 {
        self.packets.packets()
    }

    /// Takes from the front of `input` until a message is complete or a stream has a piece; nothing
    /// when `input` is used up before.
    ///
    /// # Errors
    /// Those of [`PacketReader::feed`], and [`ProtocolError::TooLarge`].
    pub fn feed<'m, 'i: 'm>(
        &'m mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<MessageEvent<'m>>, ProtocolError> {
        self.reuse_body();
        while let Some(event) = self.packets.feed(input)? {
            match event {
                PacketEvent::Start { kind, reset } => {
                    let streamed = kind == PacketType::BulkLoad;
                    self.current = Some((kind, reset, streamed));
                    if streamed {
                        return Ok(Some(MessageEvent::StreamStart { kind, reset }));
                    }
                }
                PacketEvent::Data(data) => {
                    if matches!(self.current, Some((_, _, true))) {
                        return Ok(Some(MessageEvent::StreamData(data)));
                    }
                    if data.len() > self.limit - self.body.len().min(self.limit) {
                        return Err(ProtocolError::TooLarge { limit: self.limit });
                    }
                    self.body.extend_from_slice(data);
                }
                PacketEvent::End { ignored } => {
                    let (kind, reset, streamed) =
                        self.current.take().expect("a message ends after it has begun");
                    self.handed_out = true;
                    return Ok(Some(match (streamed, ignored) {
                        (true, _) => MessageEvent::StreamEnd { ignored },
                        (false, true) => MessageEvent::Ignored { kind, reset },
                        (false, false) => MessageEvent::Message { kind, reset, body: &self.body },
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Bytes that the current message would take if this many more came: its buffer grows by
    /// doubling.
    pub fn bytes_with(&self, more: usize) -> usize {
        match self.body.len() + more <= self.body.capacity() {
            true => self.body.capacity(),
            false => (self.body.len() + more).max(2 * self.body.capacity()),
        }
    }

    fn reuse_body(&mut self) {
        if self.handed_out {
            self.handed_out = false;
            self.release();
        }
    }

    /// Moves the body of the message that was handed out last to the caller, which may need it for
    /// longer than until the next [`MessageReader::feed`].
    pub fn take_body(&mut self) -> Vec<u8> {
        if self.handed_out { std::mem::take(&mut self.body) } else { Vec::new() }
    }

    /// Takes back the memory of a body, for the next message.
    pub fn recycle(&mut self, body: Vec<u8>) {
        if self.current.is_none() && self.body.capacity() == 0 {
            self.body = body;
            self.release();
        }
    }

    /// Gives back the memory of the last message; for a connection that goes idle.
    pub fn release(&mut self) {
        if self.current.is_none() {
            self.body.clear();
            if self.body.capacity() > KEEP_BUFFER_BYTES {
                self.body = Vec::new();
            }
        }
    }
}

#[cfg(test)]
mod tests;
