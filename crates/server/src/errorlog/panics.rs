//! Panics in the error log.

use std::backtrace::Backtrace;
use std::panic;

use engine::critical;
use tracing::error;

use super::{flush, one_line};

/// The thread that writes panics down.
const REPORTER: &str = "panic report";

/// Writes every panic of the process to the error log from now on, with its backtrace, and the
/// reason when one ends the process.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        if thread.name() == Some(REPORTER) {
            return; // it cannot be reported
        }
        let payload = info.payload();
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let text = format!(
            "A panic in the thread '{}' at {place}: {}",
            thread.name().unwrap_or("without a name"),
            one_line(said.unwrap_or("something that is no text")),
        );
        let backtrace = Backtrace::force_capture();
        // Its functions' names are looked up elsewhere: the stack of a coroutine may be nearly
        // full.
        let unresolved = text.clone();
        let report = move || error!("{text}\n{backtrace}");
        match std::thread::Builder::new().name(REPORTER.into()).spawn(report) {
            Ok(reporter) => drop(reporter.join()),
            Err(_) => error!("{unresolved}"),
        }
    }));
    critical::set_reason_writer(|reason| {
        error!("{reason}");
        flush();
    });
}
