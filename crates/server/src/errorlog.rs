//! What the server says about itself: the error log, on standard error.

use std::backtrace::Backtrace;
use std::io::IsTerminal;
use std::panic;

use base::SqlError;
use engine::critical;
use tracing::{error, info};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{Config, ConfigError, ErrorLogFormat};

/// Starts the error log. Only the first call in a process has an effect.
///
/// # Errors
/// A level that is none.
pub fn start(config: &Config) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&config.errorlog_level).map_err(|error| ConfigError {
        place: "errorlog_level".into(),
        reason: error.to_string(),
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_target(false)
        .with_writer(std::io::stderr);
    let started = match config.errorlog_format {
        ErrorLogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        ErrorLogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // A process that has a log already, as tests have, keeps it.
    drop(started);
    Ok(())
}

/// Writes a message of statements.
pub fn note(message: &SqlError) {
    /// Messages of higher severities are errors.
    const INFORMATION: u8 = 10;
    let text = one_line(message.text());
    match message.severity() {
        0..=INFORMATION => info!("{text}"),
        severity => {
            error!(
                "Error: {}, Severity: {severity}, State: {}. {text}",
                message.number(),
                message.state()
            );
        }
    }
}

/// Has every panic of the process written to the error log, with its backtrace, and the reason when one ends the
/// process.
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
        // Its functions' names are looked up elsewhere: the stack of a coroutine may be nearly full.
        let unresolved = text.clone();
        let report = move || error!("{text}\n{backtrace}");
        match std::thread::Builder::new().name(REPORTER.into()).spawn(report) {
            Ok(reporter) => drop(reporter.join()),
            Err(_) => error!("{unresolved}"),
        }
    }));
    critical::set_last_words(|reason| error!("{reason}"));
}

/// The thread that writes panics down.
const REPORTER: &str = "panic report";

/// Names in messages are whatever users say: they make no lines of their own.
fn one_line(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_write_lines() {
        assert_eq!(one_line("BACKUP ü\n2026 ERROR"), "BACKUP ü\\n2026 ERROR");
    }
}
