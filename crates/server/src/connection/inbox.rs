//! What a client has sent and nobody has dealt with yet.

use std::collections::VecDeque;

use tds::ProtocolError;
use tds::packet::{MessageEvent, MessageReader, PacketType, Reset, Side};

/// While more than this waits to be dealt with, nothing more is read.
const WAITING_BYTES_MAX: usize = 256 * 1024;

/// Something that has arrived.
#[derive(Debug)]
pub enum Inbound {
    /// A whole message.
    Message {
        /// What it is.
        kind: PacketType,
        /// What to reset first.
        reset: Reset,
        /// Its content.
        body: Vec<u8>,
    },
    /// A message whose sender has changed its mind.
    Ignored {
        /// What to reset all the same.
        reset: Reset,
    },
    /// The client wants what runs to stop.
    Attention,
    /// A bulk load begins.
    BulkStart {
        /// What to reset first.
        reset: Reset,
    },
    /// A piece of a bulk load.
    BulkData(Vec<u8>),
    /// A bulk load is complete, unless its sender has changed its mind.
    BulkEnd {
        /// It has.
        ignored: bool,
    },
}

/// See the module's header.
pub struct Inbox {
    reader: MessageReader,
    waiting: VecDeque<Inbound>,
    waiting_bytes: usize,
    failure: Option<ProtocolError>,
    ended: bool,
}

impl Inbox {
    /// Nothing has come. Messages of more than `limit` bytes are refused.
    pub fn new(limit: usize) -> Inbox {
        Inbox {
            reader: MessageReader::new(Side::Server, limit),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            failure: None,
            ended: false,
        }
    }

    /// After the login messages may be longer.
    pub fn set_limit(&mut self, limit: usize) {
        self.reader.set_limit(limit);
    }

    /// Takes bytes from the connection.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while self.failure.is_none() {
            match self.reader.feed(&mut bytes) {
                Ok(None) => break,
                Ok(Some(event)) => {
                    let inbound = match event {
                        MessageEvent::Message { kind: PacketType::Attention, .. }
                        | MessageEvent::Ignored { kind: PacketType::Attention, .. } => {
                            Inbound::Attention
                        }
                        MessageEvent::Message { kind, reset, .. } => {
                            let body = self.reader.take_body();
                            self.waiting_bytes += body.len();
                            Inbound::Message { kind, reset, body }
                        }
                        MessageEvent::Ignored { reset, .. } => Inbound::Ignored { reset },
                        MessageEvent::StreamStart { reset, .. } => Inbound::BulkStart { reset },
                        MessageEvent::StreamData(data) => {
                            self.waiting_bytes += data.len();
                            if let Some(Inbound::BulkData(last)) = self.waiting.back_mut() {
                                last.extend_from_slice(data);
                                continue;
                            }
                            Inbound::BulkData(data.to_vec())
                        }
                        MessageEvent::StreamEnd { ignored } => Inbound::BulkEnd { ignored },
                    };
                    self.waiting.push_back(inbound);
                }
                Err(error) => self.failure = Some(error),
            }
        }
    }

    /// Nothing more will come.
    pub fn end(&mut self) {
        if !self.reader.is_between_messages() && self.failure.is_none() {
            self.failure = Some(ProtocolError::ConnectionEnded);
        }
        self.ended = true;
    }

    /// How many packets have come so far.
    pub fn packets(&self) -> u64 {
        self.reader.packets()
    }

    /// Whether nothing more will come.
    pub fn has_ended(&self) -> bool {
        self.ended || self.failure.is_some()
    }

    /// Whether there is room for more.
    pub fn wants_more(&self) -> bool {
        self.waiting_bytes < WAITING_BYTES_MAX && !self.has_ended()
    }

    /// The next thing that has arrived.
    ///
    /// # Errors
    /// What was wrong with the bytes behind everything that was right.
    pub fn take(&mut self) -> Result<Option<Inbound>, ProtocolError> {
        match (self.waiting.pop_front(), self.failure) {
            (Some(inbound), _) => {
                self.waiting_bytes -= match &inbound {
                    Inbound::Message { body, .. } => body.len(),
                    Inbound::BulkData(data) => data.len(),
                    _ => 0,
                };
                Ok(Some(inbound))
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(None),
        }
    }

    /// Takes the next thing if it is an attention.
    pub fn take_attention(&mut self) -> bool {
        let is_next = matches!(self.waiting.front(), Some(Inbound::Attention));
        if is_next {
            self.waiting.pop_front();
        }
        is_next
    }

    /// Takes the next thing if it belongs to a bulk load that has begun.
    pub fn take_bulk(&mut self) -> Option<Inbound> {
        match self.waiting.front() {
            Some(Inbound::BulkData(_) | Inbound::BulkEnd { .. }) => self.take().ok().flatten(),
            _ => None,
        }
    }

    /// Takes back the memory of a message that has been dealt with.
    pub fn recycle(&mut self, body: Vec<u8>) {
        self.reader.recycle(body);
    }

    /// Gives back memory; for a connection that waits for its client.
    pub fn release(&mut self) {
        self.reader.release();
        if self.waiting.is_empty() && self.waiting.capacity() > 16 {
            self.waiting = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use tds::MessageWriter;
    use tds::writer::PutBytes;

    use super::*;

    fn message(kind: PacketType, content: &[u8]) -> Vec<u8> {
        let mut writer = MessageWriter::new();
        writer.begin(kind);
        writer.put(content);
        writer.end();
        writer.ready().to_vec()
    }

    #[test]
    fn an_attention_waits_behind_its_request() {
        let mut inbox = Inbox::new(1000);
        let both = [message(PacketType::SqlBatch, b"x"), message(PacketType::Attention, b"")];
        inbox.feed(&both.concat());
        assert!(!inbox.take_attention());
        assert!(matches!(inbox.take(), Ok(Some(Inbound::Message { .. }))));
        assert!(inbox.take_attention());
        assert!(matches!(inbox.take(), Ok(None)));
    }

    #[test]
    fn what_was_right_is_handed_out_before_what_is_wrong() {
        let mut inbox = Inbox::new(1000);
        inbox.feed(&[message(PacketType::SqlBatch, b"x"), vec![0x77; 8]].concat());
        assert!(inbox.has_ended());
        assert!(matches!(inbox.take(), Ok(Some(Inbound::Message { .. }))));
        assert_eq!(inbox.take().unwrap_err(), ProtocolError::PacketType(0x77));
    }

    #[test]
    fn an_end_within_a_message_is_a_failure() {
        let mut inbox = Inbox::new(1000);
        inbox.end();
        assert!(matches!(inbox.take(), Ok(None)) && inbox.has_ended());
        let mut inbox = Inbox::new(1000);
        inbox.feed(&message(PacketType::SqlBatch, b"x")[..8]);
        inbox.end();
        assert_eq!(inbox.take().unwrap_err(), ProtocolError::ConnectionEnded);
    }

    #[test]
    fn a_bulk_load_that_nobody_takes_is_not_read_on() {
        let mut inbox = Inbox::new(1000);
        let load = message(PacketType::BulkLoad, &vec![1; 400_000]);
        inbox.feed(&load);
        assert!(!inbox.wants_more());
        assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkStart { .. }))));
        assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkData(_)))));
        assert!(inbox.wants_more());
    }
}
