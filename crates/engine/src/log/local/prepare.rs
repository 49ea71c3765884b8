//! The background thread that keeps segments prepared ahead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Inner;
use crate::critical;
use crate::log::error::LogError;
use crate::log::store::WriterEvents;

/// Runs while a batch writer is open.
pub struct Preparer {
    inner: Arc<Inner>,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Preparer {
    /// Starts the thread, or explains why there is none.
    pub fn start(inner: Arc<Inner>, events: Arc<dyn WriterEvents>) -> Result<Preparer, LogError> {
        let closing = Arc::new(AtomicBool::new(false));
        let own = (inner.clone(), closing.clone());
        let thread = std::thread::Builder::new()
            .name("log prepare".into())
            .spawn(critical::thread("log prepare", move || run(&own.0, &*events, &own.1)))
            .map_err(|error| LogError::Fenced(format!("no thread to prepare: {error}").into()))?;
        Ok(Preparer { inner, closing, thread: Some(thread) })
    }

    /// Tries again now, if the last attempt failed.
    pub fn poke(&self) {
        let mut segments = self.inner.segments.lock();
        if segments.failure.is_some() && !segments.wanted {
            segments.wanted = true;
            self.inner.changed.notify_all();
        }
    }
}

impl Drop for Preparer {
    fn drop(&mut self) {
        self.closing.store(true, Relaxed);
        drop(self.inner.segments.lock()); // a thread that checked before is waiting now
        self.inner.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It panics only on a broken invariant, and then the panic has been reported.
            let _ = thread.join();
        }
    }
}

fn run(inner: &Inner, events: &dyn WriterEvents, closing: &AtomicBool) {
    let cancelled = || closing.load(Relaxed);
    while wait_for_work(inner, &cancelled) {
        match inner.prepare_one(&cancelled) {
            Ok(None) => return,
            Ok(Some(size)) => {
                let had_failed = inner.segments.lock().failure.take().is_some();
                if had_failed {
                    events.preparation(None);
                }
                events.room(inner.options.granted_pages(size));
            }
            Err(error) => {
                let error = match error {
                    LogError::File(error) => LogError::Full(error),
                    other => other,
                };
                let mut segments = inner.segments.lock();
                segments.failure = Some(error.clone());
                segments.wanted = false;
                drop(segments);
                inner.changed.notify_all(); // a batch writer that waits for a segment
                events.preparation(Some(error));
            }
        }
    }
}

/// Waits until a segment should be prepared; false when closing.
fn wait_for_work(inner: &Inner, cancelled: &dyn Fn() -> bool) -> bool {
    let mut segments = inner.segments.lock();
    let mut retry_is_due = false;
    loop {
        if cancelled() {
            return false;
        }
        let enough = segments.prepared.len() >= inner.options.ahead;
        let may_try = segments.failure.is_none() || segments.wanted || retry_is_due;
        if !enough && may_try {
            segments.wanted = false;
            return true;
        }
        if segments.failure.is_some() {
            let retry = Duration::from_nanos(inner.options.retry_ns);
            retry_is_due = inner.changed.wait_for(&mut segments, retry).timed_out();
        } else {
            inner.changed.wait(&mut segments);
        }
    }
}
