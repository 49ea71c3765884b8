//! The part of an answer that is sent while its statement runs.
//!
//! The statement puts packets in, and waits while there are too many; the connection, which polls
//! the statement, sends them. Both are parts of one task and never run at the same time, so the
//! lock is always free, and no thread needs to be woken: the connection polls the statement again
//! whenever it has sent something.

use std::sync::{Mutex, MutexGuard};

/// While more than this waits to be sent, the statement waits.
const WAITING_BYTES_MAX: usize = 64 * 1024;

/// See the module's header.
#[derive(Default)]
pub struct Outbox {
    inner: Mutex<Inner>,
}

/// What waits to be sent.
#[derive(Default)]
pub struct Inner {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How many of them have been sent.
    pub sent: usize,
    /// They are not received any more.
    pub is_broken: bool,
}

impl Outbox {
    /// What waits.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether more may be put in; or must not, since it is not received.
    pub fn has_room(&self) -> bool {
        let inner = self.lock();
        inner.is_broken || inner.bytes.len() - inner.sent <= WAITING_BYTES_MAX
    }
}

impl Inner {
    /// What has not been sent.
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Notes that this many more bytes have been sent.
    pub fn consume(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
            if self.bytes.capacity() > 2 * WAITING_BYTES_MAX {
                self.bytes = Vec::new();
            }
        }
    }
}
