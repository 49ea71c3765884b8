//! Messages on their way out: a growing buffer that cuts itself into packets.
//!
//! # Life of a byte
//! It is put after the header of the *open* packet. When a token is complete and the open packet
//! has outgrown the packet size, it is *sealed*: cut to size, its header filled in, the rest moved
//! after a new header. Sealed packets are [`MessageWriter::ready`] to be sent; `end` seals the last
//! one. So writers of tokens never look at packet boundaries, and a large result set leaves the
//! buffer while it is produced.
//!
//! # Invariants
//! W1: `taken <= sealed <= buffer.len()`; within a message the open packet's header is at `sealed`.
//! W2: a full packet stays open until a further byte or the end of the message follows, since only
//! then it is known whether it is the last.

use crate::packet::{HEADER_LEN, PACKET_SIZE_DEFAULT, PacketType, Reset, status};
use crate::packet::{PACKET_SIZE_MAX, PACKET_SIZE_MIN};
use crate::reader::utf16_units_within;

/// A buffer that bytes can be appended to.
pub trait PutBytes {
    /// Appends the bytes of one small value.
    fn put(&mut self, bytes: &[u8]);

    /// Appends one byte.
    #[inline]
    fn put_u8(&mut self, value: u8) {
        self.put(&[value]);
    }

    /// Appends two bytes, little-endian.
    #[inline]
    fn put_u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    /// Appends four bytes, little-endian.
    #[inline]
    fn put_u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends eight bytes, little-endian.
    #[inline]
    fn put_u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a text as UTF-16LE.
    fn put_utf16(&mut self, text: &str) {
        let mut chunk = [0u8; 128];
        let mut filled = 0;
        for unit in text.encode_utf16() {
            if filled == chunk.len() {
                self.put(&chunk);
                filled = 0;
            }
            chunk[filled..filled + 2].copy_from_slice(&unit.to_le_bytes());
            filled += 2;
        }
        self.put(&chunk[..filled]);
    }

    /// Appends a text after a one-byte count of UTF-16 units, cut to the 255 that it can count.
    fn put_b_varchar(&mut self, text: &str) {
        let (text, units) = utf16_units_within(text, 255);
        self.put_u8(units as u8);
        self.put_utf16(text);
    }

    /// Appends a text after a two-byte count of UTF-16 units, cut to the 65,535 that it can count.
    fn put_us_varchar(&mut self, text: &str) {
        let (text, units) = utf16_units_within(text, 65_535);
        self.put_u16(units as u16);
        self.put_utf16(text);
    }
}

impl PutBytes for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A buffer of outgoing packets; see the module's header.
#[derive(Debug)]
pub struct MessageWriter {
    buffer: Vec<u8>,
    taken: usize,
    sealed: usize,
    packet_size: usize,
    kind: PacketType,
    /// Status bits for the first packet of the message, until it is sealed.
    first_status: u8,
    session_id: u16,
    next_packet_id: u8,
    in_message: bool,
    /// Packets that were cut so far.
    packets: u64,
}

/// A place between two tokens of a message, to which a writer can be
/// [rewound](MessageWriter::rewind).
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    sealed: usize,
    first_status: u8,
    next_packet_id: u8,
    packets: u64,
}

/// A buffer larger than this is given back when it is empty.
const KEEP_BUFFER_BYTES: usize = 16 * 1024;

impl Default for MessageWriter {
    fn default() -> MessageWriter {
        MessageWriter::new()
    }
}

impl MessageWriter {
    /// An empty writer with packets of the size that is used before login.
    pub const fn new() -> MessageWriter {
        MessageWriter {
            buffer: Vec::new(),
            taken: 0,
            sealed: 0,
            packet_size: PACKET_SIZE_DEFAULT as usize,
            kind: PacketType::TabularResult,
            first_status: 0,
            session_id: 0,
            next_packet_id: 1,
            in_message: false,
            packets: 0,
        }
    }

    /// Cuts packets of this size from the next message on.
    ///
    /// # Panics
    /// Within a message.
    pub fn set_packet_size(&mut self, size: u16) {
        assert!(!self.in_message, "the packet size changes between messages");
        self.packet_size = size.clamp(PACKET_SIZE_MIN, PACKET_SIZE_MAX).into();
    }

    /// The packet size.
    pub const fn packet_size(&self) -> usize {
        self.packet_size
    }

    /// Puts this session number into every header; clients ignore it, network traces show it.
    pub fn set_session_id(&mut self, session_id: u16) {
        self.session_id = session_id;
    }

    /// Begins a message.
    ///
    /// # Panics
    /// When the message before has not been ended.
    pub fn begin(&mut self, kind: PacketType) {
        self.begin_with_reset(kind, Reset::None);
    }

    /// Begins a request that resets the session first.
    pub fn begin_with_reset(&mut self, kind: PacketType, reset: Reset) {
        assert!(!self.in_message, "a message begins after the one before has ended");
        self.in_message = true;
        self.kind = kind;
        self.first_status = reset.status();
        self.next_packet_id = 1;
        self.buffer.extend_from_slice(&[0; HEADER_LEN]);
    }

    /// Whether a message has begun and not ended.
    pub const fn in_message(&self) -> bool {
        self.in_message
    }

    /// Ends the message; all of it is ready then.
    pub fn end(&mut self) {
        self.end_with(status::END_OF_MESSAGE);
    }

    /// Ends a request that the server shall ignore.
    pub fn end_ignored(&mut self) {
        self.end_with(status::END_OF_MESSAGE | status::IGNORE);
    }

    fn end_with(&mut self, bits: u8) {
        self.seal();
        let length = self.buffer.len() - self.sealed;
        self.write_header(self.sealed, length, bits);
        self.sealed = self.buffer.len();
        self.in_message = false;
    }

    /// Makes ready what has been written of the message, in a packet that is not full; for answers
    /// that must not wait, such as `RAISERROR … WITH NOWAIT`.
    pub fn flush(&mut self) {
        self.seal();
        let length = self.buffer.len() - self.sealed;
        if length > HEADER_LEN {
            self.write_header(self.sealed, length, 0);
            self.sealed = self.buffer.len();
            self.buffer.extend_from_slice(&[0; HEADER_LEN]);
        }
    }

    /// Cuts off full packets. To be called when a token is complete; positions within the open
    /// packet are void afterwards.
    #[inline]
    pub fn seal(&mut self) {
        if self.buffer.len() - self.sealed > self.packet_size {
            self.cut();
        }
    }

    /// Spreads what is too much for the open packet over further packets, moving each byte once.
    #[cold]
    fn cut(&mut self) {
        let piece = self.packet_size - HEADER_LEN;
        let first_end = self.sealed + self.packet_size;
        let surplus = self.buffer.len() - first_end;
        let packets = surplus.div_ceil(piece);
        let old_len = self.buffer.len();
        self.buffer.resize(old_len + packets * HEADER_LEN, 0);
        for packet in (0..packets).rev() {
            let from = first_end + packet * piece;
            let to = first_end + packet * self.packet_size + HEADER_LEN;
            self.buffer.copy_within(from..(from + piece).min(old_len), to);
        }
        for packet in 0..packets {
            self.write_header(self.sealed + packet * self.packet_size, self.packet_size, 0);
        }
        self.sealed += packets * self.packet_size;
    }

    fn write_header(&mut self, at: usize, length: usize, bits: u8) {
        let length = u16::try_from(length).expect("a packet is not longer than the packet size");
        let [length_hi, length_lo] = length.to_be_bytes();
        let [session_hi, session_lo] = self.session_id.to_be_bytes();
        let bits = bits | std::mem::take(&mut self.first_status);
        self.buffer[at..at + HEADER_LEN].copy_from_slice(&[
            self.kind as u8,
            bits,
            length_hi,
            length_lo,
            session_hi,
            session_lo,
            self.next_packet_id,
            0,
        ]);
        self.next_packet_id = self.next_packet_id.wrapping_add(1);
        self.packets += 1;
    }

    /// How many packets the writer has made.
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Appends bytes of any number. Packets are cut on the way, so positions within the open packet
    /// are void afterwards.
    pub fn put_long(&mut self, mut bytes: &[u8]) {
        self.seal();
        loop {
            let room = self.packet_size - (self.buffer.len() - self.sealed);
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.buffer.extend_from_slice(now);
            if rest.is_empty() {
                return;
            }
            bytes = rest;
            self.write_header(self.sealed, self.packet_size, 0);
            self.sealed = self.buffer.len();
            self.buffer.extend_from_slice(&[0; HEADER_LEN]);
        }
    }

    /// Appends a token: a byte, a two-byte length and a content of that length, which `content`
    /// writes. A token that turns out longer than its length can say is left out; writers of
    /// tokens that matter cut their texts so that this does not happen.
    pub fn put_token(&mut self, token: u8, content: impl FnOnce(&mut MessageWriter)) {
        let start = self.buffer.len();
        self.put(&[token, 0, 0]);
        content(self);
        match u16::try_from(self.buffer.len() - start - 3) {
            Ok(length) => {
                self.buffer[start + 1..start + 3].copy_from_slice(&length.to_le_bytes());
                self.seal();
            }
            Err(_) => self.buffer.truncate(start),
        }
    }

    /// The position in the message, between two tokens.
    #[inline]
    pub fn mark(&self) -> Mark {
        let MessageWriter { sealed, first_status, next_packet_id, packets, .. } = *self;
        Mark { length: self.buffer.len(), sealed, first_status, next_packet_id, packets }
    }

    /// Forgets what was written since a mark; nothing of it may have been consumed.
    pub fn rewind(&mut self, mark: Mark) {
        assert!(self.taken <= mark.sealed, "what was sent cannot be forgotten");
        // What came before the mark has not moved: it fitted the packet that was open.
        self.buffer.truncate(mark.length);
        self.sealed = mark.sealed;
        self.first_status = mark.first_status;
        self.next_packet_id = mark.next_packet_id;
        self.packets = mark.packets;
    }

    /// The packets that can be sent.
    pub fn ready(&self) -> &[u8] {
        &self.buffer[self.taken..self.sealed]
    }

    /// Forgets the first `count` bytes of [`MessageWriter::ready`]: they have been sent.
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
        assert!(self.taken <= self.sealed, "only what is ready can be sent");
        // What is left is moved to the front when that is less work than was sent.
        if self.taken * 2 >= self.buffer.len() {
            let rest = self.buffer.len() - self.taken;
            self.buffer.copy_within(self.taken.., 0);
            self.buffer.truncate(rest);
            self.sealed -= self.taken;
            self.taken = 0;
            if rest == 0 {
                self.release();
            }
        }
    }

    /// Moves the packets that can be sent after `out`.
    pub fn take_ready(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.ready());
        self.consume(self.ready().len());
    }

    /// How many bytes the buffer holds, sent ones excluded.
    pub fn buffered_bytes(&self) -> usize {
        self.buffer.len() - self.taken
    }

    /// Gives back the memory of an empty buffer, if it is much; for a connection that goes idle.
    pub fn release(&mut self) {
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP_BUFFER_BYTES {
            self.buffer = Vec::new();
        }
    }
}

impl PutBytes for MessageWriter {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        debug_assert!(self.in_message, "bytes belong to a message");
        self.buffer.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests;
