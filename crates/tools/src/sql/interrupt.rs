//! Ctrl-C: cancels the request that is running, and without one ends the program.

use std::sync::{Mutex, Once, PoisonError};

use crate::client::Canceller;

/// What Ctrl-C cancels.
static CANCELLER: Mutex<Option<Canceller>> = Mutex::new(None);
static INSTALL: Once = Once::new();

/// The code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C cancels this connection's requests.
pub fn watch(canceller: Option<Canceller>) {
    *CANCELLER.lock().unwrap_or_else(PoisonError::into_inner) = canceller;
    INSTALL.call_once(|| {
        // Without a handler Ctrl-C ends the program, which is acceptable.
        let _ = ctrlc::set_handler(on_interrupt);
    });
}

fn on_interrupt() {
    let canceller = CANCELLER.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let was_running = canceller.is_some_and(|canceller| canceller.cancel().unwrap_or(false));
    if !was_running {
        std::process::exit(INTERRUPTED);
    }
}
