//! Tasks of the server itself, and what their panics end.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use engine::critical::{self, Section};
use session::fault::contain::{Panicked, contained};

/// A task without which the server cannot work: a panic in it ends the process.
pub async fn vital<F: Future>(name: &'static str, task: F) -> F::Output {
    let mut task = pin!(task);
    poll_fn(|cx| critical::section(Section::Thread(name), || task.as_mut().poll(cx))).await
}

/// A task that may panic, such as one for a single client.
pub async fn caught<F: Future>(task: F) -> Result<F::Output, Panicked> {
    let mut task = pin!(task);
    poll_fn(|cx| match contained(|| task.as_mut().poll(cx)) {
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

#[cfg(test)]
mod tests;
