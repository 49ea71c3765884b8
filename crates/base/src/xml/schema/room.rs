//! The memory that a compiled collection takes.
//!
//! Types and models copy what they derive from, and groups are built anew where they are used, so
//! that a short text can define large components. What is copied is counted before it is made.

use std::sync::Arc;

use crate::account::Account;
use crate::error::{SqlError, SqlResult};
use crate::message;

/// Bytes of copied attributes, models and compiled patterns of a collection.
const BYTES_MAX: usize = 64 << 20;

/// What components have taken so far.
pub(super) struct Room<'a> {
    taken: usize,
    account: Option<&'a Arc<Account>>,
}

impl<'a> Room<'a> {
    pub(super) fn new(account: Option<&'a Arc<Account>>) -> Room<'a> {
        Room { taken: 0, account }
    }

    /// Counts this many bytes more. Error 2362 if the collection has too many, 701 if the account
    /// does not have them.
    pub(super) fn take(&mut self, bytes: usize) -> SqlResult<()> {
        self.taken += bytes;
        if self.taken > BYTES_MAX {
            return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]));
        }
        self.account.map_or(Ok(()), |account| account.admit(self.taken))
    }
}
