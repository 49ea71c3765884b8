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
    /// An empty inbox. Messages of more than `limit` bytes are refused.
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

    /// Charges what is held, and would be with this many bytes more. Returns whether there was
    /// room.
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

    /// How many packets have been received.
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
mod tests;
