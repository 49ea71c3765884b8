//! What a computation costs: it lets other sessions have their turn, and asks for memory.

use std::cell::Cell;
use std::sync::Arc;

use base::account::{Account, Charged, UNASKED};
use base::pace::{Pace, STRIDE};

use crate::error::Result;

/// Counts the work of one call.
pub struct Work<'w> {
    pace: &'w dyn Pace,
    account: &'w Arc<Account>,
    /// How much may be looked at before the pace is asked.
    left: Cell<usize>,
}

impl<'w> Work<'w> {
    /// Work that lets others have their turn through `pace` and takes its memory from `account`.
    pub fn new(pace: &'w dyn Pace, account: &'w Arc<Account>) -> Work<'w> {
        Work { pace, account, left: Cell::new(STRIDE) }
    }

    /// So many elements were looked at.
    #[inline]
    pub fn step(&self, amount: usize) -> Result<()> {
        match self.left.get().checked_sub(amount) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    #[cold]
    fn ask(&self) -> Result<()> {
        self.left.set(STRIDE);
        Ok(self.pace.pace()?)
    }

    /// Error 701 for a value that the account has no room for.
    pub fn admit(&self, bytes: usize) -> Result<()> {
        match bytes > UNASKED {
            true => Ok(self.account.admit(bytes)?),
            false => Ok(()),
        }
    }

    /// What lets others have their turn.
    pub(crate) fn pace(&self) -> &'w dyn Pace {
        self.pace
    }

    /// What memory is taken from.
    pub(crate) fn account(&self) -> &'w Arc<Account> {
        self.account
    }

    /// Takes memory from the account for as long as the result lives.
    pub(crate) fn charge(&self, bytes: usize) -> Result<Charged> {
        Ok(Charged::take(self.account, bytes)?)
    }

    /// Adds to a list. Asks the account when the list has to grow.
    pub(crate) fn push<T>(&self, list: &mut Vec<T>, element: T) -> Result<()> {
        if list.len() == list.capacity() {
            self.admit(list.capacity().saturating_mul(2 * size_of::<T>()))?;
        }
        list.push(element);
        self.step(1)
    }
}
