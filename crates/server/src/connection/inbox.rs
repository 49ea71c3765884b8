//! What a client has sent and no statement has consumed yet.

use std::collections::VecDeque;
use std::sync::Arc;

use base::account::{Account, Charged, UNASKED};
use tds::ProtocolError;
use tds::packet::{MessageEvent, MessageReader, PacketType, Reset, Side};

/// While more than this waits to be dealt with, nothing more is read.
const WAITING_BYTES_MAX: usize = 256 * 1024;

/// What a message is charged while it is dealt with, in its own lengths: it is read into a text or
/// parameters, and these into trees or variables.
const COPIES: usize = 3;

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
    /// A message that its sender has withdrawn.
    Ignored {
        /// What to reset all the same.
        reset: Reset,
    },
    /// The client asks for the running request to stop.
    Attention,
    /// A bulk load begins.
    BulkStart {
        /// What to reset first.
        reset: Reset,
    },
    /// A piece of a bulk load.
    BulkData(Vec<u8>),
    /// A bulk load is complete, unless the client has cancelled it.
    BulkEnd {
        /// The client has cancelled the load.
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
    /// What is charged for messages; before the login, when they are short, nothing is.
    account: Option<Arc<Account>>,
    charged: Option<Charged>,
    /// Bytes charged for the message that was handed out last and is still dealt with.
    handed_out: usize,
    /// There was no memory for a message.
    is_refused: bool,
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
            account: None,
            charged: None,
            handed_out: 0,
            is_refused: false,
        }
    }

    /// From now on messages are charged to this account, as they arrive.
    pub fn charge_to(&mut self, account: Arc<Account>) {
        self.account = Some(account);
    }

    /// Whether a message was refused, since the account had no room for it. Nothing is read on.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// The message that was handed out last has been dealt with.
    pub fn finish(&mut self) {
        self.handed_out = 0;
        self.settle(0);
    }

    /// Charges what is held, and would be when this many bytes more have come. Returns whether
    /// there was room.
    fn settle(&mut self, more: usize) -> bool {
        let bytes = self.reader.bytes_with(more) + self.waiting_bytes + self.handed_out;
        match (&mut self.charged, &self.account) {
            (charged, _) if bytes <= UNASKED => {
                *charged = None;
                true
            }
            (Some(charged), _) => charged.resize(bytes).is_ok(),
            (charged, Some(account)) => {
                *charged = Charged::take(account, bytes).ok();
                charged.is_some()
            }
            (None, None) => true,
        }
    }

    /// After the login messages may be longer.
    pub fn set_limit(&mut self, limit: usize) {
        self.reader.set_limit(limit);
    }

    /// Takes bytes from the connection.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        if !self.settle(bytes.len()) {
            self.is_refused = true;
            self.ended = true;
            return;
        }
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

    /// The next item that has arrived.
    ///
    /// # Errors
    /// What was wrong with the bytes after everything that was right.
    pub fn take(&mut self) -> Result<Option<Inbound>, ProtocolError> {
        match (self.waiting.pop_front(), self.failure) {
            (Some(inbound), _) => {
                let (bytes, copies) = match &inbound {
                    Inbound::Message { body, .. } => (body.len(), COPIES),
                    Inbound::BulkData(data) => (data.len(), 0),
                    _ => (0, 0),
                };
                self.waiting_bytes -= bytes;
                self.handed_out = bytes * copies;
                if !self.settle(0) {
                    (self.is_refused, self.ended) = (true, true);
                    return Ok(None);
                }
                Ok(Some(inbound))
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(None),
        }
    }

    /// Takes the next item if it is an attention.
    pub fn take_attention(&mut self) -> bool {
        let is_next = matches!(self.waiting.front(), Some(Inbound::Attention));
        if is_next {
            self.waiting.pop_front();
        }
        is_next
    }

    /// Takes the next item if it belongs to a bulk load that has begun.
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

    /// Messages that are never completed were not counted: a few clients could take all memory.
    #[test]
    fn messages_are_charged_as_they_arrive() {
        let account = Account::new(1 << 20, "default");
        let mut inbox = Inbox::new(100 << 20);
        inbox.charge_to(account.clone());
        inbox.feed(&message(PacketType::SqlBatch, &[0; 1000]));
        assert_eq!(account.used(), 0, "short ones are not");
        let _ = inbox.take();
        inbox.finish();
        let long = message(PacketType::SqlBatch, &[0; 300 << 10]);
        inbox.feed(&long[..200 << 10]);
        assert!(account.used() >= 190 << 10, "{}", account.used());
        inbox.feed(&long[200 << 10..]);
        let taken = inbox.take().unwrap();
        assert!(account.used() >= 300 << 10, "it is being dealt with: {}", account.used());
        drop(taken);
        inbox.finish();
        assert_eq!(account.used(), 0);
        let endless = message(PacketType::SqlBatch, &vec![0; 8 << 20]);
        for piece in endless.chunks(32 << 10) {
            inbox.feed(piece);
        }
        assert!(inbox.is_refused() && inbox.has_ended() && account.used() <= 1 << 20);
        drop(inbox);
        assert_eq!(account.used(), 0);
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
    fn an_inbox_stops_reading_a_bulk_load_until_its_data_is_taken() {
        let mut inbox = Inbox::new(1000);
        let load = message(PacketType::BulkLoad, &vec![1; 400_000]);
        inbox.feed(&load);
        assert!(!inbox.wants_more());
        assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkStart { .. }))));
        assert!(matches!(inbox.take(), Ok(Some(Inbound::BulkData(_)))));
        assert!(inbox.wants_more());
    }
}
