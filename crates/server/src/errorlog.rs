//! What the server says about itself: the error log, on standard error.

use std::io::IsTerminal;

use base::SqlError;
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
