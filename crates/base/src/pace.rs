//! How long computations on values let other sessions have their turn.
//!
//! A value may have gigabytes. What looks at all of it asks a [`Pace`] about every [`STRIDE`]
//! bytes, and ends with the error that this gives. This crate knows neither sessions nor threads: a
//! statement's task implements the trait.

use crate::error::SqlResult;

/// Bytes or characters that are looked at between two questions; at most some tens of microseconds.
pub const STRIDE: usize = 8 << 10;

/// Whether a computation may go on.
pub trait Pace {
    /// Lets other sessions have their turn if it is time for that. The error of a statement that
    /// shall end.
    fn pace(&self) -> SqlResult<()>;
}

/// For values that are known to be short, and where nothing can be cancelled.
#[derive(Clone, Copy, Debug)]
pub struct Unpaced;

impl Pace for Unpaced {
    fn pace(&self) -> SqlResult<()> {
        Ok(())
    }
}

/// Counts work, and asks when there was a stride of it.
pub struct Stride<'p> {
    pace: &'p dyn Pace,
    left: usize,
}

impl<'p> Stride<'p> {
    /// Nothing was done yet.
    pub fn new(pace: &'p dyn Pace) -> Stride<'p> {
        Stride { pace, left: STRIDE }
    }

    /// So much work was done.
    #[inline]
    pub fn step(&mut self, work: usize) -> SqlResult<()> {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.ask(),
        }
    }

    #[cold]
    fn ask(&mut self) -> SqlResult<()> {
        self.left = STRIDE;
        self.pace.pace()
    }
}

/// What loops over values count their work with: a [`Stride`], or nothing at all where values are
/// short, for which the same code costs nothing.
pub trait Gauge {
    /// Why a computation ends early.
    type Stop;

    /// One element was looked at.
    fn count(&mut self) -> Result<(), Self::Stop>;
}

/// Counts nothing and never stops.
pub struct Ungauged;

impl Gauge for Ungauged {
    type Stop = std::convert::Infallible;

    #[inline(always)]
    fn count(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }
}

impl Gauge for Stride<'_> {
    type Stop = crate::error::SqlError;

    #[inline]
    fn count(&mut self) -> SqlResult<()> {
        self.step(1)
    }
}

/// The result of what cannot stop.
#[inline(always)]
pub fn ungauged<T>(result: Result<T, std::convert::Infallible>) -> T {
    match result {
        Ok(value) => value,
    }
}

#[cfg(test)]
mod tests;
