//! Memory accounts: what values take is counted before it is taken.
//!
//! A session has an [`Account`] within that of all sessions. What a client can make large (the
//! chunks of an arena, the bytes of a variable, what an aggregate collects) is admitted first,
//! which fails with error 701 where either account has no room, and given back when the value is
//! gone. Small pieces are taken without asking; a statement that has overdrawn its account that way
//! ends at its next checkpoint.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::error::{SqlError, SqlResult};
use crate::message;

/// Values up to this many bytes are taken without asking.
pub const UNASKED: usize = 64 << 10;

/// The longest value that there can be, in bytes.
pub const VALUE_MAX: usize = i32::MAX as usize;

/// Error 7119 for a value that would be longer than any can be.
pub fn check_length(bytes: usize) -> SqlResult<()> {
    match bytes > VALUE_MAX {
        true => Err(SqlError::new(&message::LOB_TOO_LARGE, &[&VALUE_MAX])),
        false => Ok(()),
    }
}

/// See the module's header. The counts are statistics that order nothing else, so that all accesses
/// are relaxed; two sessions that ask at the same moment may both be admitted.
#[derive(Debug)]
pub struct Account {
    used: AtomicUsize,
    limit: AtomicUsize,
    /// The account that this one is part of.
    whole: Option<Arc<Account>>,
    /// The resource pool that errors name.
    pool: Box<str>,
}

impl Account {
    /// An account of its own.
    pub fn new(limit: usize, pool: &str) -> Arc<Account> {
        Account::make(limit, pool, None)
    }

    /// An account whose bytes count in `whole`, too.
    pub fn within(whole: &Arc<Account>, limit: usize, pool: &str) -> Arc<Account> {
        Account::make(limit, pool, Some(whole.clone()))
    }

    fn make(limit: usize, pool: &str, whole: Option<Arc<Account>>) -> Arc<Account> {
        let (used, limit) = (AtomicUsize::new(0), AtomicUsize::new(limit));
        Arc::new(Account { used, limit, whole, pool: pool.into() })
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Bytes that may be in use.
    pub fn limit(&self) -> usize {
        self.limit.load(Relaxed)
    }

    /// Sets the limit for what comes.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Relaxed);
    }

    /// Whether this many bytes more would be within the limits.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.used().saturating_add(bytes) <= self.limit()
            && self.whole.as_ref().is_none_or(|whole| whole.has_room(bytes))
    }

    /// Error 701 unless [`Account::has_room`]. What is admitted is then taken.
    #[inline]
    pub fn admit(&self, bytes: usize) -> SqlResult<()> {
        if self.has_room(bytes) { Ok(()) } else { Err(self.exhausted()) }
    }

    /// As [`Account::admit`], where this many bytes beside the account's count against its limit.
    pub fn admit_beside(&self, others: usize, bytes: usize) -> SqlResult<()> {
        let own = self.used().saturating_add(others).saturating_add(bytes) <= self.limit();
        match own && self.whole.as_ref().is_none_or(|whole| whole.has_room(bytes)) {
            true => Ok(()),
            false => Err(self.exhausted()),
        }
    }

    /// Error 701 if more is in use than the limits allow.
    pub fn check(&self) -> SqlResult<()> {
        self.admit(0)
    }

    /// Error 701: the memory of the account's pool is used up.
    #[cold]
    pub fn exhausted(&self) -> SqlError {
        SqlError::new(&message::OUT_OF_MEMORY, &[&self.pool])
    }

    /// Takes this many bytes, whether there is room or not.
    pub fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Relaxed);
        if let Some(whole) = &self.whole {
            whole.take(bytes);
        }
    }

    /// Gives this many bytes back.
    pub fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
        if let Some(whole) = &self.whole {
            whole.give(bytes);
        }
    }
}

/// Bytes of an account, given back when this is dropped.
#[derive(Debug)]
pub struct Charged {
    account: Arc<Account>,
    bytes: usize,
}

impl Charged {
    /// Takes this many bytes. Error 701 where the account does not have them.
    pub fn take(account: &Arc<Account>, bytes: usize) -> SqlResult<Charged> {
        account.admit(bytes)?;
        account.take(bytes);
        Ok(Charged { account: account.clone(), bytes })
    }

    /// How many there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes the charge this many bytes. Error 701 where more are wanted than there are.
    pub fn resize(&mut self, bytes: usize) -> SqlResult<()> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => {
                self.account.admit(more)?;
                self.account.take(more);
            }
            None => self.account.give(self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Charged {
    fn drop(&mut self) {
        self.account.give(self.bytes);
    }
}

/// Bytes that are put together again and again. Long ones are charged for as long as their room is
/// held.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    charged: Option<Charged>,
}

impl Scratch {
    /// Empties the buffer, for this many bytes to come. Error 701 where they are many and the
    /// account does not have them.
    #[inline]
    pub fn begin(&mut self, bytes: usize, account: &Arc<Account>) -> SqlResult<&mut Vec<u8>> {
        self.clear();
        self.more(bytes, account)
    }

    /// Makes room for this many bytes more. Error 701 where it becomes long and the account does
    /// not have that.
    #[inline]
    pub fn more(&mut self, bytes: usize, account: &Arc<Account>) -> SqlResult<&mut Vec<u8>> {
        let len = self.bytes.len() + bytes;
        if len > UNASKED && len > self.bytes.capacity() {
            self.charge(len, account)?;
        }
        Ok(&mut self.bytes)
    }

    #[cold]
    fn charge(&mut self, len: usize, account: &Arc<Account>) -> SqlResult<()> {
        match &mut self.charged {
            Some(charged) => charged.resize(len)?,
            None => self.charged = Some(Charged::take(account, len)?),
        }
        self.bytes.reserve_exact(len - self.bytes.len());
        Ok(())
    }

    /// Empties the buffer, and gives back what is charged.
    #[inline]
    pub fn clear(&mut self) {
        match self.charged {
            Some(_) => *self = Scratch::default(),
            None => self.bytes.clear(),
        }
    }

    /// What has been put together.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests;
