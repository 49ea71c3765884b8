//! The engine's timer, made of tokio's.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use engine::wait::{Armed, Timer};
use tokio::runtime::Handle;
use tokio::time::Sleep;

/// Wakes by tokio's timer wheel: arming, stopping and firing cost no allocation but one, and no
/// thread.
#[derive(Debug)]
pub struct TokioTimer {
    handle: Handle,
}

impl TokioTimer {
    /// A timer on this runtime.
    pub fn new(handle: Handle) -> TokioTimer {
        TokioTimer { handle }
    }

    /// A sleep that wakes the waker without being polled again. Not inlined: it looks at
    /// thread-local variables of tokio's, whose address callers on coroutines must not keep.
    #[inline(never)]
    fn sleep(&self, delay: Duration, waker: &Waker) -> Pin<Box<Sleep>> {
        let _within = self.handle.enter();
        let mut sleep = Box::pin(tokio::time::sleep(delay));
        let first = tokio::task::coop::unconstrained(sleep.as_mut());
        if let Poll::Ready(()) = Pin::new(&mut { first }).poll(&mut Context::from_waker(waker)) {
            waker.wake_by_ref();
        }
        sleep
    }
}

impl Timer for TokioTimer {
    fn arm(&self, delay_ns: u64, waker: Waker) -> Armed {
        Armed::new(self.sleep(Duration::from_nanos(delay_ns), &waker))
    }

    /// As tokio's own tasks yield: the worker looks at sockets and timers before it goes on. Woken
    /// at once, a statement that computes would keep its worker from sockets for as many time
    /// slices as the worker has turns between two looks. Not inlined, as [`TokioTimer::sleep`].
    #[inline(never)]
    fn yield_to_others(&self, waker: &Waker) {
        let mut yielding = std::pin::pin!(tokio::task::yield_now());
        if yielding.as_mut().poll(&mut Context::from_waker(waker)).is_ready() {
            waker.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests;
